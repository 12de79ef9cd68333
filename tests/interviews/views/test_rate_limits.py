"""What one person may send how often: the room and grading, for whoever does more than a person does (P21)."""

import html
import json
import re
from typing import Any

import pytest
import time_machine
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.models import RubricPoint
from prepapp.interviews.choices import Band, Mode, State
from prepapp.interviews.models import Attempt, Response
from tests.accounts.steps import be_guest
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.interviews.sitting import rows, sit, statements, texts

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
PLAIN = "Too many requests within a short time, so nothing was changed. Try again in a moment."
ROOM = ("save", "go", "flag", "hint", "clock")
GRADING = ("confidence", "mark", "reveal", "lesson", "grade-close", "regrade")
IN_JSON = ("save", "clock")
TYPED = "\n<b>two</b>\nlines"


@pytest.fixture(autouse=True)
def standing_clock() -> Any:
    with time_machine.travel(STARTED_AT, tick=False):
        yield


@pytest.fixture
def one_a_minute(settings: Any) -> None:
    settings.RATE_LIMIT_BURST = 1
    settings.RATE_LIMIT_PER_MINUTE = 1


@pytest.fixture
def cleo() -> User:
    person: User = CandidateFactory()
    return person


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


def begun(person: User, name: str) -> Attempt:
    """An interview in the state in which `name` is asked for; hints are for practice."""
    if name in GRADING:
        attempt: Attempt = AttemptFactory(user=person, state=State.GRADING)
        return attempt
    return sit(person, mode=Mode.PRACTICE if name == "hint" else Mode.MOCK)


def ask(client: Client, attempt: Attempt, name: str, **headers: str) -> HttpResponse:
    whole = name in {"clock", "grade-close", "regrade"}
    address = reverse(f"interviews:{name}", args=[attempt.pk] if whole else [attempt.pk, 1])
    if name == "clock":
        return client.get(address, headers=headers)
    point = RubricPoint.objects.filter(version__responses__attempt=attempt).values_list("id", flat=True)[0]
    fields = {
        "save": {"text": TYPED, "revision": 0},
        "go": {"text": TYPED, "revision": 0, "go": "next"},
        "flag": {"flag": "1"},
        "confidence": {"confidence": Band.HIRE},
        "mark": {"point": point, "value": 2, "quote": TYPED},
        "lesson": {"fix_next": TYPED, "go": "stay"},
    }
    return client.post(address, fields.get(name, {}), headers=headers)


def waits_a_while(reply: HttpResponse) -> bool:
    """Whole seconds, at most the minute of these limits: how much of it is over, only the machine knows."""
    seconds = reply.headers["Retry-After"]
    return seconds.isdecimal() and 1 <= int(seconds) <= 60


def test_a_loop_of_saves_is_stopped_and_changes_nothing_more(site: Client, cleo: User, settings: Any) -> None:
    """With the limits as they are, but for what a slow machine would let in meanwhile."""
    settings.RATE_LIMIT_PER_MINUTE = 1
    attempt = sit(cleo)
    address = reverse("interviews:save", args=[attempt.pk, 1])
    replies = [site.post(address, {"text": f"text {n}", "revision": n}) for n in range(300)]
    assert [reply.status_code for reply in replies] == [200] * 240 + [429] * 60
    last = replies[-1]
    assert json.loads(last.content) == {"problem": "too-many", "message": PLAIN}
    assert last.headers["Content-Type"] == "application/json"
    assert (waits_a_while(last), last.headers["Cache-Control"]) == (True, "no-store, private")
    answer = Response.objects.get(attempt=attempt, position=1)
    assert (answer.text, answer.revision) == ("text 239", 240)


@pytest.mark.usefixtures("one_a_minute")
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
@pytest.mark.parametrize("name", [*ROOM, *GRADING])
def test_every_address_that_is_asked_often_has_the_limit(
    site: Client, cleo: User, name: str, headers: dict[str, str]
) -> None:
    attempt = begun(cleo, name)
    assert ask(site, attempt, name, **headers).status_code != 429
    before = rows()
    reply = ask(site, attempt, name, **headers)
    assert (reply.status_code, waits_a_while(reply)) == (429, True)
    assert reply.headers["Cache-Control"] == "no-store, private"
    body = reply.content.decode()
    if name in IN_JSON:
        assert json.loads(body) == {"problem": "too-many", "message": PLAIN}
    elif headers:
        assert body == PLAIN
    else:
        seconds = reply.headers["Retry-After"]
        assert f"Wait {seconds} second{'' if seconds == '1' else 's'}, then try again." in body
    assert rows() == before


