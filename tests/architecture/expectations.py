"""What each route answers to whom: the one table that the tests of routes, tokens and errors read.

A route that is not in the table fails the build. Statuses stand as (plain, htmx) where the two differ.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from prepapp.interviews.choices import Band, MarkValue
from prepapp.interviews.models import Blueprint
from prepapp.reports.tokens import unsubscribe_token
from tests.architecture.world import ADMIN, ANONYMOUS, CURATOR, OWNER, OWNERS, REVIEWER, SIGNED_IN, World
from tests.factories.accounts import PASSWORD

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
NEW_PASSWORD = "seven quiet lighthouses"
SIGN_IN = (302, 401)
NOT_FOUND = (404, 404)
FORBIDDEN = (403, 403)
NOT_ALLOWED = (405, 405)

Status = int | tuple[int, int]
Door = str

# Who a route is for.
OPEN = "everybody"
CANDIDATE = "guests and the signed-in"
ACCOUNT = "the signed-in"
OWN = "whoever owns the attempt"
REPORTED = "the account the report is about"
OPERATOR = "admins"
DESK = "curators, reviewers and admins"
PUBLISHERS = "reviewers and admins"
# Who of the signed-in holds a role that opens the door; to the others it is 403.
ROLES = {OPERATOR: (ADMIN,), DESK: (CURATOR, REVIEWER, ADMIN), PUBLISHERS: (REVIEWER, ADMIN)}
VISITOR = "whoever is not signed in; the signed-in are led away"


@dataclass(frozen=True)
class Rule:
    """`get` and `post` are what those who may enter get; None: the method is refused with 405.

    `args` and `query` name what the address is about, `data` is a valid form. HEAD is answered
    like GET unless `takes_head` says no; `more` holds what other methods get where they are not refused.
    With `asks_first` the door is before the method: strangers are sent `away` whatever they ask.
    """

    door: Door
    get: Status | None = None
    post: Status | None = None
    takes_head: bool = True
    more: Mapping[str, Status] = field(default_factory=dict)
    away: Status = SIGN_IN
    asks_first: bool = False
    state: str = ""
    position: int | None = None
    # The door of POST, where fewer may change a thing than may look at it.
    writers: Door = ""
    args: Callable[[World], list[Any]] = lambda world: []
    query: Callable[[World, str], str] = lambda world, actor: ""
    data: Callable[[World, str], dict[str, Any]] = lambda world, actor: {}

    def answer(self, method: str) -> Status | None:
        if method == "HEAD":
            return self.get if self.takes_head else None
        return {"GET": self.get, "POST": self.post, **self.more}.get(method)

    def lets_in(self, actor: str) -> bool:
        if self.door in {CANDIDATE, OWN}:
            return actor != ANONYMOUS
        if self.door in {ACCOUNT, REPORTED, *ROLES}:
            return actor in SIGNED_IN
        return self.door == OPEN or actor not in SIGNED_IN

    def expected(self, actor: str, method: str) -> tuple[int, int]:
        """Statuses of the plain and of the htmx request."""
        found = self.answer(method)
        if not self.lets_in(actor) and (self.asks_first or found is not None):
            return _both(self.away)
        if found is None:
            return NOT_ALLOWED
        if (self.door == OWN and actor not in OWNERS) or (self.door == REPORTED and actor != OWNER):
            return NOT_FOUND
        door = self.writers if method == "POST" and self.writers else self.door
        if door in ROLES and actor not in ROLES[door]:
            return FORBIDDEN
        return _both(found)

    def address(self, name: str, world: World, actor: str, attempt_id: UUID | None = None) -> str:
        args = self.args(world)
        if self.state:
            args = [attempt_id or world.work_for(actor).attempt(self.state).pk]
        if self.position is not None:
            args.append(self.position)
        return reverse(name, args=args) + self.query(world, actor)


def _both(status: Status) -> tuple[int, int]:
    return status if isinstance(status, tuple) else (status, status)


def _own(state: str, position: int | None = None, **fields: Any) -> Rule:
    return Rule(OWN, state=state, position=position, **fields)


def _save(world: World, actor: str) -> dict[str, Any]:
    return {"text": "One eighth of it.", "revision": 1, "spent": 3}


def mail_token(world: World) -> str:
    return unsubscribe_token(world.people[OWNER].pk)


def _compared(world: World, actor: str) -> str:
    work = world.work_for(actor)
    return f"?a={work.graded.pk}&b={work.older.pk}&question={work.ref}"


def _sample(world: World) -> list[Any]:
    return [world.sample.pk]


def _sample_marks(world: World, actor: str) -> dict[str, Any]:
    return {"grade_key": UUID(int=10), "mark-r1": 2, "mark-r2": 1, "mark-r3": 0}


def _track(world: World) -> list[Any]:
    return [world.start["track"]]


def _blueprint(world: World) -> list[Any]:
    return [Blueprint.objects.get(slug=world.start["blueprint"]).pk]


def _asked(world: World) -> list[Any]:
    return [world.question.pk]


def _written(world: World) -> list[Any]:
    return [world.written.question_id]


def _reviewed(world: World) -> list[Any]:
    return [world.reviewed.question_id]


# allauth's class views answer OPTIONS with their methods, and take PUT for POST without reading a form.
_SHOWN = {"OPTIONS": 200}
_FORM = {"OPTIONS": 200, "PUT": 200}
_EVERY = dict.fromkeys(METHODS[3:], 200)

RULES: dict[str, Rule] = {
    # Interviews: choosing and starting.
    "interviews:front": Rule(OPEN, get=200),
    "interviews:start": Rule(OPEN, get=200),
    "interviews:start-new": Rule(OPEN, post=302, data=lambda world, actor: world.start),
    "interviews:drill": Rule(
        OPEN,
        get=200,
        post=302,
        data=lambda world, actor: {"topic": world.question.topic_id, "start_key": UUID(int=9)},
    ),
    "interviews:custom": Rule(
        OPEN,
        get=200,
        post=302,
        data=lambda world, actor: {**world.start, "count": 1, "minutes": 10},
    ),
    "interviews:allowance": Rule(CANDIDATE, post=302, data=lambda *_: {"time_allowance": "1.50"}),
    # The room.
    "interviews:attempt": _own("running", get=302),
    "interviews:room": _own("running", 1, get=200),
    "interviews:save": _own("running", 1, post=200, away=401, data=_save),
    "interviews:go": _own("running", 1, post=(302, 200), data=lambda *_: {**_save(*_), "go": "next"}),
    "interviews:flag": _own("running", 1, post=(302, 200), data=lambda *_: {"flag": "1"}),
    "interviews:hint": _own("practice", 1, post=(302, 200)),
    "interviews:clock": _own("running", get=200),
    "interviews:finish": _own("running", get=200, post=302),
    "interviews:abandon": _own("running", post=302),
    # Grading: the first answer is open, the second empty, the third still to be judged.
    "interviews:grade": _own("grading", get=302),
    "interviews:grade-answer": _own("grading", 1, get=200),
    "interviews:confidence": _own(
        "grading", 3, post=(302, 200), data=lambda *_: {"confidence": Band.BORDERLINE}
    ),
    "interviews:mark": _own(
        "grading",
        1,
        post=(302, 200),
        data=lambda world, actor: {
            "point": world.work_for(actor).points[0],
            "value": MarkValue.MET,
            "quote": "One eighth.",
        },
    ),
    "interviews:reveal": _own("grading", 2, post=(302, 200)),
    "interviews:lesson": _own("grading", 1, post=(302, 200), data=lambda *_: {"fix_next": "Say it first."}),
    "interviews:grade-close": _own("graded", post=302),
    "interviews:regrade": _own("graded", post=302),
    # The past.
    "interviews:result": _own("graded", get=200),
    "interviews:review": _own("graded", get=200),
    "interviews:changes": _own("graded", 2, get=200),
    "interviews:retake": _own("graded", post=302, data=lambda *_: {"start_key": UUID(int=8)}),
    "interviews:attempt-delete": _own("graded", get=200, post=302),
    "interviews:history": Rule(CANDIDATE, get=200),
    # Making the file counts against a limit; asking for its headers would too.
    "interviews:history-export": Rule(CANDIDATE, get=200, takes_head=False, args=lambda world: ["csv"]),
    "interviews:compare": Rule(OWN, get=200, query=_compared),
    # Sample answers.
    "interviews:sample-list": Rule(CANDIDATE, get=200),
    "interviews:sample": Rule(CANDIDATE, get=200, args=_sample),
    "interviews:sample-grade": Rule(CANDIDATE, post=(302, 200), args=_sample, data=_sample_marks),
    # Weekly reports.
    "reports:progress": Rule(CANDIDATE, get=200),
    "reports:report-list": Rule(ACCOUNT, get=200),
    "reports:report-detail": Rule(REPORTED, get=200, args=lambda world: ["2026-W45"]),
    "reports:report-read": Rule(REPORTED, post=(302, 204), args=lambda world: ["2026-W45"]),
    "reports:report-copy": Rule(REPORTED, post=302, args=lambda world: ["2026-W45"]),
    "reports:report-preview-mail": Rule(OPERATOR, get=200),
    "reports:report-runs": Rule(OPERATOR, get=200),
    "reports:report-preview": Rule(OPERATOR, get=200),
    # Item statistics.
    "reports:item-statistics": Rule(DESK, get=200),
    "reports:question-statistics": Rule(DESK, get=200, args=lambda world: [world.question.pk]),
    # The token in the address is who asks: signed in or not, it is the owner's choice.
    "reports:unsubscribe": Rule(OPEN, get=200, post=200, args=lambda world: [mail_token(world)]),
    "reports:subscribe": Rule(OPEN, post=200, args=lambda world: [mail_token(world)]),
    # The bank.
    "bank:question-list": Rule(OPEN, get=200),
    "bank:question-detail": Rule(OPEN, get=200, args=lambda world: [world.question.slug]),
    "bank:question-answer": Rule(
        OPEN, post=200, args=lambda world: [world.question.slug], data=lambda *_: {"text": "One eighth."}
    ),
    # Packs.
    "packs:pack-list": Rule(OPEN, get=200),
    "packs:pack-detail": Rule(OPEN, get=200, args=lambda world: [world.pack.slug]),
    "packs:pack-start": Rule(
        OPEN, post=302, args=lambda world: [world.pack.slug], data=lambda world, actor: world.start
    ),
    # The admin.
    "admin:index": Rule(DESK, get=200, post=200),
    "admin:app_list": Rule(DESK, get=200, post=200, args=lambda world: ["bank"]),
    "admin:search": Rule(DESK, get=200, post=200),
    "admin:jsi18n": Rule(DESK, get=200, post=405),
    "admin:logout": Rule(DESK, get=302, post=302),
    "admin:password_change": Rule(DESK, get=302, post=302),
    "admin:bank_question_changelist": Rule(DESK, get=200, post=200),
    "admin:bank_curationevent_changelist": Rule(DESK, get=200, post=200),
    "admin:bank_track_changelist": Rule(DESK, get=200, post=200),
    "admin:bank_track_change": Rule(DESK, get=200, post=200, writers=PUBLISHERS, args=_track),
    "admin:bank_topic_changelist": Rule(DESK, get=200, post=200),
    "admin:bank_topic_change": Rule(
        DESK, get=200, post=200, writers=PUBLISHERS, args=lambda world: [world.question.topic_id]
    ),
    "admin:bank_pack_changelist": Rule(DESK, get=200, post=200),
    "admin:bank_pack_change": Rule(DESK, get=200, post=200, args=lambda world: [world.pack.pk]),
    "admin:bank_pack_add": Rule(PUBLISHERS, get=200, post=200),
    "admin:interviews_blueprint_changelist": Rule(DESK, get=200, post=200),
    "admin:interviews_blueprint_change": Rule(DESK, get=200, post=200, writers=PUBLISHERS, args=_blueprint),
    "admin:interviews_blueprint_add": Rule(PUBLISHERS, get=200, post=200),
    "admin:accounts_user_changelist": Rule(OPERATOR, get=200, post=200),
    "admin:accounts_user_change": Rule(
        OPERATOR, get=200, post=302, args=lambda world: [world.people[OWNER].pk]
    ),
    # The desk.
    "desk:home": Rule(DESK, get=200),
    "desk:question-new": Rule(DESK, get=200, post=302, data=lambda *_: {"title": "A new one"}),
    "desk:question-new-check": Rule(DESK, post=200, data=lambda *_: {"title": "A new one"}),
    "desk:question-detail": Rule(DESK, get=200, args=_asked),
    "desk:question-open": Rule(DESK, post=302, args=_asked),
    "desk:question-edit": Rule(
        DESK, get=200, post=302, args=_written, data=lambda *_: {"title": "Mended", "revision": 1}
    ),
    "desk:question-check": Rule(DESK, post=200, args=_written, data=lambda *_: {"revision": 1}),
    "desk:question-merge": Rule(
        DESK, post=302, args=_written, data=lambda *_: {"title": "Mine", "revision": 1, "seen": 1}
    ),
    "desk:question-alike": Rule(DESK, get=200, args=_written),
    "desk:question-try": Rule(DESK, get=200, post=200, args=_written, data=lambda *_: {"text": "A try."}),
    # The two drafts of this world are much alike.
    "desk:question-submit": Rule(
        DESK, get=200, post=302, args=_written, data=lambda *_: {"revision": 1, "reason": "Asked apart."}
    ),
    "desk:question-withdraw": Rule(DESK, post=302, args=_reviewed),
    "desk:question-review": Rule(DESK, get=200, args=_reviewed),
    "desk:question-publish": Rule(
        PUBLISHERS, post=302, args=_reviewed, data=lambda *_: {"revision": 1, "note": "New."}
    ),
    "desk:question-return": Rule(PUBLISHERS, post=302, args=_reviewed, data=lambda *_: {"note": "Cut it."}),
    "desk:question-discard": Rule(DESK, get=200, post=302, args=_written, data=lambda *_: {"revision": 1}),
    "desk:question-retire": Rule(PUBLISHERS, post=302, args=_asked, data=lambda *_: {"note": "Old."}),
    # It was not retired.
    "desk:question-restore": Rule(PUBLISHERS, post=409, args=_asked),
    "desk:question-checked": Rule(DESK, post=302, args=_asked),
    "desk:question-owner": Rule(
        DESK, post=302, args=_asked, data=lambda world, _: {"owner": world.people[CURATOR].pk}
    ),
    "desk:question-revision": Rule(DESK, get=200, args=lambda world: [*_written(world), 1]),
    "desk:question-version": Rule(DESK, get=200, args=lambda world: [*_asked(world), 1]),
    # Flags: raised and read by whoever was asked, answered at the desk.
    "flags:flag-list": Rule(CANDIDATE, get=200),
    "flags:flag-read": Rule(CANDIDATE, post=(302, 204), data=lambda world, actor: {"flag": world.flag.pk}),
    "flags:flag-raise": Rule(
        CANDIDATE,
        post=(302, 200),
        args=lambda world: [world.question.current_version_id],
        data=lambda *_: {"reason": "unclear", "text": "Which bus?", "place": "browser"},
    ),
    "flags:flag-queue": Rule(DESK, get=200),
    "flags:flag-question": Rule(DESK, get=200, args=lambda world: [world.question.pk]),
    "flags:flag-settle": Rule(
        DESK,
        post=(302, 200),
        args=lambda world: [world.question.pk, "wrong"],
        data=lambda world, _: {
            "seen": f"{world.flag.pk}:{len(world.flag.text)}",
            "answer": "It says 64 now.",
            "outcome": "mended",
        },
    ),
    # Imports and exports.
    "imports:import-list": Rule(DESK, get=200),
    # Without a file: the form again.
    "imports:import-new": Rule(DESK, get=200, post=422),
    "imports:import-detail": Rule(DESK, get=200, args=lambda world: [world.preview.pk]),
    "imports:import-confirm": Rule(DESK, post=302, args=lambda world: [world.preview.pk]),
    "imports:import-discard": Rule(DESK, post=302, args=lambda world: [world.preview.pk]),
    "imports:import-undo": Rule(DESK, post=302, args=lambda world: [world.imported.pk]),
    "exports:export-new": Rule(DESK, get=200),
    # Writing the file counts against a limit; asking for its headers would too.
    "exports:export-file": Rule(
        DESK, get=200, takes_head=False, query=lambda world, actor: "?format=json&status=published"
    ),
    # Our pages about a person.
    "accounts:preferences": Rule(
        CANDIDATE,
        get=200,
        post=302,
        data=lambda *_: {"level": "senior", "time_zone": "Europe/Berlin", "theme": "dark"},
    ),
    "accounts:about-you": Rule(
        ACCOUNT, get=200, post=302, data=lambda *_: {"level": "senior", "time_zone": "Europe/Berlin"}
    ),
    "accounts:theme": Rule(OPEN, post=302, data=lambda *_: {"theme": "dark", "next": "/history/"}),
    # allauth's, as they are.
    "account_login": Rule(
        VISITOR,
        get=200,
        post=302,
        more=_FORM,
        away=302,
        asks_first=True,
        data=lambda world, _: {"login": world.people[OWNER].email, "password": PASSWORD},
    ),
    "account_logout": Rule(ACCOUNT, get=200, post=302, away=302),
    "account_signup": Rule(
        VISITOR,
        get=200,
        post=302,
        more=_FORM,
        away=302,
        asks_first=True,
        data=lambda *_: {"email": "new@example.test", "password1": NEW_PASSWORD},
    ),
    # Nobody here waits for a code: visitors are sent to sign in, the signed-in to their address.
    "account_email_verification_sent": Rule(
        ACCOUNT, get=302, post=302, more=dict.fromkeys(METHODS[3:], 302), asks_first=True
    ),
    "account_inactive": Rule(OPEN, get=200, more=_SHOWN),
    "account_reauthenticate": Rule(
        ACCOUNT, get=200, post=302, more=_FORM, asks_first=True, data=lambda *_: {"password": PASSWORD}
    ),
    "account_email": Rule(
        ACCOUNT,
        get=200,
        # To the page that asks for the password again.
        post=302,
        more={"OPTIONS": 200, "PUT": 302},
        asks_first=True,
        data=lambda *_: {"action_add": "1", "email": "new@example.test"},
    ),
    "account_change_password": Rule(
        ACCOUNT,
        get=200,
        post=302,
        more=_FORM,
        asks_first=True,
        data=lambda *_: {"oldpassword": PASSWORD, "password1": NEW_PASSWORD},
    ),
    "account_reset_password": Rule(
        OPEN, get=200, post=302, more=_FORM, data=lambda world, _: {"email": world.people[OWNER].email}
    ),
    "account_reset_password_done": Rule(OPEN, get=200, more=_SHOWN),
    # A key that is not one: the page that says so, whatever the method.
    "account_reset_password_from_key": Rule(
        OPEN,
        get=200,
        post=200,
        more=_EVERY,
        args=lambda world: ["abc", "k-1"],
        data=lambda *_: {"password1": NEW_PASSWORD},
    ),
    "account_reset_password_from_key_done": Rule(OPEN, get=200, more=_SHOWN),
    # PUT ends the other sessions like POST; it needs the token like POST.
    "usersessions_list": Rule(ACCOUNT, get=200, post=302, more={"OPTIONS": 200, "PUT": 302}, asks_first=True),
}


def routes() -> Iterator[tuple[str, str]]:
    """(name with namespaces, pattern) of everything the root addresses lead to."""
    yield from _walk(get_resolver(), "", "")


def _walk(resolver: URLResolver, prefix: str, space: str) -> Iterator[tuple[str, str]]:
    for entry in resolver.url_patterns:
        pattern = f"{prefix}{entry.pattern}"
        if isinstance(entry, URLPattern):
            yield f"{space}{entry.name or ''}", pattern
        else:
            inner = f"{space}{entry.namespace}:" if entry.namespace else space
            yield from _walk(entry, pattern, inner)
