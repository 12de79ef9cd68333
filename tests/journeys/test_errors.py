"""No input breaks a page: what is odd is refused in words, or taken for what it is, never answered with
5xx. Every field, query and header of every route gets every odd value (S28, S52)."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.architecture.expectations import RULES, Rule
from tests.architecture.world import (
    ANONYMOUS,
    FORM,
    OWNER,
    Browser,
    World,
    body_of,
    snapshot,
    taken_back,
    watched,
)

pytestmark = pytest.mark.django_db

# As they stand in a body or an address, already escaped.
ODD = {
    "nothing": "",
    "minus one": "-1",
    "one more than 31 bits": "2147483648",
    "one more than 63 bits": "9223372036854775808",
    # More than Python turns into a number at all.
    "5,000 digits": "9" * 5000,
    "no number": "NaN",
    "foreign digits": "%D9%A3%C2%B2",
    "NUL": "%00",
    "NUL inside": "a%00b",
    "emoji, right to left": "%F0%9F%98%80%E2%80%8D%F0%9F%92%BB%E2%80%AEx%E2%80%A8",
    "no UTF-8": "%FF%FE%C3%ED%A0%80%zz%",
    "long": "A" * 20_000,
    "markup and SQL": "%3Cscript%3E%7B%7Bx%7D%7D%7B%25+x+%25%7D%27%20OR%201%3D1%3B--%20%25_%5C",
    "a path": "..%2F..%2Fetc%2Fpasswd",
    "a day that is none": "2026-02-30",
    "the first day": "0001-01-01",
    "the last day": "9999-12-31",
    "no id": "00000000-0000-0000-0000-000000000000",
}
# What the pages read from their address.
QUERIES: dict[str, tuple[str, ...]] = {
    "interviews:start": ("track", "level", "mode"),
    "interviews:custom": ("track", "level", "topics"),
    "interviews:history": (
        *("track", "topic", "blueprint", "mode", "state", "since", "until", "sort", "cursor", "page"),
    ),
    "interviews:result": ("grading",),
    "interviews:review": ("grading",),
    "interviews:compare": ("a", "b", "question"),
    "bank:question-list": ("q", "track", "topic", "level", "kind", "pack", "tag", "cursor"),
    "account_login": ("next",),
    "account_signup": ("next", "email"),
}
HEADERS = {
    "HX-Current-URL": (
        "http://[",
        "//[::1",
        "http://testserver:port/",
        "\x7f",
        "%00",
        "x" * 5000,
        "javascript:x",
    ),
    "HX-Target": ("\x00", "😀", "%FF"),
    "HX-Prompt": ("%FF%FE", "x" * 5000),
    "HX-Boosted": ("maybe",),
    "Accept": ("", "nonsense", "text/html;q=x", "*/*;" * 500),
    "Accept-Encoding": ("gzip;q=x", "\x7f", "br" * 500),
    "Accept-Language": ("x" * 5000, "..", "\x7f"),
    "Origin": ("null", "http://[", "x"),
    "Referer": ("http://[", "x", ""),
    "Cookie": (
        *("", "=", ";;;", "sessionid", "sessionid=\x00", "sessionid=" + "x" * 3000, "csrftoken=é"),
        r'sessionid="abcdefghij\000"',
    ),
    "Content-Type": (
        "",
        "x",
        "multipart/form-data",
        "application/json; charset=nonsense",
        f"{FORM}; charset=no",
    ),
    # What is no number is refused by the server; Django is never asked.
    "Content-Length": ("-1", "9" * 30, ""),
    "If-Modified-Since": ("yesterday", "Thu, 99 Jan 9999 99:99:99 GMT"),
    "If-None-Match": ('"', "x" * 5000),
    "Range": ("bytes=x-", "bytes=9-1", "bytes=0-" + "9" * 400),
    "User-Agent": ("", "\x7f😀", "x" * 5000),
    "X-Forwarded-For": ("x", "1.2.3.4, ,", "::1%eth0", "999.1.1.1"),
    "X-Forwarded-Proto": ("https, http", "x"),
    "X-Forwarded-Host": ("evil.test",),
    "X-HTTP-Method-Override": ("DELETE",),
}
# What a route may say to odd input, beside what it says to good input.
REFUSED = {400, 404, 409, 413, 422, 429}


@pytest.fixture(autouse=True)
def no_limit(settings: Any) -> None:
    """More is sent here than a person may: refused for its number, a case would say nothing."""
    settings.RATE_LIMIT_BURST = 1_000_000


def actor_of(rule: Rule) -> str:
    return OWNER if rule.lets_in(OWNER) else ANONYMOUS


def declared(rule: Rule, method: str) -> set[int]:
    """A form of Django's and allauth's shows itself again with 200; a filter leaves out what is none."""
    return {*rule.expected(actor_of(rule), method), *REFUSED, 200, 302}


def forms(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Bodies of a form, each with one thing wrong."""
    whole = {name: urlencode({name: value}) for name, value in data.items()}
    yield "nothing", ""
    for name in data:
        rest = [pair for other, pair in whole.items() if other != name]
        yield f"without {name}", "&".join(rest)
        yield f"{name} twice", "&".join([*rest, whole[name], whole[name]])
        yield f"{name} as a list", "&".join([*rest, f"{name}%5B%5D=1"])
        for what, value in ODD.items():
            yield f"{name}: {what}", "&".join([*rest, f"{name}={value}"])
    everything = "&".join(whole.values())
    yield "an unknown field", f"{everything}&no_such_field=1&=&&%00=%00"
    yield "a megabyte", f"{everything}&{'x' * 1_100_000}"
    yield "a megabyte in a field", f"text={'x' * 1_100_000}"
    yield "many fields", "&".join(f"f{n}={n}" for n in range(600))
    yield "no UTF-8 at all", "\udcff\udcfe=\udcff"


