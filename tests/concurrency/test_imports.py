"""The same file twice at once, and a worker killed in the middle: the bank has it once, whole or not at all
(IMP-21, R5, P22)."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from django.db import IntegrityError, connection

from prepapp.bank.actions import load_taxonomy
from prepapp.bank.actions.importing import (
    confirm_import,
    prepare_import,
    start_import,
    undo_import,
    write_import,
)
from prepapp.bank.choices import ImportState
from prepapp.bank.models import CurationEvent, Draft, ImportFile, ImportRow, ImportRun, Question
from prepapp.bank.queries.import_runs import lost_runs
from prepapp.bank.refusals import ImportUsed, RunMoved
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.writers import write_file
from prepapp.common.clock import read_clock
from tests.bank.importing import NOW, bank_file, confirm, imported, nothing, question, questions, upload
from tests.concurrency.racing import ROUNDS, race, tell
from tests.factories.curation import curator, finished_document
from tests.factories.interviews import AttemptFactory

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parents[2]
# Far above what is needed; a test that waits this long has failed.
LIMIT = 120.0


def errors(outcomes: Any) -> list[Exception]:
    return [outcome for pair in outcomes for outcome in pair if isinstance(outcome, Exception)]


def test_the_same_upload_twice_at_once_is_one_run() -> None:
    ana = curator()

    def send(number: int) -> UUID:
        data = bank_file(question(f"q-{number}"))
        return start_import(name="bank.json", data=data, by=ana, publishes=False, now=NOW).pk

    outcomes = race(send, send)
    tell(one_run=sum(first == second for first, second in outcomes))
    assert [pair for pair in outcomes if pair[0] != pair[1]] == []
    assert (ImportRun.objects.count(), ImportFile.objects.count()) == (ROUNDS, ROUNDS)


def test_control_uploads_that_no_constraint_tells_apart_are_two_runs() -> None:
    """Nobody's uploads are not one person's: the same act, and nothing that keeps the second out."""

    def send(number: int) -> UUID:
        data = bank_file(question(f"q-{number}"))
        return start_import(name="bank.json", data=data, by=None, publishes=False, now=NOW).pk

    race(send, send)
    assert ImportRun.objects.count() == 2 * ROUNDS


def test_two_curators_with_the_same_file_at_once_make_its_questions_once() -> None:
    """IMP-21: five questions; the other one finds them unchanged."""
    load_taxonomy()
    people = (curator(), curator())
    runs = [
        [upload(bank_file(*(question(f"q-{number}-{n}") for n in range(5))), person) for person in people]
        for number in range(ROUNDS)
    ]

    def importer(place: int) -> Callable[[int], tuple[int, int]]:
        def act(number: int) -> tuple[int, int]:
            run = confirm(runs[number][place])
            assert run.state == ImportState.DONE
            return run.counts["created"], run.counts["unchanged"]

        return act

    outcomes = race(importer(0), importer(1))
    tell(once=sum(sorted(pair) == [(0, 5), (5, 0)] for pair in outcomes))
    assert [sorted(map(str, pair)) for pair in outcomes] == [["(0, 5)", "(5, 0)"]] * ROUNDS
    assert Question.objects.count() == 5 * ROUNDS


def test_control_without_a_second_look_under_the_lock_the_slower_import_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planned before, written later: the database refuses the second one, which then has nothing to show."""
    monkeypatch.setattr("prepapp.bank.actions.importing.writing._check_unchanged", lambda rows: None)
    monkeypatch.setattr("prepapp.bank.actions.importing.writing._TRIES", 1)
    load_taxonomy()
    people = (curator(), curator())
    runs = [
        [upload(bank_file(question(f"q-{number}")), person) for person in people] for number in range(ROUNDS)
    ]

    def importer(place: int) -> Callable[[int], str]:
        return lambda number: confirm(runs[number][place]).state

    for _ in range(3):
        outcomes = race(importer(0), importer(1))
        lost = sum("previewed" in pair for pair in outcomes)
        tell(came_to_nothing=lost)
        assert Question.objects.count() == ROUNDS
        if lost:
            return
    pytest.fail("the two never overlapped: this does not test the second look")


def test_one_run_confirmed_twice_and_written_by_two_workers_is_written_once() -> None:
    load_taxonomy()
    ana = curator()
    runs = [upload(bank_file(question(f"q-{number}")), ana) for number in range(ROUNDS)]

    def act(number: int) -> str:
        return confirm(runs[number]).state

    outcomes = race(act, act)
    assert errors(outcomes) == []
    assert [pair for pair in outcomes if list(pair) != ["done", "done"]] == []
    assert Question.objects.count() == ROUNDS
    # A line for each question and one for each run.
    assert CurationEvent.objects.count() == 2 * ROUNDS


