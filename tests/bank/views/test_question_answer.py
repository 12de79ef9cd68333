"""'I have tried it': the answer opens beside the reader's own words, and nothing is stored."""

import re
from datetime import datetime
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import Settings

from prepapp.accounts.models import User
from prepapp.bank.access import Closed
from prepapp.bank.choices import Kind
from prepapp.bank.models import FollowUp, Question, QuestionVersion
from prepapp.common.markdown import render_code
from tests.factories.accounts import GuestFactory
from tests.factories.bank import QuestionFactory, TagFactory, create_questions

pytestmark = pytest.mark.django_db
URL = "/questions/one/answer/"
HTMX = {"HX-Request": "true", "HX-Target": "answer"}

closed_ids: list[tuple[User, int]] = []


def closed_guard(user: User, question_id: int, now: datetime) -> Closed:
    closed_ids.append((user, question_id))
    assert now.tzinfo is not None
    about = {"is_running": True, "attempt": uuid4(), "attempt__title": "Phone screen", "position": 2}
    return Closed("interviews/components/closed_in_bank.html", about)


def open_guard(user: User, question_id: int, now: datetime) -> None:
    assert (isinstance(user, User), isinstance(question_id, int), now.tzinfo is not None) == (True,) * 3


@pytest.fixture
def question() -> Question:
    made: Question = QuestionFactory(
        slug="one",
        tags=["coalescing"],
        version__deeper="Deeper still",
        version__weights_note="r1 is the core.",
    )
    return made


@pytest.mark.usefixtures("question")
def test_everybody_may_open_it(anyone: Client) -> None:
    page = anyone.post(URL, {"text": "My <b>own</b>\r\n words"}).content.decode()
    for shown in (
        "Rubric and model answer</h2>",
        '<p class="plain-answer">My &lt;b&gt;own&lt;/b&gt;\n words</p>',
        "Criterion r1 of Title of one",
        "Met r1 of Title of one",
        "Partly r3 of Title of one",
        "4 of 10",
        "must-have",
        "r1 is the core.",
        "<p>Model answer of one</p>",
        "<p>Deeper still</p>",
        "<p>Pitfall of one</p>",
        "<p>Follow-up 1 of Title of one</p>",
        "<p>Answer 1 of Title of one</p>",
        "Criterion f1b of Title of one",
        '<a href="https://example.test/source" rel="noopener noreferrer nofollow">Source of one</a>',
        "Rationale of one",
        'href="/questions/?tag=coalescing"',
        "<p>Prompt of one</p>",
    ):
        assert shown in page
    assert 'id="id_text"' not in page


@pytest.mark.usefixtures("question")
def test_nothing_is_stored(candidate: Client, writes) -> None:
    with writes() as found:
        candidate.post(URL, {"text": "My words"})
    assert found == []


@pytest.mark.usefixtures("question")
def test_an_empty_answer_may_be_one_that_was_spoken() -> None:
    page = Client().post(URL, {"text": " "}).content.decode()
    assert "Rubric and model answer" in page
    page = Client().post(URL).content.decode()
    assert "What you wrote" not in page


@pytest.mark.usefixtures("question")
def test_the_part_is_the_answer_alone_and_names_where_focus_goes() -> None:
    part = Client().post(URL, {"text": "Mine"}, headers=HTMX).content.decode().strip()
    assert part.startswith('<section id="answer"')
    assert part.endswith("</section>")
    assert '<h2 tabindex="-1" data-focus>Rubric and model answer</h2>' in part
    assert "Prompt of one" not in part


@pytest.mark.usefixtures("question")
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_a_text_that_is_too_long_is_kept_and_said(headers: dict[str, str], settings: Settings) -> None:
    settings.ANSWER_MAX_CHARACTERS = 20
    exact = "12345678\r\n9012345678\r\n"
    assert Client().post(URL, {"text": exact}, headers=headers).status_code == 200
    response = Client().post(URL, {"text": f"{exact}9"}, headers=headers)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Your answer has 21 characters; 20 is the most." in page
    assert "9012345678\r\n9</textarea>" in page
    assert 'aria-invalid="true"' in page
    assert "Criterion" not in page


