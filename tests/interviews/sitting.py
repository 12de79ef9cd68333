"""An interview as people start one, and what the tests of the interview core look at it with: the
statements a request sends, every row before and after, words that must not get out."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.choices import Kind
from prepapp.bank.models import FollowUp, Question, QuestionVersion, RubricPoint, Topic
from prepapp.interviews.actions.start import Plan, start_attempt
from prepapp.interviews.choices import Mode
from prepapp.interviews.models import (
    Attempt,
    Blueprint,
    Grading,
    LateText,
    Mark,
    Response,
    ResponseGrade,
)
from prepapp.interviews.selection import Slot
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import STARTED_AT

GRACE = timedelta(seconds=5)
WORK: tuple[type[Model], ...] = (Attempt, Response, LateText, Grading, ResponseGrade, Mark)
EVERYTHING: tuple[type[Model], ...] = (
    *WORK,
    User,
    Blueprint,
    Question,
    QuestionVersion,
    FollowUp,
    RubricPoint,
)
CANARY = "CANARY"


def make_bank(questions: int = 3, *, follow_ups: int = 1, **fields: Any) -> Topic:
    """A topic of a track of its own with published questions."""
    topic: Topic = TopicFactory(track=TrackFactory())
    create_questions(questions, topic=topic, follow_ups=follow_ups, **fields)
    return topic


def track_of(topic: Topic) -> str:
    return topic.code.partition(".")[0]


def make_plan(
    topic: Topic, *, questions: int = 3, follow_ups: int = 1, minutes: int = 15, **fields: Any
) -> Plan:
    """Asks `questions` of a topic's questions, each with `follow_ups`."""
    values: dict[str, Any] = {
        "title": "Phone screen",
        "slot_name": f"screen:{track_of(topic)}",
        "track": track_of(topic),
        "level": "intermediate",
        "minutes": minutes,
        "slots": [Slot(kinds=tuple(Kind.values), minutes=10, follow_ups=follow_ups)] * questions,
        **fields,
    }
    return Plan(**values)


def sit(
    user: User,
    *,
    questions: int = 3,
    follow_ups: int = 1,
    minutes: int = 15,
    mode: str = Mode.MOCK,
    topic: Topic | None = None,
    start_key: UUID | None = None,
    **fields: Any,
) -> Attempt:
    """An interview started at STARTED_AT, nothing answered: positions 1, 2 (follow-up), 3, ..."""
    plan = make_plan(
        topic or make_bank(questions), questions=questions, follow_ups=follow_ups, minutes=minutes, **fields
    )
    return start_attempt(
        user=user, plan=plan, mode=mode, start_key=start_key or uuid4(), seed=1, now=STARTED_AT
    )


def at(attempt: Attempt, name: str, position: int = 1) -> str:
    """The address of a route of an attempt."""
    if name not in {"room", "save", "go", "flag", "hint"}:
        return reverse(f"interviews:{name}", args=[attempt.pk])
    # By text: what is no position at all must be sent as well.
    return reverse(f"interviews:{name}", args=[attempt.pk, 1]).replace("/q/1/", f"/q/{position}/")


def arrival(client: Client, response: Any) -> str:
    """Where a redirect leads in the end; the address of an attempt leads on by itself."""
    assert response.status_code == 302
    if re.fullmatch(r"/attempts/[0-9a-f-]{36}/", response.url):
        response = client.get(response.url)
        assert response.status_code == 302
    return str(response.url)


def texts(attempt: Attempt) -> list[str]:
    return list(attempt.responses.order_by("position").values_list("text", flat=True))


def late_texts(attempt: Attempt) -> list[str]:
    return list(LateText.objects.filter(response__attempt=attempt).values_list("text", flat=True))


def rows(*models: type[Model]) -> dict[str, list[tuple[Any, ...]]]:
    """Every column of every row of the models (by default of a person's work), to compare before and
    after."""
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values_list()) for model in models or WORK
    }


def plant_canaries(attempt: Attempt) -> None:
    """Marks everything the candidate must not read before the answer is marked."""
    versions = QuestionVersion.objects.filter(responses__attempt=attempt)
    for version in versions.distinct():
        rendered = {
            **version.rendered,
            "model_answer": f"<p>{CANARY}-model</p>",
            "deeper": f"<p>{CANARY}-deeper</p>",
            "pitfalls": [f"<p>{CANARY}-pitfall</p>"],
        }
        QuestionVersion.objects.filter(pk=version.pk).update(
            model_answer=f"{CANARY}-model",
            deeper=f"{CANARY}-deeper",
            pitfalls=[f"{CANARY}-pitfall"],
            code={"language": "python", "solution": f"{CANARY}-solution", "check": f"{CANARY}-check"},
            references=[{"title": f"{CANARY}-source", "url": "https://example.test", "supports": []}],
            difficulty={"rationale": f"{CANARY}-rationale", "easier": CANARY, "harder": CANARY},
            weights_note=f"{CANARY}-weights",
            rendered=rendered,
        )
    RubricPoint.objects.filter(version__in=versions).update(
        criterion=f"{CANARY}-criterion", met=f"{CANARY}-met", partial=f"{CANARY}-partial"
    )
    for part in FollowUp.objects.filter(version__in=versions):
        part.answer = f"{CANARY}-follow-up-answer"
        part.rendered = {**part.rendered, "answer": f"<p>{CANARY}-follow-up-answer</p>"}
        part.save()


class Statements(list[str]):
    """The statements sent, without those that only open, close or mark a transaction."""


@contextmanager
def statements() -> Iterator[Statements]:
    """Collects statements, so that one literal number holds on SQLite and on PostgreSQL, inside and
    outside of the transaction a test runs in."""
    found = Statements()
    with CaptureQueriesContext(connection) as captured:
        yield found
    control = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET CONSTRAINTS")
    found += [query["sql"] for query in captured if not query["sql"].upper().startswith(control)]
