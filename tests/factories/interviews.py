"""Rows of interviews for tests: attempts in any state with their responses, gradings and marks.

Built with bulk writes: an attempt costs the same few queries for any number of questions.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import factory
from factory.django import DjangoModelFactory

from prepapp.accounts.models import User
from prepapp.bank.choices import Level
from prepapp.bank.models import FollowUp, Question, QuestionVersion, RubricPoint
from prepapp.interviews.choices import Band, Ending, MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Blueprint, Grading, Mark, Response, ResponseGrade
from tests.factories.bank import QuestionFactory, TrackFactory, create_questions

STARTED_AT = datetime(2026, 11, 12, 14, 0, tzinfo=UTC)
ANSWER = "The bus moves 32-byte sectors, so one eighth (12.5%) of it is useful."


class CandidateFactory(DjangoModelFactory[User]):
    """A person with an account, as the owner of work. `guest=True` makes one without."""

    class Meta:
        model = User

    class Params:
        guest = factory.Trait(email=None, is_guest=True)

    email = factory.Sequence(lambda n: f"candidate{n}@example.test")
    password = "!"


class BlueprintFactory(DjangoModelFactory[Blueprint]):
    class Meta:
        model = Blueprint
        django_get_or_create = ("slug",)

    slug = factory.Sequence(lambda n: f"format-{n}")
    title = factory.LazyAttribute(lambda blueprint: f"Format {blueprint.slug}")
    summary = "What it is for"
    minutes = 15
    position = factory.Sequence(lambda n: n % 30_000 + 1)
    recipe = factory.LazyFunction(lambda: {"slots": [{"minutes": 10}]})
    content_hash = "hash"


class AttemptFactory(DjangoModelFactory[Attempt]):
    """An interview of one answered question, by default a running mock.

    `state` brings what belongs to it: an end, and for `graded` one closed grading with every point met
    (`grading__value=MarkValue.PARTLY` for another mark). `responses=3` asks for three questions,
    `responses__follow_ups=1` for a follow-up after each, `responses__texts=["one", ""]` gives the
    answers in order, `responses__questions=[...]` asks these. `responses=0` makes none.
    """

    class Meta:
        model = Attempt
        skip_postgeneration_save = True

    user = factory.SubFactory(CandidateFactory)
    track = factory.SubFactory(TrackFactory)
    title = "Phone screen"
    mode = Mode.MOCK
    level = Level.INTERMEDIATE
    state = State.RUNNING
    start_key = factory.LazyFunction(uuid4)
    slot = factory.LazyAttribute(lambda attempt: f"{attempt.mode}:{attempt.start_key}")
    seed = 1
    minutes = 15
    time_allowance = "1.00"
    started_at = STARTED_AT
    deadline_at = factory.LazyAttribute(
        lambda attempt: (
            attempt.started_at + timedelta(minutes=attempt.minutes) if attempt.mode == Mode.MOCK else None
        )
    )
    finished_at = factory.LazyAttribute(
        lambda attempt: (
            None
            if attempt.state == State.RUNNING
            else attempt.started_at + timedelta(minutes=attempt.minutes)
            if attempt.ending == Ending.DEADLINE
            else attempt.started_at + timedelta(minutes=10)
        )
    )
    ending = factory.LazyAttribute(
        lambda attempt: {State.RUNNING: "", State.ABANDONED: Ending.ABANDONED}.get(
            attempt.state, Ending.FINISHED
        )
    )

    @factory.post_generation
    def responses(attempt: Attempt, create: bool, extracted: int | None, **options: Any) -> None:
        count = 1 if extracted is None else extracted
        if create and (count or options.get("questions")):
            add_responses(attempt, count=count, **options)

    @factory.post_generation
    def grading(attempt: Attempt, create: bool, extracted: bool | None, **options: Any) -> None:
        if create and extracted is not False and attempt.state == State.GRADED:
            add_grading(attempt, **options)


class ResponseFactory(DjangoModelFactory[Response]):
    """The answer to the main part of one question, at the next free position of its attempt."""

    class Meta:
        model = Response

    class Params:
        question = factory.SubFactory(QuestionFactory)

    attempt = factory.SubFactory(AttemptFactory, responses=0)
    user = factory.SelfAttribute("attempt.user")
    position = factory.LazyAttribute(lambda response: response.attempt.responses.count() + 1)
    version = factory.SelfAttribute("question.current_version")
    minutes = factory.SelfAttribute("version.minutes")
    text = ANSWER
    revision = 1
    saved_at = factory.LazyAttribute(lambda response: response.attempt.started_at + timedelta(minutes=4))
    asked_at = factory.SelfAttribute("attempt.started_at")


def add_responses(
    attempt: Attempt,
    *,
    count: int = 1,
    questions: Sequence[Question] = (),
    follow_ups: int = 0,
    texts: Sequence[str] = (),
) -> list[Response]:
    """The questions of an attempt, each with `follow_ups` asked after it. Answers not given in `texts`
    have a usual text."""
    asked = list(questions) or create_questions(count, follow_ups=max(follow_ups, 1))
    versions = {
        version.question_id: version
        for version in QuestionVersion.objects.filter(current_of__in=[question.pk for question in asked])
    }
    parts: dict[int, list[FollowUp]] = {version.pk: [] for version in versions.values()}
    for part in FollowUp.objects.filter(version__in=parts) if follow_ups else ():
        parts[part.version_id].append(part)
    rows: list[Response] = []
    for question in asked:
        version = versions[question.pk]
        main = _response(attempt, version, None, len(rows) + 1, None, texts)
        rows.append(main)
        for part in parts[version.pk][:follow_ups]:
            rows.append(_response(attempt, version, part, len(rows) + 1, main.position, texts))
    return Response.objects.bulk_create(rows)


def add_grading(
    attempt: Attempt,
    *,
    value: int = MarkValue.MET,
    confidence: str = Band.HIRE,
    number: int = 1,
    score: Decimal | None = None,
    quote: str = "",
    closed_at: datetime | None = None,
) -> Grading:
    """A closed grading that gives every point of the attempt the same mark, and so the score that mark
    is worth."""
    ended = closed_at or (attempt.finished_at or attempt.started_at) + timedelta(minutes=5)
    worth = Decimal(5 * value) if score is None else score
    grading = Grading.objects.create(
        attempt=attempt,
        user_id=attempt.user_id,
        number=number,
        started_at=ended - timedelta(minutes=4),
        closed_at=ended,
        score=worth,
    )
    responses = list(Response.objects.filter(attempt=attempt))
    grades = {
        (response.version_id, response.follow_up_id): ResponseGrade(
            grading=grading,
            response=response,
            user_id=attempt.user_id,
            confidence=confidence,
            revealed_at=ended,
        )
        for response in responses
    }
    ResponseGrade.objects.bulk_create(grades.values())
    Mark.objects.bulk_create(
        Mark(
            response_grade=grades[point.version_id, point.follow_up_id],
            point=point,
            user_id=attempt.user_id,
            value=value,
            first_value=value,
            quote=quote,
            marked_at=ended,
        )
        for point in RubricPoint.objects.filter(version__in=[response.version_id for response in responses])
        if (point.version_id, point.follow_up_id) in grades
    )
    attempt.score, attempt.graded_at, attempt.state = worth, ended, State.GRADED
    attempt.save(update_fields=["score", "graded_at", "state"])
    return grading


def _response(
    attempt: Attempt,
    version: QuestionVersion,
    part: FollowUp | None,
    position: int,
    parent_position: int | None,
    texts: Sequence[str],
) -> Response:
    text = texts[position - 1] if position <= len(texts) else ANSWER
    return Response(
        attempt=attempt,
        user_id=attempt.user_id,
        position=position,
        version=version,
        follow_up=part,
        parent_position=parent_position,
        minutes=part.minutes if part else version.minutes,
        text=text,
        revision=1 if text else 0,
        saved_at=attempt.started_at + timedelta(minutes=4) if text else None,
        seconds_spent=240 if text else 0,
        is_skipped=not text,
        asked_at=attempt.started_at,
    )
