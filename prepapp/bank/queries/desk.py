"""What the desk shows: who has what to do, the people who may own a question, and what became of one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Generic, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.bank.choices import DraftState
from prepapp.bank.models import (
    CurationEvent,
    Draft,
    DraftRevision,
    Question,
    QuestionQuerySet,
    QuestionVersion,
)

Shown = TypeVar("Shown")
Row = TypeVar("Row", Draft, Question)

SHOWN = 20
LOG_LINES = 200
SOON = timedelta(days=30)


@dataclass(frozen=True)
class Pile(Generic[Shown]):
    """The first of a list, and how many there are in all."""

    rows: Sequence[Shown]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.rows)


@dataclass(frozen=True)
class Due:
    """A published question whose facts are to be checked, and the day."""

    question: Question
    on: date
    is_past: bool


@dataclass(frozen=True)
class Desk:
    """What a curator finds to do."""

    returned: Pile[Draft]
    mine: Pile[Draft]
    in_review: Pile[Draft]
    due: Pile[Due]
    unowned: Pile[Question]


def desk_of(person: User, today: date) -> Desk:
    """Ten queries, however much there is to do."""
    drafts = Draft.objects.select_related("question__topic", "question__owner", "edited_by", "submitted_by")
    wrote = Draft.editors.through._default_manager.filter(draft=OuterRef("pk"), user=person)
    own = drafts.filter(Q(question__owner=person) | Q(edited_by=person) | Exists(wrote))
    working = own.filter(state=DraftState.WORKING).order_by("-edited_at", "pk")
    unowned = _published().filter(owner=None).order_by("ref")
    return Desk(
        returned=_pile(working.exclude(review_note="")),
        mine=_pile(working.filter(review_note="")),
        in_review=_pile(drafts.filter(state=DraftState.IN_REVIEW).order_by("submitted_at", "pk")),
        due=_due(today),
        unowned=_pile(unowned),
    )


def desk_people() -> list[User]:
    """Everybody who may own a question."""
    return list(
        User.objects.filter(~Q(role=Role.NONE) | Q(is_superuser=True), is_active=True).order_by("email")
    )


def has_written(person: User, draft: Draft) -> bool:
    """Whether this person had a hand in the draft, and so may not publish it."""
    return draft.editors.filter(pk=person.pk).exists()


def log_of(question: Question) -> list[CurationEvent]:
    """What was done to the question, the newest first; at most `LOG_LINES`."""
    lines = CurationEvent.objects.filter(question_number=question.pk).select_related("actor")
    return list(lines.order_by("-pk")[:LOG_LINES])


def revisions_of(question: Question) -> list[DraftRevision]:
    """Every state its drafts have had, the newest first, without the texts."""
    return list(
        DraftRevision.objects.filter(question=question)
        .select_related("saved_by")
        .defer("document")
        .order_by("-revision")
    )


def versions_of(question: Question) -> list[QuestionVersion]:
    """Every version, the newest first, without the texts."""
    shown = (
        "question",
        "number",
        "title",
        "change",
        "change_note",
        "source",
        "created_at",
        "published_by__email",
    )
    return list(question.versions.select_related("published_by").only(*shown).order_by("-number"))


def _pile(rows: QuerySet[Row]) -> Pile[Row]:
    return Pile(list(rows[:SHOWN]), rows.count())


def _published() -> QuestionQuerySet:
    shown = ("ref", "slug", "topic__title", "owner__email", "current_version__title")
    return Question.objects.published().select_related("topic", "owner", "current_version").only(*shown)


def _due(today: date) -> Pile[Due]:
    """Published questions whose check is due within `SOON`, the longest overdue first."""
    found = _published().due_for_check(today + SOON)
    shown = ("ref", "slug", "topic__title", "owner__email", "current_version__title")
    rows = []
    for question in found.only(*shown, "current_version__recheck_date")[:SHOWN]:
        version = question.current_version
        assert version is not None
        rows.append(Due(question, version.recheck_date, version.recheck_date < today))
    return Pile(rows, found.count())
