"""`manage.py load_packs [PATH]`: files of packs into the bank, all or nothing, as often as one likes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from prepapp.bank.actions import PacksResult, load_packs
from prepapp.bank.transfer.pack_file import read_packs


class Command(BaseCommand):
    help = "Write every pack in the folder PATH to the bank: all of them, or nothing. Run it after load_bank."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path",
            nargs="?",
            type=Path,
            default=Path(settings.BASE_DIR) / "fixtures" / "packs",
            help="folder of packs; those that come with the program if left out",
        )

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        try:
            files, problems = read_packs(path)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or 'it is not a folder'}.") from error
        for found in problems:
            place = f" {found.field}:" if found.field else ""
            self.stderr.write(f"{found.file}:{found.line}:{place} {found.message}")
        if problems:
            count = f"{len(problems)} problem{'' if len(problems) == 1 else 's'}"
            raise CommandError(f"{count} found; nothing was written.")
        if not files:
            raise CommandError(f"There is no pack in {path}; nothing was written.")
        self._report(load_packs(files=files))

    def _report(self, result: PacksResult) -> None:
        for slug in result.kept:
            self.stdout.write(f"The pack {slug} was edited in the app; its file was left out.")
        for slug, names in result.unknown:
            self.stdout.write(f"The pack {slug} names what this bank does not have: {', '.join(names)}")
        self.stdout.write(
            f"Packs: {result.new} new, {result.changed} changed, "
            f"{result.unchanged} unchanged, {len(result.kept)} kept"
        )
