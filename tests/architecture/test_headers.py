"""P20, P24, S10, S41-S44, S46, S52: what every reply says to the browser, and how production is set."""

import json
import os
import re
import secrets
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings as project
from django.db import OperationalError, connection
from django.test import RequestFactory
from django.urls import path

from prepapp import urls
from prepapp.common import errors
from tests.architecture.expectations import RULES
from tests.architecture.world import ACTORS, ANONYMOUS, GUEST, OWNER, Browser, World, body_of, taken_back

ROOT = Path(__file__).resolve().parents[2]
# Fonts, objects, manifests, frames and workers are what is not named: none. It stands in every reply, so it
# names nothing twice.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
PRIVATE = "no-store, private"
# Would name what the site is made of, or open it to other sites.
NEVER = (
    *("Server", "X-Powered-By", "X-Frame-Options-Debug", "Access-Control-Allow-Origin"),
    *("Access-Control-Allow-Credentials", "Content-Security-Policy-Report-Only", "Timing-Allow-Origin"),
)
LOADED = re.compile(r"""(?:src|srcset|action|formaction|data|poster|hx-\w+)\s*=\s*["'](?:https?:)?//""")
LINKED = re.compile(r"<link\b[^>]*>")


def policy(text: str) -> dict[str, str]:
    return dict(part.strip().split(" ", 1) for part in text.split(";"))


def check(reply: Any, case: str) -> None:
    found = {name: reply.headers.get(name) for name in EVERYWHERE}
    assert found == EVERYWHERE, case
    assert policy(reply.headers["Content-Security-Policy"]) == policy(POLICY), case
    assert [name for name in NEVER if name in reply.headers] == [], case


def varies_on(reply: Any) -> set[str]:
    return {name.strip() for name in reply.headers.get("Vary", "").split(",")}


# --- every reply ----------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("actor", [ANONYMOUS, GUEST, OWNER])
def test_every_route_sends_the_headers(actor: str, world: World) -> None:
    browser = Browser()
    for name, rule in RULES.items():
        address, data = rule.address(name, world, actor), rule.data(world, actor)
        for method in ("GET", "POST", "TRACE"):
            for htmx in (False, True):
                with taken_back():
                    reply = browser.send(world.cookies[actor], method, address, data, htmx=htmx)
                    body = body_of(reply)
                case = f"{method} {name} as {actor}, htmx {htmx}: {reply.status_code}"
                check(reply, case)
                assert "HX-Request" in varies_on(reply), case
                if actor != ANONYMOUS or project.CSRF_COOKIE_NAME in reply.cookies:
                    assert reply.headers["Cache-Control"] == PRIVATE, case
                    assert "Cookie" in varies_on(reply), case
                if "html" in reply.headers.get("Content-Type", ""):
                    assert LOADED.findall(body.decode()) == [], case
                assert method != "TRACE" or b"TRACE" not in body, case


@pytest.mark.django_db
def test_refusals_and_errors_send_the_headers(world: World) -> None:
    """403, 404, 405, 400, 429 and a redirect of Django's own."""
    browser, strict = Browser(), Browser(enforce_csrf_checks=True)
    cookies = world.cookies[OWNER]
    foreign = RULES["interviews:room"].address("interviews:room", world, GUEST)
    cases = {
        "403": strict.send(cookies, "POST", "/start/new", world.start),
        "404 of an address": browser.send(cookies, "GET", "/no/such/address"),
        "404 of a row": browser.send(cookies, "GET", foreign),
        "405": browser.send(cookies, "DELETE", "/start/"),
        "400": browser.send(cookies, "GET", "/questions/?cursor=x"),
        "400 of a host": browser.generic("GET", "/", headers={"Host": "evil.test"}),
        "301": browser.send(cookies, "GET", "/history"),
    }
    assert {case: reply.status_code for case, reply in cases.items()} == {
        case: int(case[:3]) for case in cases
    }
    for case, reply in cases.items():
        check(reply, case)
        if case != "400 of a host":
            assert reply.headers["Cache-Control"] == PRIVATE, case


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/start/", "/start/custom/", "/account/sign-in/"])
def test_a_page_with_a_form_is_kept_for_nobody_else(address: str, world: World) -> None:
    """A visitor's too: its token and its start key belong to one browser, and each reply has its own."""
    replies = [Browser().send({}, "GET", address) for _ in range(2)]
    assert [reply.headers["Cache-Control"] for reply in replies] == [PRIVATE, PRIVATE]
    hidden = re.compile(r'name="(?:csrfmiddlewaretoken|start_key)" value="([^"]+)"')
    first, second = ({*hidden.findall(body_of(reply).decode())} for reply in replies)
    assert first
    assert first & second == set()


