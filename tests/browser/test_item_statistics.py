"""Item statistics at the desk in the browser: sound on every screen, and a list chosen without a reload."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.bank.models import Question, RubricPoint
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.bank import create_questions
from tests.reports.counting import count_item

LISTS = ("easy", "loose", "flagged")


@pytest.fixture
def curator(candidate: User) -> User:
    candidate.role = Role.CURATOR
    candidate.save()
    return candidate


@pytest.fixture
def questions() -> list[Question]:
    """More than a page of questions with every fault there is; the first has no answers yet, the second few,
    and a long word."""
    found = create_questions(23)
    count_item(found[1], answers=12)
    for question in found[2:]:
        count_item(question, answers=60, met=(1.0, 0.0, 0.5), goes_along=False, skipped=0.4, pace=4.0)
    RubricPoint.objects.filter(key="r2").update(criterion="w" * 60)
    return found


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
)
def test_every_screen_is_sound(
    page: Page,
    curator: User,
    questions: list[Question],
    sign_in: Any,
    live_server: Any,
    width: int,
    scheme: Any,
) -> None:
    sign_in(curator)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    addresses = [f"?list={name}" for name in LISTS] + [f"{question.pk}/" for question in questions[:3]]
    faults = []
    for address in addresses:
        reply = page.goto(f"{live_server.url}/desk/statistics/{address}")
        assert reply and reply.status == 200, address
        faults += [f"{address}: {fault}" for fault in accessibility_faults(page)]
        if scrolls_sideways(page):
            faults.append(f"{address}: scrolls sideways")
    assert faults == []


def test_another_list_comes_without_a_reload_and_can_be_gone_back_from(
    page: Page, curator: User, questions: list[Question], sign_in: Any, live_server: Any
) -> None:
    sign_in(curator)
    page.goto(f"{live_server.url}/desk/statistics/")
    page.evaluate("window.here = true")
    page.get_by_label("List").select_option("skipped")
    title = page.get_by_role("heading", level=2)
    expect(title).to_have_text("Left empty most: 21")
    assert page.evaluate("window.here") is True
    expect(page).to_have_url(f"{live_server.url}/desk/statistics/?list=skipped")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#results li")).to_have_count(1)
    page.get_by_role("link", name="Previous").click()
    expect(page.locator("#results li")).to_have_count(20)
    page.locator("#results li a").first.click()
    expect(page.get_by_role("heading", level=3)).to_have_text("Main answer: 60 first answers")
