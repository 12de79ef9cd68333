"""ATH-05, S30: wherever an address to go to is taken from a request, the way leads to this site."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, quote, urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from tests.accounts.steps import NEW_PASSWORD, be_guest, code_in, confirm, sign_in, sign_up
from tests.factories.accounts import PASSWORD, UserFactory
from tests.factories.interviews import STARTED_AT, AttemptFactory

pytestmark = pytest.mark.django_db

SITE = "http://testserver"
ELSEWHERE = (
    "//evil.test",
    "///evil.test",
    "////evil.test/x",
    "https:evil.test",
    "https:/evil.test",
    "https:///evil.test",
    "https://evil.test",
    "HTTPS://EVIL.TEST/",
    "/\\evil.test",
    "\\\\evil.test",
    "/\\/evil.test",
    "https://host@evil.test",
    f"{SITE}@evil.test/",
    f"{SITE}.evil.test/",
    f"{SITE}:80@evil.test",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "%2f%2fevil.test",
    "/%09/evil.test",
    "/\t/evil.test",
    " //evil.test",
    "\n//evil.test",
    "\x00//evil.test",
    "//evil.test\r\nSet-Cookie: a=b",
    "https://ｅvil.test",
    "//[2001:db8::1]/",
    "ftp://evil.test",
)
OURS = ("/history/?page=2", "/history/", f"{SITE}/history/?page=2", "/questions/?q=a%26b&level=senior")


@pytest.fixture
def user() -> User:
    return UserFactory(last_login=STARTED_AT)


@pytest.fixture
def signed_in(client: Client, user: User) -> Client:
    sign_in(client, user.email)
    return client


def destinations(reply: Any) -> Iterator[str]:
    """Every header that moves a browser, as the address it arrives at."""
    for name in ("Location", "HX-Redirect", "HX-Location", "HX-Push-Url", "HX-Replace-Url", "X-Sign-In"):
        if value := reply.headers.get(name):
            yield as_browsers_do(value)
    assert "Refresh" not in reply.headers


def as_browsers_do(address: str) -> str:
    """Browsers take backslashes for slashes and leave blanks, tabs and line ends out."""
    cleaned = address.strip().replace("\\", "/")
    for blank in "\t\r\n\x00":
        cleaned = cleaned.replace(blank, "")
    return urljoin(f"{SITE}/somewhere/", cleaned)


def stays(reply: Any) -> bool:
    found = list(destinations(reply))
    own = ("http", "testserver")
    return all((urlsplit(address).scheme, urlsplit(address).netloc) == own for address in found)


def asked(name: str, target: str) -> str:
    return f"{reverse(name)}?next={quote(target, safe='')}"


@pytest.mark.parametrize("target", ELSEWHERE)
def test_no_form_leads_to_another_site(target: str, user: User) -> None:
    """The field and the query of every form that takes `next`, signed in and out."""
    visitor, person = Client(), Client()
    replies = {
        "sign in": sign_in(visitor, user.email, next=target),
        "sign in when signed in": visitor.get(asked("account_login", target)),
        "sign up when signed in": visitor.get(asked("account_signup", target)),
        "theme": visitor.post(reverse("accounts:theme"), {"theme": "dark", "next": target}),
        "preferences": visitor.post(
            asked("accounts:preferences", target),
            {"level": "senior", "time_zone": "UTC", "theme": "dark", "next": target},
        ),
        "about you": visitor.post(
            asked("accounts:about-you", target), {"level": "senior", "time_zone": "UTC", "next": target}
        ),
        "password again": visitor.post(
            reverse("account_reauthenticate"), {"password": PASSWORD, "next": target}
        ),
        "password": visitor.post(
            asked("account_change_password", target),
            {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "next": target},
        ),
        "e-mail": visitor.post(
            asked("account_email", target),
            {"action_add": "1", "email": "new@example.test", "next": target},
        ),
        "sessions": visitor.post(asked("usersessions_list", target), {"next": target}),
        "allowance": visitor.post(
            asked("interviews:allowance", target), {"time_allowance": "1.00", "next": target}
        ),
        "sign out": visitor.post(reverse("account_logout"), {"next": target}),
        "sign out when signed out": visitor.get(asked("account_logout", target)),
        "reset": person.post(asked("account_reset_password", target), {"email": user.email, "next": target}),
        "sign up": sign_up(person, "another@example.test", next=target),
    }
    # A character that no address has is refused before it is looked at.
    expected = dict.fromkeys(replies, 302) | ({"theme": 422} if "\x00" in target else {})
    assert {name: reply.status_code for name, reply in replies.items()} == expected
    assert {name: stays(reply) for name, reply in replies.items()} == dict.fromkeys(replies, True)


@pytest.mark.parametrize("target", ELSEWHERE)
def test_no_way_through_the_code_leads_to_another_site(target: str, mailoutbox: list[Any]) -> None:
    """Asked for at sign-up, followed after the code from the mail."""
    client = Client()
    client.post(asked("account_signup", target), {"email": "new@example.test", "password1": NEW_PASSWORD})
    reply = confirm(client, code_in(mailoutbox[0]))
    assert (reply.status_code, stays(reply)) == (302, True)


@pytest.mark.parametrize("target", ELSEWHERE)
def test_pages_offer_no_way_to_another_site(target: str, user: User) -> None:
    """What a form carries along is where it would lead."""
    client = Client()
    for name in ("account_login", "account_signup", "account_reset_password"):
        page = client.get(asked(name, target)).text
        # The words may stand in a hidden field; nothing links or posts there.
        for attribute in ("href", "action", "formaction", "hx-post", "hx-get", "src"):
            assert f'{attribute}="{target}' not in page
    assert "evil.test" not in client.get("/").text


@pytest.mark.parametrize("target", [value for value in ELSEWHERE if "\n" not in value and "\r" not in value])
def test_htmx_is_led_back_to_this_site(target: str) -> None:
    """The page an htmx request came from is a header that anybody may write."""
    headers = {"HX-Request": "true", "HX-Current-URL": quote(target, safe=":/@%\\?#[]")}
    reply = Client().get(reverse("interviews:history"), headers=headers)
    assert (reply.status_code, stays(reply)) == (401, True)
    way = reply.headers["X-Sign-In"]
    user = UserFactory(last_login=STARTED_AT)
    (back,) = parse_qs(urlsplit(way).query)["next"]
    assert stays(sign_in(Client(), user.email, next=back))


@pytest.mark.parametrize("target", OURS)
def test_a_page_of_ours_is_come_back_to(target: str, user: User) -> None:
    assert sign_in(Client(), user.email, next=target)["Location"] == target
    client = Client()
    assert client.post(reverse("accounts:theme"), {"theme": "dark", "next": target})["Location"] == target
    again = client.post(asked("account_login", target), {"login": user.email, "password": PASSWORD})
    assert again["Location"] == target


def test_a_page_that_asks_to_sign_in_is_come_back_to_with_its_query(user: User) -> None:
    client = Client()
    away = client.get("/history/?page=2&sort=score")
    assert away["Location"] == "/account/sign-in/?next=/history/%3Fpage%3D2%26sort%3Dscore"
    reply = client.post(away["Location"], {"login": user.email, "password": PASSWORD})
    assert reply["Location"] == "/history/?page=2&sort=score"


def test_a_guest_comes_back_to_the_attempt_that_asked(user: User) -> None:
    """The attempt is theirs by then: signing in claimed it."""
    client = Client()
    guest = be_guest(client)
    room = reverse("interviews:room", args=[AttemptFactory(user=guest).pk, 1])
    reply = client.post(asked("account_login", room), {"login": user.email, "password": PASSWORD})
    assert reply["Location"] == room


@pytest.mark.parametrize(
    "address",
    [
        "//evil.test",
        "//evil.test/",
        "//evil.test/history",
        "/\\evil.test/history",
        "///history",
        "/%2f%2fevil.test",
    ],
)
def test_an_address_of_its_own_accord_leads_nowhere_else(address: str, signed_in: Client) -> None:
    """Adding the last slash must not turn a path into a host."""
    for client in (signed_in, Client()):
        for method in (client.get, client.head):
            reply = method("/", PATH_INFO=address)
            assert stays(reply), reply.headers
            assert reply.status_code in {301, 404}


def test_the_names_of_steps_are_the_only_ones(user: User) -> None:
    """`go` of the room and of grading names a step, not an address."""
    client = Client()
    client.force_login(user)
    attempt = AttemptFactory(user=user)
    for target in ELSEWHERE:
        reply = client.post(
            reverse("interviews:go", args=[attempt.pk, 1]), {"text": "x", "revision": 1, "go": target}
        )
        assert stays(reply)
        assert reply.status_code in {404, 409, 422, 302}
