"""The room over HTTP: the page, autosave, moving on, flag, hint, clock; for its owner and everybody else."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.urls import reverse
from ruamel.yaml import YAML

from prepapp.accounts.models import User
from prepapp.bank.choices import Kind
from prepapp.bank.models import FollowUp, RubricPoint
from prepapp.interviews.actions.finish import finish_attempt
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.selection import Slot
from tests.accounts.steps import be_guest
from tests.factories.bank import add_version
from tests.factories.interviews import STARTED_AT, BlueprintFactory, CandidateFactory
from tests.interviews.sitting import (
    CANARY,
    EVERYTHING,
    GRACE,
    arrival,
    at,
    late_texts,
    make_bank,
    plant_canaries,
    rows,
    sit,
    statements,
    texts,
)

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)
TOO_LATE = DEADLINE + GRACE + timedelta(seconds=1)
SIGN_IN = reverse("account_login")
HTMX = {"HX-Request": "true"}
POSTS = ("save", "go", "flag", "hint")
GETS = ("room", "clock")
TOO_LONG = "Your answer has 16,001 characters; 16,000 is the most. Shorten it to save again; the last saved text is safe."
NUL = "The answer holds a character that cannot be stored (NUL). Remove it and save again."
UNREADABLE = "The save could not be read. Your text stays on this page; reload it and try again."


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def cleo() -> User:
    person: User = CandidateFactory()
    return person


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


@pytest.fixture
def attempt(cleo: User) -> Attempt:
    return sit(cleo)


def send(client: Client, attempt: Attempt, name: str = "save", position: int = 1, **fields: Any) -> Any:
    """A save or a move as the page sends it; `None` leaves a field out, `htmx=True` sends the header."""
    headers = HTMX if fields.pop("htmx", False) else {}
    values = {
        "text": "alpha",
        "revision": 0,
        "spent": 5,
        **({"go": "next"} if name == "go" else {}),
        **fields,
    }
    return client.post(
        at(attempt, name, position),
        {key: value for key, value in values.items() if value is not None},
        headers=headers,
    )


def answer(response: Any) -> tuple[int, dict[str, Any]]:
    assert response.headers["Content-Type"] == "application/json"
    return response.status_code, json.loads(response.content)


def box(html: str) -> str:
    """What stands in the answer box, as the browser shows it."""
    found = re.search(r'<textarea id="answer"[^>]*>\n(.*?)</textarea>', html, re.DOTALL)
    assert found
    return found[1]


def hidden(html: str, name: str) -> str:
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)">', html)
    assert found
    return found[1]


def problem(html: str) -> str:
    found = re.search(r'id="problem">\s*<p>(.*?)</p>', html)
    assert found
    return found[1]


def end(attempt: Attempt, state: str = State.GRADING, ending: str = Ending.FINISHED) -> None:
    Attempt.objects.filter(pk=attempt.pk).update(state=state, finished_at=NOW, ending=ending)


def ask_all(attempt: Attempt) -> None:
    Response.objects.filter(attempt=attempt).update(asked_at=STARTED_AT)


# --- who may --------------------------------------------------------------------------------------


def request(client: Client, attempt: Attempt, name: str, **headers: str) -> Any:
    if name in GETS:
        return client.get(at(attempt, name), headers=headers)
    data = {"text": "mine", "revision": 0, "go": "next", "flag": "1"}
    return client.post(at(attempt, name), data, headers=headers)


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
@pytest.mark.parametrize("name", [*GETS, *POSTS])
def test_a_foreign_attempt_answers_as_one_that_is_not_there(
    client: Client, attempt: Attempt, name: str, headers: dict[str, str]
) -> None:
    client.force_login(CandidateFactory())
    before = rows()
    foreign = request(client, attempt, name, **headers)
    missing = request(client, Attempt(pk=uuid4()), name, **headers)
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert foreign.content == missing.content
    assert rows() == before


@pytest.mark.parametrize("name", ["room", "clock", "go", "flag", "hint"])
def test_signed_out_leads_to_sign_in_and_back(client: Client, attempt: Attempt, name: str) -> None:
    before = rows()
    response = request(client, attempt, name)
    assert response.status_code == 302
    assert response.url.partition("?")[0] == SIGN_IN
    if name in GETS:
        assert response.url == f"{SIGN_IN}?next={at(attempt, name)}"
    assert rows() == before


@pytest.mark.parametrize("name", ["room", "clock", "go", "flag", "hint"])
def test_signed_out_inside_htmx_brings_no_sign_in_page(client: Client, attempt: Attempt, name: str) -> None:
    """AUT-05: a followed redirect would put the form into the room."""
    before = rows()
    page = f"http://testserver{at(attempt, 'room')}"
    response = request(client, attempt, name, **HTMX, **{"HX-Current-URL": page})
    assert response.status_code == 401
    assert response.content == b"Sign in to go on. What you typed is kept on this page."
    assert response.headers["HX-Trigger"] == "signed-out"
    assert response.headers["X-Sign-In"] == f"{SIGN_IN}?{urlencode({'next': at(attempt, 'room')})}"
    assert rows() == before


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["fetch", "htmx"])
def test_aut_05_a_save_without_a_session_says_where_to_sign_in(
    client: Client, attempt: Attempt, headers: dict[str, str]
) -> None:
    before = rows()
    response = client.post(at(attempt, "save"), {"text": "gamma", "revision": 0}, headers=headers)
    assert answer(response) == (
        401,
        {"problem": "signed-out", "sign_in": f"{SIGN_IN}?next={at(attempt, 'room')}"},
    )
    assert rows() == before


def test_aut_05_after_signing_in_again_the_same_save_is_taken_by_the_same_attempt(
    site: Client, cleo: User, attempt: Attempt
) -> None:
    site.session.flush()
    assert send(site, attempt, text="gamma").status_code == 401
    site.force_login(cleo)
    assert answer(send(site, attempt, text="gamma"))[0] == 200
    attempt.refresh_from_db()
    assert (texts(attempt)[0], attempt.deadline_at) == ("gamma", DEADLINE)


@pytest.mark.parametrize("name", POSTS)
def test_aut_05_without_the_token_nothing_is_taken(cleo: User, attempt: Attempt, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cleo)
    before = rows()
    response = request(client, attempt, name)
    assert response.status_code == 403
    assert b"<title>" in response.content
    client.get(at(attempt, "room"))
    token = client.cookies[settings.CSRF_COOKIE_NAME].value
    assert request(client, attempt, name, **{"X-CSRFToken": "x" * len(token)}).status_code == 403
    assert rows() == before
    if name != "hint":
        assert request(client, attempt, name, **{"X-CSRFToken": token}).status_code in {200, 302}
        assert rows() != before


def test_a_guest_owns_what_they_started(client: Client) -> None:
    attempt = sit(be_guest(client))
    assert answer(send(client, attempt)) == (200, {"revision": 1, "at": NOW.timestamp(), "late": False})
    page = client.get(at(attempt, "room")).content.decode()
    assert (box(page), hidden(page, "revision")) == ("alpha", "1")


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("room", "GET, HEAD"), ("clock", "GET, HEAD"), *((name, "POST") for name in POSTS)],
)
def test_wrong_verbs_are_refused(site: Client, attempt: Attempt, name: str, allowed: str) -> None:
    before = rows()
    for method in {"get", "head", "post", "put", "patch", "delete"} - {*allowed.lower().split(", ")}:
        response = getattr(site, method)(at(attempt, name))
        assert (response.status_code, response.headers["Allow"]) == (405, allowed)
    assert rows() == before


@pytest.mark.parametrize("name", [*GETS, *POSTS])
def test_no_reply_of_the_room_is_stored_by_the_browser(site: Client, attempt: Attempt, name: str) -> None:
    assert request(site, attempt, name).headers["Cache-Control"] == "no-store, private"


# --- the page -------------------------------------------------------------------------------------


def test_the_page_shows_question_clock_map_and_an_empty_box(site: Client, attempt: Attempt) -> None:
    page = site.get(at(attempt, "room")).content.decode()
    version = Response.objects.get(attempt=attempt, position=1).version
    assert f'<h1 tabindex="-1" data-focus>{version.title}</h1>' in page
    assert (box(page), hidden(page, "revision"), hidden(page, "spent")) == ("", "0", "0")
    assert 'data-left="840.0"' in page
    assert '<span id="clock-digits">14:00</span> <small class="hide-s">of 15:00</small>' in page
    assert "Question 1 of 3 · about 5 min" in page
    assert re.findall(r'aria-label="((?:Question|Follow-up) [^"]*)"', page) == [
        "Question 1, empty",
        "Question 2, empty",
        "Question 3, empty",
    ]
    assert page.count('aria-current="step"') == 1
    assert page.count("<html") == 1


def test_the_htmx_view_is_the_room_alone(site: Client, attempt: Attempt) -> None:
    part = site.get(at(attempt, "room"), headers=HTMX).content.decode().strip()
    assert part.startswith('<div id="room"')
    assert part.count('id="room"') == 1
    assert "<html" not in part


def test_p10_the_allowance_is_shown_with_the_sum(client: Client) -> None:
    slow = CandidateFactory(time_allowance="1.50")
    client.force_login(slow)
    page = client.get(at(sit(slow), "room")).content.decode()
    assert '<span id="clock-digits">21:30</span> <small class="hide-s">of 22:30 = 15:00 × 1.5</small>' in page


@pytest.mark.parametrize(
    ("mode", "allowance", "words"),
    [(Mode.PRACTICE, "1.00", "practice, no clock"), (Mode.MOCK, "untimed", "no time limit")],
)
def test_without_a_clock_the_page_says_why(client: Client, mode: str, allowance: str, words: str) -> None:
    person = CandidateFactory(time_allowance=allowance)
    client.force_login(person)
    page = client.get(at(sit(person, mode=mode), "room")).content.decode()
    assert f'<span class="small soft hide-s">{words}</span>' in page
    # Where there is no room for it in the strip; practice has its word there already.
    assert (f'<span class="chip narrow-only">{words}</span>' in page) is (mode == Mode.MOCK)
    assert 'id="clock-digits"' not in page
    assert 'data-left=""' in page
    assert ('<span class="chip partly">Practice</span>' in page) is (mode == Mode.PRACTICE)


def test_the_answer_comes_back_as_it_was_typed(site: Client, attempt: Attempt) -> None:
    """Plain text: markup, quotes, leading line breaks and blanks stay what they are."""
    typed = "\n\n  <b>if</b> a & b:\r\n\t\"x\" 'y' </textarea><script>"
    send(site, attempt, text=typed)
    assert texts(attempt)[0] == typed.replace("\r\n", "\n")
    page = site.get(at(attempt, "room")).content.decode()
    assert box(page) == (
        "\n\n  &lt;b&gt;if&lt;/b&gt; a &amp; b:\n\t&quot;x&quot; &#x27;y&#x27; &lt;/textarea&gt;&lt;script&gt;"
    )


@pytest.mark.parametrize("position", [0, 2, 7, 10**12], ids=["zero", "unasked", "beyond", "huge"])
def test_what_was_not_asked_is_not_there(site: Client, attempt: Attempt, position: int) -> None:
    def address(name: str) -> str:
        return at(attempt, name).replace("/q/1/", f"/q/{position}/")

    before = rows()
    assert site.get(address("room")).status_code == 404
    for name in POSTS:
        for headers in ({}, HTMX):
            sent = {"text": "x", "revision": 0, "go": "next", "flag": "1"}
            response = site.post(address(name), sent, headers=headers)
            expected = 409 if (name, position) == ("save", 2) else 404
            assert (name, response.status_code) == (name, expected)
    assert rows() == before


def test_aut_16_an_edited_question_leaves_the_room_as_it_was(site: Client, attempt: Attempt) -> None:
    """AUT-16: "theta" and the version of the start are there after the edit and the reload."""
    send(site, attempt, text="theta")
    before = site.get(at(attempt, "room")).content.decode()
    pinned = Response.objects.get(attempt=attempt, position=1).version
    add_version(pinned.question, title="Mended title", prompt="Mended prompt")
    after = site.get(at(attempt, "room")).content.decode()
    assert box(after) == "theta"
    strip = re.compile(r'csrfmiddlewaretoken" value="[^"]*"|X-CSRFToken[^}]*')
    assert strip.sub("", after) == strip.sub("", before)


def test_the_guide_of_a_format_stands_beside_the_main_question_only(site: Client, cleo: User) -> None:
    guide = [{"minutes": 5, "text": "Clarify what is asked"}]
    blueprint = BlueprintFactory(recipe={"slots": [{"minutes": 10}], "guide": guide})
    attempt = sit(cleo, blueprint=blueprint)
    ask_all(attempt)
    pages = [site.get(at(attempt, "room", position)).content.decode() for position in (1, 2)]
    assert [page.count("Clarify what is asked") for page in pages] == [1, 0]


# --- save -----------------------------------------------------------------------------------------


def test_save_is_acknowledged_with_the_new_revision(site: Client, attempt: Attempt) -> None:
    assert answer(send(site, attempt)) == (200, {"revision": 1, "at": NOW.timestamp(), "late": False})
    assert texts(attempt) == ["alpha", "", "", "", "", ""]


def test_repeated_save_is_acknowledged_again_and_changes_nothing(
    site: Client, attempt: Attempt, clock: Any
) -> None:
    first = answer(send(site, attempt))
    before = rows()
    clock.move_to(NOW + timedelta(seconds=20), tick=False)
    assert answer(send(site, attempt)) == first
    assert rows() == before


def test_aut_01_an_older_save_that_arrives_later_never_overwrites(site: Client, attempt: Attempt) -> None:
    """AUT-01: save 2 ("foobar") passes while save 1 ("foo") is held up on its way. By our rule the page
    keeps one save in flight, so 2 starts from what 1 started from, and 1 is told what it missed."""
    assert answer(send(site, attempt, text="foobar")) == (
        200,
        {"revision": 1, "at": NOW.timestamp(), "late": False},
    )
    before = rows()
    assert answer(send(site, attempt, text="foo")) == (
        409,
        {"problem": "conflict", "revision": 1, "text": "foobar"},
    )
    assert rows() == before


def test_aut_01_a_reply_that_is_lost_is_asked_for_again(site: Client, attempt: Attempt) -> None:
    """AUT-01, second run: the reply to save 1 is held up, so the page sends save 1 again, then save 2."""
    send(site, attempt, text="foo")
    status, again = answer(send(site, attempt, text="foo"))
    assert (status, again["revision"]) == (200, 1)
    assert answer(send(site, attempt, text="foobar", revision=again["revision"]))[1]["revision"] == 2
    assert texts(attempt)[0] == "foobar"


def test_aut_03_the_tab_that_is_behind_learns_of_the_other_text(site: Client, attempt: Attempt) -> None:
    """AUT-03: tab 2 has saved 300 characters; tab 1, still at the empty box, saves "x"."""
    long = "y" * 296 + "END2"
    send(site, attempt, text=long)
    before = rows()
    assert answer(send(site, attempt, text="x")) == (
        409,
        {"problem": "conflict", "revision": 1, "text": long},
    )
    assert rows() == before
    kept = f"{long}\n\nx"
    assert answer(send(site, attempt, text=kept, revision=1))[1]["revision"] == 2
    assert texts(attempt)[0] == kept


def test_aut_12_the_limit_is_counted_as_the_page_counts(site: Client, attempt: Attempt) -> None:
    """AUT-12: 200 line breaks (two characters each on the wire) and 10 emoji; then one more."""
    full = "\r\n" * 200 + "🚀" * 10 + "x" * (16_000 - 210)
    assert answer(send(site, attempt, text=full))[0] == 200
    assert texts(attempt)[0] == full.replace("\r\n", "\n")
    before = rows()
    assert answer(send(site, attempt, text=full + "x", revision=1)) == (
        422,
        {"problem": "refused", "message": TOO_LONG},
    )
    assert rows() == before


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"revision": None}, UNREADABLE),
        ({"revision": "-1"}, UNREADABLE),
        ({"revision": "one"}, UNREADABLE),
        ({"revision": "9" * 30}, UNREADABLE),
        ({"spent": "-5"}, UNREADABLE),
        ({"spent": "86401"}, UNREADABLE),
        ({"spent": "NaN"}, UNREADABLE),
        ({"text": None}, UNREADABLE),
        ({"text": "a\x00b"}, NUL),
    ],
)
def test_a_save_that_cannot_be_read_changes_nothing(
    site: Client, attempt: Attempt, fields: dict[str, Any], message: str
) -> None:
    send(site, attempt, text="safe")
    before = rows()
    response = send(site, attempt, **{"text": "forged", "revision": 1, **fields})
    assert answer(response) == (422, {"problem": "unreadable", "message": message})
    assert rows() == before


def test_a_body_over_the_server_limit_is_refused(site: Client, attempt: Attempt) -> None:
    send(site, attempt, text="safe")
    before = rows()
    assert send(site, attempt, text="x" * 1_000_001, revision=1).status_code == 400
    assert rows() == before


def test_fields_that_are_not_asked_for_change_nothing(site: Client, cleo: User, attempt: Attempt) -> None:
    """A candidate cannot send state, deadline, score, owner or another answer along."""
    other = sit(CandidateFactory())
    forged = {
        "state": "graded",
        "deadline_at": "2099-01-01T00:00",
        "score": "10",
        "user": str(other.user_id),
        "attempt": str(other.pk),
        "position": "3",
        "saved_at": "2026-01-01T00:00",
        "asked_at": "",
        "is_flagged": "1",
        "hints_shown": "9",
        "minutes": "0",
        "id": "1",
    }
    before = rows(*EVERYTHING)
    sent = {"text": "mine", "revision": 0, "spent": 5, **forged}
    assert answer(site.post(at(attempt, "save"), sent))[0] == 200
    changed = Response.objects.get(attempt=attempt, position=1)
    assert (changed.text, changed.revision, changed.saved_at, changed.seconds_spent) == ("mine", 1, NOW, 5)
    changed.text, changed.revision, changed.saved_at, changed.seconds_spent = "", 0, None, 0
    changed.save()
    assert rows(*EVERYTHING) == before


def test_tim_01_late_text_is_kept_beside_the_answer(site: Client, attempt: Attempt, clock: Any) -> None:
    """TIM-01, by our rule: the recorded save is answered 200 with `late`, because the text is kept and
    shown as late; what is graded stays "alpha", and the interview ended at its deadline."""
    send(site, attempt, text="alpha")
    clock.move_to(TOO_LATE, tick=False)
    site.logout()
    site.force_login(attempt.user)
    opened = site.get(at(attempt, "room"))
    assert (opened.status_code, opened.url) == (302, at(attempt, "attempt"))
    saved = answer(send(site, attempt, text="beta", revision=1))
    assert saved == (200, {"revision": 1, "at": TOO_LATE.timestamp(), "late": True})
    moved = send(site, attempt, "go", text="beta", revision=1)
    assert (moved.status_code, moved.url) == (302, at(attempt, "attempt"))
    handed_in = site.post(at(attempt, "finish"))
    assert arrival(site, handed_in) == reverse("interviews:grade", args=[attempt.pk])
    attempt.refresh_from_db()
    assert (texts(attempt)[0], late_texts(attempt)) == ("alpha", ["beta"])
    assert (attempt.state, attempt.finished_at, attempt.ending) == (
        State.GRADING,
        DEADLINE,
        Ending.DEADLINE,
    )


@pytest.mark.parametrize(
    ("after", "late"),
    [(timedelta(0), False), (GRACE, False), (GRACE + timedelta(microseconds=1), True)],
)
def test_the_grace_belongs_to_the_network(
    site: Client, attempt: Attempt, clock: Any, after: timedelta, late: bool
) -> None:
    clock.move_to(DEADLINE + after, tick=False)
    status, saved = answer(send(site, attempt, text="last words"))
    assert (status, saved["late"]) == (200, late)
    assert (texts(attempt)[0], late_texts(attempt)) == (("", ["last words"]) if late else ("last words", []))


def test_the_browser_clock_is_not_asked(site: Client, attempt: Attempt, clock: Any) -> None:
    """A direct request after the deadline that claims another time is late all the same."""
    clock.move_to(TOO_LATE, tick=False)
    response = site.post(
        at(attempt, "save"),
        {"text": "x", "revision": 0, "now": STARTED_AT.isoformat(), "at": str(STARTED_AT.timestamp())},
        headers={"Date": STARTED_AT.isoformat()},
    )
    assert answer(response)[1]["late"] is True


def test_an_abandoned_interview_says_so(site: Client, attempt: Attempt) -> None:
    end(attempt, State.ABANDONED, Ending.ABANDONED)
    before = rows()
    assert answer(send(site, attempt)) == (
        409,
        {
            "problem": "refused",
            "message": "You gave this interview up. What you typed stays on this device only.",
        },
    )
    assert rows() == before


def test_an_unasked_follow_up_says_so(site: Client, attempt: Attempt) -> None:
    assert answer(send(site, attempt, position=2)) == (
        409,
        {"problem": "refused", "message": "This question has not been asked yet."},
    )


def test_tim_13_ten_minutes_stay_ten_over_the_clock_change(client: Client, clock: Any) -> None:
    """TIM-13 over HTTP: dev in New York, the hour that comes twice."""
    started = STARTED_AT.replace(day=1, hour=5, minute=55)
    dev = CandidateFactory(time_zone="America/New_York", is_time_zone_confirmed=True)
    attempt = sit(dev, minutes=10)
    Attempt.objects.update(started_at=started, deadline_at=started + timedelta(minutes=10))
    clock.move_to(started + timedelta(minutes=8), tick=False)
    client.force_login(dev)
    assert answer(client.get(at(attempt, "clock"))) == (200, {"left": 120.0, "running": True})
    assert '<span id="clock-digits">2:00</span>' in client.get(at(attempt, "room")).content.decode()
    clock.move_to(started + timedelta(minutes=9), tick=False)
    assert answer(send(client, attempt))[1]["late"] is False
    clock.move_to(started + timedelta(minutes=70), tick=False)
    client.get(at(attempt, "attempt"))
    attempt.refresh_from_db()
    assert attempt.finished_at == started + timedelta(minutes=10)


def test_tim_17_the_second_interview_inherits_nothing(site: Client, cleo: User, clock: Any) -> None:
    """TIM-17, the server's side: full time and empty boxes; the first address leads to its grading."""
    topic = make_bank()
    first = sit(cleo, topic=topic, minutes=2)
    send(site, first, text="of the first")
    clock.move_to(STARTED_AT + timedelta(seconds=100), tick=False)
    finish_attempt(attempt=first, now=STARTED_AT + timedelta(seconds=100))
    clock.move_to(STARTED_AT, tick=False)
    second = sit(cleo, topic=topic, minutes=2)
    page = site.get(at(second, "room")).content.decode()
    assert '<span id="clock-digits">2:00</span>' in page
    assert box(page) == ""
    assert page.count(", empty") == 3
    assert texts(second) == [""] * 6
    assert site.get(at(first, "room")).url == at(first, "attempt")
    dev = CandidateFactory()
    site.force_login(dev)
    others = site.get(at(sit(dev, topic=topic, minutes=2), "room")).content.decode()
    assert "of the first" not in page + others
    assert (str(cleo.pk) in others, str(dev.pk) in others) == (False, True)


