"""The screens of imports: upload, preview, result, undoing (R1, R3, R10)."""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from celery import Task
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from kombu.exceptions import OperationalError

from prepapp.accounts.choices import Role
from prepapp.bank.actions.importing import start_import
from prepapp.bank.choices import ImportState
from prepapp.bank.models import CurationEvent, ImportFile, ImportRun, Question
from prepapp.bank.queries.import_runs import lost_runs
from prepapp.bank.transfer.item import Entry
from prepapp.bank.transfer.writers import write_file
from prepapp.bank.views import imports as views
from tests.bank.importing import NOW, bank_file, imported, in_bank, question, questions, upload
from tests.factories.accounts import UserFactory
from tests.factories.curation import curator, finished_document
from tests.factories.interviews import AttemptFactory

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def ana() -> Any:
    return curator(email="ana@example.test")


@pytest.fixture
def desk(ana: Any) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def send(client: Client, data: bytes, name: str = "bank.json", **fields: Any) -> Any:
    return client.post(reverse("imports:import-new"), {"file": SimpleUploadedFile(name, data), **fields})


def address(run: ImportRun, name: str = "detail") -> str:
    return reverse(f"imports:import-{name}", args=[run.pk])


def words(reply: Any) -> str:
    """The main part of the page without markup."""
    text = reply.content.decode()
    main = text[text.find("<main") :] if "<main" in text else text
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", main)).split())


# --- upload ---------------------------------------------------------------------------------------


def test_the_form_says_limits_and_formats_before(desk: Client) -> None:
    page = words(desk.get(reverse("imports:import-new")))
    assert "At most 20 MB and 10,000 questions." in page
    assert "gift .gift" in page
    assert "aiken" not in page
    assert "Publish complete questions" not in page


def test_an_upload_leads_to_a_preview_and_changes_nothing_yet(desk: Client) -> None:
    reply = send(desk, bank_file(*questions(2)))
    run = ImportRun.objects.get()
    assert (reply.status_code, reply["Location"]) == (302, address(run))
    page = words(desk.get(address(run)))
    assert "This is a preview. Nothing is stored in the bank yet" in page
    assert "Import 2 questions" in page
    assert "What would come of 2 items All 2 Created 2 Updated 0 Unchanged 0 Skipped 0 Failed 0" in page
    assert in_bank() == [0] * 7


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Choose a file first."),
        ({"file": SimpleUploadedFile("bank.csv", b"")}, "This file is empty (0 bytes)"),
    ],
)
def test_an_upload_without_a_file_comes_back_with_the_reason(
    desk: Client, fields: dict[str, Any], said: str
) -> None:
    reply = desk.post(reverse("imports:import-new"), fields)
    assert (reply.status_code, ImportRun.objects.count()) == (422, 0)
    assert said in words(reply)
    assert "What can be imported" in words(reply)


