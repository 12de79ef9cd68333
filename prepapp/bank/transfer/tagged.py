"""What of a question travels as tags in programs that have no field for it: `level:advanced`.

Such tags can be filtered by in Moodle and Anki, and come back as what they were. Here: tags both ways. Not
here: how a program writes a list of tags.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from prepapp.bank.choices import Status
from prepapp.bank.taxonomy import KINDS, LEVELS
from prepapp.bank.transfer.document import Document

_LISTS = {"level": LEVELS, "kind": KINDS}
# As many as a draft may say (`readers.fields`).
_MAX_MINUTES = 600
# A question that says nothing is a published one.
_STATUSES = (Status.DRAFT.value, Status.IN_REVIEW.value, Status.RETIRED.value)


@dataclass
class Tagged:
    """What a list of tags says: parts of a document, a status or ''. Other tags stay tags."""

    document: Document = field(default_factory=dict)
    status: str = ""


def tags_of(document: Document, status: str) -> list[str]:
    """The tags of a question, then its packs, level, kind, minutes, and its status unless published. What a
    draft says that would come back as a mere tag is left out."""
    tags = [*document.get("tags", []), *(f"pack:{pack}" for pack in document.get("packs", []))]
    said = [f"{key}:{document[key]}" for key in ("level", "kind", "minutes") if document.get(key)]
    tags += [tag for tag in said if "tags" not in read_tags([tag]).document]
    return tags + ([f"status:{status.replace('_', '-')}"] if status in _STATUSES else [])


def read_tags(tags: Iterable[str]) -> Tagged:
    """The tags of a file, blank ones left out."""
    tagged = Tagged()
    for tag in tags:
        key, _, value = tag.partition(":")
        if value in _LISTS.get(key, ()):
            tagged.document[key] = value
        elif (
            key == "minutes" and value.isdecimal() and value.isascii() and 0 < int(value[:4]) <= _MAX_MINUTES
        ):
            tagged.document["minutes"] = int(value)
        elif key == "status" and value.replace("-", "_") in _STATUSES:
            tagged.status = value.replace("-", "_")
        elif key == "pack" and value:
            tagged.document.setdefault("packs", []).append(value)
        elif tag.strip():
            tagged.document.setdefault("tags", []).append(tag.strip())
    return tagged
