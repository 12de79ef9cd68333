"""The whole loop as a stranger meets it, on the shipped bank: front page, mock, grading, result, account,
history. Each screen is checked by axe and for sideways scrolling, wide and narrow, light and dark."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect

from prepapp.accounts.models import User
from prepapp.interviews.choices import State
from prepapp.interviews.models import Attempt, Mark
from tests.browser.axe import accessibility_faults, scrolls_sideways

ANSWER = (
    "The bus is the limit: every byte moved is paid for. I would measure before and after with the profiler."
)


@pytest.fixture
def shipped_bank(transactional_db: None) -> None:
    call_command("createcachetable", verbosity=0)
    call_command("load_bank", verbosity=0)
    call_command("load_blueprints", verbosity=0)


def check(page: Page, seen: list[str], screen: str) -> None:
    seen += [f"{screen}: {fault}" for fault in accessibility_faults(page)]
    if scrolls_sideways(page):
        seen.append(f"{screen}: scrolls sideways")


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (360, "dark")])
def test_a_stranger_sits_grades_reads_signs_up_and_finds_it_again(
    browser: Browser,
    watched: Callable[[Page], Page],
    complaints: list[str],
    shipped_bank: None,
    live_server: Any,
    width: int,
    scheme: Any,
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = watched(context.new_page())
    faults: list[str] = []

    page.goto(live_server.url)
    check(page, faults, "front")
    page.get_by_role("button", name=re.compile("^GPU")).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    check(page, faults, "room")

    for place in (1, 2, 3):
        expect(page.locator("#room")).to_have_attribute("data-position", str(place))
        page.get_by_label("Your answer").press_sequentially(ANSWER)
        page.keyboard.press("Control+Enter")
    page.wait_for_url("**/finish/")
    check(page, faults, "finish")
    expect(page.get_by_text("All 3 questions have an answer.")).to_be_visible()
    page.get_by_role("button", name="Hand in and grade").click()

    for place in (1, 2, 3):
        expect(page.locator("#grade-progress")).to_contain_text(f"Answer {place} of 3")
        expect(page.get_by_role("heading", name="How well did you do?")).to_be_visible()
        assert page.get_by_role("heading", name="Rubric", exact=True).count() == 0
        if place == 1:
            check(page, faults, "confidence")
        page.get_by_role("button", name=re.compile("Borderline", re.I)).click()
        expect(page.locator("#rubric .point").first).to_be_visible()
        if place == 1:
            check(page, faults, "rubric")
            quote_words(page)
        mark_by_keys(page)
        expect(page.get_by_role("heading", name="Model answer")).to_be_visible()
        if place == 1:
            check(page, faults, "revealed")
        page.get_by_label("Fix next time").fill("Put a number on it.")
        page.get_by_role("button", name=re.compile("Next answer|See the result")).last.click()

    page.wait_for_url("**/result/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("of 10")
    check(page, faults, "result")

    page.get_by_role("link", name=re.compile("^Create (an )?account")).last.click()
    check(page, faults, "sign up")
    page.get_by_label("E-mail address").fill("stranger@example.test")
    page.get_by_label("Password", exact=True).fill("a long enough phrase")
    page.get_by_role("button", name=re.compile("Create")).last.click()
    expect(page.get_by_label(re.compile("code", re.I))).to_be_visible()
    check(page, faults, "code")
    code = re.search(r"^\s*([A-Z0-9-]{6,12})\s*$", mail.outbox[-1].body, re.M)
    assert code, mail.outbox[-1].body
    page.get_by_label(re.compile("code", re.I)).fill(code.group(1))
    page.get_by_role("button", name=re.compile("Confirm|Continue", re.I)).click()
    expect(page.locator("details.menu summary", has_text="Account")).to_be_visible()
    check(page, faults, "about you")

    page.goto(f"{live_server.url}/history/")
    expect(page.get_by_role("link", name=re.compile("Quick quiz"))).to_be_visible()
    check(page, faults, "history")
    attempt = Attempt.objects.get()
    page.goto(f"{live_server.url}/attempts/{attempt.pk}/review/")
    expect(page.get_by_text(ANSWER).first).to_be_visible()
    check(page, faults, "review")

    user = User.objects.get()
    assert (user.email, user.is_guest) == ("stranger@example.test", False)
    assert (attempt.user, attempt.state) == (user, State.GRADED)
    assert faults == []
    assert complaints == []
    context.close()


def quote_words(page: Page) -> None:
    """Selects words of the answer while the first point is active, then marks it met by key."""
    page.locator("#rubric .point").first.click(position={"x": 5, "y": 5})
    page.evaluate(
        """() => {
          const text = document.querySelector("#answer-text .plain-answer");
          const range = document.createRange();
          range.selectNodeContents(text);
          const selection = document.getSelection();
          selection.removeAllRanges();
          selection.addRange(range);
        }"""
    )
    expect(page.locator("#rubric .point").first.get_by_role("textbox")).to_have_value(ANSWER)
    page.evaluate("document.activeElement.blur()")
    with page.expect_response("**/mark"):
        page.keyboard.press("3")
    expect(page.locator("#rubric .point").first.locator(".quote")).to_have_text(ANSWER)
    assert Mark.objects.get().quote == ANSWER


def mark_by_keys(page: Page) -> None:
    rows = page.locator("#rubric .point")
    for index in range(rows.count()):
        rows.nth(index).focus()
        with page.expect_response("**/mark"):
            page.keyboard.press("2")
        expect(rows.nth(index).locator('[aria-pressed="true"]')).to_contain_text("Partly")


@pytest.mark.parametrize(
    "path", ["/start/", "/start/?track=mle&level=senior&mode=practice", "/start/custom/", "/questions/"]
)
@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (320, "light")])
def test_public_screens_are_sound(
    browser: Browser,
    watched: Callable[[Page], Page],
    complaints: list[str],
    shipped_bank: None,
    live_server: Any,
    path: str,
    width: int,
    scheme: Any,
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = watched(context.new_page())
    page.goto(live_server.url + path)
    faults: list[str] = []
    check(page, faults, path)
    assert faults == []
    assert complaints == []
    context.close()