def test_his_07_two_devices_share_one_attempt(client: Client, cleo: User) -> None:
    """HIS-07, the server's side: A on one device, B on the other, handed in on both: one attempt."""
    topic = make_bank(2)
    phone, laptop = Client(), Client()
    for device in (phone, laptop):
        device.force_login(cleo)
    attempt = sit(cleo, topic=topic, questions=2)
    assert sit(cleo, topic=topic, questions=2).pk == attempt.pk
    assert answer(send(phone, attempt, position=1, text="A"))[0] == 200
    assert answer(send(laptop, attempt, position=3, text="B"))[0] == 200
    first, second = laptop.post(at(attempt, "finish")), phone.post(at(attempt, "finish"), follow=True)
    assert arrival(laptop, first) == reverse("interviews:grade", args=[attempt.pk])
    assert "This interview had already been handed in. Nothing was changed." in second.content.decode()
    assert (Attempt.objects.count(), texts(attempt)) == (1, ["A", "", "B", ""])


# --- go -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "wish", "arrives"),
    [
        (1, "next", 3),
        (1, "skip", 3),
        (1, "stay", 1),
        (1, "previous", 1),
        (3, "previous", 1),
        (3, "next", 5),
        (1, "5", 5),
        (3, "1", 1),
        (1, "2", 1),
        (1, "999", 1),
    ],
)
def test_moving_among_what_was_asked(
    site: Client, attempt: Attempt, position: int, wish: str, arrives: int
) -> None:
    """Position 2, 4 and 6 are follow-ups that nobody has asked: they cannot be walked to."""
    plain = send(site, attempt, "go", position, text="", go=wish)
    assert (plain.status_code, plain.url) == (302, at(attempt, "room", arrives))
    part = send(site, attempt, "go", position, text="", go=wish, htmx=True, revision=1)
    assert part.status_code == 200
    assert part.headers["HX-Push-Url"] == at(attempt, "room", arrives)
    assert f'data-position="{arrives}"' in part.content.decode()


