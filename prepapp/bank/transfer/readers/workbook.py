"""Reads a spreadsheet: the sheet named "questions", else the first.

Here: what a cell that is not text becomes. Formulas are taken as their text and never computed. Not here:
what a column means (`columns`), old binary spreadsheets.
"""

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any
from zipfile import BadZipFile

from openpyxl import load_workbook
from openpyxl.utils.escape import unescape

from prepapp.bank.transfer.item import Notice, Reading
from prepapp.bank.transfer.readers.archives import open_archive
from prepapp.bank.transfer.readers.columns import column_of
from prepapp.bank.transfer.readers.limits import MAX_COLUMNS, MAX_ITEMS
from prepapp.bank.transfer.readers.shapes import below
from prepapp.bank.transfer.readers.tables import Row, read_rows

SHEET = "questions"
# Columns in which a number is what is wanted.
_NUMBERS = ("schema", "minutes", "level", "code.timeout_s", "review.recheck_months")
# The last row a spreadsheet can have.
_LAST_ROW = 1_048_576
# What openpyxl raises for a zip that only looks like a spreadsheet; XML that breaks off is a SyntaxError.
_UNREADABLE = (
    *(
        BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        SyntaxError,
        OSError,
        EOFError,
    ),
    *(NotImplementedError, RuntimeError, OverflowError),
)


def read_workbook(data: bytes, name: str) -> Reading:
    """Every filled row below the heading as an item."""
    archive = open_archive(data)
    if isinstance(archive, str):
        return Reading("xlsx", "XLSX", refusals=(Notice("", archive),))
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=False, keep_links=False)
        sheets = book.worksheets
        sheet = next((one for one in sheets if one.title.strip().casefold() == SHEET), sheets[0])
        title = str(sheet.title)
        rows = list(_rows(sheet))
    except _UNREADABLE:
        message = "the spreadsheet cannot be read; open it, save it as .xlsx and try again"
        return Reading("xlsx", "XLSX", refusals=(Notice("", message),))
    return read_rows("xlsx", f"XLSX, sheet {below('', title)!r} of {len(sheets)}", rows)


def _rows(sheet: Any) -> Iterator[Row]:
    """Every row that has a filled cell, up to one more than is allowed."""
    sheet.reset_dimensions()
    headings: list[str] = []
    found = 0
    cells = sheet.iter_rows(max_row=_LAST_ROW, max_col=MAX_COLUMNS + 1)
    for number, raw in enumerate(cells, 1):
        if found > MAX_ITEMS + 1:
            return
        if all(cell.value is None for cell in raw):
            continue
        texts = [_text(cell) for cell in raw]
        while texts and not texts[-1][0].strip():
            texts.pop()
        if not texts:
            continue
        found += 1
        if not headings:
            headings = [text for text, _ in texts]
        texts.extend(("", "") for _ in range(len(headings) - len(texts)))
        yield Row(number, [text for text, _ in texts], tuple(_notices(headings, texts)))


def _text(cell: Any) -> tuple[str, str]:
    """The text of a cell, and what it was if that was no text."""
    value = cell.value
    if value is None:
        return "", ""
    if isinstance(value, bool):
        return ("true" if value else "false"), "yes/no value"
    if isinstance(value, (int, float)):
        whole = isinstance(value, int) or value.is_integer()
        return (str(int(value)) if whole else repr(value)), "number"
    if isinstance(value, datetime):
        plain = value.time() == time() and value.tzinfo is None
        return (value.date().isoformat() if plain else value.isoformat(" ")), "date"
    if isinstance(value, (date, time, timedelta)):
        return str(value), "date" if isinstance(value, date) else "time"
    if cell.data_type == "f":
        return str(getattr(value, "text", None) or value), "formula"
    return unescape(str(value)), "fault of the spreadsheet" if cell.data_type == "e" else ""


def _notices(headings: list[str], texts: list[tuple[str, str]]) -> Iterator[Notice]:
    for heading, (text, kind) in zip(headings, texts, strict=False):
        column = column_of(heading)
        if not kind or (kind == "number" and column in (*_NUMBERS, "difficulty")):
            continue
        if kind == "date" and column == "review.reviewed":
            continue
        advice = "its value is not computed" if kind == "formula" else "format the cell as text to be sure"
        yield Notice(below("", heading), f"holds a {kind}, taken as the text {text[:60]!r}; {advice}")
