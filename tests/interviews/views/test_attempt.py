"""The address of an attempt leads to whatever is due."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.interviews.choices import Ending, State
from prepapp.interviews.models import Attempt, Response
from tests.accounts.steps import be_guest
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.interviews.sitting import GRACE, at, rows, sit, statements

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)


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


def leads_to(client: Client, attempt: Attempt) -> str:
    response = client.get(at(attempt, "attempt"))
    assert response.status_code == 302
    return str(response.url)


@pytest.mark.parametrize(
    ("state", "route"),
    [(State.GRADING, "grade"), (State.GRADED, "result"), (State.ABANDONED, "review")],
)
def test_an_ended_attempt_leads_to_its_page(site: Client, cleo: User, state: str, route: str) -> None:
    attempt = AttemptFactory(user=cleo, state=state)
    assert leads_to(site, attempt) == reverse(f"interviews:{route}", args=[attempt.pk])


def test_a_running_attempt_leads_to_its_first_question(site: Client, cleo: User) -> None:
    attempt = sit(cleo)
    assert leads_to(site, attempt) == at(attempt, "room", 1)


def test_a_running_attempt_leads_back_to_the_answer_saved_last(site: Client, cleo: User) -> None:
    attempt = sit(cleo)
    for minute, position in enumerate((5, 3, 1)):
        Response.objects.filter(attempt=attempt, position=position).update(
            text="x", saved_at=NOW - timedelta(minutes=minute)
        )
    assert leads_to(site, attempt) == at(attempt, "room", 5)


def test_looking_at_an_overdue_attempt_closes_it_as_of_its_deadline(
    site: Client, cleo: User, clock: Any
) -> None:
    attempt = sit(cleo)
    clock.move_to(DEADLINE + GRACE, tick=False)
    assert leads_to(site, attempt) == at(attempt, "room", 1)
    clock.move_to(DEADLINE + GRACE + timedelta(microseconds=1), tick=False)
    assert leads_to(site, attempt) == reverse("interviews:grade", args=[attempt.pk])
    attempt.refresh_from_db()
    assert (attempt.finished_at, attempt.ending) == (DEADLINE, Ending.DEADLINE)


def test_a_guest_comes_back_to_their_attempt(client: Client) -> None:
    attempt = sit(be_guest(client))
    assert leads_to(client, attempt) == at(attempt, "room", 1)


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "htmx"])
def test_a_foreign_attempt_answers_as_one_that_is_not_there(
    client: Client, cleo: User, headers: dict[str, str], clock: Any
) -> None:
    """Not even closing it: a stranger's look at an overdue attempt changes nothing."""
    attempt = sit(cleo)
    clock.move_to(DEADLINE + timedelta(hours=1), tick=False)
    client.force_login(CandidateFactory())
    before = rows()
    replies = [
        client.get(at(target, "attempt"), headers=headers) for target in (attempt, Attempt(pk=uuid4()))
    ]
    assert [reply.status_code for reply in replies] == [404, 404]
    assert replies[0].content == replies[1].content
    assert rows() == before


def test_signed_out_leads_to_sign_in_and_back(client: Client, cleo: User) -> None:
    attempt = sit(cleo)
    assert leads_to(client, attempt) == f"{reverse('account_login')}?next={at(attempt, 'attempt')}"


def test_wrong_verbs_are_refused(site: Client, cleo: User) -> None:
    attempt = sit(cleo)
    for method in ("post", "put", "patch", "delete"):
        response = getattr(site, method)(at(attempt, "attempt"))
        assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("questions", [1, 3, 10])
def test_statements_do_not_grow_with_the_questions(site: Client, cleo: User, questions: int) -> None:
    """Session, person, attempt, where to go on."""
    attempt = sit(cleo, questions=questions)
    with statements() as sent:
        leads_to(site, attempt)
    assert len(sent) == 4, sent
