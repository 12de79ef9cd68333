"""Marking a sample answer in the browser: by keys alone, by mouse, and read by axe in every state."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from prepapp.accounts.models import User
from prepapp.bank.models import SampleAnswer
from prepapp.interviews.models import SampleGrading
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.bank import TopicFactory, create_questions
from tests.factories.samples import add_samples

UNBROKEN = "pneumonoultramicroscopicsilicovolcanoconiosis-and-some-more-of-it"


@pytest.fixture
def samples(transactional_db: None) -> list[SampleAnswer]:
    """Three samples; the answer of the last is long and holds a word that cannot be broken."""
    made = add_samples(*create_questions(1, topic=TopicFactory(code="gpu.memory")))
    long = f"{made[2].answer} {UNBROKEN} " + "And so it goes on. " * 600
    SampleAnswer.objects.filter(pk=made[2].pk).update(answer=long)
    return made


@pytest.fixture
def at(
    page: Page, candidate: User, sign_in: Callable[[User], None], live_server: Any
) -> Callable[[str], Page]:
    """Opens an address as the candidate."""
    sign_in(candidate)

    def go(path: str) -> Page:
        page.goto(f"{live_server.url}{path}")
        return page

    return go


def look(page: Page) -> None:
    """In both themes, wide and narrow, axe finds nothing and nothing scrolls sideways."""
    for scheme, width in product(("light", "dark"), (1440, 360)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert accessibility_faults(page) == [], (scheme, width)
        assert not scrolls_sideways(page), (scheme, width)
    page.set_viewport_size({"width": 1440, "height": 900})


def test_by_keys_alone(at: Callable[[str], Page], samples: list[SampleAnswer]) -> None:
    page = at("/samples/")
    look(page)
    page.get_by_role("link", name="Mark a sample, 2 minutes").press("Enter")
    expect(page.get_by_role("heading", name="Rubric")).to_be_visible()
    look(page)
    for key in ("3", "j", "2", "j", "k", "1"):
        page.keyboard.press(key)
    marked = page.locator("#rubric input:checked")
    expect(marked).to_have_count(2)
    assert [(one.get_attribute("name"), one.input_value()) for one in marked.all()] == [
        ("mark-r1", "2"),
        ("mark-r2", "0"),
    ]
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.locator("#compared-title")).to_be_focused()
    expect(page.locator("#compared-title")).to_have_text(
        "You gave 7.0, the reference is 10.0: 3.0 points too harsh"
    )
    look(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Compare with the reference")).to_be_visible()
    assert page.url.endswith(f"/samples/{samples[1].pk}/")
    assert SampleGrading.objects.get().marks == {"r1": 2, "r2": 0, "r3": 2}


def test_an_unmarked_point_keeps_the_rest(
    at: Callable[[str], Page], samples: list[SampleAnswer], complaints: Any
) -> None:
    complaints.network_may_fail = True
    page = at(f"/samples/{samples[2].pk}/")
    page.locator("#point-r1 label.met").click()
    page.locator("#point-r3 label.missed").click()
    page.get_by_role("button", name="Compare with the reference").click()
    expect(page.get_by_role("alert")).to_contain_text("1 point is not marked yet.")
    expect(page.locator("#point-r2 fieldset")).to_be_focused()
    expect(page.locator("#rubric input:checked")).to_have_count(2)
    look(page)
    page.locator("#point-r2 label.missed").click()
    page.get_by_role("button", name="Compare with the reference").click()
    expect(page.locator("#compared-title")).to_contain_text("4.0 points too generous")
    look(page)


def test_arrows_choose_within_a_point(at: Callable[[str], Page], samples: list[SampleAnswer]) -> None:
    page = at(f"/samples/{samples[0].pk}/")
    page.locator('input[name="mark-r1"]').first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator('input[name="mark-r1"][value="2"]')).to_be_checked()
    page.keyboard.press("j")
    page.keyboard.press("2")
    expect(page.locator('input[name="mark-r2"][value="1"]')).to_be_checked()


def test_a_point_lights_the_words_that_earn_it(
    at: Callable[[str], Page], samples: list[SampleAnswer]
) -> None:
    page = at(f"/samples/{samples[0].pk}/")
    for point in ("r1", "r2", "r3"):
        page.locator(f"#point-{point} label.met").click()
    page.get_by_role("button", name="Compare with the reference").click()
    expect(page.locator("#compared-title")).to_be_visible()
    expect(page.locator("#answer-text mark.on")).to_have_text("words of r1")
    page.keyboard.press("j")
    expect(page.locator("#answer-text mark.on")).to_have_text("words of r2")


def test_without_script(
    browser: Any, candidate: User, sign_in: Callable[..., None], live_server: Any, samples: list[SampleAnswer]
) -> None:
    context = browser.new_context(java_script_enabled=False)
    sign_in(candidate, context)
    page = context.new_page()
    page.goto(f"{live_server.url}/samples/{samples[0].pk}/")
    page.locator("#point-r1 label.met").click()
    page.get_by_role("button", name="Compare with the reference").click()
    expect(page.get_by_role("alert")).to_contain_text("2 points are not marked yet.")
    expect(page.locator("#rubric input:checked")).to_have_count(1)
    for point in ("r2", "r3"):
        page.locator(f"#point-{point} label.met").click()
    page.get_by_role("button", name="Compare with the reference").click()
    expect(page.locator("#compared-title")).to_have_text("You gave 10.0, as the reference does")
    context.close()
