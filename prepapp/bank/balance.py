"""What a set of questions adds up to: shares of levels and kinds, how far kind tells level, what is covered.

Computed from values alone. Not here: what is wanted (`targets`, `checklist`), findings (`bank.lint`), the
tables (`coverage`).
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from prepapp.bank import targets
from prepapp.bank.taxonomy import LEVELS
from prepapp.bank.transfer.question_file import QuestionFile

# Shares are quotients; one that is exactly at its limit must not fail for its last binary digit.
ROUNDING = 1e-9


@dataclass(frozen=True)
class LevelGap:
    """A level whose share, from 0 to 1, is further from its target than `tolerance` points."""

    level: str
    share: float
    wanted: float
    tolerance: int


def of_track(questions: Sequence[QuestionFile], track: str) -> list[QuestionFile]:
    """The questions of the topics at home in the track."""
    return [question for question in questions if question.track == track]


def level_shares(questions: Sequence[QuestionFile]) -> dict[str, float]:
    """The share of each level, from 0 to 1; nothing has no shares and gives 0 for each."""
    counts = Counter(question.level for question in questions)
    return {level: counts[level] / (len(questions) or 1) for level in LEVELS}


def level_gaps(questions: Sequence[QuestionFile], track: str = "") -> list[LevelGap]:
    """Levels out of proportion in a track, or in the whole bank; where there is no question there is none."""
    tolerance = targets.TRACK_TOLERANCE if track else targets.BANK_TOLERANCE
    wanted = targets.level_targets(track)
    gaps = [
        LevelGap(level, share, wanted[level], tolerance) for level, share in level_shares(questions).items()
    ]
    return [gap for gap in gaps if questions and abs(gap.share - gap.wanted) * 100 > tolerance + ROUNDING]


def kind_share(questions: Sequence[QuestionFile], kinds: Collection[str]) -> float:
    """The share of these kinds together, from 0 to 1."""
    return sum(question.kind in kinds for question in questions) / (len(questions) or 1)


def association(questions: Sequence[QuestionFile]) -> float:
    """Cramér's V of kind and level: 0 when kind tells nothing about level, 1 when it fixes it.

    V = sqrt(chi squared / n / (min(rows, columns) - 1)); a table with one row or column gives 0.
    """
    cells = Counter((question.kind, question.level) for question in questions)
    kinds = Counter(question.kind for question in questions)
    levels = Counter(question.level for question in questions)
    smaller = min(len(kinds), len(levels))
    if smaller < 2:
        return 0.0
    chance = {
        (kind, level): kinds[kind] * levels[level] / len(questions) for kind in kinds for level in levels
    }
    squares = sum((cells[cell] - expected) ** 2 / expected for cell, expected in chance.items())
    return math.sqrt(squares / len(questions) / (smaller - 1))


def uncovered(questions: Sequence[QuestionFile], items: Sequence[str]) -> list[str]:
    """The items that no question claims, in their own order."""
    claimed = {item for question in questions for item in question.covers}
    return [item for item in items if item not in claimed]
