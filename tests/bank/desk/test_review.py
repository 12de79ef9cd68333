"""From finished draft to version: handed in, taken back, published or returned, by the right people only."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.actions import open_draft, save_draft, submit_draft
from prepapp.bank.choices import Change, DraftState, Event, Status
from prepapp.bank.models import CurationEvent, Draft, Question
from tests.factories.bank import QuestionFactory
from tests.factories.curation import EDITED_AT, curator, draft, finished_document, reviewer

pytestmark = pytest.mark.django_db


def address(name: str, question_id: int) -> str:
    return reverse(f"desk:question-{name}", args=[question_id])


def body(reply: Any) -> str:
    text: str = reply.content.decode()
    return text


def handed_in(by: User, **changes: Any) -> Draft:
    made = draft(by=by, **changes)
    return submit_draft(question_id=made.question_id, revision=1, by=by, now=EDITED_AT)


def test_a_finished_draft_is_handed_in(desk: Client, writer: User) -> None:
    made = draft(by=writer)
    page = desk.get(address("submit", made.question_id))
    assert (page.context["failing"], page.context["alike"]) == ([], [])
    reply = desk.post(address("submit", made.question_id), {"revision": 1})
    assert reply.url == address("detail", made.question_id)
    assert Draft.objects.get().state == DraftState.IN_REVIEW
    assert desk.get(address("submit", made.question_id)).url == address("detail", made.question_id)


def test_an_unfinished_one_says_what_is_to_be_mended(desk: Client) -> None:
    made = draft(rubric=[])
    page = desk.get(address("submit", made.question_id))
    assert "Hand in for review</button>" not in body(page)
    reply = desk.post(address("submit", made.question_id), {"revision": 1})
    assert reply.status_code == 409
    assert [found.field for found in reply.context["failing"]] == ["rubric"] * len(reply.context["failing"])
    assert Draft.objects.get().state == DraftState.WORKING


@pytest.mark.parametrize("revision", ["", "x", "7", "9" * 30])
def test_only_the_revision_that_was_read_is_handed_in(desk: Client, revision: str) -> None:
    made = draft()
    assert desk.post(address("submit", made.question_id), {"revision": revision}).status_code in {409, 422}
    assert Draft.objects.get().state == DraftState.WORKING


def sent_again(reply: Any) -> dict[str, str]:
    """What the next press of the same form sends."""
    form = reply.context["form"]
    return {name: str(form[name].value() or "") for name in form.fields}


def test_after_a_save_of_somebody_else_the_next_press_is_about_the_text_that_is_shown(
    desk: Client, second: Client
) -> None:
    made = draft()
    save_draft(
        question_id=made.question_id,
        document={**made.document, "title": "Saved meanwhile"},
        revision=1,
        by=curator(),
        now=EDITED_AT,
    )
    refused = desk.post(address("submit", made.question_id), {"revision": 1})
    assert refused.status_code == 409
    assert desk.post(address("submit", made.question_id), sent_again(refused)).status_code == 302

    refused = second.post(address("publish", made.question_id), {"revision": 1})
    assert (refused.status_code, "Saved meanwhile" in body(refused)) == (409, True)
    assert second.post(address("publish", made.question_id), sent_again(refused)).status_code == 302
    assert Question.objects.get().current_version.title == "Saved meanwhile"


def test_a_reviewer_is_told_that_publishing_takes_a_retired_question_up_again(
    second: Client, published: Question
) -> None:
    change(published, curator(), title="Other words")
    told = "This question is retired. Publishing takes it up again."
    assert told not in body(second.get(address("review", published.pk)))
    second.post(address("retire", published.pk))
    assert told in body(second.get(address("review", published.pk)))


def test_a_near_duplicate_is_handed_in_only_with_a_reason(desk: Client) -> None:
    document = finished_document()
    other = QuestionFactory(
        version__prompt=document["prompt"], version__model_answer=document["model_answer"]
    )
    made = draft()
    page = desk.get(address("submit", made.question_id))
    assert [(pair.question_id, pair.severity) for pair in page.context["alike"]] == [(other.pk, "F")]

    refused = desk.post(address("submit", made.question_id), {"revision": 1, "reason": "  "})
    assert refused.status_code == 422
    assert "This nearly repeats another question." in body(refused)
    assert Draft.objects.get().state == DraftState.WORKING

    desk.post(address("submit", made.question_id), {"revision": 1, "reason": "One asks juniors."})
    line = CurationEvent.objects.get(event=Event.SUBMITTED)
    assert (Draft.objects.get().state, line.note) == (DraftState.IN_REVIEW, "One asks juniors.")


def test_a_draft_is_taken_back(desk: Client, writer: User) -> None:
    made = handed_in(writer)
    assert desk.post(address("withdraw", made.question_id)).url == address("edit", made.question_id)
    assert Draft.objects.get().state == DraftState.WORKING
    assert desk.post(address("withdraw", made.question_id)).url == address("detail", made.question_id)


def test_a_reviewer_publishes_what_somebody_else_wrote(second: Client, reader: User, writer: User) -> None:
    made = handed_in(writer)
    page = second.get(address("review", made.question_id))
    assert (page.context["is_first"], page.context["is_own"]) == (True, False)
    assert "Did the meaning change?" not in body(page)

    reply = second.post(address("publish", made.question_id), {"revision": 1, "note": ""})

    assert reply.url == address("detail", made.question_id)
    question = Question.objects.get()
    assert (question.status, question.current_version.published_by) == (Status.PUBLISHED, reader)
    # Somebody else was quicker.
    gone = second.post(address("publish", made.question_id), {"revision": 1, "note": ""})
    assert gone.url == address("detail", made.question_id)


def test_nobody_publishes_their_own_work(second: Client, reader: User) -> None:
    made = handed_in(reader)
    page = second.get(address("review", made.question_id))
    assert "You had a hand in this draft" in body(page)
    assert address("publish", made.question_id) not in body(page)
    reply = second.post(address("publish", made.question_id), {"revision": 1})
    assert reply.status_code == 409
    assert Question.objects.get().current_version is None


def test_a_curator_reads_a_review_and_cannot_publish(desk: Client, reader: User) -> None:
    made = handed_in(reader)
    assert address("publish", made.question_id) not in body(desk.get(address("review", made.question_id)))
    for name in ("publish", "return", "retire", "restore"):
        assert desk.post(address(name, made.question_id), {"revision": 1, "note": "x"}).status_code == 403
    assert Draft.objects.get().state == DraftState.IN_REVIEW


@pytest.fixture
def published(writer: User, second: Client) -> Question:
    made = handed_in(writer)
    second.post(address("publish", made.question_id), {"revision": 1})
    return Question.objects.get()


def change(question: Question, by: User, **changes: Any) -> None:
    made = open_draft(question_id=question.pk, by=by, now=EDITED_AT)
    document = {**made.document, **changes}
    saved = save_draft(
        question_id=question.pk, document=document, revision=made.revision, by=by, now=EDITED_AT
    )
    submit_draft(question_id=question.pk, revision=saved.revision, by=by, now=EDITED_AT)


@pytest.mark.parametrize(
    ("changes", "label", "suggested"),
    [
        ({"title": "Other words"}, "Title", Change.MINOR),
        ({"context": "Somebody was with you."}, "Context", Change.MAJOR),
    ],
)
def test_the_review_shows_what_changes_and_suggests_what_it_means(
    second: Client, published: Question, changes: dict[str, str], label: str, suggested: Change
) -> None:
    change(published, curator(), **changes)
    page = second.get(address("review", published.pk))
    assert [found.label for found in page.context["changes"]] == [label]
    assert page.context["form"].initial["change"] == suggested
    revision = page.context["form"].initial["revision"]
    data = {"revision": revision, "change": suggested, "note": "Because."}
    assert second.post(address("publish", published.pk), data).status_code == 302
    version = Question.objects.get().current_version
    assert (version.number, version.change, version.change_note) == (2, suggested, "Because.")


def test_a_reviewer_says_whether_the_meaning_changed(second: Client, published: Question) -> None:
    change(published, curator(), title="Other words")
    reply = second.post(address("publish", published.pk), {"revision": 3, "note": "Kept text."})
    assert reply.status_code == 422
    assert "Say whether the meaning changed." in body(reply)
    assert "Kept text." in body(reply)
    assert Question.objects.get().current_version.number == 1


def test_a_draft_is_returned_with_a_note_that_its_writer_finds(
    desk: Client, second: Client, writer: User
) -> None:
    made = handed_in(writer)
    empty = second.post(address("return", made.question_id), {"note": " "})
    assert (empty.status_code, Draft.objects.get().state) == (422, DraftState.IN_REVIEW)

    reply = second.post(address("return", made.question_id), {"note": "Say <b>why</b>."})

    assert reply.url == reverse("desk:home")
    home = desk.get(reverse("desk:home"))
    assert [found.review_note for found in home.context["desk"].returned.rows] == ["Say <b>why</b>."]
    assert "Say &lt;b&gt;why&lt;/b&gt;." in body(desk.get(address("edit", made.question_id)))
    again = second.post(address("return", made.question_id), {"note": "Twice."})
    assert (again.status_code, "Twice." in body(again)) == (409, True)


def test_the_review_costs_the_same_queries_for_one_point_and_for_many(
    desk: Client, django_assert_num_queries: Any
) -> None:
    small = draft(slug="small", rubric=[], followups=[], by=reviewer())
    large = draft(slug="large", by=reviewer())
    desk.get(address("review", small.question_id))
    for made in (small, large):
        with django_assert_num_queries(6):
            desk.get(address("review", made.question_id))
        with django_assert_num_queries(5):
            desk.get(address("submit", made.question_id))
