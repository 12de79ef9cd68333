"""A confirmed import written to the bank: prepared first, then one transaction, all of it or nothing.

1. Outside of the transaction the file is read and compared again, and versions are rendered.
2. Inside, the rows of the tracks are locked (one import or load at a time), then the run, then the questions
   the file changes. If one of them is not what it was in step 1, or a slug was taken, all is done again.
3. The statements of a batch of five hundred are as many whatever is in it. The state of the run is written
   with them: a worker that dies leaves either everything or nothing, and the run says which.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, OperationalError, transaction
from django.db.models.functions import Lower

from prepapp.bank.actions.importing.batches import Written, create_drafts, publish_new, update_drafts
from prepapp.bank.actions.importing.preparing import Beat, plan_rows, read_run, save_rows
from prepapp.bank.actions.log import log_event
from prepapp.bank.actions.parts import Parts, build_parts
from prepapp.bank.actions.references import references_in_use
from prepapp.bank.choices import Event, ImportState, RowOutcome, Status
from prepapp.bank.importing import Row, keeps_reference
from prepapp.bank.models import ImportFile, ImportRun, Question, Track
from prepapp.bank.queries.imports import batches, marks
from prepapp.bank.rules import PROVISIONAL_NUMBER
from prepapp.bank.transfer.document import read_document
from prepapp.bank.transfer.question_file import QuestionFile

_TRIES = 5


class _BankMoved(Exception):
    """Somebody changed what the import was compared with."""


@dataclass(frozen=True)
class Prepared:
    """The rows, and of those that are published the file and the rendered version, by position."""

    rows: Sequence[Row]
    published: dict[int, tuple[QuestionFile, Parts]]


def write_import(*, run_id: UUID, now: datetime, beat: Beat) -> None:
    """Writes a confirmed run. Repeating it, or two of it at once, write it once.

    If an item has become faulty since the preview and the good ones alone are not wanted, nothing is written
    and the run waits with a new preview."""
    run = ImportRun.objects.select_related("made_by").filter(pk=run_id, state=ImportState.WRITING).first()
    if run is None:
        return
    reading = read_run(run, beat)
    if reading is None:
        return
    if not reading.items:
        # It had items when it was previewed: its reader ran out of time or memory now.
        _put_back(run_id, "The file could not be read again, so nothing was written. Confirm it once more.")
        return
    for _ in range(_TRIES):
        prepared = _prepare(run, list(plan_rows(run, reading.items, now, beat)), now)
        try:
            with transaction.atomic():
                _write_locked(run_id, prepared, now)
            return
        except (_BankMoved, IntegrityError, OperationalError):
            # Changed, taken or locked by somebody else: compare again.
            continue
    _put_back(run_id, "The bank kept changing meanwhile, so nothing was written. Confirm it again.")


def _prepare(run: ImportRun, rows: Sequence[Row], now: datetime) -> Prepared:
    published = {}
    for row in rows:
        if row.outcome == RowOutcome.CREATED and row.status != Status.DRAFT:
            ref = f"{row.document['topic']}-{PROVISIONAL_NUMBER}"
            file = read_document(row.document, ref=ref, today=now.date())
            if isinstance(file, list):
                raise AssertionError(f"{row.place} was judged complete and cannot be read: {file}")
            published[row.position] = (file, build_parts(file, now))
    return Prepared(rows, published)


def _write_locked(run_id: UUID, prepared: Prepared, now: datetime) -> None:
    # Enough to keep other imports and the loader out, and nobody who only refers to a track.
    list(Track.objects.select_for_update(no_key=True).order_by("code").values_list("code"))
    runs = ImportRun.objects.select_for_update(of=("self",)).select_related("made_by")
    run = runs.filter(pk=run_id, state=ImportState.WRITING).first()
    if run is None:
        return
    rows = prepared.rows
    _check_unchanged(rows)
    if not run.takes_good_ones and (failed := sum(row.outcome == RowOutcome.FAILED for row in rows)):
        _look_again(run, rows, failed, now)
        return
    written = _write(run, prepared, now)
    save_rows(run, rows, written)
    run.state, run.finished_at, run.beat_at = ImportState.DONE, now, now
    run.save()
    ImportFile.objects.filter(run=run).delete()
    log_event(
        event=Event.IMPORTED, by=run.made_by, now=now, label=run.file_name, run=str(run.pk), counts=run.counts
    )


def _write(run: ImportRun, prepared: Prepared, now: datetime) -> Written:
    new = [row for row in prepared.rows if row.outcome == RowOutcome.CREATED]
    drafts = [row for row in new if row.status == Status.DRAFT]
    # What has a reference first, so that none is given away that a later one keeps.
    published = sorted((row for row in new if row.status != Status.DRAFT), key=_is_given_a_reference)
    updated = [row for row in prepared.rows if row.outcome == RowOutcome.UPDATED]
    written: Written = {}
    for batch in batches(drafts):
        written |= create_drafts(batch, run, now)
    taken = references_in_use() if published else set()
    for batch in batches(published):
        written |= publish_new(batch, prepared.published, taken, run, now)
    for batch in batches(updated):
        written |= update_drafts(batch, run, now)
    return written


def _is_given_a_reference(row: Row) -> bool:
    return not keeps_reference(row.ref, str(row.document["topic"]))


def _check_unchanged(rows: Sequence[Row]) -> None:
    """Locks the questions the file means. _BankMoved if one is not as it was planned against, or if a new one
    is there by now."""
    known = {row.known.pk: row.known.mark for row in rows if row.known is not None}
    for batch in batches(sorted(known)):
        questions = Question.objects.select_for_update(of=("self",)).filter(pk__in=batch)
        list(questions.order_by("pk").values_list("pk"))
        if marks(batch) != {pk: known[pk] for pk in batch}:
            raise _BankMoved
    new = [row for row in rows if row.outcome == RowOutcome.CREATED]
    for slugs in batches([row.slug for row in new]):
        folded = Question.objects.annotate(folded=Lower("slug"))
        if folded.filter(folded__in=slugs).exists():
            raise _BankMoved


def _look_again(run: ImportRun, rows: Sequence[Row], failed: int, now: datetime) -> None:
    save_rows(run, rows, {})
    items = "1 item is" if failed == 1 else f"{failed} items are"
    run.state, run.beat_at = ImportState.PREVIEWED, now
    run.problems = [["", f"The bank changed since the preview: {items} faulty now. Nothing was written."]]
    run.save()


def _put_back(run_id: UUID, why: str) -> None:
    ImportRun.objects.filter(pk=run_id, state=ImportState.WRITING).update(
        state=ImportState.PREVIEWED, problems=[["", why]]
    )
