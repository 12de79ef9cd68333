"""Handing in and giving up over HTTP: the last look, the button, the button again."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt, Response
from tests.accounts.steps import be_guest
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.interviews.sitting import CANARY, GRACE, arrival, at, plant_canaries, rows, sit, statements

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)
TOO_LATE = DEADLINE + GRACE + timedelta(seconds=1)
SIGN_IN = reverse("account_login")
HTMX = {"HX-Request": "true"}
HANDED_IN = "This interview had already been handed in. Nothing was changed."
TIME_WAS_UP = "Time was up: this interview was handed in at its deadline, with what had been saved."
GIVEN_UP = "This interview had been given up. It cannot be handed in any more."


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


def end_of(attempt: Attempt) -> tuple[Any, ...]:
    stored = Attempt.objects.get(pk=attempt.pk)
    return stored.state, stored.finished_at, stored.ending


def said(response: Any) -> list[str]:
    return [str(message) for message in response.wsgi_request._messages]


def items(html: str, heading: str) -> list[str]:
    found = re.search(rf"<h2>{heading}</h2>\s*<ul[^>]*>(.*?)</ul>", html, re.DOTALL)
    return re.findall(r">([^<>]+)</a>", found[1]) if found else []


# --- the last look --------------------------------------------------------------------------------


def test_the_page_names_what_is_empty_and_what_is_flagged(site: Client, attempt: Attempt) -> None:
    Response.objects.filter(attempt=attempt, position=1).update(text="alpha", is_flagged=True)
    Response.objects.filter(attempt=attempt, position=3).update(is_skipped=True)
    page = site.get(at(attempt, "finish")).content.decode()
    assert items(page, "Still empty") == ["Question 2, skipped", "Question 3, empty"]
    assert items(page, "Flagged to come back to") == ["Question 1, answered, flagged"]
    assert '<span id="clock-digits">14:00</span>' in page
    assert f'href="{at(attempt, "room", 3)}"' in page


def test_with_everything_answered_it_says_so(site: Client, attempt: Attempt) -> None:
    Response.objects.filter(attempt=attempt).update(text="alpha", asked_at=STARTED_AT)
    page = site.get(at(attempt, "finish")).content.decode()
    assert "All 6 questions have an answer." in page
    assert "Still empty" not in page


def test_looking_ends_nothing_and_tells_no_secret(site: Client, attempt: Attempt) -> None:
    plant_canaries(attempt)
    before = rows()
    for _ in range(2):
        assert CANARY not in site.get(at(attempt, "finish")).content.decode()
    assert rows() == before


@pytest.mark.parametrize("questions", [1, 3, 10])
def test_statements_do_not_grow_with_the_questions(site: Client, cleo: User, questions: int) -> None:
    """Session, person, attempt, map; handing in is the attempt and one guarded UPDATE (B3)."""
    attempt = sit(cleo, questions=questions)
    with statements() as look:
        site.get(at(attempt, "finish"))
    with statements() as hand_in:
        site.post(at(attempt, "finish"))
    assert (len(look), len(hand_in)) == (4, 4)


# --- handing in -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "finished_at", "ending"),
    [
        (NOW, NOW, Ending.FINISHED),
        (DEADLINE, DEADLINE, Ending.DEADLINE),
        (TOO_LATE, DEADLINE, Ending.DEADLINE),
    ],
)
def test_handing_in_leads_to_the_grading(
    site: Client, attempt: Attempt, clock: Any, now: Any, finished_at: Any, ending: str
) -> None:
    clock.move_to(now, tick=False)
    response = site.post(at(attempt, "finish"))
    assert said(response) == []
    assert end_of(attempt) == (State.GRADING, finished_at, ending)
    assert arrival(site, response) == reverse("interviews:grade", args=[attempt.pk])


def test_tim_11_the_second_button_says_what_the_first_did(site: Client, attempt: Attempt) -> None:
    """TIM-11 (4), HIS-07: an old page's button changes nothing, says so and leads to the result."""
    site.post(at(attempt, "finish"))
    before = rows()
    response = site.post(at(attempt, "finish"))
    assert said(response) == [HANDED_IN]
    assert arrival(site, response) == reverse("interviews:grade", args=[attempt.pk])
    assert rows() == before


def test_tim_11_an_overdue_attempt_looks_the_same_at_every_look(
    site: Client, attempt: Attempt, clock: Any
) -> None:
    """TIM-11: no sweep has run; the first look and the second are equal, and a new start works."""
    clock.move_to(TOO_LATE, tick=False)
    looks = [site.get(at(attempt, name)).url for name in ("attempt", "attempt", "room", "finish")]
    grading = reverse("interviews:grade", args=[attempt.pk])
    assert looks == [grading, grading, at(attempt, "attempt"), at(attempt, "attempt")]
    assert end_of(attempt) == (State.GRADING, DEADLINE, Ending.DEADLINE)
    response = site.post(at(attempt, "finish"))
    assert said(response) == [TIME_WAS_UP]


