"""How a pack that question files name is presented, as plain data. Which questions are in a pack stands
in their files; a pack that is not listed here is shown by its name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PackEntry:
    """A named selection across tracks. A pack says what it is practice for, never what was asked where."""

    slug: str
    title: str
    disclaimer: str = ""


_KNOWN = {
    entry.slug: entry
    for entry in (
        PackEntry(
            "nvidia",
            "NVIDIA practice",
            "Practice for GPU and deep-learning roles. Not affiliated with NVIDIA, and no claim about what "
            "is asked there.",
        ),
    )
}


def pack_entry(slug: str) -> PackEntry:
    """The listed entry, or one whose title is the slug in words."""
    return _KNOWN.get(slug) or PackEntry(slug, slug.replace("-", " ").capitalize())