@pytest.mark.django_db
def test_a_visitor_who_gets_a_session_gets_no_page_to_keep(world: World) -> None:
    """The reply that makes a guest is private although the request had no session."""
    with taken_back():
        reply = Browser().send({}, "POST", "/start/new", world.start)
    assert (reply.status_code, reply.headers["Cache-Control"]) == (302, PRIVATE)
    assert project.SESSION_COOKIE_NAME in reply.cookies


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/healthz/live", "/healthz/ready"])
def test_health_says_that_much_and_no_more(address: str) -> None:
    reply = Browser().send({}, "GET", address)
    check(reply, address)
    assert (reply.status_code, json.loads(body_of(reply))) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    "address",
    ["/static/css/app.css", "/static/js/base.js", "/static/img/icon.svg", "/static/no-such-file.js"],
)
def test_static_files_send_the_headers(address: str) -> None:
    """An icon opened by itself is a document as well."""
    reply = Browser().send({}, "GET", address)
    body_of(reply)
    check(reply, address)
    assert reply.cookies == {}
    assert reply.status_code == (404 if "no-such" in address else 200)


# --- what breaks ----------------------------------------------------------------------------------


def broken(request: Any) -> None:
    raise RuntimeError("a secret of the inside")


class Broken:
    """The site, and a page that breaks."""

    handler400, handler403, handler404 = urls.handler400, urls.handler403, urls.handler404
    handler500 = urls.handler500
    urlpatterns = [path("broken/", broken), *urls.urlpatterns]


@pytest.fixture
def broken_site(settings: Any) -> None:
    settings.ROOT_URLCONF = Broken


