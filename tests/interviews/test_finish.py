"""How an interview ends: handed in, given up, or closed by its deadline; each once and for good."""

from datetime import datetime, timedelta

import pytest

from prepapp.accounts.models import User
from prepapp.interviews.actions.finish import (
    abandon_attempt,
    close_if_overdue,
    close_overdue_attempts,
    finish_attempt,
)
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.interviews.sitting import GRACE, rows, statements

pytestmark = pytest.mark.django_db

MINUTE = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)
MICROSECOND = timedelta(microseconds=1)
OVERDUE = DEADLINE + GRACE + MICROSECOND


def end_of(attempt: Attempt) -> tuple[str, datetime | None, str]:
    stored = Attempt.objects.get(pk=attempt.pk)
    return stored.state, stored.finished_at, stored.ending


@pytest.fixture
def attempt() -> Attempt:
    running: Attempt = AttemptFactory(responses=2)
    return running


@pytest.mark.parametrize(
    ("now", "finished_at", "ending"),
    [
        (MINUTE, MINUTE, Ending.FINISHED),
        (DEADLINE - MICROSECOND, DEADLINE - MICROSECOND, Ending.FINISHED),
        (DEADLINE, DEADLINE, Ending.DEADLINE),
        (DEADLINE + GRACE, DEADLINE, Ending.DEADLINE),
        (DEADLINE + timedelta(days=2), DEADLINE, Ending.DEADLINE),
    ],
)
def test_handing_in_stamps_now_but_never_after_the_deadline(
    attempt: Attempt, now: datetime, finished_at: datetime, ending: str
) -> None:
    assert finish_attempt(attempt=attempt, now=now) is True
    assert end_of(attempt) == (State.GRADING, finished_at, ending)
    assert (attempt.state, attempt.finished_at, attempt.ending) == (State.GRADING, finished_at, ending)


def test_handing_in_again_changes_nothing(attempt: Attempt) -> None:
    other_tab = Attempt.objects.get(pk=attempt.pk)
    assert finish_attempt(attempt=attempt, now=MINUTE) is True
    before = rows()
    assert finish_attempt(attempt=attempt, now=MINUTE + timedelta(minutes=2)) is False
    assert finish_attempt(attempt=other_tab, now=MINUTE + timedelta(minutes=3)) is False
    assert rows() == before
    assert (other_tab.state, other_tab.finished_at) == (State.GRADING, MINUTE)


def test_handing_in_is_judged_by_the_stored_deadline_not_by_a_copy_read_before() -> None:
    """P10: the allowance was changed in another tab while this request had the attempt in hand."""
    shortened, extended = AttemptFactory(), AttemptFactory()
    Attempt.objects.filter(pk=shortened.pk).update(deadline_at=STARTED_AT + timedelta(minutes=5))
    Attempt.objects.filter(pk=extended.pk).update(deadline_at=STARTED_AT + timedelta(minutes=30))
    assert finish_attempt(attempt=shortened, now=STARTED_AT + timedelta(minutes=9)) is True
    assert finish_attempt(attempt=extended, now=STARTED_AT + timedelta(minutes=20)) is True
    assert end_of(shortened) == (State.GRADING, STARTED_AT + timedelta(minutes=5), Ending.DEADLINE)
    assert end_of(extended) == (State.GRADING, STARTED_AT + timedelta(minutes=20), Ending.FINISHED)


def test_untimed_is_handed_in_whenever(attempt: Attempt) -> None:
    Attempt.objects.update(deadline_at=None)
    attempt.refresh_from_db()
    now = STARTED_AT + timedelta(days=9)
    assert finish_attempt(attempt=attempt, now=now) is True
    assert end_of(attempt) == (State.GRADING, now, Ending.FINISHED)


def test_giving_up_ends_ungraded(attempt: Attempt) -> None:
    assert abandon_attempt(attempt=attempt, now=MINUTE) is True
    assert end_of(attempt) == (State.ABANDONED, MINUTE, Ending.ABANDONED)


def test_giving_up_within_the_grace_ends_at_the_deadline(attempt: Attempt) -> None:
    assert abandon_attempt(attempt=attempt, now=DEADLINE + GRACE) is True
    assert end_of(attempt) == (State.ABANDONED, DEADLINE, Ending.ABANDONED)