def other_bodies(data: dict[str, Any]) -> Iterator[tuple[str, str, bytes]]:
    """(what, content type, body) of what is not a form of an address."""
    whole = urlencode(data).encode()
    yield "JSON", "application/json", b'{"text": "x", "revision": 1}'
    yield "broken JSON", "application/json", b"{"
    yield "plain text", "text/plain", whole
    yield "XML", "application/xml", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    yield "no type", "", whole
    yield "an odd charset", f"{FORM}; charset=utf-7", whole
    yield "no charset", f"{FORM}; charset=no-such", whole
    yield "parts without a boundary", "multipart/form-data", whole
    yield "parts with a broken boundary", "multipart/form-data; boundary=x", b"--x\r\nContent-Dispo"
    for name in (*data, "file"):
        head = f'--x\r\nContent-Disposition: form-data; name="{name}"; filename="../a\x00.txt"\r\n\r\n'
        yield f"a file for {name}", "multipart/form-data; boundary=x", head.encode() + b"x\r\n--x--\r\n"


def wrong(reply: Any, allowed: set[int]) -> bool:
    body = body_of(reply)
    return reply.status_code not in allowed or b"Traceback" in body


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.post is not None])
def test_no_form_breaks_a_page(name: str, world: World) -> None:
    rule, browser, faults = RULES[name], Browser(), {}
    actor = actor_of(rule)
    path, data, allowed = rule.address(name, world, actor), rule.data(world, actor), declared(rule, "POST")
    if "text" not in data and name.startswith("interviews:"):
        data = {**data, "text": "x"}
    for number, (what, body) in enumerate(forms(data)):
        with taken_back():
            reply = browser.send_body(
                world.cookies[actor],
                path,
                body.encode("utf-8", "surrogateescape"),
                FORM,
                # Every other one as a part: twice the cases would find the same.
                htmx=bool(number % 2),
            )
            if wrong(reply, allowed):
                faults[what] = reply.status_code
    for what, kind, body in other_bodies(data):
        with taken_back():
            reply = browser.send_body(world.cookies[actor], path, body, kind)
            if wrong(reply, allowed):
                faults[what] = reply.status_code
    assert faults == {}


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.get is not None])
def test_no_address_breaks_a_page(name: str, world: World) -> None:
    rule, browser, faults = RULES[name], Browser(), {}
    actor = actor_of(rule)
    path, _, own = rule.address(name, world, actor).partition("?")
    allowed, before = declared(rule, "GET"), snapshot()
    queries = [(what, f"x={value}&{value}=x&{value}") for what, value in ODD.items()]
    for field in QUERIES.get(name, ()):
        kept = "&".join(pair for pair in own.split("&") if pair and not pair.startswith(f"{field}="))
        queries += [(f"{field}: {what}", f"{kept}&{field}={value}") for what, value in ODD.items()]
        queries.append((f"{field} twice", f"{kept}&{field}=a&{field}=b"))
    for number, (what, query) in enumerate(queries):
        with taken_back(), watched() as writes:
            # The part reads what the page reads, for less.
            reply = browser.send_query(world.cookies[actor], path, query, htmx=bool(number % 4))
            if wrong(reply, allowed) or (writes and snapshot() != before):
                faults[what] = reply.status_code
    assert faults == {}


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("actor", [ANONYMOUS, OWNER])
def test_no_header_breaks_a_page(header: str, actor: str, world: World) -> None:
    browser, faults = Browser(), {}
    known = [name for name in RULES if name in {"interviews:front", "interviews:history", "account_login"}]
    for value in HEADERS[header]:
        for name in [*known, "interviews:save", "accounts:theme"]:
            rule = RULES[name]
            method = "GET" if rule.get else "POST"
            for htmx in {False, header.startswith("HX-")}:
                with taken_back():
                    reply = browser.send(
                        world.cookies[actor],
                        method,
                        rule.address(name, world, actor),
                        rule.data(world, actor) if method == "POST" else {},
                        htmx=htmx,
                        environment=in_environment(header, value),
                    )
                    allowed = {*rule.expected(actor, method), *REFUSED, 200, 302, 401}
                    if wrong(reply, allowed):
                        faults[f"{value[:20]!r} to {name}, htmx {htmx}"] = reply.status_code
    assert faults == {}


