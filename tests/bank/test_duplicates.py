"""Near-duplicates of one document: those the lint would find, drafts among them, and what is kept stays true."""

from typing import Any

import pytest
from django.conf import settings

from prepapp.bank.actions import retire_questions, save_draft
from prepapp.bank.lint.bank_rules import WHOLE
from prepapp.bank.lint.corpus import Corpus, counted
from prepapp.bank.lint.similarity import alike
from prepapp.bank.queries.duplicates import find_alike
from prepapp.bank.transfer.question_file import read_bank
from tests.factories.bank import QuestionFactory, add_version
from tests.factories.curation import EDITED_AT, curator, draft, reviewer

PROMPT = (
    "A queue in front of one worker grows every Monday morning. Say why it grows and what you would measure."
)
ANSWER = (
    "Arrivals outrun the worker for an hour, so I measure arrivals, service time and the wait of each job."
)
OTHER = "A table of ten million rows is read by a report each night. Choose an index that serves it and say its cost."


def found(document: dict[str, Any], question_id: int | None = None) -> list[tuple[int, str, str]]:
    return [(pair.question_id, pair.severity, pair.part) for pair in find_alike(document, question_id)]


@pytest.mark.django_db
def test_an_equal_question_fails_and_a_different_one_is_not_named() -> None:
    same = QuestionFactory(version__prompt=PROMPT, version__model_answer=ANSWER)
    QuestionFactory(version__prompt=OTHER, version__model_answer=OTHER)
    assert found({"prompt": PROMPT, "model_answer": ANSWER}) == [(same.pk, "F", "prompt and answer")]
    assert found({"prompt": "Name a colour you like, and in which light.", "model_answer": "Blue."}) == []
    assert found({}) == []


@pytest.mark.django_db
def test_the_question_itself_is_left_out_as_text_and_as_draft() -> None:
    same = QuestionFactory(version__prompt=PROMPT, version__model_answer=ANSWER)
    made = draft(prompt=PROMPT, model_answer=ANSWER)
    document = {"prompt": PROMPT, "model_answer": ANSWER}
    assert found(document, same.pk) == [(made.question_id, "F", "prompt and answer")]
    assert found(document, made.question_id) == [(same.pk, "F", "prompt and answer")]


@pytest.mark.django_db
def test_a_prompt_alone_is_found_in_a_follow_up() -> None:
    made = draft(followups=[{"id": "f1", "minutes": 2, "prompt": PROMPT, "answer": "x", "rubric": []}])
    assert found({"prompt": PROMPT}) == [(made.question_id, "F", "prompt")]


@pytest.mark.django_db
def test_what_is_kept_follows_each_change_of_the_bank() -> None:
    document = {"prompt": PROMPT, "model_answer": ANSWER}
    assert found(document) == []
    question = QuestionFactory(version__prompt=OTHER, version__model_answer=OTHER)
    assert found(document) == []
    add_version(question, prompt=PROMPT, model_answer=ANSWER)
    assert [pk for pk, _, _ in found(document)] == [question.pk]
    retire_questions(question_ids=[question.pk], note="", by=reviewer(), now=EDITED_AT)
    assert found(document) == []
    made = draft(prompt=OTHER)
    assert found(document) == []
    save_draft(
        question_id=made.question_id,
        document={**made.document, **document},
        revision=1,
        by=curator(),
        now=EDITED_AT,
    )
    assert [pk for pk, _, _ in found(document)] == [made.question_id]


@pytest.mark.django_db
def test_a_second_look_reads_nothing_but_whether_something_changed(
    django_assert_num_queries: Any,
) -> None:
    for _ in range(3):
        QuestionFactory(version__prompt=PROMPT, version__model_answer=ANSWER)
    document = {"prompt": PROMPT, "model_answer": ANSWER}
    find_alike(document, None)
    with django_assert_num_queries(2):
        assert len(find_alike(document, None)) == 3


@pytest.mark.embedded
def test_the_shipped_bank_is_measured_as_the_lint_measures_it() -> None:
    """Each question against all others: the same pairs, and cosines that differ by the one text the rarity of
    words does not follow from."""
    files = read_bank(settings.BASE_DIR / "fixtures" / "bank")[0]
    texts = [f"{file.prompt} {file.model_answer}" for file in files]
    wanted = {
        (pair.left, pair.right): (pair.cosine, pair.jaccard)
        for pair in alike(texts, cosine=0.1, jaccard=WHOLE.warn_jaccard)
    }
    assert len(wanted) > 5
    every = [counted(text) for text in texts]
    for (left, right), (cosine, jaccard) in wanted.items():
        corpus = Corpus(every[:right], range(right))
        measured = {owner: (c, j) for owner, c, j in corpus.near(every[right], cosine=0.0, jaccard=0.0)}
        assert measured[left][0] == pytest.approx(cosine, abs=0.03)
        assert measured[left][1] == pytest.approx(jaccard, abs=1e-12)
