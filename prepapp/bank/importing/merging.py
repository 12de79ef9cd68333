"""What a question is with what a file says of it, and whether that is anything new.

A file says nothing of the keys it does not have: what the bank has of them stays. So a format that cannot
carry everything takes nothing away.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from prepapp.bank.transfer.document import BESIDE, Document, document_of_file, read_document

_NESTED = ("review", "difficulty", "code")
_UNORDERED = ("tags", "packs", "covers")
# Keys of a working draft that no published question has.
_OF_DRAFTS = tuple(key for key in BESIDE if key != "topic")


def merge(stored: Document, stated: Document) -> Document:
    """The stored document with all that the file states."""
    merged = dict(stored)
    for key, value in stated.items():
        old = stored.get(key)
        if key == "rubric":
            merged[key] = _points(old, value)
        elif key == "followups":
            merged[key] = _follow_ups(old, value)
        elif key in _NESTED and isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[key] = {**old, **value}
        else:
            merged[key] = value
    if isinstance(merged.get("review"), Mapping):
        merged["review"] = _later_review(stored.get("review"), merged["review"])
    return merged


def says_the_same(published: Document, merged: Document, *, ref: str, today: date) -> bool:
    """Whether a published question would be the same if this were published: blanks around a text, and the
    order of tags, are not kept then."""
    own = {key: value for key, value in merged.items() if key not in _OF_DRAFTS}
    if own == published:
        return True
    if own.get("topic") != published.get("topic"):
        return False
    read = read_document(own, ref=ref, today=today)
    if isinstance(read, list):
        return False
    return _unordered({**document_of_file(read), "topic": own.get("topic")}) == _unordered(published)


def _unordered(document: Document) -> Document:
    return {key: sorted(value) if key in _UNORDERED else value for key, value in document.items()}


def _points(old: Any, new: Any) -> Any:
    """The stated points in their order. What the file does not say of a criterion stays."""
    if not isinstance(old, list) or not isinstance(new, list):
        return new
    known = {_criterion(point): point for point in old}
    return [{**known[_criterion(point)], **point} if _criterion(point) in known else point for point in new]


def _follow_ups(old: Any, new: Any) -> Any:
    if not isinstance(old, list) or not isinstance(new, list):
        return new
    known = {part.get("id"): part for part in old if isinstance(part, Mapping)}
    merged = []
    for part in new:
        stored = known.get(part.get("id")) if isinstance(part, Mapping) else None
        if stored is None:
            merged.append(part)
            continue
        whole = {**stored, **part}
        whole["rubric"] = _points(stored.get("rubric"), whole.get("rubric"))
        merged.append(whole)
    return merged


def _criterion(point: Any) -> str:
    """What two points are told apart by; publishing takes away the blanks around it."""
    return str(point.get("criterion", "")).strip() if isinstance(point, Mapping) else ""


def _later_review(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that were checked here after the file was written stay checked."""
    days = [str(review["reviewed"]) for review in (old, new) if review and "reviewed" in review]
    return {**new, "reviewed": max(days)} if days else dict(new)
