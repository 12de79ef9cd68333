"""Whose weekly report is due. The zones people live in are few, so what differs by zone is decided once for
each of them, and the people are found by the database."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Value, When

from prepapp.accounts.models import User
from prepapp.accounts.zones import zone_names
from prepapp.interviews.choices import State
from prepapp.interviews.models import Attempt
from prepapp.reports.models import WeeklyReport
from prepapp.reports.planning import first_counted
from prepapp.reports.weeks import Week, due_week

_CHUNKS_READ = 10
SAT = (State.GRADING, State.GRADED)


def due_weeks(now: datetime) -> list[Week]:
    """The weeks that are due somewhere, newest first: two while Monday 07:00 goes round the world. One
    query."""
    return sorted({due_week(now, ZoneInfo(name)) for name in _zones()}, reverse=True)


def due_people(week: Week, now: datetime) -> QuerySet[User]:
    """Those who are owed the report of `week`, because it is the newest that is due where they live, and
    who have neither it nor a newer one: whoever moves to another zone gets no week twice and none of the
    past. One query beside the one returned."""
    zones = [name for name in _zones() if due_week(now, ZoneInfo(name)) == week]
    has_one = Q(year__gt=week.year) | Q(year=week.year, week__gte=week.number)
    return _owed(week, zones).exclude(Exists(_own_reports().filter(has_one)))


def people_without(week: Week, now: datetime) -> QuerySet[User]:
    """Those who could have a report of `week`, however long it is over, and have none that can be read."""
    zones = [name for name in _zones() if week.due_at(ZoneInfo(name)) <= now]
    has_it = _own_reports().filter(year=week.year, week=week.number, figures__isnull=False)
    return _owed(week, zones).exclude(Exists(has_it))


def is_over_somewhere(week: Week, now: datetime) -> bool:
    """Whether a report of `week` can be due for anybody. One query."""
    return any(week.due_at(ZoneInfo(name)) <= now for name in _zones())


def chunks(people: QuerySet[User], size: int = 500) -> Iterator[tuple[UUID, UUID]]:
    """The people in ranges of their keys, as (first, last), each of at most `size`. Walked by key, so that
    no statement gets longer and no memory fuller with the number of people."""
    ordered = people.order_by("pk").values_list("pk", flat=True)
    read = size * _CHUNKS_READ
    page = list(ordered[:read])
    while page:
        for begin in range(0, len(page), size):
            part = page[begin : begin + size]
            yield part[0], part[-1]
        page = list(ordered.filter(pk__gt=page[-1])[:read]) if len(page) == read else []


def _owed(week: Week, zones: list[str]) -> QuerySet[User]:
    """People of these zones with an account in use, who had joined before the week ended and have not been
    idle for too long. Nobody has joined who never came in: such an address may be a stranger's."""
    firsts: dict[datetime, list[str]] = defaultdict(list)
    ends: dict[datetime, list[str]] = defaultdict(list)
    for name in zones:
        firsts[first_counted(week).bounds(ZoneInfo(name))[0]].append(name)
        ends[week.bounds(ZoneInfo(name))[1]].append(name)
    first, end = OuterRef("first_counted"), OuterRef("week_end")
    practice = Attempt.objects.filter(
        Q(finished_at__gte=first, finished_at__lt=end) | Q(graded_at__gte=first, graded_at__lt=end),
        user=OuterRef("pk"),
        state__in=SAT,
    )
    return (
        User.objects.filter(is_guest=False, is_active=True, time_zone__in=zones)
        .annotate(first_counted=_by_zone(firsts), week_end=_by_zone(ends))
        .filter(date_joined__lt=F("week_end"))
        .filter(
            Q(date_joined__gte=F("first_counted"), last_login__isnull=False) | Q(Exists(practice)),
        )
    )


def _own_reports() -> QuerySet[WeeklyReport]:
    return WeeklyReport.objects.filter(user=OuterRef("pk"))


def _zones() -> list[str]:
    """The zones people live in. One that is known no more holds up nobody but who has it."""
    people = User.objects.filter(is_guest=False).order_by()
    return [name for name in people.values_list("time_zone", flat=True).distinct() if name in zone_names()]


def _by_zone(moments: dict[datetime, list[str]]) -> Case:
    """The moment that belongs to somebody's zone."""
    return Case(
        *(When(time_zone__in=names, then=Value(moment)) for moment, names in moments.items()),
        output_field=DateTimeField(),
    )
