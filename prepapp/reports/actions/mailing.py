"""The way of one report's mail: planned → sending → sent, failed or unknown.

`sending` is committed before the mail server is spoken to, by an UPDATE that only a planned mail passes, so
of any number of tasks one sends it. What the server surely did not take is planned again, in growing steps.
A mail whose worker died, or whose connection ended between the text and the answer, is unknown: it may have
arrived, so it is never sent again by itself.
"""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, transaction
from django.db.models import F, Q

from prepapp.accounts.models import User
from prepapp.common.mail import NotAccepted, Unclear, hand_over
from prepapp.reports.choices import MailState
from prepapp.reports.mail import address_of, compose
from prepapp.reports.models import WeeklyReport

logger = logging.getLogger(__name__)

# Between tries; when they are used up the mail has failed.
TRY_AGAIN_AFTER = (
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
    timedelta(hours=3),
    timedelta(hours=8),
)
# Many times what a send may take: whatever is still sending then has died.
LOST_AFTER = timedelta(minutes=15)
COPIES_PER_HOUR = 3
_HOUR = timedelta(hours=1)
_ERROR_LENGTH = 300


def send_report(*, report_id: UUID, now: datetime) -> MailState | None:
    """Sends the mail of a report if it is planned and due; returns what became of it, None if there was
    nothing to do. Whether it is wanted, and where it goes, is asked now."""
    report = _claim(report_id, now)
    if report is None:
        return None
    state, error, due_at = _send(report, now)
    # A sweep may have given it up meanwhile; what is known for certain stands above that.
    mine = WeeklyReport.objects.filter(
        pk=report.pk, mail_tries=report.mail_tries, mail_state__in=[MailState.SENDING, MailState.UNKNOWN]
    )
    mine.update(mail_state=state, mail_state_at=now, error=error[:_ERROR_LENGTH], mail_due_at=due_at)
    return state


def give_up_lost(*, now: datetime) -> int:
    """Mails that have been sending for too long become unknown; returns how many."""
    lost = WeeklyReport.objects.filter(mail_state=MailState.SENDING, mail_state_at__lt=now - LOST_AFTER)
    return lost.update(
        mail_state=MailState.UNKNOWN, mail_state_at=now, error="The worker ended while it was sending."
    )


def note_queued(*, report_ids: Collection[UUID], now: datetime) -> None:
    """A task was sent for each of these."""
    WeeklyReport.objects.filter(pk__in=report_ids).update(mail_queued_at=now)


def want_copy(*, report: WeeklyReport, now: datetime) -> bool:
    """'Send it to me again': a copy goes out within minutes, whatever became of the first mail. False, and
    nothing changes, for a report that cannot be read, an address that is not confirmed, a copy sent within
    the hour, or more than COPIES_PER_HOUR; pressed twice it is one copy."""
    with transaction.atomic():
        # Presses of one person come one after the other, so that none is counted past.
        user = User.objects.select_for_update(no_key=True).filter(pk=report.user_id).first()
        if user is None or not address_of(user):
            return False
        since = now - _HOUR
        own = WeeklyReport.objects.filter(user=user)
        recent = own.filter(Q(copy_wanted_at__isnull=False) | Q(copy_sent_at__gt=since))
        wanted = own.filter(pk=report.pk, copy_wanted_at__isnull=False)
        if wanted.exists():
            return True
        if recent.count() >= COPIES_PER_HOUR or recent.filter(pk=report.pk).exists():
            return False
        return (
            own.readable().filter(pk=report.pk, copy_wanted_at__isnull=True).update(copy_wanted_at=now) == 1
        )


def send_copy(*, report_id: UUID, now: datetime) -> bool:
    """Sends the copy that is wanted of a report, at most once; True if the mail server took it. What it
    surely did not take is wanted again, for an hour."""
    report = WeeklyReport.objects.readable().select_related("user").filter(pk=report_id).first()
    if report is None or report.copy_wanted_at is None:
        return False
    wanted_at = report.copy_wanted_at
    address = address_of(report.user) if now - wanted_at <= _HOUR else ""
    # Written before it is claimed: what cannot be written now stays wanted.
    message = compose(report, address, now, copied_at=now) if address else None
    with transaction.atomic(durable=True):
        claimed = WeeklyReport.objects.filter(pk=report_id, copy_wanted_at=wanted_at)
        if claimed.update(copy_wanted_at=None, copy_sent_at=now) != 1:
            return False
    if message is None:
        return False
    try:
        hand_over(message)
    except NotAccepted as reason:
        logger.warning("copy of report %s was not taken: %s", report_id, reason)
        if not reason.is_final:
            again = WeeklyReport.objects.filter(pk=report_id, copy_wanted_at__isnull=True, copy_sent_at=now)
            again.update(copy_wanted_at=wanted_at, copy_sent_at=report.copy_sent_at)
        return False
    except Unclear as reason:
        logger.warning("copy of report %s may or may not have been taken: %s", report_id, reason)
        return False
    return True


def _claim(report_id: UUID, now: datetime) -> WeeklyReport | None:
    with transaction.atomic(durable=True):
        planned = WeeklyReport.objects.readable().filter(pk=report_id, mail_state=MailState.PLANNED)
        due = planned.filter(Q(mail_due_at__isnull=True) | Q(mail_due_at__lte=now))
        if due.update(mail_state=MailState.SENDING, mail_state_at=now, mail_tries=F("mail_tries") + 1) != 1:
            return None
        return WeeklyReport.objects.select_related("user").get(pk=report_id)


def _send(report: WeeklyReport, now: datetime) -> tuple[MailState, str, datetime | None]:
    """State, error and when to try again."""
    try:
        address = address_of(report.user) if report.user.wants_weekly_mail else ""
        if not address:
            return MailState.NOT_WANTED, "", None
        hand_over(compose(report, address, now))
    except Unclear as reason:
        return MailState.UNKNOWN, str(reason), None
    except NotAccepted as reason:
        if reason.is_final:
            return MailState.FAILED, str(reason), None
        return _try_again(report, str(reason), now)
    except (OperationalError, SoftTimeLimitExceeded) as error:
        # The database, or the time, gave out while the mail was written: nothing was sent, for certain.
        return _try_again(report, f"not written: {type(error).__name__}: {error}", now)
    except Exception as error:
        # The mail could not be written. That is a fault of ours, and no reason to stop the others.
        logger.exception("no mail of report %s", report.pk)
        return MailState.FAILED, f"not written: {type(error).__name__}: {error}", None
    return MailState.SENT, "", None


def _try_again(report: WeeklyReport, error: str, now: datetime) -> tuple[MailState, str, datetime | None]:
    if report.mail_tries > len(TRY_AGAIN_AFTER):
        return MailState.FAILED, error, None
    return MailState.PLANNED, error, now + TRY_AGAIN_AFTER[report.mail_tries - 1]
