"""A row of a table as keys and values: which column is which field, and how a cell spells a list.

A cell is text. Lists and blocks have a notation for people, and JSON where that does not carry them:

- `rubric`: one point per line, `points | text`; else a JSON list;
- `tags`, `packs`, `covers`: parted by lines, else by commas, else by semicolons; else a JSON list;
- `pitfalls`, `followups`, `references`, `code.wrong`: one per line; else a JSON list;
- `code.…`, `difficulty.…`, `review.…`: one column for each key of the block;
- `more`: a JSON object with what no other column of the row states.

An empty cell states nothing. Rows written by us have `schema` 1; in them a text that a spreadsheet would
run is guarded by an apostrophe (`unguarded`). Not here: dialects and encodings (`tables`), sheets
(`workbook`), writing (`writers.cells`).
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from prepapp.bank.transfer.item import Item
from prepapp.bank.transfer.readers.fields import NAMES, canonical, read_item
from prepapp.bank.transfer.readers.limits import MAX_CELL
from prepapp.bank.transfer.readers.shapes import Sink, below, pairs, say_unknown, shown

MORE = "more"
BLOCKS = {
    "code": ("language", "timeout_s", "solution", "check", "wrong"),
    "difficulty": ("rationale", "easier", "harder"),
    "review": ("reviewed", "recheck_months"),
}
PARTS = {f"{block}.{key}": (block, key) for block, keys in BLOCKS.items() for key in keys}

_POINTS = re.compile(r"\s*([-+]?[\d.,]+(?:[eE][-+]?\d+)?)\s*\|\s?(.*)", re.DOTALL)
_COMMA = re.compile(r"\d+,\d{1,2}")
_LINES = re.compile(r"\r\n|\r|\n")
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+|doi:\S+")
# What makes a spreadsheet run a cell, whatever blanks stand before it, also in full width.
_RUNS = r"(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])"
# What makes a spreadsheet run a cell, whatever blanks stand before it, also in full width; and that text
# with apostrophes of its own before it, so that guarding it can be undone.
RUNS = re.compile(f"'*{_RUNS}")
_GUARDED = re.compile(f"'+{_RUNS}")


def column_of(heading: str) -> str:
    """The field, part of a block, or `more` a heading names; '' if none."""
    plain = heading.strip().casefold()
    return plain if plain in PARTS or plain == MORE else canonical(heading)


def clashes(headings: Sequence[str]) -> list[str]:
    """One sentence for each pair of headings that name the same field."""
    seen: dict[str, str] = {}
    found: list[str] = []
    for heading in headings:
        plain = column_of(heading) or heading.strip().casefold()
        if plain and plain in seen:
            found.append(f"the columns {shown(seen[plain])} and {shown(heading)} are the same field")
        elif plain:
            seen[plain] = heading
    return found


def read_row(place: str, headings: Sequence[str], cells: Sequence[str], sink: Sink | None = None) -> Item:
    """The item of one row. Cells beyond the headings are a fault: a text holds the separator unquoted."""
    sink = sink or Sink()
    filled = {index: cell for index, cell in enumerate(cells) if cell.strip()}
    if beyond := [cell for index, cell in filled.items() if index >= len(headings)]:
        count = len(headings) + len(beyond)
        sink.fault("", f"has {count} cells under {len(headings)} columns; put text with separators in quotes")
    named = {headings[index]: cell for index, cell in filled.items() if index < len(headings)}
    ours = any(column_of(heading) == "schema" for heading in named)
    return read_item(place, _values(named, ours, sink), sink)


def unguarded(cell: str) -> str:
    """The text behind the apostrophe we put before what a spreadsheet would run."""
    return cell[1:] if _GUARDED.match(cell) else cell


def _values(named: Mapping[str, str], ours: bool, sink: Sink) -> dict[str, Any]:
    values: dict[str, Any] = {}
    blocks: dict[str, dict[str, Any]] = {}
    more: dict[str, Any] = {}
    for heading, raw in named.items():
        name, path = column_of(heading), below("", heading)
        if len(raw) > MAX_CELL:
            sink.fault(path, f"is {len(raw):,} characters long; keep a cell to {MAX_CELL:,}")
            continue
        if not ours and _GUARDED.match(raw):
            sink.note(path, "begins with an apostrophe, which is kept as part of the text")
        cell = unguarded(raw) if ours else raw
        if not name:
            say_unknown(heading, path, (*NAMES, *PARTS), sink)
        elif name == MORE:
            more = _object(cell, path, sink)
        elif name in PARTS:
            block, key = PARTS[name]
            part = _lines(cell, path, sink) if key == "wrong" else cell
            blocks.setdefault(block, {})[key] = part
        else:
            values[heading] = _CELLS[name](cell, path, sink) if name in _CELLS else cell
    stated = {column_of(key) for key in values}
    for block in blocks.keys() & stated:
        sink.fault(block, f"is stated both in a column of its own and in columns {block}.…; keep one of them")
    return {key: value for key, value in (more | blocks).items() if key not in stated} | values


def _json(cell: str, path: str, sink: Sink) -> Any:
    """The value of a cell in JSON; None with a fault if it cannot be read."""
    try:
        return json.loads(cell, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        sink.fault(path, f"begins like JSON and cannot be read as such: {str(error)[:100]}")
        return None


def _block(cell: str, path: str, sink: Sink) -> Any:
    """A block in one cell is JSON; anything else is text."""
    return _object(cell, path, sink) if cell.lstrip().startswith("{") else cell


def _object(cell: str, path: str, sink: Sink) -> dict[str, Any]:
    value = _json(cell, path, sink)
    if isinstance(value, dict):
        return value
    if value is not None:
        sink.fault(path, f"is {shown(value)} where a JSON object is expected")
    return {}


def _is_list(cell: str, opening: str) -> bool:
    return re.match(opening, cell.lstrip()) is not None


def _words(cell: str, path: str, sink: Sink) -> list[Any]:
    """Tags and the like, blanks around each aside."""
    if _is_list(cell, r'\[\s*["\]]'):
        return _json(cell, path, sink) or []
    between = next((mark for mark in ("\n", ",", ";") if mark in cell.strip()), "\n")
    return [word.strip() for word in cell.split(between) if word.strip()]


def _lines(cell: str, path: str, sink: Sink) -> list[Any]:
    if _is_list(cell, r'\[\s*["{\]]'):
        return _json(cell, path, sink) or []
    return [line for line in _LINES.split(cell) if line.strip()]


def _rubric(cell: str, path: str, sink: Sink) -> list[Any]:
    if _is_list(cell, r"\[\s*[{\]]"):
        return _json(cell, path, sink) or []
    return [_point(line, path, sink) for line in _LINES.split(cell) if line.strip()]


def _point(line: str, path: str, sink: Sink) -> dict[str, Any]:
    parts = _POINTS.fullmatch(line)
    if parts is None:
        sink.note(path, f"the line {shown(line)} states no points; write it as: points | text")
        return {"text": line}
    number, text = parts.groups()
    if _COMMA.fullmatch(number):
        plain = number.replace(",", ".")
        sink.note(path, f"{number} points are taken as {plain}")
        number = plain
    return {"points": number, "text": text}


def _follow_ups(cell: str, path: str, sink: Sink) -> list[Any]:
    return [
        {"id": f"f{number}", "prompt": entry} if isinstance(entry, str) else entry
        for number, entry in enumerate(_lines(cell, path, sink), 1)
    ]


def _references(cell: str, path: str, sink: Sink) -> list[Any]:
    return [_reference(entry) if isinstance(entry, str) else entry for entry in _lines(cell, path, sink)]


def _reference(line: str) -> dict[str, str]:
    """An address with or without a title before or behind it; without an address, a title."""
    address = _ADDRESS.search(line)
    if address is None:
        return {"title": line.strip()}
    title = (line[: address.start()] + line[address.end() :]).strip(" \t|:-–()<>")
    url = address.group().rstrip(">)")
    return {"title": title, "url": url} if title else {"url": url}


_CELLS: dict[str, Callable[[str, str, Sink], Any]] = {
    "code": _block,
    "difficulty": _block,
    "review": _block,
    "tags": _words,
    "packs": _words,
    "covers": _words,
    "rubric": _rubric,
    "pitfalls": _lines,
    "followups": _follow_ups,
    "references": _references,
}
