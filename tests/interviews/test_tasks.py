"""What runs by the clock may run any number of times, in any order with everything else (P15)."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from prepapp.celery import app
from prepapp.interviews.actions.finish import close_if_overdue, finish_attempt
from prepapp.interviews.choices import Ending, State
from prepapp.interviews.models import Attempt
from prepapp.interviews.tasks import close_overdue_attempts
from tests.factories.interviews import STARTED_AT, AttemptFactory
from tests.interviews.sitting import GRACE, rows

pytestmark = pytest.mark.django_db

DEADLINE = STARTED_AT + timedelta(minutes=15)
OVERDUE = DEADLINE + GRACE + timedelta(microseconds=1)


def ends() -> list[tuple[Any, ...]]:
    return list(Attempt.objects.order_by("started_at").values_list("state", "finished_at", "ending"))


@pytest.fixture
def attempts() -> list[Attempt]:
    """Started 0 to 4 minutes after the first: at OVERDUE only the first is over."""
    return [AttemptFactory(started_at=STARTED_AT + timedelta(minutes=n)) for n in range(5)]


@pytest.mark.parametrize("times", [1, 2, 10])
def test_run_once_twice_or_ten_times_it_leaves_the_same_rows(
    attempts: list[Attempt], time_machine: Any, times: int
) -> None:
    time_machine.move_to(OVERDUE + timedelta(minutes=2), tick=False)
    closed = [close_overdue_attempts() for _ in range(times)]
    assert closed == [3, *[0] * (times - 1)]
    assert ends() == [
        *((State.GRADING, DEADLINE + timedelta(minutes=n), Ending.DEADLINE) for n in range(3)),
        *((State.RUNNING, None, ""),) * 2,
    ]


def test_not_run_at_all_looking_leaves_the_same_rows(attempts: list[Attempt], time_machine: Any) -> None:
    now = OVERDUE + timedelta(minutes=2)
    for attempt in attempts:
        close_if_overdue(attempt=attempt, now=now)
    looked = ends()
    time_machine.move_to(now, tick=False)
    assert close_overdue_attempts() == 0
    assert ends() == looked
    assert [state for state, _, _ in looked] == [State.GRADING] * 3 + [State.RUNNING] * 2


def test_before_any_deadline_it_changes_nothing(attempts: list[Attempt], time_machine: Any) -> None:
    time_machine.move_to(DEADLINE + GRACE, tick=False)
    before = rows()
    assert close_overdue_attempts() == 0
    assert rows() == before


def test_it_does_not_touch_what_its_owner_has_handed_in(attempts: list[Attempt], time_machine: Any) -> None:
    finish_attempt(attempt=attempts[0], now=STARTED_AT + timedelta(minutes=3))
    time_machine.move_to(OVERDUE + timedelta(days=1), tick=False)
    assert close_overdue_attempts() == 4
    assert ends()[0] == (State.GRADING, STARTED_AT + timedelta(minutes=3), Ending.FINISHED)


def test_one_odd_row_does_not_stop_the_rest(attempts: list[Attempt], time_machine: Any) -> None:
    AttemptFactory(track=None, responses=0)
    time_machine.move_to(OVERDUE + timedelta(days=1), tick=False)
    assert close_overdue_attempts() == 6


def test_the_worker_knows_it_by_the_name_the_schedule_uses() -> None:
    entry = settings.CELERY_BEAT_SCHEDULE["close-overdue-attempts"]
    app.loader.import_default_modules()
    assert app.tasks[entry["task"]].name == close_overdue_attempts.name
    # P8: closed within 60 s of the deadline, with a tick lost in between.
    assert 2 * entry["schedule"] + settings.INTERVIEW_GRACE_SECONDS <= 60
