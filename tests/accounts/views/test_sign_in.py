from datetime import timedelta
from urllib.parse import quote

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.interviews.models import Attempt
from tests.accounts.steps import NEW_PASSWORD, be_guest, link_in, person_of, sign_in
from tests.factories.accounts import UserFactory
from tests.factories.interviews import STARTED_AT, AttemptFactory

pytestmark = pytest.mark.django_db

ELSEWHERE = [
    "//evil.test",
    "https:evil.test",
    "/\\evil.test",
    "https://host@evil.test",
    "javascript:alert(1)",
    "/\t/evil.test",
    "http://testserver@evil.test/",
]
# These name pages of this site, odd ones: a browser does not take the escapes for slashes.
ODD_BUT_OURS = ["%2f%2fevil.test", "/%09/evil.test"]


def test_sign_in_and_come_back(client):
    user = UserFactory(last_login="2026-11-01T10:00Z")
    assert sign_in(client, user.email).url == "/"
    assert person_of(client) == user


def test_sign_in_gives_a_new_session(client):
    be_guest(client)
    before = client.session.session_key
    sign_in(client, UserFactory().email)
    assert client.session.session_key != before
    stale = Client()
    stale.cookies["sessionid"] = before
    assert person_of(stale) is None


def test_wrong_password_says_so_and_keeps_the_address(client):
    user = UserFactory()
    page = sign_in(client, user.email, "a wrong password").content.decode()
    assert page.count("This address and password do not belong together. Check both.") == 1
    assert page.count(f'value="{user.email}"') == 1
    assert page.count("autofocus") == 1
    assert page.count('tabindex="-1" autofocus') == 1


@pytest.mark.parametrize("target", ELSEWHERE)
def test_next_never_leads_to_another_site(client, target):
    """ATH-05"""
    user = UserFactory(last_login="2026-11-01T10:00Z")
    asked = f"?next={quote(target, safe='')}"
    assert sign_in(Client(), user.email, next=target).url == "/"
    client.force_login(user)
    assert client.get(reverse("account_login") + asked).url == "/"
    assert client.get(reverse("account_signup") + asked).url == "/"
    change = {"oldpassword": "correct horse battery", "password1": NEW_PASSWORD, "next": target}
    assert client.post(reverse("account_change_password"), change).url == reverse("accounts:preferences")
    assert client.post(reverse("accounts:theme"), {"theme": "dark", "next": target}).url == "/"
    assert client.post(reverse("account_logout"), {"next": target}).url == "/"


@pytest.mark.parametrize("target", [*ODD_BUT_OURS, "/history/?page=2", "http://testserver/history/?page=2"])
def test_next_leads_to_pages_of_this_site(client, target):
    assert sign_in(client, UserFactory().email, next=target).url == target


def test_a_guests_work_comes_along_once(client):
    user, guest = UserFactory(last_login="2026-11-01T10:00Z"), be_guest(client)
    attempt = AttemptFactory(user=guest)
    reply = sign_in(client, user.email)
    assert reply.cookies["claimed"].value == f"{guest.pk}.{user.pk}"
    assert not reply.cookies["claimed"]["httponly"]
    assert Attempt.objects.get().user == user
    assert client.session.get("guest") is None
    page = client.get("/account/")
    assert [str(message) for message in page.context["messages"]] == [
        "What you did before you signed in is in your account now."
    ]
    client.post(reverse("account_logout"))
    assert sign_in(client, user.email).cookies.get("claimed") is None
    assert Attempt.objects.get().pk == attempt.pk


@time_machine.travel(STARTED_AT + timedelta(minutes=1), tick=False)
def test_sign_in_from_another_tab_while_the_interview_is_open(client):
    """Both tabs share the session: the open page goes on under the account."""
    user, guest = UserFactory(), be_guest(client)
    attempt = AttemptFactory(user=guest)
    address = reverse("interviews:room", args=[attempt.pk, 1])
    assert client.get(address).status_code == 200
    sign_in(client, user.email)
    save = reverse("interviews:save", args=[attempt.pk, 1])
    reply = client.post(save, {"text": "typed in the first tab", "revision": "1", "spent": "3"})
    assert reply.status_code == 200
    saved = attempt.responses.get(position=1)
    assert (saved.text, saved.user) == ("typed in the first tab", user)


def test_a_closed_account_is_out_at_the_next_request(client):
    user = UserFactory()
    sign_in(client, user.email)
    assert client.get("/account/").status_code == 200
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert client.get("/account/").url == "/account/sign-in/?next=/account/"
    assert sign_in(client, user.email).url == reverse("account_inactive")
    assert client.get(reverse("account_inactive")).context["candidate"] is None


def test_a_class_room_signs_in_while_one_account_is_attacked(mailoutbox):
    """ATH-09: all from one network address."""
    victim, others = UserFactory(), [UserFactory() for _ in range(40)]
    guesses = []
    for n, user in enumerate(others):
        if n % 2:
            guesses.append(sign_in(Client(), victim.email, f"guess number {n}"))
        client = Client()
        sign_in(client, user.email)
        assert person_of(client) == user
    slowed = (
        "Too many wrong tries. Wait five minutes and sign in again, or reset your password to get in now."
    )
    wrong = "This address and password do not belong together. Check both."
    assert [guess.context["form"].non_field_errors() for guess in guesses] == [[wrong]] * 5 + [[slowed]] * 15
    owner = Client()
    assert sign_in(owner, victim.email).context["form"].non_field_errors() == [slowed]
    owner.post(reverse("account_reset_password"), {"email": victim.email})
    form = owner.get(link_in(mailoutbox[-1]), follow=True)
    owner.post(form.context["action_url"], {"password1": NEW_PASSWORD})
    sign_in(owner, victim.email, NEW_PASSWORD)
    assert person_of(owner) == victim


def test_too_many_requests_say_when_to_come_back(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login": "1/m/ip"}
    user = UserFactory()
    sign_in(client, user.email, "a wrong password")
    reply = sign_in(client, user.email)
    assert (reply.status_code, reply.headers["Retry-After"]) == (429, "60")
    assert reply.templates[0].name == "accounts/too_many_requests.html"


def test_a_forged_forwarding_header_does_not_change_the_limit(client, settings):
    """S48"""
    settings.ACCOUNT_RATE_LIMITS = {"login": "1/m/ip"}
    user = UserFactory()
    replies = [
        client.post(
            reverse("account_login"), {"login": user.email, "password": "x"}, HTTP_X_FORWARDED_FOR=address
        )
        for address in ("203.0.113.1", "203.0.113.2")
    ]
    assert [reply.status_code for reply in replies] == [200, 429]


def test_the_limits_are_counted_in_the_database(settings):
    assert settings.CACHES["default"]["BACKEND"] == "django.core.cache.backends.db.DatabaseCache"
    assert settings.ACCOUNT_RATE_LIMITS["guest"] == "600/h/ip"
