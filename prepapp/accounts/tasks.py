"""What accounts do by the clock."""

from celery import shared_task

from prepapp.accounts import actions
from prepapp.common.clock import read_clock


@shared_task(name="prepapp.accounts.tasks.delete_stale_guests")
def delete_stale_guests() -> None:
    """Deletes guests who cannot come back, with their work. Safe to run twice, also at once."""
    actions.delete_stale_guests(now=read_clock())
