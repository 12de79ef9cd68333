"""What differs between two documents of a question, field by field and word by word, from values alone.

Here: `compare`, and the difference of two texts. Not here: what a difference means (`transfer.document`),
rows, markup (`templates/components/text_diff.html`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from prepapp.bank.transfer.document import Document

KEPT, REMOVED, ADDED = "kept", "removed", "added"

# In the order an author writes them.
LABELS: Mapping[str, str] = {
    "title": "Title",
    "slug": "Slug",
    "topic": "Topic",
    "category": "Category of the file",
    "level": "Level",
    "kind": "Kind",
    "minutes": "Minutes",
    "prompt": "Prompt",
    "context": "Context",
    "data": "Data",
    "rubric": "Rubric",
    "weights_note": "Why the weights differ",
    "model_answer": "Model answer",
    "deeper": "Going deeper",
    "pitfalls": "Pitfalls",
    "followups": "Follow-ups",
    "code": "Code",
    "references": "References",
    "difficulty": "Difficulty",
    "tags": "Tags",
    "packs": "Packs",
    "covers": "Checklist items",
    "review": "Review",
    "source": "Where it came from",
    "wanted_status": "Status the file states",
}
_PART_LABELS: Mapping[str, Mapping[str, str]] = {
    "code": {
        "language": "language",
        "timeout_s": "time limit in seconds",
        "solution": "solution",
        "check": "check",
        "wrong": "wrong answers",
    },
    "difficulty": {"rationale": "why this level", "easier": "easier", "harder": "harder"},
    "review": {"reviewed": "facts checked on", "recheck_months": "months until the next check"},
}
_LISTED = frozenset({"tags", "packs", "covers", "category"})
# Words take the blank behind them along: blanks of their own would be places to meet everywhere.
_TOKEN = re.compile(r"\w+\s?|[^\w\s]\s?|\s")


@dataclass(frozen=True)
class Span:
    """A stretch of text that is `kept`, `removed` or `added`."""

    kind: str
    text: str


@dataclass(frozen=True)
class FieldChange:
    """A field whose text differs. `key` is the key of the document it belongs to; `label` names it for a
    reader ("Prompt", "Point r2", "Follow-up f1: answer"). The kept and removed spans together are the old
    text, the kept and added ones the new."""

    key: str
    label: str
    spans: tuple[Span, ...]

    @property
    def old(self) -> str:
        return "".join(span.text for span in self.spans if span.kind != ADDED)

    @property
    def new(self) -> str:
        return "".join(span.text for span in self.spans if span.kind != REMOVED)


def compare(old: Document, new: Document) -> list[FieldChange]:
    """Every field that differs, in the order an author writes them; blanks at the ends do not count.

    Points and follow-ups are matched by their ids, so that one that only moved is shown as a new order.
    A document may lack anything.
    """
    before, after = dict(_fields(old)), dict(_fields(new))
    paths = [*after, *(path for path in before if path not in after)]
    order = {key: place for place, key in enumerate(LABELS)}
    found = [
        FieldChange(path[0], _label(path), difference(before.get(path, ""), after.get(path, "")))
        for path in paths
        if before.get(path, "").strip() != after.get(path, "").strip()
    ]
    found += _new_orders(old, new)
    return sorted(found, key=lambda change: order.get(change.key, len(order)))


def difference(old: str, new: str) -> tuple[Span, ...]:
    """The spans of two texts, by words."""
    left, right = _TOKEN.findall(old), _TOKEN.findall(new)
    # In a text of 200 words or more, those that fill it ("the", a bar of a table) do not count as places to
    # meet again, else the time grows with their cube.
    matcher = SequenceMatcher(None, [_word(token) for token in left], [_word(token) for token in right])
    spans: list[Span] = []
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            for token, other in zip(left[start:end], right[other_start:other_end], strict=True):
                spans.extend(_same_word(token, other))
        else:
            spans.append(Span(REMOVED, "".join(left[start:end])))
            spans.append(Span(ADDED, "".join(right[other_start:other_end])))
    return tuple(_joined(spans))


def _word(token: str) -> str:
    """The token without the blank behind it; a blank alone is a word."""
    return token.rstrip() or token


def _same_word(old: str, new: str) -> Iterator[Span]:
    if old == new:
        yield Span(KEPT, old)
        return
    word = _word(old)
    yield Span(KEPT, word)
    yield Span(REMOVED, old[len(word) :])
    yield Span(ADDED, new[len(word) :])


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, none empty, neighbours of one kind as one; of a change what was removed comes first."""
    removed = added = kept = ""
    for span in spans:
        if span.kind == KEPT and (removed or added):
            yield from _present(removed, added)
            removed = added = ""
        if span.kind != KEPT and span.text and kept:
            yield Span(KEPT, kept)
            kept = ""
        kept += span.text if span.kind == KEPT else ""
        removed += span.text if span.kind == REMOVED else ""
        added += span.text if span.kind == ADDED else ""
    yield from _present(removed, added)
    if kept:
        yield Span(KEPT, kept)


