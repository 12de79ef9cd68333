"""What people do on the pages of accounts, for tests that start after it."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse

from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.accounts.models import User
from tests.factories.accounts import PASSWORD, GuestFactory

NEW_PASSWORD = "seven quiet lighthouses"


def be_guest(client: Client, **fields: Any) -> User:
    """The client's session belongs to a guest from now on."""
    guest: User = GuestFactory(**fields)
    session = client.session
    session[GUEST_SESSION_KEY] = str(guest.pk)
    session.save()
    client.cookies["sessionid"] = session.session_key
    return guest


def sign_in(client: Client, email: str, password: str = PASSWORD, **more: str) -> Any:
    return client.post(reverse("account_login"), {"login": email, "password": password, **more})


def sign_up(client: Client, email: str, password: str = PASSWORD, **more: str) -> Any:
    return client.post(reverse("account_signup"), {"email": email, "password1": password, **more})


def confirm(client: Client, code: str) -> Any:
    return client.post(reverse("account_email_verification_sent"), {"code": code})


def code_in(message: Any) -> str:
    found = re.search(r"^    ([A-Z]{4}-[A-Z]{4})$", message.body, re.MULTILINE)
    assert found, message.body
    return found[1]


def link_in(message: Any) -> str:
    """The path of the only address in a mail."""
    found = re.findall(r"^http://testserver(/\S+)$", message.body, re.MULTILINE)
    assert len(found) == 1, message.body
    return str(found[0])


def person_of(client: Client) -> User | None:
    """Who the site takes this client for."""
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key) if key else None


def visible(reply: Any) -> str:
    """The page without what differs on every request."""
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", reply.content.decode())
