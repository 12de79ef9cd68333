"""What the bank has of the questions a file names, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from prepapp.bank.transfer.document import Document


@dataclass(frozen=True)
class Known:
    """One question of the bank. `published` and `draft` are its documents, None where it has none.

    `revision` is that of the draft. With `is_from_import` nobody has touched the draft since an import wrote
    it; `editor` is who did, in words."""

    pk: int
    ref: str
    slug: str
    status: str
    version_id: int | None = None
    published: Document | None = None
    draft: Document | None = None
    revision: int = 0
    is_in_review: bool = False
    is_from_import: bool = False
    editor: str = ""

    @property
    def mark(self) -> tuple[object, ...]:
        """Equal as long as nobody has changed the question."""
        return (
            self.ref,
            self.slug,
            self.status,
            self.version_id,
            self.revision,
            self.is_in_review,
        )


@dataclass(frozen=True)
class Bank:
    """What there is to compare a file with: topic codes, the questions it may mean by id, and the id of
    every question of the bank by its reference, former ones included, and by its slug in small letters."""

    topics: frozenset[str] = frozenset()
    questions: Mapping[int, Known] = field(default_factory=dict)
    refs: Mapping[str, int] = field(default_factory=dict)
    slugs: Mapping[str, int] = field(default_factory=dict)