def _present(removed: str, added: str) -> Iterator[Span]:
    if removed:
        yield Span(REMOVED, removed)
    if added:
        yield Span(ADDED, added)


def _fields(document: Document) -> Iterator[tuple[tuple[str, ...], str]]:
    """(path, text) of everything a document says; paths begin with its keys."""
    for key, value in document.items():
        if key == "rubric":
            yield from _points((key,), value)
        elif key == "followups":
            for name, part in _named(value):
                yield (key, name, "minutes"), _text(part.get("minutes"))
                yield (key, name, "prompt"), _text(part.get("prompt"))
                yield (key, name, "answer"), _text(part.get("answer"))
                yield from _points((key, name, "rubric"), part.get("rubric"))
        elif key in _PART_LABELS and isinstance(value, Mapping):
            for part_key, part_value in value.items():
                yield (key, part_key), _text(part_value)
        elif key == "references":
            yield (key,), "\n".join(_reference(part) for _, part in _named(value))
        elif key in _LISTED and isinstance(value, list):
            yield (key,), ", ".join(_text(item) for item in value)
        else:
            yield (key,), _text(value)


def _points(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, point in _named(value):
        weight = f"{_text(point.get('weight'))} of 10" if point.get("weight") is not None else ""
        lines = [
            _text(point.get("criterion")),
            f"Met: {_text(point.get('met'))}" if point.get("met") else "",
            f"Half: {_text(point.get('partial'))}" if point.get("partial") else "",
            ", ".join(part for part in (weight, "must-have" if point.get("must") else "") if part),
        ]
        yield (*path, name), "\n".join(line for line in lines if line)


def _named(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each part of a list by its id; by its place where it has none, or one that was there before."""
    seen: set[str] = set()
    for place, part in enumerate(value if isinstance(value, list) else [], 1):
        known: Mapping[str, Any] = part if isinstance(part, Mapping) else {"criterion": part, "prompt": part}
        name = str(known.get("id") or place)
        name = f"{name} ({place})" if name in seen else name
        seen.add(name)
        yield name, known


def _reference(part: Mapping[str, Any]) -> str:
    supports = part.get("supports")
    supported = ", ".join(_text(item) for item in supports) if isinstance(supports, list) else ""
    title, url = _text(part.get("title")), _text(part.get("url"))
    return f"{title}\n{url}" + (f"\nSupports {supported}" if supported else "")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n\n".join(value)
    return json.dumps(value, ensure_ascii=False)


def _label(path: tuple[str, ...]) -> str:
    key, *rest = path
    if key == "rubric":
        return f"Point {rest[0]}"
    if key == "followups":
        name, part, *point = rest
        return f"Follow-up {name}, point {point[0]}" if point else f"Follow-up {name}: {part}"
    if rest:
        part = _PART_LABELS[key].get(rest[0], rest[0])
        return f"{LABELS[key]}: {part}"
    return LABELS.get(key, key)


def _new_orders(old: Document, new: Document) -> Iterator[FieldChange]:
    for key, label in (("rubric", "Order of the points"), ("followups", "Order of the follow-ups")):
        before, after = (
            [name for name, _ in _named(document.get(key)) if _ids_of(other, key) >= {name}]
            for document, other in ((old, new), (new, old))
        )
        if before != after:
            spans = difference(", ".join(before), ", ".join(after))
            yield FieldChange(key, label, spans)


def _ids_of(document: Document, key: str) -> set[str]:
    return {name for name, _ in _named(document.get(key))}
