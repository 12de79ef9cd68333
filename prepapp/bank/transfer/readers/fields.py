"""One question from the keys and values a file gives it, whatever the format.

Here: what a key may be called, which shape its value has, what becomes of slug, topic, category, level and
status. A key the file does not state is absent from the document. Not here: how a format spells keys and
values (`json_bank`, `yaml_bank`, `columns`).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from prepapp.bank.transfer.categories import place
from prepapp.bank.transfer.category_path import split_category
from prepapp.bank.transfer.document import BESIDE, KEYS, Document
from prepapp.bank.transfer.item import Item
from prepapp.bank.transfer.readers import limits
from prepapp.bank.transfer.readers.shapes import (
    MISSING,
    Block,
    ListOf,
    Number,
    Shape,
    Sink,
    Text,
    YesNo,
    below,
    say_repeated,
    say_unknown,
    shown,
    too_many_keys,
)
from prepapp.bank.transfer.readers.words import KIND_WORDS, LEVEL_WORDS, STATUSES, meaning

# What other banks call the fields of a document.
OTHER_NAMES = {
    "name": "title",
    "question": "prompt",
    "question_text": "prompt",
    "answer": "model_answer",
    "solution": "model_answer",
    "sample_answer": "model_answer",
    "criteria": "rubric",
    "tag": "tags",
    "labels": "tags",
    "keywords": "tags",
    "categories": "category",
    "subject": "category",
    "type": "kind",
    "duration": "minutes",
    "follow_ups": "followups",
    "common_mistakes": "pitfalls",
    "ref": "id",
    "reference": "id",
    "state": "status",
}
REF = re.compile(r"[a-z]+\.[a-z0-9]+-[0-9]{3,6}|draft-[0-9a-f]{12}")
TOPIC = re.compile(r"[a-z]+\.[a-z0-9]+")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_WORD = Text(limits.MAX_WORDS)
_WORDS = ListOf(_WORD)
_TEXTS = ListOf(Text())
_POINT = Block(
    {
        "id": _WORD,
        "weight": Number("number of points", limits.MAX_POINTS, whole=False),
        "must": YesNo(),
        "criterion": Text(),
        "met": Text(),
        "partial": Text(),
    },
    {"points": "weight", "text": "criterion"},
)
RUBRIC = ListOf(_POINT, '[{"points": 1, "text": "..."}]')
_MINUTES = Number("number of minutes", 600)
SHAPES: dict[str, Shape] = {
    "title": Text(limits.MAX_TITLE),
    "minutes": _MINUTES,
    "tags": _WORDS,
    "packs": _WORDS,
    "covers": _WORDS,
    "prompt": Text(),
    "context": Text(),
    "data": Text(),
    "model_answer": Text(),
    "deeper": Text(),
    "code": Block(
        {
            "language": _WORD,
            "timeout_s": Number("number of seconds", 600),
            "solution": Text(),
            "check": Text(),
            "wrong": _TEXTS,
        }
    ),
    "weights_note": Text(),
    "pitfalls": _TEXTS,
    "followups": ListOf(
        Block({"id": _WORD, "minutes": _MINUTES, "prompt": Text(), "answer": Text(), "rubric": RUBRIC}),
        '[{"prompt": "...", "answer": "..."}]',
    ),
    "references": ListOf(
        Block({"title": _WORD, "url": _WORD, "supports": _WORDS}), '[{"title": "...", "url": "https://..."}]'
    ),
    "review": Block({"reviewed": _WORD, "recheck_months": Number("number of months", 600)}),
    "source": Text(),
}
_NOTES = Block({"rationale": Text(), "easier": Text(), "harder": Text()})

NAMES = (*KEYS, *BESIDE, "id", "status", "schema")


def canonical(name: str) -> str:
    """The field a key or a column heading names, or '' if none: blanks, capitals and hyphens aside."""
    plain = re.sub(r"[\s_-]+", "_", name.strip().casefold())
    plain = OTHER_NAMES.get(plain, plain)
    return plain if plain in NAMES else ""


def read_item(place_name: str, values: Mapping[str, Any], sink: Sink | None = None) -> Item:
    """The item these keys and values state. `sink` holds what was said about it before."""
    reader = _Fields(sink or Sink())
    if too_many_keys(values, "", reader.sink):
        return reader.item(place_name)
    say_repeated(values, "", reader.sink)
    taken: dict[str, str] = {}
    for key, value in values.items():
        name, path = canonical(key), below("", key)
        if not name:
            say_unknown(key, path, (*NAMES, *OTHER_NAMES), reader.sink)
        elif name in taken:
            reader.sink.fault(path, f"says the same as {taken[name]!r}; keep one of them")
        else:
            taken[name] = path
            reader.take(name, value, path)
    return reader.item(place_name)


class _Fields:
    """The document as far as it is read."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.document: Document = {}
        self.ref = ""
        self.status = ""
        self.aside: list[str] = []
        self.foreign_id = ("", "")
        self.special: dict[str, Callable[[Any, str], None]] = {
            "id": self._id,
            "slug": self._slug,
            "status": self._status,
            "level": self._level,
            "kind": self._kind,
            "topic": self._topic,
            "category": self._category,
            "rubric": self._rubric,
            "difficulty": self._difficulty,
            "schema": self._schema,
        }

    def take(self, name: str, value: Any, path: str) -> None:
        """Puts the value of one field into the document."""
        if name in self.special:
            self.special[name](value, path)
        else:
            self._put(name, SHAPES[name].take(value, path, self.sink))

    def item(self, place_name: str) -> Item:
        """The item, once every key has been taken."""
        self._use_foreign_id()
        if self.aside:
            source = self.document.get("source")
            self.document["source"] = "\n".join([*([source] if source else []), *self.aside])
        return Item(
            place=place_name,
            document={key: self.document[key] for key in (*KEYS, *BESIDE) if key in self.document},
            ref=self.ref,
            status=self.status,
            notices=tuple(self.sink.notices),
            faults=tuple(self.sink.faults),
        )

    def _put(self, name: str, value: Any) -> None:
        if value is not MISSING:
            self.document[name] = value

    def _word(self, value: Any, path: str) -> str:
        """Text of a field that is one word of a list; '' if it is none."""
        if type(value) in {int, float}:
            value = str(value)
        word = _WORD.take(value, path, self.sink)
        return "" if word is MISSING else word.strip()

    def _schema(self, value: Any, path: str) -> None:
        if str(value) != "1":
            self.sink.fault(path, f"{shown(value)} is a format of a later version; this one reads 1")

    def _id(self, value: Any, path: str) -> None:
        word = self._word(value, path)
        if REF.fullmatch(word):
            self.ref = word
        else:
            self.foreign_id = (word, path)

    def _use_foreign_id(self) -> None:
        """An id of another program tells a question apart when the same file comes again, as a slug does."""
        word, path = self.foreign_id
        slug = word.casefold()
        if word and "slug" not in self.document and _SLUG.fullmatch(slug) and len(slug) <= limits.MAX_SLUG:
            self.document["slug"] = slug
            self.sink.note(path, f"{word!r} is taken as the slug {slug!r}")
        elif word:
            self.aside.append(f"{path}: {word}")
            self.sink.note(path, f"{word!r} is no reference of ours; it is kept as a note on the source")

    def _slug(self, value: Any, path: str) -> None:
        text = Text(limits.MAX_SLUG).take(value, path, self.sink)
        if text is MISSING or not text:
            self._put("slug", text)
            return
        slug = text.strip().casefold()
        if not _SLUG.fullmatch(slug):
            self.sink.fault(path, f"{text!r} is no slug; write lower-case words joined by hyphens")
            return
        if slug != text:
            self.sink.note(path, f"{text!r} is taken as {slug!r}: a slug has no capitals and no blanks")
        self.document["slug"] = slug

    def _status(self, value: Any, path: str) -> None:
        if word := self._word(value, path):
            self.status = meaning(word, STATUSES)
            if not self.status:
                self.sink.note(path, f"{word!r} is no status we know and is not used")
            elif self.status != word:
                self.sink.note(path, f"{word!r} is taken as {self.status!r}")

    def _level(self, value: Any, path: str) -> None:
        if word := self._word(value, path):
            self._listed("level", word, path, LEVEL_WORDS)
        elif value == "":
            self.document["level"] = ""

    def _kind(self, value: Any, path: str) -> None:
        if word := self._word(value, path):
            self._listed("kind", word, path, KIND_WORDS)
        elif value == "":
            self.document["kind"] = ""

    def _listed(self, name: str, word: str, path: str, words: dict[str, str]) -> None:
        if known := meaning(word, words):
            if name in self.document:
                self.sink.fault(path, f"the {name} is given twice; keep one of them")
            self.document[name] = known
            if known != word:
                self.sink.note(path, f"{word!r} is taken as the {name} {known!r}")
        else:
            self.aside.append(f"{path}: {word}")
            self.sink.note(path, f"{word!r} is no {name} we know; it is kept as a note on the source")

    def _difficulty(self, value: Any, path: str) -> None:
        if isinstance(value, Mapping):
            self._put("difficulty", _NOTES.take(value, path, self.sink))
        else:
            self._level(value, path)

    def _topic(self, value: Any, path: str) -> None:
        word = self._word(value, path)
        found = place([word])
        if value == "":
            self.document.setdefault("topic", "")
        elif TOPIC.fullmatch(word):
            self.document["topic"] = word
        elif "topic" in found:
            self.document["topic"] = found["topic"]
        elif word:
            self.sink.note(path, f"there is no topic {word!r}; it is kept as a category")
            self.document["category"] = [*self.document.get("category", []), word]

    def _category(self, value: Any, path: str) -> None:
        text = Text().take(value, path, self.sink)
        if text is MISSING:
            return
        found = place(split_category(text))
        if "category" in found:
            self.document["category"] = [*found["category"], *self.document.get("category", [])]
        elif found and not self.document.get("topic"):
            self.document["topic"] = found["topic"]

    def _rubric(self, value: Any, path: str) -> None:
        points = RUBRIC.take(value, path, self.sink)
        if points is MISSING:
            return
        if isinstance(value, list) and len(points) == len(value):
            points = [
                _numbered(point, index) if {"points", "text"} & set(raw) else point
                for index, (raw, point) in enumerate(zip(value, points, strict=True), 1)
            ]
        self.document["rubric"] = points


def _numbered(point: dict[str, Any], number: int) -> dict[str, Any]:
    """A point that came as points and text, with an id so that it can be named."""
    return point if "id" in point else {"id": f"r{number}", **point}
