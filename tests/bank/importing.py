"""Files for imports, and the way of one from the upload into the bank."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from prepapp.accounts.models import User
from prepapp.bank.actions.importing import confirm_import, prepare_import, start_import, write_import
from prepapp.bank.choices import ImportState
from prepapp.bank.models import (
    CurationEvent,
    Draft,
    DraftRevision,
    ImportRun,
    Pack,
    Question,
    QuestionVersion,
    Tag,
)

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
# Whatever an import may write, beside its own run.
BANK = (Question, QuestionVersion, Draft, DraftRevision, Tag, Pack, CurationEvent)


def question(slug: str, **changes: Any) -> dict[str, Any]:
    """One item of a JSON file that lacks what a curator adds: a topic, a kind, a level."""
    return {
        "slug": slug,
        "title": f"Title of {slug}",
        "prompt": f"Explain {slug}.",
        "rubric": [{"points": 2, "text": "says what it is"}],
        "model_answer": "It is what it is.",
        **changes,
    }


def bank_file(*questions: Any) -> bytes:
    return json.dumps({"format": "prepapp-bank", "version": 1, "questions": questions}).encode()


def questions(count: int) -> list[dict[str, Any]]:
    return [question(f"item-{n}") for n in range(1, count + 1)]


def nothing(done: int) -> None:
    """Nobody watches."""


def upload(
    data: bytes, by: User | None, *, name: str = "bank.json", publishes: bool = False, now: datetime = NOW
) -> ImportRun:
    """The run of this file, as it is after it was read."""
    run = start_import(name=name, data=data, by=by, publishes=publishes, now=now)
    prepare_import(run_id=run.pk, now=now, beat=nothing)
    return ImportRun.objects.get(pk=run.pk)


def confirm(run: ImportRun, *, takes_good_ones: bool = False, now: datetime = NOW) -> ImportRun:
    """The run after it was confirmed and written."""
    confirm_import(run_id=run.pk, takes_good_ones=takes_good_ones, now=now)
    write_import(run_id=run.pk, now=now, beat=nothing)
    return ImportRun.objects.get(pk=run.pk)


def imported(data: bytes, by: User | None, **options: Any) -> ImportRun:
    """The run of this file, written."""
    run = confirm(upload(data, by, **options), now=options.get("now", NOW))
    assert run.state == ImportState.DONE
    return run


def in_bank() -> list[int]:
    """How many rows there are of each thing an import may write."""
    return [model._default_manager.count() for model in BANK]


def outcomes(run: ImportRun) -> Sequence[tuple[str, str]]:
    """(label, outcome) of each row in the order of the file."""
    return list(run.rows.order_by("position").values_list("label", "outcome"))
