"""What is different between the text somebody was asked and the one that is asked now."""

from collections.abc import Mapping
from typing import Any

from prepapp.bank.comparison import FieldChange, compare
from prepapp.bank.queries.documents import version_documents
from prepapp.bank.transfer.document import Document

# What a reader of the answer sees of a question; how it is filed and checked is the desk's business.
_READ = (
    *("title", "level", "kind", "minutes", "prompt", "context", "data", "rubric", "weights_note"),
    *("model_answer", "deeper", "pitfalls", "followups", "references", "difficulty"),
)
_CODE = ("language", "solution", "check")


def text_changes(old_id: int, new_id: int) -> list[FieldChange]:
    """What differs between two versions, as far as readers of the answer see it. Five queries."""
    documents = version_documents([old_id, new_id])
    return compare(_as_read(documents[old_id]), _as_read(documents[new_id]))


def _as_read(document: Document) -> Document:
    read: dict[str, Any] = {key: document[key] for key in _READ if key in document}
    code = document.get("code")
    if isinstance(code, Mapping):
        read["code"] = {key: code[key] for key in _CODE if key in code}
    return read