@pytest.mark.usefixtures("one_a_minute")
def test_each_thing_is_counted_by_itself(site: Client, cleo: User) -> None:
    """A page that asks for the time in a loop must not cost the person their saves."""
    attempt = sit(cleo)
    codes = [ask(site, attempt, name).status_code for name in ("clock", "clock", "save", "flag", "go")]
    assert codes == [200, 429, 200, 302, 302]


@pytest.mark.usefixtures("one_a_minute")
def test_one_person_never_meets_the_limit_of_another(site: Client, cleo: User) -> None:
    """One network, one machine, one interview each: only the person counts, account or guest."""
    guest = Client()
    people = {site: sit(cleo), guest: sit(be_guest(guest))}
    codes = [ask(client, attempt, "save").status_code for client, attempt in people.items() for _ in range(2)]
    assert codes == [200, 429, 200, 429]


@pytest.mark.usefixtures("one_a_minute")
def test_two_browsers_of_one_person_share_the_limit(site: Client, cleo: User) -> None:
    attempt, other = sit(cleo), Client()
    other.force_login(cleo)
    assert [ask(client, attempt, "save").status_code for client in (site, other)] == [200, 429]


@pytest.mark.usefixtures("one_a_minute")
def test_nobody_is_told_to_sign_in_as_before(client: Client, cleo: User) -> None:
    attempt = sit(cleo)
    assert [ask(client, attempt, "save").status_code for _ in range(3)] == [401] * 3


@pytest.mark.usefixtures("one_a_minute")
def test_a_save_costs_no_statement_more_and_a_refusal_only_who_asks(site: Client, cleo: User) -> None:
    """Session, person, the save: neither cache nor broker is asked (P16)."""
    address, counts = reverse("interviews:save", args=[sit(cleo).pk, 1]), []
    for _ in range(2):
        with statements() as sent:
            site.post(address, {"text": TYPED, "revision": 0})
        counts.append(len(sent))
    assert counts == [3, 2]


# --- without script -------------------------------------------------------------------------------


def form_of(page: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """Where the form of the page goes, what it hides but for the token, and what it shows by its label."""
    form = re.search(r'<form class="stack" method="post" action="([^"]*)">(.*?)</form>', page, re.DOTALL)
    assert form
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form[2]))
    assert hidden.pop("csrfmiddlewaretoken", "") != ""
    shown = re.findall(
        r'<label for="([\w-]+)">([^<]*)</label>\s*<textarea id="\1"[^>]*>\n(.*?)</textarea>',
        form[2],
        re.DOTALL,
    )
    return form[1], hidden, {label: html.unescape(text) for _, label, text in shown}


@pytest.mark.usefixtures("one_a_minute")
@pytest.mark.parametrize(
    ("name", "kept", "label"),
    [
        ("go", {"revision": "0", "go": "next"}, "Your answer"),
        ("mark", {"value": "2"}, "The words of your answer that earn this"),
        ("lesson", {"go": "stay"}, "Fix next time"),
        ("flag", {"flag": "1"}, None),
        ("confidence", {"confidence": "hire"}, None),
    ],
)
def test_the_page_gives_the_form_back_with_what_was_typed(
    client: Client, cleo: User, name: str, kept: dict[str, str], label: str | None
) -> None:
    """Going back would show the form as it was before, since no page of a person is stored."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(cleo)
    attempt = begun(cleo, name)
    client.get(reverse("interviews:front"))
    headers = {"X-CSRFToken": client.cookies["csrftoken"].value}
    ask(client, attempt, name, **headers)
    address, hidden, shown = form_of(ask(client, attempt, name, **headers).content.decode())
    whole = [attempt.pk, 1]
    assert address == reverse(f"interviews:{name}", args=whole)
    assert {key: value for key, value in hidden.items() if key != "point"} == kept
    assert ("point" in hidden) is (name == "mark")
    assert shown == ({label: TYPED} if label else {})


def test_the_form_that_came_back_does_what_was_asked(site: Client, cleo: User, settings: Any) -> None:
    settings.RATE_LIMIT_BURST = settings.RATE_LIMIT_PER_MINUTE = 1
    attempt = sit(cleo)
    ask(site, sit(cleo), "go")
    address, hidden, shown = form_of(ask(site, attempt, "go").content.decode())
    settings.RATE_LIMIT_BURST = 2  # as if the minute had passed
    reply = site.post(address, {**hidden, "text": shown["Your answer"]})
    assert (reply.status_code, reply.url) == (302, reverse("interviews:room", args=[attempt.pk, 2]))
    assert texts(attempt)[0] == TYPED
