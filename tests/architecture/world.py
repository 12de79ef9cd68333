"""One small site with somebody in every role, for tests that ask each route about each of them.

Here: people with sessions, work in every state, requests that leave nothing behind. Not here: what is
expected (`expectations`).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model
from django.http import SimpleCookie
from django.test import Client, RequestFactory
from django.test.client import ClientHandler

from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.bank.actions import submit_draft
from prepapp.bank.choices import FlagPlace, FlagReason, Status
from prepapp.bank.models import (
    Draft,
    DraftRevision,
    Flag,
    ImportRun,
    Pack,
    Question,
    RubricPoint,
    SampleAnswer,
)
from prepapp.interviews.choices import Band, Ending, Mode, State
from prepapp.interviews.models import (
    Attempt,
    Grading,
    LateText,
    Mark,
    Response,
    ResponseGrade,
    SampleGrading,
)
from prepapp.reports.models import WeeklyReport
from tests.bank.importing import bank_file, imported, upload
from tests.bank.importing import question as item
from tests.factories.accounts import PASSWORD, GuestFactory, UserFactory
from tests.factories.bank import (
    PackFactory,
    QuestionFactory,
    TopicFactory,
    TrackFactory,
    add_version,
    create_questions,
)
from tests.factories.curation import draft
from tests.factories.interviews import STARTED_AT, AttemptFactory, BlueprintFactory
from tests.factories.reports import WeeklyReportFactory
from tests.factories.samples import add_samples

NOW = STARTED_AT + timedelta(minutes=2)
# What a refused request must leave as it was.
KEPT: tuple[type[Model], ...] = (
    Attempt,
    Response,
    Grading,
    ResponseGrade,
    Mark,
    LateText,
    SampleGrading,
    Flag,
    User,
    WeeklyReport,
    ImportRun,
    Draft,
    DraftRevision,
)
FORM = "application/x-www-form-urlencoded"

ANONYMOUS, GUEST, OWNER = "anonymous", "guest owner", "owner"
OTHER, CURATOR, REVIEWER, ADMIN = "other candidate", "curator", "reviewer", "admin"
ACTORS = (ANONYMOUS, GUEST, OWNER, OTHER, CURATOR, REVIEWER, ADMIN)
SIGNED_IN = (OWNER, OTHER, CURATOR, REVIEWER, ADMIN)
OWNERS = (GUEST, OWNER)


@dataclass(frozen=True)
class Work:
    """The interviews of one person, one in each state."""

    running: Attempt
    practice: Attempt
    grading: Attempt
    graded: Attempt
    older: Attempt
    abandoned: Attempt
    # The question of every first answer but that of `running`: its reference and its rubric points.
    ref: str
    points: tuple[int, ...]

    def attempt(self, name: str) -> Attempt:
        found: Attempt = getattr(self, name)
        return found


@dataclass(frozen=True)
class World:
    people: dict[str, User]
    work: dict[str, Work]
    cookies: dict[str, dict[str, str]]
    question: Question
    draft: Question
    # The one being written, the other handed in, both by somebody else.
    written: Draft
    reviewed: Draft
    pack: Pack
    # Open, raised by the other candidate about `question`.
    flag: Flag
    # Of `question`, marked by nobody.
    sample: SampleAnswer
    start: dict[str, Any]
    # Uploads of the curator: one to be confirmed, one that is in the bank.
    preview: ImportRun
    imported: ImportRun

    def work_for(self, actor: str) -> Work:
        """What an address names when this actor asks: their own work, else the owner's."""
        return self.work.get(actor, self.work[OWNER])


def build() -> World:
    """In a transaction of the caller. The clock stands at NOW."""
    topic = TopicFactory(track=TrackFactory())
    # A running mock closes the answers of what it asks, so it asks what nothing else does; the last
    # question is asked of nobody.
    *questions, free = create_questions(7, topic=topic)
    asked, done = questions[:3], questions[3:]
    people: dict[str, User] = {
        GUEST: GuestFactory(),
        OWNER: UserFactory(last_login=STARTED_AT),
        OTHER: UserFactory(last_login=STARTED_AT),
        CURATOR: UserFactory(last_login=STARTED_AT, role=Role.CURATOR),
        REVIEWER: UserFactory(last_login=STARTED_AT, role=Role.REVIEWER),
        ADMIN: UserFactory(last_login=STARTED_AT, role=Role.ADMIN),
    }
    track = topic.tracks.get()
    blueprint = BlueprintFactory()
    WeeklyReportFactory(user=people[OWNER])
    BlueprintFactory(slug="drill", minutes=20, recipe={"drill": True})
    work = {actor: _work(people[actor], asked, done, track) for actor in OWNERS}
    # Asked second in all but the running one; it means something else since.
    add_version(done[1], change_note="It says 64 now.")
    return World(
        people=people,
        work=work,
        cookies={ANONYMOUS: {}} | {actor: _session(actor, person) for actor, person in people.items()},
        question=free,
        draft=QuestionFactory(status=Status.DRAFT, topic=topic),
        written=draft(),
        reviewed=_reviewed(),
        pack=PackFactory(include={"topics": [topic.pk]}, blueprints=[blueprint.slug]),
        flag=_flag(free, people[OTHER]),
        sample=add_samples(free)[0],
        start={
            "blueprint": blueprint.slug,
            "track": track.code,
            "level": "intermediate",
            "mode": Mode.MOCK,
            "start_key": UUID(int=7),
        },
        preview=upload(bank_file(item("to-come")), people[CURATOR]),
        imported=imported(bank_file(item("brought-in")), people[CURATOR]),
    )


