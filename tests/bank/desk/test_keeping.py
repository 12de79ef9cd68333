"""One question at the desk, its history, and the desk itself."""

from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.bank.actions import open_draft, return_draft, save_draft, submit_draft
from prepapp.bank.choices import Event, Status
from prepapp.bank.models import CurationEvent, Draft, DraftRevision, Question
from tests.factories.bank import QuestionFactory, add_version
from tests.factories.curation import EDITED_AT, curator, draft, reviewer

pytestmark = pytest.mark.django_db
HOME = reverse("desk:home")


def address(name: str, question_id: int, *more: int) -> str:
    return reverse(f"desk:question-{name}", args=[question_id, *more])


def body(reply: Any) -> str:
    text: str = reply.content.decode()
    return text


def test_the_history_says_who_did_what(desk: Client, writer: User) -> None:
    made = draft(by=writer)
    document = {**made.document, "title": "Changed <i>"}
    save_draft(question_id=made.question_id, document=document, revision=1, by=writer, now=EDITED_AT)
    page = desk.get(address("detail", made.question_id))
    assert [(line.event, line.actor) for line in page.context["log"]] == [
        (Event.EDITED, writer),
        (Event.CREATED, writer),
    ]
    assert [row.revision for row in page.context["revisions"]] == [2, 1]
    revision = desk.get(address("revision", made.question_id, 2))
    assert [(found.label, found.new) for found in revision.context["changes"]] == [("Title", "Changed <i>")]
    assert "&lt;i&gt;" in body(revision)
    assert desk.get(address("revision", made.question_id, 3)).status_code == 404


def test_versions_are_compared_with_the_one_before(desk: Client) -> None:
    question = QuestionFactory()
    add_version(question, title="Other words")
    labels = [found.label for found in desk.get(address("version", question.pk, 2)).context["changes"]]
    assert "Title" in labels
    assert desk.get(address("version", question.pk, 1)).context["is_first"] is True
    assert desk.get(address("version", question.pk, 9)).status_code == 404


def test_a_log_line_outlives_its_person(desk: Client) -> None:
    gone = curator()
    made = draft(by=gone)
    Draft.objects.get().editors.clear()
    gone.delete()
    assert desk.get(address("detail", made.question_id)).status_code == 200


def test_a_draft_of_a_published_question_is_discarded_and_its_text_can_be_found(
    desk: Client, writer: User
) -> None:
    question = QuestionFactory()
    made = open_draft(question_id=question.pk, by=writer, now=EDITED_AT)
    assert "Discard this draft" in body(desk.get(address("discard", question.pk)))
    stale = desk.post(address("discard", question.pk), {"revision": made.revision + 1})
    assert (stale.status_code, Draft.objects.count()) == (409, 1)
    reply = desk.post(address("discard", question.pk), {"revision": made.revision})
    assert reply.url == address("detail", question.pk)
    assert (Draft.objects.count(), DraftRevision.objects.count()) == (0, 1)


def test_a_question_that_was_never_published_is_deleted(desk: Client) -> None:
    made = draft()
    assert "Delete this question" in body(desk.get(address("discard", made.question_id)))
    assert desk.post(address("discard", made.question_id), {"revision": 1}).url == HOME
    assert Question.objects.count() == 0
    assert desk.get(address("detail", made.question_id)).status_code == 404


def test_a_reviewer_retires_and_restores(second: Client) -> None:
    question = QuestionFactory()
    for name, status in (("retire", Status.RETIRED), ("restore", Status.PUBLISHED)):
        assert second.post(address(name, question.pk), {"note": "Seen."}).status_code == 302
        assert Question.objects.get().status == status
    assert list(CurationEvent.objects.order_by("pk").values_list("event", "note")) == [
        (Event.RETIRED, "Seen."),
        (Event.RESTORED, "Seen."),
    ]
    again = second.post(address("restore", question.pk))
    assert (again.status_code, "Only a retired question" in body(again)) == (409, True)


@pytest.mark.parametrize(("name", "status"), [("retire", Status.PUBLISHED), ("restore", Status.RETIRED)])
def test_a_reason_that_is_too_long_is_not_left_out_in_silence(
    second: Client, name: str, status: Status
) -> None:
    question = QuestionFactory(status=status)
    reply = second.post(address(name, question.pk), {"note": "Seen. " * 100})
    assert (reply.status_code, Question.objects.get().status) == (422, status)
    assert "at most 500 characters" in body(reply)
    assert "Seen. Seen." in body(reply)


def test_facts_are_confirmed_today(desk: Client) -> None:
    question = QuestionFactory(version__reviewed_date=date(2025, 1, 1))
    desk.post(address("checked", question.pk))
    question.current_version.refresh_from_db()
    assert question.current_version.reviewed_date == date(2026, 11, 20)
    made = draft()
    assert desk.post(address("checked", made.question_id)).status_code == 409


def test_an_owner_is_given_and_taken(desk: Client, writer: User) -> None:
    question = QuestionFactory()
    desk.post(address("owner", question.pk), {"owner": str(writer.pk)})
    assert Question.objects.get().owner == writer
    for wrong in ("x", "00000000-0000-0000-0000-000000000001"):
        assert desk.post(address("owner", question.pk), {"owner": wrong}).status_code == 422
    desk.post(address("owner", question.pk), {"owner": ""})
    assert Question.objects.get().owner is None


