"""What a start says and does beside starting, whichever button it was."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.conf import settings
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from prepapp.accounts.actions import delete_stale_guests
from prepapp.accounts.models import User
from prepapp.bank.models import Topic
from prepapp.interviews.models import Attempt
from tests.factories.interviews import STARTED_AT, BlueprintFactory, CandidateFactory
from tests.interviews.sitting import make_bank, track_of

pytestmark = pytest.mark.django_db

NEW = reverse("interviews:start-new")
CUSTOM = reverse("interviews:custom")


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(STARTED_AT, tick=False) as traveller:
        yield traveller


@pytest.fixture
def cleo() -> User:
    person: User = CandidateFactory(time_zone="Asia/Tokyo")
    return person


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


@pytest.fixture
def topic() -> Topic:
    BlueprintFactory(slug="screen", title="Phone screen", minutes=15, recipe={"slots": [{"minutes": 5}] * 3})
    return make_bank(3)


def press(client: Client, topic: Topic, key: UUID, **fields: str) -> Any:
    values = {"blueprint": "screen", "level": "intermediate", "mode": "mock", **fields}
    return client.post(NEW, values | {"track": track_of(topic), "start_key": str(key)})


def by_hand(client: Client, topic: Topic, key: UUID, **fields: str) -> Any:
    values = {"level": "intermediate", "count": "2", "minutes": "20", "mode": "practice", **fields}
    return client.post(CUSTOM, values | {"track": track_of(topic), "start_key": str(key)})


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


@pytest.mark.parametrize(
    ("start", "title", "other"),
    [(press, "Phone screen", {"level": "senior"}), (by_hand, "Custom interview", {"count": "1"})],
)
def test_a_start_that_leads_to_another_interview_says_which(
    site: Client, topic: Topic, start: Any, title: str, other: dict[str, str]
) -> None:
    """The choices of the press are not those of the interview one lands in, so silence would mislead."""
    assert said(start(site, topic, uuid4())) == []
    response = start(site, topic, uuid4(), **other)
    began = "12 Nov, 23:00"
    assert said(response) == [
        f"“{title}” of {began} is still running, so here it is. Hand it in or give it up, then start another."
    ]
    assert Attempt.objects.count() == 1
    room = site.get(response.headers["Location"], follow=True).text
    assert f"“{title}” of {began} is still running" in room


@pytest.mark.parametrize("start", [press, by_hand])
def test_p9_a_repeat_of_the_same_press_says_nothing(site: Client, topic: Topic, start: Any) -> None:
    key = uuid4()
    replies = [start(site, topic, key) for _ in range(3)]
    assert [said(reply) for reply in replies] == [[]] * 3
    assert Attempt.objects.count() == 1


AGE = timedelta(seconds=settings.SESSION_COOKIE_AGE)


def test_a_guest_who_comes_back_keeps_session_and_work(client: Client, topic: Topic, clock: Any) -> None:
    """Thirty days count from the last start, for the session and for the task that deletes its guest."""
    for days in (0, 20, 40):
        clock.move_to(STARTED_AT + timedelta(days=days), tick=False)
        press(client, topic, uuid4())
        assert client.session.get_expiry_date() == STARTED_AT + timedelta(days=days) + AGE
        delete_stale_guests(now=STARTED_AT + timedelta(days=days))
    guest = User.objects.get()
    assert Attempt.objects.filter(user=guest).count() == 3
    assert delete_stale_guests(now=STARTED_AT + timedelta(days=70)) == 0
    assert delete_stale_guests(now=STARTED_AT + timedelta(days=71)) == 1
    assert Attempt.objects.count() == 0


def test_a_retake_renews_the_session(site: Client, topic: Topic, clock: Any) -> None:
    press(site, topic, uuid4())
    clock.move_to(STARTED_AT + timedelta(days=20), tick=False)
    retake = reverse("interviews:retake", args=[Attempt.objects.get().pk])
    site.get("/")
    site.post(retake, {"start_key": str(uuid4())})
    assert site.session.get_expiry_date() == STARTED_AT + timedelta(days=20) + AGE
    assert Attempt.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"track": "gone"}, "That track is not offered any more. Choose another one."),
        ({"start_key": "x"}, "This form was too old. Press start again."),
    ],
)
def test_what_is_wrong_with_a_hidden_field_is_said(
    site: Client, topic: Topic, fields: dict[str, str], words: str
) -> None:
    values = {"level": "senior", "count": "2", "minutes": "33", "mode": "mock", "start_key": str(uuid4())}
    reply = site.post(CUSTOM, values | {"track": track_of(topic)} | fields)
    assert (reply.status_code, f"data-focus>{words}</div>" in reply.text) == (422, True)
    assert 'value="33"' in reply.text
    assert 'value="x"' not in reply.text


def test_too_many_starts_keep_what_was_chosen(site: Client, topic: Topic, settings: Any) -> None:
    settings.STARTS_PER_HOUR = 0
    reply = by_hand(site, topic, uuid4(), minutes="33")
    assert (reply.status_code, 'value="33"' in reply.text) == (429, True)
    assert "You started many interviews within an hour." in reply.text


def test_another_track_keeps_what_was_chosen(site: Client, topic: Topic) -> None:
    choice = {"level": "senior", "count": "4", "minutes": "44", "mode": "practice"}
    form = site.get(CUSTOM, choice | {"track": track_of(topic)}).context["form"]
    assert {name: form[name].value() for name in choice} == choice
