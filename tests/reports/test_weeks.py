"""Which week it is, and when its report is due, where somebody lives."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest

from prepapp.reports.weeks import Week, due_week, read_week, week_in, week_of

pytestmark = pytest.mark.embedded
PARIS, NEW_YORK, TOKYO = ZoneInfo("Europe/Paris"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")
FIRST, LAST = ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Etc/GMT+12")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("label", "monday", "days"),
    [
        ("2026-W48", date(2026, 11, 23), "23–29 November"),
        ("2026-W49", date(2026, 11, 30), "30 November – 6 December"),
        ("2026-W53", date(2026, 12, 28), "28 December 2026 – 3 January 2027"),
        ("2027-W01", date(2027, 1, 4), "4–10 January"),
        ("2026-W01", date(2025, 12, 29), "29 December 2025 – 4 January 2026"),
    ],
)
def test_a_week_has_a_label_and_days(label: str, monday: date, days: str) -> None:
    week = read_week(label)
    assert (week.label, week.monday, week.days) == (label, monday, days)
    assert week_of(monday) == week_of(monday + timedelta(days=6)) == week


@pytest.mark.parametrize("label", ["2026-48", "2026-W5", "2026-W054", "26-W48", "2026-Wxx", "", "W48-2026"])
def test_what_is_no_week_says_how_to_write_one(label: str) -> None:
    with pytest.raises(ValueError, match="is not a week; write it like 2026-W48"):
        read_week(label)


@pytest.mark.parametrize(("label", "number"), [("2027-W53", "53"), ("2026-W00", "00"), ("2026-W54", "54")])
def test_a_week_the_year_does_not_have_is_refused(label: str, number: str) -> None:
    with pytest.raises(ValueError, match=f"the year {label[:4]} has no week {number}"):
        read_week(label)


@pytest.mark.parametrize("label", ["0001-W01", "1999-W52", "3000-W01", "9999-W52"])
def test_a_week_that_no_calendar_can_reckon_with_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match=f"the year {label[:4]} is too far away"):
        read_week(label)


def test_new_years_eve_and_new_years_day_are_one_week() -> None:
    assert week_of(date(2026, 12, 31)) == week_of(date(2027, 1, 1)) == Week(2026, 53)
    assert Week(2026, 53).shifted(1) == Week(2027, 1)
    assert Week(2027, 1).shifted(-1) == Week(2026, 53)


@pytest.mark.parametrize(
    ("zone", "monday", "before", "at"),
    [
        # Sunday and Monday of UTC do not matter, the zone's do.
        ("UTC", "2026-11-30", "2026-11-30T06:59:59", "2026-11-30T07:00:00"),
        ("Pacific/Kiritimati", "2026-11-30", "2026-11-29T16:59:59", "2026-11-29T17:00:00"),
        ("Etc/GMT+12", "2026-11-30", "2026-11-30T18:59:59", "2026-11-30T19:00:00"),
        ("Asia/Kathmandu", "2026-11-30", "2026-11-30T01:14:59", "2026-11-30T01:15:00"),
        # The Mondays after the clocks changed in the night to Sunday, and those before.
        ("Europe/Paris", "2026-03-23", "2026-03-23T05:59:59", "2026-03-23T06:00:00"),
        ("Europe/Paris", "2026-03-30", "2026-03-30T04:59:59", "2026-03-30T05:00:00"),
        ("Europe/Paris", "2026-10-19", "2026-10-19T04:59:59", "2026-10-19T05:00:00"),
        ("Europe/Paris", "2026-10-26", "2026-10-26T05:59:59", "2026-10-26T06:00:00"),
        ("America/New_York", "2026-03-09", "2026-03-09T10:59:59", "2026-03-09T11:00:00"),
        ("America/New_York", "2026-11-02", "2026-11-02T11:59:59", "2026-11-02T12:00:00"),
        ("Europe/Paris", "2027-01-04", "2027-01-04T05:59:59", "2027-01-04T06:00:00"),
    ],
)
def test_a_report_is_due_from_monday_seven_of_the_zone(zone: str, monday: str, before: str, at: str) -> None:
    week = week_of(date.fromisoformat(monday)).shifted(-1)
    assert due_week(utc(before), ZoneInfo(zone)) == week.shifted(-1)
    assert due_week(utc(at), ZoneInfo(zone)) == week
    assert due_week(utc(at) + timedelta(days=6, hours=22), ZoneInfo(zone)) == week


def test_each_week_of_two_years_is_due_once_in_every_zone() -> None:
    """Walked through six hours at a time, a zone meets each week, in order."""
    begin, hours = utc("2025-12-29T00:00:00"), 24 * 7 * 106
    for name in sorted(available_timezones())[::23]:
        zone = ZoneInfo(name)
        met = [due_week(begin + timedelta(hours=hour), zone) for hour in range(0, hours, 6)]
        weeks = sorted(set(met))
        assert met == sorted(met), name
        assert [after.monday - before.monday for before, after in pairwise(weeks)] == [timedelta(days=7)] * (
            len(weeks) - 1
        ), name
        assert len(weeks) in {106, 107}, name


@pytest.mark.parametrize(
    ("zone", "week", "hours"),
    [
        (PARIS, Week(2026, 13), 167),
        (PARIS, Week(2026, 43), 169),
        (NEW_YORK, Week(2026, 10), 167),
        (NEW_YORK, Week(2026, 44), 169),
        (TOKYO, Week(2026, 13), 168),
    ],
)
def test_a_week_with_a_clock_change_is_an_hour_shorter_or_longer(
    zone: ZoneInfo, week: Week, hours: int
) -> None:
    begin, end = week.bounds(zone)
    assert (end - begin) == timedelta(hours=hours)
    assert week_in(begin, zone) == week_in(end - timedelta(microseconds=1), zone) == week
    assert week_in(begin - timedelta(microseconds=1), zone) == week.shifted(-1)
    assert week_in(end, zone) == week.shifted(1)


def test_the_same_moment_lies_in_two_weeks_at_the_ends_of_the_world() -> None:
    moment = utc("2026-11-29T11:00:00")
    assert (week_in(moment, FIRST), week_in(moment, LAST)) == (Week(2026, 49), Week(2026, 48))
