"""People who practised, for the tests of the weekly report."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import OperationalError, connection

from prepapp.accounts.models import User
from prepapp.bank.models import Topic
from prepapp.interviews.choices import MarkValue, State
from prepapp.interviews.models import Attempt, Mark
from prepapp.reports.actions.evidence import note_graded_work
from prepapp.reports.weeks import Week
from tests.factories.accounts import UserFactory
from tests.factories.bank import create_questions
from tests.factories.interviews import AttemptFactory

WEEK = Week(2026, 48)
# Thursday of that week, and the Monday after it, 07:00 UTC.
THURSDAY = datetime(2026, 11, 26, 15, 0, tzinfo=UTC)
MONDAY = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
_NONE = timedelta()


def person(**fields: Any) -> User:
    """Somebody with a confirmed address who wants the weekly mail and has been here for a while."""
    values = {"wants_weekly_mail": True, "date_joined": THURSDAY - timedelta(weeks=20)}
    return UserFactory(**{**values, "last_login": THURSDAY, **fields})


def grade(
    user: User,
    topic: Topic,
    value: int = MarkValue.MISSED,
    *,
    answers: int = 3,
    finished_at: datetime = THURSDAY,
    graded_at: datetime | None = None,
    minutes: int = 30,
    **fields: Any,
) -> Attempt:
    """A graded mock of `answers` questions of the topic, all points marked alike, and its evidence."""
    questions = fields.pop("questions", None) or create_questions(answers, topic=topic)
    attempt = AttemptFactory(
        user=user,
        track=None,
        state=State.GRADED,
        started_at=finished_at - timedelta(minutes=minutes),
        deadline_at=finished_at + timedelta(minutes=5),
        finished_at=finished_at,
        responses__questions=questions,
        grading__value=value,
        grading__closed_at=graded_at or finished_at + timedelta(minutes=10),
        **fields,
    )
    note_graded_work(user_id=user.pk)
    return attempt


def mark(attempt: Attempt, position: int, key: str, value: int, quote: str = "") -> None:
    """Another mark for one point of the newest grading."""
    found = Mark.objects.filter(
        response_grade__grading__attempt=attempt, response_grade__response__position=position, point__key=key
    )
    assert found.order_by("-response_grade__grading__number").update(value=value, quote=quote) == 1
    note_graded_work(user_id=attempt.user_id)


@contextmanager
def database_gives_out(table: str) -> Iterator[None]:
    """Every statement that names the table ends as one that took too long."""

    def refuse(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if f'"{table}"' in sql:
            raise OperationalError("canceling statement due to statement timeout")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        yield