@pytest.mark.parametrize(
    ("state", "ending", "words"),
    [
        (State.GRADED, Ending.FINISHED, HANDED_IN),
        (State.GRADED, Ending.DEADLINE, TIME_WAS_UP),
        (State.ABANDONED, Ending.ABANDONED, GIVEN_UP),
    ],
)
@pytest.mark.parametrize("name", ["finish", "abandon"])
def test_neither_button_moves_an_ended_interview(
    site: Client, cleo: User, name: str, state: str, ending: str, words: str
) -> None:
    attempt = AttemptFactory(user=cleo, state=state, ending=ending)
    before = rows()
    response = site.post(at(attempt, name))
    assert said(response) == [words]
    page = "result" if state == State.GRADED else "review"
    assert arrival(site, response) == reverse(f"interviews:{page}", args=[attempt.pk])
    assert rows() == before


def test_fields_that_are_not_asked_for_change_nothing(site: Client, attempt: Attempt) -> None:
    other = CandidateFactory()
    site.post(
        at(attempt, "finish"),
        {"state": "graded", "score": "10", "finished_at": "2020-01-01", "user": str(other.pk), "ending": "x"},
    )
    stored = Attempt.objects.get()
    assert (stored.state, stored.score, stored.finished_at, stored.user_id, stored.ending) == (
        State.GRADING,
        None,
        NOW,
        attempt.user_id,
        Ending.FINISHED,
    )


# --- giving up ------------------------------------------------------------------------------------


def test_giving_up_leads_to_the_review(site: Client, attempt: Attempt) -> None:
    response = site.post(at(attempt, "abandon"))
    assert said(response) == []
    assert end_of(attempt) == (State.ABANDONED, NOW, Ending.ABANDONED)
    assert arrival(site, response) == reverse("interviews:review", args=[attempt.pk])


def test_giving_up_after_the_deadline_is_handing_in_at_the_deadline(
    site: Client, attempt: Attempt, clock: Any
) -> None:
    clock.move_to(TOO_LATE, tick=False)
    assert said(site.post(at(attempt, "abandon"))) == [TIME_WAS_UP]
    assert end_of(attempt) == (State.GRADING, DEADLINE, Ending.DEADLINE)


def test_practice_can_be_handed_in_and_given_up(site: Client, cleo: User, clock: Any) -> None:
    first = sit(cleo, mode=Mode.PRACTICE)
    clock.move_to(STARTED_AT + timedelta(days=3), tick=False)
    site.force_login(cleo)
    site.post(at(first, "finish"))
    assert end_of(first) == (State.GRADING, STARTED_AT + timedelta(days=3), Ending.FINISHED)


# --- who may --------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
@pytest.mark.parametrize(("name", "method"), [("finish", "get"), ("finish", "post"), ("abandon", "post")])
def test_a_foreign_attempt_answers_as_one_that_is_not_there(
    client: Client, attempt: Attempt, name: str, method: str, headers: dict[str, str]
) -> None:
    client.force_login(CandidateFactory())
    before = rows()
    replies = [
        getattr(client, method)(at(target, name), headers=headers)
        for target in (attempt, Attempt(pk=uuid4()))
    ]
    assert [reply.status_code for reply in replies] == [404, 404]
    assert replies[0].content == replies[1].content
    assert rows() == before


@pytest.mark.parametrize(("name", "method"), [("finish", "get"), ("finish", "post"), ("abandon", "post")])
def test_signed_out_leads_to_sign_in(client: Client, attempt: Attempt, name: str, method: str) -> None:
    before = rows()
    plain = getattr(client, method)(at(attempt, name))
    assert (plain.status_code, plain.url.partition("?")[0]) == (302, SIGN_IN)
    part = getattr(client, method)(at(attempt, name), headers=HTMX)
    assert (part.status_code, part.headers["HX-Trigger"]) == (401, "signed-out")
    assert rows() == before


def test_a_guest_hands_in_what_they_started(client: Client) -> None:
    attempt = sit(be_guest(client))
    grading = reverse("interviews:grade", args=[attempt.pk])
    assert arrival(client, client.post(at(attempt, "finish"))) == grading
    assert end_of(attempt) == (State.GRADING, NOW, Ending.FINISHED)


@pytest.mark.parametrize("name", ["finish", "abandon"])
def test_without_the_token_nothing_ends(cleo: User, attempt: Attempt, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cleo)
    assert client.post(at(attempt, name)).status_code == 403
    assert end_of(attempt) == (State.RUNNING, None, "")
    client.get(at(attempt, "finish"))
    token = client.cookies[settings.CSRF_COOKIE_NAME].value
    client.post(at(attempt, name), headers={"X-CSRFToken": token})
    assert end_of(attempt)[0] == (State.GRADING if name == "finish" else State.ABANDONED)


@pytest.mark.parametrize(("name", "allowed"), [("finish", "GET, HEAD, POST"), ("abandon", "POST")])
def test_wrong_verbs_are_refused(site: Client, attempt: Attempt, name: str, allowed: str) -> None:
    before = rows()
    for method in {"get", "head", "post", "put", "patch", "delete"} - {*allowed.lower().split(", ")}:
        response = getattr(site, method)(at(attempt, name))
        assert (response.status_code, response.headers["Allow"]) == (405, allowed)
    assert rows() == before


@pytest.mark.parametrize(("name", "method"), [("finish", "get"), ("finish", "post"), ("abandon", "post")])
def test_nothing_is_stored_by_the_browser(site: Client, attempt: Attempt, name: str, method: str) -> None:
    assert getattr(site, method)(at(attempt, name)).headers["Cache-Control"] == "no-store, private"
