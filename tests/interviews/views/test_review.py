"""One attempt as it was: what is shown, what is held back, taking it again, deleting it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime

from prepapp.accounts.models import User
from prepapp.bank.choices import Kind, Status
from prepapp.bank.models import Question
from prepapp.interviews.choices import Ending, MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Grading, LateText, Mark, Response, ResponseGrade
from tests.factories.bank import QuestionFactory, TopicFactory, TrackFactory, add_version, create_questions
from tests.factories.interviews import AttemptFactory, BlueprintFactory, CandidateFactory, add_grading
from tests.interviews.reading import text_of

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 14, 12, 0, tzinfo=UTC)
SECRETS = ("Criterion", "Met r", "Partly r", "Model answer of", "Pitfall of", "Answer 1 of")


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


def url(attempt: Attempt, page: str = "review/") -> str:
    return f"/attempts/{attempt.pk}/{page}"


def read(site: Client, attempt: Attempt, query: str = "") -> str:
    response = site.get(url(attempt) + query)
    assert response.status_code == 200
    return text_of(response.text)


def secrets_in(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


def retake(site: Client, attempt: Attempt, **data: Any) -> Any:
    return site.post(url(attempt, "retake"), {"start_key": uuid4(), **data})


# --- who may look ---------------------------------------------------------------------------------

ADDRESSES = ("review", "retake", "delete", "delete-post", "compare-a", "compare-b")


def ask(client: Client, address: str, attempt_id: object, own: Attempt, ref: str) -> Any:
    return {
        "review": lambda: client.get(f"/attempts/{attempt_id}/review/"),
        "retake": lambda: client.post(f"/attempts/{attempt_id}/retake", {"start_key": uuid4()}),
        "delete": lambda: client.get(f"/attempts/{attempt_id}/delete/"),
        "delete-post": lambda: client.post(f"/attempts/{attempt_id}/delete/"),
        "compare-a": lambda: client.get("/compare/", {"a": attempt_id, "b": own.pk, "question": ref}),
        "compare-b": lambda: client.get("/compare/", {"a": own.pk, "b": attempt_id, "question": ref}),
    }[address]()


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_strangers_attempt_is_as_unknown_as_any(site: Client, cleo: User, address: str) -> None:
    """HIS-01: the same bytes for a foreign id and for one that was never given; nothing changes."""
    question = QuestionFactory()
    foreign = AttemptFactory(state=State.GRADED, responses__questions=[question])
    own = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    answers = [ask(site, address, pk, own, question.ref) for pk in (foreign.pk, uuid4())]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    assert set(Attempt.objects.values_list("pk", flat=True)) == {foreign.pk, own.pk}


@pytest.mark.parametrize("address", ADDRESSES)
def test_signed_out_is_sent_to_sign_in(client: Client, address: str) -> None:
    attempt = AttemptFactory(state=State.GRADED)
    response = ask(client, address, attempt.pk, attempt, "any")
    assert response.status_code == 302
    assert response["Location"].startswith(f"{reverse('account_login')}?next=/")
    assert Attempt.objects.filter(pk=attempt.pk).exists()


@pytest.mark.parametrize(
    ("page", "verbs"),
    [
        ("review/", ["post", "put", "patch", "delete"]),
        ("retake", ["get", "head", "put", "patch", "delete"]),
        ("delete/", ["put", "patch", "delete"]),
    ],
)
def test_other_verbs_are_refused(site: Client, cleo: User, page: str, verbs: list[str]) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED)
    assert {getattr(site, verb)(url(attempt, page)).status_code for verb in verbs} == {405}


def test_a_running_interview_is_not_reviewed(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, started_at=NOW)
    assert site.get(url(attempt))["Location"] == url(attempt, "")


def test_an_overdue_interview_is_closed_by_the_look(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, started_at=NOW - timedelta(hours=1), time_allowance="1.50")
    text = read(site, attempt)
    assert "Time was up 14 Nov 2026, 11:15, after 15:00" in text
    assert "Allowed 22:30 = 15:00 × 1.5" in text


# --- as it was ------------------------------------------------------------------------------------


def test_an_edit_does_not_change_what_was_asked(site: Client, cleo: User) -> None:
    """HIS-03: the old text, rubric and score, and it says so; a new attempt gets the new text."""
    question = QuestionFactory(version__prompt="What is a heap?", version__title="Heaps")
    attempt = AttemptFactory(
        user=cleo,
        state=State.GRADED,
        track=TrackFactory(),
        responses__questions=[question],
        grading__value=MarkValue.PARTLY,
    )
    before = read(site, attempt)
    assert "Version 1 · 5 min planned What is a heap?" in before
    new = add_version(question, points=[(10, True)], prompt="What is a B-tree?", title="Trees")
    after = read(site, attempt)
    told = (
        "This answer changed on 1 Nov 2026. You were asked the older text; your answer and its marks stay as "
        "they are. See what changed "
    )
    assert told in after
    assert after.replace(told, "") == before.replace(
        "Version 1 ·", "Version 1; the question has changed since ·"
    )
    assert "Your marks 5.0" in after
    assert retake(site, attempt).status_code == 302
    again = Attempt.objects.exclude(pk=attempt.pk).get()
    assert [answer.version_id for answer in again.responses.all()] == [new.pk]


def test_a_retired_question_stays(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED)
    Question.objects.update(status=Status.RETIRED)
    assert "Version 1; the question has been retired since" in read(site, attempt)


def test_answers_are_plain_text_with_their_white_space(site: Client, cleo: User) -> None:
    text = "<b>bold</b>\n\n    if x:\n\treturn {{ x }}  & more"
    attempt = AttemptFactory(user=cleo, state=State.GRADED, responses__texts=[text])
    html = site.get(url(attempt)).text
    escaped = "&lt;b&gt;bold&lt;/b&gt;\n\n    if x:\n\treturn {{ x }}  &amp; more"
    assert f'<div class="plain-answer">{escaped}</div>' in html


def test_late_text_is_kept_apart(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED, ending=Ending.DEADLINE)
    LateText.objects.create(response=attempt.responses.get(), user=cleo, text="too late <i>", received_at=NOW)
    assert "Arrived after time, not graded 14 Nov, 12:00:00 too late <i>" in read(site, attempt)


def test_empty_skipped_and_unreached_are_told_apart(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(
        user=cleo,
        state=State.GRADED,
        responses__follow_ups=2,
        responses__texts=["", "", ""],
        grading__value=MarkValue.MISSED,
    )
    first, second, third = attempt.responses.all()
    Response.objects.filter(pk=second.pk).update(is_skipped=False)
    Response.objects.filter(pk=third.pk).update(asked_at=None)
    text = read(site, attempt)
    assert "Your answer Skipped. Your marks 0.0 ✕ Not yet" in text
    assert "Your answer Left empty." in text
    assert "1b · Follow-up" in text
    assert "Not reached: a follow-up is asked once the main answer is given." in text


def test_marks_are_those_of_the_grading_asked_for(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(
        user=cleo, state=State.GRADED, grading__value=MarkValue.PARTLY, grading__quote="one eighth"
    )
    add_grading(attempt, number=2, value=MarkValue.MET, closed_at=NOW)
    newest, first = read(site, attempt), read(site, attempt, "?grading=1")
    assert "Your marks 10.0 ✓ Strong hire Before, you said: Hire" in newest
    assert "one eighth" not in newest.replace("so one eighth (12.5%)", "")
    # A must-have that is partly met caps the band at Hire, which is above Borderline.
    assert "Your marks 5.0 ◐ Borderline" in first
    assert "one eighth ◐ Partly 4 of 10" in first
    assert read(site, attempt, "?grading=2") == newest


@pytest.mark.parametrize("number", ["3", "0", "-1", "x", "1.0", "²", "9" * 400])
def test_an_unknown_grading_is_not_found(site: Client, cleo: User, number: str) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED)
    assert site.get(url(attempt), {"grading": number}).status_code == 404


def test_a_revised_mark_shows_both(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED)
    Mark.objects.filter(point__key="r1").update(first_value=MarkValue.MISSED)
    assert "✓ Met claimed 4 of 10, first missed" in read(site, attempt)


# --- what may not be seen yet ---------------------------------------------------------------------


def test_nothing_of_an_unrevealed_answer_is_told(site: Client, cleo: User) -> None:
    """P13: while grading, prompt and answer only; the rest of an answer with its last mark."""
    attempt = AttemptFactory(user=cleo, state=State.GRADING, responses=2, responses__follow_ups=1)
    assert secrets_in(site.get(url(attempt)).text) == []
    text = read(site, attempt)
    assert text.count("Prompt of") == 2
    assert text.count("Follow-up 1 of") == 2
    add_grading(attempt)
    Attempt.objects.update(state=State.GRADING, score=None, graded_at=None)
    Grading.objects.update(closed_at=None, score=None)
    main = attempt.responses.get(position=1)
    ResponseGrade.objects.exclude(response=main).update(revealed_at=None)
    assert secrets_in(read(site, attempt)) == ["Criterion", "Model answer of", "Pitfall of"]
    html = site.get(url(attempt)).text
    assert html.count("Model answer of") == 1
    assert html.count("Criterion") == 3
    ResponseGrade.objects.update(revealed_at=None)
    assert secrets_in(site.get(url(attempt)).text) == []


def test_an_interview_given_up_tells_no_answers(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.ABANDONED, responses__follow_ups=1)
    assert secrets_in(site.get(url(attempt)).text) == []
    assert "You gave it up 12 Nov 2026, 14:10" in read(site, attempt)


def test_a_follow_up_that_was_never_asked_is_not_told(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADING, responses__follow_ups=1)
    attempt.responses.filter(follow_up__isnull=False).update(asked_at=None)
    assert "Follow-up 1 of" not in site.get(url(attempt)).text


def test_the_past_does_not_help_a_running_mock(site: Client, cleo: User) -> None:
    question = QuestionFactory()
    old = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    other = AttemptFactory(user=cleo, state=State.GRADED)
    new = AttemptFactory(user=cleo, started_at=NOW, responses__questions=[question])
    text = read(site, old)
    assert "held back while this question is in an interview that is running" in text
    assert secrets_in(text) == []
    assert "Criterion r1" in read(site, other)
    Attempt.objects.filter(pk=new.pk).update(state=State.GRADING, finished_at=NOW)
    assert "Criterion r1" in read(site, old)


# --- costs ----------------------------------------------------------------------------------------


def test_queries_do_not_grow_with_the_questions(site: Client, cleo: User) -> None:
    counts = []
    for questions in (1, 3, 8):
        asked = create_questions(questions, follow_ups=1)
        for _ in range(2):
            attempt = AttemptFactory(
                user=cleo, state=State.GRADED, responses__questions=asked, responses__follow_ups=1
            )
        with CaptureQueriesContext(connection) as captured:
            read(site, attempt)
        counts.append(len(captured))
    assert counts == [12, 12, 12]


# --- again ----------------------------------------------------------------------------------------


def test_a_retake_asks_the_same_questions(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(
        user=cleo,
        state=State.GRADED,
        track=TrackFactory(),
        blueprint=BlueprintFactory(),
        minutes=25,
        responses=2,
        responses__follow_ups=1,
    )
    key = uuid4()
    responses = [retake(site, attempt, start_key=key) for _ in range(2)]
    again = Attempt.objects.get(start_key=key)
    assert {response["Location"] for response in responses} == {url(again, "")}
    same = ("track_id", "blueprint_id", "title", "mode", "level", "minutes")
    assert [getattr(again, name) for name in same] == [getattr(attempt, name) for name in same]
    assert again.deadline_at == NOW + timedelta(minutes=25)

    def asked(found: Attempt) -> list[tuple[Any, ...]]:
        rows = Response.objects.filter(attempt=found)
        return list(rows.values_list("position", "version", "follow_up", "parent_position", "minutes"))

    assert asked(again) == asked(attempt)
    assert list(again.responses.values_list("text", "asked_at")) == [
        ("", NOW),
        ("", None),
        ("", NOW),
        ("", None),
    ]
    assert Attempt.objects.count() == 2


def test_a_retired_question_is_replaced_and_said(site: Client, cleo: User) -> None:
    topic = TopicFactory(track=TrackFactory(code="gpu"))
    kept, gone = create_questions(2, topic=topic, kind=Kind.DESIGN)
    attempt = AttemptFactory(
        user=cleo,
        state=State.GRADED,
        track_id="gpu",
        responses__questions=[gone, kept],
        responses__follow_ups=1,
    )
    (other,) = create_questions(1, topic=topic, kind=Kind.DESIGN)
    create_questions(3, topic=topic, kind=Kind.CODING)
    Question.objects.filter(pk=gone.pk).update(status=Status.RETIRED)
    response = retake(site, attempt)
    again = Attempt.objects.exclude(pk=attempt.pk).get()
    assert list(again.responses.values_list("version__question", "parent_position")) == [
        (other.pk, None),
        (other.pk, 1),
        (kept.pk, None),
        (kept.pk, 3),
    ]
    assert [str(message) for message in get_messages(response.wsgi_request)] == [
        "1 question was retired since and replaced by another."
    ]


def test_a_follow_up_asked_alone_is_asked_alone_again(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED, track=TrackFactory(), responses__follow_ups=2)
    attempt.responses.exclude(position=3).delete()
    attempt.responses.update(position=1, parent_position=None)
    retake(site, attempt)
    again = Attempt.objects.exclude(pk=attempt.pk).get().responses.get()
    assert (again.follow_up.key, again.parent_position, again.asked_at) == ("f2", None, NOW)


def test_a_retake_that_cannot_be_filled_is_refused(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED, track=TrackFactory())
    Question.objects.update(status=Status.RETIRED)
    response = retake(site, attempt)
    assert response.status_code == 409
    assert "1 of these questions is no longer asked" in response.text
    assert Attempt.objects.count() == 1


def test_a_retake_beside_a_running_one_leads_there(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED, track=TrackFactory())
    retake(site, attempt)
    running = Attempt.objects.exclude(pk=attempt.pk).get()
    response = retake(site, attempt)
    assert response["Location"] == url(running, "")
    assert [str(message) for message in get_messages(response.wsgi_request)] == [
        f"“{running.title}” of {date_format(localtime(running.started_at), 'j M, H:i')} is still running, "
        "so here it is. Hand it in or give it up, then start another."
    ]
    assert Attempt.objects.count() == 2


def test_a_retake_without_its_key_is_refused(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED)
    assert retake(site, attempt, start_key="x").status_code == 422
    assert Attempt.objects.count() == 1


def test_too_many_starts_are_refused(site: Client, cleo: User, settings: Any) -> None:
    settings.STARTS_PER_HOUR = 1
    attempt = AttemptFactory(user=cleo, state=State.GRADED, track=TrackFactory())
    key = uuid4()
    assert [retake(site, attempt, start_key=key).status_code for _ in range(2)] == [302, 302]
    Attempt.objects.filter(start_key=key).update(state=State.GRADING, finished_at=NOW)
    assert retake(site, attempt).status_code == 429


def test_a_practice_is_taken_again_as_practice(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED, mode=Mode.PRACTICE, track=None)
    retake(site, attempt)
    again = Attempt.objects.exclude(pk=attempt.pk).get()
    assert (again.mode, again.deadline_at, again.track) == (Mode.PRACTICE, None, None)


# --- gone -----------------------------------------------------------------------------------------


def test_deleting_asks_first_and_takes_everything(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, state=State.GRADED, responses=2)
    LateText.objects.create(response=attempt.responses.first(), user=cleo, text="late", received_at=NOW)
    kept = AttemptFactory(user=cleo, state=State.GRADED, title="Kept")
    page = site.get(url(attempt, "delete/"))
    assert "Delete “Phone screen” of 12 Nov 2026, 14:00?" in text_of(page.text)
    assert Attempt.objects.count() == 2
    response = site.post(url(attempt, "delete/"), follow=True)
    assert response.redirect_chain == [("/history/", 302)]
    assert "“Phone screen” was deleted with its answers and marks." in response.text
    for model in (Response, Grading, ResponseGrade, Mark):
        assert model.objects.exists()
    assert [attempt.pk for attempt in Attempt.objects.all()] == [kept.pk]
    assert set(Response.objects.values_list("attempt", flat=True)) == {kept.pk}
    assert set(Mark.objects.values_list("response_grade__grading__attempt", flat=True)) == {kept.pk}
    assert not LateText.objects.exists()
    assert site.post(url(attempt, "delete/")).status_code == 404
    assert site.get(url(attempt, "delete/")).status_code == 404


def test_a_running_interview_is_not_deleted(site: Client, cleo: User) -> None:
    attempt = AttemptFactory(user=cleo, started_at=NOW)
    page, refused = site.get(url(attempt, "delete/")), site.post(url(attempt, "delete/"))
    assert (page.status_code, refused.status_code) == (200, 409)
    for response in (page, refused):
        assert "Hand it in or give it up, then delete it." in response.text
        assert "Delete this interview" not in response.text
    assert Attempt.objects.filter(pk=attempt.pk).exists()
