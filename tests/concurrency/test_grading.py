"""Grading under real transactions: what two requests at once may not do to a score.

Each race is forced, not hoped for: one thread stops right before its write and lets the other go first,
or goes on when the other is held back by the lock. The controls take lock and transaction away and show
that the same race is then lost.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError

from prepapp.bank.models import RubricPoint
from prepapp.interviews.actions.grading import close_grading, regrade, set_confidence, set_mark
from prepapp.interviews.choices import Band, MarkValue, State
from prepapp.interviews.models import Attempt, Grading, Mark
from prepapp.interviews.refusals import GradingClosed
from prepapp.interviews.scoring import PointMark, response_score, stored
from tests.concurrency.racing import interleave
from tests.factories.interviews import STARTED_AT, AttemptFactory

pytestmark = pytest.mark.django_db(transaction=True)

NOW = STARTED_AT + timedelta(minutes=20)


def points_of(attempt: Attempt) -> list[int]:
    points = RubricPoint.objects.filter(version__responses__attempt=attempt, follow_up=None)
    return list(points.order_by("position").values_list("id", flat=True))


def say(attempt: Attempt, confidence: str = Band.HIRE) -> None:
    set_confidence(user=attempt.user, attempt_id=attempt.pk, position=1, confidence=confidence, now=NOW)


def give(attempt: Attempt, point: int, value: int) -> int:
    marked = set_mark(
        user=attempt.user, attempt_id=attempt.pk, position=1, point_id=point, value=value, quote="", now=NOW
    )
    return marked.point.value


@pytest.fixture
def marked() -> Attempt:
    """Every point met, not closed."""
    attempt = AttemptFactory(state=State.GRADING)
    say(attempt)
    for point in points_of(attempt):
        give(attempt, point, MarkValue.MET)
    return attempt


def recomputed() -> Any:
    marks = Mark.objects.values_list("point__weight", "value")
    return stored(response_score([PointMark(weight, value) for weight, value in marks]))


def close_against_mark(attempt: Attempt) -> Any:
    point = points_of(attempt)[0]
    _, late = interleave(
        'UPDATE "interviews_grading"',
        lambda: close_grading(attempt=attempt, now=NOW),
        lambda: give(attempt, point, MarkValue.MISSED),
    )
    attempt.refresh_from_db()
    return late


def test_a_mark_during_the_closing_never_parts_score_and_marks(marked: Attempt) -> None:
    late = close_against_mark(marked)
    assert isinstance(late, GradingClosed)
    assert marked.score == recomputed() == 10


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_the_score_is_not_that_of_the_marks(marked: Attempt) -> None:
    assert close_against_mark(marked) == MarkValue.MISSED
    assert (marked.score, recomputed()) == (10, 6)


def test_two_closings_at_once_are_one(marked: Attempt) -> None:
    later = NOW + timedelta(minutes=1)
    first, second = interleave(
        'UPDATE "interviews_grading"',
        lambda: close_grading(attempt=marked, now=NOW),
        lambda: close_grading(attempt=marked, now=later),
    )
    assert (first.pk, first.closed_at) == (second.pk, second.closed_at) == (first.pk, NOW)
    assert list(Grading.objects.values_list("number", "closed_at", "score")) == [(1, NOW, 10)]
    marked.refresh_from_db()
    assert (marked.state, marked.graded_at) == (State.GRADED, NOW)


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_it_is_closed_twice(marked: Attempt) -> None:
    later = NOW + timedelta(minutes=1)
    first, second = interleave(
        'UPDATE "interviews_grading"',
        lambda: close_grading(attempt=marked, now=NOW),
        lambda: close_grading(attempt=marked, now=later),
    )
    assert (first.closed_at, second.closed_at) == (NOW, later)


def first_words_at_once() -> list[Any]:
    attempt = AttemptFactory(state=State.GRADING)
    return interleave(
        'INSERT INTO "interviews_grading"', lambda: say(attempt), lambda: say(attempt, Band.STRONG)
    )


def test_two_first_words_at_once_open_one_grading() -> None:
    assert first_words_at_once() == [None, None]
    assert list(Grading.objects.values_list("number", flat=True)) == [1]


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_the_constraint_is_all_that_is_left() -> None:
    first, second = first_words_at_once()
    assert isinstance(first, IntegrityError)
    assert second is None


def test_two_regrades_at_once_are_one() -> None:
    attempt = AttemptFactory(state=State.GRADED)
    first, second = interleave(
        'INSERT INTO "interviews_grading"',
        lambda: regrade(attempt=attempt, now=NOW).id,
        lambda: regrade(attempt=attempt, now=NOW).id,
    )
    assert first == second
    assert list(Grading.objects.values_list("number", flat=True)) == [1, 2]
