"""Documents say all that a question file says, and come back from the tables as they went in."""

from datetime import date

import pytest
from django.conf import settings

from prepapp.bank.actions import load_bank
from prepapp.bank.models import Question
from prepapp.bank.queries import current_documents
from prepapp.bank.transfer.document import changes_meaning, document_of_file, read_document
from prepapp.bank.transfer.question_file import QuestionFile, read_bank
from tests.factories.curation import EDITED_AT, finished_document

TODAY = date(2026, 11, 20)


@pytest.fixture(scope="module")
def shipped() -> list[QuestionFile]:
    files, problems = read_bank(settings.BASE_DIR / "fixtures" / "bank")
    assert problems == []
    return files


def test_every_shipped_question_survives_the_way_through_its_document(shipped: list[QuestionFile]) -> None:
    for file in shipped:
        assert read_document(document_of_file(file), ref=file.id, today=TODAY) == file


@pytest.mark.django_db
def test_a_document_from_the_tables_is_the_document_of_the_file(shipped: list[QuestionFile]) -> None:
    files = shipped[:12]
    load_bank(files=files, now=EDITED_AT)
    questions = {question.pk: question.ref for question in Question.objects.all()}

    found = current_documents(list(Question.objects.all()))

    def sorted_tags(document: dict) -> dict:
        return {**document, "tags": sorted(document["tags"]), "packs": sorted(document["packs"])}

    expected = {file.id: sorted_tags(document_of_file(file)) for file in files}
    assert {questions[pk]: sorted_tags(document) for pk, document in found.items()} == expected


@pytest.mark.django_db
def test_an_unfinished_document_says_each_field_that_is_missing() -> None:
    document = finished_document()
    del document["rubric"], document["minutes"]
    document["level"] = "guru"

    problems = read_document(document, ref="sre.backups-001", today=TODAY)

    assert isinstance(problems, list)
    assert [problem.field for problem in problems] == ["level", "minutes", "rubric"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({"title": "Another title"}, False),
        ({"tags": ["new"]}, False),
        ({"pitfalls": ["A new pitfall."]}, False),
        ({"prompt": "Something else is asked."}, True),
        ({"model_answer": "Another answer."}, True),
        ({"rubric": []}, True),
        ({"kind": "coding"}, True),
    ],
)
def test_what_changes_the_meaning(change: dict, changed: bool) -> None:
    old = finished_document()
    assert changes_meaning(old, {**old, **change}) is changed


@pytest.mark.django_db
def test_blanks_do_not_change_the_meaning() -> None:
    old = finished_document()
    assert changes_meaning(old, {**old, "prompt": old["prompt"].replace(" ", "\n "), "data": ""}) is False
