"""The graded answers of mock interviews, as evidence for topics.

Counted: the newest closed grading of a graded mock, answers that were put to the candidate. A follow-up
that was never reached counts 0 in the score of that interview, but says nothing about its topic.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import fsum
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum

from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Grading, Response, ResponseGrade
from prepapp.reports import mastery

# A user, a topic, the Monday of a week.
CellKey = tuple[UUID, str, date]


@dataclass(frozen=True)
class Evidence:
    """One graded answer and what it is evidence for."""

    user_id: UUID
    topic: str
    answer: mastery.GradedAnswer

    @property
    def week_start(self) -> date:
        return monday_of(self.answer.answered_at)


def mastery_constants() -> mastery.Constants:
    """The product's numbers with what the settings change."""
    return mastery.Constants(**settings.MASTERY)


def monday_of(instant: datetime) -> date:
    """The Monday of the ISO week, in UTC: evidence is filed the same wherever its owner travels."""
    day = instant.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def counted_grades() -> QuerySet[ResponseGrade]:
    """The answers that count, each once, whoever they belong to."""
    newer = Grading.objects.filter(
        attempt=OuterRef("grading__attempt"), closed_at__isnull=False, number__gt=OuterRef("grading__number")
    )
    return ResponseGrade.objects.filter(
        ~Exists(newer),
        grading__closed_at__isnull=False,
        grading__attempt__mode=Mode.MOCK,
        grading__attempt__state=State.GRADED,
        response__asked_at__isnull=False,
    )


def evidence(user_ids: Collection[UUID], weeks: Collection[date] | None = None) -> Iterator[Evidence]:
    """The evidence of these people, of these weeks alone where they are named. Two queries."""
    constants = mastery_constants()
    grades = counted_grades().filter(grading__attempt__user__in=user_ids)
    if weeks is not None:
        if not weeks:
            return
        grades = grades.filter(
            grading__attempt__finished_at__gte=_begin(min(weeks)),
            grading__attempt__finished_at__lt=_begin(max(weeks)) + timedelta(days=7),
        )
    rows = list(
        grades.order_by()
        .values_list(
            "grading__attempt__user_id",
            "response__version__question__topic_id",
            "response__version__question_id",
            "grading__attempt__started_at",
            "grading__attempt__finished_at",
            "response_id",
        )
        .annotate(
            points=Count("marks"),
            weight=Sum("marks__point__weight"),
            earned=Sum(F("marks__point__weight") * F("marks__value")),
        )
    )
    within = timedelta(hours=constants.retake_hours)
    asked = _asked({row[0] for row in rows}, [row[3] for row in rows], within)
    for user_id, topic, question, started_at, finished_at, _, points, weight, earned in rows:
        if not weight or (weeks is not None and monday_of(finished_at) not in weeks):
            continue
        sittings = asked[user_id, question]
        before = bisect_left(sittings, started_at)
        is_retake = before > 0 and sittings[before - 1] >= started_at - within
        answer = mastery.GradedAnswer(finished_at, points, earned / (2 * weight), is_retake)
        yield Evidence(user_id, topic, answer)


def _asked(
    user_ids: Collection[UUID], starts: Sequence[datetime], within: timedelta
) -> dict[tuple[UUID, int], list[datetime]]:
    """When each question was asked of each of these people around those starts, oldest first. A query of its
    own: asked for per answer, it grows with the square of what somebody has practised."""
    asked: dict[tuple[UUID, int], list[datetime]] = defaultdict(list)
    if starts:
        put = Response.objects.filter(
            user__in=user_ids,
            asked_at__isnull=False,
            attempt__started_at__gte=min(starts) - within,
            attempt__started_at__lte=max(starts),
        )
        for user_id, question, started_at in (
            put.order_by("attempt__started_at")
            .values_list("user_id", "version__question_id", "attempt__started_at")
            .distinct()
        ):
            asked[user_id, question].append(started_at)
    return asked


def tallies(found: Iterable[Evidence]) -> dict[CellKey, mastery.Tally]:
    """Forward sums by person, topic and week. The same whatever order the evidence comes in: the sums are
    exact before they are rounded once."""
    constants = mastery_constants()
    cells: dict[CellKey, list[mastery.Tally]] = defaultdict(list)
    for piece in found:
        cells[piece.user_id, piece.topic, piece.week_start].append(
            mastery.forward_tally(piece.answer, constants)
        )
    return {
        key: mastery.Tally(
            fsum(part.trials for part in parts), fsum(part.successes for part in parts), len(parts)
        )
        for key, parts in cells.items()
    }


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
