"""Which questions a pack holds, as plain data: the rule it states, asked of one question at a time, and the
name of a pack that nothing but question files knows.

Here: `PackRule` over values. Not here: files of packs (`transfer.pack_file`), the same rule as a condition on
rows (`queries.packs`).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class PackRule:
    """What a pack takes in.

    A question is in if it is named in `ids`, or if it lies in one of the tracks (its home) or topics or has
    one of the tags, and has one of the levels and one of the kinds. What is empty asks for nothing; a rule
    without any but ids takes in nothing else.
    """

    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def has_places(self) -> bool:
        """Whether it says where questions come from. If it asks for a level or a kind only: from anywhere."""
        return bool(self.tags or self.topics or self.tracks)

    @property
    def has_conditions(self) -> bool:
        """Whether it takes in anything beyond its ids."""
        return bool(self.has_places or self.levels or self.kinds)

    def holds(self, *, ref: str, topic: str, tags: Collection[str], level: str, kind: str) -> bool:
        if ref in self.ids:
            return True
        if not self.has_conditions:
            return False
        is_here = (
            not self.has_places
            or topic in self.topics
            or topic.partition(".")[0] in self.tracks
            or any(tag in self.tags for tag in tags)
        )
        return is_here and level in (self.levels or (level,)) and kind in (self.kinds or (kind,))


def read_rule(raw: Mapping[str, Any]) -> PackRule:
    """The rule as a file or a row holds it; keys that are missing are empty."""
    return PackRule(**{entry.name: tuple(raw.get(entry.name, ())) for entry in fields(PackRule)})


def pack_name(slug: str) -> str:
    """The title of a pack until its file, or somebody in the app, gives it one: its slug in words."""
    return slug.replace("-", " ").capitalize()
