"""What the pages of imports show, and what their sweep looks for. Nothing here writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet

from prepapp.bank.choices import ImportState, RowOutcome
from prepapp.bank.models import ImportRow, ImportRun
from prepapp.common.pagination import Page, keyset_page

RUN_ORDER = ("-created_at", "-id")
ROW_ORDER = ("position", "id")
ROWS_SHOWN = 50

# A message that was not taken up by then is lost.
TAKEN_UP_WITHIN = timedelta(seconds=30)
# So long without a sign of life, and whoever had the run is gone: a worker's task is ended before.
STALE_AFTER = timedelta(minutes=10)


@dataclass(frozen=True)
class Tally:
    """How many items came to one outcome."""

    outcome: str
    label: str
    count: int


def run_page(cursor: str) -> Page[ImportRun]:
    """Runs, the newest first, with who made them."""
    return keyset_page(ImportRun.objects.select_related("made_by"), RUN_ORDER, cursor=cursor)


def row_page(run: ImportRun, outcome: str, cursor: str) -> Page[ImportRow]:
    """Rows of a run in the order of the file, all or those of one outcome."""
    rows: QuerySet[ImportRow] = ImportRow.objects.filter(run=run).select_related("question")
    if outcome:
        rows = rows.filter(outcome=outcome)
    return keyset_page(rows, ROW_ORDER, cursor=cursor, size=ROWS_SHOWN)


def tallies(counts: Mapping[str, int]) -> list[Tally]:
    """Every outcome with its number, those with none too: they add up to what was seen."""
    return [Tally(outcome.value, outcome.label, counts.get(outcome.value, 0)) for outcome in RowOutcome]


def lost_runs(now: datetime) -> list[UUID]:
    """Runs nobody works on: their message was lost, or their worker died."""
    waiting = Q(state=ImportState.WAITING, beat_at__lt=now - TAKEN_UP_WITHIN)
    silent = Q(state__in=[ImportState.READING, ImportState.WRITING], beat_at__lt=now - STALE_AFTER)
    return list(
        ImportRun.objects.filter(waiting | silent).order_by("beat_at").values_list("pk", flat=True)[:100]
    )
