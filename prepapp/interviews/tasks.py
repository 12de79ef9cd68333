"""What runs by the clock. Each task makes one call and may run any number of times."""

from celery import shared_task

from prepapp.common.clock import read_clock
from prepapp.interviews.actions import finish


@shared_task(name="prepapp.interviews.tasks.close_overdue_attempts", ignore_result=True)
def close_overdue_attempts() -> int:
    """Closes attempts whose deadline has passed while no browser looked; returns how many."""
    return finish.close_overdue_attempts(now=read_clock())
