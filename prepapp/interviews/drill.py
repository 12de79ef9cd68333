"""What a drill of one topic asks, and how that is told. Values only, seeded like `selection`."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from prepapp.interviews.selection import LEVELS, Candidate, FollowUpItem, Pick, Slot

# No question of the bank is planned with less, so a gap below it is none.
SHORTEST = 4
_NUMBERS = ("no", "one", "two", "three", "four", "five")


@dataclass(frozen=True)
class Drill:
    """`picks` in the order they are asked; the last is of `kept`, a strong topic, unless that is ''.
    `planned` is how long a drill takes when the bank has enough."""

    topic: str
    planned: int
    picks: tuple[Pick, ...] = ()
    kept: str = ""

    @property
    def is_full(self) -> bool:
        return self.planned - self._sum < SHORTEST

    @property
    def minutes(self) -> int:
        """What the clock gives: the usual time, or what the questions take where the bank has too few."""
        return self.planned if self.is_full else self._sum

    @property
    def own(self) -> tuple[Pick, ...]:
        """The questions of the topic itself."""
        return self.picks[:-1] if self.kept else self.picks

    @property
    def _sum(self) -> int:
        return sum(pick.minutes for pick in self.picks)


def make_drill(
    pool: Sequence[Candidate], topic: str, strong: Sequence[str], level: str, minutes: int, seed: int
) -> Drill:
    """Fills the minutes with questions of the topic: never asked first, then asked longest ago; among equals
    the level nearest to the person's, then chance. Half of the time at most goes to one question of the
    first strong topic that has one, if the topic still has one for the rest. What is left goes to
    follow-ups. Without a fitting question of the topic the drill is empty.
    """
    chance = random.Random(seed)
    draws = {candidate.question_id: chance.random() for candidate in sorted(pool, key=_identity)}

    def order(candidate: Candidate) -> tuple[float, int, float]:
        asked = candidate.last_asked_at
        distance = abs(LEVELS.index(candidate.level) - LEVELS.index(level))
        return (0.0 if asked is None else asked.timestamp(), distance, draws[candidate.question_id])

    ordered = sorted(pool, key=order)
    kept = next(
        (
            candidate
            for code in strong
            for candidate in ordered
            if candidate.topic == code != topic and candidate.minutes <= minutes // 2
        ),
        None,
    )
    own: list[Candidate] = []
    if kept is not None:
        own = _fill(ordered, topic, minutes - kept.minutes)
    if not own:
        kept, own = None, _fill(ordered, topic, minutes)
    chosen = [*own, *([kept] if kept else [])]
    return Drill(
        topic=topic,
        planned=minutes,
        picks=tuple(_with_follow_ups(chosen, own, minutes)),
        kept=kept.topic if kept else "",
    )


def drill_words(drill: Drill, titles: Mapping[str, str], zone: tzinfo, now: datetime) -> str:
    """How a drill was chosen: 'Two questions you have not seen on GPU memory, one last asked 12 Oct, and one
    on Ownership to keep it.' `titles` are those of the topics; dates are days of `zone`."""
    title = titles[drill.topic]
    asked = [pick.candidate.last_asked_at for pick in drill.own]
    seen = sorted(instant.astimezone(zone).date() for instant in asked if instant)
    this_year = now.astimezone(zone).year
    days = [f"{day.day} {day:%b}" + ("" if day.year == this_year else f" {day.year}") for day in seen]
    unseen = len(asked) - len(seen)
    parts = []
    if unseen:
        parts.append(f"{_count(unseen, 'question')} you have not seen on {title}")
    if seen:
        what = f"{_number(len(seen))}" if unseen else f"{_count(len(seen), 'question')} on {title},"
        parts.append(f"{what} last asked {_row(list(dict.fromkeys(days)))}")
    if drill.kept:
        parts.append(f"one on {titles[drill.kept]} to keep it")
    text = ", and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    text = f"{text[0].upper()}{text[1:]}."
    if not drill.is_full:
        text += (
            f" The bank has no more on it, so this takes {drill.minutes} minutes instead of {drill.planned}."
        )
    return text


def _fill(ordered: Sequence[Candidate], topic: str, minutes: int) -> list[Candidate]:
    """The first that fit, one after the other."""
    chosen: list[Candidate] = []
    for candidate in ordered:
        if candidate.topic == topic and candidate.minutes <= minutes:
            chosen.append(candidate)
            minutes -= candidate.minutes
    return chosen


def _with_follow_ups(chosen: Sequence[Candidate], own: Sequence[Candidate], minutes: int) -> list[Pick]:
    """The questions with as many follow-ups of the topic as the time that is left allows: a first one of
    each before a second of any."""
    left = minutes - sum(candidate.minutes for candidate in chosen)
    given: dict[int, list[FollowUpItem]] = {candidate.question_id: [] for candidate in chosen}
    for turn in range(max((len(candidate.follow_ups) for candidate in own), default=0)):
        for candidate in own:
            item = candidate.follow_ups[turn] if turn < len(candidate.follow_ups) else None
            # Follow-ups build on each other: none without the one before.
            if item and item.minutes <= left and len(given[candidate.question_id]) == turn:
                given[candidate.question_id].append(item)
                left -= item.minutes
    return [
        Pick(
            candidate,
            Slot(
                kinds=(candidate.kind,),
                minutes=candidate.minutes,
                follow_ups=len(given[candidate.question_id]),
            ),
            tuple(given[candidate.question_id]),
        )
        for candidate in chosen
    ]


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _count(count: int, noun: str) -> str:
    return f"{_number(count)} {noun}{'' if count == 1 else 's'}"


def _row(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _identity(candidate: Candidate) -> int:
    return candidate.question_id
