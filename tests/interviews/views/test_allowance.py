"""Changing the time allowance over HTTP, also while an interview runs (P10)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.interviews.models import Attempt
from tests.accounts.steps import be_guest
from tests.factories.interviews import STARTED_AT, CandidateFactory
from tests.interviews.sitting import EVERYTHING, at, rows, sit

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=1)
URL = reverse("interviews:allowance")
PREFERENCES = reverse("accounts:preferences")


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


def said(response: Any) -> list[str]:
    return [str(message) for message in response.wsgi_request._messages]


@pytest.mark.parametrize(
    ("running", "words"),
    [
        (0, "Time allowance saved."),
        (1, "Time allowance saved. 1 running interview changed with it."),
        (2, "Time allowance saved. 2 running interviews changed with it."),
    ],
)
def test_it_is_stored_and_says_what_changed_with_it(
    site: Client, cleo: User, running: int, words: str
) -> None:
    for _ in range(running):
        sit(cleo)
    response = site.post(URL, {"time_allowance": "1.50"})
    assert (response.status_code, response.url, said(response)) == (302, PREFERENCES, [words])
    assert User.objects.get(pk=cleo.pk).time_allowance == "1.50"
    assert set(Attempt.objects.values_list("time_allowance", flat=True)) <= {"1.50"}


def test_p10_the_open_room_counts_by_the_new_deadline(site: Client, cleo: User, clock: Any) -> None:
    attempt = sit(cleo)
    assert site.get(at(attempt, "clock")).json() == {"left": 840.0, "running": True}
    site.post(URL, {"time_allowance": "1.50"})
    assert site.get(at(attempt, "clock")).json() == {"left": 1290.0, "running": True}
    assert "of 22:30 = 15:00 × 1.5" in site.get(at(attempt, "room")).content.decode()
    clock.move_to(STARTED_AT + timedelta(minutes=22), tick=False)
    saved = site.post(at(attempt, "save"), {"text": "in the added time", "revision": 0}).json()
    assert (saved["revision"], saved["late"]) == (1, False)


def test_a_guest_may_need_more_time_too(client: Client) -> None:
    guest = be_guest(client)
    attempt = sit(guest)
    client.post(URL, {"time_allowance": "2.00"})
    attempt.refresh_from_db()
    assert attempt.deadline_at == STARTED_AT + timedelta(minutes=30)


@pytest.mark.parametrize("value", ["9.00", "1.5", "", None, "untimed\x00"])
def test_what_is_not_listed_changes_nothing(site: Client, cleo: User, value: str | None) -> None:
    sit(cleo)
    before = rows(*EVERYTHING)
    response = site.post(URL, {} if value is None else {"time_allowance": value})
    assert (response.url, said(response)) == (
        PREFERENCES,
        ["Choose one of the listed allowances. Nothing was changed."],
    )
    assert rows(*EVERYTHING) == before


def test_nobody_else_is_changed_by_a_forged_owner(site: Client, cleo: User) -> None:
    dev = CandidateFactory()
    theirs = sit(dev)
    site.post(
        URL, {"time_allowance": "2.00", "user": str(dev.pk), "is_staff": "1", "email": "x@example.test"}
    )
    assert Attempt.objects.get().deadline_at == theirs.deadline_at
    assert {(user.pk, user.time_allowance, user.is_staff) for user in User.objects.all()} == {
        (cleo.pk, "2.00", False),
        (dev.pk, "1.00", False),
    }


def test_signed_out_leads_to_sign_in(client: Client) -> None:
    response = client.post(URL, {"time_allowance": "2.00"})
    assert (response.status_code, response.url.partition("?")[0]) == (302, reverse("account_login"))


@pytest.mark.parametrize("method", ["get", "head", "put", "patch", "delete"])
def test_wrong_verbs_are_refused(site: Client, method: str) -> None:
    response = getattr(site, method)(URL)
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
