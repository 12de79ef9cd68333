"""One press starts the drill of a topic, once, and what it says of its choice stays."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.test import Client

from prepapp.accounts.models import User
from prepapp.bank.choices import Status
from prepapp.bank.models import Topic
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Blueprint
from prepapp.reports.actions.evidence import rebuild
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, BlueprintFactory, CandidateFactory
from tests.interviews.sitting import arrival, at, make_bank, rows, statements, track_of

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(days=3)
KEY = UUID(int=5)


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture(autouse=True)
def blueprint() -> Blueprint:
    made: Blueprint = BlueprintFactory(
        slug="drill", title="Weak-area drill", minutes=20, recipe={"drill": True}
    )
    return made


@pytest.fixture
def cleo() -> User:
    person: User = CandidateFactory()
    return person


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


@pytest.fixture
def topic() -> Topic:
    return make_bank(5, follow_ups=0)


def press(client: Client, topic: Topic, key: UUID = KEY, **fields: Any) -> Any:
    return client.post("/start/drill/", {"topic": topic.pk, "start_key": key, **fields})


def grade(user: User, topic: Topic, value: int, count: int = 6) -> None:
    """Enough mocks on the topic to be sure of it."""
    for number, question in enumerate(create_questions(count, topic=topic, follow_ups=0, minutes=21)):
        AttemptFactory(
            user=user,
            state=State.GRADED,
            started_at=STARTED_AT + timedelta(hours=number),
            responses__questions=[question],
            grading__value=value,
        )
    list(rebuild())


def test_one_press_starts_a_twenty_minute_mock_of_the_topic(site: Client, topic: Topic) -> None:
    response = press(site, topic)
    attempt = Attempt.objects.exclude(state=State.GRADED).get()
    assert arrival(site, response) == at(attempt, "room")
    assert (attempt.mode, attempt.minutes, attempt.track_id) == (Mode.MOCK, 20, track_of(topic))
    assert attempt.deadline_at == NOW + timedelta(minutes=20)
    assert attempt.blueprint and attempt.blueprint.slug == "drill"
    assert [
        r.version.question.topic for r in attempt.responses.select_related("version__question__topic")
    ] == [topic] * 4
    assert attempt.reason == f"Four questions you have not seen on {topic.title}."


def test_a_weak_topic_is_called_so_and_a_strong_one_comes_along(
    site: Client, cleo: User, topic: Topic
) -> None:
    strong = TopicFactory(title="Ownership")
    create_questions(1, topic=strong, follow_ups=0)
    grade(cleo, topic, MarkValue.MISSED)
    grade(cleo, strong, MarkValue.MET, count=12)
    press(site, topic)
    attempt = Attempt.objects.get(state=State.RUNNING)
    assert attempt.title == f"Weak-area drill: {topic.title}"
    assert (
        attempt.reason
        == f"Three questions you have not seen on {topic.title}, and one on Ownership to keep it."
    )


@pytest.mark.parametrize("value", [None, MarkValue.MET])
def test_a_topic_that_is_not_weak_is_not_called_weak(
    site: Client, cleo: User, topic: Topic, value: int | None
) -> None:
    if value is not None:
        grade(cleo, topic, value, count=12)
    press(site, topic)
    assert Attempt.objects.get(state=State.RUNNING).title == f"Drill: {topic.title}"


def test_p9_pressed_again_it_is_the_same_drill_and_another_topic_is_another(
    site: Client, topic: Topic
) -> None:
    other = make_bank(4, follow_ups=0)
    urls = [arrival(site, press(site, wanted)) for wanted in (topic, other, topic, other)]
    assert urls[:2] == urls[2:]
    assert urls[0] != urls[1]
    assert Attempt.objects.count() == 2


def test_one_drill_of_a_topic_runs_at_a_time_and_that_is_said(site: Client, topic: Topic, clock: Any) -> None:
    first = arrival(site, press(site, topic))
    clock.shift(60)
    page = site.get(press(site, topic, uuid4()).url, follow=True)
    assert page.redirect_chain[-1][0] == first
    assert "is still running, so here it is" in page.content.decode()


def test_how_it_was_chosen_is_said_in_the_room_and_stays(site: Client, topic: Topic) -> None:
    reason = f"Four questions you have not seen on {topic.title}."
    room = site.get(press(site, topic).url)
    assert reason in room.content.decode()
    attempt = Attempt.objects.get()
    assert reason not in site.get(at(attempt, "room")).content.decode()
    site.post(at(attempt, "finish"))
    assert f"How it was put together: {reason}" in site.get(at(attempt, "review")).content.decode()


def test_the_result_says_it_too(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED, reason="One question on X, last asked 3 Nov.")
    assert (
        "How it was put together: One question on X, last asked 3 Nov."
        in site.get(at(attempt, "result")).content.decode()
    )
    plain = AttemptFactory(user=cleo, state=State.GRADED)
    assert "How it was put together" not in site.get(at(plain, "result")).content.decode()


def test_too_few_questions_make_a_shorter_drill_that_says_so(site: Client) -> None:
    small = make_bank(2, follow_ups=0)
    press(site, small)
    attempt = Attempt.objects.get()
    assert (attempt.minutes, attempt.responses.count()) == (10, 2)
    assert attempt.reason.endswith("The bank has no more on it, so this takes 10 minutes instead of 20.")


@pytest.mark.parametrize(
    ("minutes", "words"), [(None, "yet. Choose another topic."), (25, "that fits into 20 minutes")]
)
def test_without_a_fitting_question_nothing_is_started(site: Client, minutes: int | None, words: str) -> None:
    empty = TopicFactory()
    if minutes:
        create_questions(1, topic=empty, minutes=minutes)
    response = press(site, empty)
    assert response.status_code == 409
    assert words in response.content.decode()
    assert Attempt.objects.count() == 0


@pytest.mark.parametrize(
    "fields", [{"topic": "no.such"}, {"topic": ""}, {"start_key": "x"}, {"start_key": ""}, {"topic": "\x00"}]
)
def test_a_press_that_cannot_be_read_is_refused(site: Client, topic: Topic, fields: dict[str, str]) -> None:
    data = {"topic": topic.pk, "start_key": KEY, **fields}
    assert site.post("/start/drill/", data).status_code == 422
    assert Attempt.objects.count() == 0


def test_a_site_without_the_format_refuses_and_offers_nothing(
    site: Client, topic: Topic, blueprint: Blueprint
) -> None:
    Blueprint.objects.update(is_active=False)
    assert press(site, topic).status_code == 422
    page = site.get("/start/drill/").content.decode()
    assert 'name="topic"' not in page


def test_the_format_cannot_be_started_without_a_topic(site: Client, topic: Topic) -> None:
    data = {
        "blueprint": "drill",
        "track": track_of(topic),
        "level": "intermediate",
        "mode": "mock",
        "start_key": uuid4(),
    }
    assert site.post("/start/new", data).status_code == 422
    assert Attempt.objects.count() == 0


def test_limits_hold_for_drills_too(site: Client, cleo: User, topic: Topic, settings: Any) -> None:
    settings.STARTS_PER_HOUR = 1
    press(site, topic)
    assert press(site, make_bank(4)).status_code == 429
    assert arrival(site, press(site, topic)) == at(Attempt.objects.get(), "room")


@pytest.mark.parametrize(("zone", "day"), [("Pacific/Auckland", "13 Nov"), ("Nowhere/Gone", "12 Nov")])
def test_the_day_is_that_of_the_pages_zone(client: Client, zone: str, day: str) -> None:
    person = CandidateFactory(time_zone=zone)
    client.force_login(person)
    topic = make_bank(1, follow_ups=0)
    AttemptFactory(user=person, state=State.ABANDONED, responses__questions=list(topic.questions.all()))
    press(client, topic)
    reason = Attempt.objects.get(state=State.RUNNING).reason
    assert reason.startswith(f"One question on {topic.title}, last asked {day}.")


def test_a_visitor_may_drill_as_a_guest(client: Client, topic: Topic) -> None:
    press(client, topic)
    attempt = Attempt.objects.get()
    assert (attempt.user.is_guest, attempt.title) == (True, f"Drill: {topic.title}")


def test_the_track_of_the_person_is_kept_where_it_holds_the_topic(client: Client, topic: Topic) -> None:
    borrower = TrackFactory()
    shared = TopicFactory(shared={borrower: 0.5})
    create_questions(1, topic=shared)
    person = CandidateFactory(track=borrower.code)
    client.force_login(person)
    for wanted in (shared, topic):
        press(client, wanted)
    tracks = dict(Attempt.objects.values_list("title", "track"))
    assert tracks == {f"Drill: {shared.title}": borrower.code, f"Drill: {topic.title}": track_of(topic)}


def test_the_page_offers_every_topic_that_can_be_drilled_the_heaviest_first(
    site: Client, topic: Topic
) -> None:
    track = topic.tracks.get()
    shared = TopicFactory(shared={track: 2})
    drafts, long, _ = (TopicFactory(track=track) for _ in range(3))
    create_questions(1, topic=shared)
    create_questions(1, topic=drafts, status=Status.DRAFT)
    create_questions(1, topic=long, minutes=21)
    page = site.get(f"/start/drill/?track={track.code}").content.decode()
    assert re.findall(r'<button name="topic" value="([^"]*)">', page) == [shared.pk, topic.pk]
    part = site.get(f"/start/drill/?track={track.code}", headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<section id="topics"')


def test_the_start_page_leads_to_it(site: Client, topic: Topic) -> None:
    page = site.get(f"/start/?track={track_of(topic)}").content.decode()
    assert f'href="/start/drill/?track={track_of(topic)}"' in page
    assert 'value="drill"' not in page


@pytest.mark.parametrize("topics", [1, 3])
def test_statements_do_not_grow_with_the_topics(site: Client, topics: int) -> None:
    """Session, person, format, tracks, the one of the address, topics."""
    track = TrackFactory()
    for _ in range(topics):
        create_questions(2, topic=TopicFactory(track=track))
    with statements() as sent:
        site.get(f"/start/drill/?track={track.code}")
    assert len(sent) == 6, sent


@pytest.mark.parametrize("questions", [1, 4])
def test_statements_of_a_start_do_not_grow_with_the_questions(site: Client, questions: int) -> None:
    topic = make_bank(questions, follow_ups=0)
    """Session and person; format and topic; evidence, rates and topics for what is weak and strong; tracks
    of the topic; starts of the hour; the same start; pool, follow-ups, what was asked when; the attempt, its
    answers; the session."""
    with statements() as sent:
        press(site, topic)
    assert len(sent) == 16, sent


def test_looking_writes_nothing(site: Client, topic: Topic) -> None:
    before = rows()
    site.get("/start/drill/")
    assert rows() == before