def test_past_the_last_question_comes_the_finish_page(site: Client, attempt: Attempt) -> None:
    plain = send(site, attempt, "go", 5, text="")
    assert (plain.status_code, plain.url) == (302, at(attempt, "finish"))
    part = send(site, attempt, "go", 5, text="", htmx=True, revision=1)
    assert (part.status_code, part.content, part.headers["HX-Redirect"]) == (204, b"", at(attempt, "finish"))


def test_finish_saves_first(site: Client, attempt: Attempt) -> None:
    response = send(site, attempt, "go", text="alpha", go="finish")
    assert response.url == at(attempt, "finish")
    assert texts(attempt)[0] == "alpha"
    attempt.refresh_from_db()
    assert attempt.state == State.RUNNING


def test_skip_marks_the_empty_answer_on_the_map(site: Client, attempt: Attempt) -> None:
    part = send(site, attempt, "go", text="", go="skip", htmx=True).content.decode()
    assert re.findall(r'aria-label="(Question [^"]*)"', part) == [
        "Question 1, skipped",
        "Question 2, empty",
        "Question 3, empty",
    ]


def test_a_follow_up_stays_out_of_the_page_until_the_answer_is_left(site: Client, attempt: Attempt) -> None:
    """Neither its text nor its square on the map is in the source before."""
    FollowUp.objects.update(prompt="HIDDEN-ASK", rendered={"prompt": "<p>HIDDEN-ASK</p>", "answer": "-"})
    send(site, attempt, text="alpha")
    shown = site.get(at(attempt, "room")).content.decode()
    stay = send(site, attempt, "go", text="alpha", revision=1, go="stay", htmx=True).content.decode()
    assert "HIDDEN-ASK" not in shown + stay
    assert "Follow-up 1a" not in shown + stay
    asked = send(site, attempt, "go", text="alpha", revision=1, htmx=True).content.decode()
    assert asked.count("HIDDEN-ASK") == 1
    assert 'data-position="2"' in asked
    assert "Follow-up 1a, empty" in asked
    assert "HIDDEN-ASK" not in send(site, attempt, "go", 3, text="", htmx=True).content.decode()


