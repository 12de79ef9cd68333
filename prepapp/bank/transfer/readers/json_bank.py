"""Reads a bank as JSON: a list of questions, or `{"questions": [...]}`.

Here: syntax, keys given twice, the list. Not here: the fields of a question (`fields`).
"""

import json
from collections.abc import Mapping
from typing import Any

from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers.fields import read_item
from prepapp.bank.transfer.readers.limits import MAX_ITEMS
from prepapp.bank.transfer.readers.shapes import pairs, shown
from prepapp.bank.transfer.readers.text_files import decode

VERSION = 1


def read_json_bank(data: bytes, name: str) -> Reading:
    """Every question of the list as an item named by its number; an entry that is no object is a fault."""
    decoded = decode(data)
    if decoded is None:
        return _refused("the file is not UTF-8; save it with the encoding UTF-8")
    try:
        whole = json.loads(decoded.text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        return _refused(f"is not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}")
    except ValueError:
        return _refused("holds a number of thousands of digits; shorten it or put it in quotes")
    except RecursionError:
        return _refused("is nested too deeply; a question needs no more than five levels")
    entries = _entries(whole)
    if isinstance(entries, str):
        return _refused(entries)
    if len(entries) > MAX_ITEMS:
        return _refused(f"holds {len(entries):,} questions; split it into files of {MAX_ITEMS:,}")
    items = tuple(_item(f"item {number}", entry) for number, entry in enumerate(entries, 1))
    return Reading("json", f"JSON, {decoded.encoding}", items)


def _entries(whole: Any) -> list[Any] | str:
    """The questions, or why there is no list of them."""
    if isinstance(whole, list):
        return whole
    if not isinstance(whole, Mapping):
        return f"is {shown(whole)} where a list of questions is expected"
    if repeated := getattr(whole, "repeated", ()):
        return f"the key {shown(repeated[0])} is given twice; keep one of them"
    if whole.get("version", VERSION) != VERSION:
        return f"is of version {shown(whole['version'])}; this program reads version {VERSION}"
    entries = whole.get("questions")
    if not isinstance(entries, list):
        return 'has no list of questions; write {"questions": [...]} or a list'
    return entries


def _item(place: str, entry: Any) -> Item:
    if not isinstance(entry, Mapping):
        return Item(place, faults=(Notice("", f"{place} is not an object but {shown(entry)}"),))
    return read_item(place, entry)


def _refused(message: str) -> Reading:
    return Reading("json", "JSON", refusals=(Notice("", message),))
