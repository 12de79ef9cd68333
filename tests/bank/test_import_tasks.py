"""The worker's part of an import: any number of times, in any order, it leaves the same bank (P15, P16)."""

from datetime import timedelta
from typing import Any

import pytest

from prepapp.bank.actions.importing import confirm_import, start_import
from prepapp.bank.choices import ImportState
from prepapp.bank.models import ImportRun, Question
from prepapp.bank.tasks import sweep_imports, work_on_import
from tests.bank.importing import NOW, bank_file, in_bank, questions
from tests.factories.curation import curator

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("eager_celery")]


@pytest.fixture
def run() -> ImportRun:
    return start_import(
        name="bank.json", data=bank_file(*questions(60)), by=curator(), publishes=False, now=NOW
    )


def state() -> str:
    return ImportRun.objects.get().state


@pytest.mark.parametrize("times", [1, 2, 10])
def test_one_task_reads_or_writes_whatever_is_due(run: ImportRun, times: int, time_machine: Any) -> None:
    time_machine.move_to(NOW, tick=False)
    for _ in range(times):
        work_on_import.delay(str(run.pk))
    assert (state(), in_bank()) == (ImportState.PREVIEWED, [0] * 7)
    confirm_import(run_id=run.pk, takes_good_ones=False, now=NOW)
    for _ in range(times):
        work_on_import.delay(str(run.pk))
    assert (state(), in_bank()) == (ImportState.DONE, [60, 0, 60, 60, 0, 0, 61])


def test_a_run_that_is_gone_is_no_error() -> None:
    work_on_import.delay("01a22c69-829c-7db4-8c75-f98dd851b82e")
    assert ImportRun.objects.count() == 0


def test_the_sweep_takes_up_what_nobody_works_on(run: ImportRun, time_machine: Any) -> None:
    """The message of an upload is lost, then that of its confirmation, then a worker dies."""
    time_machine.move_to(NOW + timedelta(seconds=10), tick=False)
    sweep_imports()
    assert state() == ImportState.WAITING
    time_machine.move_to(NOW + timedelta(minutes=1), tick=False)
    sweep_imports()
    assert state() == ImportState.PREVIEWED
    confirm_import(run_id=run.pk, takes_good_ones=False, now=NOW + timedelta(minutes=2))
    time_machine.move_to(NOW + timedelta(minutes=3), tick=False)
    sweep_imports()
    assert (state(), Question.objects.count()) == (ImportState.WRITING, 0)
    time_machine.move_to(NOW + timedelta(minutes=13), tick=False)
    for _ in range(2):
        sweep_imports()
    assert (state(), Question.objects.count()) == (ImportState.DONE, 60)


def test_progress_is_there_for_the_page_to_show(run: ImportRun, time_machine: Any) -> None:
    time_machine.move_to(NOW, tick=False)
    work_on_import.delay(str(run.pk))
    run.refresh_from_db()
    assert (run.seen, run.done) == (60, 60)
