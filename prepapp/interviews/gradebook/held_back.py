"""What a mock holds back: while its clock runs, nothing else may tell what a good answer to its questions
is. Every page and action that shows or opens a rubric or a model answer asks here. The bank holds back
longer, until the answer is marked: whoever has read the model answer there cannot mark honestly.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from prepapp.accounts.models import User
from prepapp.bank.access import Closed
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, Response, ResponseGrade

_CLOSED = "interviews/components/closed_in_bank.html"


def held_back_questions(user_id: UUID, now: datetime) -> set[int]:
    """The questions of the person's running mocks. One query."""
    running = _in_running_mocks(now).filter(user=user_id)
    return set(running.order_by().values_list("version__question", flat=True).distinct())


def held_back_pairs(user_ids: Collection[UUID], now: datetime) -> set[tuple[UUID, int]]:
    """The same for many people at once, as (user, question). One query."""
    running = _in_running_mocks(now).filter(user__in=user_ids)
    return set(running.order_by().values_list("user_id", "version__question").distinct())


def is_held_back(now: datetime) -> Exists:
    """For a query of responses: whether a running mock of the same person asks the same question."""
    same = {"user": OuterRef("user"), "version__question": OuterRef("version__question")}
    return Exists(_in_running_mocks(now).filter(**same))


def holding_mock(user_id: UUID, question_id: int, now: datetime) -> Attempt | None:
    """The running mock that asks the question; of several the one that ends last. One query."""
    last = F("attempt__deadline_at").desc(nulls_first=True)
    running = _in_running_mocks(now).filter(user=user_id, version__question=question_id)
    found = running.select_related("attempt").only("attempt").order_by(last).first()
    return found.attempt if found else None


def held_back_positions(attempt_id: UUID, now: datetime) -> set[int]:
    """The answers of an attempt that stay shut. One query."""
    held_back = Response.objects.filter(is_held_back(now), attempt=attempt_id)
    return set(held_back.order_by().values_list("position", flat=True))


def why_closed_in_bank(user: User, question_id: int, now: datetime) -> Closed | None:
    """The bank asks this through `BANK_ANSWER_GUARDS` before it shows a model answer. One query."""
    found = (
        _closing(now)
        .filter(user=user, version__question=question_id)
        .annotate(is_running=_runs(now))
        .order_by("-is_running", "-attempt__started_at", "position")
        .values("attempt", "attempt__title", "position", "is_running")
        .first()
    )
    return Closed(_CLOSED, found) if found else None


def closed_in_bank(user_id: UUID, question_ids: Collection[int], now: datetime) -> set[int]:
    """Those of the questions whose answers the bank keeps closed to this person. One query."""
    closed = _closing(now).filter(user=user_id, version__question__in=question_ids)
    return set(closed.order_by().values_list("version__question", flat=True))


def is_closed_in_bank(user_id: UUID, now: datetime) -> Exists:
    """The same for a query of versions."""
    return Exists(_closing(now).filter(user=user_id, version__question=OuterRef("question")))


def _closing(now: datetime) -> QuerySet[Response]:
    """What keeps an answer of the bank closed: an answer in a running mock, or one still to be marked."""
    revealed = ResponseGrade.objects.filter(response=OuterRef("pk"), revealed_at__isnull=False)
    # Handed in or over; an empty answer has nothing to mark, and a later grading has been revealed before.
    to_mark = Q(attempt__state__in=(State.RUNNING, State.GRADING)) & ~Q(text="") & ~Exists(revealed)
    return Response.objects.filter(_runs(now) | to_mark, attempt__mode=Mode.MOCK)


def _in_running_mocks(now: datetime) -> QuerySet[Response]:
    return Response.objects.filter(_runs(now), attempt__mode=Mode.MOCK)


def _runs(now: datetime) -> Q:
    """An attempt whose time is over, grace included, has ended, whether it has been closed yet or not."""
    over = now - timedelta(seconds=settings.INTERVIEW_GRACE_SECONDS)
    has_time = Q(attempt__deadline_at__isnull=True) | Q(attempt__deadline_at__gte=over)
    return has_time & Q(attempt__state=State.RUNNING)
