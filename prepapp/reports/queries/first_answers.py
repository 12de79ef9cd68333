"""The first answers of learners, which item statistics count.

Counted: the first time an item was put to a learner, if that was in a graded mock; marks of the newest closed
grading. Where they had practised it before, or given up the interview in which they saw it, no answer to that
item counts: a later one is not a first one. Guests count like everybody.
"""

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Coalesce

from prepapp.interviews.models import Response
from prepapp.reports.item_statistics import Answered, Item, MarkOf
from prepapp.reports.queries.evidence import counted_grades


def first_answers(user_ids: Collection[UUID]) -> dict[UUID, list[Answered]]:
    """Of each of these people who has any. Two queries."""
    marks: dict[int, list[MarkOf]] = defaultdict(list)
    graded = counted_grades().filter(grading__attempt__user__in=user_ids, marks__isnull=False).order_by()
    for response, point, weight, value in graded.values_list(
        "response", "marks__point__key", "marks__point__weight", "marks__value"
    ):
        marks[response].append(MarkOf(point, weight, value))
    # Of an answer without words nothing but that is asked: the texts are what is heavy here.
    asked = (
        Response.objects.filter(user__in=user_ids, asked_at__isnull=False)
        .annotate(
            has_words=Q(text__regex=r"\S"),
            expected=Coalesce(F("follow_up__minutes"), F("version__minutes")),
        )
        .order_by("user", "asked_at", "pk")
        .values_list(
            "user_id",
            "pk",
            "version__question_id",
            "version__meaning",
            "follow_up__key",
            "has_words",
            "seconds_spent",
            "expected",
        )
    )
    found: dict[UUID, list[Answered]] = defaultdict(list)
    seen: set[tuple[UUID, Item]] = set()
    for user_id, response, question, meaning, part, has_words, seconds, minutes in asked.iterator():
        item = Item(question, meaning, part or "")
        if (user_id, item) in seen:
            continue
        seen.add((user_id, item))
        if response in marks:
            pace = seconds / (60 * minutes) if has_words and seconds else None
            found[user_id].append(Answered(item, marks[response], not has_words, pace))
    return found
