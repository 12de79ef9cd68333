"""What reports do by the clock. Each task loads by id, makes one call and may run any number of times."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from celery import Task, current_app, shared_task
from kombu.exceptions import KombuError

from prepapp.common.clock import read_clock
from prepapp.reports.actions import item_statistics, mailing, rates, weekly
from prepapp.reports.queries.due import chunks, due_people, due_weeks
from prepapp.reports.queries.mails import QUEUED_FOR, copies_to_queue, mails_to_queue
from prepapp.reports.weeks import Week

logger = logging.getLogger(__name__)

# The next tick of the plan finds what was not made by then.
_MADE_WITHIN = timedelta(minutes=55)
_COPIED_WITHIN = timedelta(minutes=5)
_COUNTED_WITHIN = timedelta(hours=6)
# What a worker counts well within the limits of the task.
_COUNTED_AT_ONCE = 2_000


@shared_task(name="prepapp.reports.tasks.reckon_track_rates")
def reckon_track_rates() -> None:
    """Reckons what people of each track meet on the whole."""
    rates.reckon_track_rates(now=read_clock())


@shared_task(name="prepapp.reports.tasks.plan_weekly_reports", soft_time_limit=240, time_limit=270)
def plan_weekly_reports() -> int:
    """Sends a task for every few hundred people who are owed a report; returns how many. Nothing is noted
    down here: who is owed one is seen by the reports that are there."""
    now = read_clock()
    ranges = (
        (week.year, week.number, str(first), str(last))
        for week in due_weeks(now)
        for first, last in chunks(due_people(week, now))
    )
    return len(_send(make_weekly_reports, ranges, _MADE_WITHIN))


# Shorter than Redis waits before it gives a task to somebody else.
@shared_task(name="prepapp.reports.tasks.make_weekly_reports", soft_time_limit=240, time_limit=270)
def make_weekly_reports(year: int, week: int, first_id: str, last_id: str) -> None:
    """Makes the reports of a range of people and sends a task for every mail."""
    now = read_clock()
    to_mail = weekly.make_due_reports(
        week=Week(year, week), first_id=UUID(first_id), last_id=UUID(last_id), now=now
    )
    _queue_mails(to_mail)


@shared_task(name="prepapp.reports.tasks.send_report_mail")
def send_report_mail(report_id: str) -> None:
    """Sends the mail of one report, if it has not been sent yet."""
    mailing.send_report(report_id=UUID(report_id), now=read_clock())


@shared_task(name="prepapp.reports.tasks.send_report_copy")
def send_report_copy(report_id: str) -> None:
    """Sends a copy of one report, if one is wanted."""
    mailing.send_copy(report_id=UUID(report_id), now=read_clock())


@shared_task(name="prepapp.reports.tasks.sweep_report_mails")
def sweep_report_mails() -> None:
    """Gives up mails whose worker died, and sends tasks for those that have none and for copies."""
    now = read_clock()
    mailing.give_up_lost(now=now)
    _queue_mails(mails_to_queue(now))
    _send(send_report_copy, ((str(pk),) for pk in copies_to_queue()), _COPIED_WITHIN)


@shared_task(name="prepapp.reports.tasks.count_item_statistics", soft_time_limit=240, time_limit=270)
def count_item_statistics() -> None:
    """Counts the answers that came since the last run, and sends itself once more if some are left. Where
    another run is under way there is nothing to do: it counts the same."""
    try:
        progress = item_statistics.count_changed(now=read_clock(), most=_COUNTED_AT_ONCE)
    except item_statistics.RunUnderWay:
        return
    if not progress.is_complete:
        _send(count_item_statistics, [()], _COUNTED_WITHIN)


def _queue_mails(report_ids: list[UUID]) -> None:
    sent = _send(send_report_mail, ((str(pk),) for pk in report_ids), QUEUED_FOR)
    mailing.note_queued(report_ids=[UUID(report_id) for (report_id,) in sent], now=read_clock())


def _send(task: Task, arguments: Iterable[tuple], within: timedelta) -> list[tuple]:  # type: ignore[type-arg]
    """Sends the task once for each; returns for which. A broker that is gone or hangs ends it at the first,
    within seconds: all of it is found again by the rows."""
    sent = []
    try:
        with current_app.producer_or_acquire() as producer:
            for args in arguments:
                task.apply_async(args, producer=producer, expires=within.total_seconds())
                sent.append(args)
    except (KombuError, OSError) as error:
        logger.warning("the broker took %d of %s: %r", len(sent), task.name, error)
    return sent
