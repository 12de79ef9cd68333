"""CUR-01 on screen: of two people, or two tabs, the second is told, sees both texts and loses nothing."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.bank.actions import submit_draft
from prepapp.bank.forms.document_form import data_of
from prepapp.bank.models import Draft
from prepapp.bank.views.merging import disagreements
from tests.factories.curation import EDITED_AT, draft

pytestmark = pytest.mark.django_db


def edit(made: Draft) -> str:
    return reverse("desk:question-edit", args=[made.question_id])


def merge(made: Draft) -> str:
    return reverse("desk:question-merge", args=[made.question_id])


def typed(document: dict[str, Any], **changes: str) -> dict[str, str]:
    return {**data_of(document), "revision": "1", **changes}


@pytest.fixture
def conflict(desk: Client, second: Client) -> tuple[Draft, dict[str, str], Any]:
    """ada changed title and minutes in revision 2; bo, in his old form, the title and the prompt."""
    made = draft(title="Old", minutes=8)
    desk.post(edit(made), typed(made.document, title="Ada's", minutes="9"))
    mine = typed(made.document, title="Bo's", prompt="Bo's prompt")
    return made, mine, second.post(edit(made), mine)


def test_the_second_save_is_stopped_and_shows_both_texts(conflict: tuple[Draft, dict[str, str], Any]) -> None:
    made, _, reply = conflict
    page = reply.content.decode()
    assert reply.status_code == 409
    assert "ada@example.test saved this draft while you were writing" in page
    shown = {
        entry.key: (entry.changes[0].old, entry.changes[0].new, entry.proposed)
        for entry in reply.context["disagreements"]
    }
    assert shown == {
        "title": ("Ada's", "Bo's", "mine"),
        "minutes": ("9", "8", "theirs"),
        "prompt": (made.document["prompt"], "Bo's prompt", "mine"),
    }
    assert Draft.objects.get().document["title"] == "Ada's"


def sent(reply: Any) -> dict[str, str]:
    """What the form of the conflict page sends with the choices it proposes."""
    context = reply.context
    choices = {f"keep-{entry.key}": entry.proposed for entry in context["disagreements"]}
    return {**context["typed"], "revision": str(context["revision"]), "seen": str(context["seen"]), **choices}


@pytest.mark.parametrize(
    ("act", "changes", "title", "minutes", "prompt"),
    [
        ("chosen", {}, "Bo's", 9, "Bo's prompt"),
        ("chosen", {"keep-title": "theirs", "keep-minutes": "mine"}, "Ada's", 8, "Bo's prompt"),
        ("mine", {}, "Bo's", 8, "Bo's prompt"),
        ("theirs", {}, "Ada's", 9, None),
    ],
)
def test_what_is_chosen_becomes_the_next_revision(
    conflict: tuple[Draft, dict[str, str], Any],
    second: Client,
    act: str,
    changes: dict[str, str],
    title: str,
    minutes: int,
    prompt: str | None,
) -> None:
    made, _, reply = conflict
    saved = second.post(merge(made), {**sent(reply), "act": act, **changes})
    assert (saved.status_code, saved.url) == (302, edit(made))
    stored = Draft.objects.get()
    assert stored.document == {
        **made.document,
        "title": title,
        "minutes": minutes,
        "prompt": prompt or made.document["prompt"],
    }
    assert stored.revision == (2 if act == "theirs" else 3)


def test_a_third_save_meanwhile_asks_again_with_what_was_typed(
    conflict: tuple[Draft, dict[str, str], Any], desk: Client, second: Client
) -> None:
    made, _, reply = conflict
    stored = Draft.objects.get()
    desk.post(edit(made), {**data_of(stored.document), "revision": "2", "title": "Ada's again"})
    again = second.post(merge(made), {**sent(reply), "act": "mine"})
    assert (again.status_code, again.context["seen"]) == (409, 3)
    assert again.context["typed"] == reply.context["typed"]
    assert Draft.objects.get().document["title"] == "Ada's again"


def test_what_cannot_be_saved_any_more_is_kept_on_the_page(
    conflict: tuple[Draft, dict[str, str], Any], second: Client
) -> None:
    made, _, reply = conflict
    Draft.objects.update(document=made.document | {"slug": "fine"})
    submit_draft(question_id=made.question_id, revision=2, by=made.edited_by, now=EDITED_AT)
    refused = second.post(merge(made), {**sent(reply), "act": "mine"})
    assert refused.status_code == 409
    assert "This draft is in review." in refused.content.decode()
    assert refused.context["typed"] == reply.context["typed"]


def test_the_same_text_twice_is_no_conflict(desk: Client, second: Client) -> None:
    made = draft()
    for client in (desk, second):
        assert client.post(edit(made), typed(made.document, title="Same")).status_code == 302
    assert Draft.objects.get().revision == 2


def test_what_the_form_does_not_show_is_kept_from_theirs() -> None:
    base = {"title": "a", "own": 1}
    found = disagreements(base, {"title": "b", "own": 1}, {"title": "a", "own": 2})
    assert [(entry.key, entry.proposed) for entry in found] == [("title", "mine"), ("own", "theirs")]
