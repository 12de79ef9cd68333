"""One learner's browser, as far as it costs the server anything: a kept-alive connection, cookies, the
request token, gzip. Not here: what is asked in which order (`session`)."""

import gzip
import http.client
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

import brotli

HOST = "127.0.0.1"
# Set by the settings of the counting pass, absent elsewhere.
QUERIES_HEADER = "X-Queries"
TIMEOUT = 30
# The server closes a connection that was idle for two seconds; a browser behind a proxy never sees that.
REUSE_WITHIN = 1.0
_DROPPED = (
    http.client.RemoteDisconnected,
    ConnectionResetError,
    BrokenPipeError,
    http.client.CannotSendRequest,
)
_UNPACK: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "br": brotli.decompress}


class Unexpected(Exception):
    """A reply that the session cannot go on from; its text says which."""


@dataclass(frozen=True)
class Reply:
    """One answer of the server. `head_bytes` and `body_bytes` are as sent, compressed; `gzip_bytes`: the body of
    a file as an old browser gets it."""

    path: str
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    head_bytes: int
    body_bytes: int
    seconds: float
    gzip_bytes: int = 0

    @property
    def wire_bytes(self) -> int:
        return self.head_bytes + self.body_bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def location(self) -> str:
        """Where the reply leads, by redirect or by htmx; '' when nowhere."""
        target = self.headers.get("Location") or self.headers.get("HX-Redirect") or ""
        return urlsplit(target)._replace(scheme="", netloc="", fragment="").geturl()

    @property
    def queries(self) -> int | None:
        found = self.headers.get(QUERIES_HEADER)
        return int(found) if found else None

    def json(self) -> dict[str, object]:
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found

    def forms(self) -> "list[Form]":
        return _Forms.of(self.text)


class Browser:
    """Not safe for two threads at once. With `csrf_cookie` it speaks as a browser on https behind a proxy,
    sending the token of that cookie; without, as plainly as the anchor needs."""

    def __init__(self, port: int, cookies: Mapping[str, str] | None = None, *, csrf_cookie: str = "") -> None:
        self.port = port
        self.cookies = dict(cookies or {})
        self.csrf_cookie = csrf_cookie
        self.keeps_connection = True
        self._connection: http.client.HTTPConnection | None = None
        self._used_at = 0.0

    def get(self, path: str, **headers: str) -> Reply:
        return self._send("GET", path, None, headers)

    def post(self, path: str, fields: Mapping[str, object], *, htmx: bool = False) -> Reply:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if self.csrf_cookie:
            headers["X-CSRFToken"] = self.cookies.get(self.csrf_cookie, "")
        if htmx:
            headers["HX-Request"] = "true"
            headers["HX-Current-URL"] = f"https://{HOST}:{self.port}{path}"
        return self._send("POST", path, urlencode(fields).encode(), headers)

    def close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None

    def _send(self, method: str, path: str, body: bytes | None, extra: Mapping[str, str]) -> Reply:
        headers = {
            "Accept-Encoding": "gzip",
            "User-Agent": "prepapp-benchmark",
            "Accept": "text/html",
            **extra,
        }
        if self.csrf_cookie:
            headers |= {"X-Forwarded-Proto": "https", "Origin": f"https://{HOST}:{self.port}"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if not self.keeps_connection or time.monotonic() - self._used_at > REUSE_WITHIN:
            self.close()
        try:
            return self._exchange(method, path, body, headers)
        except _DROPPED:
            # The server gave the idle connection up just as it was used: nothing was read there.
            self.close()
            return self._exchange(method, path, body, headers)

    def _exchange(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(HOST, self.port, timeout=TIMEOUT)
        started = time.perf_counter()
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        sent = answer.read()
        seconds = time.perf_counter() - started
        self._used_at = time.monotonic()
        for line in answer.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name.strip()] = value
        head = f"HTTP/1.1 {answer.status} {answer.reason}\r\n\r\n"
        head_bytes = len(head) + sum(len(name) + len(value) + 4 for name, value in answer.headers.items())
        plain = _UNPACK.get(answer.headers.get("Content-Encoding", ""), bytes)(sent)
        return Reply(path, answer.status, answer.headers, plain, head_bytes, len(sent), seconds)


@dataclass
class Form:
    """A form of a page: its address, its fields with their first values, its buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def filled(self, **values: object) -> dict[str, object]:
        return {
            name: value for name, value in {**self.fields, **values}.items() if name != "csrfmiddlewaretoken"
        }


class _Forms(HTMLParser):
    """Reads forms. A radio group starts with no value; a button counts for the form it stands in."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._form: Form | None = None

    @classmethod
    def of(cls, text: str) -> list[Form]:
        parser = cls()
        parser.feed(text)
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(values.get("hx-post") or values.get("action", ""))
            self.found.append(self._form)
        elif self._form is not None and (name := values.get("name", "")):
            value = values.get("value", "")
            if tag == "button" or values.get("type") == "submit":
                self._form.buttons.append((name, value))
            elif tag == "input" and values.get("type") in {"radio", "checkbox"}:
                self._form.fields.setdefault(name, "")
                if "checked" in values:
                    self._form.fields[name] = value
            elif tag in {"input", "textarea", "select"}:
                self._form.fields[name] = value

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None


class _Assets(HTMLParser):
    """Addresses that a browser fetches with the page: stylesheets, scripts, the icon, images."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        target = ""
        if tag == "link" and {"stylesheet", "icon", "modulepreload"} & set(values.get("rel", "").split()):
            target = values.get("href", "")
        elif tag in {"script", "img"}:
            target = values.get("src", "")
        if target and not target.startswith("data:"):
            self.found.append(urljoin(self.base, target))


def assets_of(page: Reply) -> list[str]:
    """Paths of what the page loads from its own server, in order, each once."""
    parser = _Assets(page.path)
    parser.feed(page.text)
    foreign = [target for target in parser.found if urlsplit(target).netloc]
    if foreign:
        raise Unexpected(f"{page.path} loads from elsewhere: {foreign}")
    return list(dict.fromkeys(parser.found))