def test_undoing_while_a_question_is_being_asked_leaves_both_or_neither() -> None:
    load_taxonomy()
    document = finished_document()
    runs, asked = [], []
    for number in range(ROUNDS):
        entry = Entry("", "published", {**document, "slug": f"q-{number}", "title": f"Q {number}"})
        runs.append(imported(write_file("json", [entry]), None, publishes=True))
        asked.append(Question.objects.select_related("current_version").get(slug=f"q-{number}"))

    def undo(number: int) -> bool:
        try:
            undo_import(run_id=runs[number].pk, by=None, now=NOW)
        except ImportUsed:
            return False
        return True

    def ask(number: int) -> bool:
        try:
            AttemptFactory(responses__questions=[asked[number]])
        except (IntegrityError, KeyError):
            # Its version was gone, or went: the factory looks its points up by that.
            return False
        return True

    outcomes = race(undo, ask)
    assert errors(outcomes) == []
    tell(undone=sum(first for first, _ in outcomes), asked=sum(second for _, second in outcomes))
    assert [pair for pair in outcomes if pair[0] == pair[1]] == []


# --- killed ---------------------------------------------------------------------------------------

WORK = (
    "import django, sys; django.setup(); from prepapp.bank.tasks import work_on_import; "
    "work_on_import(sys.argv[1])"
)


def database_url() -> str:
    """The database of the test, for another process."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(str(values['NAME']))}"
    who = f"{quote(values['USER'])}:{quote(values['PASSWORD'])}@" if values["USER"] else ""
    return f"postgres://{who}{values['HOST']}:{values['PORT']}/{values['NAME']}"


def worker(run_id: UUID) -> subprocess.Popen[bytes]:
    environment = {"DJANGO_SETTINGS_MODULE": "prepapp.settings", "DATABASE_URL": database_url()}
    return subprocess.Popen(
        [sys.executable, "-c", WORK, str(run_id)], cwd=ROOT, env={**os.environ, **environment}
    )


def wait_for_work(run_id: UUID, process: subprocess.Popen[bytes]) -> None:
    """Until the worker has begun, or has ended already."""
    deadline = time.monotonic() + LIMIT
    while process.poll() is None and not ImportRun.objects.filter(pk=run_id, done__gt=0).exists():
        assert time.monotonic() < deadline
        # Another process writes it: there is nothing here to be woken by. LIMIT bounds the asking.
        time.sleep(0.01)


# States in which the rows of the preview are there.
SHOWN = {ImportState.PREVIEWED, ImportState.WRITING}


def state_after_silence(run_id: UUID) -> str:
    """Where the run stands, an hour after its worker died. A database server may still be committing for a
    process that is dead; it holds the row, so this waits for it."""
    ImportRun.objects.filter(pk=run_id).update(done=0, beat_at=read_clock() - timedelta(hours=1))
    return ImportRun.objects.get(pk=run_id).state


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_killed_at_any_moment_leaves_all_of_a_file_or_nothing(seed: int) -> None:
    chance = random.Random(seed)
    load_taxonomy()
    count = 600
    data = bank_file(*questions(count))
    run = start_import(name="bank.json", data=data, by=curator(), publishes=False, now=read_clock())
    kills = 0
    while (state := state_after_silence(run.pk)) != ImportState.DONE:
        found = [Question.objects.count(), Draft.objects.count(), CurationEvent.objects.count()]
        assert found == [0, 0, 0]
        assert ImportRow.objects.count() == (count if state in SHOWN else 0)
        if state == ImportState.PREVIEWED:
            confirm_import(run_id=run.pk, takes_good_ones=False, now=read_clock() - timedelta(hours=1))
        # The sweep finds it: whoever had it is gone.
        assert lost_runs(read_clock()) == [run.pk]
        process = worker(run.pk)
        wait_for_work(run.pk, process)
        if kills < 6:
            # The moment of the kill is drawn, since any may be the wrong one; a worker that ends first is waited
            # for no longer.
            with suppress(subprocess.TimeoutExpired):
                process.wait(chance.uniform(0, 0.6))
            process.kill()
            kills += 1
        assert process.wait(LIMIT) in {0, -9}
    assert [Draft.objects.count(), CurationEvent.objects.count()] == [count, count + 1]
    assert Question.objects.count() == count
    assert lost_runs(read_clock() + timedelta(days=1)) == []


def test_a_run_that_is_done_is_not_confirmed_again() -> None:
    run = imported(bank_file(question("a")), None)
    undo_import(run_id=run.pk, by=None, now=NOW)
    with pytest.raises(RunMoved):
        confirm_import(run_id=run.pk, takes_good_ones=False, now=NOW)
    assert prepare_import(run_id=run.pk, now=NOW, beat=nothing) is False
    write_import(run_id=run.pk, now=NOW, beat=nothing)
    assert Question.objects.count() == 0
