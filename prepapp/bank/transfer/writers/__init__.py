"""Questions into file formats: values in, bytes out. Each module writes one format.

No models, no clock of ours, no file is opened.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from prepapp.bank.transfer.formats import FORMATS, Format
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.writers.anki_package import write_anki_package
from prepapp.bank.transfer.writers.json_bank import write_json_bank
from prepapp.bank.transfer.writers.moodle_xml import write_moodle_xml
from prepapp.bank.transfer.writers.tables import write_csv, write_tsv
from prepapp.bank.transfer.writers.unwritable import Unwritable
from prepapp.bank.transfer.writers.workbook import write_workbook
from prepapp.bank.transfer.writers.yaml_bank import write_yaml_bank, write_yaml_zip

__all__ = ["WRITTEN", "Unwritable", "write_file"]

_WRITERS: dict[str, Callable[[Sequence[Entry]], bytes]] = {
    "yaml-zip": write_yaml_zip,
    "yaml": write_yaml_bank,
    "json": write_json_bank,
    "csv": write_csv,
    "tsv": write_tsv,
    "xlsx": write_workbook,
    "moodle-xml": write_moodle_xml,
    "anki-package": write_anki_package,
}
# The formats a bank can be exported to; each has its suffix and content type.
WRITTEN: tuple[Format, ...] = tuple(entry for entry in FORMATS if entry.name in _WRITERS)


def write_file(format_name: str, entries: Sequence[Entry], *, now: datetime | None = None) -> bytes:
    """These questions in the format of this name in `WRITTEN`. KeyError for another name, Unwritable for a
    text the format cannot hold. `now` is the moment of the export, for Anki, which takes the later of two
    exports; without it the same questions give the same bytes at any time."""
    if format_name == "anki-package" and now is not None:
        return write_anki_package(entries, now=now)
    return _WRITERS[format_name](entries)
