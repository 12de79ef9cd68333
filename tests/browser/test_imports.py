"""A file on its way into the bank in the browser: looked at, filtered, imported, undone; sound on every screen."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from prepapp.accounts.models import User
from prepapp.bank.actions.importing import note_progress, start_import
from prepapp.bank.choices import ImportState
from prepapp.bank.models import ImportRun, Question
from prepapp.bank.tasks import work_on_import
from tests.bank.importing import NOW, bank_file, imported, question, questions, upload
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.curation import curator

DATA = Path(__file__).parents[1] / "data" / "import"


@pytest.fixture
def ana(sign_in: Any) -> User:
    person = curator(email="ana@example.test")
    sign_in(person)
    return person


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
)
def test_every_screen_is_sound(page: Page, ana: User, live_server: Any, width: int, scheme: Any) -> None:
    long_word = "w" * 60
    runs = [
        upload((DATA / "f14_bank_conflicts.json").read_bytes(), ana, name=f"{long_word}.json"),
        upload((DATA / "f06_external_entity.xml").read_bytes(), ana, name="f06_external_entity.xml"),
        upload(bank_file(question("a", title=long_word, category=long_word)), ana),
        imported(bank_file(*questions(60)), ana),
    ]
    screens = ["/desk/imports/", "/desk/imports/new/", "/desk/exports/"]
    screens += [f"/desk/imports/{run.pk}/" for run in runs]
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    faults = []
    for screen in screens:
        page.goto(live_server.url + screen)
        faults += [f"{screen}: {fault}" for fault in accessibility_faults(page)]
        if scrolls_sideways(page):
            faults.append(f"{screen}: scrolls sideways")
    assert faults == []


def test_a_file_is_looked_at_filtered_imported_and_undone(page: Page, ana: User, live_server: Any) -> None:
    page.goto(f"{live_server.url}/desk/imports/new/")
    page.get_by_label("File").set_input_files(DATA / "f14_bank_conflicts.json")
    page.get_by_role("button", name="Look at it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("f14_bank_conflicts.json")
    expect(page.get_by_role("heading", level=2)).to_have_text("What would come of 12 items")

    page.get_by_role("link", name="Failed 8").click()
    expect(page.locator(".import-row")).to_have_count(8)
    expect(page).to_have_url(f"{live_server.url}/desk/imports/{ImportRun.objects.get().pk}/?outcome=failed")
    page.reload()
    expect(page.locator(".import-row")).to_have_count(8)

    page.get_by_role("button", name="Import the 4 good ones").press("Enter")
    expect(page.get_by_role("status").get_by_text("4 created, 0 updated.")).to_be_visible()
    assert Question.objects.count() == 4
    page.get_by_text("Undo this import").press("Enter")
    page.get_by_role("button", name="Undo the import").press("Enter")
    expect(page.get_by_text("The import of “f14_bank_conflicts.json” was undone.")).to_be_visible()
    assert Question.objects.count() == 0


def test_a_large_file_shows_its_progress_until_it_is_read(page: Page, ana: User, live_server: Any) -> None:
    run = start_import(name="bank.json", data=bank_file(*questions(3)), by=ana, publishes=False, now=NOW)
    page.goto(f"{live_server.url}/desk/imports/{run.pk}/")
    expect(page.get_by_role("heading", name="Waiting for a worker")).to_be_visible()
    ImportRun.objects.update(state=ImportState.READING, seen=3)
    note_progress(run_id=run.pk, done=2, now=NOW)
    expect(page.get_by_text("2 of 3 items")).to_be_visible()
    ImportRun.objects.update(state=ImportState.WAITING)
    work_on_import(str(run.pk))
    expect(page.get_by_role("button", name="Import 3 questions")).to_be_visible()
    assert accessibility_faults(page) == []
