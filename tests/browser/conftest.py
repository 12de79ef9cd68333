"""What the browser tests share: a page that fails on any complaint of the console, and a signed-in
candidate in an interview. Waiting is always for something to be seen, never for a time."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page

from prepapp.accounts.models import User
from prepapp.interviews.models import Attempt
from tests.factories.interviews import AttemptFactory, CandidateFactory

# A refused or failed request is reported by the browser itself; the page's own state is what is tested.
NETWORK_TALK = re.compile(
    r"^(Failed to load resource|htmx:(afterRequest|sendError|timeout|responseError)|Response Status Error Code 429)"
)


class Complaints(list[str]):
    """What the console said. `network_may_fail` is set by tests that break the network on purpose."""

    network_may_fail = False

    def hear(self, text: str) -> None:
        if not (self.network_may_fail and NETWORK_TALK.match(text)):
            self.append(text)


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def watched(complaints: Complaints) -> Callable[[Page], Page]:
    """Makes a page report console errors (content policy violations among them) and script errors."""

    def watch(page: Page) -> Page:
        page.on("console", lambda m: complaints.hear(m.text) if m.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.set_default_timeout(15_000)
        return page

    return watch


@pytest.fixture
def page(page: Page, watched: Callable[[Page], Page], complaints: Complaints) -> Iterator[Page]:
    yield watched(page)
    assert complaints == []


@pytest.fixture
def sign_in(context: BrowserContext, live_server: Any) -> Callable[[User], None]:
    """Signs a person in by a session made on the server."""

    def sign(user: User, into: BrowserContext = context) -> None:
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        into.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session.session_key, "url": live_server.url}]
        )

    return sign


@pytest.fixture
def candidate(transactional_db: None) -> User:
    return CandidateFactory()


@pytest.fixture
def begin(
    candidate: User, sign_in: Callable[[User], None], page: Page, live_server: Any
) -> Callable[..., Attempt]:
    """Opens the room of a running interview of two questions, `seconds` before its deadline."""

    def start(seconds: int = 600, **fields: Any) -> Attempt:
        now = timezone.now()
        values: dict[str, Any] = {
            "user": candidate,
            "responses": 2,
            "responses__texts": ["", ""],
            "started_at": now - timedelta(seconds=60),
            "deadline_at": now + timedelta(seconds=seconds),
        }
        attempt = AttemptFactory(**(values | fields))
        sign_in(candidate)
        page.goto(f"{live_server.url}/attempts/{attempt.pk}/q/1/")
        return attempt

    return start
