"""S40: nothing changes without a token of the same browser, and nothing that only changes state is a link."""

from typing import Any

import pytest
from django.conf import settings
from django.middleware.csrf import _get_new_csrf_string, _mask_cipher_secret

from tests.architecture.expectations import RULES, Rule
from tests.architecture.world import ANONYMOUS, OWNER, Browser, World, body_of, snapshot, taken_back

pytestmark = pytest.mark.django_db

# POST by forms; PUT, PATCH and DELETE by whatever else may send them.
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
POSTED = [name for name, rule in RULES.items() if rule.post is not None]
# A mail program posts here without any cookie (RFC 8058); the token in the address is what nobody else has.
BY_THE_MAIL = {"reports:unsubscribe"}
HOST, STRANGER = "http://testserver", "https://evil.test"


def actor_of(rule: Rule) -> str:
    """Somebody who may do it, so that the token alone decides."""
    return OWNER if rule.lets_in(OWNER) else ANONYMOUS


def test_there_is_something_to_forge() -> None:
    assert len(POSTED) > 25


@pytest.mark.parametrize("name", [name for name in POSTED if name not in BY_THE_MAIL])
def test_without_a_token_of_ones_own_nothing_happens(name: str, world: World) -> None:
    rule, browser = RULES[name], Browser(enforce_csrf_checks=True)
    actor = actor_of(rule)
    path, data = rule.address(name, world, actor), rule.data(world, actor)
    secret, other = _get_new_csrf_string(), _get_new_csrf_string()
    plain = world.cookies[actor]
    cookies = {**plain, settings.CSRF_COOKIE_NAME: secret}
    token = _mask_cipher_secret(secret)
    forged: dict[str, tuple[dict[str, str], dict[str, Any], dict[str, str]]] = {
        "no cookie, no token": (plain, {}, {}),
        "a token without its cookie": (plain, {"csrfmiddlewaretoken": token}, {}),
        "no token": (cookies, {}, {}),
        "an empty token": (cookies, {"csrfmiddlewaretoken": ""}, {}),
        "a token that is none": (cookies, {"csrfmiddlewaretoken": "x" * 64}, {}),
        "a foreign token": (cookies, {"csrfmiddlewaretoken": _mask_cipher_secret(other)}, {}),
        "a foreign token in the header": (cookies, {}, {"X-CSRFToken": _mask_cipher_secret(other)}),
        "a foreign page with a stolen token": (cookies, {}, {"X-CSRFToken": token, "Origin": STRANGER}),
        "a sandboxed page": (cookies, {}, {"X-CSRFToken": token, "Origin": "null"}),
    }
    before, found = snapshot(), {}
    with taken_back():
        for case, (jar, extra, headers) in forged.items():
            for method in CHANGING:
                for htmx in (False, True):
                    reply = browser.send(jar, method, path, data | extra, htmx=htmx, headers=headers)
                    found[f"{method} with {case}, htmx {htmx}"] = reply.status_code
        assert snapshot() == before
    assert found == dict.fromkeys(found, 403)


@pytest.mark.parametrize("name", POSTED)
def test_with_the_token_it_is_done(name: str, world: World) -> None:
    """The control: by field as a form sends it, by header as a script does."""
    rule, browser = RULES[name], Browser(enforce_csrf_checks=True)
    actor = actor_of(rule)
    path, data = rule.address(name, world, actor), rule.data(world, actor)
    secret = _get_new_csrf_string()
    cookies = {**world.cookies[actor], settings.CSRF_COOKIE_NAME: secret}
    token = _mask_cipher_secret(secret)
    found = []
    for extra, headers in (
        ({"csrfmiddlewaretoken": token}, {}),
        ({}, {"X-CSRFToken": token, "Origin": HOST}),
    ):
        with taken_back():
            found.append(browser.send(cookies, "POST", path, data | extra, headers=headers).status_code)
    assert found == [rule.expected(actor, "POST")[0]] * 2


@pytest.mark.parametrize("name", [name for name in POSTED if RULES[name].get is None])
def test_what_only_changes_state_is_not_a_link(name: str, world: World) -> None:
    rule, browser = RULES[name], Browser()
    actor = actor_of(rule)
    path = rule.address(name, world, actor)
    before, found = snapshot(), {}
    with taken_back():
        for method in ("GET", "HEAD"):
            for htmx in (False, True):
                reply = browser.send(world.cookies[actor], method, f"{path}?flag=1&theme=dark", htmx=htmx)
                found[method, htmx] = (reply.status_code, reply.headers["Allow"])
        assert snapshot() == before
    assert found == dict.fromkeys(found, (405, "POST"))


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.get is not None])
def test_reading_changes_nothing(name: str, world: World) -> None:
    """A link of somebody else's page leads here without a token: it may show, and no more."""
    rule, browser = RULES[name], Browser()
    actor = actor_of(rule)
    before = snapshot()
    with taken_back():
        for htmx in (False, True):
            body_of(browser.send(world.cookies[actor], "GET", rule.address(name, world, actor), htmx=htmx))
        assert snapshot() == before
