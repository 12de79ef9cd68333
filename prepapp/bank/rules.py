"""What may happen to a question, from values alone. No rows are read or written here."""

from enum import Enum
from typing import NamedTuple

from prepapp.bank.choices import VersionSource


class VersionMark(NamedTuple):
    """What the loader needs to know of a version."""

    number: int
    source: str
    content_hash: str


class LoadStep(Enum):
    """What a file does to its question."""

    NEW_VERSION = "new version"
    SAME = "same"
    KEPT = "kept"


def load_step(file_hash: str, current: VersionMark | None, last_file: VersionMark | None) -> LoadStep:
    """What follows from a file with this content for a question with these versions.

    A person's edit is never undone by a file: KEPT when the current version was made in the app after the
    last file version, or when somebody went back from that file version to an older one.
    """
    if current and current.content_hash == file_hash:
        return LoadStep.SAME
    last_number = last_file.number if last_file else 0
    if current and current.source == VersionSource.APP and current.number > last_number:
        return LoadStep.KEPT
    if current and last_file and last_file.content_hash == file_hash:
        return LoadStep.KEPT
    return LoadStep.NEW_VERSION
