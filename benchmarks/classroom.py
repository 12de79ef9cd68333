"""A class that types its answers side by side, through the product's own actions and without HTTP: for what
is of interest in the database and not in the servers."""

import random
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

from django.apps import apps
from django.db import connection

from benchmarks.seed import create_people, grade_all, points_by_version
from benchmarks.words import growing
from prepapp.accounts.models import User
from prepapp.common.clock import read_clock
from prepapp.interviews.actions.answers import save_answer
from prepapp.interviews.actions.finish import finish_attempt
from prepapp.interviews.actions.start import custom_plan, start_attempt
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, Response

MINUTES_A_QUESTION = 12


def interview_tables() -> list[str]:
    return [model._meta.db_table for model in apps.get_app_config("interviews").get_models()]


def type_attempts(
    attempts: int, *, room: int, questions: int, text: Callable[[], str], track: str, level: str, seed: int
) -> int:
    """`attempts` attempts, `room` at a time, every answer saved as it grows, then submitted; returns the
    bytes of the finished texts."""
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")
    people = create_people([f"typist{number}" for number in range(room)], track=track, level=level)
    chance = random.Random(seed)
    size = 0
    for first in range(0, attempts, room):
        running = [_start(person, questions, track, level, chance) for person in people[: attempts - first]]
        for position in range(1, questions + 1):
            texts = [text() for _ in running]
            size += sum(len(written.encode()) for written in texts)
            for revision, drafts in enumerate(zip(*map(growing, texts), strict=True)):
                for attempt, draft in zip(running, drafts, strict=True):
                    _save(attempt, position, draft, revision)
        for attempt in running:
            finish_attempt(attempt=attempt, now=read_clock())
    return size


def grade_attempts(seed: int) -> None:
    """A closed grading with every main point marked, for all that were submitted."""
    chance = random.Random(seed)
    attempts = list(Attempt.objects.filter(state=State.GRADING))
    for attempt in attempts:
        attempt.state = State.GRADED
        attempt.graded_at = (attempt.finished_at or attempt.started_at) + timedelta(minutes=10)
        attempt.score = Decimal(chance.randrange(10_000_000)) / 1_000_000
    Attempt.objects.bulk_update(attempts, ["state", "graded_at", "score"], batch_size=200)
    responses = Response.objects.filter(attempt__in=attempts).order_by("attempt_id", "position")
    grade_all(attempts, list(responses), points_by_version(), chance)


def _start(person: User, questions: int, track: str, level: str, chance: random.Random) -> Attempt:
    return start_attempt(
        user=person,
        plan=custom_plan(track, [], level, questions, questions * MINUTES_A_QUESTION),
        mode=Mode.MOCK,
        start_key=uuid4(),
        seed=chance.randrange(1 << 40),
        now=read_clock(),
    )


def _save(attempt: Attempt, position: int, text: str, revision: int) -> None:
    saved = save_answer(
        user=attempt.user,
        attempt_id=attempt.pk,
        position=position,
        text=text,
        revision=revision,
        spent=8,
        now=read_clock(),
    )
    if saved.is_late:
        raise SystemExit("An answer came too late: the machine is too slow for the time of the interview.")
