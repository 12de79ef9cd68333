"""The grading screens over HTTP: who may see what when, whole pages and parts, refusals, query counts."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from prepapp.accounts.access import GUEST_SESSION_KEY
from prepapp.bank.models import Question, RubricPoint
from prepapp.interviews.choices import Band, Ending, Mode, State
from prepapp.interviews.models import Attempt, Grading, LateText, Mark, Response, ResponseGrade
from tests.factories.bank import QuestionFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=20)
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture(autouse=True)
def at_twenty_past() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def attempt() -> Attempt:
    return AttemptFactory(state=State.GRADING)


@pytest.fixture
def owner(client: Client, attempt: Attempt) -> Client:
    client.force_login(attempt.user)
    return client


def url(attempt: Attempt, rest: str = "") -> str:
    return f"/attempts/{attempt.pk}/grade/{rest}"


def points_of(attempt: Attempt, position: int = 1) -> list[int]:
    answer = Response.objects.get(attempt=attempt, position=position)
    points = RubricPoint.objects.filter(version=answer.version_id, follow_up=answer.follow_up_id)
    return list(points.order_by("position").values_list("id", flat=True))


def say(client: Client, attempt: Attempt, position: int = 1, **extra: Any) -> HttpResponse:
    return client.post(url(attempt, f"{position}/confidence"), {"confidence": Band.HIRE}, **extra)


def give(
    client: Client, attempt: Attempt, point: Any, value: Any, position: int = 1, **extra: Any
) -> HttpResponse:
    quote = extra.pop("quote", "")
    return client.post(
        url(attempt, f"{position}/mark"), {"point": point, "value": value, "quote": quote}, **extra
    )


def mark_all(client: Client, attempt: Attempt, value: int = 2, position: int = 1) -> None:
    say(client, attempt, position)
    for point in points_of(attempt, position):
        give(client, attempt, point, value, position)


def body(reply: HttpResponse) -> str:
    return reply.content.decode()


# --- who may enter --------------------------------------------------------------------------------

GETS = ["", "1/"]
POSTS = ["1/confidence", "1/mark", "1/reveal", "1/lesson", "close", "again"]


@pytest.mark.parametrize("rest", [*GETS, *POSTS])
def test_a_stranger_and_a_random_id_get_the_same_404(client: Client, attempt: Attempt, rest: str) -> None:
    client.force_login(CandidateFactory())
    send = client.get if rest in GETS else client.post
    data = {"confidence": Band.HIRE, "point": points_of(attempt)[0], "value": 2}
    foreign = send(url(attempt, rest), data)
    unknown = send(f"/attempts/{uuid4()}/grade/{rest}", data)
    assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert foreign.content == unknown.content
    assert Grading.objects.count() == 0


@pytest.mark.parametrize("rest", [*GETS, *POSTS])
def test_nobody_is_sent_to_sign_in(client: Client, attempt: Attempt, rest: str) -> None:
    send = client.get if rest in GETS else client.post
    plain, part = send(url(attempt, rest)), send(url(attempt, rest), **HTMX)
    assert plain.status_code == 302
    assert plain["Location"].startswith("/account/sign-in/")
    assert part.status_code == 401
    assert Grading.objects.count() == 0


@pytest.mark.parametrize("rest", GETS)
def test_pages_are_only_read(owner: Client, attempt: Attempt, rest: str) -> None:
    assert owner.post(url(attempt, rest)).status_code == 405


@pytest.mark.parametrize("rest", POSTS)
def test_changes_are_only_posted(owner: Client, attempt: Attempt, rest: str) -> None:
    assert owner.get(url(attempt, rest)).status_code == 405


def test_a_guest_grades_their_own(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADING, user=CandidateFactory(guest=True))
    session = client.session
    session[GUEST_SESSION_KEY] = str(attempt.user.pk)
    session.save()
    mark_all(client, attempt)
    reply = client.post(url(attempt, "close"))
    assert reply["Location"] == f"/attempts/{attempt.pk}/result/"
    attempt.refresh_from_db()
    assert (attempt.state, attempt.score) == (State.GRADED, 10)


@pytest.mark.parametrize("position", [0, 2, 99])
def test_an_answer_that_is_not_there(owner: Client, attempt: Attempt, position: int) -> None:
    assert owner.get(url(attempt, f"{position}/")).status_code == 404
    assert say(owner, attempt, position).status_code == 404
    assert give(owner, attempt, points_of(attempt)[0], 2, position).status_code == 404


# --- where to go ----------------------------------------------------------------------------------


def test_grading_starts_at_the_first_answer_to_do(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADING, responses=4, responses__texts=["", "Two.", "Three.", ""])
    client.force_login(attempt.user)
    assert client.get(url(attempt))["Location"] == url(attempt, "2/")
    mark_all(client, attempt, position=2)
    assert client.get(url(attempt))["Location"] == url(attempt, "3/")
    mark_all(client, attempt, position=3)
    assert client.get(url(attempt))["Location"] == url(attempt, "3/")


def test_interrupted_grading_goes_on_where_it_was(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADING, responses=2)
    client.force_login(attempt.user)
    mark_all(client, attempt, position=1)
    say(client, attempt, 2)
    give(client, attempt, points_of(attempt, 2)[0], 1, position=2, quote="32-byte sectors")
    other = Client()
    other.force_login(attempt.user)
    page = body(other.get(url(attempt), follow=True))
    assert "Answer 2 of 2 · about 1 minute left" in page
    assert "1 of 3 points marked" in page
    assert page.count('aria-pressed="true"') == 1 + 1  # one mark, and the theme
    assert '<p class="quote">32-byte sectors</p>' in page
    assert Grading.objects.count() == 1


@pytest.mark.parametrize("state", [State.RUNNING, State.ABANDONED, State.GRADED])
def test_an_attempt_that_is_elsewhere_is_shown_there(client: Client, state: str) -> None:
    attempt = AttemptFactory(state=state, deadline_at=NOW + timedelta(minutes=9))
    client.force_login(attempt.user)
    for rest in GETS:
        assert client.get(url(attempt, rest))["Location"] == f"/attempts/{attempt.pk}/"


@pytest.mark.parametrize("state", [State.RUNNING, State.ABANDONED, State.GRADED])
@pytest.mark.parametrize("rest", POSTS[:4])
def test_nothing_is_marked_that_is_not_open(client: Client, state: str, rest: str) -> None:
    attempt = AttemptFactory(state=state, deadline_at=NOW + timedelta(minutes=9))
    client.force_login(attempt.user)
    before = list(Mark.objects.values())
    data = {"confidence": Band.NOT_YET, "point": points_of(attempt)[0], "value": 0, "fix_next": "x"}
    plain, part = client.post(url(attempt, rest), data), client.post(url(attempt, rest), data, **HTMX)
    assert (plain.status_code, part.status_code) == (409, 409)
    assert "Nothing was changed" in body(plain)
    assert part["HX-Redirect"] == f"/attempts/{attempt.pk}/"
    attempt.refresh_from_db()
    assert attempt.state == state
    assert list(Mark.objects.values()) == before
    assert not ResponseGrade.objects.exclude(fix_next="").exists()


def test_an_attempt_whose_time_is_over_is_graded_at_once(client: Client) -> None:
    attempt = AttemptFactory(state=State.RUNNING)
    client.force_login(attempt.user)
    page = body(client.get(url(attempt), follow=True))
    assert "Time was up at 14:15. What you had is stored." in page
    attempt.refresh_from_db()
    assert (attempt.state, attempt.ending) == (State.GRADING, Ending.DEADLINE)


def test_late_text_is_shown_as_late(owner: Client, attempt: Attempt) -> None:
    LateText.objects.create(
        response=attempt.responses.get(), user=attempt.user, text="too <late>", received_at=NOW
    )
    page = body(owner.get(url(attempt, "1/")))
    assert "Arrived after time, not graded" in page
    assert "too &lt;late&gt;" in page


# --- confidence, marks, lesson --------------------------------------------------------------------


def test_confidence_opens_the_rubric(owner: Client, attempt: Attempt) -> None:
    assert "How well did you do?" in body(owner.get(url(attempt, "1/")))
    plain = say(owner, attempt)
    assert plain["Location"] == url(attempt, "1/#grading")
    part = say(owner, attempt, **HTMX)
    assert body(part).strip().startswith('<div id="grading"')
    assert "Criterion r1" in body(part)
    assert "Before marking you said: Hire" in body(part)


@pytest.mark.parametrize("confidence", ["", "perfect", "hire\x00"])
def test_confidence_out_of_the_list(owner: Client, attempt: Attempt, confidence: str) -> None:
    reply = owner.post(url(attempt, "1/confidence"), {"confidence": confidence})
    assert reply.status_code == 422
    assert "Choose one of the four." in body(reply)
    assert "Criterion" not in body(reply)
    assert ResponseGrade.objects.count() == 0


def test_a_mark_sends_back_its_row_score_and_progress(owner: Client, attempt: Attempt) -> None:
    say(owner, attempt)
    first = points_of(attempt)[0]
    reply = give(owner, attempt, first, 1, quote="one eighth", **HTMX)
    ids = re.findall(r'<(?:form|div|p|nav|section)[^>]* id="([a-z-]+[0-9]*)"', body(reply))
    assert ids == [f"mark-{first}", "grade-score", "grade-progress", "grade-status"]
    assert re.search(rf'id="mark-{first}-1"[^>]* aria-pressed="true"', body(reply))
    assert '<p class="quote">one eighth</p>' in body(reply)
    assert "1 of 3 points marked" in body(reply)
    assert "Partly. Score 2.0 of 10, 1 of 3 points marked." in body(reply)


def test_a_mark_without_script_comes_back_to_its_row(owner: Client, attempt: Attempt) -> None:
    say(owner, attempt)
    first = points_of(attempt)[0]
    assert give(owner, attempt, first, 2)["Location"] == url(attempt, f"1/#point-{first}")


def test_the_last_mark_brings_the_answer(owner: Client, attempt: Attempt) -> None:
    say(owner, attempt)
    *first, last = points_of(attempt)
    for point in first:
        assert "Model answer" not in body(give(owner, attempt, point, 2, **HTMX))
    reply = body(give(owner, attempt, last, 0, **HTMX))
    assert "Model answer of question" in reply
    assert "Model answer is shown." in reply
    assert 'id="revealed"' in reply
    assert "See the result" in reply


def test_a_page_that_missed_the_answer_gets_it_with_the_next_mark(owner: Client, attempt: Attempt) -> None:
    mark_all(owner, attempt)
    data = {"point": points_of(attempt)[0], "value": 2}
    assert "Model answer of question" in body(owner.post(url(attempt, "1/mark"), data, **HTMX))
    again = body(owner.post(url(attempt, "1/mark"), data | {"shown": "1"}, **HTMX))
    assert "Model answer of question" not in again
    assert 'id="revealed"' not in again


def test_a_revised_mark_names_the_first(owner: Client, attempt: Attempt) -> None:
    mark_all(owner, attempt, 2)
    reply = give(owner, attempt, points_of(attempt)[0], 0, **HTMX)
    assert "Marked met before the model answer was shown" in body(reply)


@pytest.mark.parametrize("value", ["3", "-1", "NaN", "1.5", "", "met", "２", "0\x00"])
def test_a_mark_out_of_range(owner: Client, attempt: Attempt, value: str) -> None:
    say(owner, attempt)
    first = points_of(attempt)[0]
    for extra in ({}, HTMX):
        reply = give(owner, attempt, first, value, quote="typed <words>", **extra)
        assert reply.status_code == 422
        assert "Choose missed, partly or met." in body(reply)
        assert "typed &lt;words&gt;</textarea>" in body(reply)
    assert Mark.objects.count() == 0


@pytest.mark.parametrize("point", ["", "NaN", "-1", "0", "999999999", "9" * 30, "r1", "1\x00"])
def test_a_point_that_is_none(owner: Client, attempt: Attempt, point: str) -> None:
    say(owner, attempt)
    for value in ("2", "9"):
        assert give(owner, attempt, point, value).status_code == 404
        assert give(owner, attempt, point, value, **HTMX).status_code == 404
    assert Mark.objects.count() == 0


def test_points_of_others_are_no_points(client: Client) -> None:
    question = QuestionFactory()
    attempt = AttemptFactory(
        state=State.GRADING, responses__questions=[question, QuestionFactory()], responses__follow_ups=1
    )
    stranger = AttemptFactory(state=State.GRADING)
    client.force_login(attempt.user)
    say(client, attempt)
    newer = add_version(question).rubric_points.first()
    for point in (points_of(attempt, 2)[0], points_of(attempt, 3)[0], points_of(stranger)[0], newer.pk):
        assert give(client, attempt, point, 2).status_code == 404
    assert Mark.objects.count() == 0


@pytest.mark.parametrize(
    ("quote", "problem"),
    [
        ("never said", "These words are not in your answer."),
        ("x" * 1001, "Quote at most 1,000 characters"),
        ("one eighth\x00", "The text holds a character that cannot be stored (NUL)."),
    ],
)
def test_a_quote_that_cannot_be_kept(owner: Client, attempt: Attempt, quote: str, problem: str) -> None:
    say(owner, attempt)
    first = points_of(attempt)[0]
    for extra in ({}, HTMX):
        reply = give(owner, attempt, first, 2, quote=quote, **extra)
        assert reply.status_code == 422
        assert problem in body(reply)
        assert f'aria-describedby="problem-{first}"' in body(reply)
    assert Mark.objects.count() == 0


def test_marks_before_confidence_are_refused(owner: Client, attempt: Attempt) -> None:
    reply = give(owner, attempt, points_of(attempt)[0], 2)
    assert reply.status_code == 409
    assert "Say first how well you did." in body(reply)
    assert "Criterion" not in body(reply)


def test_a_bad_mark_before_confidence_shows_no_rubric(owner: Client, attempt: Attempt) -> None:
    for extra in ({}, HTMX):
        reply = give(owner, attempt, points_of(attempt)[0], 7, **extra)
        assert reply.status_code == 404
        assert "Criterion" not in body(reply)


def test_a_mark_sent_twice_is_one_mark(owner: Client, attempt: Attempt) -> None:
    say(owner, attempt)
    first = points_of(attempt)[0]
    replies = [body(give(owner, attempt, first, 2, **HTMX)) for _ in range(3)]
    without_token = [re.sub(r'value="\w{64}"', "", reply) for reply in replies]
    assert len(set(without_token)) == 1
    assert Mark.objects.count() == 1


def test_only_what_the_form_has_is_taken(owner: Client, attempt: Attempt) -> None:
    say(owner, attempt)
    first = points_of(attempt)[0]
    forged = {"point": first, "value": 1, "first_value": 2, "score": 10, "state": "graded", "user": "x"}
    owner.post(url(attempt, "1/mark"), forged)
    attempt.refresh_from_db()
    assert (Mark.objects.get().first_value, attempt.state, attempt.score) == (1, State.GRADING, None)


def test_a_lesson_is_kept_on_leaving_the_field(owner: Client, attempt: Attempt) -> None:
    mark_all(owner, attempt)
    reply = owner.post(url(attempt, "1/lesson"), {"fix_next": "Number <first>."}, **HTMX)
    assert "Kept" in body(reply)
    assert body(reply).strip().startswith('<p id="lesson-state"')
    assert ResponseGrade.objects.get().fix_next == "Number <first>."
    assert "Number &lt;first&gt;.</textarea>" in body(owner.get(url(attempt, "1/")))


@pytest.mark.parametrize(("go", "target"), [("stay", "1/#lesson"), ("", "1/#lesson"), ("next", "")])
def test_a_lesson_goes_where_the_button_says(owner: Client, attempt: Attempt, go: str, target: str) -> None:
    mark_all(owner, attempt)
    reply = owner.post(url(attempt, "1/lesson"), {"fix_next": "x", "go": go})
    assert reply["Location"] == url(attempt, target)


def test_the_last_lesson_closes_the_grading(owner: Client, attempt: Attempt) -> None:
    mark_all(owner, attempt)
    reply = owner.post(url(attempt, "1/lesson"), {"fix_next": "x", "go": "result"})
    assert reply["Location"] == f"/attempts/{attempt.pk}/result/"
    attempt.refresh_from_db()
    assert attempt.state == State.GRADED


@pytest.mark.parametrize("lesson", ["x" * 301, "x\x00"])
def test_a_lesson_that_cannot_be_kept(owner: Client, attempt: Attempt, lesson: str) -> None:
    mark_all(owner, attempt)
    for extra in ({}, HTMX):
        assert owner.post(url(attempt, "1/lesson"), {"fix_next": lesson}, **extra).status_code == 422
    page = body(owner.post(url(attempt, "1/lesson"), {"fix_next": "x" * 301}))
    assert "Keep it to 300 characters" in page
    assert "x" * 301 in page
    assert ResponseGrade.objects.get().fix_next == ""


# --- closing and grading again --------------------------------------------------------------------


def test_closing_with_points_missing_is_refused_by_name(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADING, responses=2)
    client.force_login(attempt.user)
    mark_all(client, attempt, position=1)
    say(client, attempt, 2)
    give(client, attempt, points_of(attempt, 2)[0], 2, position=2)
    reply = client.post(url(attempt, "close"))
    assert reply.status_code == 409
    assert "Still to mark: answer 2 (2 points). Your marks so far are kept." in body(reply)
    attempt.refresh_from_db()
    assert (attempt.state, attempt.score) == (State.GRADING, None)


def test_closing_twice_shows_the_same_result(owner: Client, attempt: Attempt) -> None:
    mark_all(owner, attempt, 1)
    places = [owner.post(url(attempt, "close"))["Location"] for _ in range(2)]
    assert places == [f"/attempts/{attempt.pk}/result/"] * 2
    assert Grading.objects.get().score == 5


def test_grading_again_keeps_the_first(owner: Client, attempt: Attempt) -> None:
    mark_all(owner, attempt, 2)
    owner.post(url(attempt, "close"))
    for _ in range(2):
        assert owner.post(url(attempt, "again"))["Location"] == url(attempt)
    page = body(owner.get(url(attempt), follow=True))
    assert "Grading 2" in page
    assert "How well did you do?" in page
    mark_all(owner, attempt, 0)
    owner.post(url(attempt, "close"))
    assert list(Grading.objects.values_list("number", "score")) == [(1, 10), (2, 0)]


def test_grading_again_before_the_first_is_closed(owner: Client, attempt: Attempt) -> None:
    reply = owner.post(url(attempt, "again"))
    assert reply.status_code == 409
    assert "This interview is not graded yet." in body(reply)


# --- what stays hidden until when ------------------------------------------------------------------

RUBRIC = ("SENTINEL-CRITERION", "SENTINEL-MET", "SENTINEL-PARTIAL")
ANSWERS = (
    *("SENTINEL-MODEL", "SENTINEL-DEEPER", "SENTINEL-PITFALL", "SENTINEL-SOLUTION", "SENTINEL-CHECK"),
    *("SENTINEL-REFERENCE", "SENTINEL-WEIGHTS", "SENTINEL-FOLLOW-UP"),
)


@pytest.fixture
def secret() -> Question:
    fields = {
        "model_answer": "SENTINEL-MODEL",
        "deeper": "SENTINEL-DEEPER",
        "pitfalls": ["SENTINEL-PITFALL"],
        "code": {"language": "python", "solution": "SENTINEL-SOLUTION", "check": "SENTINEL-CHECK"},
        "references": [{"title": "SENTINEL-REFERENCE", "url": "https://SENTINEL-REFERENCE.test"}],
        "weights_note": "SENTINEL-WEIGHTS",
        "rendered": {
            "prompt": "<p>Prompt</p>",
            "context": "",
            "data": "",
            "model_answer": "<p>SENTINEL-MODEL</p>",
            "deeper": "<p>SENTINEL-DEEPER</p>",
            "pitfalls": ["<p>SENTINEL-PITFALL</p>"],
            "code_solution": "<pre>SENTINEL-SOLUTION</pre>",
            "code_check": "<pre>SENTINEL-CHECK</pre>",
        },
    }
    question = QuestionFactory(**{f"version__{name}": value for name, value in fields.items()})
    version = question.current_version
    version.rubric_points.update(
        criterion="SENTINEL-CRITERION", met="SENTINEL-MET", partial="SENTINEL-PARTIAL"
    )
    version.follow_ups.update(
        answer="SENTINEL-FOLLOW-UP",
        rendered={"prompt": "<p>And then?</p>", "answer": "<p>SENTINEL-FOLLOW-UP</p>"},
    )
    return question


def leaks(reply: HttpResponse, secrets: tuple[str, ...]) -> list[str]:
    text = body(reply) + str(reply.headers)
    return [word for word in secrets if word in text]


def every_answer(client: Client, attempt: Attempt, position: int, point: int) -> list[HttpResponse]:
    """All that can be asked of one answer, without being able to change what counts."""
    replies = []
    for extra in ({}, HTMX):
        replies += [
            client.get(url(attempt), follow=True, **extra),
            client.get(url(attempt, f"{position}/"), **extra),
            client.get(f"/attempts/{attempt.pk}/", follow=True, **extra),
            client.get(f"/attempts/{attempt.pk}/result/", follow=True, **extra),
            client.get(f"/attempts/{attempt.pk}/review/", follow=True, **extra),
            client.post(url(attempt, "close"), **extra),
            client.post(url(attempt, "again"), **extra),
            client.post(url(attempt, f"{position}/reveal"), **extra),
            client.post(url(attempt, f"{position}/lesson"), {"fix_next": "y" * 999}, **extra),
            client.post(url(attempt, f"{position}/mark"), {"point": point, "value": 9}, **extra),
            client.post(
                url(attempt, f"{position}/mark"), {"point": point, "value": 2, "quote": "no"}, **extra
            ),
            client.post(url(attempt, f"{position}/mark"), {}, **extra),
            client.post(url(attempt, f"{position}/confidence"), {"confidence": "x"}, **extra),
        ]
    return replies


def test_rubric_and_answer_are_hidden_until_their_turn(client: Client, secret: Question) -> None:
    attempt = AttemptFactory(state=State.GRADING, responses__questions=[secret], responses__follow_ups=1)
    client.force_login(attempt.user)
    main, follow_up = points_of(attempt, 1), points_of(attempt, 2)

    for reply in every_answer(client, attempt, 1, main[0]):
        assert leaks(reply, RUBRIC + ANSWERS) == []

    say(client, attempt, 1)
    assert leaks(client.get(url(attempt, "1/")), RUBRIC) == list(RUBRIC)
    assert leaks(client.get(url(attempt, "2/")), RUBRIC) == []
    for reply in every_answer(client, attempt, 1, main[0]):
        assert leaks(reply, ANSWERS) == []
    for point in main[:-1]:
        assert leaks(give(client, attempt, point, 2, **HTMX), ANSWERS) == []
    for reply in every_answer(client, attempt, 1, main[0]):
        assert leaks(reply, ANSWERS) == []

    shown = give(client, attempt, main[-1], 2, **HTMX)
    assert leaks(shown, ANSWERS) == list(ANSWERS[:-1])
    assert leaks(client.get(url(attempt, "1/")), ANSWERS) == list(ANSWERS[:-1])

    # The follow-up has its own turn: nothing of it has been shown on the way.
    for reply in every_answer(client, attempt, 2, follow_up[0]):
        assert "SENTINEL-FOLLOW-UP" not in body(reply)
    assert leaks(client.get(url(attempt, "2/")), RUBRIC + ANSWERS) == []
    mark_all(client, attempt, 1, position=2)
    assert "SENTINEL-FOLLOW-UP" in body(client.get(url(attempt, "2/")))


def test_nothing_is_shown_while_the_interview_runs(client: Client, secret: Question) -> None:
    attempt = AttemptFactory(
        responses__questions=[secret], responses__follow_ups=1, deadline_at=NOW + timedelta(hours=1)
    )
    client.force_login(attempt.user)
    for reply in every_answer(client, attempt, 1, points_of(attempt)[0]):
        assert leaks(reply, RUBRIC + ANSWERS) == []
    assert Grading.objects.count() == 0


def test_an_empty_answer_is_shown_on_one_click(client: Client, secret: Question) -> None:
    attempt = AttemptFactory(state=State.GRADING, responses__questions=[secret], responses__texts=[""])
    client.force_login(attempt.user)
    page = client.get(url(attempt, "1/"))
    assert leaks(page, RUBRIC + ANSWERS) == []
    assert "You left this one empty. It counts 0 of 10." in body(page)
    assert "See the result" in body(page)
    shown = client.post(url(attempt, "1/reveal"), **HTMX)
    assert leaks(shown, (*RUBRIC, "SENTINEL-MODEL")) == [*RUBRIC, "SENTINEL-MODEL"]
    assert client.post(url(attempt, "1/reveal"))["Location"] == url(attempt, "1/#grading")


def test_hints_are_underlined_when_the_rubric_is_open(owner: Client, attempt: Attempt) -> None:
    RubricPoint.objects.filter(version__responses__attempt=attempt).update(met="12.5%")
    point = RubricPoint.objects.filter(pk=points_of(attempt)[0])
    RubricPoint.objects.exclude(pk__in=point).update(met="nothing")
    assert "<mark" not in body(owner.get(url(attempt, "1/")))
    page = body(say(owner, attempt, **HTMX))
    assert f'<mark data-points="{point.get().pk}">12.5</mark>' in page


def test_what_a_candidate_wrote_is_plain_text(client: Client) -> None:
    attempt = AttemptFactory(
        state=State.GRADING, responses__texts=["<script>alert(1)</script> **bold** criterion {{ x }}"]
    )
    client.force_login(attempt.user)
    mark_all(client, attempt)
    page = body(client.get(url(attempt, "1/")))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold** " in re.sub(r"</?mark[^>]*>", "", page)


def test_a_question_stored_without_html_is_shown(owner: Client, attempt: Attempt) -> None:
    version = attempt.responses.get().version
    version.rendered, version.model_answer = {}, "A *model* answer"
    version.save(update_fields=["rendered", "model_answer"])
    assert "<p>Prompt of question" in body(owner.get(url(attempt, "1/")))
    mark_all(owner, attempt)
    assert "<p>A <em>model</em> answer</p>" in body(owner.get(url(attempt, "1/")))


def test_a_practice_says_so(client: Client) -> None:
    attempt = AttemptFactory(state=State.GRADING, mode=Mode.PRACTICE, responses=2, responses__texts=["x", ""])
    client.force_login(attempt.user)
    assert '<span class="chip partly">Practice</span>' in body(client.get(url(attempt, "1/")))
    assert "In practice it is left out of the score." in body(client.get(url(attempt, "2/")))


# --- cost -----------------------------------------------------------------------------------------


def queries(act: Any) -> int:
    """Statements that read or write; the savepoints of a test's transaction are not the page's."""
    with CaptureQueriesContext(connection) as captured:
        reply = act()
    assert reply.status_code == 200
    return sum("SAVEPOINT" not in query["sql"] for query in captured)


@pytest.mark.parametrize("questions", [1, 3])
def test_query_counts(client: Client, questions: int) -> None:
    points = [(2, False)] * questions + [(4, True)]
    attempt = AttemptFactory(
        state=State.GRADING,
        responses__questions=create_questions(questions, points=points),
        responses__follow_ups=1,
    )
    client.force_login(attempt.user)
    # One of them asks for a sample answer to offer, until the first word is said.
    assert queries(lambda: client.get(url(attempt, "1/"))) == 8
    assert queries(lambda: say(client, attempt, **HTMX)) == 10
    assert queries(lambda: say(client, attempt, **HTMX)) == 8
    first = points_of(attempt)[0]
    assert queries(lambda: client.get(url(attempt, "1/"))) == 7
    assert queries(lambda: give(client, attempt, first, 2, **HTMX)) == 5
    assert queries(lambda: give(client, attempt, first, 1, **HTMX)) == 5
    mark_all(client, attempt)
    assert queries(lambda: client.get(url(attempt, "1/"))) == 7
