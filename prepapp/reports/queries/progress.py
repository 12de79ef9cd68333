"""What the progress page shows: a topic over time, and what the newest graded mocks add up to."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet, Sum, UUIDField

from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.models import User
from prepapp.bank.choices import Kind, Level
from prepapp.bank.queries import track_choices
from prepapp.common.charts import LinePoint, line, percent_text
from prepapp.common.statements import Kept
from prepapp.interviews import scoring, timing
from prepapp.interviews.bias import Bias
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.gradebook.held_back import held_back_questions
from prepapp.interviews.gradebook.outcome import Group
from prepapp.interviews.gradebook.samples import biases
from prepapp.interviews.models import Attempt, Mark
from prepapp.reports.course import CoursePoint, WeekOfEvidence, course
from prepapp.reports.mastery import Tally
from prepapp.reports.models import TopicWeek
from prepapp.reports.queries.evidence import counted_grades, mastery_constants
from prepapp.reports.queries.standings import track_rates

# As far back as the line goes; the mocks everything else is told from; the must-haves named, with answers.
WEEKS = 26
MOCKS = 50
NAMED_MUSTS = 8
LINKED_ANSWERS = 3


@dataclass(frozen=True)
class TopicCourse:
    """The estimate of one topic over the weeks, drawn and in numbers."""

    points: list[CoursePoint]
    chart: str


@dataclass(frozen=True)
class GradedAnswer:
    """One answer of a mock in its newest closed grading; `earned` in halves of `weight`. Closing has marked
    every point of an empty one as missed."""

    kind: str
    level: str
    minutes: int
    seconds: int
    allowance: str
    weight: int
    earned: int

    @property
    def counted(self) -> scoring.AnswerScore:
        score = Fraction(10 * self.earned, 2 * self.weight) if self.weight else None
        return scoring.AnswerScore(self.minutes, score)

    @property
    def planned_seconds(self) -> int:
        factor = Decimal(1) if self.allowance == TimeAllowance.UNTIMED else Decimal(self.allowance)
        return int(self.minutes * 60 * factor)


@dataclass(frozen=True)
class Pace:
    """The time the answers of one kind took on average, against their plan; shares of the longest bar."""

    title: str
    answers: int
    over: int
    spent: str
    planned: str
    spent_share: float
    planned_share: float


@dataclass(frozen=True)
class Place:
    """An answer that missed a point."""

    attempt: UUID
    position: int
    started_at: datetime


@dataclass(frozen=True)
class MissedMust:
    """A must-have, missed in `missed` of the `times` its question was graded; the newest answers first."""

    criterion: str
    question: str
    missed: int
    times: int
    answers: list[Place]


@dataclass(frozen=True)
class MissedMusts:
    """The most often missed; `held_back` more belong to questions that a running mock asks."""

    named: list[MissedMust]
    held_back: int = 0


@dataclass(frozen=True)
class Practised:
    """What the newest graded mocks add up to."""

    answers: int
    kinds: list[Group]
    levels: list[Group]
    paces: list[Pace]
    over: int
    timed: int


def topic_course(user: User, topic: str, title: str, now: datetime) -> TopicCourse:
    """Two queries."""
    constants = mastery_constants()
    rates = track_rates(now)
    evidence = [
        WeekOfEvidence(monday, Tally(*numbers[:3]), Tally(*numbers[3:]))
        for monday, *numbers in _weeks_of(user, topic)
    ]
    points = course(evidence, rates.get(user.track, rates[""]), now, constants, WEEKS)
    bar = percent_text(constants.bar)
    chart = line(
        [
            LinePoint(
                f"{p.week.monday.day} {p.week.monday:%b}", p.estimate.mean, p.estimate.low, p.estimate.high
            )
            for p in points
        ],
        goal=constants.bar,
        goal_label=f"bar {bar}",
        about=f"Line of the estimate of {title} over {len(points)} weeks; the numbers are in the table below",
    )
    return TopicCourse(points, chart)


def marking(user: User) -> list[tuple[str, Bias]]:
    """How the person's marks lean in each track they have marked samples of, by its title; with several, over
    all of them first, by ''. Three queries, one while nothing is marked."""
    found = biases(user)
    if not found.by_track:
        return []
    tracks = [(title, found.by_track[code]) for code, title in track_choices() if code in found.by_track]
    return [("", found.overall), *tracks] if len(tracks) > 1 else tracks


def practised(user: User) -> Practised:
    """One query."""
    answers = [GradedAnswer(*row[1:]) for row in _ANSWERS.rows(user=user.pk)]
    timed = [answer for answer in answers if answer.seconds]
    return Practised(
        answers=len(answers),
        kinds=sorted(
            _groups(answers, lambda answer: answer.kind, Kind.choices),
            key=lambda group: (group.score is None, group.score or 0),
        ),
        levels=_groups(answers, lambda answer: answer.level, Level.choices),
        paces=_paces(timed),
        over=sum(answer.seconds > answer.planned_seconds for answer in timed),
        timed=len(timed),
    )


def missed_musts(user: User, now: datetime) -> MissedMusts:
    """Two queries at most. Of a question that a running mock asks nothing is told but that there is
    something: what it is would help with its answer (P13)."""
    found: dict[tuple[int, str], list[Any]] = defaultdict(list)
    for question, key, *rest in _MUSTS.rows(user=user.pk):
        found[question, key].append(rest)
    often = {place: rows for place, rows in found.items() if any(row[0] == MarkValue.MISSED for row in rows)}
    closed = held_back_questions(user.pk, now) if often else set()
    musts = [_missed_must(rows) for (question, _), rows in often.items() if question not in closed]
    musts.sort(key=lambda must: (-must.missed, must.times, must.question, must.criterion))
    return MissedMusts(musts[:NAMED_MUSTS], sum(question in closed for question, _ in often))


def _missed_must(rows: Sequence[Any]) -> MissedMust:
    """From the marks of one point, the newest first. An edited question keeps its points by their keys; the
    newest text of them is shown."""
    missed = [row for row in rows if row[0] == MarkValue.MISSED]
    return MissedMust(
        criterion=rows[0][1],
        question=rows[0][2],
        missed=len(missed),
        times=len(rows),
        answers=[Place(row[3], row[4], row[5]) for row in missed[:LINKED_ANSWERS]],
    )


def _groups(
    answers: Iterable[GradedAnswer], key_of: Callable[[GradedAnswer], str], titles: Sequence[tuple[str, str]]
) -> list[Group]:
    """The score of each, in the order of the titles."""
    members: dict[str, list[scoring.AnswerScore]] = defaultdict(list)
    for answer in answers:
        members[key_of(answer)].append(answer.counted)
    return [
        Group(key, title, len(members[key]), scoring.attempt_score(members[key], is_mock=True))
        for key, title in titles
        if key in members
    ]


def _paces(answers: Sequence[GradedAnswer]) -> list[Pace]:
    """Only answers whose time the browser reported."""
    means = []
    for kind, title in Kind.choices:
        own = [answer for answer in answers if answer.kind == kind]
        if own:
            spent = sum(answer.seconds for answer in own) // len(own)
            planned = sum(answer.planned_seconds for answer in own) // len(own)
            over = sum(answer.seconds > answer.planned_seconds for answer in own)
            means.append((title, len(own), over, spent, planned))
    longest = max((max(spent, planned) for *_, spent, planned in means), default=1)
    return [
        Pace(
            title=title,
            answers=count,
            over=over,
            spent=timing.clock_text(spent),
            planned=timing.clock_text(planned),
            spent_share=spent / longest,
            planned_share=planned / longest,
        )
        for title, count, over, spent, planned in means
    ]


def _weeks_of(user: User, topic: str) -> list[Any]:
    own = Q(topic=topic)
    rows = TopicWeek.objects.filter(user=user).order_by("week_start").values_list("week_start")
    return list(
        rows.annotate(
            own_trials=Sum("trials", filter=own, default=0.0),
            own_successes=Sum("successes", filter=own, default=0.0),
            own_answers=Sum("answers", filter=own, default=0),
            all_trials=Sum("trials"),
            all_successes=Sum("successes"),
            all_answers=Sum("answers"),
        )
    )


def _newest_mocks(user: Any) -> QuerySet[Attempt, Any]:
    mocks = Attempt.objects.filter(user=user, mode=Mode.MOCK, state=State.GRADED)
    return mocks.order_by("-started_at", "-id").values("pk")[:MOCKS]


_ANSWERS = Kept(
    lambda user: (
        counted_grades()
        # The owner says the same, and lets the database begin with rows of one person.
        .filter(user=user, grading__user=user, grading__attempt__in=_newest_mocks(user))
        .order_by()
        .values_list(
            "pk",
            "response__version__kind",
            "response__version__level",
            "response__minutes",
            "response__seconds_spent",
            "grading__attempt__time_allowance",
        )
        .annotate(
            weight=Sum("marks__point__weight", default=0),
            earned=Sum(F("marks__point__weight") * F("marks__value"), default=0),
        )
    ),
    user=UUIDField(),
)

_MUSTS = Kept(
    lambda user: (
        Mark.objects.filter(
            user=user,
            response_grade__in=counted_grades().filter(user=user, grading__attempt__in=_newest_mocks(user)),
            point__is_must=True,
        )
        .order_by("-response_grade__grading__attempt__started_at", "-pk")
        .values_list(
            "response_grade__response__version__question_id",
            "point__key",
            "value",
            "point__criterion",
            "response_grade__response__version__title",
            "response_grade__grading__attempt_id",
            "response_grade__response__position",
            "response_grade__grading__attempt__started_at",
        )
    ),
    user=UUIDField(),
)
