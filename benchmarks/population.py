"""A whole site's past, streamed into PostgreSQL with COPY: people, attempts, answers, gradings, marks.

Rows are written in the order in which they would have come about, a week after the other, so that a week's
marks lie together and those of one person do not. Constraints and indexes are taken off before and put back
afterwards, which checks every row. The evidence by topic and week is then reckoned by one statement from the
marks, as the product would have kept it.
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from django.db.models import Field, Model
from psycopg import sql

from benchmarks.words import answer
from prepapp.accounts.models import User
from prepapp.bank.models import RubricPoint, Track
from prepapp.interviews.choices import Band, Ending, Mode, State
from prepapp.interviews.models import Attempt, Blueprint, Grading, Mark, Response, ResponseGrade
from prepapp.reports import mastery
from prepapp.reports.models import TopicWeek
from prepapp.reports.queries.evidence import mastery_constants

ZONES = (
    *("UTC", "Europe/Paris", "Europe/London", "America/New_York", "America/Los_Angeles", "America/Sao_Paulo"),
    *("Asia/Kolkata", "Asia/Tokyo", "Asia/Shanghai", "Australia/Sydney", "Africa/Lagos", "Pacific/Auckland"),
)
ACTIVE = 0.2
QUESTIONS = 3
_PRACTICE, _LATE, _MAIL = 0.15, 0.1, 0.6
_TEXTS = 2_000
_MINUTE, _DAY, _WEEK = timedelta(minutes=1), timedelta(days=1), timedelta(days=7)
_BATCH = 2_000
_WORK: tuple[type[Model], ...] = (User, Attempt, Response, Grading, ResponseGrade, Mark)


@dataclass(frozen=True)
class Size:
    """What was written."""

    people: int
    weeks: int
    attempts: int
    answers: int
    marks: int


@dataclass(frozen=True)
class _Question:
    version: int
    topic: int
    minutes: int
    points: tuple[tuple[int, int], ...]  # id, weight


def populate(
    connect: Callable[[], psycopg.Connection],
    learners: int,
    marks: int,
    seed: int,
    monday: datetime,
    words: Sequence[str],
) -> Size:
    """`learners` people of whom a fifth is active in a week, and about `marks` marks in the weeks before
    `monday`; the last of these weeks is whole."""
    # Read before the tables are worked on, which locks those they refer to as well.
    questions, blueprint = _questions(), Blueprint.objects.get(slug="screen")
    a_question = sum(len(question.points) for pool in questions.values() for question in pool) / sum(
        map(len, questions.values())
    )
    a_week = learners * ACTIVE * 1.5 * QUESTIONS * a_question
    weeks = max(2, round(marks / a_week))
    chance = random.Random(seed)
    with connect() as connection:
        connection.execute("SET synchronous_commit = off")
        with _bare_tables(connection, [model._meta.db_table for model in _WORK]):
            people = _people(connection, learners, chance, monday - (weeks + 1) * _WEEK, sorted(questions))
            texts = [answer(words, chance) for _ in range(_TEXTS)]
            writer = _Writer(connection, chance, questions, blueprint, texts)
            begun = time.monotonic()
            for number in range(weeks):
                writer.write_week(people, monday - (weeks - number) * _WEEK)
            _say(f"{writer.marks:,} marks of {writer.attempts:,} attempts copied", begun)
        begun = time.monotonic()
        found = connection.execute(_TOPIC_WEEKS, _rule()).rowcount
        _say(f"{found:,} rows of evidence by topic and week reckoned", begun)
        begun = time.monotonic()
        connection.commit()
        connection.autocommit = True
        for model in (*_WORK, TopicWeek):
            connection.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(model._meta.db_table)))
        _say("VACUUM ANALYZE", begun)
    return Size(learners, weeks, writer.attempts, writer.answers, writer.marks)


def _say(what: str, begun: float) -> None:
    print(f"{time.monotonic() - begun:7.1f} s  {what}", flush=True)


def _questions() -> dict[str, list[_Question]]:
    """Of each track with enough of them, every question with the points of its main answer."""
    rows = RubricPoint.objects.filter(follow_up=None, version__current_of__isnull=False).values_list(
        "version", "version__question__topic", "version__minutes", "pk", "weight"
    )
    points: dict[tuple[int, str, int], list[tuple[int, int]]] = {}
    for version, topic, minutes, point, weight in rows.order_by("version", "position"):
        points.setdefault((version, topic, minutes), []).append((point, weight))
    topics = {topic: number for number, topic in enumerate(sorted({topic for _, topic, _ in points}))}
    pools: dict[str, list[_Question]] = {}
    for track in Track.objects.prefetch_related("topics"):
        own = {topic.pk for topic in track.topics.all()}
        pool = [
            _Question(version, topics[topic], minutes, tuple(found))
            for (version, topic, minutes), found in points.items()
            if topic in own
        ]
        if len(pool) >= 3 * QUESTIONS:
            pools[track.pk] = pool
    return pools


@dataclass(frozen=True)
class _Person:
    id: UUID
    track: str
    ability: float


def _people(
    connection: psycopg.Connection, count: int, chance: random.Random, joined: datetime, tracks: Sequence[str]
) -> list[_Person]:
    people = [
        _Person(
            UUID(int=chance.getrandbits(128), version=4), chance.choice(tracks), chance.uniform(0.2, 0.95)
        )
        for _ in range(count)
    ]
    with _copy(connection, User) as write:
        for number, person in enumerate(people):
            write(
                id=person.id,
                email=f"learner{number}@bench.test",
                password="!",
                date_joined=joined,
                last_login=joined,
                track=person.track,
                time_zone=ZONES[number % len(ZONES)],
                is_time_zone_confirmed=True,
                wants_weekly_mail=chance.random() < _MAIL,
            )
    return people


class _Writer:
    """Copies one week after the other. Ids are counted here, and the sequences set behind them."""

    def __init__(
        self,
        connection: psycopg.Connection,
        chance: random.Random,
        questions: dict[str, list[_Question]],
        blueprint: Blueprint,
        texts: list[str],
    ) -> None:
        self._connection, self._chance, self._questions, self._texts = connection, chance, questions, texts
        self._blueprint = blueprint
        self.attempts = self.answers = self.marks = 0

    def write_week(self, people: Sequence[_Person], monday: datetime) -> None:
        active = self._chance.sample(people, round(len(people) * ACTIVE))
        sittings = [
            (monday + timedelta(minutes=self._chance.randrange(7 * 24 * 60 - 60)), person)
            for person in active
            for _ in range(1 + (self._chance.random() < 0.5))
        ]
        sittings.sort(key=lambda pair: pair[0])
        for begin in range(0, len(sittings), _BATCH):
            self._write(sittings[begin : begin + _BATCH])

    def _write(self, sittings: Sequence[tuple[datetime, _Person]]) -> None:
        """One COPY for each table, as many sittings as fit into memory easily."""
        lines: dict[type[Model], list[dict[str, Any]]] = {model: [] for model in _WORK[1:]}
        marks: list[str] = []
        for started, person in sittings:
            self._sit(started, person, lines, marks)
        for model, rows in lines.items():
            if model is not Mark:
                with _copy(self._connection, model) as write:
                    for row in rows:
                        write(**row)
        names = "id, response_grade_id, point_id, user_id, value, first_value, quote, marked_at"
        statement = f"COPY {Mark._meta.db_table} ({names}) FROM STDIN"
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write("".join(marks))

    def _sit(
        self,
        started: datetime,
        person: _Person,
        lines: dict[type[Model], list[dict[str, Any]]],
        marks: list[str],
    ) -> None:
        chance = self._chance
        self.attempts += 1
        finished = started + timedelta(seconds=chance.randrange(400, 880))
        graded = finished + (
            chance.randrange(600, 2400) * _MINUTE if chance.random() < _LATE else 6 * _MINUTE
        )
        attempt = UUID(int=chance.getrandbits(128), version=4)
        asked = chance.sample(self._questions[person.track], QUESTIONS)
        total = 0.0
        at = graded.isoformat()
        for position, question in enumerate(asked, 1):
            self.answers += 1
            text = chance.choice(self._texts)
            skill = min(
                max(person.ability + ((question.topic * 7 + person.id.int) % 5 - 2) * 0.1, 0.03), 0.97
            )
            lines[Response].append(
                {
                    "id": self.answers,
                    "attempt_id": attempt,
                    "user_id": person.id,
                    "position": position,
                    "version_id": question.version,
                    "minutes": question.minutes,
                    "text": text,
                    "revision": 6,
                    "saved_at": finished,
                    "seconds_spent": 240,
                    "asked_at": started,
                }
            )
            lines[ResponseGrade].append(
                {
                    "id": self.answers,
                    "grading_id": self.attempts,
                    "response_id": self.answers,
                    "user_id": person.id,
                    "confidence": Band.HIRE,
                    "revealed_at": graded,
                    "fix_next": "Say the number first, then where it comes from.",
                }
            )
            earned = 0
            for point, weight in question.points:
                roll = chance.random()
                value = 2 if roll < skill else 1 if roll < skill + (1 - skill) * 0.35 else 0
                quote = text[:50] if value and roll < 0.6 else ""
                earned += weight * value
                self.marks += 1
                marks.append(
                    f"{self.marks}\t{self.answers}\t{point}\t{person.id}\t{value}\t{value}\t{quote}\t{at}\n"
                )
            total += earned / (2 * sum(weight for _, weight in question.points))
        score = round(10 * total / len(asked), 6)
        is_mock = chance.random() >= _PRACTICE
        lines[Attempt].append(
            {
                "id": attempt,
                "user_id": person.id,
                "track_id": person.track,
                "blueprint_id": self._blueprint.pk,
                "title": self._blueprint.title,
                "mode": Mode.MOCK if is_mock else Mode.PRACTICE,
                "level": "intermediate",
                "state": State.GRADED,
                "start_key": UUID(int=chance.getrandbits(128), version=4),
                "slot": f"mock:screen:{person.track}",
                "seed": 1,
                "minutes": self._blueprint.minutes,
                "time_allowance": "1.00",
                "started_at": started,
                "deadline_at": started + self._blueprint.minutes * _MINUTE if is_mock else None,
                "finished_at": finished,
                "ending": Ending.FINISHED,
                "graded_at": graded,
                "score": score,
            }
        )
        lines[Grading].append(
            {
                "id": self.attempts,
                "attempt_id": attempt,
                "user_id": person.id,
                "number": 1,
                "started_at": finished,
                "closed_at": graded,
                "score": score,
            }
        )


# --- the database ---------------------------------------------------------------------------------


@contextmanager
def _copy(connection: psycopg.Connection, model: type[Model]) -> Iterator[Callable[..., None]]:
    """Writes rows by column; what is not given has the value of a new object."""
    fields: list[Field] = list(model._meta.concrete_fields)
    defaults = {field.column: _default(field) for field in fields}
    columns = sql.SQL(", ").join(sql.Identifier(name) for name in defaults)
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(model._meta.db_table), columns)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:

        def write(**values: Any) -> None:
            copy.write_row([values.get(name, default) for name, default in defaults.items()])

        yield write


def _default(field: Field) -> Any:
    value = None if field.null and not field.has_default() else field.get_default()
    return json.dumps(value) if isinstance(value, dict | list) else value


@contextmanager
def _bare_tables(connection: psycopg.Connection, tables: Iterable[str]) -> Iterator[None]:
    """Takes indexes and constraints off and puts them back, which checks all rows, and sets sequences."""
    names = list(tables)
    constraints = connection.execute(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE (conrelid = ANY(%(names)s::regclass[]) OR confrelid = ANY(%(names)s::regclass[])) "
        "AND contype IN ('f', 'u', 'p') "
        # Foreign keys go first and come last: they stand on the others.
        "ORDER BY contype = 'f' DESC, conname",
        {"names": names},
    ).fetchall()
    indexes = connection.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index "
        "WHERE indrelid = ANY(%s::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)",
        [names],
    ).fetchall()
    for table, name, _ in constraints:
        connection.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    yield
    begun = time.monotonic()
    connection.execute("SET maintenance_work_mem = '512MB'")
    for _, definition in indexes:
        connection.execute(definition)
    for table, name, definition in reversed(constraints):
        connection.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
    for table in names:
        sequence = connection.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table]).fetchone()
        if sequence and sequence[0]:
            connection.execute(f"SELECT setval(%s, (SELECT max(id) FROM {table}))", [sequence[0]])
    connection.commit()
    _say("indexes and constraints put back", begun)


def _rule() -> dict[str, Any]:
    constants = mastery_constants()
    return {
        "epoch": mastery.EPOCH,
        "half_life": constants.half_life_days,
        "correlation": constants.point_correlation,
        "retake_weight": constants.retake_weight,
        "retake": timedelta(hours=constants.retake_hours),
        "utc": UTC.tzname(None),
        "mock": Mode.MOCK,
        "graded": State.GRADED,
    }


# The rule of `reports.mastery` and `reports.queries.evidence`, set by set. There is one grading of each attempt
# and no follow-up, so what those two are careful about does not occur here.
_TOPIC_WEEKS = """
WITH asked AS (
    SELECT response.id, response.user_id, question.topic_id, attempt.finished_at,
           attempt.mode = %(mock)s AND attempt.state = %(graded)s AS counts,
           attempt.started_at - lag(attempt.started_at) OVER (
               PARTITION BY response.user_id, version.question_id ORDER BY attempt.started_at
           ) <= %(retake)s AS is_retake
      FROM interviews_response response
      JOIN interviews_attempt attempt ON attempt.id = response.attempt_id
      JOIN bank_questionversion version ON version.id = response.version_id
      JOIN bank_question question ON question.id = version.question_id
), marked AS (
    SELECT mark.response_grade_id AS id, count(*) AS points,
           sum(point.weight * mark.value)::float / (2 * sum(point.weight)) AS share
      FROM interviews_mark mark JOIN bank_rubricpoint point ON point.id = mark.point_id
     GROUP BY mark.response_grade_id
), answers AS (
    SELECT asked.user_id, asked.topic_id, share,
           date_trunc('week', asked.finished_at AT TIME ZONE %(utc)s)::date AS week_start,
           points / (1 + (points - 1) * %(correlation)s::float)
           * power(2, extract(epoch FROM asked.finished_at - %(epoch)s)::float / 86400 / %(half_life)s::float)
           * CASE WHEN asked.is_retake THEN %(retake_weight)s::float ELSE 1 END AS trials
      FROM asked
      JOIN interviews_responsegrade grade ON grade.response_id = asked.id
      JOIN marked ON marked.id = grade.id
     WHERE asked.counts
)
INSERT INTO reports_topicweek (user_id, topic_id, week_start, answers, trials, successes)
SELECT user_id, topic_id, week_start, count(*), sum(trials), least(sum(trials), sum(trials * share))
  FROM answers GROUP BY user_id, topic_id, week_start
"""
