"""Two attempts at one question side by side."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from prepapp.accounts.models import User
from prepapp.bank.models import RubricPoint
from prepapp.interviews.choices import MarkValue, State
from prepapp.interviews.models import Attempt, Mark
from tests.factories.bank import QuestionFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.interviews.reading import text_of

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 14, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def fixed_clock() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def cleo() -> User:
    return CandidateFactory()


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


def attempts(cleo: User, question: Any, *values: int, **fields: Any) -> list[Attempt]:
    """Graded attempts at the question a day apart, each with one mark for all points."""
    return [
        AttemptFactory(
            user=cleo,
            state=State.GRADED,
            responses__questions=[question],
            responses__texts=[f"answer of day {day}"],
            grading__value=value,
            **{"started_at": STARTED_AT + timedelta(days=day), **fields},
        )
        for day, value in enumerate(values)
    ]


def compare(site: Client, one: Attempt, two: Attempt, ref: str) -> Any:
    return site.get("/compare/", {"a": one.pk, "b": two.pk, "question": ref})


def test_points_won_and_lost(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    old, new = attempts(cleo, question, MarkValue.PARTLY, MarkValue.PARTLY)
    marks = Mark.objects.filter(response_grade__grading__attempt=new)
    marks.filter(point__key="r1").update(value=MarkValue.MET)
    marks.filter(point__key="r2").update(value=MarkValue.MISSED)
    for response in (compare(site, old, new, question.ref), compare(site, new, old, question.ref)):
        text = text_of(response.text)
        assert "Main answer score +0.5" in text
        assert "Point by point won +2.0, lost −1.5" in text
        name = question.slug
        assert (
            f"Criterion r1 of Title of {name} must-have 4 of 10 12 Nov 2026: ◐ Partly 13 Nov 2026: ✓ Met claimed Change: +2.0"
            in text
        )
        assert (
            f"Criterion r2 of Title of {name} 3 of 10 12 Nov 2026: ◐ Partly 13 Nov 2026: ✕ Missed Change: −1.5"
            in text
        )
        assert (
            f"Criterion r3 of Title of {name} 3 of 10 12 Nov 2026: ◐ Partly 13 Nov 2026: ◐ Partly Change: 0.0"
            in text
        )
        assert text.index("answer of day 0") < text.index("answer of day 1")


def test_versions_that_differ_are_said_and_not_counted(site: Client, cleo: User) -> None:
    question = QuestionFactory(version__points=[(4, True), (3, False), (3, False)])
    (old,) = attempts(cleo, question, MarkValue.MISSED)
    version = add_version(question, points=[(4, True), (2, False), (2, False), (2, False)])
    (new,) = attempts(cleo, question, MarkValue.MET, started_at=NOW)
    RubricPoint.objects.filter(version=version, key="r1").update(
        criterion=RubricPoint.objects.exclude(version=version).get(key="r1").criterion
    )
    text = text_of(compare(site, old, new, question.ref).text)
    assert "the versions differ" in text
    assert "Point by point won +4.0, lost 0.0" in text
    assert text.count("not comparable") == 1 + 3
    assert "Version 1; the question has changed since" in text
    assert "Version 2" in text


def test_the_review_leads_here(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    old, new = attempts(cleo, question, MarkValue.PARTLY, MarkValue.MET)
    AttemptFactory(user=cleo, responses__questions=[question], started_at=NOW, mode="practice")
    html = site.get(f"/attempts/{new.pk}/review/").text
    link = f"/compare/?a={new.pk}&amp;b={old.pk}&amp;question={question.ref}"
    assert html.count('href="/compare/') == 1
    assert f'href="{link}"' in html


def test_follow_ups_are_compared_by_key(site: Client, cleo: User) -> None:
    question = QuestionFactory(version__follow_ups=2)
    (old,) = attempts(cleo, question, MarkValue.MISSED, responses__follow_ups=1)
    (new,) = attempts(cleo, question, MarkValue.MET, responses__follow_ups=2, started_at=NOW)
    text = text_of(compare(site, old, new, question.ref).text)
    assert "Follow-up 1 score +10.0" in text
    assert "Follow-up 2 What was asked" in text
    assert "Not asked in this interview." in text


def test_what_is_not_graded_shows_no_points(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    (old,) = attempts(cleo, question, MarkValue.MET)
    ungraded = AttemptFactory(user=cleo, state=State.GRADING, responses__questions=[question])
    text = text_of(compare(site, old, ungraded, question.ref).text)
    assert "marks not shown" in text
    assert "score" not in text
    other = AttemptFactory(user=cleo, state=State.ABANDONED, responses__questions=[question])
    assert "Criterion" not in compare(site, other, ungraded, question.ref).text


def test_marks_are_held_back_during_a_running_mock(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    old, new = attempts(cleo, question, MarkValue.PARTLY, MarkValue.MET)
    AttemptFactory(user=cleo, started_at=NOW, responses__questions=[question])
    text = text_of(compare(site, old, new, question.ref).text)
    assert "Marks are held back" in text
    assert "Criterion" not in text


def test_a_running_interview_is_not_compared(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    (old,) = attempts(cleo, question, MarkValue.MET)
    running = AttemptFactory(user=cleo, started_at=NOW, responses__questions=[question])
    assert compare(site, old, running, question.ref)["Location"] == f"/attempts/{running.pk}/"


@pytest.mark.parametrize(
    "change",
    [
        {"a": ""},
        {"a": "x"},
        {"b": str(uuid4())},
        {"question": "none.such-1"},
        {"question": ""},
        {"a": "same"},
    ],
)
def test_what_cannot_be_compared_is_not_found(site: Client, cleo: User, change: dict[str, str]) -> None:
    question = QuestionFactory()
    old, new = attempts(cleo, question, MarkValue.MET, MarkValue.MET)
    values = {"a": str(old.pk), "b": str(new.pk), "question": question.ref} | change
    if values["a"] == "same":
        values["a"] = values["b"]
    assert site.get("/compare/", values).status_code == 404


def test_a_question_only_one_was_asked_is_not_found(site: Client, cleo: User) -> None:
    one, two = create_questions(2)
    (old,), (new,) = attempts(cleo, one, MarkValue.MET), attempts(cleo, two, MarkValue.MET)
    assert compare(site, old, new, one.ref).status_code == 404


@pytest.mark.parametrize("verb", ["post", "put", "patch", "delete"])
def test_other_verbs_are_refused(site: Client, verb: str) -> None:
    assert getattr(site, verb)("/compare/").status_code == 405


def test_queries_do_not_grow(site: Client, cleo: User) -> None:
    counts = []
    for questions in (1, 3):
        asked = create_questions(questions, follow_ups=2)
        pair = [
            AttemptFactory(user=cleo, state=State.GRADED, responses__questions=asked, responses__follow_ups=2)
            for _ in range(2)
        ]
        with CaptureQueriesContext(connection) as captured:
            assert compare(site, *pair, asked[0].ref).status_code == 200
        counts.append(len(captured))
    assert counts == [16, 16]
