"""`manage.py lint_bank [PATH ...]`: question files against the writing rules, every code check run."""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from prepapp.bank.lint import (
    Sources,
    from_problem,
    lint_packs,
    lint_questions,
    lint_samples,
    read_pack_paths,
    read_paths,
    read_sample_paths,
    read_sources,
    split_paths,
)
from prepapp.bank.lint.printing import FORMATS, Outcome
from prepapp.bank.lint.resemblance import Pair, prompt_pairs, whole_pairs
from prepapp.bank.targets import MILESTONES
from prepapp.bank.transfer.question_file import QuestionFile
from prepapp.common.clock import read_clock

SHIPPED = Path(settings.BASE_DIR) / "fixtures" / "bank"
SHIPPED_MILESTONE = "M1"
USAGE = 2


class Command(BaseCommand):
    help = "Check question files against the writing rules; exit with 1 if a finding is a failure (F)."
    # It reads files and nothing else: no database, no settings worth a check.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "paths",
            metavar="PATH",
            nargs="*",
            type=Path,
            default=[SHIPPED],
            help="question file, its samples, a folder, or packs; packs beside a bank are judged with it. "
            "The bank that comes with the program if left out",
        )
        parser.add_argument("--format", choices=FORMATS, default="text", help="form of the output")
        parser.add_argument(
            "--milestone",
            choices=[*MILESTONES, "none"],
            help="judge the files as a whole bank at this milestone (L17, L18); "
            f"{SHIPPED_MILESTONE} for the bank that comes with the program, else none",
        )
        parser.add_argument(
            "--sources", metavar="FOLDER", type=Path, help="texts that nothing may be copied from (L11)"
        )
        parser.add_argument(
            "--pairs",
            metavar="N",
            type=_count,
            nargs="?",
            const=20,
            default=0,
            help="also print the N pairs of questions that are most alike; 20 if N is left out",
        )
        parser.add_argument("--no-code", action="store_true", help="do not run code checks (L13)")
        parser.add_argument(
            "--today", type=date.fromisoformat, metavar="YYYY-MM-DD", help="judge dates as of this day"
        )

    def handle(self, *args: Any, paths: list[Path], **options: Any) -> None:
        if missing := [str(path) for path in paths if not path.exists()]:
            raise CommandError(f"There is no file or folder {', '.join(missing)}.", returncode=USAGE)
        sources = self._read_sources(options["sources"])
        milestone = options["milestone"] or _usual_milestone(paths)
        milestone = None if milestone == "none" else milestone
        today = options["today"] or read_clock().date()
        named = split_paths(paths)
        questions, problems = read_paths(named.questions)
        samples, broken_samples = read_sample_paths(named.questions)
        packs, broken_packs = read_pack_paths(named)
        findings = lint_questions(
            questions,
            today,
            run_code=not options["no_code"],
            milestone=milestone,
            sources=sources,
        )
        findings += lint_samples(samples, broken_samples, questions)
        findings += lint_packs(packs, broken_packs, questions, today)
        outcome = Outcome(
            questions=len(questions),
            unreadable=len({problem.file for problem in problems}),
            milestone=milestone,
            sources=sources.texts if sources else 0,
            code_run=not options["no_code"],
            findings=sorted([*findings, *map(from_problem, problems)]),
            samples=len(samples),
            packs=len(packs),
            pairs=_pairs(questions, options["pairs"]) if options["pairs"] else {},
        )
        for line in FORMATS[options["format"]](outcome):
            self.stdout.write(line)
        if outcome.failures:
            sys.exit(1)

    def _read_sources(self, folder: Path | None) -> Sources | None:
        try:
            return read_sources(folder) if folder else None
        except ValueError as error:
            raise CommandError(f"Nothing to compare with: {error}.", returncode=USAGE) from error


def _usual_milestone(paths: Sequence[Path]) -> str:
    return SHIPPED_MILESTONE if [path.resolve() for path in paths] == [SHIPPED.resolve()] else "none"


def _pairs(questions: Sequence[QuestionFile], number: int) -> dict[str, list[Pair]]:
    return {
        "prompt with answer": whole_pairs(questions)[:number],
        "prompt alone": prompt_pairs(questions)[:number],
    }


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)
