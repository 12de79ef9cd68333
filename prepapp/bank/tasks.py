"""What the bank does outside of requests. Each task loads by id, makes one call and may run any number of
times."""

import logging
from uuid import UUID

from celery import current_app, shared_task
from kombu.exceptions import KombuError

from prepapp.bank.actions.importing import (
    forget_previews,
    give_up_imports,
    note_progress,
    prepare_import,
    write_import,
)
from prepapp.bank.queries.import_runs import lost_runs
from prepapp.common.clock import read_clock

logger = logging.getLogger(__name__)

# The sweep sends another one before this.
_TAKEN_UP_WITHIN = 600


# Shorter than Redis waits before it gives a task to somebody else.
@shared_task(name="prepapp.bank.tasks.work_on_import", soft_time_limit=540, time_limit=570)
def work_on_import(run_id: str) -> None:
    """Reads the file of a run that waits to be read; writes one that is confirmed."""
    run = UUID(run_id)

    def beat(done: int) -> None:
        note_progress(run_id=run, done=done, now=read_clock())

    prepare_import(run_id=run, now=read_clock(), beat=beat)
    write_import(run_id=run, now=read_clock(), beat=beat)


@shared_task(name="prepapp.bank.tasks.sweep_imports")
def sweep_imports() -> None:
    """Sends the runs that nobody works on anew, and ends those that come to no end."""
    now = read_clock()
    give_up_imports(now=now)
    forget_previews(now=now)
    for run_id in lost_runs(now):
        send_import(run_id)


def send_import(run_id: UUID) -> None:
    """Hands a run to the workers. With the broker gone it waits for the sweep: nothing is lost."""
    try:
        with current_app.producer_or_acquire() as producer:
            work_on_import.apply_async((str(run_id),), producer=producer, expires=_TAKEN_UP_WITHIN)
    except (KombuError, OSError) as error:
        logger.warning("import %s waits for the sweep: %r", run_id, error)
