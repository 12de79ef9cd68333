"""`manage.py load_bank [PATH]`: question files into the bank, all or nothing, as often as one likes."""

import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from prepapp.bank.actions import BankRefused, LoadResult, SamplesResult, load_bank, rerender_versions
from prepapp.bank.transfer.question_file import FileProblem, read_bank
from prepapp.bank.transfer.samples_file import read_sample_files
from prepapp.common.clock import read_clock


class Command(BaseCommand):
    help = "Write tracks, topics and every question file below PATH to the bank: all of them, or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path",
            nargs="?",
            type=Path,
            default=Path(settings.BASE_DIR) / "fixtures" / "bank",
            help="folder of question files; the bank that comes with the program if left out",
        )

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        started = time.perf_counter()
        try:
            files, problems = read_bank(path)
            samples, broken_samples = read_sample_files(path)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or 'it is not a folder'}.") from error
        if problems or broken_samples:
            self._refuse([*problems, *broken_samples])
        if not files:
            raise CommandError(f"There is no question file below {path}; nothing was written.")
        try:
            result = load_bank(files=files, samples=samples, now=read_clock())
        except BankRefused as refusal:
            self._refuse(refusal.problems)
        redrawn = rerender_versions()
        self._report(result, redrawn, time.perf_counter() - started)

    def _refuse(self, problems: Sequence[FileProblem]) -> None:
        for found in problems:
            place = f" {found.field}:" if found.field else ""
            self.stderr.write(f"{found.file}:{found.line}:{place} {found.message}")
        count = f"{len(problems)} problem{'' if len(problems) == 1 else 's'}"
        raise CommandError(f"{count} found; nothing was written.")

    def _report(self, result: LoadResult, redrawn: int, seconds: float) -> None:
        for ref in result.kept:
            self.stdout.write(
                f"{ref} was edited or moved in the app, or its slug is used there; the file was left out."
            )
        if result.absent:
            tail = " has no file here; it stays." if result.absent == 1 else "s have no file here; they stay."
            self.stdout.write(f"{result.absent} question{tail}")
        if redrawn:
            self.stdout.write(f"{redrawn} versions were rendered anew.")
        if line := _samples_line(result.samples):
            self.stdout.write(line)
        self.stdout.write(
            f"{result.files} files: {result.new} new, {result.changed} changed, {result.refiled} refiled, "
            f"{result.unchanged} unchanged, {len(result.kept)} kept, {seconds:.1f} s"
        )


def _samples_line(samples: SamplesResult) -> str:
    """What came of the sample answers; '' where there were none and are none."""
    if not (samples.files or samples.withdrawn):
        return ""
    left_out = f" ({', '.join(samples.left_out)})" if samples.left_out else ""
    return (
        f"{samples.files} files of sample answers: {samples.new} new, {samples.changed} changed, "
        f"{samples.unchanged} unchanged, {samples.withdrawn} withdrawn, "
        f"{len(samples.left_out)} left out{left_out}"
    )
