"""`manage.py export_bank OUT`: the bank, or a part of it, as a file.

Exit codes: 0 the file is written, 2 an option is wrong, nothing fits, or the file cannot be written; then OUT
is as it was.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError

from prepapp.bank.choices import Status
from prepapp.bank.models import Topic, Track
from prepapp.bank.queries.exporting import ExportFilter, export_entries
from prepapp.bank.transfer.formats import Format
from prepapp.bank.transfer.writers import WRITTEN, Unwritable, write_file
from prepapp.common.clock import read_clock

UNUSABLE = 2


class Command(BaseCommand):
    help = "Write questions to a file. Exit codes: 0 written, 2 nothing to write or not possible."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("out", metavar="OUT", type=Path, help="the file; one that is there is replaced")
        parser.add_argument(
            "--format",
            choices=[found.name for found in WRITTEN],
            help="as the name of OUT ends, if left out",
        )
        parser.add_argument("--track", default="", help="code of a track, for example gpu")
        parser.add_argument("--topic", default="", help="code of a topic, for example gpu.memory")
        parser.add_argument(
            "--status",
            default="",
            choices=[str(Status.PUBLISHED), str(Status.RETIRED), str(Status.DRAFT)],
            help="draft stands for what was never published; all of them if left out",
        )

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        if out.is_dir():
            raise CommandError(f"{out} is a folder; name a file in it.", returncode=UNUSABLE)
        chosen = options["format"] or _format_of(out)
        for name, model in (("track", Track), ("topic", Topic)):
            if (code := options[name]) and not model._default_manager.filter(pk=code).exists():
                raise CommandError(f"There is no {name} {code}.", returncode=UNUSABLE)
        wanted = ExportFilter(**{name: options[name] for name in ("track", "topic", "status")})
        entries = export_entries(wanted)
        if not entries:
            raise CommandError("No question fits, so nothing was written.", returncode=UNUSABLE)
        try:
            _replace(out, write_file(chosen, entries, now=read_clock()))
        except Unwritable as error:
            raise CommandError(f"{chosen} cannot hold this: {error}", returncode=UNUSABLE) from error
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.", returncode=UNUSABLE) from error
        self.stdout.write(f"{len(entries)} question{'' if len(entries) == 1 else 's'} written to {out}")


def _format_of(out: Path) -> str:
    fits: list[Format] = [found for found in WRITTEN if out.suffix.lower() in found.suffixes]
    if not fits:
        names = ", ".join(found.name for found in WRITTEN)
        raise CommandError(
            f"{out.name} does not say which format it is to have; use --format with one of {names}.",
            returncode=UNUSABLE,
        )
    return fits[0].name


def _replace(out: Path, content: bytes) -> None:
    """Writes the file so that nobody finds half of it."""
    hidden = out.with_name(f".{out.name}.{uuid4().hex[:8]}")
    try:
        hidden.write_bytes(content)
        hidden.replace(out)
    finally:
        hidden.unlink(missing_ok=True)
