"""The reasons an act of curation can be refused for. Each says on screen what to do."""

from collections.abc import Sequence

from prepapp.bank.lint.finding import Finding
from prepapp.bank.queries.duplicates import Alike
from prepapp.bank.transfer.document import Document


class Refusal(Exception):
    """Base of all; `str()` is fit to show. Nothing was changed."""


class DraftChanged(Refusal):
    """Somebody saved the draft since it was opened. Both texts are at hand; neither is lost."""

    def __init__(self, revision: int, stored: Document, by: str) -> None:
        super().__init__(f"{by} saved this draft while you were writing. Nothing of yours or theirs is lost.")
        self.revision = revision
        self.stored = stored
        self.by = by


class NoDraft(Refusal):
    """The draft was published or discarded meanwhile."""

    def __init__(self) -> None:
        super().__init__(
            "This draft was published or discarded meanwhile. Copy what you wrote and open a new one."
        )


class InReview(Refusal):
    """A draft that was handed in is not edited: what the reviewer reads must stay what it is."""

    def __init__(self) -> None:
        super().__init__("This draft is in review. Take it back to change it.")


class NotInReview(Refusal):
    """Only what was handed in is published."""

    def __init__(self) -> None:
        super().__init__("This draft is not in review. Hand it in first.")


class OwnWork(Refusal):
    """Two pairs of eyes: nobody publishes what they wrote."""

    def __init__(self) -> None:
        super().__init__("You had a hand in this draft, so another reviewer publishes it.")


class Unfinished(Refusal):
    """The draft breaks rules that keep a question out of the bank; `findings` says which."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        count = f"{len(findings)} thing{' has' if len(findings) == 1 else 's have'}"
        super().__init__(f"{count} to be mended before this can go on.")
        self.findings = tuple(findings)


class NearDuplicate(Refusal):
    """The draft nearly repeats other questions, and nobody said why it may; `alike` says which."""

    def __init__(self, alike: Sequence[Alike]) -> None:
        super().__init__(
            "This nearly repeats another question. Tell them further apart, or say why both are needed."
        )
        self.alike = tuple(alike)


class SlugTaken(Refusal):
    """Another question has this slug."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"Another question already has the slug {slug!r}. Choose a different one.")
        self.slug = slug


class WrongState(Refusal):
    """The question is not in the state this starts from, for example retired twice."""


class RunMoved(Refusal):
    """The import is past the state this starts from: confirmed, thrown away or undone by now."""

    def __init__(self) -> None:
        super().__init__("This import has moved on meanwhile. Look at it again to see where it is.")


class FaultsLeft(Refusal):
    """All or nothing: items are faulty, and to leave them out was not chosen."""

    def __init__(self, count: int) -> None:
        items = "1 item is" if count == 1 else f"{count} items are"
        super().__init__(
            f"{items} faulty, so nothing was imported. Mend the file, or choose to import the good ones."
        )


class ImportUsed(Refusal):
    """What an import brought is in use, so it cannot be taken back as a whole; `reasons` says what."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("This import cannot be undone, since part of it is in use. Nothing was changed.")
        self.reasons = tuple(reasons)


class FlagFull(Refusal):
    """So much was added to an open flag that nobody would read it."""

    def __init__(self) -> None:
        super().__init__("You have said a lot about this already. Wait for the answer, or make this shorter.")


class SignedInElsewhere(Refusal):
    """The guest signed in from another tab at this moment, and what they flagged went to the account."""

    def __init__(self) -> None:
        super().__init__("You signed in from another tab at this moment. Reload the page and send it again.")


class FlagsAnswered(Refusal):
    """Another curator answered first."""

    def __init__(self) -> None:
        super().__init__("Somebody answered these flags meanwhile. Copy what you wrote and reload the page.")


class FlagsGrew(Refusal):
    """A person wrote more while the curator was answering."""

    def __init__(self) -> None:
        super().__init__("More was written since you opened this page. Read it, then send your answer again.")


class MayNotRetire(Refusal):
    """Only who may publish may take a question out of use."""

    def __init__(self) -> None:
        super().__init__("Only a reviewer may retire a question. Choose another outcome or ask one.")
