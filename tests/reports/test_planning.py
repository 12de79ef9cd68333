"""The rule of idle weeks, and the plan of the coming week."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from prepapp.reports.figures import TopicFigure
from prepapp.reports.planning import (
    Format,
    Needs,
    first_counted,
    idle_weeks,
    pauses,
    plan_sessions,
    session_days,
)
from prepapp.reports.weeks import Week

pytestmark = pytest.mark.embedded
WEEK = Week(2026, 48)
MONDAY = date(2026, 11, 30)
FORMATS = [
    Format("quick-quiz", "Quick quiz", 10, "gpu"),
    Format("screen", "Phone screen", 15, "gpu"),
    Format("deep-dive", "Deep dive", 45, "gpu"),
    Format("behavioural", "Behavioural", 30, "beh"),
]


def topic(name: str, mean: float = 0.4, answers: int = 6) -> TopicFigure:
    return TopicFigure(f"gpu.{name}", name.capitalize(), mean, 0.3, 0.5, 0.9, answers, "weak", 0.9)


@pytest.mark.parametrize(
    ("last", "idle", "reported", "pausing"),
    [
        (Week(2026, 48), 0, True, False),
        (Week(2026, 47), 1, True, False),
        (Week(2026, 46), 2, True, False),
        (Week(2026, 45), 3, True, True),
        (Week(2026, 44), 4, False, False),
        (Week(2025, 52), 48, False, False),
        (Week(2026, 49), 0, True, False),
    ],
)
def test_reports_pause_after_three_idle_weeks(last: Week, idle: int, reported: bool, pausing: bool) -> None:
    assert idle_weeks(WEEK, last) == idle
    assert (last >= first_counted(WEEK), pauses(idle)) == (reported, pausing)


def test_idle_weeks_are_counted_over_the_end_of_a_long_year() -> None:
    assert idle_weeks(Week(2027, 1), Week(2026, 52)) == 2


@pytest.mark.parametrize(
    ("today", "interview_on", "days"),
    [
        # Made on Monday: Tuesday, Thursday, Saturday.
        (date(2026, 11, 30), None, [1, 3, 5]),
        (date(2026, 11, 30), date(2026, 12, 20), [1, 3, 5]),
        # Caught up later in the week.
        (date(2026, 12, 1), None, [1, 3, 5]),
        (date(2026, 12, 2), None, [2, 3, 5]),
        (date(2026, 12, 4), None, [4, 5, 6]),
        (date(2026, 12, 5), None, [5, 6]),
        (date(2026, 12, 6), None, [6]),
        # None on the day of the interview or after it; Monday when there is nothing else.
        (date(2026, 11, 30), date(2026, 12, 5), [1, 2, 3]),
        (date(2026, 11, 30), date(2026, 12, 3), [0, 1, 2]),
        (date(2026, 11, 30), date(2026, 12, 1), [0]),
        (date(2026, 11, 30), date(2026, 11, 30), []),
        (date(2026, 12, 2), date(2026, 12, 3), [2]),
        # An interview that is over holds nothing up.
        (date(2026, 11, 30), date(2026, 11, 29), [1, 3, 5]),
    ],
)
def test_sessions_are_spread_over_the_coming_week(
    today: date, interview_on: date | None, days: list[int]
) -> None:
    assert [(day - MONDAY).days for day in session_days(WEEK, today, interview_on)] == days


def test_a_report_made_much_later_plans_the_week_it_is_made_in() -> None:
    assert session_days(WEEK, date(2026, 12, 16), None) == [
        date(2026, 12, 16),
        date(2026, 12, 17),
        date(2026, 12, 19),
    ]


NEEDS = Needs(track="gpu", level="advanced", formats=FORMATS)


@pytest.mark.parametrize(
    ("needs", "sessions"),
    [
        (
            replace(NEEDS, weak=[topic("memory")]),
            [("Memory drill", 20, "", "gpu.memory"), ("Phone screen", 15, "screen", ""), ("Deep dive", 45, "deep-dive", "")],
        ),
        (
            replace(NEEDS, weak=[topic("memory"), topic("comm"), topic("exec")]),
            [("Memory drill", 20, "", "gpu.memory"), ("Comm drill", 20, "", "gpu.comm"), ("Deep dive", 45, "deep-dive", "")],
        ),
        # Nobody is weak for want of practice: what is not measured comes first, then a mock.
        (
            replace(NEEDS, unmeasured=[("gpu.comm", "Comm"), ("gpu.exec", "Exec"), ("gpu.io", "Io")]),
            [("Comm drill", 20, "", "gpu.comm"), ("Exec drill", 20, "", "gpu.exec"), ("Deep dive", 45, "deep-dive", "")],
        ),
        (
            replace(NEEDS, unmeasured=[("gpu.comm", "Comm")], unsure=[topic("memory")]),
            [("Comm drill", 20, "", "gpu.comm"), ("Phone screen", 15, "screen", ""), ("Deep dive", 45, "deep-dive", "")],
        ),
        # All measured, none weak: the lowest.
        (
            replace(NEEDS, unsure=[topic("memory", 0.7), topic("comm", 0.65)]),
            [("Comm drill", 20, "", "gpu.comm"), ("Phone screen", 15, "screen", ""), ("Deep dive", 45, "deep-dive", "")],
        ),
        (NEEDS, [("Phone screen", 15, "screen", ""), ("Deep dive", 45, "deep-dive", "")]),
        (
            replace(NEEDS, formats=FORMATS[3:], weak=[topic("memory")]),
            [("Memory drill", 20, "", "gpu.memory"), ("Behavioural", 30, "behavioural", "")],
        ),
        (replace(NEEDS, formats=FORMATS[3:]), [("Behavioural", 30, "behavioural", "")]),
        (replace(NEEDS, formats=[]), []),
    ],
)  # fmt: skip
def test_what_needs_it_most_comes_first(needs: Needs, sessions: list[tuple[str, int, str, str]]) -> None:
    found = plan_sessions(WEEK, MONDAY, needs)
    assert [(row.title, row.minutes, row.blueprint, row.topic) for row in found] == sessions
    # A session too few is one in the middle: the long one stays at the end.
    days = {0: [], 1: [1], 2: [1, 5], 3: [1, 3, 5]}[len(sessions)]
    assert [(row.on - MONDAY).days for row in found] == days
    assert {row.level for row in found} <= {"advanced"}
    assert [row.reason for row in found if not row.reason.endswith(".") or "\n" in row.reason] == []


def test_with_two_days_left_there_is_one_drill_and_one_mock() -> None:
    needs = replace(NEEDS, weak=[topic("memory"), topic("comm")], interview_on=date(2026, 12, 2))
    found = plan_sessions(WEEK, MONDAY, needs)
    assert [(row.on.day, row.title) for row in found] == [(30, "Memory drill"), (1, "Phone screen")]


def test_on_the_eve_there_is_one_drill_and_on_the_day_nothing() -> None:
    needs = replace(NEEDS, weak=[topic("memory")], interview_on=date(2026, 12, 1))
    assert [row.title for row in plan_sessions(WEEK, MONDAY, needs)] == ["Memory drill"]
    assert plan_sessions(WEEK, MONDAY, replace(needs, interview_on=MONDAY)) == []


def test_a_drill_without_a_track_is_of_the_topics_home() -> None:
    found = plan_sessions(WEEK, MONDAY, replace(NEEDS, track="", weak=[topic("memory")]))
    assert found[0].track == "gpu"


def test_the_formats_asked_for_first_are_those_that_ship() -> None:
    folder = Path(__file__).resolve().parents[2] / "fixtures" / "blueprints"
    shipped = {YAML(typ="safe", pure=True).load(path.read_text())["slug"] for path in folder.glob("*.yaml")}
    assert {"screen", "deep-dive"} <= shipped