def test_giving_up_too_late_closes_as_the_sweep_would_have_done(attempt: Attempt) -> None:
    """TIM-11: the outcome must not hang on whether the sweep ran before the button was pressed."""
    assert abandon_attempt(attempt=attempt, now=OVERDUE) is False
    assert end_of(attempt) == (State.GRADING, DEADLINE, Ending.DEADLINE)


@pytest.mark.parametrize("state", [State.GRADING, State.GRADED, State.ABANDONED])
def test_no_state_leads_back_or_across(state: str) -> None:
    attempt = AttemptFactory(state=state)
    before = rows()
    stale = Attempt.objects.get(pk=attempt.pk)
    stale.state = State.RUNNING
    assert finish_attempt(attempt=stale, now=MINUTE) is False
    stale.state = State.RUNNING
    assert abandon_attempt(attempt=stale, now=MINUTE) is False
    assert close_if_overdue(attempt=attempt, now=OVERDUE) is False
    assert close_overdue_attempts(now=OVERDUE + timedelta(days=1)) == 0
    assert rows() == before
    assert stale.state == state


@pytest.mark.parametrize(("now", "overdue"), [(DEADLINE, False), (DEADLINE + GRACE, False), (OVERDUE, True)])
def test_looking_closes_what_is_overdue_as_of_its_deadline(
    attempt: Attempt, now: datetime, overdue: bool
) -> None:
    assert close_if_overdue(attempt=attempt, now=now) is overdue
    ended = (State.GRADING, DEADLINE, Ending.DEADLINE) if overdue else (State.RUNNING, None, "")
    assert end_of(attempt) == ended
    assert (attempt.state, attempt.finished_at, attempt.ending) == ended


def test_looking_after_the_sweep_says_overdue_and_changes_nothing(attempt: Attempt) -> None:
    in_hand = Attempt.objects.get(pk=attempt.pk)
    assert close_overdue_attempts(now=OVERDUE) == 1
    before = rows()
    assert close_if_overdue(attempt=in_hand, now=OVERDUE + timedelta(hours=1)) is True
    assert rows() == before
    assert in_hand.state == State.GRADING


def test_what_was_extended_meanwhile_stays_open(attempt: Attempt) -> None:
    in_hand = Attempt.objects.get(pk=attempt.pk)
    Attempt.objects.update(deadline_at=DEADLINE + timedelta(minutes=15))
    close_if_overdue(attempt=in_hand, now=OVERDUE)
    assert close_overdue_attempts(now=OVERDUE) == 0
    assert end_of(attempt) == (State.RUNNING, None, "")
    assert in_hand.state == State.RUNNING


def test_the_sweep_closes_exactly_the_overdue_of_everybody_each_at_its_own_deadline() -> None:
    first = AttemptFactory()
    second = AttemptFactory(started_at=STARTED_AT - timedelta(minutes=3))
    untimed = AttemptFactory(deadline_at=None)
    practice = AttemptFactory(mode=Mode.PRACTICE)
    later = AttemptFactory(started_at=MINUTE)
    given_up = AttemptFactory(state=State.ABANDONED)
    with statements() as sent:
        assert close_overdue_attempts(now=OVERDUE) == 2
    assert len(sent) == 1
    assert end_of(first) == (State.GRADING, DEADLINE, Ending.DEADLINE)
    assert end_of(second) == (State.GRADING, DEADLINE - timedelta(minutes=3), Ending.DEADLINE)
    for untouched in (untimed, practice, later):
        assert end_of(untouched) == (State.RUNNING, None, "")
    assert end_of(given_up)[0] == State.ABANDONED


def test_the_sweep_and_the_look_leave_the_same_row() -> None:
    """P8: lazily and by the sweeper, through one function."""
    owner: User = CandidateFactory()
    swept, looked = AttemptFactory(user=owner), AttemptFactory(user=owner)
    close_if_overdue(attempt=looked, now=OVERDUE)
    close_overdue_attempts(now=OVERDUE + timedelta(days=1))
    ends = Attempt.objects.values_list("state", "finished_at", "ending")
    assert list(ends.filter(pk=swept.pk)) == list(ends.filter(pk=looked.pk))