def gone(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    raise OperationalError("the database is away")


@pytest.mark.django_db
def test_a_page_that_breaks_says_little(broken_site: None) -> None:
    """S52"""
    reply = Browser().send({}, "GET", "/broken/")
    check(reply, "500")
    body = body_of(reply).decode()
    assert reply.status_code == 500
    assert "Something broke on our side" in body
    assert [word for word in ("secret", "RuntimeError", "Traceback", "broken") if word in body] == []


@pytest.mark.django_db
def test_a_database_that_is_gone_gives_the_same_page(broken_site: None) -> None:
    """Whoever has a session cannot be looked up: 500, the page, the headers; no second error."""
    browser, cookies = Browser(), {project.SESSION_COOKIE_NAME: "0" * 32}
    expected = body_of(browser.send({}, "GET", "/broken/"))
    with connection.execute_wrapper(gone):
        for address in ("/", "/history/", "/broken/"):
            reply = browser.send(cookies, "GET", address)
            check(reply, address)
            assert (reply.status_code, body_of(reply)) == (500, expected), address
            assert reply.headers["Cache-Control"] == PRIVATE, address
        reply = browser.send({}, "GET", "/healthz/ready")
        assert (reply.status_code, json.loads(body_of(reply))) == (503, {"status": "database unavailable"})
        assert browser.send({}, "GET", "/healthz/live").status_code == 200


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_an_error_page_is_the_same_for_everybody(status: int) -> None:
    """No token, no name, no id of the request: nothing by which two of them could be told apart."""
    view = {400: errors.bad_request, 403: errors.forbidden, 404: errors.not_found, 500: errors.server_error}
    request = RequestFactory().get(f"/{uuid4()}/")
    replies = [view[status](request), view[status](RequestFactory().post("/?a=b"))]
    assert [reply.status_code for reply in replies] == [status, status]
    assert replies[0].content == replies[1].content
    assert b"csrf" not in replies[0].content


# --- what a page holds ----------------------------------------------------------------------------


@pytest.mark.django_db
def test_every_page_configures_htmx(world: World) -> None:
    """S42, by the values on the page."""
    browser, pages = Browser(), 0
    expected = {
        "includeIndicatorStyles": False,
        "allowEval": False,
        "allowScriptTags": False,
        "selfRequestsOnly": True,
        "historyCacheSize": 0,
        "refreshOnHistoryMiss": True,
        "timeout": 10000,
        "scrollIntoViewOnBoost": False,
        "responseHandling": [
            {"code": "204", "swap": False},
            {"code": "[23]..", "swap": True},
            {"code": "(409|422)", "swap": True},
            {"code": "[45]..", "swap": False, "error": True},
        ],
    }
    for name, rule in RULES.items():
        reply = browser.send(world.cookies[OWNER], "GET", rule.address(name, world, OWNER))
        if reply.status_code != 200 or "html" not in reply.headers["Content-Type"]:
            continue
        text = body_of(reply).decode()
        found = re.findall(r'<meta name="htmx-config" content="([^"]*)">', text)
        assert [json.loads(unescape(value)) for value in found] == [expected], name
        # Styles and scripts are ours, and all that is linked for loading is named by us.
        for link in LINKED.findall(text):
            assert re.search(r'href="/static/[^"]+"', link), (name, link)
        assert re.findall(r'<script\b[^>]*\bsrc="(?!/static/)', text) == [], name
        pages += 1
    assert pages > 15


@pytest.mark.django_db
def test_cookies_say_who_may_read_them(world: World) -> None:
    """The session for nobody but the server; the token for our scripts, which read it at request time."""
    with taken_back():
        login = RULES["account_login"]
        reply = Browser().send({}, "POST", "/account/sign-in/", login.data(world, ANONYMOUS))
    page = Browser().send({}, "GET", "/start/")
    session, token = reply.cookies[project.SESSION_COOKIE_NAME], page.cookies[project.CSRF_COOKIE_NAME]
    assert [
        (item["httponly"], item["samesite"], item["domain"], item["path"]) for item in (session, token)
    ] == [
        (True, "Lax", "", "/"),
        ("", "Lax", "", "/"),
    ]


def test_debug_is_off_and_the_actors_are_those_of_the_promise() -> None:
    assert (project.DEBUG, len(ACTORS)) == (False, 7)


# --- production -----------------------------------------------------------------------------------

PRODUCTION = {
    "PREPAPP_MODE": "production",
    # Blanks after commas are no part of a name.
    "ALLOWED_HOSTS": "prepapp.example, www.prepapp.example",
    "DATABASE_URL": "postgres://prepapp@db/prepapp",
    "REDIS_URL": "redis://redis",
    "EMAIL_URL": "smtp://mail",
    "SITE_URL": "https://prepapp.example",
}
ASKED = (
    *("DEBUG", "SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE"),
    *("SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SAMESITE", "CSRF_COOKIE_SAMESITE", "SESSION_COOKIE_DOMAIN"),
    *("CSRF_COOKIE_DOMAIN", "SESSION_COOKIE_PATH", "CSRF_COOKIE_PATH", "SECURE_SSL_REDIRECT"),
    *("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD"),
    *("SECURE_CONTENT_TYPE_NOSNIFF", "SECURE_REFERRER_POLICY", "SECURE_CROSS_ORIGIN_OPENER_POLICY"),
    *("X_FRAME_OPTIONS", "ALLOWED_HOSTS", "SESSION_ENGINE"),
)
ASK = f"""
import django, json
from django.conf import settings
django.setup()
print(json.dumps({{name: getattr(settings, name) for name in {ASKED!r}}}))
"""


def production(folder: Path, *command: str, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PREPAPP_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "prepapp.settings",
        "SECRET_KEY": secrets.token_urlsafe(64),
        **PRODUCTION,
        **changes,
    }
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.embedded
def test_production_is_set_as_promised(tmp_path: Path) -> None:
    run = production(tmp_path, "-c", ASK)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "DEBUG": False,
        # The prefix makes browsers insist on Secure, path / and no domain.
        "SESSION_COOKIE_NAME": "__Host-sessionid",
        "CSRF_COOKIE_NAME": "__Host-csrftoken",
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_DOMAIN": None,
        "CSRF_COOKIE_DOMAIN": None,
        "SESSION_COOKIE_PATH": "/",
        "CSRF_COOKIE_PATH": "/",
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 31_536_000,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": True,
        "SECURE_HSTS_PRELOAD": True,
        "SECURE_CONTENT_TYPE_NOSNIFF": True,
        "SECURE_REFERRER_POLICY": "same-origin",
        "SECURE_CROSS_ORIGIN_OPENER_POLICY": "same-origin",
        "X_FRAME_OPTIONS": "DENY",
        "ALLOWED_HOSTS": ["prepapp.example", "www.prepapp.example"],
        "SESSION_ENGINE": "prepapp.accounts.sessions",
    }


@pytest.mark.embedded
def test_the_deployment_check_of_django_finds_nothing(tmp_path: Path) -> None:
    run = production(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING")
    assert (run.returncode, run.stdout) == (0, "System check identified no issues (0 silenced).\n"), (
        run.stderr
    )


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "django-insecure-" + "abcdefghijklmnop" * 4),
        ("ALLOWED_HOSTS", "*"),
        ("ALLOWED_HOSTS", "prepapp.example,*"),
        ("ALLOWED_HOSTS", " , "),
        ("DATABASE_URL", "mysql://db/prepapp"),
        ("EMAIL_URL", "http://mail"),
        ("PREPAPP_MODE", "prod"),
        ("TRUSTED_PROXY_COUNT", "one"),
    ],
)
def test_production_refuses_what_is_no_value(tmp_path: Path, name: str, value: str) -> None:
    """Beside what is missing, which the tests of the settings try: placeholders and slips, each named."""
    run = production(tmp_path, "-c", "import prepapp.settings", **{name: value})
    assert run.returncode == 1
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("django.core.exceptions.ImproperlyConfigured: ")
    assert name in last
    assert value not in last or name != "SECRET_KEY"
