"""The list of attempts: what it says, how it is narrowed and paged, and who sees it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.accounts.models import User
from prepapp.interviews.choices import Ending, MarkValue, Mode, State
from prepapp.interviews.models import Attempt
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, BlueprintFactory, CandidateFactory
from tests.interviews.reading import text_of

pytestmark = pytest.mark.django_db

URL = "/history/"
NOW = datetime(2026, 11, 14, 12, 0, tzinfo=UTC)
ROW = re.compile(r'<a class="btn plain" href="/attempts/([0-9a-f-]{36})/">')
NEXT = re.compile(r'rel="next" href="([^"]+)"')
PREVIOUS = re.compile(r'rel="prev" href="([^"]+)"')


@pytest.fixture(autouse=True)
def fixed_clock() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def cleo() -> User:
    return CandidateFactory()


@pytest.fixture
def site(client: Client, cleo: User) -> Client:
    client.force_login(cleo)
    return client


def get(site: Client, **filters: Any) -> str:
    response = site.get(URL, filters)
    assert response.status_code == 200
    return response.text


def found(html: str) -> list[str]:
    return ROW.findall(html)


def ids(*attempts: Attempt) -> list[str]:
    return [str(attempt.pk) for attempt in attempts]


def many(user: User, count: int, **fields: Any) -> list[Attempt]:
    """Ended attempts without answers, in one statement."""
    fields = {"started_at": STARTED_AT, "finished_at": STARTED_AT + timedelta(minutes=10), **fields}
    return Attempt.objects.bulk_create(
        Attempt(
            user=user,
            title="Phone screen",
            mode=Mode.MOCK,
            level="intermediate",
            state=State.GRADED,
            start_key=uuid4(),
            slot=f"mock:{number}",
            seed=1,
            minutes=15,
            time_allowance="1.00",
            ending=Ending.FINISHED,
            **{name: value(number) if callable(value) else value for name, value in fields.items()},
        )
        for number in range(count)
    )


def walk(site: Client, url: str, pattern: re.Pattern[str] = NEXT) -> list[list[str]]:
    """The ids of each page, following the links."""
    pages = []
    while url:
        html = site.get(url).text
        pages.append(found(html))
        link = pattern.search(html)
        url = unescape(link[1]) if link else ""
    return pages


# --- what a row says ------------------------------------------------------------------------------


def test_each_state_is_said_in_words(site: Client, cleo: User) -> None:
    track = TrackFactory(code="gpu", title="GPU engineer")
    shared: dict[str, Any] = {"user": cleo, "track": track}
    AttemptFactory(**shared, started_at=NOW - timedelta(minutes=2, seconds=30), title="Now")
    AttemptFactory(**shared, state=State.GRADING, title="To grade", responses=4)
    AttemptFactory(**shared, state=State.GRADED, title="Done", grading__value=MarkValue.PARTLY)
    AttemptFactory(**shared, state=State.ABANDONED, title="Left", mode=Mode.PRACTICE)
    text = text_of(get(site))
    assert "14 Nov, 11:57 Now GPU engineer mock – – running, 12:30 left Go on" in text
    assert "12 Nov, 14:00 To grade GPU engineer mock Time 10:00 – grading: 0 of 4 Grade" in text
    assert "12 Nov, 14:00 Done GPU engineer mock Time 10:00 5.0 ◐ Borderline Open" in text
    assert "12 Nov, 14:00 Left GPU engineer practice Time 10:00 – gave up Open" in text


def test_progress_of_grading_counts_answers_that_need_marks(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(
        user=cleo, state=State.GRADING, responses=3, responses__texts=["one", "two", " \n"]
    )
    grading = attempt.gradings.create(user=cleo, number=1, started_at=NOW)
    for response in attempt.responses.all():
        is_done = response.position != 2
        grading.response_grades.create(
            user=cleo, response=response, confidence="hire", revealed_at=NOW if is_done else None
        )
    assert "grading: 1 of 2" in text_of(get(site))


def test_a_year_is_shown_when_it_is_another(site: Client, cleo: User) -> None:
    AttemptFactory(user=cleo, started_at=datetime(2025, 3, 2, 9, 5, tzinfo=UTC))
    assert "2 Mar 2025, 09:05" in text_of(get(site))


def test_nothing_to_score_is_said(site: Client, cleo: User) -> None:
    many(cleo, 1, score=None)
    assert "– not scored Open" in text_of(get(site))


def test_the_empty_history_says_what_will_be_here(site: Client) -> None:
    html = get(site)
    assert "You have not sat an interview yet." in html
    assert found(html) == []


def test_a_guest_has_a_history(client: Client) -> None:
    guest = CandidateFactory(guest=True)
    session = client.session
    session[GUEST_SESSION_KEY] = str(guest.pk)
    session.save()
    attempt = AttemptFactory(user=guest, state=State.GRADED)
    assert found(get(client)) == ids(attempt)


def test_only_ones_own_attempts_are_listed(site: Client) -> None:
    AttemptFactory(state=State.GRADED)
    assert found(get(site)) == []


def test_signed_out_goes_to_sign_in(client: Client) -> None:
    response = client.get(URL, {"mode": "mock"})
    assert response.status_code == 302
    assert response["Location"] == f"{reverse('account_login')}?next=/history/%3Fmode%3Dmock"


@pytest.mark.parametrize("verb", ["post", "put", "patch", "delete"])
def test_other_verbs_are_refused(site: Client, verb: str) -> None:
    assert getattr(site, verb)(URL).status_code == 405


# --- time -----------------------------------------------------------------------------------------


def test_first_and_second_look_agree_that_time_is_over(site: Client, cleo: User) -> None:
    """TIM-11: no worker ran; the list itself closes what is overdue, as of the deadline."""
    attempt = AttemptFactory(user=cleo, started_at=NOW - timedelta(hours=1))
    strange = AttemptFactory(started_at=NOW - timedelta(hours=1))
    first, second = (text_of(get(site)) for _ in range(2))
    assert first == second
    assert "Time 15:00 – grading: 0 of 1 Grade" in first
    attempt.refresh_from_db()
    assert (attempt.state, attempt.ending) == (State.GRADING, Ending.DEADLINE)
    assert attempt.finished_at == attempt.deadline_at
    strange.refresh_from_db()
    assert strange.state == State.RUNNING


@pytest.mark.parametrize(
    ("start", "shown"),
    [
        (datetime(2026, 11, 1, 5, 55, tzinfo=UTC), "1 Nov, 01:55"),
        (datetime(2026, 3, 8, 6, 55, tzinfo=UTC), "8 Mar, 01:55"),
    ],
)
def test_a_clock_change_does_not_lengthen_an_interview(client: Client, start: datetime, shown: str) -> None:
    """TIM-13: ten minutes over either change are ten minutes."""
    dev = CandidateFactory(time_zone="America/New_York", is_time_zone_confirmed=True)
    client.force_login(dev)
    AttemptFactory(user=dev, minutes=10, state=State.GRADING, ending=Ending.DEADLINE, started_at=start)
    text = text_of(get(client))
    assert f"{shown} Phone screen" in text
    assert "Time 10:00" in text


def test_grading_later_moves_nothing(site: Client, cleo: User) -> None:
    """HIS-09: handed in on Monday is Monday, whatever is done to it on other days."""
    monday = datetime(2026, 11, 9, 18, 0, tzinfo=UTC)
    older = AttemptFactory(user=cleo, started_at=monday, state=State.GRADING, title="Older")
    newer = AttemptFactory(user=cleo, started_at=monday + timedelta(hours=3), state=State.GRADING)
    before = found(get(site))
    older.state, older.score = State.GRADED, Decimal(7)
    older.graded_at = monday + timedelta(days=2)
    older.save()
    html = get(site)
    assert found(html) == before == ids(newer, older)
    assert "9 Nov, 18:00 Older" in text_of(html)
    review = text_of(site.get(f"/attempts/{older.pk}/review/").text)
    assert "You handed in 9 Nov 2026, 18:10, after 10:00" in review
    assert "Graded 11 Nov 2026, 18:00" in review


# --- filters --------------------------------------------------------------------------------------


def test_filters_narrow_and_are_bookmarkable(site: Client, cleo: User) -> None:
    ml, gpu = TrackFactory(code="ml", title="ML"), TrackFactory(code="gpu", title="GPU")
    screen = BlueprintFactory(slug="screen")
    memory = TopicFactory(code="gpu.memory", track=gpu, title="Memory")
    one = AttemptFactory(user=cleo, track=ml, blueprint=screen, started_at=NOW - timedelta(days=3))
    two = AttemptFactory(
        user=cleo,
        track=gpu,
        state=State.GRADED,
        started_at=NOW - timedelta(days=2),
        responses__questions=create_questions(2, topic=memory),
    )
    three = AttemptFactory(user=cleo, track=gpu, mode=Mode.PRACTICE, started_at=NOW - timedelta(days=1))
    assert found(get(site)) == ids(three, two, one)
    assert found(get(site, track="gpu")) == ids(three, two)
    assert found(get(site, topic="gpu.memory")) == ids(two), "once, though two of its questions fit"
    assert found(get(site, blueprint="screen")) == ids(one)
    assert found(get(site, blueprint="custom")) == ids(three, two)
    assert found(get(site, mode="practice")) == ids(three)
    assert found(get(site, state="graded")) == ids(two)
    assert found(get(site, track="gpu", mode="mock", state="graded")) == ids(two)
    nothing = get(site, track="none-such")
    assert found(nothing) == []
    assert "No interview fits all of this." in nothing
    html = get(site, track="gpu", state="graded")
    assert '<option value="gpu" selected>GPU</option>' in html
    assert '<option value="graded" selected>Graded</option>' in html


def test_days_are_those_of_the_persons_zone(client: Client) -> None:
    dev = CandidateFactory(time_zone="America/New_York", is_time_zone_confirmed=True)
    client.force_login(dev)
    late = AttemptFactory(user=dev, started_at=datetime(2026, 11, 2, 4, 59, 59, tzinfo=UTC))
    early = AttemptFactory(user=dev, started_at=datetime(2026, 11, 2, 5, 0, tzinfo=UTC))
    assert found(get(client, since="2026-11-01", until="2026-11-01")) == ids(late)
    assert found(get(client, since="2026-11-02")) == ids(early)
    assert found(get(client, until="2026-11-02")) == ids(early, late)


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"since": "yesterday"}, "From: Enter a valid date."),
        ({"since": "0001-01-01"}, "From: Choose a day from 2000 to 2100."),
        ({"until": "9999-12-31"}, "To: Choose a day from 2000 to 2100."),
        ({"since": "2026-11-02", "until": "2026-11-01"}, "To: This day is before the first one."),
        ({"mode": "exam"}, "Mode: Select a valid choice. exam is not one of the available choices."),
        ({"track": "a\x00b"}, "Track: Null characters are not allowed."),
    ],
)
def test_a_filter_that_cannot_be_used_is_named(
    site: Client, cleo: User, filters: dict[str, str], said: str
) -> None:
    many(cleo, 1)
    response = site.get(URL, filters)
    assert response.status_code == 422
    assert said in text_of(response.text)
    assert found(response.text) == []


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sort", ["", "score"])
def test_equal_times_come_once_each_in_one_order(site: Client, cleo: User, sort: str) -> None:
    """HIS-05: 45 attempts of one instant, three runs."""
    scores = [None, Decimal("7.5"), Decimal("7.5"), Decimal("6.666667")]
    attempts = many(cleo, 45, score=lambda number: scores[number % 4])
    runs = [walk(site, f"{URL}?sort={sort}") for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]
    assert [len(page) for page in runs[0]] == [20, 20, 5]
    seen = [attempt for page in runs[0] for attempt in page]
    assert sorted(seen) == sorted(ids(*attempts))
    if sort:
        score = {str(attempt.pk): attempt.score for attempt in attempts}
        values = [score[attempt] for attempt in seen]
        assert values == sorted(values, key=lambda value: -1 if value is None else value, reverse=True)
        assert values[-1] is None


def test_pages_can_be_walked_back(site: Client, cleo: User) -> None:
    many(cleo, 45, started_at=lambda number: STARTED_AT - timedelta(hours=number))
    pages = walk(site, URL)
    html = site.get(URL).text
    for _ in range(2):
        html = site.get(unescape(NEXT.search(html)[1])).text  # type: ignore[index]
    back = walk(site, unescape(PREVIOUS.search(html)[1]), PREVIOUS)  # type: ignore[index]
    assert back == pages[1::-1]


def test_filters_stay_while_paging(site: Client, cleo: User) -> None:
    many(cleo, 21)
    many(cleo, 21, finished_at=STARTED_AT + timedelta(minutes=9))
    Attempt.objects.filter(finished_at__gt=STARTED_AT + timedelta(minutes=9)).update(mode=Mode.PRACTICE)
    pages = walk(site, f"{URL}?mode=mock")
    assert [len(page) for page in pages] == [20, 1]
    modes = Attempt.objects.filter(pk__in=[pk for page in pages for pk in page]).values_list(
        "mode", flat=True
    )
    assert set(modes) == {Mode.MOCK}


@pytest.mark.parametrize("cursor", ["x", "f:1", "\x00", "eyJh:1234:zzzz"])
def test_a_cursor_of_nowhere_is_a_clear_refusal(site: Client, cleo: User, cursor: str) -> None:
    many(cleo, 1)
    response = site.get(URL, {"cursor": cursor})
    assert response.status_code == 400
    assert "Nothing was changed." in response.text


def test_a_cursor_of_another_order_is_refused(site: Client, cleo: User) -> None:
    many(cleo, 21)
    link = unescape(NEXT.search(get(site))[1])  # type: ignore[index]
    assert site.get(f"{link}&sort=score").status_code == 400


# --- page and part, costs -------------------------------------------------------------------------


def test_the_part_is_the_results_alone(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED)
    response = site.get(URL, {"track": "", "mode": "mock"}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert response.text.lstrip().startswith('<section id="results"')
    assert response["HX-Push-Url"] == "/history/?mode=mock"
    assert found(response.text) == ids(attempt)
    assert '<p id="count" hx-swap-oob="innerHTML">1 interview found</p>' in response.text
    assert "hx-swap-oob" not in get(site)


def test_a_part_that_fails_says_so_in_place(site: Client) -> None:
    response = site.get(URL, {"since": "x"}, headers={"HX-Request": "true"})
    assert response.status_code == 422
    assert response.text.lstrip().startswith('<section id="results"')


@pytest.mark.parametrize(("headers", "queries"), [({}, 8), ({"HX-Request": "true"}, 6)])
def test_queries_do_not_grow_with_the_history(
    site: Client, cleo: User, headers: dict[str, str], queries: int
) -> None:
    counts = []
    for more in (1, 2, 42):
        for _ in range(min(more, 3)):
            AttemptFactory(user=cleo, state=State.GRADING, blueprint=BlueprintFactory())
        many(cleo, more - min(more, 3), score=Decimal(6))
        with CaptureQueriesContext(connection) as captured:
            site.get(URL, headers=headers)
        counts.append(len(captured))
    assert Attempt.objects.count() == 45
    assert counts == [queries] * 3, [query["sql"] for query in captured]


def test_queries_with_every_filter(site: Client, cleo: User) -> None:
    many(cleo, 45)
    filters = {"track": "a", "topic": "b", "blueprint": "c", "mode": "mock", "state": "graded"}
    with CaptureQueriesContext(connection) as captured:
        site.get(URL, {**filters, "since": "2026-01-01", "until": "2026-12-31", "sort": "score"})
    assert len(captured) == 8


# --- the line of scores ---------------------------------------------------------------------------


def test_the_trend_shows_mocks_only_with_its_numbers(site: Client, cleo: User) -> None:
    day = timedelta(days=1)
    for number, score in enumerate([Decimal(4), Decimal("7.25")]):
        AttemptFactory(
            user=cleo, state=State.GRADED, started_at=STARTED_AT + number * day, grading__score=score
        )
    assert "Your last 2 graded mocks: 4.0 the oldest, 7.3 the newest." in text_of(get(site))
    AttemptFactory(user=cleo, state=State.GRADED, mode=Mode.PRACTICE)
    html = get(site)
    assert re.search(r'points="0(\.0)?,24\.0 100(\.0)?,11\.0 "', html)
    assert "12 Nov, 14:00 Phone screen 4.0 13 Nov, 14:00 Phone screen 7.3" in text_of(html)


def test_one_score_is_no_trend(site: Client, cleo: User) -> None:
    AttemptFactory(user=cleo, state=State.GRADED)
    assert "<svg" not in get(site).partition('id="results"')[2]


# --- one interview on two devices -----------------------------------------------------------------


def test_two_devices_make_one_attempt(cleo: User) -> None:
    """HIS-07: started on both, one answer on each, handed in on both."""
    track = TrackFactory()
    create_questions(2, topic=TopicFactory(track=track), follow_ups=0, minutes=5)
    BlueprintFactory(slug="sprint", recipe={"slots": [{"minutes": 10}, {"minutes": 10}]})
    devices = [Client(), Client()]
    for device in devices:
        device.force_login(cleo)
        start = {"blueprint": "sprint", "track": track.code, "level": "intermediate", "mode": "mock"}
        assert device.post("/start/new", {**start, "start_key": uuid4()}).status_code == 302
    attempt = Attempt.objects.get()
    for position, device in enumerate(devices, start=1):
        saved = device.post(
            f"/attempts/{attempt.pk}/q/{position}/save", {"text": f"answer {position}", "revision": 0}
        )
        assert saved.status_code == 200
    for device in reversed(devices):
        done = device.post(f"/attempts/{attempt.pk}/finish/")
        assert done["Location"] == f"/attempts/{attempt.pk}/grade/"
    html = get(devices[0])
    assert found(html) == ids(attempt)
    assert "grading: 0 of 2" in text_of(html)
    assert [answer.text for answer in attempt.responses.all()] == ["answer 1", "answer 2"]
