"""What the tests of foreign formats share: case files, shipped questions as entries."""

from functools import cache
from pathlib import Path

from django.conf import settings

from prepapp.bank.transfer.document import Document, document_of_file
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.question_file import read_bank

CASES = Path(__file__).parents[2] / "data" / "import"


def case_file(name: str) -> bytes:
    """A file as it comes from another program, every byte as it came."""
    return (CASES / name).read_bytes()


@cache
def shipped_entries() -> list[Entry]:
    """The shipped questions, published."""
    files, problems = read_bank(settings.BASE_DIR / "fixtures" / "bank")
    assert problems == []
    return [Entry(file.id, "published", document_of_file(file)) for file in files]


def without_empty(document: Document) -> Document:
    """A document without the keys that say nothing."""
    return {key: value for key, value in document.items() if value not in ("", [], None)}
