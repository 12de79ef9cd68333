"""Questions to be written: all the bank ships, and the items of case files."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from prepapp.bank.transfer.document import document_of_file
from prepapp.bank.transfer.item import Entry, Item, Reading
from prepapp.bank.transfer.question_file import read_bank
from prepapp.bank.transfer.readers import read_file
from prepapp.bank.transfer.writers import write_file
from tests.bank.transfer.case_files import read_case

BANK = Path(__file__).parents[3] / "fixtures" / "bank"


@cache
def shipped() -> tuple[Entry, ...]:
    """Every question of the bank as a published one, in the order of their references."""
    questions, problems = read_bank(BANK)
    assert problems == []
    entries = (Entry(question.id, "published", document_of_file(question)) for question in questions)
    return tuple(sorted(entries, key=lambda entry: entry.ref))


def cased(name: str) -> list[Entry]:
    """The items of a case file as an export would be asked to write them."""
    return [entry_of(item) for item in read_case(name).items]


def entry_of(item: Item) -> Entry:
    """A taken item as an entry."""
    assert item.faults == ()
    return Entry(item.ref, item.status, item.document)


@cache
def shipped_reread(format_name: str) -> Reading:
    """What is read from the whole bank in this format."""
    return reread(format_name, shipped())


def reread(format_name: str, entries: Sequence[Entry]) -> Reading:
    """What is read from what is written."""
    return read_file("bank", write_file(format_name, entries))


def there_and_back(format_name: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries read from what is written, in the order given; a zip is read in the order of its names."""
    whole = entries is shipped()
    reading = shipped_reread(format_name) if whole else reread(format_name, entries)
    found = [entry_of(item) for item in reading.items]
    order = [_key(entry) for entry in entries]
    return sorted(found, key=lambda entry: order.index(_key(entry)))


def _key(entry: Entry) -> tuple[str, str]:
    return entry.ref, str(entry.document.get("slug"))
