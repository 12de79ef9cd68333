"""Which questions an interview asks. Pure and seeded: the same pool, recipe and seed give the same
interview. Mixes topics, keeps to the level, prefers what was never asked, then what was asked longest ago."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from prepapp.bank.choices import Kind, Level

LEVELS = [level.value for level in Level]


@dataclass(frozen=True)
class FollowUpItem:
    id: int
    minutes: int


@dataclass(frozen=True)
class Candidate:
    """One question that could be asked; `track` is the pool it came from where several are drawn from. Of two
    that fit as well, one of twice the `weight` is drawn twice as often; a pinned one goes first until asked.
    """

    version_id: int
    question_id: int
    topic: str
    level: str
    kind: str
    minutes: int
    follow_ups: tuple[FollowUpItem, ...] = ()
    last_asked_at: datetime | None = None
    track: str = ""
    weight: int = 1
    is_pinned: bool = False


@dataclass(frozen=True)
class Slot:
    """One place in an interview.

    `minutes` is the most that the main answer may take, `min_minutes` the least that makes it worth the
    place. `level_offset` is added to the chosen level.
    `follow_ups` is how many follow-ups come after it. With `follow_up_only` the slot asks a follow-up by
    itself, with its question as the setting. `track` and `topics` narrow the place to those; '' and () do
    not.
    """

    kinds: tuple[str, ...]
    minutes: int
    min_minutes: int = 0
    level_offset: int = 0
    follow_ups: int = 0
    follow_up_only: bool = False
    track: str = ""
    topics: tuple[str, ...] = ()


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
    if candidate.kind not in slot.kinds or slot.track not in ("", candidate.track):
        return False
    if slot.topics and candidate.topic not in slot.topics:
        return False
    if slot.follow_up_only:
        return any(item.minutes <= slot.minutes for item in candidate.follow_ups)
    return (
        slot.min_minutes <= candidate.minutes <= slot.minutes and len(candidate.follow_ups) >= slot.follow_ups
    )


def select(pool: Sequence[Candidate], slots: Sequence[Slot], level: str, seed: int) -> Selection:
    """Fills the slots from the pool; as many of them as can be filled at once.

    The slot with the fewest candidates chooses first. One that finds all of its questions taken takes
    one over if the slot that has it can do with another (Kuhn's augmenting path), so that a broad slot
    never starves a narrow one. Within a slot the order is: at most one level off; pinned and never asked; a
    topic not yet in this interview; never asked; the exact level; asked longest ago; chance by weight.
    """
    chance = random.Random(seed)
    order = {
        candidate.question_id: _wait(chance.random(), candidate.weight)
        for candidate in sorted(pool, key=_identity)
    }
    fitting = [[candidate for candidate in pool if fits(slot, candidate)] for slot in slots]
    chosen: dict[int, Candidate] = {}
    holders: dict[int, int] = {}

    def cost(place: int, candidate: Candidate) -> tuple[int, bool, int, int, int, float, float]:
        goal = LEVELS.index(wanted_level(level, slots[place].level_offset))
        distance = abs(LEVELS.index(candidate.level) - goal)
        asked = candidate.last_asked_at
        return (
            max(distance - 1, 0),
            not (candidate.is_pinned and asked is None),
            sum(other.topic == candidate.topic for taken, other in chosen.items() if taken != place),
            0 if asked is None else 1,
            distance,
            0.0 if asked is None else asked.timestamp(),
            order[candidate.question_id],
        )

    def give(place: int, tried: set[int]) -> bool:
        free = [candidate for candidate in fitting[place] if candidate.question_id not in holders]
        if free:
            chosen[place] = min(free, key=lambda candidate: cost(place, candidate))
        else:
            for candidate in sorted(fitting[place], key=lambda candidate: cost(place, candidate)):
                if candidate.question_id in tried:
                    continue
                tried.add(candidate.question_id)
                if give(holders[candidate.question_id], tried):
                    chosen[place] = candidate
                    break
            else:
                return False
        holders[chosen[place].question_id] = place
        return True

    for place in sorted(range(len(slots)), key=lambda place: (len(fitting[place]), place)):
        give(place, set())
    return Selection(
        picks=tuple(
            Pick(chosen[place], slots[place], _follow_ups(slots[place], chosen[place], chance))
            for place in sorted(chosen)
        ),
        unfilled=tuple(slot for place, slot in enumerate(slots) if place not in chosen),
    )


def join_pools(pools: Mapping[str, Sequence[Candidate]], tracks: Sequence[str]) -> list[Candidate]:
    """The candidates of these tracks, each with its track where there are several; one that is lent stands
    once for each of them."""
    if len(tracks) == 1:
        return list(pools.get(tracks[0], ()))
    return [replace(candidate, track=track) for track in tracks for candidate in pools.get(track, ())]


def custom_slots(count: int, minutes: int) -> list[Slot]:
    """Slots of a custom interview: any kind, sharing the minutes so that each can still be filled."""
    share = max(minutes // count, 1)
    return [Slot(kinds=tuple(Kind.values), minutes=share) for _ in range(count)]


def _follow_ups(slot: Slot, candidate: Candidate, chance: random.Random) -> tuple[FollowUpItem, ...]:
    if slot.follow_up_only:
        return (chance.choice([item for item in candidate.follow_ups if item.minutes <= slot.minutes]),)
    return candidate.follow_ups[: slot.follow_ups]


def _wait(chance: float, weight: int) -> float:
    """An exponential waiting time with the rate `weight`: of several, each is the shortest with a chance in
    proportion to its weight. Equal weights keep the order of `chance`."""
    return -math.log1p(-chance) / weight


def _identity(candidate: Candidate) -> int:
    return candidate.question_id
