"""ISO weeks as a person lives them: from Monday to Sunday in their own zone. Values only."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

REPORT_TIME = time(7)
_WEEK = timedelta(days=7)
# Of what is typed. At the ends of the calendar a week has no week before or after it.
_YEARS = range(2000, 3000)


@dataclass(frozen=True, order=True)
class Week:
    """An ISO 8601 week: `Week(2026, 53)` runs from 28 December 2026 to 3 January 2027."""

    year: int
    number: int

    @property
    def monday(self) -> date:
        return date.fromisocalendar(self.year, self.number, 1)

    @property
    def sunday(self) -> date:
        return self.monday + timedelta(days=6)

    @property
    def label(self) -> str:
        return f"{self.year}-W{self.number:02d}"

    @property
    def days(self) -> str:
        """`23–29 November`, `30 November – 6 December`; with years where they differ."""
        first, last = self.monday, self.sunday
        if first.year != last.year:
            return f"{first.day} {first:%B %Y} – {last.day} {last:%B %Y}"
        if first.month != last.month:
            return f"{first.day} {first:%B} – {last.day} {last:%B}"
        return f"{first.day}–{last.day} {first:%B}"

    def shifted(self, weeks: int) -> "Week":
        return week_of(self.monday + weeks * _WEEK)

    def bounds(self, zone: ZoneInfo) -> tuple[datetime, datetime]:
        """The instants the week begins and the next one begins, in UTC. Between clock changes that is not
        always 168 hours."""
        return _instant(self.monday, time(), zone), _instant(self.monday + _WEEK, time(), zone)

    def due_at(self, zone: ZoneInfo) -> datetime:
        """When the report of this week may be made: the Monday after it, 07:00 of that zone."""
        return _instant(self.monday + _WEEK, REPORT_TIME, zone)


def week_of(day: date) -> Week:
    year, number, _ = day.isocalendar()
    return Week(year, number)


def read_week(label: str) -> Week:
    """The week of `2026-W48`. ValueError saying what is wrong."""
    year, separator, number = label.partition("-W")
    if not (separator and len(year) == 4 and len(number) == 2 and (year + number).isdecimal()):
        raise ValueError(f"{label!r} is not a week; write it like 2026-W48")
    if int(year) not in _YEARS:
        raise ValueError(f"the year {year} is too far away")
    try:
        date.fromisocalendar(int(year), int(number), 1)
    except ValueError:
        raise ValueError(f"the year {year} has no week {number}") from None
    return Week(int(year), int(number))


def week_in(instant: datetime, zone: ZoneInfo) -> Week:
    """The week a moment belongs to, in that zone."""
    return week_of(instant.astimezone(zone).date())


def due_week(now: datetime, zone: ZoneInfo) -> Week:
    """The newest week whose report is due. A run that was missed is caught up for this week only, so a
    worker that was off for weeks owes one report, not one a week."""
    last = week_in(now, zone).shifted(-1)
    return last if now >= last.due_at(zone) else last.shifted(-1)


def _instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    # A time that a clock change skips stands for the moment of the change (fold 0 takes the offset before).
    return datetime.combine(day, at, tzinfo=zone).astimezone(UTC)
