import pytest
from django.test import Client
from django.urls import reverse

from tests.accounts.steps import person_of, sign_in
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db


def test_sign_out_ends_the_session_and_clears_the_browser(client):
    sign_in(client, UserFactory().email)
    key = client.session.session_key
    reply = client.post(reverse("account_logout"))
    assert reply.url == "/"
    assert reply.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert reply.headers["Cache-Control"] == "no-store, private"
    again = Client()
    again.cookies["sessionid"] = key
    assert again.get("/account/").url == "/account/sign-in/?next=/account/"


def test_sign_out_by_link_only_asks(client):
    user = UserFactory()
    sign_in(client, user.email)
    reply = client.get(reverse("account_logout"))
    assert reply.templates[0].name == "account/logout.html"
    assert reply.headers.get("Clear-Site-Data") is None
    assert person_of(client) == user


def test_sign_out_needs_a_token():
    user = UserFactory()
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    assert client.post(reverse("account_logout")).status_code == 403
    assert person_of(client) == user


def test_pages_of_a_session_are_not_stored(client):
    sign_in(client, UserFactory().email)
    for name in ("accounts:preferences", "account_email", "account_change_password", "usersessions_list"):
        assert client.get(reverse(name)).headers["Cache-Control"] == "no-store, private"
