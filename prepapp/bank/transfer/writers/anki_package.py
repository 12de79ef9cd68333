"""Writes questions as an Anki deck package, one card each: the prompt in front, answer and rubric behind.

A deck for each topic, below its track. Ids come from the reference and the names, so that a later export
updates the notes of an earlier one and keeps what a learner has achieved. The same questions at the same
moment give the same bytes. Written beyond the card: topic or category, tags, packs, level, kind, minutes and
status as tags (blanks become underscores). Lost: what `LOST` names.
"""

import hashlib
import io
import itertools
import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import genanki

from prepapp.bank.choices import Status
from prepapp.bank.taxonomy import TOPICS, TRACKS
from prepapp.bank.transfer.category_path import join_category
from prepapp.bank.transfer.document import Document
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.readers.anki_note import OWN_FIELDS, OWN_TEXTS, OWN_TYPE, card_of, markdown_of_card
from prepapp.bank.transfer.rubric_text import lines_of
from prepapp.bank.transfer.tagged import tags_of

LOST = (
    "slug",
    "covers",
    "deeper",
    "code",
    "weights_note",
    "pitfalls",
    "followups",
    "references",
    "difficulty",
    "review",
)
# Never changed: Anki knows the note type by it. Fields may only be added at the end.
_MODEL_ID = 1_472_936_858
_ROOT = "prepapp"
_TITLES = {topic.code: topic.title for topic in TOPICS}
_TRACK_TITLES = {track.code: track.title for track in TRACKS}
_HOMES = {topic.code: _TRACK_TITLES[topic.home] for topic in TOPICS}
_PACKED_AT = (1980, 1, 1, 0, 0, 0)
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
_FRONT = """<h3>{{Title}}</h3>
{{Prompt}}
{{#Context}}<h4>Context</h4>{{Context}}{{/Context}}
{{#Data}}<h4>Data</h4>{{Data}}{{/Data}}"""
_BACK = """{{FrontSide}}
<hr id=answer>
{{Model answer}}
{{#Rubric}}<h4>Rubric</h4>{{Rubric}}{{/Rubric}}
<p class=reference>{{Reference}}</p>"""
_STYLE = """.card { font-family: sans-serif; font-size: 18px; max-width: 42em; margin: 0 auto; }
pre { overflow-x: auto; }
table { border-collapse: collapse; }
td, th { border: 1px solid; padding: .2em .5em; }
.reference { font-size: 12px; opacity: .6; }"""


def write_anki_package(entries: Sequence[Entry], *, now: datetime = _EPOCH) -> bytes:
    """An .apkg file of these questions. `now` is the moment of the export: Anki updates a note it has from an
    earlier export only if this one is later."""
    model = _model()
    decks: dict[str, genanki.Deck] = {}
    for position, entry in enumerate(entries):
        name = "::".join(_deck(entry.document))
        if name not in decks:
            decks[name] = genanki.Deck(_id(name), name)
        decks[name].add_note(_note(entry, model, position))
    return _packed(list(decks.values()), now.timestamp())


def _model() -> genanki.Model:
    return genanki.Model(
        _MODEL_ID,
        OWN_TYPE,
        fields=[{"name": name} for name in OWN_FIELDS],
        templates=[{"name": "Question", "qfmt": _FRONT, "afmt": _BACK}],
        css=_STYLE,
        sort_field_index=OWN_FIELDS.index("Title"),
    )


def _deck(document: Document) -> list[str]:
    """The names of the deck, outermost first: track and topic, else the category of the draft."""
    code = document.get("topic")
    if code in _TITLES:
        return [_ROOT, _HOMES[code], _TITLES[code]]
    # Two colons would begin a deck inside.
    path = [*document.get("category", ()), *([code] if code else [])]
    return [_ROOT, *(str(part).replace("::", ": :") for part in path)]


def _note(entry: Entry, model: genanki.Model, position: int) -> genanki.Note:
    document = entry.document
    sources = _sources(document)
    values = {
        "Reference": escape(entry.ref or str(document.get("slug") or "")),
        "Title": escape(document.get("title", "")),
        **{name: card_of(document.get(key, "")) for name, key in OWN_TEXTS.items()},
        "Rubric": _rubric(document),
        "Topic": escape(document.get("topic", "")),
        "Category": escape(join_category([str(part) for part in document.get("category", [])])),
        "Markdown": escape(json.dumps(sources, ensure_ascii=False)) if sources else "",
    }
    status = "" if entry.status == Status.PUBLISHED else entry.status
    tags = ["_".join(str(tag).split()) for tag in tags_of(document, status)]
    identity = entry.ref or document.get("slug") or document.get("title", "")
    return genanki.Note(
        model=model,
        fields=[_storable(values[name]) for name in OWN_FIELDS],
        tags=[_storable(tag) for tag in tags],
        guid=genanki.guid_for(_ROOT, _storable(identity)),
        due=position,
    )


def _sources(document: Document) -> dict[str, str]:
    """The texts that cannot be read back from their cards."""
    texts = {key: document.get(key, "") for key in OWN_TEXTS.values()}
    return {key: text for key, text in texts.items() if text and markdown_of_card(text) != text}


def _rubric(document: Document) -> str:
    points = ["<br>".join(escape(line) for line in lines_of(point)) for point in document.get("rubric", [])]
    return "<ul>" + "".join(f"<li>{point}</li>" for point in points) + "</ul>" if points else ""


def _storable(text: str) -> str:
    """Text as the fields of a note can hold it: no separator of fields, no half character pair."""
    return text.replace("\x1f", " ").encode("utf-8", "replace").decode()


def _id(name: str) -> int:
    """A number of 31 bits for a name, the same every time."""
    digest = hashlib.sha256(name.encode("utf-8", "replace")).digest()
    return 1 << 30 | int.from_bytes(digest[:4]) >> 2


def _packed(decks: list[genanki.Deck], timestamp: float) -> bytes:
    # genanki's own way to write a package leaves its database behind in the folder for temporary files.
    connection = sqlite3.connect(":memory:")
    try:
        numbers = itertools.count(int(timestamp * 1000))
        genanki.Package(decks).write_to_db(connection.cursor(), timestamp, numbers)
        connection.commit()
        database = connection.serialize()
    finally:
        connection.close()
    file = io.BytesIO()
    with ZipFile(file, "w") as package:
        for name, content in (("collection.anki2", database), ("media", b"{}")):
            member = ZipInfo(name, _PACKED_AT)
            member.compress_type = ZIP_DEFLATED
            package.writestr(member, content)
    return file.getvalue()
