"""What every reader of a file format returns, and every writer takes.

Here: values only. Not here: any format (`readers`, `writers`), what becomes of an item (`bank.actions`).
"""

from dataclasses import dataclass, field

from prepapp.bank.transfer.document import Document


@dataclass(frozen=True)
class Notice:
    """Something a curator should know about one field; `field` is a dotted path, a column name, or ''."""

    field: str
    message: str


@dataclass(frozen=True)
class Item:
    """One question as a file states it.

    `place` is how a curator finds it: "row 5", "item 12", "lines 3-9", a file name in a zip. `document`
    holds what the file says, character for character, and nothing it does not say. `status` is '' if the
    file states none, else a `bank.choices.Status` value. `faults` keep the item out; `notices` do not. With
    `skipped` (the reason) it is no question, or of a type that cannot be free text: counted, named, never
    written. `ref` is the question's reference if the file gives one, else ''.
    """

    place: str
    document: Document = field(default_factory=dict)
    ref: str = ""
    status: str = ""
    notices: tuple[Notice, ...] = ()
    faults: tuple[Notice, ...] = ()
    skipped: str = ""

    @property
    def label(self) -> str:
        """Slug, else title, else ''."""
        return str(self.document.get("slug") or self.document.get("title") or "")


@dataclass(frozen=True)
class Reading:
    """A whole file. `detected` says in words what it was taken for: "CSV, separated by semicolons,
    Windows-1252". With `refusals` nothing of it is taken."""

    format: str
    detected: str
    items: tuple[Item, ...] = ()
    refusals: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One question to be written to a file: its reference, status and document (topic included)."""

    ref: str
    status: str
    document: Document
