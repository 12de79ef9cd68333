"""What a running mock holds back: while its clock runs, nothing else may tell what a good answer to its
questions is. Every page and action that shows or opens a rubric or a model answer asks here.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from prepapp.accounts.models import User
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Response


def held_back_questions(user_id: UUID, now: datetime) -> set[int]:
    """The questions of the person's running mocks. One query."""
    running = _in_running_mocks(now).filter(user=user_id)
    return set(running.order_by().values_list("version__question", flat=True).distinct())


def is_held_back(now: datetime) -> Exists:
    """For a query of responses: whether a running mock of the same person asks the same question."""
    same = {"user": OuterRef("user"), "version__question": OuterRef("version__question")}
    return Exists(_in_running_mocks(now).filter(**same))


def may_see_answer(user: User, question_id: int, now: datetime) -> bool:
    """The bank asks this through `BANK_ANSWER_GUARDS` before it shows a model answer."""
    return not _in_running_mocks(now).filter(user=user, version__question=question_id).exists()


def _in_running_mocks(now: datetime) -> QuerySet[Response]:
    """A mock whose time is over, grace included, has ended, whether it has been closed yet or not."""
    over = now - timedelta(seconds=settings.INTERVIEW_GRACE_SECONDS)
    return Response.objects.filter(
        Q(attempt__deadline_at__isnull=True) | Q(attempt__deadline_at__gte=over),
        attempt__state=State.RUNNING,
        attempt__mode=Mode.MOCK,
    )
