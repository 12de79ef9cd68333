"""A changed time allowance takes effect in interviews that run (P10)."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from prepapp.accounts.models import User
from prepapp.interviews.actions.allowance import change_time_allowance
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.interviews.sitting import EVERYTHING, GRACE, rows

pytestmark = pytest.mark.django_db

MINUTE = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)


def change(user: User, allowance: str, now: datetime = MINUTE) -> int:
    return change_time_allowance(user=user, allowance=allowance, now=now)


def stored(attempt: Attempt) -> Attempt:
    return Attempt.objects.get(pk=attempt.pk)


@pytest.mark.parametrize(
    ("allowance", "minutes"), [("1.25", 18.75), ("1.50", 22.5), ("2.00", 30.0), ("1.00", 15.0)]
)
def test_running_deadline_moves_from_the_start(allowance: str, minutes: float) -> None:
    attempt = AttemptFactory()
    assert change(attempt.user, allowance) == 1
    assert stored(attempt).deadline_at == STARTED_AT + timedelta(minutes=minutes)
    assert stored(attempt).time_allowance == allowance
    assert User.objects.get(pk=attempt.user_id).time_allowance == allowance


def test_untimed_removes_the_clock_and_back_brings_it() -> None:
    attempt = AttemptFactory()
    change(attempt.user, "untimed")
    assert stored(attempt).deadline_at is None
    change(attempt.user, "1.50", MINUTE + timedelta(minutes=5))
    assert stored(attempt).deadline_at == STARTED_AT + timedelta(minutes=22, seconds=30)


def test_a_shorter_allowance_never_puts_the_deadline_into_the_past() -> None:
    attempt = AttemptFactory(time_allowance="2.00", deadline_at=STARTED_AT + timedelta(minutes=30))
    now = STARTED_AT + timedelta(minutes=20)
    assert change(attempt.user, "1.00", now) == 1
    assert (stored(attempt).state, stored(attempt).deadline_at) == (State.RUNNING, now)


def test_what_had_run_out_before_stays_closed_as_of_the_old_deadline() -> None:
    attempt = AttemptFactory()
    assert change(attempt.user, "2.00", DEADLINE + GRACE + timedelta(microseconds=1)) == 0
    found = stored(attempt)
    assert (found.state, found.deadline_at, found.finished_at, found.ending, found.time_allowance) == (
        State.GRADING,
        DEADLINE,
        DEADLINE,
        Ending.DEADLINE,
        "1.00",
    )


def test_within_the_grace_more_time_still_helps() -> None:
    attempt = AttemptFactory()
    assert change(attempt.user, "2.00", DEADLINE + GRACE) == 1
    assert stored(attempt).deadline_at == STARTED_AT + timedelta(minutes=30)


def test_practice_ended_and_other_peoples_attempts_are_left_alone() -> None:
    user = CandidateFactory()
    untouched: list[Any] = [
        AttemptFactory(user=user, mode=Mode.PRACTICE),
        AttemptFactory(user=user, state=State.GRADING),
        AttemptFactory(user=user, state=State.GRADED),
        AttemptFactory(user=user, state=State.ABANDONED),
        AttemptFactory(),
    ]
    before = rows()
    assert change(user, "2.00") == 0
    assert rows() == before
    assert len(untouched) == Attempt.objects.count()


def test_repeating_the_change_leaves_the_same_rows() -> None:
    attempt = AttemptFactory()
    change(attempt.user, "1.50")
    before = rows(*EVERYTHING)
    change(attempt.user, "1.50", MINUTE + timedelta(minutes=4))
    assert rows(*EVERYTHING) == before


@pytest.mark.parametrize("allowance", ["9.00", "", "1.5", "nan", "-1.00"])
def test_an_allowance_that_is_not_listed_changes_nothing(allowance: str) -> None:
    attempt = AttemptFactory()
    before = rows(*EVERYTHING)
    with pytest.raises(ValueError, match="is not a valid TimeAllowance"):
        change(attempt.user, allowance)
    assert rows(*EVERYTHING) == before
