"""Writes a spreadsheet with one row per question on a sheet named "questions".

Every cell is text or a whole number, none a formula. Not here: what stands in a cell (`cells`).
"""

import io
import re
from collections.abc import Sequence
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.readers.workbook import SHEET
from prepapp.bank.transfer.writers.cells import COLUMNS, NUMBERS, cells_of
from prepapp.bank.transfer.writers.unwritable import Unwritable

# What a cell of a spreadsheet can hold; a longer text would be cut without a word.
MAX_CELL = 32_767
_LONG = frozenset({"prompt", "context", "data", "model_answer", "deeper", "rubric"})
_WIDE, _NARROW = 60, 18
# A sheet's XML turns a carriage return into a line feed; `_x000D_` is how a cell spells one out.
_SPELT_OUT = re.compile(r"\r|_(?=x[0-9A-Fa-f]{4}_)")


def write_workbook(entries: Sequence[Entry]) -> bytes:
    """The bytes of an .xlsx file. Unwritable if a text fits into no cell."""
    # All of them before the first is written: a sheet that is left half written is noisy.
    rows = [_texts(entry) for entry in entries]
    book = Workbook(write_only=True)
    sheet = book.create_sheet(SHEET)
    sheet.freeze_panes = "A2"
    for number, column in enumerate(COLUMNS, 1):
        width = _WIDE if column in _LONG else _NARROW
        sheet.column_dimensions[get_column_letter(number)].width = width
    bold = Font(bold=True)
    sheet.append([_cell(sheet, column, bold) for column in COLUMNS])
    for row in rows:
        sheet.append([_cell(sheet, value) if isinstance(value, str) else value for value in row])
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def _texts(entry: Entry) -> list[str | int | None]:
    """The values of a row: text, whole numbers, None for nothing."""
    found: list[str | int | None] = []
    for column, text in cells_of(entry).items():
        if column in NUMBERS and text.isdecimal():
            found.append(int(text))
            continue
        spelt = _SPELT_OUT.sub(lambda sign: f"_x{ord(sign.group()):04X}_", text)
        if len(spelt) > MAX_CELL:
            name = entry.document.get("slug") or entry.ref
            raise Unwritable(
                f"{name}: {column} is {len(spelt):,} characters long and a cell holds {MAX_CELL:,}; "
                "export to CSV, JSON or YAML instead"
            )
        found.append(spelt or None)
    return found


def _cell(sheet: Any, text: str, font: Font | None = None) -> Any:
    cell = WriteOnlyCell(sheet, value=text)
    # Text that begins like a formula or names an error would be taken for one.
    cell.data_type = "s"
    cell.alignment = Alignment(vertical="top", wrap_text=True)
    if font:
        cell.font = font
    return cell