def test_an_empty_answer_has_no_follow_up(site: Client, attempt: Attempt) -> None:
    assert send(site, attempt, "go", text="  \r\n").url == at(attempt, "room", 3)
    assert list(attempt.responses.exclude(asked_at=None).values_list("position", flat=True)) == [1, 3, 5]


@pytest.mark.parametrize("htmx", [False, True], ids=["page", "htmx"])
def test_a_conflict_while_moving_shows_both_texts(site: Client, attempt: Attempt, htmx: bool) -> None:
    send(site, attempt, text="other <tab>")
    before = rows()
    response = send(site, attempt, "go", text="this & tab", htmx=htmx)
    page = response.content.decode()
    assert response.status_code == 409
    assert problem(page) == "This answer was changed in another tab or on another device."
    assert (box(page), hidden(page, "revision")) == ("this &amp; tab", "1")
    assert page.count(">\nother &lt;tab&gt;</textarea>") == 1
    assert ("<html" in page) is not htmx
    assert rows() == before
    assert send(site, attempt, "go", text="this & tab", revision=1, go="stay").status_code == 302
    assert texts(attempt)[0] == "this & tab"


@pytest.mark.parametrize("htmx", [False, True], ids=["page", "htmx"])
@pytest.mark.parametrize(
    ("fields", "message", "kept"),
    [
        ({"text": "x" * 16_001}, TOO_LONG, "x" * 16_001),
        ({"text": "a", "revision": "one"}, UNREADABLE, "a"),
        ({"text": "a", "go": "away"}, UNREADABLE, "a"),
        ({"text": "a", "go": "0"}, UNREADABLE, "a"),
        ({"text": "a", "go": None}, UNREADABLE, "a"),
        ({"text": "a\x00b"}, NUL, "a\x00b"),
        ({"text": None}, UNREADABLE, "safe"),
    ],
)
def test_a_move_that_cannot_be_taken_keeps_what_was_typed(
    site: Client, attempt: Attempt, fields: dict[str, Any], message: str, kept: str, htmx: bool
) -> None:
    send(site, attempt, text="safe")
    before = rows()
    response = send(site, attempt, "go", htmx=htmx, **{"revision": 1, **fields})
    page = response.content.decode()
    assert response.status_code == 422
    assert (problem(page), box(page)) == (message, kept)
    assert ("<html" in page) is not htmx
    assert rows() == before


