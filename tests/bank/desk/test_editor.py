"""Writing a question: every exit of the form, nothing typed is lost, and checking writes nothing."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.actions import create_question, delete_question, save_draft, submit_draft
from prepapp.bank.forms.document_form import data_of
from prepapp.bank.models import CurationEvent, Draft, DraftRevision, Question
from tests.factories.bank import QuestionFactory
from tests.factories.curation import EDITED_AT, curator, draft, finished_document

pytestmark = pytest.mark.django_db
NEW = reverse("desk:question-new")


def address(name: str, made: Draft | Question) -> str:
    pk = made.question_id if isinstance(made, Draft) else made.pk
    return reverse(f"desk:question-{name}", args=[pk])


def typed(made: Draft, **changes: str) -> dict[str, str]:
    return {**data_of(made.document), "revision": str(made.revision), **changes}


def body(reply: Any) -> str:
    text: str = reply.content.decode()
    return text


def test_a_question_is_written_from_nothing_and_owned_by_who_wrote_it(desk: Client, writer: User) -> None:
    document = finished_document()
    assert desk.get(NEW).status_code == 200

    reply = desk.post(NEW, {**data_of(document), "act": "save"})

    made = Draft.objects.get()
    assert (reply.status_code, reply.url) == (302, address("edit", made))
    assert made.document == {key: value for key, value in document.items() if value not in ("", [])}
    assert (made.question.owner, made.question.slug) == (writer, "a-question-of-ours")


def test_a_question_needs_a_title_and_a_slug_of_its_own(desk: Client) -> None:
    draft(slug="taken")
    for data, message in (
        ({"prompt": "Why?"}, "Write a title; it may change later."),
        ({"title": "A", "slug": "taken", "prompt": "Why?"}, "Another question already has the slug"),
    ):
        reply = desk.post(NEW, data)
        assert reply.status_code == 422
        assert message in body(reply)
        assert "Why?</textarea>" in body(reply)
    assert Question.objects.count() == 1


@pytest.mark.parametrize("slug", ["", "of-my-own"])
def test_a_form_that_is_sent_twice_makes_one_question(desk: Client, slug: str) -> None:
    key = desk.get(NEW).context["key"]
    data = {"title": "Why it waits", "slug": slug, "prompt": "Why?", "key": key}
    first, again = desk.post(NEW, data), desk.post(NEW, data)
    assert (first.status_code, again.status_code, again.url) == (302, 302, first.url)
    made = Draft.objects.get()
    assert (made.revision, "key" in made.document, CurationEvent.objects.count()) == (1, False, 1)

    # What was written after going back to that page is another text, and not lost.
    desk.post(NEW, {**data, "slug": "", "prompt": "Why then?"})
    assert sorted(Draft.objects.values_list("document__prompt", flat=True)) == ["Why then?", "Why?"]


def test_the_key_of_a_form_leads_to_nobody_elses_question(desk: Client) -> None:
    key = "0123456789abcdef" * 2
    theirs = create_question(document={"title": "A"}, by=curator(), now=EDITED_AT, key=key)
    reply = desk.post(NEW, {"title": "A", "key": key})
    assert reply.status_code == 302
    assert reply.url != address("edit", theirs)
    assert desk.post(NEW, {"title": "", "key": key}).context["key"] == key


def test_what_is_shown_and_sent_back_unchanged_is_no_new_revision(desk: Client) -> None:
    made = draft(own_key={"kept": [1]}, prompt="  Blanks stay \n")
    page = desk.get(address("edit", made)).context
    assert page["form"].boxes["prompt"].value == "  Blanks stay \n"
    desk.post(address("edit", made), typed(made))
    assert list(Draft.objects.values_list("revision", "document")) == [(1, made.document)]


def test_a_save_writes_the_next_revision_and_keeps_what_the_form_does_not_show(desk: Client) -> None:
    made = draft(own_key=1)
    reply = desk.post(address("edit", made), typed(made, title="Changed"))
    assert (reply.status_code, reply.url) == (302, address("edit", made))
    assert Draft.objects.get().document == {**made.document, "title": "Changed"}
    assert Draft.objects.get().revision == 2


def test_what_was_typed_into_a_question_that_somebody_deleted_becomes_a_new_one(desk: Client) -> None:
    made = draft(by=curator())
    data = typed(made, title="Mine", slug="")
    delete_question(question_id=made.question_id, revision=1, by=curator(), now=EDITED_AT)

    reply = desk.post(address("edit", made), data)

    assert (reply.status_code, f'action="{NEW}"' in body(reply)) == (409, True)
    assert "was deleted while you were writing" in body(reply)
    page = reply.context["form"]
    assert (page.boxes["title"].value, page.lists["rubric"].filled) == ("Mine", len(made.document["rubric"]))
    assert desk.post(NEW, data).status_code == 302
    assert Draft.objects.get().document["rubric"] == made.document["rubric"]
    assert desk.post(address("edit", made), {"revision": "1"}).status_code == 404


def test_save_and_hand_in_leads_to_handing_in(desk: Client) -> None:
    made = draft()
    reply = desk.post(address("edit", made), typed(made, title="Changed", act="submit"))
    assert reply.url == address("submit", made)


def test_a_number_that_is_none_is_said_beside_its_field_and_nothing_is_saved(desk: Client) -> None:
    made = draft()
    reply = desk.post(address("edit", made), typed(made, minutes="five", title="Typed"))
    assert reply.status_code == 422
    box = reply.context["form"].boxes["minutes"]
    assert (box.value, box.error) == (
        "five",
        "“five” is not a whole number from 0 to 999; write one, such as 5.",
    )
    assert reply.context["form"].boxes["title"].value == "Typed"
    assert 'aria-invalid="true"' in body(reply)
    assert Draft.objects.get().revision == 1


def test_a_topic_that_is_not_offered_is_refused(desk: Client) -> None:
    made = draft()
    reply = desk.post(address("edit", made), typed(made, topic="no.where"))
    assert (reply.status_code, reply.context["form"].boxes["topic"].is_unlisted) == (422, True)


def test_a_draft_in_review_is_read_not_edited(desk: Client, writer: User) -> None:
    made = draft(by=writer)
    submit_draft(question_id=made.question_id, revision=1, by=writer, now=EDITED_AT)
    assert desk.get(address("edit", made)).url == address("detail", made)
    reply = desk.post(address("edit", made), typed(made, title="Late words"))
    assert reply.status_code == 409
    assert "This draft is in review. Take it back to change it. What you typed is still here." in body(reply)
    assert 'value="Late words"' in body(reply)


def test_a_draft_that_is_gone_is_told_with_what_was_typed(desk: Client) -> None:
    question = QuestionFactory()
    assert desk.get(address("edit", question)).url == address("detail", question)
    reply = desk.post(address("edit", question), {"title": "Typed", "revision": "1"})
    assert reply.status_code == 409
    assert 'value="Typed"' in body(reply)


def test_opening_a_draft_makes_one_of_the_published_text(desk: Client) -> None:
    question = QuestionFactory()
    reply = desk.post(address("open", question))
    assert reply.url == address("edit", question)
    assert Draft.objects.get().document["title"] == question.current_version.title
    assert desk.get(reply.url).status_code == 200


def test_the_category_of_a_file_is_a_hint_for_the_topic(desk: Client) -> None:
    made = draft(topic="", category=["Interview", "Caches <b>"])
    assert "under <strong>Interview / Caches &lt;b&gt;</strong>" in body(desk.get(address("edit", made)))


# --- while writing ---


def counted() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Question, Draft, DraftRevision, CurationEvent))


@pytest.mark.parametrize("htmx", [False, True])
def test_a_check_says_what_the_lint_says_beside_the_field_and_writes_nothing(
    desk: Client, htmx: bool
) -> None:
    made = draft()
    before = counted()
    data = typed(made, **{"rubric-0-weight": "9", "prompt": "Too short **now**.", "minutes": "x"})
    headers = {"HX-Request": "true"} if htmx else {}
    reply = desk.post(address("check", made), data, headers=headers)

    assert reply.status_code == 200
    said = reply.context["said"]
    assert "is 9; use 1, 2 or 3" in [found.message for found in said.findings["rubric-0-weight"]]
    assert "has 3 words; write at least 20" in [found.message for found in said.findings["prompt"]]
    assert said.measures["prompt"] == "3 words of 20 to 90"
    assert said.measures["rubric"].startswith("weights ")
    assert "Too short <strong>now</strong>." in body(reply)
    assert "“x” is not a whole number" in body(reply)
    assert ("<html" in body(reply)) is not htmx
    assert counted() == before
    assert Draft.objects.get().document == made.document


def test_a_new_question_is_checked_before_it_is_one(desk: Client) -> None:
    reply = desk.post(reverse("desk:question-new-check"), {"title": "A", "minutes": "5", "kind": "concept"})
    assert reply.context["said"].measures["minutes"] == "concept takes 4-6"
    assert counted() == (0, 0, 0, 0)


class Powers(HTMLParser):
    """Every tag that acts, and every attribute that may, with where an address leads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str, str]] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "img", "svg", "iframe", "form", "style", "object", "embed", "base", "link"}:
            self.found.add((tag, "", ""))
        for name, value in attributes:
            if name.startswith(("on", "hx-", "data-hx", "_", "style", "srcdoc")):
                self.found.add((tag, name, ""))
            if name in {"href", "src", "action"} and not (value or "").startswith(("/", "#", "?")):
                self.found.add((tag, name, value or ""))


