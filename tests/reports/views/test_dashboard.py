"""The front page of a candidate: what to do next, where they stand, what was last."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.models import Topic
from prepapp.common.charts import percent_text, span_text, sure_text
from prepapp.interviews.choices import Band, Ending, MarkValue, Mode, State
from prepapp.interviews.models import Attempt
from prepapp.reports.models import TopicWeek, WeeklyReport
from prepapp.reports.queries import dashboard
from prepapp.reports.queries.standings import standings
from tests.accounts.steps import be_guest
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import (
    STARTED_AT,
    AttemptFactory,
    BlueprintFactory,
    CandidateFactory,
    add_grading,
)
from tests.factories.reports import WeeklyReportFactory
from tests.interviews.sitting import (
    CANARY,
    GRACE,
    arrival,
    at,
    make_bank,
    plant_canaries,
    rows,
    sit,
    statements,
    track_of,
)
from tests.reports.working import grade

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=1)
DEADLINE = STARTED_AT + timedelta(minutes=15)
OVERDUE = DEADLINE + GRACE + timedelta(seconds=1)
LAST_WEEK = STARTED_AT - timedelta(days=7)


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
    """The hidden fields of every form that starts a quiz."""
    forms = re.findall(r'<form method="post" action="/start/new">(.*?)</form>', page, re.DOTALL)
    return [dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)) for form in forms]


def headline(page: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", page)
    assert found
    return found[1]


def table_rows(page: str) -> list[list[str]]:
    """The texts of the cells of each measured topic."""
    table = re.search(r'<table class="topics">.*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    if table is None:
        return []
    cells = [
        re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        for row in re.findall(r"<tr>.*?</tr>", table[1], re.DOTALL)
    ]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in cells]


def practise(user: User, topic: Topic, value: int, answers: int = 6) -> Attempt:
    return grade(user, topic, value, answers=answers, finished_at=LAST_WEEK)


def test_a_new_account_sees_a_first_session_and_no_empty_charts(site: Client, topics: list[Topic]) -> None:
    page = site.get("/").content.decode()
    assert headline(page) == "Sit your first interview"
    assert {form["level"] for form in quick_forms(page)} == {"intermediate"}
    assert re.findall(r"<h2[^>]*>([^<]*)", page) == ["A quick quiz, ten minutes"]
    assert "<svg" not in page


def test_the_level_of_a_quick_start_is_the_persons(client: Client, topics: list[Topic]) -> None:
    client.force_login(CandidateFactory(level="senior"))
    assert {form["level"] for form in quick_forms(client.get("/").content.decode())} == {"senior"}


def test_what_runs_comes_before_what_waits_for_marks(site: Client, cleo: User) -> None:
    running = AttemptFactory(user=cleo, title="Deep dive")
    earlier = [STARTED_AT - timedelta(hours=hours) for hours in (1, 2)]
    waiting = AttemptFactory(user=cleo, title="Coding", state=State.GRADING, started_at=earlier[0])
    graded = AttemptFactory(user=cleo, title="Old one", state=State.GRADED, started_at=earlier[1])
    AttemptFactory(title="Of somebody else")
    page = site.get("/").content.decode()
    assert headline(page).startswith("Deep dive, ")
    assert "Ends at 14:15, whether this page is open or not." in page
    links = re.findall(r'href="(/attempts/[^"]*)"', page)
    assert links == [at(attempt, "attempt") for attempt in (running, waiting, waiting, graded)]
    assert "Of somebody else" not in page


def test_a_score_reads_as_it_does_on_the_result(site: Client, cleo: User) -> None:
    """6.96 is below 7, where an answer begins to read as a hire, so it is not rounded up to it."""
    add_grading(AttemptFactory(user=cleo, state=State.GRADING), score=Decimal("6.96"))
    assert "<strong>6.96</strong>" in site.get("/").text


def test_the_end_is_told_in_the_persons_zone(client: Client) -> None:
    dev = CandidateFactory(time_zone="America/New_York", is_time_zone_confirmed=True)
    AttemptFactory(user=dev)
    client.force_login(dev)
    assert "Ends at 09:15, whether this page is open or not." in client.get("/").content.decode()


def test_tim_11_overdue_attempts_are_closed_by_the_first_look(site: Client, cleo: User, clock: Any) -> None:
    """TIM-11: the first look and the second are equal, and neither says that it runs."""
    AttemptFactory(user=cleo)
    other = AttemptFactory()
    clock.move_to(OVERDUE, tick=False)
    pages = [site.get("/").content.decode() for _ in range(2)]
    assert [headline(page).startswith("Grade “Phone screen”") for page in pages] == [True, True]
    assert ["Running now" in page for page in pages] == [False, False]
    mine = Attempt.objects.get(user=cleo)
    assert (mine.state, mine.finished_at, mine.ending) == (State.GRADING, DEADLINE, Ending.DEADLINE)
    other.refresh_from_db()
    assert other.state == State.RUNNING


def test_looking_within_time_writes_nothing(site: Client, cleo: User) -> None:
    AttemptFactory(user=cleo)
    before = rows()
    site.get("/")
    assert rows() == before


def test_p13_the_running_interview_is_no_sample(site: Client, cleo: User) -> None:
    plant_canaries(sit(cleo))
    assert CANARY not in site.get("/").content.decode()


def test_a_guest_is_told_how_to_keep_it(client: Client) -> None:
    guest = be_guest(client)
    sit(guest)
    page = client.get("/").content.decode()
    assert headline(page).startswith("Phone screen")
    assert "You practise without an account." in page


# --- what comes next ------------------------------------------------------------------------------


def test_a_new_account_with_a_track_starts_its_quiz_with_one_press(
    client: Client, topics: list[Topic]
) -> None:
    BlueprintFactory(
        slug="quick-quiz", minutes=10, recipe={"slots": [{"minutes": 3, "follow_up_only": True}]}
    )
    client.force_login(CandidateFactory(track=track_of(topics[1])))
    first = quick_forms(client.get("/").content.decode())[0]
    assert first["track"] == track_of(topics[1])
    assert arrival(client, client.post("/start/new", first)) == at(Attempt.objects.get(), "room")


def test_a_weak_area_is_drilled_with_one_press(site: Client, cleo: User) -> None:
    BlueprintFactory(slug="drill", minutes=20, recipe={"drill": True})
    weak = make_bank(4, follow_ups=0)
    practise(cleo, weak, MarkValue.MISSED)
    page = site.get("/").content.decode()
    estimate = standings(cleo, NOW).weak[0].estimate
    assert headline(page) == f"Work on {weak.title}"
    assert f"6 answers say you meet about {percent_text(estimate.mean)} of the points here." in page
    assert f"It is {sure_text(estimate.p_weak)} sure that this is below the bar of 60" in page
    key = re.search(
        r'name="start_key" value="([^"]*)"><button class="btn primary" name="topic" value="([^"]*)"', page
    )
    assert key and key[2] == weak.pk
    response = site.post(reverse("interviews:drill"), {"topic": key[2], "start_key": key[1]})
    assert arrival(site, response) == at(Attempt.objects.get(state=State.RUNNING), "room")


def test_a_weak_area_that_cannot_be_drilled_is_not_offered(site: Client, cleo: User) -> None:
    """Its questions take longer than a drill: the row leads to an interview of its own, the card elsewhere."""
    weak = make_bank(1, minutes=50)
    grade(
        cleo,
        weak,
        MarkValue.MISSED,
        answers=6,
        finished_at=LAST_WEEK,
        questions=create_questions(6, topic=weak, minutes=50),
    )
    page = site.get("/").content.decode()
    assert headline(page) == "Sit the next interview"
    assert table_rows(page)[0][-1] == f"Custom interview on {weak.title}"
    assert f'href="/start/custom/?track={track_of(weak)}&amp;topics={weak.pk}"' in page
    assert 'name="topic"' not in page


def test_without_a_weak_area_the_heaviest_topic_nothing_is_known_of(client: Client) -> None:
    track = TrackFactory()
    done, light, heavy, empty = (TopicFactory(shared={track: weight}) for weight in (1, 0.5, 2, 3))
    for topic in (done, light, heavy):
        create_questions(1, topic=topic)
    dev = CandidateFactory(track=track.code)
    client.force_login(dev)
    practise(dev, done, MarkValue.MET, answers=1)
    page = client.get("/").content.decode()
    assert headline(page) == f"Try {heavy.title}"
    named = re.search(r'<h2 id="open-topics-title">.*?</form>', page, re.DOTALL)
    assert named
    assert re.findall(r'name="topic" value="([^"]*)"', named[0]) == [heavy.pk, light.pk]
    assert empty.title not in page


@pytest.mark.parametrize(("lengths", "minutes"), [([3, 4], 8), ([5, 9, 6, 4], 27)])
def test_one_press_tries_one_of_each_of_the_first(client: Client, lengths: list[int], minutes: int) -> None:
    """As long as the longest of their shortest questions needs, so that none is left out."""
    track = TrackFactory()
    done = TopicFactory(shared={track: 1})
    homes = [TopicFactory(shared={track: 9 - number}) for number in range(len(lengths))]
    for topic, length in zip(homes, lengths, strict=True):
        create_questions(2, topic=topic, minutes=lambda n, length=length: length + 30 * n)
    dev = CandidateFactory(track=track.code)
    client.force_login(dev)
    practise(dev, done, MarkValue.MET, answers=1)
    form = re.search(
        r'<form method="post" action="/start/custom/">(.*?)</form>',
        client.get("/").content.decode(),
        re.DOTALL,
    )
    assert form
    fields = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[1])
    data = dict(fields) | {"topics": [value for name, value in fields if name == "topics"]}
    assert arrival(client, client.post("/start/custom/", data)) == at(
        Attempt.objects.get(state=State.RUNNING), "room"
    )
    attempt = Attempt.objects.get(state=State.RUNNING)
    asked = attempt.responses.values_list("version__question__topic", flat=True)
    assert set(asked) == {topic.pk for topic in homes[:3]}
    assert (attempt.minutes, len(asked)) == (minutes, min(len(homes), 3))


def test_a_topic_that_was_not_practised_is_never_weak(client: Client) -> None:
    track = TrackFactory()
    done, other = (TopicFactory(shared={track: 1}) for _ in range(2))
    for topic in (done, other):
        create_questions(1, topic=topic)
    dev = CandidateFactory(track=track.code)
    client.force_login(dev)
    practise(dev, done, MarkValue.MISSED)
    page = client.get("/").content.decode()
    assert [row[0].split(" ")[1] for row in table_rows(page)] == [done.code]
    assert page.count("✕ weak") == 1


def test_nothing_weak_and_nothing_open_leads_to_a_mock(site: Client, cleo: User) -> None:
    practise(cleo, make_bank(1), MarkValue.MET, answers=1)
    assert headline(site.get("/").content.decode()) == "Sit the next interview"


def test_a_report_is_new_until_it_was_opened(site: Client, cleo: User) -> None:
    practise(cleo, make_bank(4), MarkValue.MISSED)
    WeeklyReportFactory(user=cleo, label="2026-W44")
    WeeklyReportFactory(user=cleo, label="2026-W46", figures=None)
    report = WeeklyReportFactory(user=cleo, label="2026-W45")
    WeeklyReportFactory(label="2026-W47")
    page = site.get("/").content.decode()
    assert headline(page) == "Your week in a letter"
    assert 'href="/reports/2026-W45/"' in page
    WeeklyReport.objects.filter(pk=report.pk).update(read_at=NOW)
    assert headline(site.get("/").content.decode()).startswith("Work on ")


def test_the_lead_is_one_card_in_its_order(site: Client, cleo: User) -> None:
    """Each of what waits is taken away, and the next takes its place."""
    practise(cleo, make_bank(4), MarkValue.MISSED)
    report = WeeklyReportFactory(user=cleo)
    waiting = AttemptFactory(user=cleo, title="Coding", state=State.GRADING)
    running = AttemptFactory(user=cleo, title="Deep dive")
    seen = [headline(site.get("/").content.decode()).split()[0]]
    for gone in (running, waiting, report):
        gone.delete()
        page = site.get("/").content.decode()
        seen.append(headline(page).split()[0])
        assert page.count('class="card lead"') == 1
    assert seen == ["Deep", "Grade", "Your", "Work"]


def test_of_several_that_run_the_one_that_ends_first_leads(site: Client, cleo: User) -> None:
    """What was begun last may have no clock, and a mock beside it minutes left."""
    for title, minutes_ago, minutes in (("Long", 20, 45), ("Short", 10, 15), ("No clock", 5, None)):
        begun = NOW - timedelta(minutes=minutes_ago)
        AttemptFactory(
            user=cleo,
            title=title,
            track=None,
            started_at=begun,
            deadline_at=begun + timedelta(minutes=minutes) if minutes else None,
        )
    page = site.get("/").content.decode()
    assert headline(page) == "Short"
    also_open = page.partition('id="open-title"')[2].partition("</ul>")[0]
    assert re.findall(r">([^<]+)</a>", also_open) == ["Long", "No clock"]


# --- where they stand -----------------------------------------------------------------------------


def test_topics_stand_by_need_with_their_numbers(site: Client, cleo: User) -> None:
    weak, unsure, strong = make_bank(1), make_bank(1), make_bank(1)
    practise(cleo, weak, MarkValue.MISSED)
    practise(cleo, unsure, MarkValue.PARTLY, answers=1)
    practise(cleo, strong, MarkValue.MET, answers=14)
    found = {topic.topic: topic.estimate for topic in standings(cleo, NOW).measured}
    assert table_rows(site.get("/").content.decode()) == [
        [
            f"{topic.title} {answers} answer{'' if answers == 1 else 's'}",
            "",
            f"{percent_text(found[topic.pk].mean)} {span_text(found[topic.pk].low, found[topic.pk].high)}",
            standing,
            f"Drill {topic.title}",
        ]
        for topic, answers, standing in (
            (weak, 6, "✕ weak"),
            (unsure, 1, "◐ not enough yet"),
            (strong, 14, "✓ strong"),
        )
    ]


def test_many_topics_are_folded(site: Client, cleo: User) -> None:
    homes = [make_bank(1) for _ in range(dashboard.SHOWN_TOPICS + 2)]
    TopicWeek.objects.bulk_create(
        TopicWeek(user=cleo, topic=topic, week_start=date(2026, 11, 2), answers=1, trials=1.5, successes=1)
        for topic in homes
    )
    page = site.get("/").content.decode()
    assert len(table_rows(page)) == dashboard.SHOWN_TOPICS
    assert "<summary>2 more topics</summary>" in page
    assert page.count('class="chart interval') == len(homes)


def test_how_well_they_judge_themselves_has_its_count(site: Client, cleo: User) -> None:
    """Not counted: practice, the work of others, an earlier grading."""
    topic = make_bank(1)
    practise(cleo, topic, MarkValue.MISSED, answers=3)
    practise(cleo, topic, MarkValue.MET, answers=2)
    add_grading(
        practise(cleo, topic, MarkValue.MET, answers=1),
        number=2,
        value=MarkValue.MISSED,
        confidence=Band.NOT_YET,
    )
    AttemptFactory(user=cleo, mode=Mode.PRACTICE, state=State.GRADED)
    AttemptFactory(state=State.GRADED)
    page = site.get("/").content.decode()
    table = re.search(r'<table class="counts">(.*?)</table>', page, re.DOTALL)
    assert table
    assert "your last 6 judged answers in mocks" in table[1]
    assert re.findall(r'<th scope="row">([^<]*)</th>.*?<td class="num">(\d+)</td>', table[1]) == [
        ("Higher than the rubric", "3"),
        ("As the rubric", "1"),
        ("Lower than the rubric", "2"),
    ]


def test_judgement_is_told_from_the_newest_mocks_only(site: Client, cleo: User) -> None:
    for number in range(dashboard.JUDGED_MOCKS + 2):
        AttemptFactory(user=cleo, state=State.GRADED, started_at=LAST_WEEK + timedelta(hours=number))
    practise(cleo, make_bank(1), MarkValue.MISSED, answers=1)
    page = site.get("/").content.decode()
    assert f"your last {dashboard.JUDGED_MOCKS} judged answers" in page


@pytest.mark.parametrize(
    ("zone", "day", "words"),
    [
        ("UTC", date(2026, 11, 24), "12 days to your interview"),
        ("UTC", date(2026, 11, 11), None),
        # 14:01 in UTC is 03:01 of the next day there.
        ("Pacific/Auckland", date(2026, 11, 13), "Your interview is today"),
        ("UTC", None, None),
        ("Nowhere/Gone", date(2026, 11, 24), "12 days to your interview"),
    ],
)
def test_the_days_to_the_interview(client: Client, zone: str, day: date | None, words: str | None) -> None:
    client.force_login(CandidateFactory(interview_date=day, time_zone=zone))
    page = client.get("/").content.decode()
    assert re.findall(r'<p class="countdown"><strong>([^<]*)', page) == ([words] if words else [])


def test_the_last_five_interviews_are_named_whatever_else_is_open(site: Client, cleo: User) -> None:
    for number in range(7):
        AttemptFactory(
            user=cleo,
            title=f"Mock {number}",
            state=State.GRADED,
            started_at=LAST_WEEK + timedelta(hours=number),
        )
    for number in range(2):
        AttemptFactory(
            user=cleo,
            title=f"Open {number}",
            started_at=LAST_WEEK - timedelta(hours=number),
            mode=Mode.PRACTICE,
        )
    page = site.get("/").content.decode()
    recent = re.search(r'<ul class="card stack plain-list recent">(.*?)</ul>', page, re.DOTALL)
    assert recent
    assert re.findall(r">(Mock \d|Open \d)", recent[1]) == [f"Mock {number}" for number in (6, 5, 4, 3, 2)]


def test_a_guest_with_graded_work_sees_where_they_stand(client: Client) -> None:
    guest = be_guest(client)
    practise(guest, make_bank(3), MarkValue.MISSED)
    page = client.get("/").content.decode()
    assert len(table_rows(page)) == 1
    assert "You practise without an account." in page


def test_nobody_sees_where_somebody_else_stands(site: Client, cleo: User) -> None:
    practise(CandidateFactory(), make_bank(3), MarkValue.MISSED)
    page = site.get("/").content.decode()
    assert headline(page) == "Sit your first interview"
    assert table_rows(page) == []


# --- statements -----------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [State.RUNNING, State.GRADING, State.GRADED])
@pytest.mark.parametrize("count", [1, 3])
def test_statements_do_not_grow_with_the_attempts(site: Client, cleo: User, state: str, count: int) -> None:
    """Session, person, what is open and was last, the bank, evidence, rates, the newest report."""
    AttemptFactory.create_batch(count, user=cleo, state=state)
    with statements() as sent:
        site.get("/")
    assert len(sent) == 7, sent


@pytest.mark.parametrize("count", [1, 3, 30])
def test_statements_do_not_grow_with_what_was_measured(site: Client, cleo: User, count: int) -> None:
    """The same, and the answers that were judged."""
    for _ in range(min(count, 3)):
        practise(cleo, make_bank(1), MarkValue.MISSED, answers=count)
    with statements() as sent:
        site.get("/")
    assert len(sent) == 8, sent


@pytest.mark.parametrize("count", [1, 3])
def test_statements_do_not_grow_with_what_is_overdue(
    site: Client, cleo: User, clock: Any, count: int
) -> None:
    """One UPDATE closes all of them, one more look reads what is left."""
    AttemptFactory.create_batch(count, user=cleo)
    clock.move_to(OVERDUE, tick=False)
    with statements() as sent:
        site.get("/")
    assert len(sent) == 9, sent
