"""A person who is told to wait: what is typed stays, the page says so and sends it when it may."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from prepapp.interviews.choices import Ending, State
from prepapp.interviews.models import Attempt, Response
from tests.browser.conftest import Complaints
from tests.factories.interviews import AttemptFactory

SAVED = re.compile(r"^Saved \d\d:\d\d:\d\d$")
RETRYING = "Not saved, retrying"

Begin = Callable[..., Attempt]


@pytest.fixture
def one_in_three_seconds(settings: Any) -> None:
    settings.RATE_LIMIT_BURST = 1
    settings.RATE_LIMIT_PER_MINUTE = 20


@pytest.fixture
def statuses(page: Page) -> Callable[[str], list[int]]:
    """What the server answered to one kind of address, in order."""
    heard: list[tuple[str, int]] = []
    page.on("response", lambda reply: heard.append((reply.url.rpartition("/")[2], reply.status)))
    return lambda name: [status for address, status in heard if address == name]


def box(page: Page) -> Any:
    return page.get_by_label("Your answer")


def state(page: Page) -> Any:
    return page.locator("#save-state")


def stored(attempt: Attempt, position: int = 1) -> str:
    return Response.objects.get(attempt=attempt, position=position).text


@pytest.mark.usefixtures("one_in_three_seconds")
def test_a_save_that_must_wait_is_named_kept_and_sent_when_it_may(
    page: Page, begin: Begin, complaints: Complaints, statuses: Callable[[str], list[int]]
) -> None:
    """What was refused is sent again unchanged, then what was typed meanwhile. Neither typing on nor leaving
    the box sends anything before its time: one refusal each, not one a second."""
    complaints.network_may_fail = True
    attempt = begin()
    box(page).press_sequentially("one")
    expect(state(page)).to_have_text(SAVED)
    box(page).press_sequentially(" two")
    expect(state(page)).to_have_text(RETRYING)
    box(page).press_sequentially(" three")
    box(page).blur()
    assert stored(attempt) == "one"
    expect(box(page)).to_have_value("one two three")
    assert "one two three" in page.evaluate("Object.values(localStorage).join()")
    expect(page.locator("#answer-form input[name=revision]")).to_have_value("3", timeout=15_000)
    expect(state(page)).to_have_text(SAVED)
    assert statuses("save") == [200, 429, 200, 429, 200]
    assert stored(attempt) == "one two three"


@pytest.mark.usefixtures("one_in_three_seconds")
def test_a_move_that_must_wait_stays_on_the_question_and_saves(
    page: Page, begin: Begin, complaints: Complaints, statuses: Callable[[str], list[int]]
) -> None:
    complaints.network_may_fail = True
    attempt = begin()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#room")).to_have_attribute("data-position", "2")
    box(page).press_sequentially("second")
    page.get_by_role("button", name="Previous").click()
    expect(state(page)).to_have_text(RETRYING)
    expect(box(page)).to_have_value("second")
    expect(box(page)).to_be_editable()
    expect(state(page)).to_have_text(SAVED)
    assert statuses("go") == [200, 429]
    assert stored(attempt, 2) == "second"


@pytest.mark.usefixtures("one_in_three_seconds")
def test_last_words_that_must_wait_are_in_before_the_interview_is_handed_in(
    page: Page, begin: Begin, complaints: Complaints, statuses: Callable[[str], list[int]]
) -> None:
    complaints.network_may_fail = True
    attempt = begin(seconds=8)
    expect(page.locator("#clock-digits")).to_have_text("0:02", timeout=15_000)
    box(page).press_sequentially("one")
    box(page).blur()
    expect(state(page)).to_have_text(SAVED)
    box(page).press_sequentially(" two")
    page.wait_for_url(re.compile(r"/grade/"))
    attempt.refresh_from_db()
    assert (attempt.state, attempt.ending) == (State.GRADING, Ending.DEADLINE)
    assert statuses("save") == [200, 429, 200]
    assert stored(attempt) == "one two"


def test_without_script_the_form_comes_back_with_what_was_typed(
    browser: Any, candidate: Any, sign_in: Any, live_server: Any, settings: Any, watched: Any
) -> None:
    settings.RATE_LIMIT_BURST, settings.RATE_LIMIT_PER_MINUTE = 1, 1
    attempt = AttemptFactory(
        user=candidate, responses=2, responses__texts=["", ""], started_at=timezone.now()
    )
    context = browser.new_context(java_script_enabled=False)
    sign_in(candidate, context)
    page = watched(context.new_page())
    room = f"{live_server.url}/attempts/{attempt.pk}/q/1/"
    page.goto(room)
    page.get_by_role("button", name="Next").click()
    page.goto(room)
    box(page).fill("\n two lines\nand <b>")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="Too many requests")).to_be_visible()
    expect(box(page)).to_have_value("\n two lines\nand <b>")
    settings.RATE_LIMIT_BURST = 2  # as if the minute had passed
    page.get_by_role("button", name="Try again").click()
    expect(page).to_have_url(f"{live_server.url}/attempts/{attempt.pk}/q/2/")
    assert stored(attempt) == "\n two lines\nand <b>"
    context.close()


@pytest.mark.parametrize("key", ["1", "Enter"])
def test_a_key_held_down_while_marking_is_one_mark(
    page: Page,
    candidate: Any,
    sign_in: Any,
    live_server: Any,
    statuses: Callable[[str], list[int]],
    key: str,
) -> None:
    attempt = AttemptFactory(user=candidate, state=State.GRADING)
    sign_in(candidate)
    page.goto(f"{live_server.url}/attempts/{attempt.pk}/grade/1/")
    page.get_by_role("button", name="Hire", exact=True).click()
    missed = page.locator("#rubric .missed").first
    missed.focus()
    # What was swapped in is a plain form for the moment until htmx has taken it over.
    expect(page.locator(".htmx-added")).to_have_count(0)
    for _ in range(300):  # all but the first are repeats
        page.keyboard.down(key)
    page.keyboard.up(key)
    expect(missed).to_have_attribute("aria-pressed", "true")
    # Marks wait for each other, so this one is answered after all that went before.
    page.locator("#rubric .met").first.click()
    expect(page.locator("#rubric .met").first).to_have_attribute("aria-pressed", "true")
    assert statuses("mark") == [200, 200]
