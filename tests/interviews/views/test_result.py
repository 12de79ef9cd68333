"""The result page: what it says of a grading, whose it is, what it costs."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.accounts.choices import TimeAllowance
from prepapp.bank.choices import Kind
from prepapp.bank.models import RubricPoint
from prepapp.interviews.actions.grading import close_grading
from prepapp.interviews.choices import Band, Ending, MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Mark, ResponseGrade
from tests.factories.bank import QuestionFactory, TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory, add_grading

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(hours=1)


@pytest.fixture(autouse=True)
def an_hour_later() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


def url(attempt: Attempt, query: str = "") -> str:
    return f"/attempts/{attempt.pk}/result/{query}"


def read(client: Client, attempt: Attempt, query: str = "") -> str:
    client.force_login(attempt.user)
    reply = client.get(url(attempt, query))
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def mark(attempt: Attempt, position: int, value: int, **where: Any) -> None:
    Mark.objects.filter(
        response_grade__grading__attempt=attempt, response_grade__response__position=position, **where
    ).update(value=value, first_value=value)


def test_the_verdict_comes_first(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED, grading__score=Decimal("6.4"))
    page = read(client, attempt)
    assert '<h1 id="verdict"><span class="score">6.4</span> of 10 — reads as Borderline</h1>' in page
    assert page.index("<h1") < page.index("<h2")


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (MarkValue.MET, "10.0</span> of 10 — reads as Strong hire"),
        (MarkValue.MISSED, "0.0</span> of 10 — reads as Not yet"),
    ],
)
def test_full_and_nothing(client: Client, value: int, verdict: str) -> None:
    assert verdict in read(client, AttemptFactory(state=State.GRADED, grading__value=value))


def test_a_stranger_and_a_random_id_get_the_same_404(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    client.force_login(CandidateFactory())
    foreign, unknown = client.get(url(attempt)), client.get(f"/attempts/{uuid4()}/result/")
    assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert foreign.content == unknown.content


def test_nobody_is_sent_to_sign_in(client: Client) -> None:
    reply = client.get(url(AttemptFactory(state=State.GRADED)))
    assert (reply.status_code, reply["Location"].split("?")[0]) == (302, "/account/sign-in/")


def test_it_is_only_read(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    client.force_login(attempt.user)
    assert client.post(url(attempt)).status_code == 405


@pytest.mark.parametrize("state", [State.RUNNING, State.GRADING, State.ABANDONED])
def test_an_attempt_that_is_elsewhere_is_shown_there(client: Client, state: str) -> None:
    attempt = AttemptFactory(state=state, deadline_at=NOW + timedelta(hours=1))
    client.force_login(attempt.user)
    assert client.get(url(attempt))["Location"] == f"/attempts/{attempt.pk}/"


def test_a_guest_is_told_how_to_keep_it(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED, user=CandidateFactory(guest=True))
    session = client.session
    session[GUEST_SESSION_KEY] = str(attempt.user.pk)
    session.save()
    page = client.get(url(attempt)).content.decode()
    assert "Create an account to keep this</a>" in page
    assert "/account/sign-up/" in page
    assert "Create an account to keep this" not in read(client, AttemptFactory(state=State.GRADED))


def test_missed_must_haves_are_a_list_with_links(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED, responses=2)
    mark(attempt, 2, MarkValue.MISSED, point__is_must=True)
    page = read(client, attempt)
    assert "Must-haves missed in 1 answer." in page
    assert f'href="/attempts/{attempt.pk}/review/?grading=1#answer-2">Answer 2: Title of' in page
    missed = RubricPoint.objects.get(
        version__responses__attempt=attempt, is_must=True, follow_up=None, version__responses__position=2
    )
    assert f"<li>{missed.criterion}</li>" in page


def test_no_must_have_missed_no_list(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    mark(attempt, 1, MarkValue.PARTLY)
    assert "Must-haves missed" not in read(client, attempt)


def test_scores_by_topic_and_kind_are_weighted_by_minutes(client: Client) -> None:
    weak, good = TopicFactory(title="Weak topic"), TopicFactory(title="Good topic")
    attempt = AttemptFactory(
        state=State.GRADED,
        track=TrackFactory(code="gpu"),
        responses__questions=[
            QuestionFactory(topic=good, version__kind=Kind.DESIGN, version__minutes=9),
            QuestionFactory(topic=weak, version__kind=Kind.CODING, version__minutes=9),
            QuestionFactory(topic=weak, version__kind=Kind.DESIGN, version__minutes=3),
        ],
    )
    mark(attempt, 2, MarkValue.MISSED)
    page = read(client, attempt)
    row = '<th scope="row">{}</th><td class="num">{}</td><td class="num">{}</td><td>{}</td>'
    for title, answers, score, band in (
        ("Weak topic", 2, "2.5", "Not yet"),
        ("Good topic", 1, "10.0", "Strong hire"),
        ("Coding", 1, "0.0", "Not yet"),
        ("Design", 2, "10.0", "Strong hire"),
    ):
        assert row.format(title, answers, score, band) in page
    assert f'href="/start/custom/?track=gpu&amp;topics={weak.code}">Practise Weak topic</a>' in page


def test_nothing_weak_nothing_to_drill(client: Client) -> None:
    page = read(client, AttemptFactory(state=State.GRADED))
    assert "/start/custom/" not in page
    assert "Take the same interview again" in page


def test_time_against_plan(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED, responses=2, time_allowance=TimeAllowance.HALF)
    attempt.responses.filter(position=1).update(seconds_spent=605)
    attempt.responses.filter(position=2).update(seconds_spent=0)
    page = read(client, attempt)
    assert '<td class="num">10:05</td><td class="num">7:30</td>' in page
    assert '<td class="num">–</td><td class="num">7:30</td>' in page
    assert '<rect class="used over" width="100%"' in page
    assert '<rect class="plan" width="74.4%"' in page


@pytest.mark.parametrize(
    ("said", "value", "words", "summary"),
    [
        (Band.STRONG, MarkValue.MISSED, "lower than you said", "you judged 1 higher than the rubric does"),
        (Band.NOT_YET, MarkValue.MET, "higher than you said", "you judged 1 lower than the rubric does"),
        (Band.STRONG, MarkValue.MET, "as you said", "You judged your answer as the rubric does."),
    ],
)
def test_confidence_against_score(client: Client, said: str, value: int, words: str, summary: str) -> None:
    attempt = AttemptFactory(state=State.GRADED, grading__confidence=said, grading__value=value)
    page = read(client, attempt)
    assert f'<span class="small soft">{words}</span>' in page
    assert summary in page


def test_share_of_met_points_shown_with_words(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    Mark.objects.filter(pk=Mark.objects.first().pk).update(quote="one eighth")
    assert "Met points shown with your own words: 1 of 3 (33 %). The others are claimed." in read(
        client, attempt
    )


def test_lessons_are_gathered_as_plain_text(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    ResponseGrade.objects.update(fix_next="Say <b>it</b> first")
    page = read(client, attempt)
    assert "What you want to fix next time" in page
    assert "<p>Say &lt;b&gt;it&lt;/b&gt; first</p>" in page


def test_practice_and_untimed_are_labelled(client: Client) -> None:
    practice = AttemptFactory(state=State.GRADED, mode=Mode.PRACTICE)
    assert "Practice: not counted as measured readiness" in read(client, practice)
    untimed = AttemptFactory(state=State.GRADED, time_allowance=TimeAllowance.UNTIMED, deadline_at=None)
    page = read(client, untimed)
    assert '<span class="chip partly">Untimed</span>' in page
    assert "Practice:" not in page


def test_an_ending_by_the_clock_is_named(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED, ending=Ending.DEADLINE)
    assert "Time was up at 14:15." in read(client, attempt)


@pytest.mark.parametrize(
    ("mode", "verdict", "words"),
    [
        (Mode.MOCK, "0.0</span> of 10", "Every answer was left empty, so each counts 0. Nothing was marked."),
        (Mode.PRACTICE, ">Not scored<", "every answer was left empty, and practice leaves those out."),
    ],
)
def test_nothing_answered_reads_honestly(client: Client, mode: str, verdict: str, words: str) -> None:
    attempt = AttemptFactory(state=State.GRADING, mode=mode, responses=2, responses__texts=["", ""])
    close_grading(attempt=attempt, now=NOW)
    page = read(client, attempt)
    assert verdict in page
    assert words in page
    assert "Met points" not in page
    assert "Grade again" not in page


@pytest.mark.parametrize("points", [[], [(0, True)]])
def test_nothing_to_score_is_not_zero(client: Client, points: list[tuple[int, bool]]) -> None:
    question = QuestionFactory(version__points=points)
    attempt = AttemptFactory(
        state=State.GRADED, responses__questions=[question], grading__value=MarkValue.MISSED
    )
    attempt.gradings.update(score=None)
    page = read(client, attempt)
    assert ">Not scored<" in page
    assert '<td class="num">–</td><td>not scored</td>' in page
    for wrong in ("NaN", "Infinity", "None", "0.0", "0 %"):
        assert wrong not in page


def test_an_earlier_grading_stays_readable(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    add_grading(attempt, value=MarkValue.MISSED, number=2, closed_at=NOW)
    assert "0.0</span> of 10" in read(client, attempt)
    first = read(client, attempt, "?grading=1")
    assert "10.0</span> of 10" in first
    assert "This is an earlier grading." in first
    assert f'href="/attempts/{attempt.pk}/review/?grading=1"' in first


@pytest.mark.parametrize(
    "query", ["?grading=2", "?grading=0", "?grading=x", "?grading=999999999999", "?grading=-1"]
)
def test_a_grading_that_is_not_there(client: Client, query: str) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    client.force_login(attempt.user)
    assert client.get(url(attempt, query)).status_code == 404


def test_an_open_regrade_is_no_result_yet(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    attempt.gradings.create(user=attempt.user, number=2, started_at=NOW)
    assert "10.0</span> of 10" in read(client, attempt)
    assert client.get(url(attempt, "?grading=2")).status_code == 404


@pytest.mark.parametrize("questions", [1, 3])
def test_query_counts(client: Client, questions: int) -> None:
    attempt = AttemptFactory(
        state=State.GRADED, responses__questions=create_questions(questions), responses__follow_ups=1
    )
    client.force_login(attempt.user)
    with CaptureQueriesContext(connection) as captured:
        reply: HttpResponse = client.get(url(attempt))
    assert (reply.status_code, len(captured)) == (200, 6)
