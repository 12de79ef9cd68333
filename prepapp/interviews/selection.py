"""Which questions an interview asks. Pure and seeded: the same pool, recipe and seed give the same
interview. Mixes topics, keeps to the level, prefers what was never asked, then what was asked longest ago."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from prepapp.bank.choices import Kind, Level

LEVELS = [level.value for level in Level]


@dataclass(frozen=True)
class FollowUpItem:
    id: int
    minutes: int


@dataclass(frozen=True)
class Candidate:
    """One question that could be asked."""

    version_id: int
    question_id: int
    topic: str
    level: str
    kind: str
    minutes: int
    follow_ups: tuple[FollowUpItem, ...] = ()
    last_asked_at: datetime | None = None


@dataclass(frozen=True)
class Slot:
    """One place in an interview.

    `minutes` is the most that the main answer may take, `min_minutes` the least that makes it worth the
    place. `level_offset` is added to the chosen level.
    `follow_ups` is how many follow-ups come after it. With `follow_up_only` the slot asks a follow-up by
    itself, with its question as the setting.
    """

    kinds: tuple[str, ...]
    minutes: int
    min_minutes: int = 0
    level_offset: int = 0
    follow_ups: int = 0
    follow_up_only: bool = False


@dataclass(frozen=True)
class Pick:
    candidate: Candidate
    slot: Slot
    follow_ups: tuple[FollowUpItem, ...]

    @property
    def minutes(self) -> int:
        main = 0 if self.slot.follow_up_only else self.candidate.minutes
        return main + sum(item.minutes for item in self.follow_ups)


@dataclass(frozen=True)
class Selection:
    """`picks` in the order of the slots; `unfilled` names the slots nothing was found for."""

    picks: tuple[Pick, ...]
    unfilled: tuple[Slot, ...]

    @property
    def is_complete(self) -> bool:
        return not self.unfilled

    @property
    def minutes(self) -> int:
        return sum(pick.minutes for pick in self.picks)


def wanted_level(level: str, offset: int) -> str:
    """The level `offset` steps from `level`, held within the scale."""
    place = min(max(LEVELS.index(level) + offset, 0), len(LEVELS) - 1)
    return LEVELS[place]


def fits(slot: Slot, candidate: Candidate) -> bool:
    """Whether the question can stand in the slot at all, whatever its level."""
    if candidate.kind not in slot.kinds:
        return False
    if slot.follow_up_only:
        return any(item.minutes <= slot.minutes for item in candidate.follow_ups)
    return (
        slot.min_minutes <= candidate.minutes <= slot.minutes and len(candidate.follow_ups) >= slot.follow_ups
    )


def select(pool: Sequence[Candidate], slots: Sequence[Slot], level: str, seed: int) -> Selection:
    """Fills the slots from the pool.

    The slot with the fewest candidates chooses first, so that a broad slot never takes the only
    question a narrow one can use. Within a slot the order is: at most one level off; a topic not yet
    in this interview; never asked; the exact level; asked longest ago; chance.
    """
    chance = random.Random(seed)
    order = {candidate.question_id: chance.random() for candidate in sorted(pool, key=_identity)}
    used: set[int] = set()
    topics: Counter[str] = Counter()
    chosen: dict[int, Pick] = {}
    for place in sorted(range(len(slots)), key=lambda i: (sum(fits(slots[i], c) for c in pool), i)):
        slot = slots[place]
        goal = LEVELS.index(wanted_level(level, slot.level_offset))
        open_to = [c for c in pool if c.question_id not in used and fits(slot, c)]
        if not open_to:
            continue

        def cost(candidate: Candidate, goal: int = goal) -> tuple[int, int, int, int, float, float]:
            distance = abs(LEVELS.index(candidate.level) - goal)
            asked = candidate.last_asked_at
            return (
                max(distance - 1, 0),
                topics[candidate.topic],
                0 if asked is None else 1,
                distance,
                0.0 if asked is None else asked.timestamp(),
                order[candidate.question_id],
            )

        best = min(open_to, key=cost)
        used.add(best.question_id)
        topics[best.topic] += 1
        chosen[place] = Pick(best, slot, _follow_ups(slot, best, chance))
    return Selection(
        picks=tuple(chosen[place] for place in sorted(chosen)),
        unfilled=tuple(slot for place, slot in enumerate(slots) if place not in chosen),
    )


def custom_slots(count: int, minutes: int) -> list[Slot]:
    """Slots of a custom interview: any kind, sharing the minutes so that each can still be filled."""
    share = max(minutes // count, 1)
    return [Slot(kinds=tuple(Kind.values), minutes=share) for _ in range(count)]


def _follow_ups(slot: Slot, candidate: Candidate, chance: random.Random) -> tuple[FollowUpItem, ...]:
    if slot.follow_up_only:
        return (chance.choice([item for item in candidate.follow_ups if item.minutes <= slot.minutes]),)
    return candidate.follow_ups[: slot.follow_ups]


def _identity(candidate: Candidate) -> int:
    return candidate.question_id
