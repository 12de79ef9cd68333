"""What may happen to a question, from values alone. No rows are read or written here."""

import re
from collections.abc import Collection, Mapping
from datetime import date
from enum import Enum
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.text import slugify

from prepapp.bank.choices import VersionSource

# Questions made in the app are numbered from here on, above any that come with the program: a file that
# appears later never meets the reference of another question.
FIRST_APP_NUMBER = 10_001
PROVISIONAL_NUMBER = 99_999
SLUG_CHARACTERS = 80


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


def slug_of(title: str) -> str:
    """A slug in the form a question file asks for, made from a title; "question" if nothing is left."""
    words = re.sub(r"[^a-z0-9]+", "-", slugify(title)).strip("-")
    return words[:SLUG_CHARACTERS].rstrip("-") or "question"


def next_reference(topic: str, taken: list[str]) -> str:
    """The reference a question made in the app gets: the topic and the number after the highest in use."""
    numbers = [int(number) for ref in taken if (number := ref.removeprefix(f"{topic}-")).isdigit()]
    return f"{topic}-{max([FIRST_APP_NUMBER - 1, *numbers]) + 1}"


def may_publish(person: UUID, editors: Collection[UUID]) -> bool:
    """Whether this reviewer may publish what these people wrote: not one's own."""
    return person not in editors


def add_months(day: date, months: int) -> date:
    """The same day `months` later, or the last day of that month when it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    for last in range(day.day, 27, -1):
        try:
            return date(index // 12, index % 12 + 1, last)
        except ValueError:
            continue
    return date(index // 12, index % 12 + 1, day.day)


def chosen_by_base(
    key: str, base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]
) -> str:
    """Whose value of a key to propose where two texts differ: of whoever changed it; "mine" if both did."""
    return "theirs" if mine.get(key) == base.get(key) and theirs.get(key) != base.get(key) else "mine"


def merged(mine: Mapping[str, Any], theirs: Mapping[str, Any], keep: Collection[str]) -> dict[str, Any]:
    """Their document with these keys as they are in mine, where they may be absent."""
    document = {key: value for key, value in theirs.items() if key not in keep}
    return document | {key: value for key, value in mine.items() if key in keep}
