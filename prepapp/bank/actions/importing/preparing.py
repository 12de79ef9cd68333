"""A file read and compared with the bank: the preview. Slow, and outside of any transaction; what is found is
stored by a short one at the end."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from prepapp.bank.choices import ImportState
from prepapp.bank.importing import Row, count_outcomes, plan_items
from prepapp.bank.models import AT_WORK, ImportFile, ImportRow, ImportRun
from prepapp.bank.queries.import_runs import STALE_AFTER
from prepapp.bank.queries.imports import BATCH, bank_for, judge_document
from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers import Told, read_file

logger = logging.getLogger(__name__)

# Called with the number of items done so far.
Beat = Callable[[int], None]

_BEAT_EVERY = 50
LABEL_CHARACTERS, PLACE_CHARACTERS, DETECTED_CHARACTERS = 300, 200, 300


def prepare_import(*, run_id: UUID, now: datetime, beat: Beat, at_most: int | None = None) -> bool:
    """Reads the file of a waiting run and stores what would come of it. False if it was not this caller's
    to read, or has more than `at_most` items: then it waits as before."""
    if not _claim(run_id, now):
        return False
    run = ImportRun.objects.select_related("made_by").get(pk=run_id)
    reading = read_run(run, beat)
    if reading is None:
        return False
    if at_most is not None and len(reading.items) > at_most:
        _reading(run_id).update(state=ImportState.WAITING, beat_at=now)
        return False
    if problems := _refusals(reading):
        _refuse(run, reading, problems, now)
        return True
    _reading(run_id).update(seen=len(reading.items))
    rows = list(plan_rows(run, reading.items, now, beat))
    with transaction.atomic():
        locked = ImportRun.objects.select_for_update(of=("self",)).filter(pk=run_id)
        if current := locked.filter(state=ImportState.READING).first():
            save_rows(current, rows, {})
            current.state, current.problems = ImportState.PREVIEWED, []
            current.detected, current.beat_at = reading.detected[:DETECTED_CHARACTERS], now
            current.save()
    return True


def read_run(run: ImportRun, beat: Beat) -> Reading | None:
    """The file as its reader takes it, with a sign of life every few files of a zip; None if somebody was
    through with it and it is gone. A reader that fails is our fault, and said so."""
    content = ImportFile.objects.filter(run=run).values_list("content", flat=True).first()
    if content is None:
        return None
    try:
        return read_file(run.file_name, bytes(content), _told_by(run, beat))
    except Exception:
        logger.exception("the file of import %s could not be read", run.pk)
        fault = Notice(
            "", "The file could not be read, and it is not clear why. Save it anew, or in another format."
        )
        return Reading("", "", refusals=(fault,))


def _told_by(run: ImportRun, beat: Beat) -> Told:
    """Reading takes nearly all the time of a zip, so it is what the progress of such a run shows."""

    def told(done: int, total: int) -> None:
        if done == _BEAT_EVERY:
            ImportRun.objects.filter(pk=run.pk, state__in=AT_WORK).update(seen=total)
        if done % _BEAT_EVERY == 0:
            beat(done)

    return told


def plan_rows(run: ImportRun, items: Sequence[Item], now: datetime, beat: Beat) -> Iterator[Row]:
    """The rows of the report as the bank is now, with a sign of life every few items."""
    rows = plan_items(
        items,
        bank_for(items),
        publishes=run.publishes,
        judge=lambda document: judge_document(document, now),
        today=now.date(),
    )
    for number, row in enumerate(rows, 1):
        if number % _BEAT_EVERY == 0:
            beat(number)
        yield row


def save_rows(run: ImportRun, rows: Sequence[Row], written: dict[int, tuple[int, int | None]]) -> None:
    """Puts these rows in the place of those the run had, and their sums into the run (to be saved).

    `written` has the question and the revision of the draft, by position, of what went into the bank."""
    run.rows.all().delete()
    ImportRow.objects.bulk_create(
        [_stored(run, row, *written.get(row.position, (row.known and row.known.pk, None))) for row in rows],
        batch_size=BATCH,
    )
    run.seen = run.done = len(rows)
    run.counts = count_outcomes(rows)


def _stored(run: ImportRun, row: Row, question_id: int | None, revision: int | None) -> ImportRow:
    return ImportRow(
        run=run,
        position=row.position,
        place=_plain(row.place)[:PLACE_CHARACTERS],
        label=_plain(row.label)[:LABEL_CHARACTERS],
        outcome=row.outcome,
        status=row.status,
        notices=[[_plain(notice.field), _plain(notice.message)] for notice in row.notices],
        question_id=question_id,
        revision=revision,
    )


def _claim(run_id: UUID, now: datetime) -> bool:
    waiting = Q(state=ImportState.WAITING) | Q(state=ImportState.READING, beat_at__lt=now - STALE_AFTER)
    claimed = ImportRun.objects.filter(waiting, pk=run_id)
    return claimed.update(state=ImportState.READING, beat_at=now, done=0, seen=0) == 1


def _reading(run_id: UUID) -> QuerySet[ImportRun]:
    return ImportRun.objects.filter(pk=run_id, state=ImportState.READING)


def _refusals(reading: Reading) -> list[Notice]:
    if reading.refusals:
        return list(reading.refusals)
    return [] if reading.items else [Notice("", "No question was found in this file; nothing was imported.")]


def _refuse(run: ImportRun, reading: Reading, problems: Sequence[Notice], now: datetime) -> None:
    with transaction.atomic():
        refused = _reading(run.pk).update(
            state=ImportState.REFUSED,
            detected=_plain(reading.detected)[:DETECTED_CHARACTERS],
            problems=[[_plain(problem.field), _plain(problem.message)] for problem in problems],
            finished_at=now,
        )
        if refused:
            run.rows.all().delete()
            ImportFile.objects.filter(run=run).delete()


def _plain(text: str) -> str:
    """Text that every database takes: what a message quotes of a file may hold anything."""
    return text.replace("\x00", "␀").encode("utf-8", "replace").decode()
