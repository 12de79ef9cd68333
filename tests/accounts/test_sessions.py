"""Which keys a session can have."""

import pytest
from django.test import Client

from prepapp.accounts.sessions import SessionStore

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", ["abcdefghij\x00", "abcdefghij é", "../../sessions", "short", ""])
def test_a_key_that_was_not_made_here_is_none(key: str) -> None:
    store = SessionStore(key)
    assert (store.session_key, dict(store.items())) == (None, {})


def test_a_key_that_was_made_here_finds_its_session() -> None:
    store = SessionStore()
    store["guest"] = "ada"
    store.save()
    assert dict(SessionStore(store.session_key).items()) == {"guest": "ada"}


def test_a_cookie_with_an_escaped_nul_is_no_session(client: Client) -> None:
    """A cookie may be quoted, and PostgreSQL takes no NUL."""
    assert client.get("/", headers={"Cookie": r'sessionid="abcdefghij\000"'}).status_code == 200
