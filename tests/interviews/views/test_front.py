"""The front page: for a visitor the first interview, for a candidate the next step."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.test import Client

from prepapp.accounts.models import User
from prepapp.bank.models import RubricPoint, Topic
from prepapp.interviews.models import Attempt
from tests.factories.interviews import (
    STARTED_AT,
    BlueprintFactory,
    CandidateFactory,
)
from tests.interviews.sitting import (
    CANARY,
    GRACE,
    arrival,
    at,
    make_bank,
    plant_canaries,
    sit,
    statements,
    track_of,
)

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)
OVERDUE = DEADLINE + GRACE + timedelta(seconds=1)
ONE_FOLLOW_UP = {"slots": [{"minutes": 3, "follow_up_only": True}] * 3}


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
def topics() -> list[Topic]:
    return [make_bank(3), make_bank(3)]


def quick_forms(page: str) -> list[dict[str, str]]:
    """The hidden fields of every form that starts an interview."""
    forms = re.findall(r'<form method="post" action="/start/new">(.*?)</form>', page, re.DOTALL)
    return [dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)) for form in forms]


def headline(page: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", page)
    assert found
    return found[1]


# --- a visitor ------------------------------------------------------------------------------------


def test_one_press_of_a_visitor_starts_the_first_interview(client: Client, topics: list[Topic]) -> None:
    BlueprintFactory(slug="quick-quiz", title="Quick quiz", minutes=10, recipe=ONE_FOLLOW_UP)
    page = client.get("/").content.decode()
    assert headline(page) == "Sit the interview before the interview."
    forms = quick_forms(page)
    assert [form["track"] for form in forms] == [track_of(topic) for topic in topics]
    response = client.post("/start/new", forms[0])
    attempt = Attempt.objects.get()
    assert arrival(client, response) == at(attempt, "room")
    assert (attempt.minutes, attempt.track_id, attempt.user.is_guest) == (10, track_of(topics[0]), True)
    assert attempt.responses.exclude(asked_at=None).count() == 3


def test_p9_a_press_on_one_track_never_finds_the_interview_of_another(
    client: Client, topics: list[Topic]
) -> None:
    """The back button shows the same page again: the other track on it starts an interview of its own,
    the same track finds the one it has started."""
    BlueprintFactory(slug="quick-quiz", minutes=10, recipe=ONE_FOLLOW_UP)
    forms = quick_forms(client.get("/").content.decode())
    assert len({UUID(form["start_key"]) for form in forms}) == 2
    urls = [arrival(client, client.post("/start/new", forms[place])) for place in (0, 1, 0, 1)]
    assert urls[:2] == urls[2:]
    started = Attempt.objects.order_by("track__position").values_list("track", flat=True)
    assert list(started) == [track_of(topic) for topic in topics]


def test_a_track_with_few_questions_is_for_reading(client: Client) -> None:
    few, none = make_bank(2), make_bank(1)
    none.questions.update(status="draft")
    page = client.get("/").content.decode()
    assert quick_forms(page) == []
    assert f'<a href="/questions/?track={track_of(few)}">' in page
    assert f"track={track_of(none)}" not in page


def test_the_sample_shows_two_points_and_nothing_that_answers(client: Client, topics: list[Topic]) -> None:
    """Two criteria are shown on purpose, to nobody who is in an interview; the rest stays secret."""
    attempt = sit(CandidateFactory(), topic=topics[0])
    sit(CandidateFactory(), topic=topics[1])
    for running in Attempt.objects.all():
        plant_canaries(running)
    RubricPoint.objects.update(criterion="Shown criterion")
    page = client.get("/").content.decode()
    assert page.count("Shown criterion") == 2
    assert "and 1 more, shown when you have answered" in page
    assert CANARY not in page
    assert attempt.is_running


def test_an_empty_bank_still_has_a_front_page(client: Client) -> None:
    page = client.get("/").content.decode()
    assert headline(page) == "Sit the interview before the interview."
    assert quick_forms(page) == []


@pytest.mark.parametrize("tracks", [1, 3])
def test_statements_of_a_visitor_do_not_grow_with_the_tracks(client: Client, tracks: int) -> None:
    """Tracks, then the sample: which there are, the one, its points."""
    for _ in range(tracks):
        make_bank(3)
    with statements() as sent:
        client.get("/")
    assert len(sent) == 4, sent


def test_a_page_of_a_session_is_not_stored_by_the_browser(site: Client) -> None:
    assert site.get("/").headers["Cache-Control"] == "no-store, private"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_wrong_verbs_are_refused(site: Client, method: str) -> None:
    response = getattr(site, method)("/")
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
