"""An item of a foreign file, from the texts its reader found.

Here: what is the same for Moodle, GIFT and Anki: which texts are put where, what is said about pictures that
are lost, an id of another program, checks of every value. Not here: any format.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from prepapp.bank.transfer.document import BESIDE, KEYS, Document
from prepapp.bank.transfer.html_text import Converted
from prepapp.bank.transfer.item import Item, Notice, Reading
from prepapp.bank.transfer.readers.fields import REF, RUBRIC, SHAPES
from prepapp.bank.transfer.readers.limits import MAX_FILE, MAX_ITEMS, MAX_SLUG, MAX_WORDS
from prepapp.bank.transfer.readers.shapes import MISSING, ListOf, Sink, Text
from prepapp.bank.transfer.rubric_text import points_of
from prepapp.bank.transfer.tagged import read_tags

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_WORD = Text(MAX_WORDS)
_SHAPES = {
    **SHAPES,
    "rubric": RUBRIC,
    "category": ListOf(_WORD),
    "slug": _WORD,
    "level": _WORD,
    "kind": _WORD,
    "topic": _WORD,
}
_EXCERPT = 60
# Of things that are lost, of one kind in one text.
_NAMED = 10


@dataclass
class Draft:
    """One question as far as it is read."""

    place: str
    document: Document = field(default_factory=dict)
    sink: Sink = field(default_factory=Sink)
    ref: str = ""
    status: str = ""

    def put(self, key: str, text: str) -> None:
        """A text as it is, unless it is blank."""
        if text.strip():
            self.document[key] = text

    def convert(self, key: str, converted: Converted) -> None:
        """A text that was HTML, and what was lost of it."""
        self.put(key, converted.text)
        self.report(key, converted.lost)

    def report(self, key: str, lost: tuple[str, ...]) -> None:
        """A notice for each thing that no text can hold."""
        things = list(dict.fromkeys(lost))
        for thing in things[:_NAMED]:
            self.sink.note(key, f"{thing} is not kept; put it into words")
        if len(things) > _NAMED:
            self.sink.note(key, f"{len(things) - _NAMED:,} more like these are not kept")

    def identify(self, name: str, value: str) -> None:
        """An id of another program: our reference, or a slug if it makes one in small letters, or else a note
        on the source."""
        value = value.strip()
        slug = value.casefold()
        if REF.fullmatch(value):
            self.ref = value
        elif _SLUG.fullmatch(slug) and len(slug) <= MAX_SLUG:
            self.document["slug"] = slug
        elif value:
            self.document["source"] = f"{name}: {value}"

    def tag(self, tags: list[str]) -> None:
        """The tags of a file, those that carry another field included."""
        tagged = read_tags(tags)
        self.document |= tagged.document
        self.status = self.status or tagged.status

    def rubric(self, paragraphs: list[str], name: str) -> None:
        """Notes for whoever grades as a rubric that waits for a curator."""
        if points := points_of(paragraphs):
            self.document["rubric"] = points
            self.sink.note("rubric", f"taken from the {name}: check the points and their weights")

    def item(self, skipped: str = "") -> Item:
        """The item, each value checked; values that do not fit are faults and left out."""
        taken = {key: _SHAPES[key].take(value, key, self.sink) for key, value in self.document.items()}
        document = {key: taken[key] for key in (*KEYS, *BESIDE) if taken.get(key, MISSING) is not MISSING}
        if not skipped and not self.sink.faults and not {"title", "prompt"} & document.keys():
            self.sink.fault("prompt", "there is neither a title nor a prompt; write one of them")
        if skipped:
            return Item(self.place, document, skipped=skipped)
        notices, faults = tuple(self.sink.notices), tuple(self.sink.faults)
        return Item(self.place, document, self.ref, self.status, notices, faults)


def excerpt(text: str) -> str:
    """The beginning of a text on one line, in quotes."""
    line = " ".join(text.split())
    return f'"{line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"}"'


def refused(format_name: str, detected: str, message: str) -> Reading:
    """A file of which nothing is taken."""
    return Reading(format_name, detected, refusals=(Notice("", message),))


def too_large(data: bytes) -> str:
    """Why a file of this size is refused, or ''."""
    if not data:
        return "the file is empty"
    if len(data) > MAX_FILE:
        return f"the file is {len(data) / 1_000_000:.1f} MB large; keep it to {MAX_FILE // 1_000_000} MB"
    return ""


def complete(format_name: str, detected: str, items: Iterable[Item]) -> Reading:
    """The reading of a whole file; refused if it has no question or too many, which are not even read."""
    taken = tuple(islice(items, MAX_ITEMS + 1))
    if not taken:
        return refused(format_name, detected, "0 questions found")
    if len(taken) > MAX_ITEMS:
        message = f"holds more than {MAX_ITEMS:,} questions; split it"
        return refused(format_name, detected, message)
    return Reading(format_name, detected, taken)
