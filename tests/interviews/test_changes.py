"""Questions that mean something else since they were asked: who is told what, when, and what never changes."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.choices import Change, Status
from prepapp.bank.models import Question, QuestionVersion
from prepapp.bank.queries.changes import text_changes
from prepapp.interviews.actions.grading import regrade
from prepapp.interviews.choices import Band, Mode, State
from prepapp.interviews.gradebook.changes import changed_since
from prepapp.interviews.gradebook.held_back import closed_in_bank
from prepapp.interviews.logbook.listing import HistoryFilter, history_page
from prepapp.interviews.logbook.review import planned_responses
from prepapp.interviews.models import Attempt, Grading, Response, ResponseGrade
from tests.accounts.steps import be_guest
from tests.factories.bank import QuestionFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory
from tests.interviews.reading import text_of
from tests.interviews.sitting import statements

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(days=30)
MENDED_AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
TOLD = "This answer changed on 20 Nov 2026."
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def a_month_later() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def cleo() -> User:
    found: User = CandidateFactory()
    return found


@pytest.fixture
def site(cleo: User) -> Client:
    client = Client()
    client.force_login(cleo)
    return client


@pytest.fixture
def question() -> Question:
    found: Question = QuestionFactory(
        version__title="Heaps", version__prompt="What is a heap?", version__model_answer="A tree of 32."
    )
    return found


@pytest.fixture
def old(cleo: User, question: Question) -> Attempt:
    """Graded long ago."""
    found: Attempt = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    return found


def mend(question: Question, **fields: Any) -> QuestionVersion:
    """A later text that means something else."""
    values = {
        "title": "Heaps",
        "prompt": "What is a binary heap?",
        "model_answer": "A tree of 64.",
        "change_note": "It says 64 now.",
        "created_at": MENDED_AT,
        **fields,
    }
    return add_version(question, **values)


def reword(question: Question, **fields: Any) -> QuestionVersion:
    """A later text that means the same."""
    meaning = question.current_version.meaning
    return mend(question, change=Change.MINOR, meaning=meaning, change_note="Better words.", **fields)


def path(attempt: Attempt, name: str, *more: Any) -> str:
    return reverse(f"interviews:{name}", args=[attempt.pk, *more])


def page(client: Client, address: str) -> str:
    reply = client.get(address)
    assert reply.status_code == 200
    return text_of(reply.content.decode())


def places(attempt: Attempt) -> dict[str, str]:
    """Where the owner of a graded attempt may be told."""
    return {name: path(attempt, name) for name in ("result", "review")}


# --- what has changed -----------------------------------------------------------------------------


def found(attempt: Attempt) -> list[tuple[datetime, tuple[str, ...], bool]]:
    changes = changed_since(planned_responses(attempt), attempt.user_id, NOW)
    return [(change.at, change.notes, change.is_closed) for change in changes.values()]


def test_only_what_changed_its_meaning_counts(old: Attempt, question: Question) -> None:
    assert found(old) == []
    reword(question)
    assert found(old) == []
    mend(question)
    assert found(old) == [(MENDED_AT, ("It says 64 now.",), False)]
    reword(question, created_at=NOW)
    assert found(old) == [(MENDED_AT, ("It says 64 now.",), False)]


def test_every_change_since_is_named_and_the_last_is_dated(old: Attempt, question: Question) -> None:
    mend(question, created_at=MENDED_AT - timedelta(days=1))
    mend(question, change_note="")
    mend(question, change_note="And 128 later.")
    assert found(old) == [(MENDED_AT, ("It says 64 now.", "And 128 later."), False)]


def test_what_changed_before_it_was_asked_does_not_count(cleo: User, question: Question) -> None:
    mend(question)
    attempt = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=[question])
    assert found(attempt) == []
    mend(question, change_note="And 128 later.")
    assert found(attempt) == [(MENDED_AT, ("And 128 later.",), False)]


def test_it_costs_nothing_while_nothing_moved_and_one_query_else(cleo: User) -> None:
    questions = create_questions(3)
    attempt = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=questions)
    responses = planned_responses(attempt)
    with statements() as sent:
        assert changed_since(responses, cleo.pk, NOW) == {}
    assert len(sent) == 0
    for count, question in enumerate(questions, 1):
        mend(question)
        responses = planned_responses(attempt)
        with statements() as sent:
            assert len(changed_since(responses, cleo.pk, NOW)) == count
        assert len(sent) == 1, sent


# --- being told -----------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["result", "review"])
def test_the_owner_is_told_at_the_answer(site: Client, old: Attempt, question: Question, place: str) -> None:
    """HIS-03: and the attempt stays exactly as it was asked."""
    before = page(site, places(old)[place])
    assert "This answer changed" not in before
    mend(question)
    after = page(site, places(old)[place])
    assert f"{TOLD} You were asked the older text; your answer and its marks stay as they are." in after
    assert "It says 64 now." in after
    assert path(old, "changes", 1) in site.get(places(old)[place]).content.decode()
    assert "A tree of 64." not in after
    assert "binary" not in after


@pytest.mark.parametrize("place", ["result", "review"])
def test_better_words_are_no_news(site: Client, old: Attempt, question: Question, place: str) -> None:
    before = page(site, places(old)[place])
    reword(question)
    assert page(site, places(old)[place]) == before


def test_the_question_itself_shows_the_new_text(site: Client, old: Attempt, question: Question) -> None:
    reword(question)
    assert "What is a binary heap?" in page(site, reverse("bank:question-detail", args=[question.slug]))
    assert "What is a heap?" in page(site, path(old, "review"))


def test_a_guest_is_told_too(question: Question) -> None:
    browser = Client()
    attempt = AttemptFactory(user=be_guest(browser), state=State.GRADED, responses__questions=[question])
    mend(question)
    for place in places(attempt).values():
        assert TOLD in page(browser, place)


def test_a_follow_up_is_not_told_a_second_time(site: Client, cleo: User, question: Question) -> None:
    attempt = AttemptFactory(
        user=cleo, state=State.GRADED, responses__questions=[question], responses__follow_ups=1
    )
    mend(question)
    for place in places(attempt).values():
        assert page(site, place).count(TOLD) == 1


def test_a_retired_question_changed_as_well(site: Client, old: Attempt, question: Question) -> None:
    mend(question)
    Question.objects.filter(pk=question.pk).update(status=Status.RETIRED)
    assert "Version 1; the question has been retired since" in page(site, path(old, "review"))
    assert TOLD in page(site, path(old, "review"))


def test_an_interview_that_was_given_up_tells_nothing(site: Client, cleo: User, question: Question) -> None:
    attempt = AttemptFactory(user=cleo, state=State.ABANDONED, responses__questions=[question])
    mend(question)
    assert "This answer changed" not in page(site, path(attempt, "review"))
    assert site.get(path(attempt, "changes", 1)).status_code == 404


# --- while grading --------------------------------------------------------------------------------


@pytest.fixture
def grading(cleo: User, question: Question) -> Attempt:
    """Handed in, the confidence said, no point marked."""
    attempt: Attempt = AttemptFactory(user=cleo, state=State.GRADING, responses__questions=[question])
    opened = Grading.objects.create(attempt=attempt, user=cleo, number=1, started_at=NOW)
    response = Response.objects.get(attempt=attempt)
    ResponseGrade.objects.create(grading=opened, response=response, user=cleo, confidence=Band.HIRE)
    return attempt


def reveal(attempt: Attempt) -> None:
    ResponseGrade.objects.filter(grading__attempt=attempt).update(revealed_at=NOW)


@pytest.mark.parametrize("mode", [Mode.MOCK, Mode.PRACTICE])
def test_grading_tells_with_the_model_answer_and_not_before(
    site: Client, grading: Attempt, question: Question, mode: str
) -> None:
    Attempt.objects.filter(pk=grading.pk).update(mode=mode)
    mend(question)
    marking = path(grading, "grade-answer", 1)
    for place in (marking, path(grading, "review")):
        told = page(site, place)
        assert "This answer changed" not in told
        assert "It says 64 now." not in told
    assert site.get(path(grading, "changes", 1)).status_code == 404
    reveal(grading)
    for place in (marking, path(grading, "review")):
        assert f"{TOLD} You were asked the older text" in page(site, place)
    assert "It says 64 now." in page(site, path(grading, "changes", 1))


def test_grading_costs_one_query_more_and_only_once_it_is_told(
    site: Client, grading: Attempt, question: Question
) -> None:
    marking, counts = path(grading, "grade-answer", 1), []
    for act in (lambda: None, lambda: mend(question), lambda: reveal(grading)):
        act()
        with statements() as sent:
            site.get(marking)
        counts.append(len(sent))
    assert counts == [7, 7, 8], sent


def test_the_last_mark_brings_the_word(site: Client, grading: Attempt, question: Question) -> None:
    mend(question)
    marking = path(grading, "mark", 1)
    points = list(question.versions.get(number=1).rubric_points.filter(follow_up=None))
    replies = [
        site.post(marking, {"point": point.pk, "value": 2}, headers=HTMX).content.decode() for point in points
    ]
    assert [TOLD in reply for reply in replies] == [False, False, True]


def test_a_follow_up_that_is_still_to_be_marked_keeps_it_closed(
    site: Client, cleo: User, question: Question
) -> None:
    """What changed includes the answers of the follow-ups."""
    attempt = AttemptFactory(
        user=cleo, state=State.GRADING, responses__questions=[question], responses__follow_ups=1
    )
    opened = Grading.objects.create(attempt=attempt, user=cleo, number=1, started_at=NOW)
    main, follow_up = Response.objects.filter(attempt=attempt).order_by("position")
    for response, revealed_at in ((main, NOW), (follow_up, None)):
        ResponseGrade.objects.create(
            grading=opened, response=response, user=cleo, confidence=Band.HIRE, revealed_at=revealed_at
        )
    mend(question)
    marking = path(attempt, "grade-answer", 1)
    assert "This answer changed" not in page(site, marking)
    assert site.get(path(attempt, "changes", 1)).status_code == 409
    reveal(attempt)
    assert TOLD in page(site, marking)
    assert TOLD in page(site, path(attempt, "grade-answer", 2))
    assert site.get(path(attempt, "changes", 2)).status_code == 200


def test_grading_again_is_told_when_it_is_revealed_again(
    site: Client, old: Attempt, question: Question
) -> None:
    mend(question)
    regrade(attempt=old, now=NOW)
    assert "This answer changed" not in page(site, path(old, "grade-answer", 1))
    assert TOLD in page(site, path(old, "review"))


# --- old against new ------------------------------------------------------------------------------


def spans(reply: Any) -> tuple[list[str], list[str]]:
    """What was removed, and what was added."""
    html = reply.content.decode()
    hidden = r'<span class="vh">[^<]*</span>'
    parts = [re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL) for tag in ("del", "ins")]
    return tuple([re.sub(hidden, "", part) for part in found] for found in parts)  # type: ignore[return-value]


@pytest.mark.parametrize("htmx", [True, False])
def test_the_difference_is_shown_word_by_word(
    site: Client, old: Attempt, question: Question, htmx: bool
) -> None:
    mend(question, points=[(4, True), (3, False), (3, False)])
    reply = site.get(path(old, "changes", 1), headers=HTMX if htmx else {})
    assert reply.status_code == 200
    removed, added = spans(reply)
    assert "32" in removed
    assert ("64" in added, "binary " in added) == (True, True)
    assert ("<h1" in reply.content.decode()) is not htmx


def test_how_a_question_is_filed_and_checked_is_not_shown(question: Question) -> None:
    first = question.current_version
    code = {"language": "python", "timeout_s": 5, "solution": "a = 1", "check": "assert a", "wrong": "a = 2"}
    QuestionVersion.objects.filter(pk=first.pk).update(code=code)
    new = mend(
        question,
        code={**code, "timeout_s": 9, "solution": "a = 3", "wrong": "a = 4"},
        recheck_months=3,
        reviewed_date=MENDED_AT.date(),
    )
    labels = {change.label for change in text_changes(first.pk, new.pk)}
    assert labels == {"Prompt", "Model answer", "Code: solution"}


def test_a_text_that_is_markup_is_shown_as_text(site: Client, old: Attempt, question: Question) -> None:
    mend(question, prompt="What is a <script>alert(1)</script> heap?")
    _, added = spans(site.get(path(old, "changes", 1)))
    assert "&lt;script&gt;alert(1)&lt;/script&gt; " in added


def test_the_page_costs_the_same_for_any_number(site: Client, cleo: User) -> None:
    counts = []
    for number in (1, 3):
        questions = create_questions(number)
        attempt = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=questions)
        for question in questions:
            mend(question)
        with statements() as sent:
            site.get(path(attempt, "changes", number))
        counts.append(len(sent))
    # session, person, attempt, gradings, answers, changes, and five for the two texts
    assert counts == [11, 11], sent


def test_where_nothing_changed_there_is_nothing(site: Client, old: Attempt, question: Question) -> None:
    assert site.get(path(old, "changes", 1)).status_code == 404
    reword(question)
    assert site.get(path(old, "changes", 1)).status_code == 404
    mend(question)
    assert site.get(path(old, "changes", 1)).status_code == 200
    assert site.get(path(old, "changes", 2)).status_code == 404
    assert site.post(path(old, "changes", 1)).status_code == 405


def test_a_stranger_and_a_random_id_get_the_same_404(site: Client, question: Question) -> None:
    foreign = AttemptFactory(state=State.GRADED, responses__questions=[question])
    mend(question)
    replies = [
        site.get(address) for address in (path(foreign, "changes", 1), f"/attempts/{uuid4()}/changes/1/")
    ]
    assert [reply.status_code for reply in replies] == [404, 404]
    assert replies[0].content == replies[1].content
    assert Client().get(path(foreign, "changes", 1)).status_code == 302


# --- held back ------------------------------------------------------------------------------------


def ask_again(cleo: User, question: Question, **fields: Any) -> Attempt:
    values = {"started_at": NOW - timedelta(minutes=1), "responses__questions": [question], **fields}
    found: Attempt = AttemptFactory(user=cleo, **values)
    return found


def test_a_running_mock_that_asks_it_closes_it(
    site: Client, cleo: User, old: Attempt, question: Question
) -> None:
    mend(question)
    again = ask_again(cleo, question)
    for place in places(old).values():
        told = page(site, place)
        assert "This answer changed" not in told
        assert "It says 64 now." not in told
    for headers in ({}, HTMX):
        reply = site.get(path(old, "changes", 1), headers=headers)
        assert reply.status_code == 409
        text = reply.content.decode()
        assert "What changed is held back" in text
        assert not re.search(r"A tree of|It says|binary|<ins>|<del>|20 Nov", text)
    # Handed in, it must be marked first: whoever has read the new answer cannot mark honestly.
    Attempt.objects.filter(pk=again.pk).update(state=State.GRADING, finished_at=NOW)
    assert site.get(path(old, "changes", 1)).status_code == 409
    assert "This answer changed" not in page(site, path(old, "review"))
    Attempt.objects.filter(pk=again.pk).update(state=State.ABANDONED)
    for place in places(old).values():
        assert TOLD in page(site, place)


def test_a_practice_and_somebody_elses_mock_close_nothing(
    site: Client, cleo: User, old: Attempt, question: Question
) -> None:
    mend(question)
    ask_again(cleo, question, mode=Mode.PRACTICE)
    ask_again(CandidateFactory(), question)
    for place in places(old).values():
        assert TOLD in page(site, place)


def test_the_bank_says_of_many_what_it_says_of_one(cleo: User) -> None:
    running, marking, empty, practice, foreign, free = questions = create_questions(6)
    ask_again(cleo, running)
    ask_again(cleo, marking, state=State.GRADING)
    ask_again(cleo, empty, state=State.GRADING, responses__texts=[""])
    ask_again(cleo, practice, mode=Mode.PRACTICE)
    ask_again(CandidateFactory(), foreign)
    with statements() as sent:
        closed = closed_in_bank(cleo.pk, [question.pk for question in questions], NOW)
    assert closed == {running.pk, marking.pk}
    assert len(sent) == 1
    assert closed_in_bank(cleo.pk, [free.pk], NOW) == set()


# --- what it costs, and the list ------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
def test_a_change_costs_each_page_one_query(site: Client, cleo: User, count: int) -> None:
    questions = create_questions(count)
    attempt = AttemptFactory(user=cleo, state=State.GRADED, responses__questions=questions)
    before, after = {}, {}
    for counts in (before, after):
        for name, place in places(attempt).items():
            with statements() as sent:
                site.get(place)
            counts[name] = len(sent)
        for question in questions:
            mend(question)
    assert before == {"result": 6, "review": 12}
    assert after == {"result": 7, "review": 13}


def test_the_list_marks_what_changed_since(
    site: Client, cleo: User, old: Attempt, question: Question
) -> None:
    other = AttemptFactory(user=cleo, state=State.GRADED)
    reword(question)
    assert "changed since" not in page(site, "/history/")
    mend(question)
    running = ask_again(cleo, question)
    ask_again(cleo, question, state=State.ABANDONED)
    mend(question)
    rows = history_page(cleo, HistoryFilter(), cursor="").items
    assert {row.pk for row in rows if row.has_changed} == {old.pk}
    assert {other.pk, running.pk} < {row.pk for row in rows}
    assert page(site, "/history/").count("changed since") == 1
