"""A question as the cells of one row, each the text `readers.columns` reads it back from.

Here: notations, the guard before what a spreadsheet would run, and the column `more` for what no other column
gives back unchanged. Not here: separators (`tables`), sheets (`workbook`).
"""

import json
from collections.abc import Mapping
from typing import Any

from prepapp.bank.transfer.document import BESIDE, KEYS, Document
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.readers.columns import BLOCKS, MORE, RUNS, read_row
from prepapp.bank.transfer.readers.shapes import CONTROL
from prepapp.bank.transfer.writers.yaml_bank import loose

# Columns of whole numbers, which a sheet may hold as numbers.
NUMBERS = frozenset({"schema", "minutes", "code.timeout_s", "review.recheck_months"})
_HEAD = ("schema", "id", "status", "topic", "category")


def _columns() -> tuple[str, ...]:
    keys = [key for key in (*KEYS, "source") if key not in _HEAD]
    parts = {block: [f"{block}.{key}" for key in inner] for block, inner in BLOCKS.items()}
    return (*_HEAD, *(column for key in keys for column in parts.get(key, [key])), MORE)


COLUMNS = _columns()


def cells_of(entry: Entry) -> dict[str, str]:
    """Text by column; '' where there is nothing to state."""
    stated = loose(entry.document)
    cells = {"schema": "1", "id": entry.ref, "status": entry.status}
    for key, value in stated.items():
        cells |= _cells(key, value)
    kept = read_row("", list(cells), [guarded(text) for text in cells.values()]).document
    changed = [key for key in (*KEYS, *BESIDE) if kept.get(key, _ABSENT) != entry.document.get(key, _ABSENT)]
    for key in changed:
        cells |= dict.fromkeys(_cells(key, stated.get(key, "")), "")
    more = {key: stated[key] for key in changed if key in stated}
    cells[MORE] = _json(more) if more else ""
    return {column: guarded(cells.get(column, "")) for column in COLUMNS}


def guarded(text: str) -> str:
    """The text with an apostrophe before it if a spreadsheet would run it; `readers.columns` takes it off."""
    return f"'{text}" if RUNS.match(text) else text


_ABSENT = object()


def _cells(key: str, value: Any) -> Document:
    """The cells one key fills, as people write them where that says all, else as JSON."""
    if key in BLOCKS:
        block = value if isinstance(value, Mapping) else {}
        return {f"{key}.{part}": _text(f"{key}.{part}", block.get(part, "")) for part in BLOCKS[key]}
    return {key: _text(key, value)}


def _text(column: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        plain = _lines(column, value)
        return _json(value) if plain is None else plain
    return _json(value)


def _json(value: Any) -> str:
    """JSON that reads as what it says, with signs spelt out that no file should hold."""
    text = json.dumps(value, ensure_ascii=False)
    return CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _lines(column: str, values: list[Any]) -> str | None:
    """A list without JSON, or None if that would not give it back."""
    if column == "rubric":
        lines = [f"{point.get('weight')} | {point.get('criterion')}" for point in values]
        text, back = "\n".join(lines), "rubric"
    elif all(isinstance(value, str) for value in values):
        text, back = (", " if column in {"tags", "packs", "covers"} else "\n").join(values), column
    else:
        return None
    read = read_row("", [back], [text]).document
    found = read.get("code", {}).get("wrong") if column == "code.wrong" else read.get(column)
    return text if found == values else None
