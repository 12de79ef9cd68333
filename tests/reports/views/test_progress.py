"""The progress page: a topic over time, kinds, levels, must-haves missed, time."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.models import User
from prepapp.bank.choices import Kind, Level
from prepapp.bank.models import RubricPoint
from prepapp.common.charts import percent_text, span_text
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Mark
from prepapp.reports.models import TopicWeek
from prepapp.reports.queries import progress
from prepapp.reports.queries.standings import standings
from tests.accounts.steps import be_guest
from tests.factories.bank import QuestionFactory, TopicFactory, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory, add_grading
from tests.factories.samples import add_samples, mark_sample
from tests.interviews.sitting import CANARY, make_bank, plant_canaries, rows, statements
from tests.reports.working import grade, mark

pytestmark = pytest.mark.django_db

NOW = STARTED_AT
PAGE = "/progress/"


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


def read(client: Client, query: str = "", *, htmx: bool = False) -> str:
    response = client.get(PAGE + query, headers={"HX-Request": "true"} if htmx else {})
    assert response.status_code == 200
    return str(response.content.decode())


def at_week(weeks_ago: int) -> Any:
    return NOW - timedelta(weeks=weeks_ago, days=1)


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def table_of(page: str, caption: str) -> list[list[str]]:
    """The rows of the table with that caption, as texts."""
    table = next(
        found
        for found in re.findall(r"<table.*?</table>", page, re.DOTALL)
        if f">{caption}</caption>" in found
    )
    body = table[table.index("<tbody>") :]
    return [
        [plain(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    ]


# --- who ------------------------------------------------------------------------------------------


def test_a_visitor_is_sent_to_sign_in_and_back(client: Client) -> None:
    response = client.get(PAGE)
    assert (response.status_code, response.url) == (302, "/account/sign-in/?next=/progress/")


def test_nothing_measured_says_what_will_be_here(site: Client) -> None:
    AttemptFactory(state=State.GRADED)
    for page in (read(site), read(site, htmx=True), read(site, "?topic=gone", htmx=True)):
        assert "Nothing is measured yet." in page
        assert "<svg" not in page
        assert "NaN" not in page


def test_one_sees_ones_own_work_only(site: Client, cleo: User) -> None:
    topic = make_bank(1)
    grade(CandidateFactory(), topic, MarkValue.MISSED, finished_at=at_week(1))
    grade(cleo, topic, MarkValue.MET, answers=2, finished_at=at_week(1))
    page = read(site)
    assert re.search(r"80 % sure between \d+\s% and \d+\s%, from 2 answers", page)
    assert "You missed none in your last 50 graded mocks." in page


def test_a_guest_may_look(client: Client) -> None:
    grade(be_guest(client), make_bank(1), finished_at=at_week(1))
    assert "over time" in read(client)


def test_looking_writes_nothing(site: Client, cleo: User) -> None:
    grade(cleo, make_bank(1), finished_at=at_week(1))
    before = rows()
    read(site)
    assert rows() == before


# --- a topic over time ----------------------------------------------------------------------------


def test_the_line_ends_where_the_person_stands_now(site: Client, cleo: User) -> None:
    topic, other = make_bank(1), make_bank(1)
    for weeks_ago, value in ((3, MarkValue.MISSED), (1, MarkValue.PARTLY)):
        grade(cleo, topic, value, finished_at=at_week(weeks_ago))
    grade(cleo, other, MarkValue.MET, answers=5, finished_at=at_week(2))
    page = read(site, f"?topic={topic.pk}")
    weeks = table_of(page, f"{topic.title} by week")
    assert [(row[0], row[3]) for row in weeks] == [
        ("19 Oct 2026", "3"),
        ("26 Oct 2026", "0"),
        ("2 Nov 2026", "3"),
        ("9 Nov 2026", "0"),
    ]
    estimate = next(found.estimate for found in standings(cleo, NOW).measured if found.topic == topic.pk)
    assert weeks[-1][1:3] == [
        plain(percent_text(estimate.mean)),
        plain(span_text(estimate.low, estimate.high)),
    ]
    assert page.count('<circle class="dot"') == 4


def test_the_neediest_topic_is_shown_unless_one_is_chosen(site: Client, cleo: User) -> None:
    good, bad = make_bank(1), make_bank(1)
    grade(cleo, good, MarkValue.MET, finished_at=at_week(1))
    grade(cleo, bad, MarkValue.MISSED, finished_at=at_week(1))
    assert f">{bad.title} over time</h2>" in read(site)
    page = read(site, f"?topic={good.pk}")
    assert f">{good.title} over time</h2>" in page
    assert re.findall(r'aria-current="page">(Topic [^<]*)', page) == [good.title]


@pytest.mark.parametrize("query", ["?topic=no.such", "?topic=%00", "?topic=<script>"])
def test_a_topic_without_a_line_is_said_and_the_page_stands(site: Client, cleo: User, query: str) -> None:
    grade(cleo, make_bank(1), finished_at=at_week(1))
    page = read(site, query)
    assert "Nothing is measured in the topic you asked for" in page
    assert "<script>" not in page


def test_the_part_is_the_line_alone(site: Client, cleo: User) -> None:
    topic = make_bank(1)
    grade(cleo, topic, finished_at=at_week(1))
    part = read(site, f"?topic={topic.pk}", htmx=True)
    assert part.lstrip().startswith('<section id="over-time"')
    assert "musts-title" not in part


def test_many_topics_are_folded_and_open_where_the_chosen_one_is(site: Client, cleo: User) -> None:
    homes = [make_bank(1) for _ in range(10)]
    TopicWeek.objects.bulk_create(
        TopicWeek(
            user=cleo, topic=topic, week_start=date(2026, 11, 2), answers=1, trials=1.5, successes=n / 10
        )
        for n, topic in enumerate(homes)
    )
    assert "<details>\n" in read(site)
    assert '<summary class="btn">2 more</summary>' in read(site)
    assert "<details open>" in read(site, f"?topic={homes[-1].pk}")


def test_one_press_drills_the_topic(site: Client, cleo: User) -> None:
    topic = make_bank(1)
    grade(cleo, topic, finished_at=at_week(1))
    form = re.search(r'<form method="post" action="/start/drill/".*?</form>', read(site), re.DOTALL)
    assert form
    assert f'name="topic" value="{topic.pk}"' in form[0]


# --- kinds, levels, time --------------------------------------------------------------------------


def test_scores_by_kind_and_level_are_those_of_the_marks(site: Client, cleo: User) -> None:
    topic = make_bank(1)
    kinds = create_questions(
        2,
        topic=topic,
        kind=lambda n: [Kind.CONCEPT, Kind.DESIGN][n],
        level=lambda n: [Level.SENIOR, Level.FOUNDATION][n],
        minutes=lambda n: [5, 15][n],
    )
    attempt = grade(cleo, topic, MarkValue.MET, questions=kinds, finished_at=at_week(1))
    for key in ("r1", "r2"):
        mark(attempt, 1, key, MarkValue.MISSED)
    page = read(site)
    assert table_of(page, "Score by kind of question") == [
        ["Concept", "1", "3.0", "Not yet"],
        ["Design", "1", "10.0", "Strong hire"],
    ]
    assert table_of(page, "Score by level") == [
        ["Foundation", "1", "10.0", "Strong hire"],
        ["Senior", "1", "3.0", "Not yet"],
    ]


def test_what_counts_is_the_newest_grading_of_the_newest_mocks(site: Client, cleo: User) -> None:
    """Not practice, not an older grading, not what lies further back than the page says."""
    topic = make_bank(1)
    question = topic.questions.get()
    for weeks_ago in range(progress.MOCKS + 2):
        AttemptFactory(
            user=cleo,
            state=State.GRADED,
            started_at=at_week(weeks_ago + 2),
            responses__questions=[question],
            grading__value=MarkValue.PARTLY if weeks_ago < progress.MOCKS - 1 else MarkValue.MISSED,
        )
    regraded = grade(cleo, topic, MarkValue.MISSED, answers=1, finished_at=at_week(1))
    add_grading(regraded, number=2, value=MarkValue.MET)
    AttemptFactory(user=cleo, mode=Mode.PRACTICE, state=State.GRADED, grading__value=MarkValue.MISSED)
    score = (49 * 5 + 10) / 50
    assert table_of(read(site), "Score by kind of question") == [
        ["Concept", "50", f"{score:.1f}", "Borderline"]
    ]


def test_an_answer_without_a_rubric_is_not_zero(site: Client, cleo: User) -> None:
    grade(cleo, make_bank(1), MarkValue.MET, answers=1, finished_at=at_week(1))
    question = QuestionFactory(version__points=[], version__kind=Kind.SQL)
    AttemptFactory(user=cleo, state=State.GRADED, started_at=at_week(1), responses__questions=[question])
    assert ["SQL", "1", "–", "not scored"] in table_of(read(site), "Score by kind of question")


def test_time_against_plan_is_on_average_by_kind_and_with_the_allowance(site: Client, cleo: User) -> None:
    attempt = grade(cleo, make_bank(1), MarkValue.MET, answers=3, finished_at=at_week(1))
    for position, seconds in ((1, 200), (2, 400), (3, 0)):
        attempt.responses.filter(position=position).update(seconds_spent=seconds)
    caption = "Time an answer takes on average, in minutes and seconds, by kind of question"
    page = read(site)
    assert table_of(page, caption) == [["Concept", "", "5:00 of 5:00", "1 of 2 over"]]
    assert "1 of 2 answers took longer than planned." in page
    Attempt.objects.update(time_allowance=TimeAllowance.DOUBLE)
    assert table_of(read(site), caption) == [["Concept", "", "5:00 of 10:00", "0 of 2 over"]]


def test_time_that_was_never_reported_has_no_chart(site: Client, cleo: User) -> None:
    attempt = grade(cleo, make_bank(1), finished_at=at_week(1))
    attempt.responses.update(seconds_spent=0)
    assert "Time against plan" not in read(site)


# --- must-haves -----------------------------------------------------------------------------------


def musts(page: str) -> list[str]:
    section = page[page.index('id="musts-title"') : page.index('id="kinds-title"')]
    return [plain(item) for item in re.findall(r"<li>(.*?)</li>", section, re.DOTALL)]


def test_must_haves_stand_by_how_often_they_were_missed_with_their_answers(site: Client, cleo: User) -> None:
    topic = make_bank(1)
    often, once = create_questions(2, topic=topic)
    first = grade(cleo, topic, MarkValue.MISSED, questions=[often, once], finished_at=at_week(2))
    second = grade(cleo, topic, MarkValue.MET, questions=[once, often], finished_at=at_week(1))
    mark(second, 2, "r1", MarkValue.MISSED)
    page = read(site)
    assert musts(page) == [
        f"Criterion r1 of Title of {often.slug} Title of {often.slug} · missed in 2 of 2 answers: "
        "4 Nov 2026 , answer that missed it , 28 Oct 2026 , answer that missed it",
        f"Criterion r1 of Title of {once.slug} Title of {once.slug} · missed in 1 of 2 answers: "
        "28 Oct 2026 , answer that missed it",
    ]
    links = re.findall(r'href="(/attempts/[^"]*/review/#answer-\d)"', page)
    assert links == [
        f"/attempts/{second.pk}/review/#answer-2",
        f"/attempts/{first.pk}/review/#answer-1",
        f"/attempts/{first.pk}/review/#answer-2",
    ]
    for link in links:
        assert f'id="{link.partition("#")[2]}"' in site.get(link.partition("#")[0]).content.decode()


def test_points_that_are_no_must_haves_and_partly_met_ones_are_left_out(site: Client, cleo: User) -> None:
    attempt = grade(cleo, make_bank(1), MarkValue.MISSED, answers=1, finished_at=at_week(1))
    Mark.objects.filter(point__is_must=True).update(value=MarkValue.PARTLY)
    assert attempt.responses.count() == 1
    assert musts(read(site)) == []


def test_an_edited_question_keeps_its_point(site: Client, cleo: User) -> None:
    from tests.factories.bank import add_version

    topic = make_bank(1)
    (question,) = create_questions(1, topic=topic)
    grade(cleo, topic, MarkValue.MISSED, questions=[question], finished_at=at_week(2))
    add_version(question, title="New title")
    grade(cleo, topic, MarkValue.MISSED, questions=[question], finished_at=at_week(1))
    (found,) = musts(read(site))
    assert found.startswith("Criterion r1 of New title New title · missed in 2 of 2 answers")


def test_only_the_worst_are_named(site: Client, cleo: User) -> None:
    grade(cleo, make_bank(1), MarkValue.MISSED, answers=12, finished_at=at_week(1))
    assert len(musts(read(site))) == progress.NAMED_MUSTS


def test_p13_a_running_mock_holds_back_what_it_asks(site: Client, cleo: User) -> None:
    topic = make_bank(1)
    held, free = create_questions(2, topic=topic)
    attempt = grade(cleo, topic, MarkValue.MISSED, questions=[held, free], finished_at=at_week(1))
    plant_canaries(attempt)
    RubricPoint.objects.filter(version__question=free).update(criterion="Free to read")
    assert CANARY in read(site)
    running = AttemptFactory(user=cleo, responses__questions=[held])
    page = read(site)
    assert CANARY not in page
    assert "Free to read" in page
    assert "1 more held back while its question is in an interview that is running." in page
    Attempt.objects.filter(pk=running.pk).update(mode=Mode.PRACTICE)
    assert CANARY in read(site)


def test_p13_what_is_not_graded_yet_tells_nothing(site: Client, cleo: User) -> None:
    grade(cleo, make_bank(1), MarkValue.MET, finished_at=at_week(1))
    waiting = AttemptFactory(user=cleo, state=State.GRADING)
    plant_canaries(waiting)
    assert CANARY not in read(site)


# --- statements -----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3, 30])
def test_statements_do_not_grow_with_what_was_practised(site: Client, cleo: User, count: int) -> None:
    """Session, person; evidence, rates and topics; rates and weeks; answers; must-haves, what runs; samples."""
    for weeks_ago in range(min(count, 3)):
        grade(cleo, make_bank(1), MarkValue.MISSED, answers=count, finished_at=at_week(weeks_ago))
    with statements() as sent:
        read(site)
    assert len(sent) == 11, sent
    with statements() as sent:
        read(site, htmx=True)
    assert len(sent) == 7, sent


def test_statements_without_anything(site: Client) -> None:
    with statements() as sent:
        read(site)
    assert len(sent) == 6, sent


# --- how one marks --------------------------------------------------------------------------------


def marking(page: str) -> str:
    return re.sub(r"\s+", " ", page.partition('id="marking-title"')[2].partition("</section>")[0])


def test_without_a_marked_sample_it_says_what_they_are_for(site: Client) -> None:
    page = marking(read(site))
    assert "Every score here rests on your own marks." in page
    assert 'href="/samples/"' in page


def test_how_one_marks_by_track_with_its_count(site: Client, cleo: User) -> None:
    topic = TopicFactory(code="gpu.memory")
    for sample in add_samples(*create_questions(2, topic=topic)):
        mark_sample(cleo, sample, value=MarkValue.MET)
    page = marking(read(site))
    assert "You mark in Track gpu <strong>5.0 points too generously</strong>, from 6 samples" in page
    assert "over all tracks" not in page
    mark_sample(cleo, add_samples(*create_questions(1, topic=TopicFactory(code="sre.slo")))[0])
    with statements() as sent:
        page = marking(read(site))
    assert "You mark over all tracks <strong>4.3 points too generously</strong>, from 7 samples" in page
    assert "Nothing to say yet about how you mark in Track sre: 1 of 5 samples." in page
    assert len(sent) == 8, sent
