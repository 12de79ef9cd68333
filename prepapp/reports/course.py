"""How the estimate of one topic went, week by week. Values only.

The evidence of all weeks up to and with a week, as it weighed at the end of that week: what a report made
then would have said, had every grading been closed by then and the rates of tracks been today's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from prepapp.reports import mastery
from prepapp.reports.mastery import Constants, Estimate, Tally
from prepapp.reports.weeks import Week, week_of

_WEEK = timedelta(days=7)


@dataclass(frozen=True)
class WeekOfEvidence:
    """Forward sums of one week (`monday` of UTC): of the topic, and of everything."""

    monday: date
    own: Tally
    all: Tally


@dataclass(frozen=True)
class CoursePoint:
    """The estimate at the end of a week, or now; `answers` were graded in that week."""

    week: Week
    estimate: Estimate
    answers: int


def course(
    evidence: Sequence[WeekOfEvidence], track_rate: float, now: datetime, constants: Constants, weeks: int
) -> list[CoursePoint]:
    """The last `weeks` weeks that end with the present one, from the first with evidence of the topic on."""
    by_week = {row.monday: row for row in evidence}
    first = min((row.monday for row in evidence if row.own.answers), default=None)
    if first is None:
        return []
    today = now.astimezone(UTC).date()
    present = today - timedelta(days=today.weekday())
    own = total = Tally()
    tallies, rates, shown = [], [], []
    for monday in _mondays(min(by_week), max(present, *by_week)):
        row = by_week.get(monday)
        if row is not None:
            own, total = own + row.own, total + row.all
        if monday < max(first, present - (weeks - 1) * _WEEK):
            continue
        end = min(now, datetime.combine(monday + _WEEK, time(), tzinfo=UTC))
        tallies.append(mastery.at(own, end, constants))
        rates.append(mastery.shrunk_rate(mastery.at(total, end, constants), track_rate, constants))
        shown.append((week_of(monday), row.own.answers if row else 0))
    return [
        CoursePoint(week, estimate, answers)
        for (week, answers), estimate in zip(shown, mastery.estimates(tallies, rates, constants), strict=True)
    ]


def _mondays(first: date, last: date) -> list[date]:
    return [first + number * _WEEK for number in range((last - first).days // 7 + 1)]
