"""Kills the worker again and again in the middle of an import, and counts what came of it (P22).

    python -m benchmarks.kill_import --items 5000 --kills 30

A file of so many invented questions is imported once undisturbed, which says how long reading and writing take.
Then it is undone and imported anew, and the worker process is killed (SIGKILL, by its id) at random moments of
either, as often as asked, each time taken up again as the sweep would after its patience. After every kill the
questions, drafts, revisions and lines of the log are counted: all of the file, or nothing. Printed: the kills by
what the worker was doing, imports found in part (must be 0), runs that came to their end, and the times.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from benchmarks.kill_mail import child, embedded_site
from benchmarks.stage import ROOT, end_cleanly, own_site

_WORK = (
    "import django, sys; django.setup(); from prepapp.bank.tasks import work_on_import; "
    "work_on_import(sys.argv[1])"
)
# A kill may fall a little behind the end of the work, too.
_BEYOND = 1.05


@dataclass
class Outcome:
    """What was seen. `partial` has what was found of each import that was there in part."""

    items: int
    seconds: dict[str, float] = field(default_factory=dict)
    kills: Counter[str] = field(default_factory=Counter)
    finished: int = 0
    partial: list[tuple[int, ...]] = field(default_factory=list)

    def print(self) -> None:
        times = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())
        kills = ", ".join(f"{name} {count}" for name, count in sorted(self.kills.items()))
        print(f"items {self.items:,}; undisturbed: {times}")
        print(f"kills {sum(self.kills.values())}: {kills}")
        print(f"imports that came to their end all the same: {self.finished}")
        print(f"partial imports: {len(self.partial)} {self.partial or ''}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], prog="python -m benchmarks.kill_import"
    )
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", default="xlsx", help="5,000 questions are above the limit in JSON")
    parser.add_argument("--embedded", action="store_true", help="SQLite, as `make run`")
    choice = parser.parse_args()
    end_cleanly(3600)
    with embedded_site() if choice.embedded else own_site(static=False) as site:
        outcome = run(choice.items, choice.kills, choice.seed, choice.format, site)
    outcome.print()
    is_right = not outcome.partial and outcome.finished > 0
    print("right" if is_right else "WRONG")
    return 0 if is_right else 1


def run(items: int, kills: int, seed: int, format_name: str, site: Mapping[str, str]) -> Outcome:
    """The whole story, on a site that is ready."""
    from benchmarks.invented_bank import invented_entries  # noqa: PLC0415
    from prepapp.bank.actions import load_taxonomy  # noqa: PLC0415
    from prepapp.bank.transfer.writers import write_file  # noqa: PLC0415

    load_taxonomy()
    chance = random.Random(seed)
    data = write_file(format_name, invented_entries(items, seed))
    print(f"a file of {len(data) / 1_000_000:.1f} MB with {items:,} questions", flush=True)
    story = Story(data, format_name, Outcome(items), site)
    story.undisturbed()
    while sum(story.outcome.kills.values()) < kills:
        story.disturbed(kills, chance)
    return story.outcome


class Story:
    """One file, imported and undone as often as it takes."""

    def __init__(self, data: bytes, format_name: str, outcome: Outcome, site: Mapping[str, str]) -> None:
        from prepapp.bank.models import CurationEvent, Draft, DraftRevision, Question  # noqa: PLC0415

        self.outcome = outcome
        self._data, self._format, self._site = data, format_name, site
        self._models = (Question, Draft, DraftRevision, CurationEvent)
        self._before = self._counts()

    def undisturbed(self) -> None:
        run_id = self._upload()
        for name in ("reading", "writing"):
            begun = time.monotonic()
            self._worker(run_id).wait()
            self.outcome.seconds[name] = time.monotonic() - begun
            self._confirm(run_id)
        begun = time.monotonic()
        self._undo(run_id)
        self.outcome.seconds["undoing"] = time.monotonic() - begun

    def disturbed(self, kills: int, chance: random.Random) -> None:
        """One import, killed until the number is reached or it is done."""
        run_id = self._upload()
        while (state := self._settled(run_id)) != "done":
            if state == "previewed":
                self._confirm(run_id)
                state = "writing"
            phase = "writing" if state == "writing" else "reading"
            worker = self._worker(run_id)
            if sum(self.outcome.kills.values()) < kills:
                try:
                    worker.wait(chance.uniform(0, self.outcome.seconds[phase] * _BEYOND))
                except subprocess.TimeoutExpired:
                    worker.kill()
                    self.outcome.kills[phase] += 1
            worker.wait()
            self._look(run_id)
        self.outcome.finished += 1
        self._undo(run_id)

    def _look(self, run_id: UUID) -> None:
        state = self._settled(run_id)
        found = tuple(now - before for now, before in zip(self._counts(), self._before, strict=True))
        items = self.outcome.items
        whole = (items, items, items, items + 1) if state == "done" else (0, 0, 0, 0)
        if found != whole:
            self.outcome.partial.append(found)
        print(f"  {state}, found {found}", flush=True)

    def _counts(self) -> list[int]:
        return [model._default_manager.count() for model in self._models]

    def _upload(self) -> UUID:
        from prepapp.bank.actions.importing import start_import  # noqa: PLC0415
        from prepapp.bank.transfer.formats import FORMAT_BY_NAME  # noqa: PLC0415
        from prepapp.common.clock import read_clock  # noqa: PLC0415

        self._before = self._counts()
        name = f"bank{FORMAT_BY_NAME[self._format].suffixes[0]}"
        run = start_import(name=name, data=self._data, by=None, publishes=False, now=read_clock())
        run_id: UUID = run.pk
        return run_id

    def _confirm(self, run_id: UUID) -> None:
        from prepapp.bank.actions.importing import confirm_import  # noqa: PLC0415
        from prepapp.common.clock import read_clock  # noqa: PLC0415

        confirm_import(run_id=run_id, takes_good_ones=False, now=read_clock())

    def _undo(self, run_id: UUID) -> None:
        from prepapp.bank.actions.importing import undo_import  # noqa: PLC0415
        from prepapp.common.clock import read_clock  # noqa: PLC0415

        undo_import(run_id=run_id, by=None, now=read_clock())

    def _settled(self, run_id: UUID) -> str:
        """Where the run stands once the patience of the sweep is over. The database may still be committing
        for a process that is dead; it holds the row, so this waits for it."""
        from prepapp.bank.models import ImportRun  # noqa: PLC0415
        from prepapp.common.clock import read_clock  # noqa: PLC0415

        runs = ImportRun.objects.filter(pk=run_id)
        runs.update(beat_at=read_clock() - timedelta(minutes=30))
        return str(runs.values_list("state", flat=True).get())

    def _worker(self, run_id: UUID) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*child(), sys.executable, "-c", _WORK, str(run_id)],
            cwd=ROOT,
            env={**os.environ, **self._site},
            stdout=subprocess.DEVNULL,
        )


if __name__ == "__main__":
    sys.exit(main())
