"""File formats into questions: bytes in, values out.

Here: which reader a file goes to. Each module reads one format, by what `fields` and `shapes` say of a
question. No models, no clock, no file is opened or written.
"""

from collections.abc import Callable

from prepapp.bank.transfer.formats import FORMATS, Format
from prepapp.bank.transfer.item import Notice, Reading
from prepapp.bank.transfer.readers.aiken import read_aiken
from prepapp.bank.transfer.readers.anki_package import read_anki_package
from prepapp.bank.transfer.readers.anki_text import read_anki_text
from prepapp.bank.transfer.readers.gift import read_gift
from prepapp.bank.transfer.readers.json_bank import read_json_bank
from prepapp.bank.transfer.readers.limits import MAX_FILE
from prepapp.bank.transfer.readers.markdown_question import read_markdown_question
from prepapp.bank.transfer.readers.moodle_xml import read_moodle_xml
from prepapp.bank.transfer.readers.recognition import Unknown, format_of
from prepapp.bank.transfer.readers.tables import read_table
from prepapp.bank.transfer.readers.workbook import read_workbook
from prepapp.bank.transfer.readers.yaml_bank import Told, read_yaml_bank, read_yaml_zip, untold

__all__ = ["FORMATS", "Format", "Told", "read_file"]

_READERS: dict[str, Callable[[bytes, str], Reading]] = {
    "yaml": read_yaml_bank,
    "json": read_json_bank,
    "csv": read_table,
    "tsv": read_table,
    "xlsx": read_workbook,
    "markdown": read_markdown_question,
    "moodle-xml": read_moodle_xml,
    "gift": read_gift,
    "aiken": read_aiken,
    "anki-text": read_anki_text,
    "anki-package": read_anki_package,
}


def read_file(name: str, data: bytes, told: Told = untold) -> Reading:
    """Every question of a file, whatever its format; `name` is the name it came under. `told` hears how far a
    reader is that takes its time: one that goes through a zip of files.

    What is no format of ours, empty, or too large is refused whole. Nothing that is in the bytes raises.
    """
    if len(data) > MAX_FILE:
        size = f"{len(data) / 1_000_000:.1f} MB"
        return _refused(f"the file is {size} large; keep it to {MAX_FILE // 1_000_000} MB or split it")
    if not data.strip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0"):
        return _refused("the file is empty")
    try:
        detected = format_of(data, name)
    except Unknown as error:
        taken = ", ".join(f"{entry.name} ({', '.join(entry.suffixes)})" for entry in FORMATS if entry.reads)
        return _refused(f"the file {error}. Files are taken as: {taken}")
    return read_yaml_zip(data, name, told) if detected == "yaml-zip" else _READERS[detected](data, name)


def _refused(message: str) -> Reading:
    return Reading("", "", refusals=(Notice("", message),))
