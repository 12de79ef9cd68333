"""Tells which format a file is in: by what is in it first, by its name where that leaves a choice.

Here: marks of formats. Not here: reading one.
"""

import re
from pathlib import PurePath
from zipfile import ZipFile

from prepapp.bank.transfer.formats import FORMATS
from prepapp.bank.transfer.readers.archives import open_archive
from prepapp.bank.transfer.readers.tables import known_columns
from prepapp.bank.transfer.readers.text_files import decode

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# Files people send by mistake, by how they begin, and what to do instead.
_FOREIGN = (
    (b"\xd0\xcf\x11\xe0", "is an old or a protected Office file; save it as .xlsx without a password"),
    (b"\x1f\x8b", "is packed with gzip; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "is packed with 7-Zip; pack it as a zip"),
    (b"Rar!", "is packed with RAR; pack it as a zip"),
    (b"%PDF", "is a PDF, which holds pages and no fields; use a table or question files"),
    (b"SQLite format 3\0", "is a database; export an .apkg file from Anki instead"),
)
_ANKI_MEMBERS = {"collection.anki2", "collection.anki21", "collection.anki21b"}
_ANKI_HEADER = re.compile(r"#(separator|html|tags|columns|notetype|deck)([ \w]*):", re.IGNORECASE)
_AIKEN = re.compile(r"^ANSWER:\s*[A-Z]\s*$", re.MULTILINE)
_AIKEN_CHOICE = re.compile(r"^[A-Z][.)]\s+\S", re.MULTILINE)
_GIFT = re.compile(r"^[ \t]*(?:::[^:\n]{1,500}::|\$CATEGORY:)|(?<!\\)\{\s*[=~#TF}]", re.MULTILINE)
_YAML = re.compile(
    r"^(?:- +)?(?:schema|id|slug|title|prompt|question|questions)[ \t]*:(?:\s|$)", re.MULTILINE
)
# Two lines of --- with no key right behind the second: not the beginning of another YAML document.
_FIELDS = re.compile(r"---[ \t]*\r?\n.*?^---[ \t]*\r?\n(?!\w+:)", re.DOTALL | re.MULTILINE)
# Of a text file; its kind shows early.
_LOOKED_AT = 100_000

_BY_SUFFIX = {suffix: entry.name for entry in reversed(FORMATS) for suffix in entry.suffixes}


class Unknown(ValueError):
    """No format of ours; `str()` says what it is instead, as far as that shows."""


def format_of(data: bytes, name: str) -> str:
    """The name of a format in `FORMATS`. Unknown if it is none."""
    if data.startswith(_ZIP):
        return _format_of_zip(data)
    for mark, message in _FOREIGN:
        if data.startswith(mark):
            raise Unknown(message)
    suffix = PurePath(name.casefold()).suffix
    by_name = _BY_SUFFIX.get(suffix, "")
    decoded = decode(data)
    if decoded is None:
        # Old code pages occur in tables and nowhere else among these formats.
        if by_name in {"csv", "tsv"}:
            return by_name
        guess = decode(data, guess=True)
        if guess and known_columns(guess.text) >= 2:
            return "csv"
        raise Unknown("is not text in a Unicode encoding; save it with the encoding UTF-8")
    return _format_of_text(decoded.text, by_name, suffix)


def _format_of_zip(data: bytes) -> str:
    archive = open_archive(data)
    if not isinstance(archive, ZipFile):
        raise Unknown(f"cannot be opened: {archive}")
    names = set(archive.namelist())
    if _ANKI_MEMBERS & names:
        return "anki-package"
    if "xl/workbook.xml" in names:
        return "xlsx"
    if "content.xml" in names or "word/document.xml" in names:
        raise Unknown("is an office document; save a table as .xlsx or .csv")
    return "yaml-zip"


def _format_of_text(text: str, by_name: str, suffix: str) -> str:
    start = text[:_LOOKED_AT].lstrip()
    if by_name == "markdown" and start.startswith("---"):
        return "markdown"
    if re.match(r"<\?xml|<quiz\b|<!DOCTYPE quiz", start):
        return "moodle-xml"
    if start.startswith(("<!", "<html", "<HTML")):
        raise Unknown("is a web page; save the questions themselves")
    # In YAML such a line is a key that somebody has commented out.
    if by_name != "yaml" and _ANKI_HEADER.match(start):
        return "anki-text"
    # Two columns we know in the first line are no accident.
    if known_columns(start) >= 2 and not start.startswith(("{", "[")):
        return by_name if by_name in {"csv", "tsv"} and suffix != ".txt" else _table(start)
    if by_name in {"json", "yaml", "csv", "gift", "markdown", "moodle-xml"} or suffix in {".tsv", ".tab"}:
        return by_name
    return _format_by_marks(start)


def _format_by_marks(start: str) -> str:
    if _AIKEN.search(start) and _AIKEN_CHOICE.search(start):
        return "aiken"
    if start.startswith("{") or re.match(r"\[\s*[{\]]", start):
        return "json"
    if _FIELDS.match(start):
        return "markdown"
    if _YAML.search(start):
        return "yaml"
    if _GIFT.search(start):
        return "gift"
    raise Unknown("is text in no format we know")


def _table(start: str) -> str:
    return "tsv" if "\t" in start.partition("\n")[0] else "csv"
