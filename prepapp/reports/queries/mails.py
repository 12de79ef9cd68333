"""Which mails a task is to be sent for."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q

from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport

# A task that was not run within this time is taken for lost, and ends by itself at that age.
QUEUED_FOR = timedelta(hours=1)
_AT_ONCE = 5_000


def mails_to_queue(now: datetime) -> list[UUID]:
    """Planned mails that are due and have no task: it could not be sent, was lost with the broker, or was for
    an earlier try. Longest waiting first."""
    has_none = (
        Q(mail_queued_at__isnull=True)
        | Q(mail_queued_at__lt=F("mail_due_at"))
        | Q(mail_queued_at__lt=now - QUEUED_FOR)
    )
    due = WeeklyReport.objects.filter(
        Q(mail_due_at__isnull=True) | Q(mail_due_at__lte=now), has_none, mail_state=MailState.PLANNED
    )
    return list(due.order_by("mail_state_at", "pk").values_list("pk", flat=True)[:_AT_ONCE])


def copies_to_queue() -> list[UUID]:
    wanted = WeeklyReport.objects.filter(copy_wanted_at__isnull=False)
    return list(wanted.order_by("copy_wanted_at", "pk").values_list("pk", flat=True)[:_AT_ONCE])
