"""What graded answers say about what was asked: how hard it is, whether it tells the able from the others,
how long it takes. Values only; what comes of the sums is in `item_figures`.

An item is one part of a question (the main answer, or a follow-up) in one meaning: versions that differ in
words alone count together, a change of meaning starts anew.

Counted is each learner's first answer to an item. A second one mostly shows what was remembered of the model
answer, and one learner's answers are not independent, as every interval here takes them to be.

Discrimination is the correlation of the answer's score with the learner's ability. Ability is their rate
over their answers to *other* questions, drawn towards the mean of everybody as mastery draws it (`k` trials,
an answer worth `p / (1 + (p - 1)·ρ)` trials), without regard to age: what an item is does not fade. The
question's own follow-ups stay out too, since they are about the same matter. Left out are learners without
another answer. That a score is compared with the rest, never with a total that contains it, is the correction
of Henrysson (Correction of item-total correlations in item analysis, Psychometrika 28, 1963).

Sums are kept as whole numbers, so that adding an answer and taking it away again leaves exactly what was
there. An ability is linear in the mean of everybody (`w·mean + b`, with `w = k / (k + n)` and
`b = x / (k + n)`), so the sums of `w`, `b` and their products serve any mean, and a mean that moves does not
touch an answer again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2
from typing import Any, NamedTuple

from prepapp.reports.mastery import Constants, answer_trials

# A share of 1; what is smaller than its parts is rounded once, when an answer is counted.
UNIT = 100_000
# Times are kept as steps of a sixteenth of an octave: within 2.2 % of what they were.
PACE_STEPS = 16
_LONGEST = 4 * PACE_STEPS
MET, PARTLY, MISSED = 2, 1, 0

# What is kept for an item or a point: whole numbers by name, without those that are 0.
Sums = Counter[str]


class Item(NamedTuple):
    """`question` is its key, `part` '' for the main answer, else the key of the follow-up."""

    question: int
    meaning: int
    part: str


class MarkOf(NamedTuple):
    """The mark of one point, in halves, and what the point weighs."""

    point: str
    weight: int
    value: int


@dataclass(frozen=True)
class Answered:
    """A learner's first answer to an item. `pace` is the time spent as a multiple of the time expected; None
    where nothing was written, or the browser reported none."""

    item: Item
    marks: Sequence[MarkOf]
    is_skipped: bool = False
    pace: float | None = None


@dataclass(frozen=True)
class Counted:
    """The same as it enters the sums. `ability` is (w, b), None without another answer; in units."""

    item: Item
    share: int
    trials: int
    successes: int
    is_skipped: bool
    step: int | None
    marks: Mapping[str, int]
    ability: tuple[int, int] | None = None


@dataclass
class Totals:
    """The sums of items, and of their points by key."""

    items: dict[Item, Sums] = field(default_factory=lambda: defaultdict(Counter))
    points: dict[tuple[Item, str], Sums] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, answers: Iterable[Counted], times: int = 1) -> None:
        """With `times` -1 takes away what was once added."""
        for answer in answers:
            put(self.items[answer.item], _item_terms(answer), times)
            for point, value in answer.marks.items():
                put(self.points[answer.item, point], _point_terms(answer, value), times)


def count_answers(answers: Sequence[Answered], constants: Constants) -> list[Counted]:
    """One learner's first answers, each beside the ability that their answers to other questions show. An
    answer whose points weigh nothing is none."""
    scored = [_scored(answer, constants) for answer in answers if any(mark.weight for mark in answer.marks)]
    of_question: Counter[int] = Counter()
    gained: Counter[int] = Counter()
    for answer in scored:
        of_question[answer.item.question] += answer.trials
        gained[answer.item.question] += answer.successes
    all_trials, all_successes = of_question.total(), gained.total()
    return [
        replace(
            answer,
            ability=_ability(
                all_trials - of_question[answer.item.question],
                all_successes - gained[answer.item.question],
                constants,
            ),
        )
        for answer in scored
    ]


def _scored(answer: Answered, constants: Constants) -> Counted:
    weight = sum(mark.weight for mark in answer.marks)
    share = sum(mark.weight * mark.value for mark in answer.marks) / (2 * weight)
    trials = answer_trials(len(answer.marks), constants)
    return Counted(
        item=answer.item,
        share=_units(share),
        trials=_units(trials),
        successes=_units(trials * share),
        is_skipped=answer.is_skipped,
        step=None if answer.pace is None else _step(answer.pace),
        marks={mark.point: mark.value for mark in answer.marks},
    )


def _ability(trials: int, successes: int, constants: Constants) -> tuple[int, int] | None:
    """Of the other answers, in units; None without any."""
    if not trials:
        return None
    k = constants.prior_trials * UNIT
    return _units(k / (k + trials)), _units(successes / (k + trials))


def put(sums: Sums, terms: Mapping[str, int], times: int = 1) -> None:
    """Adds the terms so many times. What comes to 0 is left out, so that equal sums are equal."""
    for name, value in terms.items():
        if total := sums[name] + times * value:
            sums[name] = total
        else:
            sums.pop(name, None)


def added(kept: Mapping[str, int], change: Mapping[str, int]) -> Sums:
    """The two together, in a new one."""
    sums = Sums(kept)
    put(sums, change)
    return sums


def marks_in(sums: Mapping[str, int]) -> int:
    """How many marks of a point the sums hold."""
    return sum(sums.get(f"marked{value}", 0) for value in (MET, PARTLY, MISSED))


def to_json(answer: Counted) -> list[Any]:
    return [
        *answer.item,
        answer.share,
        answer.trials,
        answer.successes,
        answer.ability and list(answer.ability),
        int(answer.is_skipped),
        answer.step,
        dict(answer.marks),
    ]


def from_json(raw: Sequence[Any]) -> Counted:
    question, meaning, part, share, trials, successes, ability, is_skipped, step, marks = raw
    return Counted(
        item=Item(question, meaning, part),
        share=share,
        trials=trials,
        successes=successes,
        ability=ability and (ability[0], ability[1]),
        is_skipped=bool(is_skipped),
        step=step,
        marks=marks,
    )


def _item_terms(answer: Counted) -> dict[str, int]:
    terms = {
        "answers": 1,
        "skipped": int(answer.is_skipped),
        "share": answer.share,
        "share2": answer.share**2,
        "trials": answer.trials,
        "successes": answer.successes,
        **_pair(answer.share, answer.ability),
    }
    if answer.step is not None:
        terms[f"pace{answer.step}"] = 1
    return terms


def _point_terms(answer: Counted, value: int) -> dict[str, int]:
    return {f"marked{value}": 1, **_pair(value, answer.ability)}


def _pair(x: int, ability: tuple[int, int] | None) -> dict[str, int]:
    if ability is None:
        return {}
    w, b = ability
    return {
        "pairs": 1,
        "x": x,
        "xx": x * x,
        "w": w,
        "b": b,
        "ww": w * w,
        "wb": w * b,
        "bb": b * b,
        "xw": x * w,
        "xb": x * b,
    }


def _units(value: float) -> int:
    return round(value * UNIT)


def _step(pace: float) -> int:
    return max(-_LONGEST, min(_LONGEST, round(PACE_STEPS * log2(pace))))
