"""Choosing and starting an interview over HTTP: the offers, one press, the same press again, by hand."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from prepapp.accounts.actions import claim_guest_work
from prepapp.accounts.models import User
from prepapp.bank.models import Topic
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt, Blueprint
from tests.accounts.steps import be_guest
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import STARTED_AT, BlueprintFactory, CandidateFactory
from tests.interviews.sitting import EVERYTHING, arrival, at, make_bank, rows, sit, statements, track_of

pytestmark = pytest.mark.django_db

START = reverse("interviews:start")
NEW = reverse("interviews:start-new")
CUSTOM = reverse("interviews:custom")
HTMX = {"HX-Request": "true"}
NOT_OFFERED = "That interview is not offered any more. Choose another one."
TOO_MANY = "You started many interviews within an hour. Take a break and try again."


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(STARTED_AT, tick=False) as traveller:
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
def topic() -> Topic:
    return make_bank(3)


@pytest.fixture
def screen() -> Blueprint:
    blueprint: Blueprint = BlueprintFactory(
        slug="screen", title="Phone screen", minutes=15, recipe={"slots": [{"minutes": 5}] * 3}
    )
    return blueprint


def press(client: Client, topic: Topic, key: UUID, **fields: Any) -> Any:
    values = {
        "blueprint": "screen",
        "track": track_of(topic),
        "level": "intermediate",
        "mode": "mock",
        "start_key": str(key),
        **fields,
    }
    return client.post(NEW, {name: value for name, value in values.items() if value is not None})


def reason(response: Any) -> str:
    page = response.content.decode()
    found = re.search(r"<h1>This interview was not started</h1>\s*<p>(.*?)</p>", page)
    assert found, page
    return found[1]


def errors(response: Any) -> list[str]:
    page = response.content.decode()
    return re.findall(r'class="error"[^>]*>(.*?)</p>|role="alert"[^>]*>(.*?)</div>', page)


# --- the offers -----------------------------------------------------------------------------------


def test_each_format_is_offered_with_its_length_and_a_key_of_its_own(
    site: Client, topic: Topic, screen: Blueprint
) -> None:
    BlueprintFactory(slug="short", title="Short one", minutes=5, recipe={"slots": [{"minutes": 5}]})
    BlueprintFactory(slug="old", title="Old one", is_active=False)
    page = site.get(f"{START}?track={track_of(topic)}").content.decode()
    offers = re.findall(r'<h3>(.*?)</h3><span class="chip push">(.*?)</span>', page)
    assert sorted(offers) == [("Phone screen", "15:00"), ("Short one", "5:00")]
    keys = re.findall(r'name="start_key" value="(.*?)"', page)
    assert len({UUID(key) for key in keys}) == 2


@pytest.mark.parametrize(
    ("allowance", "mode", "shown"),
    [
        ("1.50", "mock", "22:30 = 15:00 × 1.5"),
        ("1.50", "practice", "no clock"),
        ("untimed", "mock", "no clock"),
    ],
)
def test_p10_the_length_shown_is_the_persons(
    client: Client, topic: Topic, screen: Blueprint, allowance: str, mode: str, shown: str
) -> None:
    client.force_login(CandidateFactory(time_allowance=allowance))
    page = client.get(f"{START}?track={track_of(topic)}&mode={mode}").content.decode()
    assert re.findall(r'<span class="chip push">(.*?)</span>', page) == [shown]


def test_what_cannot_be_filled_says_so_before_the_press(
    site: Client, topic: Topic, screen: Blueprint
) -> None:
    Blueprint.objects.update(recipe={"slots": [{"minutes": 5, "kinds": ["sql"]}]})
    page = site.get(f"{START}?track={track_of(topic)}").content.decode()
    assert re.findall(r'class="small notice warn">(.*?)</p>', page) == [
        "The bank can fill 0 of 1 places: it has too few sql questions of at most 5 minutes here. Choose "
        "another track, level or length."
    ]
    assert "Start phone screen" not in page


def test_a_format_of_one_track_says_where_it_draws_from(site: Client, screen: Blueprint) -> None:
    home = TrackFactory(title="Systems")
    create_questions(3, topic=TopicFactory(track=home))
    other = TrackFactory()
    Blueprint.objects.update(recipe={"track": home.code, "slots": [{"minutes": 5}]})
    page = site.get(f"{START}?track={other.code}").content.decode()
    assert "Drawn from Systems, whatever your track." in page
    assert "Start phone screen" in page


@pytest.mark.parametrize(
    ("title", "button"),
    [
        ("Full loop", "Start full loop"),
        ("GPU lab", "Start GPU lab"),
        ("SQL and data", "Start SQL and data"),
    ],
)
def test_a_button_keeps_the_capitals_of_an_abbreviation(
    site: Client, topic: Topic, screen: Blueprint, title: str, button: str
) -> None:
    Blueprint.objects.update(title=title)
    page = site.get(f"{START}?track={track_of(topic)}").content.decode()
    assert re.findall(r"<button[^>]*>(Start .*?)</button>", page) == [button]


def test_the_page_begins_with_the_persons_track_and_level(client: Client, screen: Blueprint) -> None:
    make_bank()
    mine = make_bank()
    client.force_login(CandidateFactory(track=track_of(mine), level="senior"))
    page = client.get(START).content.decode()
    assert re.findall(r'<option value="([^"]*)" selected>', page) == [track_of(mine)]
    assert re.findall(r'name="(?:level|mode)" value="([^"]*)" checked', page) == ["senior", "mock"]


def test_inside_htmx_only_the_offers_are_sent(client: Client, topic: Topic, screen: Blueprint) -> None:
    part = client.get(f"{START}?track={track_of(topic)}&level=senior&mode=practice", headers=HTMX)
    text = part.content.decode().strip()
    assert text.startswith('<section id="formats"')
    assert "<html" not in text
    assert re.findall(r'type="hidden" name="(level|mode|track)" value="(.*?)"', text) == [
        ("track", track_of(topic)),
        ("level", "senior"),
        ("mode", "practice"),
    ]


@pytest.mark.parametrize("query", ["?track=nope", "?level=nope", "?mode=nope", "?track=a%00b"])
def test_an_odd_choice_falls_back_to_the_usual_one(
    client: Client, topic: Topic, screen: Blueprint, query: str
) -> None:
    page = client.get(START + query).content.decode()
    assert re.findall(r'<option value="([^"]*)" selected>', page) == [track_of(topic)]
    assert re.findall(r'name="(?:level|mode)" value="([^"]*)" checked', page) == ["intermediate", "mock"]


def test_an_empty_bank_still_shows_the_page(client: Client) -> None:
    page = client.get(START).content.decode()
    assert page.count("<h1>Start an interview</h1>") == 1
    assert "start_key" not in page


@pytest.mark.parametrize("count", [1, 3, 10])
def test_statements_of_the_offers_grow_neither_with_formats_nor_questions(site: Client, count: int) -> None:
    """Session, person, the track asked for, tracks, formats, and for the track its questions and their
    follow-ups."""
    topic = make_bank(count)
    for number in range(count):
        BlueprintFactory(slug=f"format-{number}", recipe={"slots": [{"minutes": 5}]})
    with statements() as sent:
        page = site.get(f"{START}?track={track_of(topic)}").content.decode()
    assert page.count('name="start_key"') == count
    assert len(sent) == 7, sent


# --- one press ------------------------------------------------------------------------------------


def test_a_press_leads_to_the_room(site: Client, cleo: User, topic: Topic, screen: Blueprint) -> None:
    key = uuid4()
    response = press(site, topic, key, level="advanced")
    attempt = Attempt.objects.get()
    assert arrival(site, response) == at(attempt, "room")
    assert (attempt.user_id, attempt.start_key, attempt.blueprint_id, attempt.level, attempt.mode) == (
        cleo.pk,
        key,
        screen.pk,
        "advanced",
        Mode.MOCK,
    )
    assert (attempt.started_at, attempt.deadline_at) == (STARTED_AT, STARTED_AT + timedelta(minutes=15))
    assert attempt.responses.count() == 3


def test_p9_pressed_fifty_times_it_is_one_attempt_with_one_deadline(
    site: Client, topic: Topic, screen: Blueprint, clock: Any
) -> None:
    """P9: double click, retry, back button; with the same page and with another one."""
    key = uuid4()
    urls = set()
    for number in range(50):
        clock.move_to(STARTED_AT + timedelta(seconds=number), tick=False)
        urls.add(arrival(site, press(site, topic, key if number % 2 else uuid4())))
    attempt = Attempt.objects.get()
    assert urls == {at(attempt, "room")}
    assert attempt.deadline_at == STARTED_AT + timedelta(minutes=15)


def test_tim_07_an_old_start_page_starts_nothing_again(
    site: Client, topic: Topic, screen: Blueprint, clock: Any
) -> None:
    """TIM-07, by our rule: formats have no window that closes. What an old page's button must not do is
    give full time a second time: it leads to the interview it once started, by now over."""
    key = uuid4()
    press(site, topic, key)
    clock.move_to(STARTED_AT + timedelta(hours=2), tick=False)
    replies = [press(site, topic, key) for _ in range(2)]
    attempt = Attempt.objects.get()
    grading = reverse("interviews:grade", args=[attempt.pk])
    assert [arrival(site, reply) for reply in replies] == [grading] * 2
    attempt.refresh_from_db()
    assert (attempt.state, attempt.finished_at) == (State.GRADING, STARTED_AT + timedelta(minutes=15))
    assert attempt.deadline_at == STARTED_AT + timedelta(minutes=15)


def test_tim_07_what_is_not_offered_any_more_is_not_started_from_an_old_page(
    site: Client, topic: Topic, screen: Blueprint
) -> None:
    Blueprint.objects.update(is_active=False)
    before = rows(*EVERYTHING)
    for _ in range(2):
        response = press(site, topic, uuid4())
        assert (response.status_code, reason(response)) == (422, NOT_OFFERED)
    assert rows(*EVERYTHING) == before


@pytest.mark.parametrize(
    "fields",
    [
        {"blueprint": "nope"},
        {"blueprint": None},
        {"track": "nope"},
        {"track": None},
        {"level": "chief"},
        {"mode": "exam"},
        {"start_key": "not-a-key"},
        {"start_key": None},
        {"blueprint": "a\x00b"},
        {"track": "a\x00b"},
    ],
)
def test_a_press_that_cannot_be_read_starts_nothing(
    site: Client, topic: Topic, screen: Blueprint, fields: dict[str, Any]
) -> None:
    before = rows(*EVERYTHING)
    response = press(site, topic, uuid4(), **fields)
    assert (response.status_code, reason(response)) == (422, NOT_OFFERED)
    assert rows(*EVERYTHING) == before


def test_a_bank_that_ran_short_says_so_and_starts_nothing(
    site: Client, topic: Topic, screen: Blueprint
) -> None:
    Blueprint.objects.update(recipe={"slots": [{"minutes": 5}] * 4})
    before = rows(*EVERYTHING)
    response = press(site, topic, uuid4())
    assert (response.status_code, reason(response)) == (
        409,
        "The bank can fill 3 of 4 places: it has too few fitting questions of at most 5 minutes here. Choose "
        "another track, level or length.",
    )
    assert rows(*EVERYTHING) == before


def test_fields_that_are_not_asked_for_change_nothing(
    site: Client, cleo: User, topic: Topic, screen: Blueprint
) -> None:
    forged = {
        "user": str(CandidateFactory().pk),
        "minutes": "600",
        "deadline_at": "2099-01-01",
        "started_at": "2099-01-01",
        "time_allowance": "2.00",
        "state": "graded",
        "score": "10",
        "seed": "7",
        "slot": "other",
    }
    press(site, topic, uuid4(), **forged)
    attempt = Attempt.objects.get()
    assert (attempt.user_id, attempt.minutes, attempt.time_allowance, attempt.state, attempt.score) == (
        cleo.pk,
        15,
        "1.00",
        State.RUNNING,
        None,
    )
    assert (attempt.started_at, attempt.deadline_at) == (STARTED_AT, STARTED_AT + timedelta(minutes=15))
    assert attempt.slot == f"mock:screen:{track_of(topic)}"


def test_the_same_key_of_somebody_else_is_of_no_use(
    site: Client, cleo: User, topic: Topic, screen: Blueprint
) -> None:
    key = uuid4()
    theirs = sit(CandidateFactory(), topic=topic, start_key=key)
    press(site, topic, key)
    assert Attempt.objects.get(user=cleo).pk != theirs.pk


@pytest.mark.parametrize("questions", [1, 3, 10])
def test_statements_of_a_start_do_not_grow_with_the_questions(
    site: Client, screen: Blueprint, questions: int
) -> None:
    """Session, person, format and track of the form, starts of the hour, the six of the action,
    and the session, whose age is renewed."""
    topic = make_bank(10)
    Blueprint.objects.update(recipe={"slots": [{"minutes": 5}] * questions})
    with statements() as sent:
        press(site, topic, uuid4())
    assert Attempt.objects.get().responses.count() == questions
    assert len(sent) == 12, sent


# --- who ------------------------------------------------------------------------------------------


def test_a_visitor_starts_as_a_guest_and_goes_on_in_the_session(
    client: Client, topic: Topic, screen: Blueprint
) -> None:
    response = press(client, topic, uuid4())
    guest = User.objects.get()
    attempt = Attempt.objects.get()
    assert (guest.is_guest, guest.email, attempt.user_id) == (True, None, guest.pk)
    assert arrival(client, response) == at(attempt, "room")
    assert client.get(at(attempt, "room")).status_code == 200
    assert arrival(client, press(client, topic, uuid4())) == at(attempt, "room")
    assert (User.objects.count(), Attempt.objects.count()) == (1, 1)
    assert Client().get(at(attempt, "room")).url.startswith(reverse("account_login"))


def visitor(secret: str = "a" * 32) -> Client:
    """A browser that has seen the form, with the secret its forms are checked by, and no session yet."""
    client = Client()
    if secret:
        client.cookies[django_settings.CSRF_COOKIE_NAME] = secret
    return client


def lands(client: Client, response: Any) -> str:
    """The room a start led to, once it has been seen to open and to save."""
    room = arrival(client, response)
    assert client.get(room).status_code == 200
    assert client.post(f"{room}save", {"text": "alpha", "revision": 0}).status_code == 200
    return room


@pytest.mark.parametrize("url", [NEW, CUSTOM])
def test_p9_a_visitors_double_click_is_one_guest_with_one_attempt(
    topic: Topic, screen: Blueprint, clock: Any, url: str
) -> None:
    """Both were sent before either reply brought a session; whichever reply stays, its session works."""
    key, presses = uuid4(), [visitor(), visitor()]
    fields = {"topics": [topic.code], "count": "2", "minutes": "30", "blueprint": "screen"}
    values = {"track": track_of(topic), "level": "intermediate", "mode": "mock", "start_key": str(key)}
    replies = []
    for seconds, client in enumerate(presses):
        clock.move_to(STARTED_AT + timedelta(seconds=seconds), tick=False)
        replies.append(client.post(url, fields | values))
    rooms = [lands(client, reply) for client, reply in zip(presses, replies, strict=True)]
    assert rooms == [at(Attempt.objects.get(), "room")] * 2
    assert User.objects.get().is_guest
    assert presses[0].session.session_key != presses[1].session.session_key


@pytest.mark.parametrize(
    ("secret", "same_key", "later"),
    [
        pytest.param("b" * 32, True, 0, id="another browser with the key of a page that was shared"),
        pytest.param("", True, 0, id="a browser that shows no secret"),
        pytest.param("a" * 32, False, 0, id="another press"),
        pytest.param("a" * 32, True, 31, id="the same press when it is no double click any more"),
    ],
)
def test_nothing_else_leads_to_the_attempt_of_a_visitor(
    topic: Topic, screen: Blueprint, clock: Any, secret: str, same_key: bool, later: int
) -> None:
    key = uuid4()
    first, second = visitor(), visitor(secret)
    room = arrival(first, press(first, topic, key))
    clock.move_to(STARTED_AT + timedelta(seconds=later), tick=False)
    other = arrival(second, press(second, topic, key if same_key else uuid4()))
    assert room != other
    assert second.get(room).status_code == 404
    assert (User.objects.count(), Attempt.objects.values("user").distinct().count()) == (2, 2)


def test_a_press_after_the_guest_went_to_an_account_leads_to_neither(
    topic: Topic, screen: Blueprint, cleo: User
) -> None:
    key, first, second = uuid4(), visitor(), visitor()
    room = arrival(first, press(first, topic, key))
    guest = User.objects.get(is_guest=True)
    claim_guest_work(guest_id=guest.pk, user=cleo, now=STARTED_AT)
    other = arrival(second, press(second, topic, key))
    assert (second.get(room).status_code, second.get(other).status_code) == (404, 200)
    assert set(Attempt.objects.values_list("user__is_guest", flat=True)) == {True, False}


def test_a_session_that_is_lost_is_not_given_again_by_the_id_of_a_guest_who_signed_up(
    topic: Topic, screen: Blueprint
) -> None:
    """Only a guest is ever found by a press: an account under that very id is not."""
    key, first, second = uuid4(), visitor(), visitor()
    press(first, topic, key)
    User.objects.update(is_guest=False, email="cleo@example.test")
    press(second, topic, key)
    assert sorted(User.objects.values_list("is_guest", flat=True)) == [False, True]


@pytest.mark.parametrize("url", [NEW, CUSTOM])
def test_a_visitor_whose_start_is_refused_leaves_no_guest(topic: Topic, screen: Blueprint, url: str) -> None:
    """Three questions are in the bank; the format and the form want four."""
    Blueprint.objects.update(recipe={"slots": [{"minutes": 5}] * 4})
    client, before = visitor(), rows(*EVERYTHING, Session)
    fields = {"topics": [topic.code], "count": "4", "minutes": "40", "blueprint": "screen"}
    values = {"track": track_of(topic), "level": "intermediate", "mode": "mock", "start_key": str(uuid4())}
    reply = client.post(url, fields | values)
    assert reply.status_code == (409 if url == NEW else 422)
    assert rows(*EVERYTHING, Session) == before
    assert django_settings.SESSION_COOKIE_NAME not in reply.cookies
    assert client.get("/history/").url.startswith(reverse("account_login"))


def test_too_many_starts_in_an_hour_are_refused_until_the_hour_is_over(
    site: Client, cleo: User, topic: Topic, screen: Blueprint, settings: Any, clock: Any
) -> None:
    settings.STARTS_PER_HOUR = 2
    for minute in range(2):
        clock.move_to(STARTED_AT + timedelta(minutes=minute), tick=False)
        press(site, topic, uuid4())
        Attempt.objects.update(state=State.GRADING, finished_at=STARTED_AT, ending=Ending.FINISHED)
    before = rows(*EVERYTHING)
    response = press(site, topic, uuid4())
    assert (response.status_code, reason(response)) == (429, TOO_MANY)
    assert rows(*EVERYTHING) == before
    clock.move_to(STARTED_AT + timedelta(minutes=60), tick=False)
    assert press(site, topic, uuid4()).status_code == 302
    assert Attempt.objects.count() == 3


def test_p9_the_last_start_of_the_hour_may_be_pressed_twice(
    site: Client, topic: Topic, screen: Blueprint, settings: Any
) -> None:
    """The limit counts starts, not presses: a double click must not end on a refusal."""
    settings.STARTS_PER_HOUR = 1
    key = uuid4()
    replies = [press(site, topic, key), press(site, topic, key), press(site, topic, uuid4())]
    attempt = Attempt.objects.get()
    assert [arrival(site, reply) for reply in replies] == [at(attempt, "room")] * 3


def test_visitors_from_one_network_are_limited_too(topic: Topic, screen: Blueprint, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "guest": "2/h/ip"}
    replies = [press(Client(), topic, uuid4()) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [302, 302, 429]
    assert reason(replies[2]) == "Too many interviews were started from your network. Try again later."
    assert (User.objects.count(), Attempt.objects.count()) == (2, 2)


@pytest.mark.parametrize("url", [NEW, CUSTOM])
def test_without_the_token_nothing_starts(cleo: User, topic: Topic, screen: Blueprint, url: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cleo)
    assert client.post(url, {"blueprint": "screen"}).status_code == 403
    client.get(START)
    token = client.cookies[django_settings.CSRF_COOKIE_NAME].value
    assert client.post(url, {}, headers={"X-CSRFToken": token}).status_code == 422
    assert Attempt.objects.count() == 0


@pytest.mark.parametrize(
    ("url", "allowed"), [(START, "GET, HEAD"), (NEW, "POST"), (CUSTOM, "GET, HEAD, POST")]
)
def test_wrong_verbs_are_refused(site: Client, url: str, allowed: str) -> None:
    before = rows(*EVERYTHING)
    for method in {"get", "head", "post", "put", "patch", "delete"} - {*allowed.lower().split(", ")}:
        response = getattr(site, method)(url)
        assert (response.status_code, response.headers["Allow"]) == (405, allowed)
    assert rows(*EVERYTHING) == before


def test_pages_of_a_session_are_not_stored_by_the_browser(site: Client, topic: Topic) -> None:
    replies = [site.get(START), site.get(CUSTOM), press(site, topic, uuid4())]
    assert [reply.headers["Cache-Control"] for reply in replies] == ["no-store, private"] * 3


# --- by hand --------------------------------------------------------------------------------------


def custom(client: Client, topic: Topic, **fields: Any) -> Any:
    headers = HTMX if fields.pop("htmx", False) else {}
    values: dict[str, Any] = {
        "track": track_of(topic),
        "level": "intermediate",
        "count": "2",
        "minutes": "20",
        "mode": "mock",
        "start_key": str(uuid4()),
        **fields,
    }
    return client.post(CUSTOM, {k: v for k, v in values.items() if v is not None}, headers=headers)


def test_the_form_offers_the_topics_of_the_track_that_have_questions(client: Client) -> None:
    track = TrackFactory()
    full, empty = TopicFactory(track=track), TopicFactory(track=track)
    create_questions(1, topic=full)
    create_questions(1, topic=empty, status="draft")
    page = client.get(f"{CUSTOM}?track={track.code}").content.decode()
    assert re.findall(r'name="topics" value="([^"]*)"', page) == [full.code]
    UUID(re.findall(r'name="start_key" value="([^"]*)"', page)[0])


def test_the_level_chosen_on_the_start_page_comes_along(client: Client, topic: Topic) -> None:
    page = client.get(f"{CUSTOM}?track={track_of(topic)}&level=senior").content.decode()
    assert re.findall(r'<option value="(\w+)" selected>(\w+)</option>', page)[-1] == ("senior", "Senior")


def test_an_interview_by_hand_starts_once(site: Client, topic: Topic) -> None:
    key = str(uuid4())
    replies = [custom(site, topic, topics=[topic.code], start_key=key) for _ in range(2)]
    attempt = Attempt.objects.get()
    assert [arrival(site, reply) for reply in replies] == [at(attempt, "room")] * 2
    assert (attempt.title, attempt.minutes, attempt.responses.count()) == ("Custom interview", 20, 2)
    assert attempt.deadline_at == STARTED_AT + timedelta(minutes=20)


@pytest.mark.parametrize("htmx", [False, True], ids=["page", "htmx"])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"count": "5", "minutes": "19"}, "5 questions need at least 20 minutes: the shortest takes 4."),
        ({"count": "0"}, "Ensure this value is greater than or equal to 1."),
        ({"count": "21"}, "Ensure this value is less than or equal to 20."),
        ({"minutes": "241"}, "Ensure this value is less than or equal to 240."),
        ({"minutes": "many"}, "Enter a whole number."),
        (
            {"topics": ["nope"]},
            "Select a valid choice. nope is not one of the available choices.",
        ),
        (
            {"count": "9", "minutes": "90"},
            "The bank can fill 3 of 9 places: it has too few fitting questions of at most 10 minutes here. "
            "Choose another track, level or length.",
        ),
    ],
)
def test_what_cannot_be_started_says_why_and_keeps_what_was_chosen(
    site: Client, topic: Topic, fields: dict[str, Any], message: str, htmx: bool
) -> None:
    before = rows(*EVERYTHING)
    response = custom(site, topic, htmx=htmx, **{"minutes": "33", **fields})
    page = response.content.decode()
    assert response.status_code == 422
    assert [first or second for first, second in errors(response)] == [message]
    assert f'value="{fields.get("minutes", "33")}"' in page
    assert ("<html" in page) is not htmx
    assert rows(*EVERYTHING) == before


def test_a_topic_of_another_track_is_not_taken(site: Client, topic: Topic) -> None:
    other = make_bank()
    before = rows(*EVERYTHING)
    response = custom(site, topic, topics=[other.code])
    assert response.status_code == 422
    assert (
        errors(response)[0][0] == f"Select a valid choice. {other.code} is not one of the available choices."
    )
    assert rows(*EVERYTHING) == before


@pytest.mark.parametrize(
    "fields", [{"start_key": "x"}, {"start_key": None}, {"mode": "exam"}, {"track": "no"}]
)
def test_a_forged_form_starts_nothing(site: Client, topic: Topic, fields: dict[str, Any]) -> None:
    before = rows(*EVERYTHING)
    assert custom(site, topic, **fields).status_code == 422
    assert rows(*EVERYTHING) == before


def test_a_guest_puts_an_interview_together(client: Client, topic: Topic) -> None:
    guest = be_guest(client)
    custom(client, topic)
    assert Attempt.objects.get().user_id == guest.pk
