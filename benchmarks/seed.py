"""People with a past, written straight into the database before anything is measured."""

import random
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import uuid4

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection

from benchmarks.client import Browser
from benchmarks.session import Learner
from benchmarks.words import answer, vocabulary
from prepapp.accounts.models import User
from prepapp.bank.models import QuestionVersion, RubricPoint
from prepapp.common.clock import read_clock
from prepapp.interviews.choices import Band, Ending, MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Blueprint, Grading, Mark, Response, ResponseGrade
from prepapp.reports.actions.evidence import rebuild
from prepapp.reports.actions.rates import reckon_track_rates

QUESTIONS_PER_ATTEMPT = 3
ATTEMPTS, MANY_ATTEMPTS = 20, 2000
_BATCH = 2000


def bank_words() -> list[str]:
    return vocabulary(list(QuestionVersion.objects.values_list("model_answer", flat=True)))


def points_by_version() -> dict[int, list[int]]:
    """Ids of the points of the main answer, by version."""
    found: dict[int, list[int]] = defaultdict(list)
    for version, point in RubricPoint.objects.filter(follow_up=None).values_list("version_id", "id"):
        found[version].append(point)
    return found


def create_people(names: Sequence[str], *, track: str, level: str) -> list[User]:
    people = [User(email=f"{name}@bench.test", track=track, level=level) for name in names]
    for person in people:
        person.set_unusable_password()
    return User.objects.bulk_create(people)


def create_everybody(count: int, seed: int, *, track: str, level: str) -> tuple[list[Learner], list[str]]:
    """`count` learners with 20 past attempts each and, last, one with 2,000; and the words they write."""
    chance = random.Random(seed)
    words = bank_words()
    now = read_clock()
    people = create_people([f"learner{number}" for number in range(count)], track=track, level=level)
    create_history(people, ATTEMPTS, words=words, chance=chance, now=now)
    veterans = create_people(["veteran"], track=track, level=level)
    create_history(veterans, MANY_ATTEMPTS, words=words, chance=chance, now=now)
    # As closing the gradings would have kept it, but in one statement for everybody.
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '5min'")
        deque(rebuild(), maxlen=0)
        cursor.execute("RESET statement_timeout")
    reckon_track_rates(now=now)
    learners = []
    for number, person in enumerate([*people, *veterans]):
        browser = Browser(0, session_cookies(person), csrf_cookie=settings.CSRF_COOKIE_NAME)
        learners.append(Learner(browser, track, level, random.Random(seed * 1000 + number)))
    return learners, words


def session_cookies(person: User) -> dict[str, str]:
    """The cookie of somebody who has signed in."""
    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.save()
    assert session.session_key
    return {settings.SESSION_COOKIE_NAME: session.session_key}


def create_history(
    people: Sequence[User], count: int, *, words: Sequence[str], chance: random.Random, now: datetime
) -> None:
    """`count` finished, fully graded attempts for each person, the newest six hours before `now`."""
    blueprint = Blueprint.objects.get(slug="screen")
    questions = points_by_version()
    attempts = Attempt.objects.bulk_create(
        [
            _attempt(person, blueprint, now - timedelta(hours=6 * number), chance)
            for person in people
            for number in range(1, count + 1)
        ],
        batch_size=_BATCH,
    )
    responses = Response.objects.bulk_create(
        [
            Response(
                attempt=attempt,
                user_id=attempt.user_id,
                position=position,
                version_id=version,
                minutes=5,
                text=answer(words, chance),
                revision=6,
                saved_at=attempt.finished_at,
                seconds_spent=240,
                asked_at=attempt.started_at,
            )
            for attempt in attempts
            for position, version in enumerate(chance.sample(list(questions), QUESTIONS_PER_ATTEMPT), 1)
        ],
        batch_size=_BATCH,
    )
    grade_all(attempts, responses, questions, chance)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def grade_all(
    attempts: Sequence[Attempt],
    responses: Sequence[Response],
    points: dict[int, list[int]],
    chance: random.Random,
    quote: int = 0,
) -> None:
    """A closed grading with every main point marked, for attempts whose rows say so already. `quote`: the
    characters of evidence kept with each mark. `points`: ids of rubric points by version."""
    gradings = {
        grading.attempt_id: grading
        for grading in Grading.objects.bulk_create(
            [
                Grading(
                    attempt=attempt,
                    user_id=attempt.user_id,
                    number=1,
                    started_at=attempt.finished_at or attempt.started_at,
                    closed_at=attempt.graded_at,
                    score=attempt.score,
                )
                for attempt in attempts
            ],
            batch_size=_BATCH,
        )
    }
    grades = ResponseGrade.objects.bulk_create(
        [
            ResponseGrade(
                grading=gradings[response.attempt_id],
                response=response,
                user_id=response.user_id,
                confidence=chance.choice(Band.values),
                revealed_at=gradings[response.attempt_id].closed_at,
                fix_next="Say the number first, then where it comes from.",
            )
            for response in responses
        ],
        batch_size=_BATCH,
    )
    Mark.objects.bulk_create(_marks(responses, grades, points, chance, quote), batch_size=_BATCH)


def _marks(
    responses: Sequence[Response],
    grades: Sequence[ResponseGrade],
    points: dict[int, list[int]],
    chance: random.Random,
    quote: int,
) -> Iterator[Mark]:
    for response, grade in zip(responses, grades, strict=True):
        for point in points[response.version_id]:
            value = chance.choice(MarkValue.values)
            yield Mark(
                response_grade=grade,
                point_id=point,
                user_id=response.user_id,
                value=value,
                first_value=value,
                quote=response.text[:quote] if value else "",
                marked_at=grade.grading.closed_at or grade.grading.started_at,
            )


def _attempt(person: User, blueprint: Blueprint, started: datetime, chance: random.Random) -> Attempt:
    finished = started + timedelta(minutes=12)
    return Attempt(
        user=person,
        track_id=person.track,
        blueprint=blueprint,
        title=blueprint.title,
        mode=Mode.MOCK,
        level=person.level,
        state=State.GRADED,
        start_key=uuid4(),
        slot=f"mock:{blueprint.slug}:{person.track}",
        seed=1,
        minutes=blueprint.minutes,
        time_allowance="1.00",
        started_at=started,
        deadline_at=started + timedelta(minutes=blueprint.minutes),
        finished_at=finished,
        ending=Ending.FINISHED,
        graded_at=finished + timedelta(minutes=5),
        score=Decimal(chance.randrange(10_000_000)) / 1_000_000,
    )
