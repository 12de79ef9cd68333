"""P13 across doors: while a mock runs, nothing else tells what a good answer to its questions is."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.models import Topic
from prepapp.interviews.choices import Band, Ending, Mode, State
from prepapp.interviews.gradebook.held_back import why_closed_in_bank
from prepapp.interviews.models import Attempt, Grading, Mark, Response, ResponseGrade
from tests.factories.interviews import STARTED_AT, CandidateFactory, add_grading
from tests.interviews.sitting import CANARY, at, make_bank, plant_canaries, rows, sit, statements

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
WORDS = "Held back while this question is in an interview that is running."
# A mock of 15 minutes that began at STARTED_AT, and the 5 seconds of grace.
LAST_MOMENT = STARTED_AT + timedelta(minutes=15, seconds=5)
OVER = LAST_MOMENT + timedelta(seconds=1)


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(STARTED_AT + timedelta(minutes=1), tick=False) as traveller:
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
    return make_bank(1)


@pytest.fixture
def old(cleo: User, topic: Topic) -> Attempt:
    """An answered mock that waits for its marks."""
    attempt = sit(cleo, questions=1, follow_ups=0, topic=topic, slot_name="old")
    attempt.responses.update(text="My answer.")
    attempt.state, attempt.finished_at, attempt.ending = State.GRADING, STARTED_AT, Ending.FINISHED
    attempt.save()
    plant_canaries(attempt)
    return attempt


@pytest.fixture
def practice(cleo: User, topic: Topic) -> Attempt:
    return sit(cleo, questions=1, follow_ups=0, topic=topic, mode=Mode.PRACTICE)


@pytest.fixture
def running(cleo: User, topic: Topic, old: Attempt) -> Attempt:
    """A mock that asks the same question."""
    return sit(cleo, questions=1, follow_ups=0, topic=topic)


def grading(attempt: Attempt, name: str) -> str:
    return reverse(f"interviews:{name}", args=[attempt.pk, 1])


def a_point(attempt: Attempt) -> int:
    point: int = attempt.responses.get().version.rubric_points.filter(follow_up=None).earliest("pk").pk
    return point


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
@pytest.mark.parametrize("name", ["confidence", "mark", "reveal"])
def test_a_grading_opens_nothing(site: Client, old: Attempt, name: str, headers: dict[str, str]) -> None:
    before = rows(Grading, ResponseGrade, Mark)
    data = {"confidence": Band.HIRE, "point": str(a_point(old)), "value": "2"}
    reply = site.post(grading(old, name), data, headers=headers)
    assert (reply.status_code, reply.text.count(f"<p>{WORDS}</p>")) == (409, 1)
    assert CANARY not in reply.text
    assert rows(Grading, ResponseGrade, Mark) == before


def test_a_grading_that_was_open_is_shut_and_opens_again(
    site: Client, old: Attempt, topic: Topic, cleo: User, clock: Any
) -> None:
    site.post(grading(old, "confidence"), {"confidence": Band.HIRE})
    page = grading(old, "grade-answer")
    assert f"{CANARY}-criterion" in site.get(page).text
    sit(cleo, questions=1, follow_ups=0, topic=topic)
    shut = site.get(page).text
    assert (CANARY in shut, WORDS in shut, "How well did you do?" in shut) == (False, True, False)
    clock.move_to(LAST_MOMENT, tick=False)
    assert CANARY not in site.get(page).text
    # Nobody has closed the mock, but its time is over.
    clock.move_to(OVER, tick=False)
    assert f"{CANARY}-criterion" in site.get(page).text
    assert Attempt.objects.filter(state=State.RUNNING).count() == 1


def test_a_revealed_answer_is_shut_too(site: Client, old: Attempt, topic: Topic, cleo: User) -> None:
    site.post(grading(old, "confidence"), {"confidence": Band.HIRE})
    for point in old.responses.get().version.rubric_points.filter(follow_up=None):
        site.post(grading(old, "mark"), {"point": str(point.pk), "value": "2"})
    page = grading(old, "grade-answer")
    assert f"{CANARY}-model" in site.get(page).text
    sit(cleo, questions=1, follow_ups=0, topic=topic)
    assert CANARY not in site.get(page).text


@pytest.mark.usefixtures("running")
def test_grading_again_opens_nothing(site: Client, old: Attempt) -> None:
    add_grading(old)
    Attempt.objects.filter(pk=old.pk).update(state=State.GRADED, graded_at=STARTED_AT, score=5)
    page = site.post(reverse("interviews:regrade", args=[old.pk]), follow=True)
    assert page.redirect_chain[-1][0] == grading(old, "grade-answer")
    assert (CANARY in page.text, WORDS in page.text) == (False, True)
    assert site.post(grading(old, "confidence"), {"confidence": Band.HIRE}).status_code == 409


def graded_once(person: User, topic: Topic, questions: int) -> Attempt:
    """An answered interview with a closed grading."""
    attempt = sit(person, questions=questions, follow_ups=0, topic=topic, slot_name="old")
    attempt.responses.update(text="My answer.")
    state = {"state": State.GRADED, "graded_at": STARTED_AT, "score": 5}
    Attempt.objects.filter(pk=attempt.pk).update(
        **state, finished_at=STARTED_AT, ending=Ending.FINISHED, deadline_at=None
    )
    add_grading(attempt)
    return attempt


def test_grading_again_says_what_is_closed_why_and_until_when(site: Client, cleo: User, clock: Any) -> None:
    topic = make_bank(3)
    past = graded_once(cleo, topic, 3)
    mock = sit(cleo, questions=2, follow_ups=0, topic=topic, title="Deep dive")
    asked = set(mock.responses.values_list("version__question", flat=True))
    by_position = dict(past.responses.values_list("position", "version__question"))
    shut = sorted(position for position, question in by_position.items() if question in asked)
    (open_one,) = by_position.keys() - set(shut)
    site.post(reverse("interviews:regrade", args=[past.pk]))
    page = site.get(reverse("interviews:grade-answer", args=[past.pk, shut[0]]))
    room = reverse("interviews:attempt", args=[mock.pk])
    assert (
        f'That interview is <a href="{room}">“Deep dive”</a> and ends at 14:15. The rubric opens here when it '
        "has ended; reload this page then."
    ) in page.text
    assert f"Closed with it: answer {shut[1]}." in page.text
    open_page = reverse("interviews:grade-answer", args=[past.pk, open_one])
    assert f'href="{open_page}">Mark answer {open_one} meanwhile</a>' in page.text
    assert f'aria-label="Answer {shut[1]}, to mark, closed for now"' in page.text
    assert f'aria-label="Answer {open_one}, to mark"' in page.text
    assert "See the result" not in page.text
    clock.move_to(OVER, tick=False)
    page = site.get(reverse("interviews:grade-answer", args=[past.pk, shut[0]]))
    assert ("closed for now" in page.text.lower(), "How well did you do?" in page.text) == (False, True)


def test_grading_again_offers_no_result_while_all_is_closed(site: Client, cleo: User) -> None:
    """The button would only be refused; nor is there an answer to go on with."""
    topic = make_bank(1)
    past = graded_once(cleo, topic, 1)
    mock = sit(cleo, questions=1, follow_ups=0, topic=topic)
    Attempt.objects.filter(pk=mock.pk).update(deadline_at=None)
    page = site.post(reverse("interviews:regrade", args=[past.pk]), follow=True)
    assert "“Phone screen”</a>. The rubric opens here when it has ended; reload this page then." in page.text
    assert [words in page.text for words in ("See the result", "meanwhile", "Closed with it")] == [False] * 3


@pytest.mark.parametrize("questions", [1, 3])
def test_a_closed_answer_costs_two_queries_more(site: Client, cleo: User, questions: int) -> None:
    topic = make_bank(questions)
    past = graded_once(cleo, topic, questions)
    site.post(reverse("interviews:regrade", args=[past.pk]))
    page = reverse("interviews:grade-answer", args=[past.pk, 1])
    with statements() as before:
        site.get(page)
    sit(cleo, questions=questions, follow_ups=0, topic=topic)
    with statements() as after:
        assert WORDS in site.get(page).text
    assert len(after) - len(before) == 2


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_practice_gives_no_hint(
    site: Client, practice: Attempt, topic: Topic, cleo: User, headers: dict[str, str]
) -> None:
    assert f"{CANARY}-criterion" in site.post(at(practice, "hint"), headers=HTMX).text
    sit(cleo, questions=1, follow_ups=0, topic=topic)
    reply = site.post(at(practice, "hint"), headers=headers)
    assert (reply.status_code, CANARY in reply.text, WORDS in reply.text) == (409, False, True)
    assert CANARY not in site.get(at(practice, "room")).text
    assert Response.objects.get(attempt=practice).hints_shown == 1


def test_the_bank_judges_a_mock_by_its_deadline(site: Client, cleo: User, topic: Topic, clock: Any) -> None:
    """A mock whose time is over is no longer running, also before anything has closed it."""
    sit(cleo, questions=1, follow_ups=0, topic=topic)
    question = topic.questions.get()
    answer = reverse("bank:question-answer", args=[question.slug])
    codes = []
    for moment in (LAST_MOMENT, OVER):
        clock.move_to(moment, tick=False)
        codes.append(site.post(answer, {"text": "Mine"}).status_code)
    assert codes == [409, 200]


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_the_bank_stays_closed_until_the_answer_is_marked(
    site: Client, old: Attempt, headers: dict[str, str]
) -> None:
    """Whoever has read the model answer cannot mark honestly."""
    bank = reverse("bank:question-answer", args=[old.responses.get().version.question.slug])
    way = f'<a class="btn primary" href="{grading(old, "grade-answer")}">Grade that answer</a>'

    def closed() -> tuple[int, bool, bool]:
        reply = site.post(bank, {"text": "Mine"}, headers=headers)
        return reply.status_code, way in reply.text, CANARY in reply.text

    assert closed() == (409, True, False)
    site.post(grading(old, "confidence"), {"confidence": Band.HIRE})
    points = list(
        old.responses.get().version.rubric_points.filter(follow_up=None).values_list("pk", flat=True)
    )
    seen = []
    for point in points:
        seen.append(closed())
        site.post(grading(old, "mark"), {"point": str(point), "value": "2"})
    assert seen == [(409, True, False)] * len(points)
    assert closed() == (200, False, True)
    site.post(reverse("interviews:grade-close", args=[old.pk]))
    site.post(reverse("interviews:regrade", args=[old.pk]))
    assert closed() == (200, False, True)


@pytest.mark.parametrize(
    ("fields", "text", "code"),
    [
        ({"state": State.GRADING}, "My answer.", 409),
        # Over, and nothing has closed it yet.
        ({"state": State.RUNNING, "finished_at": None}, "My answer.", 409),
        ({"state": State.GRADING}, "", 200),
        ({"state": State.ABANDONED}, "My answer.", 200),
        ({"state": State.GRADING, "mode": Mode.PRACTICE, "deadline_at": None}, "My answer.", 200),
    ],
    ids=["to grade", "over", "empty", "given up", "practice"],
)
def test_what_the_bank_waits_for(
    site: Client, old: Attempt, clock: Any, fields: dict[str, Any], text: str, code: int
) -> None:
    clock.move_to(OVER, tick=False)
    old.responses.update(text=text)
    if fields["state"] != State.GRADING:
        fields |= {"ending": Ending.ABANDONED if fields["state"] == State.ABANDONED else ""}
    Attempt.objects.filter(pk=old.pk).update(**fields)
    bank = reverse("bank:question-answer", args=[old.responses.get().version.question.slug])
    assert site.post(bank, {"text": "Mine"}).status_code == code


@pytest.mark.parametrize("attempts", [1, 3])
def test_the_guard_of_the_bank_is_one_query(old: Attempt, cleo: User, topic: Topic, attempts: int) -> None:
    for number in range(1, attempts):
        sit(cleo, questions=1, follow_ups=0, topic=topic, slot_name=str(number))
    question = topic.questions.get().pk
    with statements() as sent:
        assert why_closed_in_bank(cleo, question, STARTED_AT)
    assert len(sent) == 1


@pytest.mark.usefixtures("running")
def test_another_persons_mock_holds_nothing_back(client: Client, topic: Topic) -> None:
    client.force_login(CandidateFactory())
    answer = reverse("bank:question-answer", args=[topic.questions.get().slug])
    assert client.post(answer, {"text": "Mine"}).status_code == 200
