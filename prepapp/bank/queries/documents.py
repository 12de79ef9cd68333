"""Questions of the tables as documents (`transfer.document`), for editing, comparing and writing to files."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Prefetch

from prepapp.bank.models import DraftRevision, FollowUp, Question, QuestionVersion, RubricPoint
from prepapp.bank.transfer.document import KEYS, OPTIONAL, Document

_COPIED = (
    "title",
    "level",
    "kind",
    "minutes",
    "prompt",
    "context",
    "data",
    "model_answer",
    "deeper",
    "weights_note",
    "pitfalls",
    "code",
    "references",
    "difficulty",
)


def current_documents(questions: Sequence[Question]) -> dict[int, Document]:
    """The published document of each question by its id; one without a version is left out. Six queries."""
    current = [question.current_version_id for question in questions]
    published = _documents(version_id for version_id in current if version_id)
    return {version.question_id: document for version, document in published}


def version_documents(version_ids: Iterable[int]) -> dict[int, Document]:
    """The document of each version by its id, filed as the question is today. Six queries."""
    return {version.pk: document for version, document in _documents(version_ids)}


def draft_text(question_id: int, revision: int) -> Document:
    """The text the draft of a question had at this revision; empty if it never had it. One query."""
    found = DraftRevision.objects.filter(question=question_id, revision=revision)
    return found.values_list("document", flat=True).first() or {}


def _documents(version_ids: Iterable[int]) -> list[tuple[QuestionVersion, Document]]:
    points = Prefetch("rubric_points", RubricPoint.objects.order_by("position", "pk"))
    versions = (
        QuestionVersion.objects.filter(pk__in=list(version_ids))
        .select_related("question")
        .prefetch_related(
            points,
            Prefetch("follow_ups", FollowUp.objects.order_by("position")),
            "question__tags",
            "question__packs",
        )
    )
    return [(version, _document(version)) for version in versions]


def _document(version: QuestionVersion) -> Document:
    question = version.question
    points = list(version.rubric_points.all())
    whole: dict[str, Any] = {name: getattr(version, name) for name in _COPIED}
    whole |= {
        "slug": question.slug,
        "tags": [tag.name for tag in question.tags.all()],
        "packs": [pack.slug for pack in question.packs.all()],
        "covers": list(question.covers),
        "rubric": _rubric(points, None),
        "followups": [
            {
                "id": follow_up.key,
                "minutes": follow_up.minutes,
                "prompt": follow_up.prompt,
                "answer": follow_up.answer,
                "rubric": _rubric(points, follow_up.pk),
            }
            for follow_up in version.follow_ups.all()
        ],
        "review": {
            "reviewed": version.reviewed_date.isoformat(),
            "recheck_months": version.recheck_months,
        },
    }
    document = {key: whole[key] for key in KEYS if key not in OPTIONAL or whole[key]}
    return document | {"topic": question.topic_id or ""}


def _rubric(points: Sequence[RubricPoint], follow_up_id: int | None) -> list[dict[str, Any]]:
    return [
        {
            "id": point.key,
            "weight": point.weight,
            "must": point.is_must,
            "criterion": point.criterion,
            "met": point.met,
            "partial": point.partial,
        }
        for point in points
        if point.follow_up_id == follow_up_id
    ]
