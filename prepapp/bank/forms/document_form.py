"""The form of a question to its document, and back.

A form states every field; a document may lack any and may hold keys no field stands for. So a form is read
over a base, the document it was made from: what it shows unchanged is taken from there, sign by sign, and
what it does not show stays. Names of form fields are paths with hyphens: `followups-0-rubric-1-met`. A row of
a list also has `-was` (its place in the base, empty for a new one), `-position` and `-remove`.

Not here: which fields there are (`document_fields`), what a page needs to show them (`document_boxes`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain, count
from string import ascii_lowercase
from typing import Any

from prepapp.bank.forms.document_fields import QUESTION, Choices, Field, Part, Shape
from prepapp.bank.rules import SLUG_CHARACTERS
from prepapp.bank.transfer.document import Document
from prepapp.common.markdown import MAX_CHARACTERS

Data = Mapping[str, str]

_ABSENT = object()
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_WHOLE = re.compile(r"[0-9]{1,3}")
_BETWEEN_NAMES = re.compile(r"[,;\s]+")


def data_of(document: Document, part: Part = QUESTION, prefix: str = "") -> dict[str, str]:
    """What a form that shows this document sends back."""
    data = {f"{prefix}{field.key}": shown(field, document.get(field.key)) for field in part.fields}
    for key, inner in part.lists.items():
        for place, item in enumerate(_listed(document.get(key))):
            row = f"{prefix}{key}-{place}-"
            known = item if isinstance(item, Mapping) else {}
            data |= _place(row, place) | data_of(dict(known), inner, row)
    for key, field in part.texts.items():
        for place, item in enumerate(_listed(document.get(key))):
            row = f"{prefix}{key}-{place}-"
            data |= _place(row, place) | {f"{row}text": shown(field, item)}
    for key, inner in part.parts.items():
        found = document.get(key)
        data |= data_of(dict(found) if isinstance(found, Mapping) else {}, inner, f"{prefix}{key}-")
    return data


def shown(field: Field, value: Any) -> str:
    """The value as the form shows it, with line breaks as a browser sends them back."""
    if field.shape is Shape.FLAG:
        return "1" if value is True else ""
    if value is None:
        return ""
    if field.shape is Shape.NAMES and isinstance(value, list):
        return ", ".join(str(item) for item in value)
    text = _clean(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if field.shape in {Shape.TEXT, Shape.CODE} else text.replace("\n", "")


class DocumentForm:
    """What somebody sent, read over the document it was made from.

    `document` is the result; `errors` says by the name of a form field what cannot be taken as it is, and
    must be empty before anything is saved; `names` gives the name of the form field, row or list for each
    path of the document."""

    def __init__(self, data: Mapping[str, Any], *, base: Document, topics: Choices) -> None:
        self.data: dict[str, str] = {name: _clean(str(value)) for name, value in data.items()}
        self.errors: dict[str, str] = {}
        self._topics = {code for code, _ in topics}
        self.document, self.names = self._part(QUESTION, "", base)
        _give_ids(self.document)

    def name_of(self, path: str) -> str:
        """The name of the field, row or list that a path of the document stands in; '' for the whole."""
        while path and path not in self.names:
            cut = max(path.rfind("."), path.rfind("["))
            path = path[: max(cut, 0)]
        return self.names.get(path, "")

    def _part(
        self, part: Part, prefix: str, base: Mapping[str, Any], *, is_row: bool = False
    ) -> tuple[dict[str, Any], dict[str, str]]:
        made: dict[str, Any] = dict(base)
        names: dict[str, str] = {}
        for field in part.fields:
            name = f"{prefix}{field.key}"
            names[field.key] = name
            self._put(made, field.key, self._value(field, name, base.get(field.key, _ABSENT), is_row=is_row))
        for key, inner in part.lists.items():
            self._put_list(made, names, key, self._rows(inner, f"{prefix}{key}", base.get(key)))
            names[key] = f"{prefix}{key}"
        for key, field in part.texts.items():
            self._put_list(made, names, key, self._texts(field, f"{prefix}{key}", base.get(key)))
            names[key] = f"{prefix}{key}"
        for key, inner in part.parts.items():
            found = base.get(key)
            known = found if isinstance(found, Mapping) else {}
            value, inner_names = self._part(inner, f"{prefix}{key}-", known)
            is_empty = not any(item not in ("", [], None) for item in value.values())
            # What is no object, and nobody wrote over, stays what it is.
            if not is_empty or isinstance(found, Mapping):
                self._put(made, key, _ABSENT if is_empty and value != found else value)
            names[key] = f"{prefix}{key}"
            names |= {f"{key}.{path}": name for path, name in inner_names.items()}
        return made, names

    @staticmethod
    def _put(made: dict[str, Any], key: str, value: Any) -> None:
        if value is _ABSENT:
            made.pop(key, None)
        else:
            made[key] = value

    @staticmethod
    def _put_list(
        made: dict[str, Any],
        names: dict[str, str],
        key: str,
        rows: list[tuple[Any, str, dict[str, str]]],
    ) -> None:
        if not rows and not isinstance(made.get(key), list):
            return
        made[key] = [value for value, _, _ in rows]
        for place, (_, row, inner) in enumerate(rows):
            names[f"{key}[{place}]"] = row
            names.update({f"{key}[{place}].{path}": name for path, name in inner.items()})

    def _value(self, field: Field, name: str, base: Any, *, is_row: bool) -> Any:
        text = self.data.get(name, "")
        old = None if base is _ABSENT else base
        # What a row says by saying nothing: no must-have, no point that rests on the source.
        is_stated = is_row and base is _ABSENT and field.shape in {Shape.FLAG, Shape.NAMES}
        if text == shown(field, old) and not is_stated:
            return base
        if field.shape is Shape.FLAG:
            return bool(text)
        if field.shape is Shape.NAMES:
            return [word for word in _BETWEEN_NAMES.split(text) if word]
        if not text.strip():
            return "" if isinstance(old, str) and field.shape is not Shape.CHOICE else _ABSENT
        if message := self._wrong(field, text):
            self.errors[name] = message
            return base
        return int(text) if field.shape is Shape.NUMBER else text

    def _wrong(self, field: Field, text: str) -> str:
        if field.shape is Shape.NUMBER and not _WHOLE.fullmatch(text.strip()):
            return f"“{text[:20]}” is not a whole number from 0 to 999; write one, such as 5."
        if len(text) > MAX_CHARACTERS:
            return f"{len(text):,} characters; {MAX_CHARACTERS:,} is the most. It is still here: shorten it."
        if field.key == "slug" and not (_SLUG.fullmatch(text) and len(text) <= SLUG_CHARACTERS):
            return (
                "Use lower-case letters and digits joined by hyphens, "
                f"{SLUG_CHARACTERS} at most, for example why-it-waits."
            )
        offered = self._topics if field.key == "topic" else {value for value, _ in field.choices}
        if field.shape is Shape.CHOICE and text not in offered:
            return f"“{text[:40]}” is not one of the choices; choose one of the list."
        return ""

    def _rows(self, part: Part, name: str, base: Any) -> list[tuple[Any, str, dict[str, str]]]:
        """(object, name of its row, names inside it) of each row that says something, in their order."""
        old = _listed(base)
        found: list[tuple[Any, str, dict[str, str]]] = []
        for row, was in self._kept_rows(name, old):
            known = old[was] if was is not None else {}
            if not isinstance(known, Mapping):
                known = {}
            is_empty = not any(text.strip() for key, text in self.data.items() if _says(key, row))
            if is_empty and not known:
                # Something that is no object and that nobody wrote over stays what it is.
                if was is not None and old[was] != {}:
                    found.append((old[was], row, {}))
                continue
            value, inner = self._part(part, f"{row}-", known, is_row=True)
            found.append((value, row, inner))
        return found

    def _texts(self, field: Field, name: str, base: Any) -> list[tuple[Any, str, dict[str, str]]]:
        old = _listed(base)
        found: list[tuple[Any, str, dict[str, str]]] = []
        for row, was in self._kept_rows(name, old):
            value = self._value(field, f"{row}-text", _ABSENT if was is None else old[was], is_row=True)
            if value is _ABSENT or (value == "" and (was is None or old[was] != "")):
                continue
            found.append((value, f"{row}-text", {}))
        return found

    def _kept_rows(self, name: str, old: list[Any]) -> list[tuple[str, int | None]]:
        """Name and place in the base of each row that is not to be removed, in the order of positions."""
        pattern = re.compile(rf"{re.escape(name)}-([0-9]{{1,3}})-")
        numbers = sorted({int(match[1]) for key in self.data if (match := pattern.match(key))})
        rows: list[tuple[int, str, int | None]] = []
        for number in numbers:
            row = f"{name}-{number}"
            if self.data.get(f"{row}-remove"):
                continue
            was, position = self.data.get(f"{row}-was", ""), self.data.get(f"{row}-position", "")
            place = int(was) if _WHOLE.fullmatch(was) and int(was) < len(old) else None
            rows.append((int(position) if _WHOLE.fullmatch(position) else 1_000, row, place))
        return [(row, place) for _, row, place in sorted(rows, key=lambda entry: entry[0])]


def _clean(text: str) -> str:
    """Line breaks as one sign; the one sign that no database takes is left out."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _place(row: str, place: int) -> dict[str, str]:
    return {f"{row}was": str(place), f"{row}position": str(place + 1)}


def _says(key: str, row: str) -> bool:
    """Whether a form field of the row is one that somebody writes into."""
    return key.startswith(f"{row}-") and not key.endswith(("-was", "-position", "-remove", "-id"))


def _give_ids(document: Document) -> None:
    """Gives each part that has none the next free id: r1 to a point, f1 to a follow-up, f1a to its point."""
    rubric, followups = _parts_of(document, "rubric"), _parts_of(document, "followups")
    inner = [(part, _parts_of(part, "rubric")) for part in followups]
    every = [*rubric, *followups, *(point for _, points in inner for point in points)]
    taken = {str(part["id"]) for part in every if part.get("id")}

    def give(parts: list[dict[str, Any]], ids: Iterator[str]) -> None:
        for part in parts:
            if not part.get("id"):
                part["id"] = next(new for new in ids if new not in taken)
                taken.add(part["id"])

    give(rubric, (f"r{number}" for number in count(1)))
    give(followups, (f"f{number}" for number in count(1)))
    for part, points in inner:
        give(points, (f"{part['id']}{letter}" for letter in chain(ascii_lowercase, count(1))))


def _parts_of(document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    return [part for part in _listed(document.get(key)) if isinstance(part, dict)]
