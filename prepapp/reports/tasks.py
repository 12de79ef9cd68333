"""What reports do by the clock. Each task loads by id, makes one call and may run any number of times."""

from celery import shared_task

from prepapp.common.clock import read_clock
from prepapp.reports.actions import rates


@shared_task(name="prepapp.reports.tasks.reckon_track_rates")
def reckon_track_rates() -> None:
    """Reckons what people of each track meet on the whole."""
    rates.reckon_track_rates(now=read_clock())