def test_a_try_stores_nothing_and_shows_the_rubric_after_the_answer(desk: Client) -> None:
    made = draft()
    criterion = made.document["rubric"][0]["criterion"]
    before = CurationEvent.objects.count(), DraftRevision.objects.count()
    asked = desk.get(address("try", made.question_id))
    assert criterion not in body(asked)
    graded = desk.post(address("try", made.question_id), {"text": "One <b>eighth</b>."})
    assert criterion in body(graded)
    assert "One &lt;b&gt;eighth&lt;/b&gt;." in body(graded)
    assert (CurationEvent.objects.count(), DraftRevision.objects.count()) == before
    too_long = desk.post(address("try", made.question_id), {"text": "x" * 200_000})
    assert too_long.status_code == 422


def test_a_published_question_is_tried_and_compared_without_a_draft(desk: Client) -> None:
    question, twin = QuestionFactory(), QuestionFactory()
    add_version(question, prompt=PROMPT, model_answer=PROMPT)
    add_version(twin, prompt=PROMPT, model_answer=PROMPT)
    assert PROMPT in body(desk.get(address("try", question.pk)))
    page = desk.get(address("alike", question.pk))
    assert [pair.question_id for pair in page.context["alike"]] == [twin.pk]
    part = body(desk.get(address("alike", question.pk), headers={"HX-Request": "true"}))
    assert address("detail", twin.pk) in part
    assert "<html" not in part


PROMPT = (
    "A queue grows each Monday morning in front of one worker. Say why, and what you would measure first."
)


def test_the_desk_lists_what_there_is_to_do(desk: Client, writer: User) -> None:
    own = draft(slug="own", by=writer, title="Own")
    returned = draft(slug="returned", by=writer, title="Returned")
    waiting = draft(slug="waiting", by=curator(), title="Waiting")
    draft(slug="other", by=curator(), title="Other")
    for made in (returned, waiting):
        submit_draft(question_id=made.question_id, revision=1, by=made.edited_by, now=EDITED_AT)
    return_draft(question_id=returned.question_id, note="Mend.", by=reviewer(), now=EDITED_AT)
    past = QuestionFactory(version__reviewed_date=date(2025, 11, 1), version__recheck_months=12, owner=writer)
    soon = QuestionFactory(version__reviewed_date=date(2026, 6, 10), version__recheck_months=6, owner=writer)
    QuestionFactory(version__reviewed_date=date(2026, 6, 10), version__recheck_months=12, owner=writer)
    QuestionFactory(status=Status.RETIRED, version__reviewed_date=date(2020, 1, 1))
    free = QuestionFactory(version__reviewed_date=date(2026, 11, 1))

    page = desk.get(HOME)

    found = page.context["desk"]
    assert [row.title for row in found.mine.rows] == [own.title]
    assert [row.title for row in found.returned.rows] == [returned.title]
    assert [row.title for row in found.in_review.rows] == [waiting.title]
    assert [(due.question, due.on, due.is_past) for due in found.due.rows] == [
        (past, date(2026, 11, 1), True),
        (soon, date(2026, 12, 10), False),
    ]
    assert list(found.unowned.rows) == [free]
    assert reverse("flags:flag-queue") in body(page)


def test_of_many_facts_to_check_the_longest_overdue_are_shown(desk: Client, writer: User) -> None:
    # Checked last, and yet due first: its facts hold for a month.
    for _ in range(20):
        QuestionFactory(version__reviewed_date=date(2025, 11, 1), version__recheck_months=12, owner=writer)
    first = QuestionFactory(version__reviewed_date=date(2026, 9, 1), version__recheck_months=1, owner=writer)
    due = desk.get(HOME).context["desk"].due
    assert (due.rows[0].question, due.rows[0].on, len(due.rows), due.count) == (
        first,
        date(2026, 10, 1),
        20,
        21,
    )


def test_the_desk_costs_the_same_queries_for_little_and_for_much(
    desk: Client, writer: User, django_assert_num_queries: Any
) -> None:
    for number in (1, 25):
        for index in range(number):
            draft(slug=f"own-{number}-{index}", by=writer)
            QuestionFactory(version__reviewed_date=date(2025, 11, 1))
        with django_assert_num_queries(12):
            page = desk.get(HOME)
    assert (len(page.context["desk"].mine.rows), page.context["desk"].mine.count) == (20, 26)


def test_a_question_costs_the_same_queries_for_a_short_and_a_long_history(
    desk: Client, writer: User, django_assert_num_queries: Any
) -> None:
    made = draft(by=writer)
    for revision in range(1, 4):
        with django_assert_num_queries(7):
            desk.get(address("detail", made.question_id))
        made = save_draft(
            question_id=made.question_id,
            document={**made.document, "title": f"T{revision}"},
            revision=revision,
            by=writer,
            now=EDITED_AT,
        )


def test_the_desk_is_in_the_menu_of_those_who_may_enter(desk: Client, client: Client) -> None:
    assert f'href="{HOME}"' in body(desk.get("/"))
    assert f'href="{HOME}"' not in body(client.get("/"))


def test_a_question_page_leads_curators_to_the_desk(desk: Client, client: Client) -> None:
    question = QuestionFactory()
    page = reverse("bank:question-detail", args=[question.slug])
    assert address("detail", question.pk) in body(desk.get(page))
    assert address("detail", question.pk) not in body(client.get(page))