@pytest.mark.parametrize("text", ["alpha", "beta"], ids=["unchanged", "changed"])
@pytest.mark.parametrize("htmx", [False, True], ids=["page", "htmx"])
def test_moving_after_the_deadline_leaves_the_room_and_asks_nothing(
    site: Client, attempt: Attempt, clock: Any, text: str, htmx: bool
) -> None:
    """With no sweep in between: an unchanged text must not lead on to follow-ups or other questions."""
    send(site, attempt, text="alpha")
    clock.move_to(TOO_LATE, tick=False)
    response = send(site, attempt, "go", text=text, revision=1, htmx=htmx)
    where = response.headers.get("HX-Redirect") if htmx else response.url
    assert (response.status_code, where) == (204 if htmx else 302, at(attempt, "attempt"))
    attempt.refresh_from_db()
    assert (attempt.state, attempt.finished_at) == (State.GRADING, DEADLINE)
    assert list(attempt.responses.exclude(asked_at=None).values_list("position", flat=True)) == [1, 3, 5]
    assert late_texts(attempt) == ([] if text == "alpha" else ["beta"])


def test_moving_in_an_abandoned_interview_keeps_the_text_on_the_page(site: Client, attempt: Attempt) -> None:
    end(attempt, State.ABANDONED, Ending.ABANDONED)
    before = rows()
    response = send(site, attempt, "go", text="more")
    page = response.content.decode()
    assert (response.status_code, box(page)) == (409, "more")
    assert problem(page) == "You gave this interview up. What you typed stays on this device only."
    assert rows() == before