def in_environment(header: str, value: str) -> dict[str, str]:
    """As a server hands a header over: bytes read as Latin-1."""
    name = header.upper().replace("-", "_")
    key = name if name in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{name}"
    return {key: value.encode().decode("latin-1")}


COOKIES = ("sessionid", "csrftoken", "time_zone", "theme", "claimed", "messages")


@pytest.mark.parametrize("cookie", COOKIES)
def test_no_cookie_breaks_a_page(cookie: str, world: World) -> None:
    browser, faults = Browser(), {}
    for what, value in ODD.items():
        for actor in (ANONYMOUS, OWNER):
            for address in ("/history/", "/no/such/page"):
                jar = {**world.cookies[actor], cookie: value}
                with taken_back():
                    reply = browser.send(jar, "GET", address)
                    if wrong(reply, {200, 302, 404}):
                        faults[f"{what} as {actor} at {address}"] = reply.status_code
    assert faults == {}


ADDRESSES = (
    *(
        "/%00",
        "/%FF",
        "/%zz",
        "/" + "a" * 5000,
        "/" + "a/" * 500,
        "/..%2f..%2fetc/passwd",
        "/../x",
        "/.",
    ),
    *("/attempts/", "/attempts/x/", "/attempts/00000000-0000-0000-0000-000000000000/"),
    *("/attempts/00000000-0000-0000-0000-000000000000/q/" + "9" * 400 + "/", "/attempts/%00/"),
    *(
        "/questions/%00/",
        "/questions/%FF/",
        "/questions/" + "a" * 500 + "/",
        "/questions/é/",
        "/questions/-/",
    ),
    *("/history/export/", "/history/export/xml", "/history/export/csv/x", "/history/export/CSV"),
    *(
        "/account/password/reset/x-y/",
        "/account/password/reset/zzzzzzzzzzzzzz-x/",
        "/account/password/reset/1-%00/",
    ),
    *(
        "/account/password/reset/%F0%9F%98%80-x/",
        "/static/%00",
        "/static/../manage.py",
        "/static/%2e%2e/manage.py",
    ),
    *("/favicon.ico", "/robots.txt", "/.env", "/.git/config", "/wp-admin/", "/healthz/", "/healthz/live/x"),
)


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: address[:40])
def test_no_address_that_is_none_breaks_the_site(address: str, world: World) -> None:
    browser = Browser()
    for actor in (ANONYMOUS, OWNER):
        for method in ("GET", "HEAD", "POST", "OPTIONS"):
            with taken_back():
                reply = browser.send(world.cookies[actor], method, address)
                body = body_of(reply)
            # A page of its own for a reset link that is none; the last slash may be added.
            expected = {200, 404} if "/password/reset/" in address else {404, 405, 301, 302}
            assert reply.status_code in expected, (actor, method)
            assert b"SECRET_KEY" not in body
            assert b"Traceback" not in body
