"""Reads the notes of an Anki deck package: a zip with a small database and media.

Here: which database of the zip counts, packed or not, and its two table layouts. The newest one counts: Anki
adds an older one that only asks for a newer program. What becomes of a note: `anki_note`. How a database of
a stranger is opened: `foreign_database`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zipfile import ZipFile

import zstandard

from prepapp.bank.transfer.item import Item, Reading
from prepapp.bank.transfer.readers.anki_note import Note, read_note
from prepapp.bank.transfer.readers.archives import open_archive, read_member
from prepapp.bank.transfer.readers.foreign_database import Unreadable, read_tables
from prepapp.bank.transfer.readers.free_text import complete, refused, too_large
from prepapp.bank.transfer.readers.limits import MAX_ITEMS, MAX_UNPACKED

FORMAT = "anki-package"
_PACKED = "collection.anki21b"
_DATABASES = (_PACKED, "collection.anki21", "collection.anki2")
# Anki packs with windows of 8 MB at most; a larger one is memory somebody else decides on.
_WINDOW = 2**25
_FIELD_END = "\x1f"

_COLUMNS = {
    "col": ("models", "decks"),
    "notes": ("id", "guid", "mid", "tags", "flds"),
    "cards": ("nid", "did", "ord"),
    "notetypes": ("id", "name"),
    "fields": ("ntid", "ord", "name"),
    "decks": ("id", "name"),
}


@dataclass(frozen=True)
class _Collection:
    """Names of note types, of their fields and of decks, by id; the deck of each note."""

    types: Mapping[int, str]
    fields: Mapping[int, list[str]]
    decks: Mapping[int, str]
    deck_of: Mapping[int, int]


def read_anki_package(data: bytes, name: str) -> Reading:
    """Every note of the package as an item named by its number. Refused whole if it cannot be opened."""
    if reason := too_large(data):
        return _refused(reason)
    archive = open_archive(data)
    if isinstance(archive, str):
        return _refused(archive)
    database = _database(archive)
    if isinstance(database, str):
        return _refused(database)
    try:
        tables = read_tables(database, _COLUMNS, most_rows={"notes": MAX_ITEMS})
        collection = _new_layout(tables) if tables["notetypes"] else _old_layout(tables)
    except Unreadable as error:
        return _refused(f"the collection in the package {error}; export it from Anki again")
    rows = sorted(tables["notes"], key=lambda row: _number(row[0]))
    items = (_item(number, row, collection) for number, row in enumerate(rows, 1))
    return complete(FORMAT, "Anki deck package", items)


def _refused(message: str) -> Reading:
    return refused(FORMAT, "Anki deck package", message)


def _database(archive: ZipFile) -> bytes | str:
    """The bytes of the newest database, unpacked, or why they cannot be had."""
    names = archive.namelist()
    found = next((name for name in _DATABASES if name in names), None)
    if found is None:
        return "the package holds no collection; export it from Anki again"
    data = read_member(archive, archive.getinfo(found), MAX_UNPACKED)
    if isinstance(data, str):
        return f"the collection {data}"
    return _unpack(data) if found == _PACKED else data


def _unpack(data: bytes) -> bytes | str:
    packed = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
    try:
        with packed.stream_reader(data) as stream:
            unpacked = bytes(stream.read(MAX_UNPACKED + 1))
    except zstandard.ZstdError:
        return "the collection is damaged in the package; export it from Anki again"
    if len(unpacked) > MAX_UNPACKED:
        return f"the collection unpacks to more than {MAX_UNPACKED // 1_000_000} MB; export smaller decks"
    return unpacked


def _old_layout(tables: Mapping[str, list[tuple[Any, ...]]]) -> _Collection:
    """Note types and decks as JSON in the one row of `col`."""
    if not tables["col"]:
        raise Unreadable("is empty")
    models, decks = (_objects(text) for text in tables["col"][0])
    fields = {
        key: [_name(entry) for entry in model["flds"]] if isinstance(model.get("flds"), list) else []
        for key, model in models.items()
    }
    types = {key: _name(model) for key, model in models.items()}
    return _Collection(types, fields, {key: _name(deck) for key, deck in decks.items()}, _decks_of(tables))


def _new_layout(tables: Mapping[str, list[tuple[Any, ...]]]) -> _Collection:
    """Note types, fields and decks as rows; the parts of a deck's name end with a unit separator."""
    fields: dict[int, list[str]] = {}
    for type_id, _, name in sorted(tables["fields"], key=lambda row: (_number(row[0]), _number(row[1]))):
        fields.setdefault(_number(type_id), []).append(_text(name))
    decks = {_number(key): _text(name).replace(_FIELD_END, "::") for key, name in tables["decks"]}
    types = {_number(key): _text(name) for key, name in tables["notetypes"]}
    return _Collection(types, fields, decks, _decks_of(tables))


def _decks_of(tables: Mapping[str, list[tuple[Any, ...]]]) -> dict[int, int]:
    """The deck of the first card of each note."""
    cards = sorted(
        ((_number(nid), _number(order), _number(did)) for nid, did, order in tables["cards"]), reverse=True
    )
    return {nid: did for nid, _, did in cards}


def _objects(text: Any) -> dict[int, dict[str, Any]]:
    """A JSON object of objects with numbers for keys."""
    try:
        whole = json.loads(_text(text))
    except (ValueError, RecursionError) as error:
        raise Unreadable("has note types or decks that are no valid JSON") from error
    if not isinstance(whole, dict):
        raise Unreadable("has no note types or decks")
    return {_number(key): value for key, value in whole.items() if isinstance(value, dict)}


def _name(entry: Any) -> str:
    return _text(entry.get("name")) if isinstance(entry, dict) else ""


def _item(number: int, row: tuple[Any, ...], collection: _Collection) -> Item:
    note_id, guid, type_id, tags, texts = row
    names = collection.fields.get(_number(type_id), [])
    values = _text(texts).split(_FIELD_END)
    return read_note(
        Note(
            place=f"note {number}",
            fields=[
                (names[index] if index < len(names) else "", value) for index, value in enumerate(values)
            ],
            tags=_text(tags).split(),
            deck=collection.decks.get(collection.deck_of.get(_number(note_id), 0), ""),
            note_type=collection.types.get(_number(type_id), ""),
            guid=_text(guid),
        )
    )


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else "" if value is None else str(value)


def _number(value: Any) -> int:
    """An id; 0 for what is none. Text of more digits than an id has is none."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int) else 0
