"""What a grading says: score by topic and kind, must-haves missed, time against plan, confidence against
score.

Computed from answers. Not here: reading them (`reads`), the arithmetic (`scoring`), wording (templates).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from prepapp.accounts.choices import TimeAllowance
from prepapp.interviews import scoring, timing
from prepapp.interviews.choices import Band, MarkValue
from prepapp.interviews.gradebook.rows import Answer, PointRow, counted

MINUTE = 60


@dataclass(frozen=True)
class Group:
    """Answers that belong together and their score; `percent` None: nothing could be scored. `misses_must`
    is set by `weakest` alone."""

    key: str
    title: str
    answers: int
    score: Fraction | None
    misses_must: bool = False

    @property
    def text(self) -> str:
        return "–" if self.score is None else scoring.score_text(self.score)

    @property
    def percent(self) -> int | None:
        return None if self.score is None else scoring.percent(self.score)

    @property
    def share(self) -> float:
        """The score as a part of 1, for a bar."""
        return float(self.score or 0) / 10

    @property
    def band(self) -> Band | None:
        return None if self.score is None else scoring.band_of(self.score)


@dataclass(frozen=True)
class MissedMust:
    """The must-have points one answer missed."""

    answer: Answer
    points: list[PointRow]


@dataclass(frozen=True)
class Timing:
    """Time spent on one answer against its plan; the shares are parts of the longest bar of the chart."""

    answer: Answer
    spent: str
    planned: str
    spent_share: float
    planned_share: float


@dataclass(frozen=True)
class Calibrated:
    """What was said about one answer before marking, and how it reads now; `steps` above, or below 0."""

    answer: Answer
    said: Band
    read: Band
    steps: int


def by_topic(answers: Sequence[Answer], *, is_mock: bool) -> list[Group]:
    """Lowest first."""
    return _groups(
        answers,
        is_mock,
        lambda answer: (
            answer.response.version.question.asked_topic_id,
            answer.response.version.question.asked_topic.title,
        ),
    )


def by_kind(answers: Sequence[Answer], *, is_mock: bool) -> list[Group]:
    """Lowest first."""
    return _groups(
        answers,
        is_mock,
        lambda answer: (answer.response.version.kind, answer.response.version.get_kind_display()),
    )


def missed_musts(answers: Iterable[Answer], *, is_mock: bool) -> list[MissedMust]:
    """Answers with must-haves missed. An empty answer has missed them in a mock only."""
    found = []
    for answer in answers:
        if answer.is_empty and not is_mock:
            continue
        points = [
            point for point in answer.points if point.is_must and (point.value or 0) == MarkValue.MISSED
        ]
        if points:
            found.append(MissedMust(answer, points))
    return found


def timings(answers: Iterable[Answer], allowance: str) -> list[Timing]:
    """One bar per answer, on one scale."""
    factor = Decimal(1) if allowance == TimeAllowance.UNTIMED else Decimal(allowance)
    rows = [
        (answer, answer.response.seconds_spent, int(answer.response.minutes * MINUTE * factor))
        for answer in answers
    ]
    longest = max((max(spent, planned) for _, spent, planned in rows), default=1)
    return [
        Timing(
            answer=answer,
            spent=timing.clock_text(spent) if spent else "–",
            planned=timing.clock_text(planned),
            spent_share=spent / longest,
            planned_share=planned / longest,
        )
        for answer, spent, planned in rows
    ]


def calibration(answers: Iterable[Answer]) -> list[Calibrated]:
    """Answers with a confidence and a score."""
    found = []
    for answer in answers:
        read = scoring.response_band(answer.marks)
        if answer.grade is None or not answer.grade.confidence or read is None or answer.unmarked:
            continue
        said = Band(answer.grade.confidence)
        found.append(Calibrated(answer, said, read, scoring.steps_above(said, read)))
    return found


def weakest(groups: Sequence[Group], musts: Iterable[MissedMust]) -> Group | None:
    """The topic to practise next: of those with a missed must-have the lowest, since an interviewer would
    not pass it whatever its score; else the lowest score, unless even that is strong."""
    failed = {missed.answer.response.version.question.topic_id for missed in musts}
    scored = [group for group in groups if group.score is not None]
    if below := [group for group in scored if group.key in failed]:
        return replace(below[0], misses_must=True)
    return next((group for group in scored if group.band != Band.STRONG), None)


def shown(answers: Iterable[Answer]) -> scoring.Shown:
    """Met points with words as evidence, over all answers."""
    return scoring.shown_points(mark for answer in answers if answer.needs_marks for mark in answer.marks)


def _groups(
    answers: Sequence[Answer], is_mock: bool, key_of: Callable[[Answer], tuple[str, str]]
) -> list[Group]:
    members: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        members.setdefault(key_of(answer), []).append(answer)
    groups = [
        Group(key, title, len(own), scoring.attempt_score(counted(own), is_mock=is_mock))
        for (key, title), own in members.items()
    ]
    return sorted(groups, key=lambda group: (group.score is None, group.score or 0))
