import pytest
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from tests.accounts.steps import be_guest
from tests.factories.accounts import UserFactory

pytestmark = pytest.mark.django_db

ADDRESS = "/account/theme"
PAGE = "/account/sign-up/"


def shown(client, page=PAGE):
    head = client.get(page).content.decode().partition("<head>")[0]
    return head.partition('data-theme="')[2].partition('"')[0]


def test_a_visitor_chooses_by_cookie(client):
    reply = client.post(ADDRESS, {"theme": "dark", "next": "/account/sign-up/?next=/"})
    assert reply.url == "/account/sign-up/?next=/"
    assert (reply.cookies["theme"].value, reply.cookies["theme"]["samesite"]) == ("dark", "Lax")
    assert shown(client) == "dark"
    assert User.objects.count() == 0


def test_the_choice_follows_the_person_to_another_device(client):
    user = UserFactory()
    client.force_login(user)
    client.post(ADDRESS, {"theme": "dark"})
    assert User.objects.get().theme == "dark"
    other = Client()
    other.force_login(user)
    assert shown(other, "/account/") == "dark"


@pytest.mark.parametrize(
    ("cookie", "row", "theme"),
    [
        ("light", "dark", "light"),
        ("system", "dark", ""),
        ("", "dark", "dark"),
        ("pink", "dark", "dark"),
        ("", "system", ""),
    ],
)
def test_the_device_comes_before_the_person(client, cookie, row, theme):
    client.force_login(UserFactory(theme=row))
    client.cookies["theme"] = cookie
    assert shown(client, "/account/") == theme


def test_a_guests_choice_is_stored(client):
    guest = be_guest(client)
    client.post(ADDRESS, {"theme": "light"})
    assert User.objects.get(pk=guest.pk).theme == "light"


def test_a_bad_value_is_refused(client):
    reply = client.post(ADDRESS, {"theme": "pink"})
    assert (reply.status_code, list(reply.cookies)) == (422, [])


def test_only_post(client):
    assert client.get(reverse("accounts:theme")).status_code == 405
