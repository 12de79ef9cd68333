"""What became of each week's reports, for whoever runs the site: counts, never what a report says."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, Q

from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport
from prepapp.reports.weeks import Week

RUNS_SHOWN = 13
TROUBLES_SHOWN = 100


@dataclass(frozen=True)
class Run:
    """The reports of one ISO week by the state of their mail; `total` with those not to be mailed.
    `oldest_due` is since when the longest waiting mail has waited."""

    week: Week
    total: int
    states: dict[str, int]
    unmade: int
    oldest_due: datetime | None

    @property
    def due(self) -> int:
        return self.states.get(MailState.PLANNED, 0) + self.states.get(MailState.SENDING, 0)

    @property
    def sent(self) -> int:
        return self.states.get(MailState.SENT, 0)

    @property
    def failed(self) -> int:
        return self.states.get(MailState.FAILED, 0)

    @property
    def unknown(self) -> int:
        return self.states.get(MailState.UNKNOWN, 0)

    @property
    def not_wanted(self) -> int:
        return self.states.get(MailState.NOT_WANTED, 0)


def newest_runs() -> list[Run]:
    """A quarter of a year of weeks, newest first. Two queries."""
    weeks = list(
        WeeklyReport.objects.order_by("-year", "-week").values_list("year", "week").distinct()[:RUNS_SHOWN]
    )
    if not weeks:
        return []
    states: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    unmade: dict[tuple[int, int], int] = defaultdict(int)
    waiting: dict[tuple[int, int], list[datetime]] = defaultdict(list)
    since = Q(year__gt=weeks[-1][0]) | Q(year=weeks[-1][0], week__gte=weeks[-1][1])
    rows = (
        WeeklyReport.objects.filter(since)
        .order_by()
        .values_list("year", "week", "mail_state")
        .annotate(
            count=Count("pk"),
            without=Count("pk", filter=Q(figures__isnull=True)),
            oldest=Min("mail_state_at"),
        )
    )
    for year, week, state, count, without, oldest in rows:
        states[year, week][state] = count
        unmade[year, week] += without
        if state in {MailState.PLANNED, MailState.SENDING}:
            waiting[year, week].append(oldest)
    return [
        Run(
            week=Week(*key),
            total=sum(states[key].values()),
            states=states[key],
            unmade=unmade[key],
            oldest_due=min(waiting[key], default=None),
        )
        for key in weeks
    ]


def troubles(week: Week) -> list[WeeklyReport]:
    """The reports of a week whose mail failed, whose fate is unknown, or that were never made. One query."""
    return list(
        WeeklyReport.objects.filter(
            Q(mail_state__in=[MailState.FAILED, MailState.UNKNOWN]) | Q(figures__isnull=True),
            year=week.year,
            week=week.number,
        )
        .select_related("user")
        .only("mail_state", "mail_state_at", "mail_tries", "error", "user__email")
        .order_by("mail_state", "mail_state_at", "pk")[:TROUBLES_SHOWN]
    )
