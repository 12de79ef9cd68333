"""The desk in the browser: a question written from nothing and published by somebody else, by keyboard, in two
tabs, without script, and sound on every screen."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from prepapp.accounts.models import User
from prepapp.bank.actions import open_draft, save_draft, submit_draft
from prepapp.bank.forms.document_form import data_of
from prepapp.bank.models import Draft, Question
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.browser.conftest import Complaints
from tests.factories.bank import QuestionFactory
from tests.factories.curation import EDITED_AT, curator, draft, finished_document, reviewer

CARRIED = ("-was", "-position", "-remove", "-id")


@pytest.fixture
def writer(transactional_db: None, sign_in: Callable[..., None]) -> User:
    person = curator(email="ada@example.test")
    sign_in(person)
    return person


def write(page: Page, data: dict[str, str]) -> None:
    """Types every value into its field; a row that is not there is added."""
    for name, value in data.items():
        if not value or name.endswith(CARRIED) or name == "id":
            continue
        field = page.locator(f'[name="{name}"]')
        if not field.count():
            rows = name.rsplit("-", 2)[0]
            page.locator(f'[data-add="{rows}"]').click()
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        elif field.get_attribute("type") == "checkbox":
            field.check()
        else:
            field.fill(value)


def test_a_question_is_written_checked_handed_in_and_published(
    page: Page,
    browser: Browser,
    writer: User,
    sign_in: Callable[..., None],
    watched: Callable[[Page], Page],
    live_server: Any,
) -> None:
    data = data_of(
        finished_document(
            prompt="Tell me of **one** decision you made alone while a fact was missing, and what you did about the gap before you stopped looking."
        )
    )
    page.goto(f"{live_server.url}/desk/")
    page.get_by_role("link", name="New question").click()
    wrong = data | {"rubric-0-weight": "1" if data["rubric-0-weight"] != "1" else "3"}
    write(page, wrong)

    expect(page.locator('[data-said="rubric"]')).to_contain_text("make them sum to 10")
    expect(page.locator('[data-count="rubric"]')).not_to_contain_text("weights 10 of 10")
    expect(page.locator("#findings")).to_contain_text("to mend")
    page.get_by_text("As candidates see it").click()
    expect(page.locator("#preview .prompt strong")).to_have_text("one")
    assert Question.objects.count() == 0

    page.locator('[name="rubric-0-weight"]').fill(data["rubric-0-weight"])
    expect(page.locator('[data-count="rubric"]')).to_contain_text("weights 10 of 10")
    expect(page.locator('[data-said="rubric"]')).to_be_empty()
    page.get_by_role("button", name="Save and hand in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand in for review")
    page.get_by_role("button", name="Hand in for review").click()
    expect(page.locator("#messages")).to_contain_text("Handed in.")

    context = browser.new_context()
    sign_in(reviewer(), context)
    other = watched(context.new_page())
    other.goto(f"{live_server.url}/desk/")
    other.get_by_role("link", name=data["title"]).click()
    expect(other.get_by_role("heading", level=1)).to_have_text(f"Review: {data['title']}")
    other.get_by_role("button", name="Publish").click()
    expect(other.locator("#messages")).to_contain_text("Published as version 1.")
    context.close()
    page.goto(f"{live_server.url}/questions/{data['slug']}/")
    expect(page.get_by_role("heading", level=1)).to_have_text(data["title"])


def test_points_are_moved_and_saved_by_keyboard(page: Page, writer: User, live_server: Any) -> None:
    made = draft(by=writer)
    ids = [point["id"] for point in made.document["rubric"]]
    page.goto(f"{live_server.url}/desk/questions/{made.question_id}/edit/")
    page.locator('[data-row="rubric-0"] [data-move="down"]').first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("#editor-state")).to_have_text("Now at place 3")
    assert page.evaluate("document.activeElement.closest('[data-row]').dataset.row") == "rubric-0"
    page.keyboard.press("Control+s")
    expect(page.locator("#messages")).to_contain_text("Saved as revision 2.")
    saved = [point["id"] for point in Draft.objects.get().document["rubric"]]
    assert saved == [ids[1], ids[2], ids[0], *ids[3:]]


def test_a_point_is_dragged_to_another_place(page: Page, writer: User, live_server: Any) -> None:
    made = draft(by=writer)
    ids = [point["id"] for point in made.document["rubric"]]
    page.goto(f"{live_server.url}/desk/questions/{made.question_id}/edit/")
    page.locator('[data-row="rubric-0"]').scroll_into_view_if_needed()
    page.locator('[data-row="rubric-1"] [data-drag]').first.drag_to(
        page.locator('[data-row="rubric-0"] .row-controls').first
    )
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#messages")).to_contain_text("Saved as revision 2.")
    assert [point["id"] for point in Draft.objects.get().document["rubric"]] == [ids[1], ids[0], *ids[2:]]


def test_text_stays_when_the_session_or_the_network_is_gone(
    page: Page,
    complaints: Complaints,
    writer: User,
    sign_in: Callable[..., None],
    live_server: Any,
) -> None:
    complaints.network_may_fail = True
    made = draft(by=writer)
    page.goto(f"{live_server.url}/desk/questions/{made.question_id}/edit/")
    save = page.get_by_role("button", name="Save", exact=True)
    page.locator('[name="title"]').fill("Typed before it was gone")
    page.context.clear_cookies()
    save.click()
    expect(page.locator("#messages")).to_contain_text("You are signed out.")
    sign_in(writer)
    page.context.set_offline(True)
    save.click()
    expect(page.locator("#messages")).to_contain_text("The server cannot be reached.")
    page.context.set_offline(False)
    save.click()
    expect(page.locator("#messages")).to_contain_text("Saved as revision 2.")
    assert Draft.objects.get().document["title"] == "Typed before it was gone"


def test_of_two_tabs_the_second_chooses(
    page: Page, complaints: Complaints, writer: User, live_server: Any
) -> None:
    made = draft(by=writer)
    # The browser says itself that the save was answered by 409.
    complaints.network_may_fail = True
    page.goto(f"{live_server.url}/desk/questions/{made.question_id}/edit/")
    document = {**made.document, "title": "From the other tab"}
    save_draft(question_id=made.question_id, document=document, revision=1, by=writer, now=EDITED_AT)
    page.locator('[name="title"]').fill("From this tab")
    page.locator('[name="context"]').fill("A context of this tab.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("saved this draft while you were writing")
    assert accessibility_faults(page) == []
    page.locator('[name="keep-title"][value="theirs"]').check()
    page.get_by_role("button", name="Save what is chosen").click()
    expect(page.locator("#messages")).to_contain_text("revision 3")
    saved = Draft.objects.get().document
    assert (saved["title"], saved["context"]) == ("From the other tab", "A context of this tab.")


def test_everything_works_without_script(
    browser: Browser, writer: User, sign_in: Callable[..., None], live_server: Any
) -> None:
    made = draft(by=writer)
    ids = [point["id"] for point in made.document["rubric"]]
    context = browser.new_context(java_script_enabled=False)
    sign_in(writer, context)
    page = context.new_page()
    page.goto(f"{live_server.url}/desk/questions/{made.question_id}/edit/")
    page.locator('[name="rubric-0-position"]').fill("9")
    page.locator('[name="rubric-1-remove"]').check()
    page.get_by_role("button", name="Check and preview").click()
    expect(page.locator("#findings")).to_contain_text("to mend")
    assert Draft.objects.get().revision == 1
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#messages")).to_contain_text("Saved as revision 2.")
    assert [point["id"] for point in Draft.objects.get().document["rubric"]] == [*ids[2:], ids[0]]
    context.close()


@pytest.fixture
def screens(writer: User) -> dict[str, str]:
    """Every screen of the desk in a state that shows much."""
    question = QuestionFactory(owner=writer)
    made = open_draft(question_id=question.pk, by=writer, now=EDITED_AT)
    long = "unbroken" * 8
    document = {**made.document, "title": f"{long} title", "prompt": f"{long} prompt", "category": [long]}
    save_draft(question_id=question.pk, document=document, revision=made.revision, by=writer, now=EDITED_AT)
    waiting = draft(by=curator(), slug="waiting")
    submit_draft(question_id=waiting.question_id, revision=1, by=waiting.edited_by, now=EDITED_AT)
    twin = draft(by=writer, slug="twin")
    names = ("edit", "alike", "try", "discard", "submit")
    return {
        "home": "/desk/",
        "new": "/desk/questions/new/",
        **{name: f"/desk/questions/{question.pk}/{name}/" for name in names},
        "detail": f"/desk/questions/{question.pk}/",
        "twin": f"/desk/questions/{twin.question_id}/submit/",
        "review": f"/desk/questions/{waiting.question_id}/review/",
        "changes": f"/desk/questions/{question.pk}/review/",
        "revision": f"/desk/questions/{question.pk}/revisions/2/",
        "version": f"/desk/questions/{question.pk}/versions/1/",
    }


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
)
def test_every_screen_is_sound(
    page: Page,
    screens: dict[str, str],
    sign_in: Callable[..., None],
    live_server: Any,
    width: int,
    scheme: Any,
) -> None:
    sign_in(reviewer())
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    faults = []
    for name, path in screens.items():
        reply = page.goto(live_server.url + path)
        assert reply and reply.status == 200, name
        page.wait_for_load_state("networkidle")
        faults += [f"{name}: {fault}" for fault in accessibility_faults(page)]
        if scrolls_sideways(page):
            faults.append(f"{name}: scrolls sideways")
    assert faults == []
