"""The graded answers of mock interviews, as evidence for topics.

Counted: the newest closed grading of a graded mock, answers that were put to the candidate. A follow-up
that was never reached counts 0 in the score of that interview, but says nothing about its topic.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
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
_BATCH = 2_000


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
    """The evidence of these people, of these weeks alone where they are named. One query, read in parts."""
    constants = mastery_constants()
    grades = counted_grades().filter(grading__attempt__user__in=user_ids)
    if weeks is not None:
        if not weeks:
            return
        grades = grades.filter(
            grading__attempt__finished_at__gte=_begin(min(weeks)),
            grading__attempt__finished_at__lt=_begin(max(weeks)) + timedelta(days=7),
        )
    earlier = Response.objects.filter(
        user=OuterRef("response__user"),
        version__question=OuterRef("response__version__question"),
        asked_at__isnull=False,
        attempt__started_at__lt=OuterRef("grading__attempt__started_at"),
        attempt__started_at__gte=OuterRef("grading__attempt__started_at")
        - timedelta(hours=constants.retake_hours),
    )
    rows = (
        grades.order_by()
        .values_list(
            "grading__attempt__user_id",
            "response__version__question__topic_id",
            "grading__attempt__finished_at",
            "response_id",
        )
        .annotate(
            points=Count("marks"),
            weight=Sum("marks__point__weight"),
            earned=Sum(F("marks__point__weight") * F("marks__value")),
            is_retake=Exists(earlier),
        )
    )
    for user_id, topic, finished_at, _, points, weight, earned, is_retake in rows.iterator(_BATCH):
        if not weight or (weeks is not None and monday_of(finished_at) not in weeks):
            continue
        answer = mastery.GradedAnswer(finished_at, points, earned / (2 * weight), is_retake)
        yield Evidence(user_id, topic, answer)


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
