"""The styles of the desk come with its pages, and with no page of a candidate."""

import pytest
from django.urls import reverse

from tests.factories.bank import QuestionFactory
from tests.factories.curation import draft, reviewer

pytestmark = pytest.mark.django_db
SHEET = "css/desk.css"


@pytest.mark.parametrize(
    "name",
    [
        "desk:home",
        "desk:question-new",
        "imports:import-list",
        "imports:import-new",
        "exports:export-new",
        "flags:flag-queue",
        "reports:item-statistics",
    ],
)
def test_pages_of_curators_load_them(client, name):
    client.force_login(reviewer())
    assert client.get(reverse(name)).content.decode().count(SHEET) == 1


@pytest.mark.parametrize("name", ["question-detail", "question-edit", "question-try", "question-submit"])
def test_pages_of_a_draft_load_them(client, name):
    made = draft()
    client.force_login(made.edited_by)
    assert client.get(reverse(f"desk:{name}", args=[made.question_id])).content.decode().count(SHEET) == 1


def test_pages_of_candidates_do_not(client):
    question = QuestionFactory()
    for address in ("/", "/start/", "/questions/", reverse("bank:question-detail", args=[question.slug])):
        assert SHEET not in client.get(address).content.decode()