def powers(page: str) -> set[tuple[str, str, str]]:
    parser = Powers()
    parser.feed(page)
    return parser.found


def test_hostile_markdown_is_shown_as_text(desk: Client, writer: User) -> None:
    """CUR-07."""
    hostile = (settings.BASE_DIR / "tests" / "data" / "f18_hostile.md").read_text()
    made = draft(prompt=hostile, title="<script>alert(1)</script>")
    document = {**made.document, "deeper": hostile, "pitfalls": [hostile], "weights_note": hostile}
    save_draft(question_id=made.question_id, document=document, revision=1, by=writer, now=EDITED_AT)
    revision = reverse("desk:question-revision", args=[made.question_id, 2])
    # What the same pages hold without any of it.
    plain = draft(slug="plain")
    pages = [
        (address(name, made), address(name, plain)) for name in ("edit", "review", "try", "detail", "alike")
    ]
    pages.append((revision, reverse("desk:question-revision", args=[plain.question_id, 1])))
    for bad, good in pages:
        assert powers(body(desk.get(bad))) <= powers(body(desk.get(good))) | {
            ("a", "href", "https://example.test/ok")
        }, bad
    page = body(desk.get(address("edit", made)))
    assert "&lt;script&gt;alert(&quot;this stays visible as text&quot;)&lt;/script&gt;" in page


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"rubric": None, "followups": "x", "code": 3, "pitfalls": None, "review": None, "tags": "a"},
        {"rubric": ["only text", None, {}], "references": [None, {"url": "javascript:x"}], "minutes": "six"},
        {
            "followups": [{"id": "f1"}, None],
            "difficulty": [],
            "code": {"solution": "x"},
            "prompt": "x" * 30_000,
        },
    ],
)
def test_an_unfinished_document_is_shown_everywhere(desk: Client, broken: dict[str, Any]) -> None:
    made = draft()
    Draft.objects.update(document=broken)
    DraftRevision.objects.update(document=broken)
    for name in ("edit", "try", "review", "submit", "detail", "alike", "discard"):
        assert desk.get(address(name, made)).status_code == 200, name
    assert desk.get(reverse("desk:question-revision", args=[made.question_id, 1])).status_code == 200
    assert desk.post(address("check", made), {"revision": "1"}).status_code == 200
    assert desk.post(address("try", made), {"text": "x"}).status_code == 200