@pytest.mark.usefixtures("question")
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_a_running_mock_keeps_it_closed_and_the_text_in_the_box(
    headers: dict[str, str], settings: Settings, candidate: Client
) -> None:
    settings.BANK_ANSWER_GUARDS = [f"{__name__}.open_guard", f"{__name__}.closed_guard"]
    response = candidate.post(URL, {"text": "Mine"}, headers=headers)
    page = response.content.decode()
    assert response.status_code == 409
    assert "The answer stays closed for now" in page
    assert "“Phone screen” is running and asks this question." in page
    assert "What you wrote is still in the box." in page
    assert re.search(r">\s*Mine</textarea>", page)
    for hidden in ("Criterion", "Model answer of one", "Pitfall of one", "Answer 1"):
        assert hidden not in page


def test_guards_are_asked_about_the_person_and_the_question(settings: Settings, question: Question) -> None:
    settings.BANK_ANSWER_GUARDS = [f"{__name__}.closed_guard"]
    closed_ids.clear()
    guest = GuestFactory()
    client = Client()
    session = client.session
    session["guest"] = str(guest.pk)
    session.save()
    assert client.post(URL).status_code == 409
    assert closed_ids == [(guest, question.pk)]
    assert Client().post(URL).status_code == 200


@pytest.mark.usefixtures("question")
def test_open_guards_let_everybody_pass(settings: Settings, candidate: Client) -> None:
    settings.BANK_ANSWER_GUARDS = [f"{__name__}.open_guard"]
    assert candidate.post(URL).status_code == 200


def test_a_told_story_is_called_invented() -> None:
    QuestionFactory(slug="one", version__kind=Kind.BEHAVIOURAL)
    assert '<span class="chip">Invented example</span>' in Client().post(URL).content.decode()
    QuestionFactory(slug="two", version__kind=Kind.CONCEPT)
    assert "Invented example" not in Client().post("/questions/two/answer/").content.decode()


@pytest.mark.parametrize(("language", "file"), [("python", "solution.py"), ("sql", "solution.sql")])
def test_code_comes_highlighted_with_its_check(language: str, file: str) -> None:
    code = {
        "language": language,
        "timeout_s": 5,
        "solution": "x",
        "check": "assert True",
        "wrong": ["not shown"],
    }
    question = QuestionFactory(slug="one", version__kind=Kind.CODING, version__code=code)
    version = QuestionVersion.objects.get(question=question)
    version.rendered["code_solution"] = render_code("SELECT 1", "sql")
    version.rendered["code_check"] = render_code("assert True", "python")
    version.save()
    page = Client().post(URL).content.decode()
    assert '<span class="hl-k">SELECT</span>' in page
    assert '<span class="hl-k">assert</span>' in page
    assert f"<code>{file}</code>" in page
    assert 'data-copy="check"' in page
    assert "not shown" not in page


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (
            "https://example.test/a",
            '<a href="https://example.test/a" rel="noopener noreferrer nofollow">Source</a>',
        ),
        (
            "doi:10.1000/182",
            '<a href="https://doi.org/10.1000/182" rel="noopener noreferrer nofollow">Source</a>',
        ),
        ("javascript:alert(1)", 'Source <span class="soft">(javascript:alert(1))</span>'),
        ("data:text/html,x", 'Source <span class="soft">(data:text/html,x)</span>'),
    ],
)
def test_only_safe_addresses_become_links(address: str, shown: str) -> None:
    QuestionFactory(slug="one", version__references=[{"title": "Source", "url": address, "supports": []}])
    assert shown in Client().post(URL).content.decode()


@pytest.mark.parametrize("method", ["get", "head", "put", "patch", "delete"])
def test_other_verbs_are_refused(method: str) -> None:
    QuestionFactory(slug="one")
    assert getattr(Client(), method)(URL).status_code == 405


def test_the_request_token_is_asked_for() -> None:
    QuestionFactory(slug="one")
    assert Client(enforce_csrf_checks=True).post(URL).status_code == 403


@pytest.mark.parametrize("parts", [1, 3, 25])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_six_queries_for_any_number_of_points_and_follow_ups(
    parts: int, headers: dict[str, str], candidate: Client, settings: Settings, django_assert_num_queries
) -> None:
    settings.BANK_ANSWER_GUARDS = []  # each guard adds its own
    question = QuestionFactory(slug="one", version__follow_ups=parts, version__points=[(1, False)] * parts)
    question.tags.add(*(TagFactory() for _ in range(parts)))
    create_questions(parts)
    with django_assert_num_queries(6):  # session, user, question, points, follow-ups, tags
        candidate.post(URL, headers=headers)
    assert FollowUp.objects.filter(version__question=question).count() == parts
