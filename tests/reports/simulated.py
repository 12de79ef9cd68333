"""Invented learners who answer invented items whose parameters are known, and what is true of these items.

The generator is the graded response model (Samejima, Estimation of latent ability using a response pattern of
graded scores, 1969), the two-parameter logistic model for marks of three steps: a learner of ability θ has at
least step s of a point with the probability `1 / (1 + exp(-a·(θ - b_s)))`. Beside it, items are skipped with
a probability of their own, and take a time that is log-normal around their own median.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

import numpy as np
from numpy.random import Generator, default_rng

from prepapp.accounts.models import User
from prepapp.bank.choices import Level
from prepapp.bank.models import Question, RubricPoint
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, Grading, Mark, Response, ResponseGrade
from prepapp.reports.item_statistics import Answered, Item, MarkOf
from prepapp.reports.mastery import Constants

WEIGHTS = (4, 3, 3)
ASKED = 8
_AT_ONCE = 20_000


@dataclass(frozen=True)
class Bank:
    """`slopes` of each item; `steps` of each point of each item to partly and to met; how willingly an item is
    skipped (a logit), and the median of its pace."""

    slopes: np.ndarray
    steps: np.ndarray
    skips: np.ndarray
    paces: np.ndarray

    def __len__(self) -> int:
        return len(self.slopes)


@dataclass(frozen=True)
class Sitting:
    """Of each learner in a row: the items asked, the marks, which were skipped, the pace."""

    items: np.ndarray
    marks: np.ndarray
    skipped: np.ndarray
    paces: np.ndarray


@dataclass(frozen=True)
class Truth:
    """What is true of each item; `met` and `point_discrimination` of each of its points."""

    score: np.ndarray
    skipped: np.ndarray
    pace: np.ndarray
    discrimination: np.ndarray
    met: np.ndarray
    point_discrimination: np.ndarray
    mean: int


def invent_bank(count: int, seed: int) -> Bank:
    """Items from such that tell nothing to such that tell much, from easy to hard."""
    chance = default_rng(seed)
    steps = chance.normal(0.0, 1.0, (count, 1)) + chance.normal(0.0, 0.7, (count, len(WEIGHTS)))
    return Bank(
        slopes=chance.uniform(0.0, 2.0, count),
        steps=np.stack([steps - 0.5, steps + 0.5], axis=-1),
        skips=chance.uniform(-5.0, -1.0, count),
        paces=2 ** chance.uniform(-1.0, 1.0, count),
    )


def sit(bank: Bank, learners: int, chance: Generator) -> Sitting:
    """Each learner is asked `ASKED` items, all as likely."""
    items = np.argsort(chance.random((learners, len(bank))), axis=1)[:, :ASKED]
    ability = chance.normal(0.0, 1.0, (learners, 1))
    logits = bank.slopes[items][..., None, None] * (ability[..., None, None] - bank.steps[items])
    # One number for both steps of a point: whoever has met it has at least partly.
    drawn = chance.random((*items.shape, len(WEIGHTS), 1))
    skipped = chance.random(items.shape) < _logistic(bank.skips[items] - 0.5 * ability)
    marks = (drawn < _logistic(logits)).sum(axis=-1) * ~skipped[..., None]
    paces = bank.paces[items] * np.exp(chance.normal(0.0, 0.5, items.shape))
    return Sitting(items, marks, skipped, paces)


def answers_of(sitting: Sitting) -> Iterator[list[Answered]]:
    """What each learner answered, as the product reads it."""
    for items, marks, skipped, paces in zip(
        sitting.items.tolist(),
        sitting.marks.tolist(),
        sitting.skipped.tolist(),
        sitting.paces.tolist(),
        strict=True,
    ):
        yield [
            Answered(
                Item(item, 1, ""),
                [MarkOf(f"r{n}", *pair) for n, pair in enumerate(zip(WEIGHTS, given, strict=True), 1)],
                is_skipped,
                None if is_skipped else pace,
            )
            for item, given, is_skipped, pace in zip(items, marks, skipped, paces, strict=True)
        ]


def find_truth(bank: Bank, seed: int, learners: int = 400_000) -> Truth:
    """By asking so many learners that what is left to chance is a fraction of what 300 leave to it. Worked out
    with arrays, not with the product's code."""
    chance = default_rng(seed)
    parts = [sit(bank, _AT_ONCE, chance) for _ in range(learners // _AT_ONCE)]
    items = np.concatenate([part.items for part in parts])
    marks = np.concatenate([part.marks for part in parts])
    skipped = np.concatenate([part.skipped for part in parts])
    shares = marks @ np.array(WEIGHTS) / (2 * sum(WEIGHTS))
    mean = round(100 * shares.mean())
    rule = Constants()
    trials = len(WEIGHTS) / (1 + (len(WEIGHTS) - 1) * rule.point_correlation)
    gained = trials * (shares.sum(axis=1, keepdims=True) - shares)
    ability = (rule.prior_trials * mean / 100 + gained) / (rule.prior_trials + (ASKED - 1) * trials)
    at = [items == item for item in range(len(bank))]
    return Truth(
        score=np.array([shares[where].mean() for where in at]),
        skipped=np.array([skipped[where].mean() for where in at]),
        pace=bank.paces,
        discrimination=np.array([np.corrcoef(shares[where], ability[where])[0, 1] for where in at]),
        met=np.array([(marks[where] == 2).mean(axis=0) for where in at]),
        point_discrimination=np.array([_each(marks[where], ability[where]) for where in at]),
        mean=mean,
    )


def _each(marks: np.ndarray, ability: np.ndarray) -> Sequence[float]:
    return [float(np.corrcoef(column, ability)[0, 1]) for column in marks.T]


def _logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def store(sitting: Sitting, questions: Sequence[Question], started_at: datetime) -> list[User]:
    """Each learner's answers as one graded mock, by bulk inserts: item n is the n-th of the questions, each
    with three points of `WEIGHTS`. Every second learner is a guest."""
    versions = {question.current_version_id: place for place, question in enumerate(questions)}
    points: dict[int, list[int]] = defaultdict(list)
    for version, point in (
        RubricPoint.objects.filter(version__in=versions, follow_up=None)
        .order_by("position")
        .values_list("version_id", "pk")
    ):
        points[versions[version]].append(point)
    minutes = questions[0].current_version.minutes
    people = User.objects.bulk_create(
        User(email=None if n % 2 else f"learner{n}@example.test", is_guest=bool(n % 2), password="!")
        for n in range(len(sitting.items))
    )
    attempts = Attempt.objects.bulk_create(_attempt(person, started_at) for person in people)
    rows = [
        (attempt, position, item, given, is_skipped, pace)
        for attempt, *of_attempt in zip(
            attempts,
            sitting.items.tolist(),
            sitting.marks.tolist(),
            sitting.skipped.tolist(),
            sitting.paces.tolist(),
            strict=True,
        )
        for position, (item, given, is_skipped, pace) in enumerate(zip(*of_attempt, strict=True), 1)
    ]
    responses = Response.objects.bulk_create(
        Response(
            attempt=attempt,
            user_id=attempt.user_id,
            position=position,
            version_id=questions[item].current_version_id,
            minutes=minutes,
            text="" if is_skipped else "An answer.",
            seconds_spent=0 if is_skipped else round(60 * minutes * pace),
            is_skipped=is_skipped,
            asked_at=started_at,
        )
        for attempt, position, item, _, is_skipped, pace in rows
    )
    gradings = Grading.objects.bulk_create(
        Grading(
            attempt=attempt,
            user_id=attempt.user_id,
            number=1,
            started_at=started_at,
            closed_at=attempt.graded_at,
            score=5,
        )
        for attempt in attempts
    )
    grading_of = {grading.attempt_id: grading for grading in gradings}
    grades = ResponseGrade.objects.bulk_create(
        ResponseGrade(grading=grading_of[response.attempt_id], response=response, user_id=response.user_id)
        for response in responses
    )
    Mark.objects.bulk_create(
        Mark(
            response_grade=grade,
            point_id=point,
            user_id=grade.user_id,
            value=value,
            first_value=value,
            marked_at=started_at,
        )
        for grade, (_, _, item, given, _, _) in zip(grades, rows, strict=True)
        for point, value in zip(points[item], given, strict=True)
    )
    return people


def _attempt(person: User, started_at: datetime) -> Attempt:
    return Attempt(
        user=person,
        title="Screen",
        mode=Mode.MOCK,
        level=Level.INTERMEDIATE,
        state=State.GRADED,
        start_key=uuid4(),
        slot=str(person.pk),
        seed=1,
        minutes=40,
        time_allowance="1.00",
        started_at=started_at,
        finished_at=started_at + timedelta(minutes=40),
        graded_at=started_at + timedelta(minutes=50),
        score=5,
    )