def test_a_file_above_the_limit_is_refused_before_and_after_it_is_read(
    desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = reverse("imports:import-new")
    reply = desk.generic("POST", path, b"", "multipart/form-data; boundary=x", CONTENT_LENGTH="20010001")
    assert reply.status_code == 413
    assert "20 MB is the most" in words(reply)
    monkeypatch.setattr("prepapp.bank.forms.imports.MAX_FILE", 10)
    reply = send(desk, bank_file(*questions(1)))
    assert (reply.status_code, ImportRun.objects.count()) == (422, 0)
    assert "is the most. Nothing of it was read." in words(reply)


def test_a_refused_file_says_why_and_is_no_success(desk: Client) -> None:
    send(desk, b"slug,title\n", "bank.csv")
    page = words(desk.get(address(ImportRun.objects.get())))
    assert "The file was refused as a whole" in page
    assert "Nothing was imported." in page
    assert "Imported" not in page.replace("Nothing was imported.", "")


@pytest.mark.parametrize(("role", "published"), [(Role.CURATOR, 0), (Role.REVIEWER, 0), (Role.ADMIN, 1)])
def test_only_an_admin_may_let_a_file_publish(role: Role, published: int) -> None:
    client = Client()
    client.force_login(UserFactory(role=role))
    assert ("Publish complete questions" in words(client.get(reverse("imports:import-new")))) is bool(
        published
    )
    send(client, write_file("json", [Entry("", "published", finished_document())]), publishes="on")
    client.post(address(ImportRun.objects.get(), "confirm"))
    assert Question.objects.count() == 1
    assert Question.objects.published().count() == published


def test_what_is_to_publish_is_not_confirmed_thrown_away_or_undone_by_others(desk: Client) -> None:
    admin = UserFactory(role=Role.ADMIN)
    document = write_file("json", [Entry("", "published", finished_document())])
    run = upload(document, admin, publishes=True)
    assert [desk.post(address(run, act)).status_code for act in ("confirm", "discard")] == [403, 403]
    assert "Throw away" not in words(desk.get(address(run)))
    done = imported(document, admin, publishes=True)
    assert desk.post(address(done, "undo")).status_code == 403
    assert Question.objects.count() == 1


# --- preview and result ---------------------------------------------------------------------------


def test_the_report_names_each_row_by_place_label_field_and_reason(desk: Client, ana: Any) -> None:
    """R3"""
    run = upload(bank_file(question("a", rubric=None), question("a"), 7), ana)
    page = words(desk.get(address(run)))
    assert "item 1 a topic : no topic" in page or "item 1 a rubric : " in page
    assert "item 2 a slug : is the slug of item 1 (a) already" in page
    assert "item 3 without a name" in page
    assert page.count("is not an object") == 1


def test_sums_add_up_and_outcomes_filter_the_rows(desk: Client, ana: Any) -> None:
    """R2"""
    run = upload(bank_file(*questions(3), question("item-1")), ana)
    reply = desk.get(address(run) + "?outcome=failed", headers={**HTMX, "HX-Target": "rows"})
    page = words(reply)
    assert page.startswith(
        "What would come of 4 items All 4 Created 3 Updated 0 Unchanged 0 Skipped 0 Failed 1 item 4"
    )
    assert "item 2" not in page
    assert "<main" not in reply.content.decode()
    assert words(desk.get(address(run) + "?outcome=nonsense")).count("Created") == 4
    assert "No item of this kind." in words(desk.get(address(run) + "?outcome=skipped"))


def test_quotes_of_the_file_are_text(desk: Client) -> None:
    """R10"""
    hostile = '<script>document.title="pwned"</script><img src=x onerror=alert(1)>'
    send(desk, bank_file(question("a", title=hostile), question(hostile, colour=hostile)), "x<b>.json")
    run = ImportRun.objects.get()
    for path in (address(run), reverse("imports:import-list")):
        text = desk.get(path).content.decode()
        assert "<script>document" not in text
        assert "<img src=x" not in text
        assert "<b>.json" not in text
        assert "x&lt;b&gt;.json" in text


def test_faults_offer_the_good_ones_and_all_is_refused(desk: Client, ana: Any) -> None:
    run = upload(bank_file(question("a"), question("a")), ana)
    assert "Import the 1 good one" in words(desk.get(address(run)))
    reply = desk.post(address(run, "confirm"))
    assert (reply.status_code, Question.objects.count()) == (409, 0)
    assert "1 item is faulty, so nothing was imported." in words(reply)
    reply = desk.post(address(run, "confirm"), {"take": "good"})
    assert (reply.status_code, Question.objects.count()) == (302, 1)
    page = words(desk.get(address(run)))
    assert "1 created, 0 updated. 1 faulty item was left out, as you chose." in page


def test_nothing_to_change_is_said_and_no_button_offered(desk: Client, ana: Any) -> None:
    data = bank_file(*questions(1))
    imported(data, ana)
    send(desk, data)
    page = words(desk.get(address(ImportRun.objects.exclude(state=ImportState.DONE).get())))
    assert "Importing this file would change nothing" in page
    assert "Import 1 question" not in page
    assert "Throw away" in page


def test_a_second_press_leads_to_the_same_result(desk: Client, ana: Any) -> None:
    """IMP-21: on one page, and from the upload on."""
    run = upload(bank_file(*questions(5)), ana)
    replies = [desk.post(address(run, "confirm")) for _ in range(2)]
    assert [(reply.status_code, reply["Location"]) for reply in replies] == [(302, address(run))] * 2
    assert (Question.objects.count(), CurationEvent.objects.count()) == (5, 6)


def test_a_run_is_thrown_away_only_while_it_is_open(desk: Client, ana: Any) -> None:
    run = upload(bank_file(*questions(1)), ana)
    assert desk.post(address(run, "discard"), follow=True).status_code == 200
    assert (ImportRun.objects.count(), ImportFile.objects.count()) == (0, 0)
    assert desk.get(address(run)).status_code == 404
    done = imported(bank_file(*questions(1)), ana)
    reply = desk.post(address(done, "discard"))
    assert (reply.status_code, ImportRun.objects.count()) == (409, 1)
    assert "This import has moved on meanwhile." in words(reply)


def test_undo_takes_it_back_or_names_what_is_in_use(desk: Client, ana: Any) -> None:
    run = imported(bank_file(*questions(2)), ana)
    assert "Undo this import" in words(desk.get(address(run)))
    assert desk.post(address(run, "undo")).status_code == 302
    assert Question.objects.count() == 0
    assert "Undone" in words(desk.get(address(run)))
    used = imported(write_file("json", [Entry("", "published", finished_document())]), ana, publishes=True)
    AttemptFactory(responses__questions=list(Question.objects.all()))
    client = Client()
    client.force_login(UserFactory(role=Role.ADMIN))
    reply = client.post(address(used, "undo"))
    assert (reply.status_code, Question.objects.count()) == (409, 1)
    assert f"{finished_document()['slug']}: it was asked in an interview." in words(reply)


# --- large files ----------------------------------------------------------------------------------


def test_more_than_a_request_takes_goes_through_a_worker(
    desk: Client, eager_celery: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "ITEMS_AT_ONCE", 2)
    send(desk, bank_file(*questions(3)))
    run = ImportRun.objects.get()
    assert (run.state, run.seen) == (ImportState.PREVIEWED, 3)
    desk.post(address(run, "confirm"))
    run.refresh_from_db()
    assert (run.state, Question.objects.count()) == (ImportState.DONE, 3)


@pytest.mark.parametrize("state", ["waiting", "reading", "writing"])
def test_a_run_at_work_shows_how_far_it_is_and_asks_again(desk: Client, ana: Any, state: str) -> None:
    run = start_import(name="bank.json", data=bank_file(*questions(1)), by=ana, publishes=False, now=NOW)
    ImportRun.objects.update(state=state, seen=5000, done=1250)
    reply = desk.get(address(run))
    text = reply.content.decode()
    assert '<progress class="progress"' in text
    assert 'value="1250"' in text
    assert "1,250 of 5,000 items" in words(reply)
    assert f'hx-get="{address(run)}"' in text
    part = desk.get(address(run), headers={**HTMX, "HX-Target": "run"}).content.decode()
    assert part.lstrip().startswith('<section id="run"')
    assert 'hx-trigger="every 2s"' in part
    ImportRun.objects.update(state="refused", problems=[["", "It is no bank."]])
    part = desk.get(address(run), headers={**HTMX, "HX-Target": "run"}).content.decode()
    assert "hx-trigger" not in part


def test_a_broker_that_is_gone_does_not_fail_the_upload(
    desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("nobody listens")

    monkeypatch.setattr(Task, "apply_async", refuse)
    monkeypatch.setattr(views, "BYTES_AT_ONCE", 0)
    assert send(desk, bank_file(*questions(1))).status_code == 302
    run = ImportRun.objects.get()
    assert run.state == ImportState.WAITING
    assert lost_runs(run.beat_at + timedelta(minutes=1)) == [run.pk]


# --- the house ------------------------------------------------------------------------------------


def test_the_list_shows_the_newest_first_and_pages_hold(desk: Client, ana: Any) -> None:
    assert "No file was imported yet." in words(desk.get(reverse("imports:import-list")))
    for n in range(3):
        upload(bank_file(question(f"q-{n}")), ana, name=f"file-{n}.json")
    page = words(desk.get(reverse("imports:import-list")))
    assert [page.find(f"file-{n}.json") > 0 for n in range(3)] == [True] * 3
    assert page.find("file-2.json") < page.find("file-0.json")


@pytest.mark.parametrize("count", [1, 3])
def test_the_queries_of_each_page(desk: Client, ana: Any, count: int, django_assert_num_queries: Any) -> None:
    run = imported(bank_file(*questions(count)), ana)
    for n in range(count - 1):
        upload(bank_file(question(f"more-{n}")), ana)
    with django_assert_num_queries(4):
        desk.get(address(run))
    with django_assert_num_queries(3):
        desk.get(reverse("imports:import-list"))
    with django_assert_num_queries(2):
        desk.get(reverse("imports:import-new"))


def test_an_unknown_run_is_nowhere(desk: Client) -> None:
    names = ("detail", "confirm", "discard", "undo")
    paths = [reverse(f"imports:import-{name}", args=[uuid4()]) for name in names]
    assert desk.get(paths[0]).status_code == 404
    assert [desk.post(path).status_code for path in paths[1:]] == [404] * 3


def test_long_lists_are_paged(desk: Client, ana: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prepapp.bank.queries.import_runs.ROWS_SHOWN", 2)
    run = upload(bank_file(*questions(3)), ana)
    first = desk.get(address(run) + "?outcome=created")
    assert "item 2" in words(first)
    assert "item 3" not in words(first)
    (following,) = re.findall(r'rel="next" href="([^"]+)"', first.content.decode())
    second = words(desk.get(address(run) + unescape(following)))
    assert "item 3" in second
    assert "Previous" in second
