"""Two attempts at one question side by side: both answers, both marks of each point, won and lost."""

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from prepapp.bank.models import RubricPoint
from prepapp.interviews import scoring
from prepapp.interviews.gradebook.changes import changed_since
from prepapp.interviews.gradebook.held_back import held_back_questions
from prepapp.interviews.logbook.review import (
    Graded,
    PointReview,
    asked_html,
    graded_answers,
    is_visible,
    planned_responses,
    revealed_responses,
    standing_grading,
    version_words,
)
from prepapp.interviews.models import Attempt, Grading, Response


@dataclass(frozen=True)
class Side:
    """One answer; `graded` is None where it is not graded, or may not be shown now."""

    response: Response
    version_words: str
    graded: Graded | None


@dataclass(frozen=True)
class PointPair:
    """One rubric point on both sides; `change` is None where the two cannot be compared."""

    point: RubricPoint
    before: PointReview | None
    after: PointReview | None
    change: Fraction | None

    @property
    def change_words(self) -> str:
        return "" if self.change is None else signed(self.change)


@dataclass(frozen=True)
class PartPair:
    """The main answer, or the answer to one follow-up, on both sides. A side is None where that part was
    not asked; `difference` is the score after minus the score before, '' unless both have one."""

    key: str
    rendered: dict[str, str]
    before: Side | None
    after: Side | None
    points: list[PointPair]
    won: str
    lost: str
    difference: str


@dataclass(frozen=True)
class Comparison:
    """`is_held_back`: the question stands in a running mock, so its points are not shown now."""

    title: str
    parts: list[PartPair]
    has_same_version: bool
    is_held_back: bool


def compare_answers(before: Attempt, after: Attempt, ref: str, now: datetime) -> Comparison | None:
    """Both attempts at the question `ref`; None if one of them did not ask it. At most 11 queries,
    and two more if it has changed."""
    held_back = held_back_questions(after.user_id, now)
    old, new = (_sides(attempt, ref, held_back, now) for attempt in (before, after))
    if not old or not new:
        return None
    versions = [next(iter(sides.values())).response.version for sides in (old, new)]
    return Comparison(
        title=versions[1].title,
        parts=[_part(key, old.get(key), new.get(key)) for key in sorted({*old, *new})],
        has_same_version=versions[0] == versions[1],
        is_held_back=versions[1].question_id in held_back,
    )


def signed(points: Fraction) -> str:
    """One decimal, half away from zero, with its sign: +1.5, −2.0, 0.0."""
    text = scoring.score_text(abs(points))
    sign = "" if float(text) == 0 else "+" if points > 0 else "−"
    return f"{sign}{text}"


def _sides(attempt: Attempt, ref: str, held_back: set[int], now: datetime) -> dict[str, Side]:
    """The answers to the question by follow-up key, '' for the main answer."""
    responses = [found for found in planned_responses(attempt) if found.version.question.ref == ref]
    grading = standing_grading(list(Grading.objects.filter(attempt=attempt)))
    revealed = revealed_responses(responses, grading)
    open_to = [
        found for found in responses if found.pk in revealed and found.version.question_id not in held_back
    ]
    graded = graded_answers(attempt, grading, open_to)
    changes = changed_since(responses, attempt.user_id, now)
    return {
        found.follow_up.key if found.follow_up else "": Side(
            found, version_words(found, has_changed=found.pk in changes), graded.get(found.pk)
        )
        for found in responses
        if is_visible(found, revealed)
    }


def _part(key: str, before: Side | None, after: Side | None) -> PartPair:
    shown = after or before
    assert shown is not None
    points = _pairs(_points(before), _points(after))
    changes = [pair.change for pair in points if pair.change is not None]
    return PartPair(
        key=key,
        rendered=asked_html(shown.response),
        before=before,
        after=after,
        points=points,
        won=signed(sum((change for change in changes if change > 0), Fraction(0))),
        lost=signed(sum((change for change in changes if change < 0), Fraction(0))),
        difference=_difference(before, after),
    )


def _points(side: Side | None) -> dict[str, PointReview]:
    return {row.point.key: row for row in side.graded.points} if side and side.graded else {}


def _pairs(before: dict[str, PointReview], after: dict[str, PointReview]) -> list[PointPair]:
    """By key, in the order of the newer rubric; points that only the older one has come last."""
    pairs = []
    for key in dict.fromkeys([*after, *before]):
        old, new = before.get(key), after.get(key)
        row = new or old
        assert row is not None
        pairs.append(PointPair(point=row.point, before=old, after=new, change=_change(old, new)))
    return pairs


def _change(before: PointReview | None, after: PointReview | None) -> Fraction | None:
    """Points won or lost. None unless both are marked and ask the same for the same weight."""
    if before is None or after is None or before.mark is None or after.mark is None:
        return None
    if (before.point.criterion, before.point.weight) != (after.point.criterion, after.point.weight):
        return None
    return Fraction(after.point.weight * (after.mark.value - before.mark.value), 2)


def _difference(before: Side | None, after: Side | None) -> str:
    scores = [side.graded.exact_score for side in (before, after) if side and side.graded]
    if len(scores) != 2 or scores[0] is None or scores[1] is None:
        return ""
    return signed(scores[1] - scores[0])
