"""`manage.py bank_coverage [PATH]`: what the bank covers and how it is mixed, against its first milestone."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from prepapp.bank.coverage import MILESTONE, demands, tables
from prepapp.bank.lint.packs import FOLDER
from prepapp.bank.transfer.pack_file import read_packs
from prepapp.bank.transfer.question_file import read_bank


class Command(BaseCommand):
    help = f"Print what a bank covers and how it is mixed; exit with 1 unless the gate {MILESTONE} is met."
    # It reads files and nothing else: no database, no settings worth a check.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path",
            nargs="?",
            type=Path,
            default=Path(settings.BASE_DIR) / "fixtures" / "bank",
            help="folder of question files; the bank that comes with the program if left out",
        )

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        try:
            questions, problems = read_bank(path)
            packs, broken = read_packs(beside) if (beside := path.parent / FOLDER).is_dir() else ([], [])
        except OSError as error:
            raise CommandError(
                f"{path} cannot be read: {error.strerror or 'it is not a folder'}.", returncode=2
            ) from error
        problems += broken
        for found in problems:
            self.stderr.write(f"{found.file}:{found.line}: {found.message}")
        if problems:
            raise CommandError("Files that cannot be read cannot be counted; mend them first.", returncode=2)
        for line in tables(questions, packs):
            self.stdout.write(line)
        lines = demands(questions)
        self.stdout.write(f"\nGate {MILESTONE}, {len(questions)} questions")
        for demand in lines:
            self.stdout.write(f"  {demand}")
        if short := sum(not demand.met for demand in lines):
            raise CommandError(f"Gate {MILESTONE} is not met: {short} of {len(lines)} demands are short.")
        self.stdout.write(f"Gate {MILESTONE} is met: all {len(lines)} demands.")