# --- flag, hint, clock ----------------------------------------------------------------------------


def test_flag_swaps_the_bar_alone(site: Client, attempt: Attempt) -> None:
    part = site.post(at(attempt, "flag"), {"flag": "1"}, headers=HTMX).content.decode().strip()
    assert part.startswith('<footer class="bar room-bar" id="room-bar">')
    assert 'aria-label="Question 1, empty, flagged"' in part
    assert 'value="0" aria-pressed="true"' in part
    assert "<textarea" not in part
    plain = site.post(at(attempt, "flag"), {"flag": "0"})
    assert plain.url == at(attempt, "room")
    assert Response.objects.get(attempt=attempt, position=1).is_flagged is False


@pytest.mark.parametrize("htmx", [False, True], ids=["page", "htmx"])
@pytest.mark.parametrize(
    ("name", "mode", "how"),
    [
        ("flag", Mode.MOCK, "ended"),
        ("flag", Mode.MOCK, "overdue"),
        ("flag", Mode.PRACTICE, "ended"),
        ("hint", Mode.PRACTICE, "ended"),
    ],
)
def test_flag_and_hint_lead_out_of_an_ended_interview(
    site: Client, cleo: User, clock: Any, name: str, mode: str, how: str, htmx: bool
) -> None:
    attempt = sit(cleo, mode=mode)
    if how == "ended":
        end(attempt)
    else:
        clock.move_to(TOO_LATE, tick=False)
    before = rows(Response)
    response = site.post(at(attempt, name), {"flag": "1"}, headers=HTMX if htmx else {})
    where = response.headers.get("HX-Redirect") if htmx else response.url
    assert (response.status_code, where) == (204 if htmx else 302, at(attempt, "attempt"))
    assert rows(Response) == before


