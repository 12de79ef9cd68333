"""The estimate of a topic week by week: what each week knew, and that the last one is what holds now."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.reports import mastery
from prepapp.reports.course import WeekOfEvidence, course
from prepapp.reports.mastery import Constants, Tally
from prepapp.reports.weeks import Week

pytestmark = pytest.mark.embedded

CONSTANTS = Constants()
NOW = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
MONDAY = date(2026, 11, 9)


def tally(monday: date, trials: float, share: float, answers: int) -> Tally:
    """Evidence of that Wednesday, weighted forward as it is kept."""
    wednesday = datetime(monday.year, monday.month, monday.day, tzinfo=UTC) + timedelta(days=2)
    weight = mastery.forward_weight(wednesday, CONSTANTS)
    return Tally(trials * weight, trials * share * weight, answers)


def row(weeks_ago: int, share: float = 0.5, answers: int = 2, other: float | None = None) -> WeekOfEvidence:
    monday = MONDAY - timedelta(weeks=weeks_ago)
    own = tally(monday, 1.5 * answers, share, answers)
    rest = Tally() if other is None else tally(monday, 3, other, 2)
    return WeekOfEvidence(monday, own, own + rest)


def points(rows: list[WeekOfEvidence], weeks: int = 26, now: datetime = NOW) -> list[tuple[Week, float, int]]:
    found = course(rows, 0.6, now, CONSTANTS, weeks)
    return [(point.week, point.estimate.mean, point.answers) for point in found]


def test_each_week_from_the_first_answer_to_the_present_has_a_point() -> None:
    found = points([row(5, answers=0, other=0.5), row(3), row(1, answers=1)])
    assert [(week.label, answers) for week, _, answers in found] == [
        ("2026-W43", 2),
        ("2026-W44", 0),
        ("2026-W45", 1),
        ("2026-W46", 0),
    ]


def test_without_an_answer_there_is_no_line() -> None:
    assert points([]) == []
    assert points([row(1, answers=0, other=0.9)]) == []


def test_a_later_week_does_not_change_what_an_earlier_one_knew() -> None:
    before = [row(3, 0.2), row(2, 0.4)]
    found = points([*before, row(1, 1.0)])
    assert found[:2] == points(before)[:2]
    assert found[2][1] > points(before)[2][1]


def test_the_last_point_is_the_estimate_of_this_moment() -> None:
    rows = [row(3, 0.2, other=0.9), row(0, 0.7, other=0.4)]
    own = sum((each.own for each in rows), Tally())
    everything = sum((each.all for each in rows), Tally())
    rate = mastery.shrunk_rate(mastery.at(everything, NOW, CONSTANTS), 0.6, CONSTANTS)
    (expected,) = mastery.estimates([mastery.at(own, NOW, CONSTANTS)], [rate], CONSTANTS)
    assert course(rows, 0.6, NOW, CONSTANTS, 26)[-1].estimate == expected


def test_the_interval_grows_while_nothing_comes_in() -> None:
    found = course([row(9, 0.3, answers=12)], 0.6, NOW, CONSTANTS, 26)
    widths = [point.estimate.high - point.estimate.low for point in found]
    assert len(widths) == 10
    assert widths == sorted(widths)


def test_only_the_last_weeks_are_drawn_and_all_evidence_counts() -> None:
    rows = [row(30, 0.1, answers=20), row(1, 0.9)]
    assert points(rows, weeks=4) == points(rows, weeks=40)[-4:]
    assert points(rows, weeks=4)[0][1] < 0.6


def test_a_week_that_has_not_come_here_yet_is_drawn_too() -> None:
    """Evidence filed by a clock ahead of this one is not lost."""
    ahead = WeekOfEvidence(MONDAY + timedelta(weeks=1), *[tally(MONDAY, 3, 0.5, 2)] * 2)
    assert [week.label for week, *_ in points([row(0), ahead])] == ["2026-W46", "2026-W47"]


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.floats(0, 1), st.integers(0, 9)),
        max_size=12,
        unique_by=lambda each: each[0],
    )
)
def test_whatever_was_practised_every_point_is_within_bounds(rows: list[tuple[int, float, int]]) -> None:
    found = course([row(*each) for each in rows], 0.6, NOW, CONSTANTS, 26)
    for point in found:
        estimate = point.estimate
        assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1
    first = max((weeks for weeks, _, answers in rows if answers), default=None)
    assert len(found) == (0 if first is None else min(first + 1, 26))
