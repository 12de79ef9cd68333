"""`manage.py import_bank FILE ...`: files of questions into the bank, each all or nothing.

Exit codes: 0 all is in the bank (or was already), 1 items are faulty, 2 a file cannot be used or an option is
wrong. Of several files the highest counts.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from prepapp.accounts.models import User
from prepapp.bank.actions.importing import (
    confirm_import,
    discard_import,
    note_progress,
    prepare_import,
    start_import,
    write_import,
)
from prepapp.bank.choices import ImportState, RowOutcome
from prepapp.bank.models import ImportRow, ImportRun
from prepapp.bank.transfer.readers.limits import MAX_FILE
from prepapp.common.clock import read_clock

DONE, FAULTS, UNUSABLE = 0, 1, 2


@dataclass(frozen=True)
class Outcome:
    """What came of one file. `rows` lists items with something to say: outcome, place, label, notices."""

    file: str
    state: str
    code: int
    detected: str = ""
    seen: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    problems: Sequence[Sequence[str]] = ()
    rows: Sequence[dict[str, Any]] = ()


class Command(BaseCommand):
    help = (
        "Import files of questions, each all or nothing. Exit codes: 0 done or nothing to do, 1 items are "
        "faulty, 2 a file cannot be used."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="say what would come of it, write nothing")
        parser.add_argument(
            "--good-ones", action="store_true", help="import the good items, leave out the faulty"
        )
        parser.add_argument(
            "--publish",
            action="store_true",
            help="give new questions that are complete the status of the file, without a second reader",
        )
        parser.add_argument(
            "--by", metavar="EMAIL", help="account that owns the new questions; nobody if left out"
        )
        parser.add_argument("--format", choices=["text", "json"], default="text", help="form of the output")

    def handle(self, *args: Any, files: Sequence[Path], **options: Any) -> None:
        by = self._person(options["by"])
        outcomes = [import_one(path, by, options) for path in files]
        if options["format"] == "json":
            text = json.dumps([asdict(outcome) for outcome in outcomes], ensure_ascii=False, indent=2)
            self.stdout.write(text)
        else:
            for outcome in outcomes:
                self.stdout.write("\n".join(lines(outcome)))
        if code := max(outcome.code for outcome in outcomes):
            sys.exit(code)

    def _person(self, email: str | None) -> User | None:
        if email is None:
            return None
        found = User.objects.filter(email__iexact=email.strip()).first()
        if found is None:
            raise CommandError(f"There is no account {email}.", returncode=UNUSABLE)
        return found


def import_one(path: Path, by: User | None, options: dict[str, Any]) -> Outcome:
    """Takes one file all the way, or says why it stays outside. Leaves no run of its own behind that waits; a
    preview of the same file that its owner looks at in the browser is theirs to throw away."""
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_FILE else b""
    except OSError as error:
        return _unusable(path, f"it cannot be read: {error.strerror or error}")
    if size > MAX_FILE:
        megabytes = MAX_FILE // 1_000_000
        return _unusable(path, f"it has {size / 1_000_000:.1f} MB; {megabytes} MB is the most, so divide it")
    now = read_clock()
    run = start_import(name=path.name, data=data, by=by, publishes=options["publish"], now=now)

    def beat(done: int) -> None:
        note_progress(run_id=run.pk, done=done, now=read_clock())

    prepare_import(run_id=run.pk, now=now, beat=beat)
    run.refresh_from_db()
    if run.state not in {ImportState.PREVIEWED, ImportState.REFUSED}:
        return _unusable(path, "it is being imported at this moment; try again when that is done")
    failed = run.counts.get(RowOutcome.FAILED, 0)
    if run.state == ImportState.PREVIEWED and not options["dry_run"] and (not failed or options["good_ones"]):
        confirm_import(run_id=run.pk, takes_good_ones=options["good_ones"], now=now)
        write_import(run_id=run.pk, now=now, beat=beat)
        run.refresh_from_db()
    outcome = _outcome(path, run)
    if run.state == ImportState.PREVIEWED and outcome.code == DONE and not options["dry_run"]:
        outcome = replace(outcome, code=UNUSABLE)
    if run.state != ImportState.DONE and run.created_at == now:
        discard_import(run_id=run.pk)
    return outcome


def lines(outcome: Outcome) -> Iterator[str]:
    """The outcome for a terminal."""
    detected = f" ({outcome.detected})" if outcome.detected else ""
    if outcome.state == ImportState.REFUSED:
        yield f"{outcome.file}{detected}: refused, nothing was imported"
        yield from (f"  {_said(*problem)}" for problem in outcome.problems)
        return
    sums = ", ".join(f"{outcome.counts.get(name, 0)} {name}" for name in RowOutcome.values)
    yield f"{outcome.file}{detected}: {outcome.seen} items: {sums}"
    yield from (f"  {_said(*problem)}" for problem in outcome.problems)
    for row in outcome.rows:
        name = f" {row['label']}" if row["label"] else ""
        yield f"  {row['place']}{name}: {row['outcome']}"
        yield from (f"    {_said(*notice)}" for notice in row["notices"])
    if outcome.state == ImportState.PREVIEWED:
        yield "  Nothing was imported."


def _said(name: str, message: str) -> str:
    return f"{name}: {message}" if name else message


def _unusable(path: Path, why: str) -> Outcome:
    return Outcome(str(path), str(ImportState.REFUSED), UNUSABLE, problems=[["", why]])


def _outcome(path: Path, run: ImportRun) -> Outcome:
    code = FAULTS if run.counts.get(RowOutcome.FAILED, 0) else DONE
    return Outcome(
        file=str(path),
        state=run.state,
        code=UNUSABLE if run.state == ImportState.REFUSED else code,
        detected=run.detected,
        seen=run.seen,
        counts=run.counts,
        problems=run.problems,
        rows=[
            {"place": row.place, "label": row.label, "outcome": row.outcome, "notices": row.notices}
            for row in ImportRow.objects.filter(run=run).order_by("position")
            if row.notices
        ],
    )
