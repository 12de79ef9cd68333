"""Reads a table as text, separated by commas, semicolons, tabs or bars.

Here: encoding, separator, quotes, row numbers as a spreadsheet shows them: the heading is row 1 and a quoted
cell with line breaks is one row. Not here: what a column means (`columns`).
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers.columns import clashes, column_of, read_row
from prepapp.bank.transfer.readers.limits import MAX_COLUMNS, MAX_ITEMS
from prepapp.bank.transfer.readers.shapes import CONTROL, Sink, name_of, shown
from prepapp.bank.transfer.readers.text_files import Decoded, decode

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# One of these must be a column; without both a row asks nothing.
NEEDED = ("title", "prompt")
# The first line a spreadsheet may write to name its separator.
_NAMED = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


class Row(NamedTuple):
    """`number` counts from 1 as a spreadsheet does; lines without a cell count too."""

    number: int
    cells: list[str]
    notices: tuple[Notice, ...] = ()


def read_table(data: bytes, name: str) -> Reading:
    """Every filled row below the heading as an item; a table that cannot be told apart is refused whole."""
    decoded = decode(data, guess=True)
    if decoded is None:
        return _refused("csv", "CSV", "the encoding cannot be told; save the file as UTF-8")
    separator = separator_of(decoded.text)
    kind = _format(separator)
    detected = f"{kind.upper()}, {_encoding(decoded)}, separated by {SEPARATORS[separator]}"
    try:
        # The heading, and one row more than is taken: the rest of a file of millions is not held in memory.
        rows = list(islice(_rows(decoded.text, separator), MAX_ITEMS + 2))
    except csv.Error as error:
        return _refused(kind, detected, str(error))
    return read_rows(kind, detected, rows)


def read_rows(format_name: str, detected: str, rows: Sequence[Row]) -> Reading:
    """The reading of these rows, the first of which is the heading."""
    if refusal := _heading_refusal(rows):
        return Reading(format_name, detected, refusals=refusal)
    headings = [cell or f"column {number}" for number, cell in enumerate(rows[0].cells, 1)]
    body = rows[1:]
    if len(body) > MAX_ITEMS:
        message = f"holds more than {MAX_ITEMS:,} questions; split it into files of {MAX_ITEMS:,}"
        return Reading(format_name, detected, refusals=(Notice("", message),))
    items = tuple(_item(headings, row) for row in body)
    return Reading(format_name, detected, items)


def separator_of(text: str) -> str:
    """The separator with which the heading has most columns we know, then most columns at all."""
    if named := _NAMED.match(text):
        return named.group(1) if named.group(1) in SEPARATORS else ","
    return max(SEPARATORS, key=lambda separator: _known(text, separator))


def known_columns(text: str) -> int:
    """How many columns of the heading we know, read with its most likely separator."""
    separator, named = separator_of(text), _NAMED.match(text)
    return _known(text[named.end() :] if named else text, separator)[0]


def _known(text: str, separator: str) -> tuple[int, int]:
    try:
        heading = next(csv.reader(io.StringIO(text[:20_000], newline=""), delimiter=separator), [])
    except csv.Error:
        heading = []
    return sum(bool(column_of(cell)) for cell in heading), len(heading)


def _rows(text: str, separator: str) -> Iterator[Row]:
    """Every row that has a filled cell. csv.Error names the row at which the table cannot be read."""
    number = 0
    named = _NAMED.match(text)
    if named:
        number, text = 1, text[named.end() :]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise csv.Error(f"row {number}: {_reason(error)}") from error
        if any(cell.strip() for cell in cells):
            yield Row(number, cells)


def _reason(error: csv.Error) -> str:
    if "field larger" in str(error):
        return "a cell is longer than 131,072 characters; perhaps a quotation mark is not closed"
    return "a quotation mark is not closed or stands inside a cell; double each mark inside a quoted cell"


def _heading_refusal(rows: Sequence[Row]) -> tuple[Notice, ...]:
    if not rows:
        return (Notice("", "the file is empty"),)
    headings = rows[0].cells
    if len(headings) > MAX_COLUMNS:
        return (Notice("", f"has {len(headings):,} columns; keep it to {MAX_COLUMNS}"),)
    for heading in headings:
        if found := CONTROL.search(heading):
            return (Notice("", f"row 1 holds the control character {name_of(found.group())}; delete it"),)
    if twice := clashes(headings):
        return tuple(Notice("", f"{clash}; keep one of them and rename the other") for clash in twice)
    if not {column_of(heading) for heading in headings} & set(NEEDED):
        named = ", ".join(shown(heading) for heading in headings[:8])
        message = f"row 1 names neither a column title nor a column prompt; it reads {named}"
        return (Notice("", message),)
    return ()


def _item(headings: list[str], row: Row) -> Item:
    sink = Sink(notices=list(row.notices))
    if len(row.cells) < len(headings):
        sink.note("", f"has {len(row.cells)} cells under {len(headings)} columns; the others count as empty")
    return read_row(f"row {row.number}", headings, row.cells, sink)


def _encoding(decoded: Decoded) -> str:
    return f"{decoded.encoding} (a guess: look at the accents)" if decoded.guessed else decoded.encoding


def _format(separator: str) -> str:
    return "tsv" if separator == "\t" else "csv"


def _refused(kind: str, detected: str, message: str) -> Reading:
    return Reading(kind, detected, refusals=(Notice("", message),))
