"""What the front page of a candidate shows. Six queries, however much was practised."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Min, Q, QuerySet, Sum, UUIDField
from django.utils import timezone

from prepapp.accounts.models import User
from prepapp.bank.queries import TopicSize, TrackSize, topic_sizes, track_sizes
from prepapp.common.statements import Kept
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.drill import SHORTEST
from prepapp.interviews.models import Attempt, ResponseGrade
from prepapp.interviews.queries import RECENT
from prepapp.reports.advice import Calibration, Judged, calibrate, countdown, next_step
from prepapp.reports.choices import NextStep
from prepapp.reports.models import WeeklyReport
from prepapp.reports.planning import DRILL_MINUTES
from prepapp.reports.queries.evidence import counted_grades, mastery_constants
from prepapp.reports.queries.standings import Standings, TopicBook, TopicStanding, standings

# Rows shown before the rest is folded; mocks that judgement is told from.
SHOWN_TOPICS = 10
SHOWN_UNMEASURED = 6
JUDGED_MOCKS = 10
# One session of one of each.
TRIED_AT_ONCE = 3


@dataclass(frozen=True)
class OpenTopic:
    """A topic of the track that nothing is known of and that can be drilled. `minutes` are those of its
    shortest question."""

    code: str
    title: str
    minutes: int


@dataclass(frozen=True)
class Dashboard:
    """`weakest` and `heaviest` are what the step is about where it is about one. `report` is the week of the
    newest report if that was not opened yet, else ''. `drilled`: topics with a question short enough."""

    step: NextStep
    running: list[Attempt]
    to_grade: list[Attempt]
    recent: list[Attempt]
    report: str
    standings: Standings
    weakest: TopicStanding | None
    drilled: Collection[str]
    unmeasured: list[OpenTopic]
    calibration: Calibration
    tracks: list[TrackSize]
    track_title: str
    countdown: str
    bar: float

    @property
    def shown(self) -> list[TopicStanding]:
        return self.standings.measured[:SHOWN_TOPICS]

    @property
    def folded(self) -> list[TopicStanding]:
        return self.standings.measured[SHOWN_TOPICS:]

    @property
    def heaviest(self) -> OpenTopic | None:
        return next(iter(self.unmeasured), None)

    @property
    def named(self) -> list[OpenTopic]:
        return self.unmeasured[:SHOWN_UNMEASURED]

    @property
    def more(self) -> list[OpenTopic]:
        return self.unmeasured[SHOWN_UNMEASURED:]

    @property
    def tried(self) -> list[OpenTopic]:
        return self.unmeasured[:TRIED_AT_ONCE]

    @property
    def tried_minutes(self) -> int:
        """Time for one question of each: as a custom interview shares it, so that the longest still fits."""
        return len(self.tried) * max(SHORTEST, *(topic.minutes for topic in self.tried))


def dashboard(user: User, attempts: Sequence[Attempt], now: datetime) -> Dashboard:
    """`attempts` are those of `open_and_recent_attempts`."""
    sizes = topic_sizes()
    found = standings(user, now, _book(sizes))
    drilled = {size.code: size.shortest for size in sizes if 0 < size.shortest <= DRILL_MINUTES}
    unmeasured = [
        OpenTopic(code, title, drilled[code]) for code, title in found.unmeasured if code in drilled
    ]
    weakest = next((topic for topic in found.weak if topic.topic in drilled), None)
    running = sorted((attempt for attempt in attempts if attempt.is_running), key=_end)
    to_grade = [attempt for attempt in attempts if attempt.state == State.GRADING]
    report = _unread_report(user)
    tracks = track_sizes(sizes)
    return Dashboard(
        step=next_step(
            is_running=bool(running),
            is_to_grade=bool(to_grade),
            has_report=bool(report),
            is_weak=weakest is not None,
            has_sat=bool(attempts),
            is_open=bool(unmeasured),
        ),
        running=running,
        to_grade=to_grade,
        recent=[attempt for attempt in attempts if not attempt.is_running][:RECENT],
        report=report,
        standings=found,
        weakest=weakest,
        drilled=drilled,
        unmeasured=unmeasured,
        calibration=_calibration(user) if found.measured else Calibration(),
        tracks=tracks,
        track_title=next((track.title for track in tracks if track.code == user.track), ""),
        countdown=countdown(user.interview_date, timezone.localtime(now).date()),
        bar=mastery_constants().bar,
    )


def _end(attempt: Attempt) -> tuple[bool, float]:
    """What ends first comes first; what has no clock can wait."""
    return attempt.deadline_at is None, attempt.deadline_at.timestamp() if attempt.deadline_at else 0.0


def _book(sizes: Sequence[TopicSize]) -> TopicBook:
    book: TopicBook = {}
    for size in sizes:
        book.setdefault(size.code, (size.title, {}))[1][size.track] = size.weight
    return book


def _unread_report(user: User) -> str:
    """The week of the newest report, '' if it was opened or there is none."""
    newest = _NEWEST_REPORT.first(user=user.pk)
    return "" if newest is None or newest.read_at else f"{newest.year}-W{newest.week:02d}"


_NEWEST_REPORT = Kept(
    lambda user: WeeklyReport.objects.readable().filter(user=user).only("year", "week", "read_at")[:1],
    user=UUIDField(),
)


def _calibration(user: User) -> Calibration:
    """From the newest graded mocks."""
    return calibrate(Judged(*row[:4]) for row in _JUDGED.rows(user=user.pk))


def _judged(user: Any) -> QuerySet[ResponseGrade, Any]:
    newest = (
        Attempt.objects.filter(user=user, mode=Mode.MOCK, state=State.GRADED)
        .order_by("-started_at", "-id")
        .values("pk")[:JUDGED_MOCKS]
    )
    return (
        counted_grades()
        # The owner says the same, and lets the database begin with rows of one person.
        .filter(user=user, grading__user=user, grading__attempt__in=newest)
        .exclude(confidence="")
        .order_by()
        .values_list("confidence")
        .annotate(
            weight=Sum("marks__point__weight"),
            earned=Sum(F("marks__point__weight") * F("marks__value")),
            lowest_must=Min("marks__value", filter=Q(marks__point__is_must=True)),
            grade=F("pk"),
        )
    )


_JUDGED = Kept(_judged, user=UUIDField())