def test_a_page_costs_the_same_queries_for_one_point_and_for_many(
    desk: Client, django_assert_num_queries: Any
) -> None:
    small = draft(slug="small", rubric=[], followups=[], by=curator())
    large = draft(slug="large", by=curator())
    for made in (small, large):
        with django_assert_num_queries(5):
            desk.get(address("edit", made))
        with django_assert_num_queries(6):
            desk.post(address("check", made), typed(made), headers={"HX-Request": "true"})


def test_what_acts_would_be_seen() -> None:
    assert powers("<p>x</p><a href='/desk/'>y</a>") == set()
    assert powers('<img src="x" onerror="y()"><a href="javascript:z()" hx-get="/">w</a>') == {
        ("img", "", ""),
        ("img", "onerror", ""),
        ("img", "src", "x"),
        ("a", "href", "javascript:z()"),
        ("a", "hx-get", ""),
    }


def test_every_finding_leads_to_its_place(desk: Client) -> None:
    made = draft(pitfalls=[], rubric=[{"id": "r1"}], references=[{"title": "x"}], followups=["x"])
    broken = {**made.document, "kind": "coding", "difficulty": None, "review": 3}
    Draft.objects.update(document=broken)
    page = body(desk.get(address("edit", made)))
    places = set(re.findall(r'href="#(f-[^"]+)"', page))
    assert {"f-code", "f-difficulty", "f-review", "f-rubric-0-weight"} <= places
    assert [place for place in sorted(places) if page.count(f'id="{place}"') != 1] == []
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