def _reviewed() -> Draft:
    made = draft(slug="another-question-of-ours")
    submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=NOW)
    return made


def _flag(question: Question, user: User) -> Flag:
    return Flag.objects.create(
        question=question,
        version=question.current_version,
        user=user,
        place=FlagPlace.BROWSER,
        reason=FlagReason.WRONG,
        text="It says 32.",
        raised_at=NOW,
    )


@contextmanager
def world() -> Iterator[World]:
    """The world, taken back at the end."""
    with transaction.atomic():
        yield build()
        transaction.set_rollback(True)


def _work(user: User, asked: list[Question], done: list[Question], track: Any) -> Work:
    def attempt(questions: list[Question] = done, **fields: Any) -> Attempt:
        made: Attempt = AttemptFactory(user=user, track=track, responses__questions=questions, **fields)
        return made

    work = Work(
        running=attempt(asked),
        practice=attempt(mode=Mode.PRACTICE),
        # Answered, left empty, answered: something to mark, to show, and to say a confidence about.
        grading=attempt(
            state=State.GRADING,
            responses__texts=["One eighth.", ""],
            finished_at=STARTED_AT + timedelta(minutes=1),
        ),
        graded=attempt(state=State.GRADED, started_at=STARTED_AT - timedelta(days=1)),
        older=attempt(state=State.GRADED, started_at=STARTED_AT - timedelta(days=2)),
        abandoned=attempt(
            state=State.ABANDONED, ending=Ending.ABANDONED, started_at=STARTED_AT - timedelta(days=3)
        ),
        ref=done[0].ref,
        points=points_of(done[0]),
    )
    grading = Grading.objects.create(attempt=work.grading, user=user, number=1, started_at=NOW)
    ResponseGrade.objects.create(
        grading=grading,
        response=work.grading.responses.get(position=1),
        user=user,
        confidence=Band.HIRE,
    )
    LateText.objects.create(
        response=work.graded.responses.get(position=1), user=user, text="Too late.", received_at=NOW
    )
    return work


def _session(actor: str, person: User) -> dict[str, str]:
    client = Client()
    if actor == GUEST:
        session = client.session
        session[GUEST_SESSION_KEY] = str(person.pk)
        session.save()
        return {settings.SESSION_COOKIE_NAME: session.session_key}
    # By the form, so that the session also says when the password was given.
    reply = client.post("/account/sign-in/", {"login": person.email, "password": PASSWORD})
    assert reply.status_code == 302
    return {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}


def points_of(question: Question) -> tuple[int, ...]:
    points = RubricPoint.objects.filter(version__current_of=question, follow_up=None)
    return tuple(points.order_by("position").values_list("pk", flat=True))


class Browser(RequestFactory):
    """Whoever its cookies say, for one request after the other: nothing a reply sets is kept. An error of
    ours is a reply of 500. Half the price of Django's test client, which copies every template's context.
    """

    def __init__(self, *, enforce_csrf_checks: bool = False) -> None:
        super().__init__()
        self.handler = ClientHandler(enforce_csrf_checks=enforce_csrf_checks)

    def request(self, **request: Any) -> Any:
        return self.handler(self._base_environ(**request))

    def send(
        self,
        cookies: Mapping[str, str],
        method: str,
        path: str,
        data: Mapping[str, Any] | None = None,
        *,
        htmx: bool = False,
        headers: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Any:
        """`environment` is put over what the server would hand on."""
        self.cookies = SimpleCookie(dict(cookies))
        sent = {"HX-Request": "true"} if htmx else {}
        body = urlencode(data or {}, doseq=True)
        return self.generic(
            method, path, body, FORM, headers={**sent, **(headers or {})}, **(environment or {})
        )

    def send_body(
        self, cookies: Mapping[str, str], path: str, body: bytes, kind: str, *, htmx: bool = False
    ) -> Any:
        """A POST of bytes that say they are of this kind."""
        self.cookies = SimpleCookie(dict(cookies))
        return self.generic("POST", path, body, kind, headers={"HX-Request": "true"} if htmx else {})

    def send_query(self, cookies: Mapping[str, str], path: str, query: str, *, htmx: bool = False) -> Any:
        """A GET with a query that is escaped already, or is not."""
        self.cookies = SimpleCookie(dict(cookies))
        sent = {"HX-Request": "true"} if htmx else {}
        return self.generic("GET", path, headers=sent, QUERY_STRING=query)


def body_of(reply: Any) -> bytes:
    return b"".join(reply.streaming_content) if reply.streaming else bytes(reply.content)


@contextmanager
def taken_back() -> Iterator[None]:
    """What happens inside is undone."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def snapshot() -> dict[str, list[tuple[Any, ...]]]:
    """Every column of every row that belongs to a person."""
    return {model._meta.label: list(model._base_manager.order_by("pk").values_list()) for model in KEPT}


class Writes(list[str]):
    """Statements that may have changed a row."""

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        words = sql.lstrip("( ").upper()
        if not words.startswith(("SELECT", "SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK TO SAVEPOINT")):
            self.append(sql)
        return execute(sql, params, many, context)


@contextmanager
def watched() -> Iterator[Writes]:
    """Collects what is written inside."""
    found = Writes()
    with connection.execute_wrapper(found):
        yield found