def test_hints_open_one_by_one_must_haves_first_and_are_counted(site: Client, cleo: User) -> None:
    attempt = sit(cleo, mode=Mode.PRACTICE)
    version = Response.objects.get(attempt=attempt, position=1).version
    RubricPoint.objects.filter(version=version, key="r3").update(is_must=True)
    RubricPoint.objects.filter(version=version, key="r1").update(is_must=False)
    criteria = [f"Criterion {key} of {version.title}" for key in ("r3", "r1", "r2")]
    for count in (1, 2, 3, 3):
        part = site.post(at(attempt, "hint"), headers=HTMX).content.decode().strip()
        assert part.startswith('<div id="hints"')
        assert re.findall(r">Hint \d: (.*?)</p>", part) == criteria[:count]
    assert site.post(at(attempt, "hint")).url == at(attempt, "room")
    page = site.get(at(attempt, "room")).content.decode()
    assert re.findall(r">Hint \d: (.*?)</p>", page) == criteria
    assert Response.objects.get(attempt=attempt, position=1).hints_shown == 3


def test_a_follow_up_has_hints_of_its_own(site: Client, cleo: User) -> None:
    attempt = sit(cleo, mode=Mode.PRACTICE)
    ask_all(attempt)
    title = Response.objects.get(attempt=attempt, position=2).version.title
    part = site.post(at(attempt, "hint", 2), headers=HTMX).content.decode()
    assert re.findall(r">Hint \d: (.*?)</p>", part) == [f"Criterion f1a of {title}"]


def test_a_mock_has_no_hints(site: Client, attempt: Attempt) -> None:
    before = rows()
    assert site.post(at(attempt, "hint")).status_code == 404
    assert "hint" not in site.get(at(attempt, "room")).content.decode()
    assert rows() == before


def test_the_clock_counts_on_the_server(site: Client, attempt: Attempt, clock: Any) -> None:
    assert answer(site.get(at(attempt, "clock"))) == (200, {"left": 840.0, "running": True})
    clock.move_to(DEADLINE + GRACE, tick=False)
    assert answer(site.get(at(attempt, "clock"))) == (200, {"left": 0.0, "running": True})
    clock.move_to(TOO_LATE, tick=False)
    assert answer(site.get(at(attempt, "clock"))) == (200, {"left": 0.0, "running": False})
    attempt.refresh_from_db()
    assert (attempt.state, attempt.finished_at) == (State.GRADING, DEADLINE)


def test_without_a_limit_the_clock_has_nothing_to_count(site: Client, cleo: User) -> None:
    attempt = sit(cleo, mode=Mode.PRACTICE)
    assert answer(site.get(at(attempt, "clock"))) == (200, {"left": None, "running": True})


# --- what stays secret (P13) ----------------------------------------------------------------------


