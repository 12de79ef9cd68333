"""What pages of the bank show, read from several tables at once. Nothing here writes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Exists, OuterRef, Prefetch, Q

from prepapp.bank.choices import Status
from prepapp.bank.models import FollowUp, Question, QuestionQuerySet, RubricPoint, Tag, Track

SAMPLE_POINTS = 2


@dataclass(frozen=True)
class TrackSize:
    """A track and what it offers: published questions, and topics with at least one of them."""

    code: str
    title: str
    questions: int
    topics: int


def tracks_with_counts() -> list[TrackSize]:
    """Every track in its order, empty ones too. One query."""
    published = Q(
        topics__questions__status=Status.PUBLISHED, topics__questions__current_version__isnull=False
    )
    rows = (
        Track.objects.order_by("position", "code")
        .annotate(
            question_count=Count("topics__questions", filter=published, distinct=True),
            topic_count=Count("topics", filter=published, distinct=True),
        )
        .values_list("code", "title", "question_count", "topic_count")
    )
    return [TrackSize(*row) for row in rows]


def sample_question(day: date) -> Question | None:
    """One published question with at least two rubric points, another one each day; None if there is none.

    `current_version.main_points` holds the points of its main answer in order. Three queries.
    """
    main = Count("current_version__rubric_points", filter=Q(current_version__rubric_points__follow_up=None))
    fitting = Question.objects.published().annotate(points=main).filter(points__gte=SAMPLE_POINTS)
    ids = list(fitting.order_by("ref").values_list("pk", flat=True))
    if not ids:
        return None
    points = Prefetch(
        "current_version__rubric_points",
        queryset=RubricPoint.objects.filter(follow_up=None),
        to_attr="main_points",
    )
    return Question.objects.with_prompt().prefetch_related(points).get(pk=ids[day.toordinal() % len(ids)])
