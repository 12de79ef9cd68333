"""The queue of flags and the page that answers them: who may, what is shown, what one answer does."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.actions.flags import raise_flag, settle_flag
from prepapp.bank.choices import FlagOutcome, FlagPlace, FlagReason, Status
from prepapp.bank.forms.flags import MAX_ANSWER
from prepapp.bank.models import CurationEvent, Flag, Question
from tests.factories.accounts import UserFactory
from tests.factories.bank import QuestionFactory, TopicFactory, TrackFactory, add_version, create_questions
from tests.factories.curation import curator, reviewer

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HTMX = {"HX-Request": "true"}
QUEUE = "/desk/flags/"


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def question() -> Question:
    found: Question = QuestionFactory(slug="bus-width")
    return found


@pytest.fixture
def desk() -> Client:
    return client_of(curator(email="ada@example.test"))


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def made(
    question: Question, text: str = "It says 32.", reason: str = FlagReason.WRONG, **fields: Any
) -> Flag:
    values = {"now": NOW - timedelta(days=2), "place": FlagPlace.RESULT, **fields}
    values.setdefault("version", question.current_version)
    values.setdefault("user", UserFactory())
    return raise_flag(reason=FlagReason(reason), text=text, **values)


def settle(client: Client, question: Question, *flags: Flag, htmx: bool = True, **data: Any) -> Any:
    reason = flags[0].reason if flags else FlagReason.WRONG
    values = {
        "seen": [f"{flag.pk}:{len(flag.text)}" for flag in flags],
        "answer": "It says 64 now.",
        "outcome": FlagOutcome.MENDED,
        **data,
    }
    path = reverse("flags:flag-settle", args=[question.pk, reason])
    return client.post(path, values, headers=HTMX if htmx else {})


def page_of(reply: Any) -> str:
    return " ".join(reply.content.decode().split())


def read(client: Client, path: str) -> str:
    reply = client.get(path)
    assert reply.status_code == 200
    return page_of(reply)


# --- the queue ------------------------------------------------------------------------------------


def test_the_question_that_waits_longest_comes_first(desk: Client) -> None:
    first, second = create_questions(2)
    made(first, now=NOW - timedelta(days=1))
    made(second, now=NOW - timedelta(days=5))
    made(second, reason=FlagReason.UNCLEAR)
    reply = desk.get(QUEUE)
    assert [question for question, _ in reply.context["rows"]] == [second, first]
    page = page_of(reply)
    assert "2 questions with open flags" in page
    assert f'<a href="/desk/flags/{second.pk}/">Title of {second.slug}</a>' in page
    assert "It is unclear: 1" in page
    assert "2 people" in page
    assert "since 15 Nov 2026" in page


def test_an_empty_queue_says_so(desk: Client) -> None:
    assert "No flag is open." in read(desk, QUEUE)
    assert "No flag fits all of this." in read(desk, f"{QUEUE}?reason=wrong")


def test_the_queue_is_narrowed_by_address(desk: Client) -> None:
    track = TrackFactory()
    (question,) = create_questions(1, topic=TopicFactory(track=track))
    (other,) = create_questions(1)
    made(question)
    made(other, reason=FlagReason.OUTDATED)
    answered = made(question, reason=FlagReason.DUPLICATE)
    settle(desk, question, answered)

    def shown(query: str) -> list[Question]:
        return [found for found, _ in desk.get(f"{QUEUE}?{query}").context["rows"]]

    assert shown("reason=outdated") == [other]
    assert shown(f"track={track.code}") == [question]
    assert shown(f"topic={question.topic_id}&reason=outdated") == []
    assert shown("state=settled") == [question]
    # What is not on offer narrows nothing.
    assert len(shown("reason=boring&track=nowhere&state=lost")) == 2


def test_inside_htmx_the_list_alone_comes_back_with_its_address(desk: Client, question: Question) -> None:
    made(question)
    reply = desk.get(f"{QUEUE}?reason=wrong&track=", headers=HTMX)
    assert reply.headers["HX-Push-Url"] == f"{QUEUE}?reason=wrong"
    assert page_of(reply).startswith('<section id="results"')


def test_twenty_questions_stand_on_a_page(desk: Client) -> None:
    for days, question in enumerate(create_questions(21)):
        made(question, now=NOW - timedelta(days=days))
    first = desk.get(QUEUE).context
    second = desk.get(f"{QUEUE}?cursor={first['page'].next}").context
    assert (len(first["rows"]), len(second["rows"]), first["count"]) == (20, 1, 21)
    assert second["rows"][0][0].oldest == NOW


@pytest.mark.parametrize(("headers", "queries"), [({}, 7), (HTMX, 7)])
@pytest.mark.parametrize("count", [1, 3])
def test_the_queue_costs_the_same_for_any_number(
    desk: Client, count: int, headers: dict[str, str], queries: int, django_assert_num_queries: Any
) -> None:
    for question in create_questions(count):
        made(question)
    # session, person, topics of tracks, packs, questions, reasons, count
    with django_assert_num_queries(queries):
        desk.get(QUEUE, headers=headers)


# --- one question ---------------------------------------------------------------------------------


def test_what_was_said_stands_beside_the_text_and_the_rubric(desk: Client, question: Question) -> None:
    made(question, "It says <b>32</b>.", place=FlagPlace.GRADING)
    made(question, "")
    made(question, "Which bus?", FlagReason.UNCLEAR)
    page = read(desk, f"{QUEUE}{question.pk}/")
    for words in (
        "3 open flags",
        "It says &lt;b&gt;32&lt;/b&gt;.",
        "While grading · version 1<",
        "Without words.",
        "2 from 2 people",
        "Which bus?",
        "<p>Prompt of bus-width</p>",
        "Criterion r1 of Title of bus-width",
        "<p>Model answer of bus-width</p>",
        "<p>Follow-up 1 of Title of bus-width</p>",
        "Criterion f1a of Title of bus-width",
        "Answer all 2 flags",
        "Answer this flag",
    ):
        assert words in page
    # Who flagged it is not the desk's business.
    assert "@example.test" not in page.partition('<main id="main"')[2]


def test_a_flag_on_an_older_text_says_so(desk: Client, question: Question) -> None:
    made(question)
    add_version(question)
    assert "version 1, not the one asked now" in read(desk, f"{QUEUE}{question.pk}/")


def test_earlier_answers_stand_folded(desk: Client, question: Question) -> None:
    settle(desk, question, made(question))
    page = read(desk, f"{QUEUE}{question.pk}/")
    assert "No open flags" in page
    assert "20 Nov 2026, 09:00 · Mended · ada@example.test" in page
    assert "It says 64 now." in page
    assert "<textarea" not in page


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_costs_the_same_for_any_number(
    desk: Client, question: Question, count: int, django_assert_num_queries: Any
) -> None:
    for reason in FlagReason.values[:count]:
        made(question, reason=reason)
        settle(desk, question, made(question, "Old.", reason))
        made(question, reason=reason)
    # session, person, question, flags, points, follow-ups, tags
    with django_assert_num_queries(7):
        desk.get(f"{QUEUE}{question.pk}/")


def test_a_question_nobody_flagged_is_not_there(desk: Client, question: Question) -> None:
    for path in (f"{QUEUE}{question.pk}/", f"{QUEUE}999999/", f"{QUEUE}{10**30}/"):
        assert desk.get(path).status_code == 404
    made(question)
    assert desk.post(f"{QUEUE}{question.pk}/boring").status_code == 404


# --- answering ------------------------------------------------------------------------------------


def test_one_answer_settles_the_group(desk: Client, question: Question) -> None:
    flags = [made(question), made(question, "So does the table.")]
    reply = settle(desk, question, *flags)
    page = page_of(reply)
    assert reply.status_code == 200
    assert page.startswith('<article class="card stack" id="group-wrong"')
    assert "2 flags answered. Who raised them is told." in page
    assert "<form" not in page
    found = Flag.objects.values_list("outcome", "answer", "settled_at", "settled_by__email")
    assert set(found) == {("mended", "It says 64 now.", NOW, "ada@example.test")}


def test_without_script_the_question_is_shown_again(desk: Client, question: Question) -> None:
    reply = settle(desk, question, made(question), htmx=False)
    assert (reply.status_code, reply["Location"]) == (302, f"{QUEUE}{question.pk}/")
    assert "1 flag answered. Who raised them is told." in read(desk, reply["Location"])


REFUSED = [
    ({"answer": "  "}, "Write an answer: the people who flagged this read it."),
    ({"answer": "x" * (MAX_ANSWER + 1)}, "This has 4,001 characters; 4,000 is the most."),
    ({"answer": "6\x004"}, "The text holds a character that cannot be stored (NUL)."),
    ({"outcome": ""}, "Choose what comes of it."),
    ({"outcome": "retired"}, "Choose one of these. Only a reviewer may retire a question."),
    ({"seen": []}, "This form is broken. Reload the page and write the answer again."),
    ({"seen": ["one"]}, "This form is broken. Reload the page and write the answer again."),
]


@pytest.mark.parametrize(("data", "words"), REFUSED)
@pytest.mark.parametrize("htmx", [True, False])
def test_a_refused_answer_comes_back_with_what_was_typed(
    desk: Client, question: Question, data: dict[str, Any], words: str, htmx: bool
) -> None:
    reply = settle(desk, question, made(question), htmx=htmx, **data)
    page = page_of(reply)
    assert reply.status_code == 422
    assert words in page
    assert data.get("answer", "It says 64 now.").strip() in page
    assert ("<h1" in page) is not htmx
    assert Flag.objects.get().settled_at is None


@pytest.mark.parametrize("htmx", [True, False])
def test_more_that_was_written_meanwhile_is_read_first(desk: Client, question: Question, htmx: bool) -> None:
    user = UserFactory()
    seen = made(question, user=user)
    made(question, "And the table.", user=user)
    reply = settle(desk, question, seen, htmx=htmx)
    page = page_of(reply)
    assert reply.status_code == 409
    for words in (
        "More was written since you opened this page.",
        "And the table.",
        "It says 64 now.</textarea>",
    ):
        assert words in page
    # The form that comes back has seen it.
    assert f'name="seen" value="{seen.pk}:{len(Flag.objects.get().text)}"' in page


@pytest.mark.parametrize("htmx", [True, False])
def test_of_two_curators_the_second_is_told_and_keeps_the_words(
    desk: Client, question: Question, htmx: bool
) -> None:
    flag = made(question)
    settle(client_of(curator()), question, flag, answer="First.")
    reply = settle(desk, question, flag, htmx=htmx, answer="Second.")
    page = page_of(reply)
    assert reply.status_code == 409
    assert "Somebody answered these flags meanwhile." in page
    assert "Second.</textarea>" in page
    assert Flag.objects.get().answer == "First."


def test_a_reviewer_retires_the_question_with_the_answer(question: Question) -> None:
    client = client_of(reviewer())
    flag = made(question)
    assert 'value="retired"' in read(client, f"{QUEUE}{question.pk}/")
    assert settle(client, question, flag, outcome="retired").status_code == 200
    question.refresh_from_db()
    assert question.status == Status.RETIRED


def test_a_curator_is_not_offered_to_retire(desk: Client, question: Question) -> None:
    made(question)
    page = read(desk, f"{QUEUE}{question.pk}/")
    assert 'value="mended"' in page
    assert 'value="retired"' not in page


# --- who may --------------------------------------------------------------------------------------


def test_candidates_have_no_business_here(question: Question) -> None:
    flag = made(question)
    client = client_of(UserFactory(is_staff=True))
    for path in (QUEUE, f"{QUEUE}{question.pk}/"):
        assert client.get(path).status_code == 403
        assert Client().get(path)["Location"].startswith("/account/sign-in/")
    assert settle(client, question, flag).status_code == 403
    assert settle(Client(), question, flag).status_code == 401
    assert (Flag.objects.get().settled_at, CurationEvent.objects.count()) == (None, 0)


def test_who_answered_may_leave(desk: Client, question: Question) -> None:
    by = curator()
    flag = made(question)
    settle_flag(
        question_id=question.pk,
        reason=FlagReason.WRONG,
        seen={flag.pk: len(flag.text)},
        outcome=FlagOutcome.KEPT,
        answer="It is right.",
        by=by,
        now=NOW,
    )
    User.objects.filter(pk=by.pk).delete()
    assert "Kept as it is · somebody who left" in read(desk, f"{QUEUE}{question.pk}/")