def test_p13_nothing_an_answer_is_measured_by_leaves_the_server_while_it_runs(
    site: Client, attempt: Attempt, clock: Any
) -> None:
    plant_canaries(attempt)
    ask_all(attempt)
    replies = [site.get(at(attempt, name, n), headers=h) for name in GETS for n in (1, 2) for h in ({}, HTMX)]
    for n in range(1, 7):
        for htmx in (False, True):
            replies += [
                send(site, attempt, "save", n, text=f"answer {n}", revision=int(htmx)),
                send(site, attempt, "save", n, text="conflict", revision=40),
                send(site, attempt, "save", n, text="x\x00"),
                send(site, attempt, "go", n, text="conflict", revision=40, htmx=htmx),
                send(site, attempt, "go", n, text="x" * 16_001, htmx=htmx),
                send(site, attempt, "go", n, text=f"answer {n}", revision=1, go="stay", htmx=htmx),
                send(site, attempt, "go", n, text=f"answer {n}", revision=1, htmx=htmx),
                site.post(at(attempt, "flag", n), {"flag": "1"}, headers=HTMX if htmx else {}),
                site.post(at(attempt, "hint", n), headers=HTMX if htmx else {}),
            ]
    replies += [
        site.get(at(attempt, "finish")),
        site.get("/"),
        site.get("/start/"),
        site.get("/start/custom/"),
    ]
    attempt.refresh_from_db()
    assert attempt.state == State.RUNNING
    assert {reply.status_code for reply in replies} == {200, 204, 302, 404, 409, 422}
    assert [reply.request["PATH_INFO"] for reply in replies if CANARY in reply.content.decode()] == []


def test_p13_the_setting_of_a_follow_up_asked_alone_tells_nothing(site: Client, cleo: User) -> None:
    slots = [Slot(kinds=tuple(Kind.values), minutes=3, follow_up_only=True)]
    attempt = sit(cleo, topic=make_bank(1), slots=slots)
    plant_canaries(attempt)
    page = site.get(at(attempt, "room")).content.decode()
    response = Response.objects.get(attempt=attempt)
    assert page.count(response.version.prompt) == 1
    assert response.follow_up is not None
    assert page.count(response.follow_up.prompt) == 1
    moved = send(site, attempt, "go", text="answer", go="stay", htmx=True).content.decode()
    assert (CANARY in page, CANARY in moved) == (False, False)


def test_p13_practice_shows_criteria_only_when_asked_for_and_only_those(site: Client, cleo: User) -> None:
    attempt = sit(cleo, mode=Mode.PRACTICE)
    plant_canaries(attempt)
    ask_all(attempt)
    pages = [site.get(at(attempt, "room", n)) for n in range(1, 7)] + [site.get(at(attempt, "finish"))]
    assert [CANARY in page.content.decode() for page in pages] == [False] * 7
    hint = site.post(at(attempt, "hint"), headers=HTMX).content.decode()
    assert re.findall(rf"{CANARY}[-\w]*", hint) == [f"{CANARY}-criterion"]
    others = [site.get(at(attempt, "room", n)).content.decode() for n in range(2, 7)]
    assert [CANARY in page for page in others] == [False] * 5


# --- what it costs --------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", [1, 3, 10])
def test_statements_of_the_room_do_not_grow_with_the_questions(
    site: Client, cleo: User, questions: int
) -> None:
    """Session and person are the first two of each. PRF-03: a save needs one more."""
    attempt = sit(cleo, questions=questions)
    ask_all(attempt)
    counts = {}
    for name, ask in {
        "room": lambda: site.get(at(attempt, "room")),
        "save": lambda: send(site, attempt),
        "repeat": lambda: send(site, attempt),
        "conflict": lambda: send(site, attempt, text="other"),
        "clock": lambda: site.get(at(attempt, "clock")),
        "flag": lambda: site.post(at(attempt, "flag"), {"flag": "1"}, headers=HTMX),
        "go": lambda: send(site, attempt, "go", text="next", revision=1, htmx=True),
        "go unchanged": lambda: send(site, attempt, "go", text="next", revision=1, htmx=True),
    }.items():
        with statements() as sent:
            ask()
        counts[name] = len(sent)
    assert counts == {
        "room": 6,
        "save": 3,
        "repeat": 4,
        "conflict": 4,
        "clock": 3,
        "flag": 5,
        "go": 8,
        "go unchanged": 7,
    }


def test_a_save_answers_in_a_few_bytes_whatever_was_saved(site: Client, attempt: Attempt) -> None:
    """B1: at most 400 bytes back; PRF-03."""
    sizes = [
        len(send(site, attempt, text=text, revision=n).content) for n, text in enumerate(["", "x" * 16_000])
    ]
    assert max(sizes) <= 400


@pytest.mark.parametrize("questions", [1, 3, 10])
def test_a_later_view_of_the_room_is_small(site: Client, cleo: User, questions: int) -> None:
    """B2: at most 4 kB compressed, with the longest shipped question and an answer of 600 characters."""
    path = settings.BASE_DIR / "fixtures/bank/mle/mlops/rollback-that-changed-nothing.yaml"
    shipped = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    fields = {name: shipped[name] for name in ("title", "prompt", "context", "data") if shipped.get(name)}
    attempt = sit(cleo, topic=make_bank(questions, **fields), questions=questions)
    ask_all(attempt)
    text = shipped["model_answer"][:600]
    Response.objects.filter(attempt=attempt).update(text=text, revision=1, saved_at=NOW)
    response = site.post(
        at(attempt, "go"),
        {"text": text, "revision": 1, "spent": 5, "go": "stay"},
        headers={**HTMX, "Accept-Encoding": "gzip"},
    )
    assert (response.status_code, response.headers["Content-Encoding"]) == (200, "gzip")
    assert len(response.content) <= 4096
