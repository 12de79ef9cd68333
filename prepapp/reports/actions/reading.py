"""Opening a report and choosing whether to get it by mail."""

from datetime import datetime
from uuid import UUID

from prepapp.accounts.models import User
from prepapp.reports.models import WeeklyReport


def note_read(*, report: WeeklyReport, now: datetime) -> None:
    """The first opening counts; later ones write nothing."""
    if report.read_at is None:
        WeeklyReport.objects.filter(pk=report.pk, read_at__isnull=True).update(read_at=now)
        report.read_at = now


def choose_weekly_mail(*, user_id: UUID, wanted: bool) -> bool:
    """Turns the weekly mail of a person on or off; False if there is no such account. Nothing else that is
    mailed changes."""
    people = User.objects.filter(pk=user_id, is_guest=False)
    return people.update(wants_weekly_mail=wanted) == 1
