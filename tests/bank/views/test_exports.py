"""The screen that takes the bank out as a file."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.bank.actions import load_bank
from prepapp.bank.models import Draft, Question
from prepapp.bank.transfer.formats import FORMAT_BY_NAME
from prepapp.bank.transfer.readers import read_file
from prepapp.bank.transfer.writers import WRITTEN
from tests.bank.importing import NOW, bank_file, imported, question
from tests.factories.curation import curator, draft, finished_document, shipped_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Client:
    client = Client()
    client.force_login(curator())
    return client


@pytest.fixture
def bank() -> None:
    """One published question and a draft."""
    finished_document()
    load_bank(files=[shipped_file()], now=NOW)
    imported(bank_file(question("a", category="Interview/Graphs")), None)


def download(client: Client, **query: str) -> Any:
    return client.get(reverse("exports:export-file"), query)


@pytest.mark.parametrize("name", [found.name for found in WRITTEN])
def test_every_format_is_downloaded_under_a_name_of_its_own(
    desk: Client, bank: None, time_machine: Any, name: str
) -> None:
    time_machine.move_to(NOW, tick=False)
    reply = download(desk, format=name)
    chosen = FORMAT_BY_NAME[name]
    assert reply.status_code == 200
    assert reply["Content-Type"] == chosen.content_type
    file = f"prepapp-bank-2026-12-01{chosen.suffixes[0]}"
    assert reply["Content-Disposition"] == f'attachment; filename="{file}"'
    assert reply["Cache-Control"] == "no-store, private"
    assert len(read_file(file, reply.content).items) == 2


def slugs(reply: Any) -> list[str]:
    return [found["slug"] for found in json.loads(reply.content)["questions"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [shipped_file().slug, "a"]),
        ({"track": shipped_file().track}, [shipped_file().slug]),
        ({"topic": shipped_file().topic}, [shipped_file().slug]),
        ({"status": "published"}, [shipped_file().slug]),
        ({"status": "draft"}, ["a"]),
    ],
)
def test_the_choices_narrow_it(desk: Client, bank: None, query: dict[str, str], expected: list[str]) -> None:
    assert slugs(download(desk, format="json", **query)) == expected


def test_work_in_progress_on_a_published_question_stays_here(desk: Client, bank: None) -> None:
    Draft.objects.create(
        question=Question.objects.get(slug=shipped_file().slug),
        document={"prompt": "In the making."},
        revision=1,
        created_at=NOW,
        edited_at=NOW,
    )
    assert b"In the making." not in download(desk, format="json").content


def test_a_draft_in_review_goes_out_as_a_draft(desk: Client) -> None:
    made = draft()
    Question.objects.filter(pk=made.question_id).update(status="in_review")
    (found,) = json.loads(download(desk, format="json").content)["questions"]
    assert found["status"] == "draft"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, "This field is required."),
        ({"format": "doc"}, "“doc” is not a format that can be written."),
        ({"format": "json", "track": "nope"}, "nope is not one of the available choices."),
        ({"format": "json", "status": "retired"}, "No question fits all of this, so there is no file."),
    ],
)
def test_what_cannot_be_written_is_said_and_the_choices_stay(
    desk: Client, bank: None, query: dict[str, str], said: str
) -> None:
    reply = download(desk, **query)
    assert reply.status_code == 422
    assert said in reply.content.decode()
    assert "Content-Disposition" not in reply


def test_exports_are_counted_by_the_day(desk: Client, bank: None, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "export": "2/d/user"}
    assert [download(desk, format="json").status_code for _ in range(3)] == [200, 200, 429]


def test_the_queries_of_the_page_and_of_a_file(
    desk: Client, bank: None, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(5):
        desk.get(reverse("exports:export-new"))
    imported(bank_file(question("b"), question("c")), None)
    with django_assert_num_queries(5):
        desk.get(reverse("exports:export-new"))
