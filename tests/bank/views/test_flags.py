"""Flagging a question from its page, and reading what came of it: who may, what is kept, what is told."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.actions.flags import MAX_TEXT, raise_flag, settle_flag
from prepapp.bank.choices import FlagOutcome, FlagPlace, FlagReason, Status
from prepapp.bank.forms.flags import MAX_WORDS
from prepapp.bank.models import Flag, Question
from tests.accounts.steps import be_guest
from tests.factories.accounts import UserFactory
from tests.factories.bank import QuestionFactory, add_version, create_questions
from tests.factories.curation import curator

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HTMX = {"HX-Request": "true"}
OWN = "/flags/"


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def question() -> Question:
    found: Question = QuestionFactory(slug="bus-width")
    return found


@pytest.fixture
def user() -> User:
    found: User = UserFactory()
    return found


@pytest.fixture
def site(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def address(question: Question) -> str:
    return reverse("flags:flag-raise", args=[question.current_version_id])


def send(client: Client, question: Question, *, htmx: bool = True, **data: str) -> Any:
    values = {"reason": "wrong", "text": "It says 32.", "place": "browser", **data}
    return client.post(address(question), values, headers=HTMX if htmx else {})


def made(question: Question, user: User, text: str = "It says 32.", reason: str = FlagReason.WRONG) -> Flag:
    return raise_flag(
        user=user,
        version=question.current_version,
        place=FlagPlace.RESULT,
        reason=FlagReason(reason),
        text=text,
        now=NOW - timedelta(days=2),
    )


def answered(question: Question, user: User, answer: str = "It says 64 now.", **options: Any) -> Flag:
    flag = made(question, user, **options)
    settle_flag(
        question_id=question.pk,
        reason=FlagReason(flag.reason),
        seen={flag.pk: len(flag.text)},
        outcome=FlagOutcome.MENDED,
        answer=answer,
        by=curator(),
        now=NOW - timedelta(days=1),
    )
    flag.refresh_from_db()
    return flag


def rows() -> list[tuple[Any, ...]]:
    names = ("question", "version", "user", "place", "reason", "text", "raised_at")
    return list(Flag.objects.order_by("pk").values_list(*names))


def page_of(reply: Any) -> str:
    return " ".join(reply.content.decode().split())


# --- raising --------------------------------------------------------------------------------------


def test_the_page_of_a_question_has_the_form_for_whoever_can_be_answered(
    site: Client, question: Question
) -> None:
    form = f'action="{address(question)}"'
    page = reverse("bank:question-detail", args=[question.slug])
    assert form in site.get(page).content.decode()
    browser = Client()
    be_guest(browser)
    assert form in browser.get(page).content.decode()
    assert "flag-" not in Client().get(page).content.decode()


@pytest.mark.parametrize("htmx", [True, False])
def test_what_was_said_is_kept(site: Client, user: User, question: Question, htmx: bool) -> None:
    send(site, question, htmx=htmx, text="  It says 32.\r\nTwice. ")
    assert rows() == [
        (question.pk, question.current_version_id, user.pk, "browser", "wrong", "It says 32.\nTwice.", NOW)
    ]


def test_inside_htmx_the_form_comes_back_empty_with_thanks(site: Client, question: Question) -> None:
    reply = send(site, question)
    page = page_of(reply)
    assert reply.status_code == 200
    assert page.startswith(f'<div class="flag" id="flag-{question.current_version_id}">')
    assert "Thank you. A curator reads it, and the answer will stand under" in page
    assert f'href="{OWN}"' in page
    assert "It says 32." not in page
    assert "<h1" not in page


def test_without_script_one_comes_back_to_where_one_was(site: Client, question: Question) -> None:
    page = reverse("bank:question-detail", args=[question.slug])
    values = {"reason": "wrong", "text": "", "place": "browser"}
    reply = site.post(address(question), values, headers={"Referer": f"http://testserver{page}?a=b"})
    assert (reply.status_code, reply["Location"]) == (302, f"{page}?a=b")
    assert "Thank you. A curator reads it" in site.get(page).content.decode()


@pytest.mark.parametrize("referer", ["", "https://elsewhere.test/page", "http://testserver{own}"])
def test_without_a_page_of_ours_one_is_shown_ones_flags(
    site: Client, question: Question, referer: str
) -> None:
    values = {"reason": "wrong", "text": "", "place": "browser"}
    headers = {"Referer": referer.format(own=address(question))} if referer else {}
    assert site.post(address(question), values, headers=headers)["Location"] == OWN


def test_a_guest_flags_in_their_session(question: Question) -> None:
    browser = Client()
    guest = be_guest(browser)
    assert send(browser, question).status_code == 200
    assert [row[2] for row in rows()] == [guest.pk]
    assert "It says 32." in browser.get(OWN).content.decode()


@pytest.mark.parametrize("htmx", [True, False])
def test_a_visitor_is_sent_to_sign_in(question: Question, htmx: bool) -> None:
    assert send(Client(), question, htmx=htmx).status_code == (401 if htmx else 302)
    assert rows() == []


def test_the_same_again_adds_nothing_and_other_words_are_added(site: Client, question: Question) -> None:
    for text in ("It says 32.", "It says 32.", "And in the table."):
        assert send(site, question, text=text).status_code == 200
    assert [row[5] for row in rows()] == ["It says 32.\n\nAnd in the table."]


REFUSED = [
    ({"reason": ""}, "Choose what it is."),
    ({"reason": "boring"}, "Choose one of the reasons on the list."),
    ({"reason": "other", "text": "  "}, "Say in a few words what it is, so that it can be mended."),
    ({"text": "x" * (MAX_WORDS + 1)}, "This has 2,001 characters; 2,000 is the most. It is still in the box"),
    ({"text": "It\0says"}, "The text holds a character that cannot be stored (NUL)."),
    ({"place": "elsewhere"}, "Select a valid choice."),
]


@pytest.mark.parametrize(("data", "words"), REFUSED)
@pytest.mark.parametrize("htmx", [True, False])
def test_a_form_that_is_refused_comes_back_with_what_was_typed(
    site: Client, question: Question, data: dict[str, str], words: str, htmx: bool
) -> None:
    reply = send(site, question, htmx=htmx, **data)
    page = page_of(reply)
    assert reply.status_code == 422
    assert words in page
    assert data.get("text", "It says 32.").strip().replace("\0", "\N{NULL}") in page
    assert '<details class="fold" open>' in page
    assert ("<h1" in page) is not htmx
    assert rows() == []


def test_two_thousand_characters_with_line_breaks_are_two_thousand(site: Client, question: Question) -> None:
    text = "\n".join(["x" * 99] * 20) + "y"
    assert send(site, question, text=text.replace("\n", "\r\n")).status_code == 200
    assert len(rows()[0][5]) == MAX_WORDS


def test_too_much_about_one_thing_is_refused_with_what_was_typed(
    site: Client, user: User, question: Question
) -> None:
    Flag.objects.filter(pk=made(question, user).pk).update(text="x" * (MAX_TEXT - 10))
    reply = send(site, question, text="One word more.")
    assert reply.status_code == 422
    assert "You have said a lot about this already." in page_of(reply)
    assert "One word more.</textarea>" in page_of(reply)


@pytest.mark.parametrize("status", [Status.DRAFT, Status.IN_REVIEW])
def test_what_nobody_can_have_been_asked_is_not_there(site: Client, question: Question, status: str) -> None:
    Question.objects.filter(pk=question.pk).update(status=status)
    assert send(site, question).status_code == 404
    assert site.post("/flags/versions/999999").status_code == 404
    assert site.post(f"/flags/versions/{10**30}").status_code == 404
    assert rows() == []


def test_an_older_text_and_a_retired_question_can_be_flagged(site: Client, question: Question) -> None:
    asked = question.current_version
    add_version(question)
    Question.objects.filter(pk=question.pk).update(status=Status.RETIRED)
    values = {"reason": "wrong", "text": "", "place": "result"}
    assert site.post(f"/flags/versions/{asked.pk}", values, headers=HTMX).status_code == 200
    assert [row[:2] for row in rows()] == [(question.pk, asked.pk)]


def test_too_often_is_refused_and_keeps_what_was_typed(
    site: Client, question: Question, settings: Any
) -> None:
    settings.RATE_LIMIT_BURST = settings.RATE_LIMIT_PER_MINUTE = 1
    assert send(site, question).status_code == 200
    assert send(site, question, text="Once more.").status_code == 429
    plain = send(site, question, htmx=False, text="Once more.")
    assert plain.status_code == 429
    assert "Once more.</textarea>" in plain.content.decode()
    assert [row[5] for row in rows()] == ["It says 32."]


# --- being told -----------------------------------------------------------------------------------


def news(client: Client, path: str = "/questions/") -> str:
    found = re.search(r'<aside class="messages".*?</aside>', page_of(client.get(path)))
    return re.sub(r"<[^>]+>", "", found[0]).strip() if found else ""


def test_word_of_an_answer_stands_on_every_page_until_it_is_read(
    site: Client, user: User, question: Question
) -> None:
    flag = made(question, user)
    assert news(site) == ""
    flag = answered(question, user)
    for path in ("/", "/questions/", "/history/", "/account/"):
        assert news(site, path) == "Your flag on “Title of bus-width” was answered. Read the answer"
    assert news(site, OWN) == ""
    # Looking is not yet reading: the page says so itself.
    assert news(site) != ""
    assert site.post("/flags/read", {"flag": flag.pk}, headers=HTMX).status_code == 204
    assert news(site) == ""
    assert Flag.objects.get().read_at == NOW


def test_word_of_several_answers(site: Client, user: User) -> None:
    questions = create_questions(3)
    for question in questions[:2]:
        answered(question, user)
    assert (
        news(site)
        == f"Your flags on “Title of {questions[0].slug}” and 1 other were answered. Read the answers"
    )
    answered(questions[2], user)
    assert news(site).startswith(f"Your flags on “Title of {questions[0].slug}” and 2 others were answered.")


def test_nobody_else_is_told(user: User, question: Question) -> None:
    answered(question, user)
    other = Client()
    other.force_login(UserFactory())
    assert news(other) == news(Client()) == ""


def test_a_guest_is_told_in_their_session(question: Question) -> None:
    browser = Client()
    answered(question, be_guest(browser))
    assert news(browser) == "Your flag on “Title of bus-width” was answered. Read the answer"
    assert "It says 64 now." in browser.get(OWN).content.decode()


def test_word_of_an_answer_costs_one_query_and_nothing_without(
    site: Client, user: User, question: Question, django_assert_num_queries: Any
) -> None:
    path = reverse("bank:question-detail", args=[question.slug])
    site.get(path)
    with django_assert_num_queries(3):  # session, person, question
        site.get(path)
    made(question, user)
    with django_assert_num_queries(3):
        site.get(path)
    answered(question, user, reason=FlagReason.UNCLEAR)
    with django_assert_num_queries(4):  # and the titles
        site.get(path)


# --- ones own flags -------------------------------------------------------------------------------


def test_ones_flags_with_their_answers(site: Client, user: User, question: Question) -> None:
    answered(question, user, answer="It says 64 now.\nThank you.")
    made(question, user, "Which table?", FlagReason.UNCLEAR)
    made(question, UserFactory(), "Somebody else's.")
    page = page_of(site.get(OWN))
    assert f'<a href="/questions/{question.slug}/">Title of bus-width</a>' in page
    for words in (
        "Something is wrong",
        "It says 32.",
        "It says 64 now.",
        '<span class="chip met">Mended</span>',
        "It is unclear",
        "Which table?",
        "Nobody has answered yet.",
        "flagged 18 Nov 2026, 09:00",
        "19 Nov 2026, 09:00",
    ):
        assert words in page
    assert "Somebody else's." not in page
    assert page.count('<span class="chip partly">New</span>') == 1


def test_nothing_flagged_yet(site: Client) -> None:
    assert "You have flagged nothing." in page_of(site.get(OWN))


def test_a_retired_question_is_named_without_a_link(site: Client, user: User, question: Question) -> None:
    made(question, user)
    Question.objects.filter(pk=question.pk).update(status=Status.RETIRED)
    page = page_of(site.get(OWN))
    assert "<h2>Title of bus-width</h2>" in page


def test_the_text_of_a_flag_is_no_markup(site: Client, user: User, question: Question) -> None:
    answered(question, user, text="<b>32</b>", answer="<script>64</script>")
    page = page_of(site.get(OWN))
    assert "&lt;b&gt;32&lt;/b&gt;" in page
    assert "&lt;script&gt;64&lt;/script&gt;" in page


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_costs_the_same_for_any_number(
    site: Client, user: User, count: int, django_assert_num_queries: Any
) -> None:
    for question in create_questions(count):
        answered(question, user)
    with django_assert_num_queries(4):  # session, person, flags, what is closed
        site.get(OWN)


def test_twenty_stand_on_a_page(site: Client, user: User) -> None:
    for question in create_questions(21):
        made(question, user)
    first = site.get(OWN)
    assert len(first.context["flags"]) == 20
    address = re.search(r'rel="next" href="([^"]+)"', first.content.decode())
    assert address
    assert len(site.get(address[1]).context["flags"]) == 1


@pytest.mark.parametrize("htmx", [True, False])
def test_reading_is_noted_of_ones_own_answers_only(
    site: Client, user: User, question: Question, htmx: bool
) -> None:
    mine, theirs = answered(question, user), answered(question, UserFactory())
    data = {"flag": [mine.pk, theirs.pk, "x", "", 10**30, "٣"]}
    reply = site.post("/flags/read", data, headers=HTMX if htmx else {})
    assert reply.status_code == (204 if htmx else 302)
    assert list(Flag.objects.filter(read_at__isnull=False)) == [mine]


def test_the_page_of_flags_is_of_somebody() -> None:
    assert Client().get(OWN).status_code == 302
