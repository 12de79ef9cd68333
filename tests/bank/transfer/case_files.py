"""The case files of the import, byte for byte, and how tests read an item."""

from pathlib import Path

from prepapp.bank.transfer.item import Item, Reading
from prepapp.bank.transfer.readers import read_file

FOLDER = Path(__file__).parents[2] / "data" / "import"


def case(name: str) -> bytes:
    """The bytes of a case file."""
    return (FOLDER / name).read_bytes()


def read_case(name: str) -> Reading:
    """The reading of a case file."""
    return read_file(name, case(name))


def by_label(reading: Reading) -> dict[str, Item]:
    """Items by slug or title."""
    return {item.label: item for item in reading.items}


def said(item: Item) -> list[tuple[str, str]]:
    """Faults of an item as pairs of field and message."""
    return [(fault.field, fault.message) for fault in item.faults]


def noted(item: Item) -> list[tuple[str, str]]:
    """Notices of an item as pairs of field and message."""
    return [(notice.field, notice.message) for notice in item.notices]


def refused(reading: Reading) -> list[str]:
    """Why a file was refused; nothing of it may be left."""
    assert reading.items == ()
    return [refusal.message for refusal in reading.refusals]
