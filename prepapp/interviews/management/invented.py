"""An invented person who practises, for demonstrations: how able in which topic, how it gets better, what is
written and how it is judged. Values in, values out, everything from one seed.

Not here: what is played with it (`commands.play_sessions`).
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from prepapp.interviews.choices import Band, MarkValue
from prepapp.interviews.evidence import find_evidence
from prepapp.interviews.selection import LEVELS

QUOTE_WORDS = 12
# A third of the topics each: the share of the rubric met at the beginning, and what the whole time adds.
_WEAK, _MIDDLING, _STRONG = (0.08, 0.10), (0.62, 0.25), (0.97, 0.02)
_PER_LEVEL = 0.06
_LUCK = 0.10
_PARTLY = 0.35
_QUOTES = 0.85
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n{2,}")
_NOTHING_KNOWN = (
    "I do not know this well enough to give a good answer, so I would look it up first.",
    "I have not worked with this. I would ask for a hint and then reason from there.",
    "I only remember the name of it, not how it works.",
)


class Point(Protocol):
    """What is needed of a rubric point."""

    pk: int
    weight: int
    is_must: bool
    criterion: str
    met: str
    partial: str


@dataclass(frozen=True)
class Claim:
    """What the answer gives for one point: the mark it is worth, and the sentence with those words."""

    point_id: int
    value: int
    sentence: str = ""
    has_quote: bool = False

    def quote_in(self, text: str) -> str:
        """The first words of the sentence, as far as the text has them; '' where nothing is quoted."""
        words = self.sentence.split()[:QUOTE_WORDS]
        while words and " ".join(words) not in " ".join(text.split()):
            words.pop()
        return " ".join(words) if self.has_quote else ""

    def value_in(self, text: str) -> int:
        """The mark once only `text` was written: what was not reached is missed."""
        return self.value if self.sentence and self.sentence in text else MarkValue.MISSED


@dataclass(frozen=True)
class Written:
    """An answer as it would be with time enough."""

    text: str
    claims: list[Claim]


@dataclass
class Learner:
    """The seed deals out what the learner is good at: a third of each group of topics is weak, a third
    strong."""

    seed: int
    groups: Sequence[Sequence[str]]
    abilities: dict[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        for group in self.groups:
            shuffled = sorted(group)
            self.chance.shuffle(shuffled)
            for place, topic in enumerate(shuffled):
                self.abilities[topic] = (_WEAK, _MIDDLING, _STRONG)[3 * place // len(shuffled)]

    def named(self, which: str) -> list[str]:
        """The topics dealt out as `weak`, `middling` or `strong`, in order."""
        wanted = {"weak": _WEAK, "middling": _MIDDLING, "strong": _STRONG}[which]
        return sorted(topic for topic, found in self.abilities.items() if found == wanted)

    def skill(self, topic: str, level: str, progress: float, home_level: str) -> float:
        """The chance of meeting a point; `progress` is 0 at the beginning and 1 at the end."""
        start, gain = self.abilities[topic]
        steps = LEVELS.index(level) - LEVELS.index(home_level)
        luck = self.chance.gauss(0, _LUCK)
        return min(max(start + gain * progress - _PER_LEVEL * steps + luck, 0.02), 0.98)

    def write(self, skill: float, points: Sequence[Point], model_answer: str) -> Written:
        """An answer of sentences of the model answer: whole ones for points met, the beginning of one for
        points partly met. A must-have comes to mind a little more easily."""
        sentences = [part.strip() for part in _SENTENCE_END.split(model_answer) if part.strip()]
        taken: dict[int, str] = {}
        extra: list[str] = []
        claims = []
        for point, place in zip(points, _places(points, sentences), strict=True):
            value = self._mark(min(skill + 0.05 * point.is_must, 0.99))
            if value == MarkValue.MISSED:
                claims.append(Claim(point.pk, value))
                continue
            source = point.met if place is None else sentences[place]
            sentence = source if value == MarkValue.MET else _beginning(source)
            if place is None:
                extra.append(sentence)
            else:
                # Two points may rest on one sentence; the longer form of it has the words of both.
                taken[place] = max(taken.get(place, ""), sentence, key=len)
            claims.append(Claim(point.pk, value, sentence, self.chance.random() < _QUOTES))
        parts = [taken[place] for place in sorted(taken)] + extra
        whole = [part if part[-1] in ".!?`" else f"{part} …" for part in parts]
        return Written(" ".join(whole) or self.chance.choice(_NOTHING_KNOWN), claims)

    def leaves_empty(self, skill: float) -> bool:
        return skill < 0.35 and self.chance.random() < 0.2

    def pace(self) -> float:
        """The part of the planned minutes an answer takes."""
        return min(max(self.chance.gauss(0.82, 0.22), 0.3), 1.5)

    def confidence(self, share: float, skill: float) -> str:
        """What is said before the rubric opens: near the truth, too high where little is known."""
        felt = share + self.chance.gauss(0, 0.12) + (0.15 if skill < 0.45 else 0.0)
        places = sum(felt >= least for least in (0.5, 0.7, 0.85))
        return str(Band.values[places])

    def revised(self, value: int) -> int:
        """The mark after reading the model answer: now and then stricter."""
        return value - 1 if value and self.chance.random() < 0.08 else value

    def _mark(self, skill: float) -> int:
        if self.chance.random() < skill:
            return MarkValue.MET
        return MarkValue.PARTLY if self.chance.random() < _PARTLY else MarkValue.MISSED


def drafts(text: str, count: int = 3) -> list[str]:
    """The text as it grows, cut between words; the last is all of it."""
    words = text.split(" ")
    cuts = sorted({max(1, len(words) * part // count) for part in range(1, count + 1)})
    return [" ".join(words[:cut]) for cut in cuts]


def lesson(points: Sequence[Point], values: dict[int, int]) -> str:
    """What to say next time: the heaviest point that earned least; '' if all were met."""
    open_points = [point for point in points if values[point.pk] < MarkValue.MET]
    if not open_points:
        return ""
    worst = max(open_points, key=lambda point: (point.is_must, point.weight * (2 - values[point.pk])))
    return f"Next time: {worst.criterion}"[:300]


def _places(points: Sequence[Point], sentences: Sequence[str]) -> list[int | None]:
    """For each point the sentence that speaks most of it, None if none does."""
    wanted = [f"{point.criterion} {point.met}" for point in points]
    found = [find_evidence(sentence, wanted) for sentence in sentences]
    places: list[int | None] = []
    for number in range(len(points)):
        weights = [sum(end - start for start, end in spans[number]) for spans in found]
        best = max(range(len(weights)), key=weights.__getitem__, default=None)
        places.append(best if best is not None and weights[best] else None)
    return places


def _beginning(sentence: str) -> str:
    words = sentence.split()
    return " ".join(words[: -(-len(words) // 2)])
