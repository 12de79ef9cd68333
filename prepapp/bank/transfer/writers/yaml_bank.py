"""Writes question files: each in a file of its own in a zip, or one after another in one YAML file.

A complete question is written as the bank's own files are, with `schema: 1`; `status` stands in it unless it
is published. What is unfinished, or has no reference yet, is written as far as it goes, without `schema`. The
same questions give the same bytes.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import count
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from prepapp.bank.choices import Status
from prepapp.bank.rules import slug_of
from prepapp.bank.transfer.category_path import join_category
from prepapp.bank.transfer.document import BESIDE, KEYS, Document, document_of_file, read_document
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.question_file import QuestionFile
from prepapp.bank.transfer.readers.fields import TOPIC
from prepapp.bank.transfer.writers.unwritable import Unwritable
from prepapp.bank.transfer.writers.yaml_text import yaml_document
from prepapp.bank.transfer.yaml_tree import MAX_BYTES

# A zip knows no time before this one; with any other the same bank would give other bytes.
_STAMP = (1980, 1, 1, 0, 0, 0)
_READABLE_FILE = 0o100644 << 16
# Stands in for the day of a review that a document does not state; such a document is never complete.
_NO_DAY = date(1970, 1, 1)


def write_yaml_bank(entries: Sequence[Entry]) -> bytes:
    """One file with a document per question, in the order given."""
    return "".join(f"---\n{yaml_document(_content(entry))}" for entry in entries).encode()


def write_yaml_zip(entries: Sequence[Entry]) -> bytes:
    """A zip of `<track>/<topic>/<slug>.yaml`; questions without a topic lie in `drafts/`. Unwritable if one
    is larger than a file of a zip that is read."""
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path, entry in sorted(_paths(entries), key=lambda pair: pair[0]):
            member = ZipInfo(path, _STAMP)
            member.compress_type, member.external_attr = ZIP_DEFLATED, _READABLE_FILE
            content = yaml_document(_content(entry)).encode()
            if len(content) > MAX_BYTES:
                raise Unwritable(
                    f"{path} is {len(content):,} bytes long and a file in a zip holds {MAX_BYTES:,}; "
                    "export to JSON or YAML instead"
                )
            archive.writestr(member, content)
    return target.getvalue()


def _paths(entries: Sequence[Entry]) -> Iterator[tuple[str, Entry]]:
    taken: set[str] = set()
    for entry in entries:
        topic = str(entry.document.get("topic") or "")
        folder = topic.replace(".", "/") if TOPIC.fullmatch(topic) else "drafts"
        slug = slug_of(str(entry.document.get("slug") or entry.document.get("title") or ""))
        path = next(path for path in _free(f"{folder}/{slug}") if path not in taken)
        taken.add(path)
        yield path, entry


def _free(path: str) -> Iterator[str]:
    yield f"{path}.yaml"
    for number in count(2):
        yield f"{path}-{number}.yaml"


def _content(entry: Entry) -> Mapping[str, Any]:
    document = entry.document
    if is_complete(entry):
        status = {} if entry.status == Status.PUBLISHED else {"status": entry.status}
        return {"schema": 1, "id": entry.ref, **status, **{k: document[k] for k in KEYS if k in document}}
    head = {"id": entry.ref, "status": entry.status}
    return {**{key: text for key, text in head.items() if text}, **loose(document)}


def is_complete(entry: Entry) -> bool:
    """Whether a question file says all of this document and gives it back unchanged."""
    read = read_document(entry.document, ref=entry.ref, today=_NO_DAY)
    return isinstance(read, QuestionFile) and document_of_file(read) == entry.document


def loose(document: Document) -> dict[str, Any]:
    """The document as keys a loose reader takes; its category is one text."""
    keys = {key: document[key] for key in (*KEYS, *BESIDE) if key in document}
    if isinstance(keys.get("category"), list):
        keys["category"] = join_category(keys["category"])
    return keys
