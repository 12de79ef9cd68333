"""Reads notes that Anki exported as text: a table with lines of `#key:value` above it.

Here: the header, the separator, quotes, comments, which column is what. What becomes of a note: `anki_note`.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers.anki_note import Note, read_note
from prepapp.bank.transfer.readers.free_text import complete, refused, too_large
from prepapp.bank.transfer.readers.limits import MAX_ITEMS
from prepapp.bank.transfer.readers.text_files import decode

FORMAT = "anki-text"
_SEPARATORS = {"tab": "\t", "pipe": "|", "semicolon": ";", "colon": ":", "comma": ",", "space": " "}
_NAMES = {sign: name for name, sign in _SEPARATORS.items()}
_SPECIAL = {f"{name} column": name for name in ("notetype", "deck", "tags", "guid")}
_TAG = re.compile(r"</?[a-z][^<>]*>|&[a-z]+;", re.IGNORECASE)
_LOOKED_AT = 5


@dataclass
class _Header:
    """`columns` numbers the special columns from 0; `first` is the number of the first line below."""

    first: int = 1
    separator: str = ""
    html: bool | None = None
    deck: str = ""
    note_type: str = ""
    tags: list[str] = field(default_factory=list)
    names: str = ""
    columns: dict[str, int] = field(default_factory=dict)


def read_anki_text(data: bytes, name: str) -> Reading:
    """Every note of the file as an item named by its line. Refused whole if it is no Unicode text."""
    if reason := too_large(data):
        return refused(FORMAT, "Anki text", reason)
    decoded = decode(data)
    if decoded is None:
        return refused(FORMAT, "Anki text", "the file is not UTF-8; save it with the encoding UTF-8")
    lines = decoded.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    header = _header(lines)
    below = lines[header.first - 1 :]
    if header.separator not in _NAMES:
        header.separator = _likely_separator(below)
    rows = list(islice(_rows(below, header), MAX_ITEMS + 1))
    if header.html is None:
        header.html = any(_TAG.search(cell) for row in rows[:_LOOKED_AT] for cell in row.cells)
    detected = f"Anki text, separated by {_NAMES[header.separator]}s, {decoded.encoding}"
    return complete(FORMAT, detected, (_item(row, header) for row in rows))


def _header(lines: list[str]) -> _Header:
    header = _Header()
    for number, line in enumerate(lines, 1):
        if number == 1 and line.startswith("tags:"):
            header.tags = line.removeprefix("tags:").split()
        elif line.startswith("#"):
            key, colon, value = line[1:].partition(":")
            if colon:
                _take(key.strip().lower(), value, header)
        else:
            break
        header.first = number + 1
    return header


def _take(key: str, value: str, header: _Header) -> None:
    word = value.strip()
    if key == "separator":
        header.separator = _SEPARATORS.get(word.lower(), word or value[:1])
    elif key == "html" and word.lower() in {"true", "false"}:
        header.html = word.lower() == "true"
    elif key == "tags":
        header.tags = word.split()
    elif key == "deck":
        header.deck = word
    elif key == "notetype":
        header.note_type = word
    elif key == "columns":
        header.names = value
    elif key in _SPECIAL and re.fullmatch("[1-9][0-9]{0,3}", word):
        header.columns[_SPECIAL[key]] = int(word) - 1


def _likely_separator(lines: list[str]) -> str:
    """The separator of a file that does not name it: the first that its first line holds."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return next((sign for sign in ("\t", "|", ";", ",", ":") if sign in first), "\t")


@dataclass(frozen=True)
class _Row:
    place: str
    cells: list[str]
    trouble: str = ""


def _rows(lines: list[str], header: _Header) -> Iterator[_Row]:
    """The rows that are not blank. A line that begins with # outside of quotes is a comment."""
    feed = _Feed(lines)
    reader = csv.reader(feed, delimiter=header.separator, strict=True)
    while True:
        feed.between_rows = True
        cells, trouble = [], ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            trouble = (
                f"cannot be read ({error}); put a text with quotes in quotes and write each of its own twice"
            )
        first, last = feed.row_began + header.first - 1, feed.number + header.first - 1
        if trouble or any(cell.strip() for cell in cells):
            yield _Row(f"line {first}" if first == last else f"lines {first}-{last}", cells, trouble)


class _Feed:
    """Lines for the CSV reader, without comments and empty lines between rows. `number` lines have been
    given out."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.number = 0
        self.row_began = 0
        self.between_rows = True

    def __iter__(self) -> "Iterator[str]":
        return self

    def __next__(self) -> str:
        while (
            self.between_rows and self.number < len(self.lines) and self.lines[self.number][:1] in {"#", ""}
        ):
            self.number += 1
        if self.number >= len(self.lines):
            raise StopIteration
        line = self.lines[self.number]
        self.number += 1
        if self.between_rows:
            self.row_began = self.number
            self.between_rows = False
        return line + "\n"


def _item(row: _Row, header: _Header) -> Item:
    if row.trouble:
        return Item(row.place, faults=(Notice("", row.trouble),))
    special = {name: row.cells[index] for name, index in header.columns.items() if index < len(row.cells)}
    taken = set(header.columns.values())
    names = next(csv.reader([header.names], delimiter=header.separator), []) if header.names.strip() else []
    fields = [
        (names[index].strip() if index < len(names) else "", cell)
        for index, cell in enumerate(row.cells)
        if index not in taken
    ]
    note = Note(
        place=row.place,
        fields=fields,
        tags=[*header.tags, *special.get("tags", "").split()],
        deck=special.get("deck", header.deck),
        note_type=special.get("notetype", header.note_type),
        guid=special.get("guid", ""),
        is_html=bool(header.html),
    )
    return read_note(note)
