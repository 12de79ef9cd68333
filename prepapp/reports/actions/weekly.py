"""Making the weekly reports of many people. The row of a report is what makes it exist once: whoever makes
it a second time, also at the same moment, finds it there and changes nothing."""

import logging
from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet, Value

from prepapp.accounts.models import User
from prepapp.reports.choices import MailState
from prepapp.reports.figures import Figures, to_json
from prepapp.reports.models import WeeklyReport
from prepapp.reports.queries.due import due_people
from prepapp.reports.queries.weekly import PEOPLE_AT_ONCE, weekly_figures
from prepapp.reports.weeks import Week

logger = logging.getLogger(__name__)

_ERROR_LENGTH = 300
_ROWS_AT_ONCE = 100
_FIGURES = WeeklyReport._meta.get_field("figures")


def make_due_reports(*, week: Week, first_id: UUID, last_id: UUID, now: datetime) -> list[UUID]:
    """The reports of `week` for everybody from one key to another who is owed it at `now`; returns those that
    are to be mailed and were made here."""
    people = due_people(week, now).filter(pk__gte=first_id, pk__lte=last_id)
    return make_reports(users=list(people.order_by("pk")), week=week, now=now)


def make_reports(*, users: Sequence[User], week: Week, now: datetime) -> list[UUID]:
    """A report of `week` for each of the people who has none; returns those that are to be mailed and were
    made here. Somebody whose figures cannot be made gets a row that says so, and holds up nobody else.

    Django's OperationalError when the database is gone. Somebody whose figures took it too long gets no row:
    they are owed it still.
    """
    made: list[UUID] = []
    for begin in range(0, len(users), PEOPLE_AT_ONCE):
        made += _make(users[begin : begin + PEOPLE_AT_ONCE], week, now)
    return made


def remake_report(*, user: User, week: Week, now: datetime) -> list[UUID]:
    """Tries again what could not be made; returns the report if it is to be mailed. One that can be read
    stays as it is."""
    figures = _plain(weekly_figures([user], week, now)[user.pk])
    state = _first_state(user)
    unmade = WeeklyReport.objects.filter(
        user=user, year=week.year, week=week.number, figures__isnull=True, mail_state=MailState.FAILED
    )
    changed = unmade.update(
        figures=figures, made_at=now, mail_state=state, mail_state_at=now, mail_due_at=None, error=""
    )
    return (
        _to_mail(WeeklyReport.objects.filter(user=user, year=week.year, week=week.number)) if changed else []
    )


def _make(users: Sequence[User], week: Week, now: datetime) -> list[UUID]:
    try:
        with transaction.atomic():
            figures = weekly_figures(users, week, now)
            return _store([_report(user, week, now, _plain(figures[user.pk])) for user in users])
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        if not connection.is_usable():
            raise
        if len(users) == 1:
            if isinstance(error, OperationalError):
                # A lock or a statement took too long. That is nobody's fault: the next tick finds them again.
                logger.warning("no weekly report %s for %s yet: %r", week.label, users[0].pk, error)
            else:
                _store_failure(users[0], week, now, error)
            return []
    # One of them cannot be reckoned or written; the halves find out who.
    middle = len(users) // 2
    return _make(users[:middle], week, now) + _make(users[middle:], week, now)


def _report(user: User, week: Week, now: datetime, figures: dict[str, object] | None) -> WeeklyReport:
    return WeeklyReport(
        user=user,
        year=week.year,
        week=week.number,
        made_at=now,
        figures=figures,
        mail_state=_first_state(user),
        mail_state_at=now,
    )


def _plain(figures: Figures) -> dict[str, object]:
    """What is stored. ValueError for a number that is none: not every database refuses it, or says so."""
    for topic in figures.topics:
        if not isfinite(
            topic.mean + topic.low + topic.high + topic.p_weak + topic.need + (topic.before or 0)
        ):
            raise ValueError(f"the estimate of {topic.topic} is no number")
    return to_json(figures)


def _first_state(user: User) -> MailState:
    return MailState.PLANNED if user.wants_weekly_mail else MailState.NOT_WANTED


def _store(reports: Sequence[WeeklyReport]) -> list[UUID]:
    for report in reports:
        # An expression is a parameter of its own. Plain values go to PostgreSQL in an array, in which each
        # quote of each text is escaped: three times the work.
        report.figures = Value(report.figures, _FIGURES)
    WeeklyReport.objects.bulk_create(reports, ignore_conflicts=True, batch_size=_ROWS_AT_ONCE)
    # Keys are made here, so what is there under ours was not made by anybody else.
    return _to_mail(WeeklyReport.objects.filter(pk__in=[report.pk for report in reports]))


def _to_mail(reports: QuerySet[WeeklyReport]) -> list[UUID]:
    planned = reports.filter(mail_state=MailState.PLANNED)
    return list(planned.order_by("pk").values_list("pk", flat=True))


def _store_failure(user: User, week: Week, now: datetime, error: Exception) -> None:
    logger.error("no weekly report %s for %s: %r", week.label, user.pk, error)
    if not User.objects.filter(pk=user.pk).exists():
        return  # deleted meanwhile
    report = _report(user, week, now, None)
    report.mail_state = MailState.FAILED
    report.error = " ".join(f"not made: {type(error).__name__}: {error}".split())[:_ERROR_LENGTH]
    WeeklyReport.objects.bulk_create([report], ignore_conflicts=True)
