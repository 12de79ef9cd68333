"""What the words of other banks mean in ours: statuses, levels, kinds.

A word that is not listed here means nothing to us; it is named to the curator, never guessed. The lists are
printed in docs/formats.md.
"""

from prepapp.bank.choices import Status
from prepapp.bank.taxonomy import KINDS, LEVELS

STATUSES = {status.value: status.value for status in Status} | {
    "active": Status.PUBLISHED.value,
    "live": Status.PUBLISHED.value,
    "archived": Status.RETIRED.value,
    "hidden": Status.RETIRED.value,
    "inactive": Status.RETIRED.value,
    "in review": Status.IN_REVIEW.value,
    "review": Status.IN_REVIEW.value,
    "unpublished": Status.DRAFT.value,
}

LEVEL_WORDS = {level: level for level in LEVELS} | {
    "1": "foundation",
    "beginner": "foundation",
    "basic": "foundation",
    "easy": "foundation",
    "2": "intermediate",
    "medium": "intermediate",
    "3": "advanced",
    "hard": "advanced",
    "4": "senior",
    "expert": "senior",
}

KIND_WORDS = {kind: kind for kind in KINDS} | {"behavioral": "behavioural", "code": "coding"}


def meaning(word: str, words: dict[str, str]) -> str:
    """What the word means, capitals and blanks around it aside, or ''."""
    return words.get(" ".join(word.casefold().split()), "")
