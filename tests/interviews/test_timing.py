"""The arithmetic of interview time, with both clock changes and every allowance."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.accounts.choices import TimeAllowance
from prepapp.interviews import timing

START = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
DEADLINE = START + timedelta(minutes=15)
GRACE = 5
MICROSECOND = timedelta(microseconds=1)
NEW_YORK = ZoneInfo("America/New_York")
ALLOWANCES = [allowance for allowance in TimeAllowance.values if allowance != TimeAllowance.UNTIMED]


@pytest.mark.parametrize(
    ("minutes", "allowance", "seconds"),
    [
        (15, "1.00", 900),
        (15, "1.25", 1125),
        (15, "1.50", 1350),
        (15, "2.00", 1800),
        (1, "1.25", 75),
        (7, "1.25", 525),
        (240, "2.00", 28_800),
    ],
)
def test_deadline_is_start_plus_minutes_times_allowance(minutes: int, allowance: str, seconds: int) -> None:
    assert timing.deadline_of(START, minutes, allowance) == START + timedelta(seconds=seconds)


def test_untimed_has_no_deadline() -> None:
    assert timing.deadline_of(START, 15, TimeAllowance.UNTIMED) is None


@pytest.mark.parametrize(
    ("now", "left"),
    [
        (START, 900.0),
        (DEADLINE - timedelta(milliseconds=500), 0.5),
        (DEADLINE, 0.0),
        (DEADLINE + timedelta(hours=1), 0.0),
    ],
)
def test_seconds_left_never_fall_below_zero(now: datetime, left: float) -> None:
    assert timing.seconds_left(DEADLINE, now) == left


def test_without_a_clock_nothing_is_left_nor_overdue() -> None:
    assert timing.seconds_left(None, START) is None
    assert timing.is_overdue(None, START + timedelta(days=400), GRACE) is False


@pytest.mark.parametrize(
    ("now", "overdue"),
    [
        (DEADLINE - MICROSECOND, False),
        (DEADLINE, False),
        (DEADLINE + MICROSECOND, False),
        (DEADLINE + timedelta(seconds=GRACE), False),
        (DEADLINE + timedelta(seconds=GRACE) + MICROSECOND, True),
    ],
)
def test_late_begins_one_microsecond_after_the_grace(now: datetime, overdue: bool) -> None:
    assert timing.is_overdue(DEADLINE, now, GRACE) is overdue


def test_without_grace_late_begins_after_the_deadline() -> None:
    assert [timing.is_overdue(DEADLINE, now, 0) for now in (DEADLINE, DEADLINE + MICROSECOND)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("deadline", "now", "ended"),
    [
        (DEADLINE, DEADLINE - MICROSECOND, DEADLINE - MICROSECOND),
        (DEADLINE, DEADLINE, DEADLINE),
        (DEADLINE, DEADLINE + timedelta(days=3), DEADLINE),
        (None, DEADLINE + timedelta(days=3), DEADLINE + timedelta(days=3)),
    ],
)
def test_an_interview_never_ends_after_its_deadline(
    deadline: datetime | None, now: datetime, ended: datetime
) -> None:
    assert timing.ended_at(deadline, now) == ended


@pytest.mark.parametrize(
    ("start", "look", "save", "end"),
    [
        ("2026-11-01T05:55", "2026-11-01T06:03", "2026-11-01T06:04", "2026-11-01T06:05"),
        ("2026-03-08T06:55", "2026-03-08T07:03", "2026-03-08T07:04", "2026-03-08T07:05"),
    ],
    ids=["autumn, the hour comes twice", "spring, an hour is missing"],
)
def test_tim_13_clock_changes_in_new_york_do_not_move_a_deadline(
    start: str, look: str, save: str, end: str
) -> None:
    """TIM-13: ten minutes stay ten minutes; the wall clock says -50 or 70."""
    started, looked, saved, ended = (
        datetime.fromisoformat(f"{text}+00:00") for text in (start, look, save, end)
    )
    deadline = timing.deadline_of(started, 10, "1.00")
    assert deadline == ended
    assert timing.seconds_left(deadline, looked) == 120
    assert timing.is_overdue(deadline, saved, GRACE) is False
    assert timing.ended_at(deadline, ended + timedelta(hours=1)) - started == timedelta(minutes=10)
    wall = [moment.astimezone(NEW_YORK).replace(tzinfo=None) for moment in (started, ended)]
    assert wall[1] - wall[0] in {timedelta(minutes=-50), timedelta(minutes=70)}


@pytest.mark.parametrize(
    ("minutes", "allowance", "text"),
    [
        (15, "1.00", "15:00"),
        (15, "1.25", "18:45 = 15:00 × 1.25"),
        (15, "1.50", "22:30 = 15:00 × 1.5"),
        (15, "2.00", "30:00 = 15:00 × 2"),
        (50, "1.50", "75:00 = 50:00 × 1.5"),
        (15, "untimed", "no time limit"),
    ],
)
def test_time_plan_shows_how_the_length_comes_about(minutes: int, allowance: str, text: str) -> None:
    assert timing.time_plan(minutes, allowance) == text


@pytest.mark.parametrize(
    ("minutes", "allowance", "text"),
    [(7, "1.00", "7"), (10, "1.00", "10"), (7, "1.25", "8.75"), (8, "1.50", "12"), (10, "untimed", "10")],
)
def test_p10_planned_minutes_stretch_with_the_allowance(minutes: int, allowance: str, text: str) -> None:
    assert timing.planned_minutes(minutes, allowance) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (9, "0:09"), (60, "1:00"), (3599, "59:59"), (4500, "75:00")]
)
def test_clock_text(seconds: int, text: str) -> None:
    assert timing.clock_text(seconds) == text


@given(minutes=st.integers(1, 600), allowance=st.sampled_from(ALLOWANCES))
def test_what_is_shown_is_what_is_enforced(minutes: int, allowance: str) -> None:
    """TIM-05: the length in words and the stored deadline are the same."""
    shown = timing.time_plan(minutes, allowance).partition(" ")[0]
    whole, seconds = shown.split(":")
    assert timing.deadline_of(START, minutes, allowance) == START + timedelta(
        minutes=int(whole), seconds=int(seconds)
    )


@given(day=st.integers(0, 7000), after=st.integers(0, 10**10))
def test_nothing_is_left_exactly_when_the_deadline_has_come(day: int, after: int) -> None:
    """Counting and judging agree at every microsecond: while seconds are left, nothing is late."""
    started = START + timedelta(days=day)
    deadline = timing.deadline_of(started, 15, "1.50")
    assert deadline is not None
    now = started + timedelta(microseconds=after)
    assert (timing.seconds_left(deadline, now) == 0) == (now >= deadline)
    assert not (timing.seconds_left(deadline, now) and timing.is_overdue(deadline, now, 0))
