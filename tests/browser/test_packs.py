"""Packs in the browser: sound on every screen, a mock started from one by keyboard, its setting in the room."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from prepapp.bank.models import Pack, Question
from tests.bank.packs import pack as pack_file
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.bank import PackFactory, TopicFactory, create_questions
from tests.factories.interviews import BlueprintFactory

NOTE = "You work on a team that sorts telemetry of a fleet."
WORD = "x" * 60


@pytest.fixture
def pack(transactional_db: None) -> Pack:
    """Twenty-three questions of a topic, a format that can be filled and one that cannot, a long word."""
    create_questions(23, topic=TopicFactory(code="gpu.memory", title="Memory"))
    BlueprintFactory(slug="screen", title="Screen", recipe={"slots": [{"minutes": 10}]})
    BlueprintFactory(slug="sql", title="SQL", recipe={"slots": [{"kinds": ["sql"], "minutes": 10}]})
    content = pack_file().content
    fields = {name: content[name] for name in content if name != "reviewed"}
    refs = Question.objects.values_list("ref", flat=True)
    fields |= {
        "reviewed_date": timezone.localdate() - timedelta(days=3),
        "blueprints": ["screen", "sql"],
        "summary": f"{fields['summary']} {WORD}",
        "context_notes": dict.fromkeys(refs, NOTE),
        "tips": [*fields["tips"], {"text": WORD, "source": f"https://example.test/{WORD}", "advice": False}],
    }
    made: Pack = PackFactory(slug="loop", **fields)
    return made


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
)
def test_every_screen_is_sound(page: Page, pack: Pack, live_server: Any, width: int, scheme: Any) -> None:
    PackFactory(slug="empty", title="Empty")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    faults = []
    for screen in ("/packs/", "/packs/loop/", "/packs/empty/", "/questions/?pack=loop", "/start/"):
        reply = page.goto(live_server.url + screen)
        assert reply and reply.status == 200, screen
        page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
        faults += [f"{screen}: {fault}" for fault in accessibility_faults(page)]
        if scrolls_sideways(page):
            faults.append(f"{screen}: scrolls sideways")
    assert faults == []


def test_a_mock_is_started_by_keyboard_and_the_room_shows_the_setting(
    page: Page, pack: Pack, live_server: Any
) -> None:
    page.goto(f"{live_server.url}/packs/loop/")
    page.get_by_role("radio", name="Intermediate").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{live_server.url}/packs/loop/?level=advanced")
    expect(page.get_by_role("heading", name="Start a mock from this pack")).to_be_focused()
    expect(page.get_by_text("This pack can fill 0 of 1 places")).to_be_visible()
    page.get_by_role("button", name="Start Screen").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Screen: A loop")).to_be_visible()
    expect(page.get_by_text(NOTE)).to_be_visible()
    assert accessibility_faults(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert (accessibility_faults(page), scrolls_sideways(page)) == ([], False)


def test_its_questions_turn_pages_in_place(page: Page, pack: Pack, live_server: Any) -> None:
    page.goto(f"{live_server.url}/packs/loop/")
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".question-row")).to_have_count(3)
    expect(page.get_by_role("heading", name="Questions", exact=True)).to_be_focused()
    page.get_by_role("link", name="Previous").click()
    expect(page.locator(".question-row")).to_have_count(20)
