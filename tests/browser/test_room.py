"""What only a browser can show of the room: saving while somebody types, trouble, two tabs, the clock."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Error, Page, Route, expect

from prepapp.interviews.choices import Ending, State
from prepapp.interviews.models import Attempt, LateText, Response
from tests.browser.conftest import Complaints

Begin = Callable[..., Attempt]

SAVED = re.compile(r"^Saved \d\d:\d\d:\d\d$")
SAVE = "**/q/*/save"


def box(page: Page) -> Any:
    return page.get_by_label("Your answer")


def state(page: Page) -> Any:
    return page.locator("#save-state")


def stored(attempt: Attempt, position: int = 1) -> str:
    return Response.objects.get(attempt=attempt, position=position).text


def test_a_pause_saves_and_the_page_says_so_only_after_the_answer(page: Page, begin: Begin) -> None:
    attempt = begin()
    held: list[Route] = []
    # A function of our own: the driver sets attributes on its handlers.
    page.route(SAVE, lambda route: held.append(route))  # noqa: PLW0108
    box(page).press_sequentially("alpha")
    expect(state(page)).to_have_text("Saving…", timeout=2_000)
    assert stored(attempt) == ""
    held[0].continue_()
    expect(state(page)).to_have_text(SAVED)
    assert stored(attempt) == "alpha"


def test_typing_without_a_pause_is_saved_within_ten_seconds(page: Page, begin: Begin) -> None:
    attempt = begin()
    page.clock.install()
    with page.expect_response(SAVE):
        for _ in range(20):  # 20 keys, 500 ms of the page's time apart: never a pause of 800 ms
            box(page).press("x")
            page.clock.run_for(500)
    assert 10 <= len(stored(attempt)) <= 20


def test_a_failing_server_is_named_and_what_was_typed_meanwhile_is_saved_later(
    page: Page, begin: Begin, complaints: Complaints
) -> None:
    complaints.network_may_fail = True
    attempt = begin()
    page.route(SAVE, lambda route: route.fulfill(status=503, body=""))
    box(page).press_sequentially("one")
    expect(state(page)).to_have_text("Not saved, retrying", timeout=10_000)
    box(page).press_sequentially(" two")
    page.unroute(SAVE)
    expect(state(page)).to_have_text(SAVED)
    expect(box(page)).to_have_value("one two")
    assert stored(attempt) == "one two"


def test_offline_text_is_sent_by_itself_when_the_network_is_back(
    page: Page, context: BrowserContext, begin: Begin, complaints: Complaints
) -> None:
    complaints.network_may_fail = True
    attempt = begin()
    context.set_offline(True)
    box(page).press_sequentially("offline text")
    expect(state(page)).to_have_text("Offline: kept on this device", timeout=5_000)
    page.get_by_role("button", name="Next").click()
    expect(state(page)).to_have_text("Offline: kept on this device")
    expect(box(page)).to_have_value("offline text")
    context.set_offline(False)
    expect(state(page)).to_have_text(SAVED, timeout=15_000)
    assert stored(attempt) == "offline text"


def test_a_crashed_page_gives_the_text_back_and_saves_it(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    box(page).press_sequentially("before the crash")
    expect(state(page)).to_have_text("Not saved, retrying")
    address = page.url
    page.close(run_before_unload=False)
    context.unroute(SAVE)
    again = watched(context.new_page())
    again.goto(address)
    expect(box(again)).to_have_value("before the crash")
    expect(state(again)).to_have_text(SAVED)
    assert stored(attempt) == "before the crash"
    assert drafts(again) == []


def test_a_draft_of_another_question_is_sent_too(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    box(page).press_sequentially("left behind")
    expect(state(page)).to_have_text("Not saved, retrying")
    second = page.url.replace("/q/1/", "/q/2/")
    page.close(run_before_unload=False)
    context.unroute(SAVE)
    again = watched(context.new_page())
    with again.expect_response(SAVE):
        again.goto(second)
    expect(box(again)).to_have_value("")
    assert stored(attempt, 1) == "left behind"


def drafts(page: Page) -> list[str]:
    return page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('prepapp:draft:'))")


@pytest.mark.parametrize(
    ("choice", "kept"),
    [
        ("Keep mine", "first tab"),
        ("Use the other", "second tab"),
        ("Keep both, one after the other", "second tab\n\nfirst tab"),
    ],
)
def test_two_tabs_see_both_texts_and_lose_none(
    page: Page,
    context: BrowserContext,
    begin: Begin,
    watched: Callable[[Page], Page],
    complaints: Complaints,
    choice: str,
    kept: str,
) -> None:
    complaints.network_may_fail = True  # the conflict is a 409
    attempt = begin()
    other = watched(context.new_page())
    other.goto(page.url)
    box(other).press_sequentially("second tab")
    expect(state(other)).to_have_text(SAVED)
    box(page).press_sequentially("first tab")
    expect(page.get_by_role("heading", name="This answer was changed in another tab")).to_be_visible()
    expect(page.get_by_label("Saved elsewhere")).to_have_value("second tab")
    expect(box(page)).to_have_value("first tab")
    assert stored(attempt) == "second tab"
    page.get_by_role("button", name=choice).click()
    expect(page.locator("#conflict")).to_be_hidden()
    expect(box(page)).to_have_value(kept)
    expect(box(page)).to_be_focused()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#room")).to_have_attribute("data-position", "2")
    assert stored(attempt) == kept


def crash_with(pages: Sequence[Page], texts: Sequence[str]) -> str:
    """Types a text into each page while no save gets through, then ends all of them without a last word."""
    for tab, text in zip(pages, texts, strict=True):
        box(tab).press_sequentially(text)
        expect(state(tab)).to_have_text("Not saved, retrying")
    address = pages[0].url
    for tab in pages:
        with tab.expect_event("crash"), suppress(Error):
            tab.goto("chrome://crash")
        tab.close()
    return address


@pytest.mark.parametrize(
    ("choice", "kept"),
    [
        ("Keep mine", "second tab"),
        ("Use the other", "first tab"),
        ("Keep both, one after the other", "first tab\n\nsecond tab"),
    ],
)
def test_two_tabs_that_crash_lose_neither_text(
    page: Page,
    context: BrowserContext,
    begin: Begin,
    watched: Callable[[Page], Page],
    complaints: Complaints,
    choice: str,
    kept: str,
) -> None:
    """P3, P4: each tab has a draft of its own; the next page finds both, and the person chooses."""
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    other = watched(context.new_page())
    other.goto(page.url)
    address = crash_with([page, other], ["first tab", "second tab"])
    context.unroute(SAVE)
    again = watched(context.new_page())
    again.goto(address)
    expect(box(again)).to_have_value("second tab")
    expect(state(again)).to_have_text(SAVED)
    expect(again.get_by_role("heading", name="This device kept another text for this answer")).to_be_visible()
    expect(again.get_by_label("Kept on this device")).to_have_value("first tab")
    assert stored(attempt) == "second tab"
    again.get_by_role("button", name=choice).click()
    expect(again.locator("#conflict")).to_be_hidden()
    expect(box(again)).to_have_value(kept)
    again.get_by_role("button", name="Next").click()
    expect(again.locator("#room")).to_have_attribute("data-position", "2")
    assert stored(attempt) == kept
    assert drafts(again) == []


def test_a_tab_that_takes_up_another_s_text_leaves_it_its_draft(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    """The second tab opens with what the first has not saved, and there it is written over; the first still
    shows it when both crash."""
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    box(page).press_sequentially("first tab")
    expect(state(page)).to_have_text("Not saved, retrying")
    other = watched(context.new_page())
    other.goto(page.url)
    expect(box(other)).to_have_value("first tab")
    box(other).fill("")
    address = crash_with([other, page], ["second tab", ""])
    context.unroute(SAVE)
    again = watched(context.new_page())
    again.goto(address)
    expect(box(again)).to_have_value("second tab")
    expect(again.get_by_label("Kept on this device")).to_have_value("first tab")
    expect(state(again)).to_have_text(SAVED)
    assert stored(attempt) == "second tab"


def test_a_text_that_only_went_on_is_no_second_text(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    """After a reload the next page goes on with the draft; nobody has to choose between a text and its start."""
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    box(page).press_sequentially("alpha")
    expect(state(page)).to_have_text("Not saved, retrying")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(box(page)).to_have_value("alpha")
    box(page).press("End")
    address = crash_with([page], [" beta"])
    context.unroute(SAVE)
    again = watched(context.new_page())
    again.goto(address)
    expect(box(again)).to_have_value("alpha beta")
    expect(state(again)).to_have_text(SAVED)
    expect(again.locator("#conflict")).to_be_hidden()
    assert (stored(attempt), drafts(again)) == ("alpha beta", [])


def test_a_text_that_was_not_chosen_is_offered_again(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    """Of three texts none goes without a word: after a reload, while handing in, and one after another."""
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    tabs = [page, watched(context.new_page()), watched(context.new_page())]
    for tab in tabs[1:]:
        tab.goto(page.url)
    address = crash_with(tabs, ["one", "two", "three"])
    context.unroute(SAVE)
    again = watched(context.new_page())
    again.goto(address)
    expect(again.get_by_label("Kept on this device")).to_have_value("two")
    expect(state(again)).to_have_text(SAVED)
    assert (stored(attempt), len(drafts(again))) == ("three", 2)
    again.get_by_role("button", name="Finish").click()
    expect(again.locator("#drafts")).to_contain_text("A text on this device differs from what is saved.")
    again.get_by_role("link", name="Look at it").first.click()
    expect(box(again)).to_have_value("two")
    expect(again.get_by_label("Saved elsewhere")).to_have_value("three")
    again.get_by_role("button", name="Keep both").click()
    expect(again.get_by_label("Kept on this device")).to_have_value("one")
    again.get_by_role("button", name="Keep both").click()
    expect(again.locator("#conflict")).to_be_hidden()
    expect(state(again)).to_have_text(SAVED)
    assert (stored(attempt), drafts(again)) == ("one\n\nthree\n\ntwo", [])


def test_kept_texts_are_part_of_what_is_handed_in_at_the_end(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    """Time is over before the person has chosen: both texts were typed in time."""
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    other = watched(context.new_page())
    other.goto(page.url)
    address = crash_with([page, other], ["first tab", "second tab"])
    context.unroute(SAVE)
    Attempt.objects.filter(pk=attempt.pk).update(deadline_at=timezone.now() + timedelta(seconds=5))
    again = watched(context.new_page())
    again.goto(address)
    again.wait_for_url(re.compile(r"/grade/"))
    assert stored(attempt) == "first tab\n\nsecond tab"
    assert LateText.objects.count() == 0


def test_a_kept_text_that_does_not_fit_costs_no_last_words(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    """Time is over before the person has chosen, and both together are longer than an answer may be."""
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    other = watched(context.new_page())
    other.goto(page.url)
    for tab, letter in ((page, "a"), (other, "b")):
        box(tab).fill(letter * 9_000)
    address = crash_with([page, other], ["1", "2"])
    context.unroute(SAVE)
    Attempt.objects.filter(pk=attempt.pk).update(deadline_at=timezone.now() + timedelta(seconds=5))
    again = watched(context.new_page())
    again.goto(address)
    again.wait_for_url(re.compile(r"/grade/"))
    expect(again.locator("[data-late-drafts]")).to_contain_text("A text from this device arrived after time.")
    assert stored(attempt) == "b" * 9_000 + "2"
    assert list(LateText.objects.values_list("text", flat=True)) == ["a" * 9_000 + "1"]


def test_a_draft_overwrites_no_newer_text(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page], complaints: Complaints
) -> None:
    """P4: it was written before another device saved; that the page was loaded with the newer text is no
    sign that the person has seen it."""
    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    address = crash_with([page], ["before"])
    context.unroute(SAVE)
    Response.objects.filter(attempt=attempt, position=1).update(text="newer", revision=1)
    again = watched(context.new_page())
    again.goto(address)
    expect(again.get_by_label("Saved elsewhere")).to_have_value("newer")
    expect(box(again)).to_have_value("before")
    assert stored(attempt) == "newer"
    again.get_by_role("button", name="Keep both").click()
    expect(state(again)).to_have_text(SAVED)
    assert (stored(attempt), drafts(again)) == ("newer\n\nbefore", [])


def test_a_full_storage_is_said_and_costs_no_save(
    page: Page, context: BrowserContext, begin: Begin, complaints: Complaints
) -> None:
    complaints.network_may_fail = True
    attempt = begin()
    page.evaluate(
        """() => {
          for (let size = 2 ** 22; size >= 1; size /= 2) {
            try {
              for (let n = 0; ; n++) localStorage.setItem(`other:${size}:${n}`, "x".repeat(size));
            } catch {}
          }
        }"""
    )
    page.route(SAVE, lambda route: route.fulfill(status=503, body=""))
    box(page).press_sequentially("no room")
    expect(state(page)).to_have_text("Not saved, retrying")
    expect(page.locator("#trouble")).to_have_text(
        "This browser has no room for a copy of your text. Leave this page open until it is saved, or copy it."
    )
    assert drafts(page) == []
    page.unroute(SAVE)
    expect(state(page)).to_have_text(SAVED, timeout=10_000)
    expect(page.locator("#trouble")).to_be_hidden()
    assert stored(attempt) == "no room"


def test_a_save_that_arrives_late_does_not_overtake_a_newer_one(page: Page, begin: Begin) -> None:
    """AUT-01: the first request is held back; the second is not even sent before it is answered."""
    attempt = begin()
    held: list[Route] = []
    page.route(SAVE, lambda route: held.append(route) if not held else route.continue_())
    box(page).press_sequentially("foo")
    expect(state(page)).to_have_text("Saving…")
    box(page).press_sequentially("bar")
    box(page).blur()
    held[0].continue_()
    expect(state(page)).to_have_text(SAVED)
    expect(page.locator("#answer-form input[name=revision]")).to_have_value("2")
    assert stored(attempt) == "foobar"


def test_saving_does_not_disturb_typing(page: Page, begin: Begin) -> None:
    """AUT-14: caret, focus and selection stay where they are over a save."""
    attempt = begin()
    box(page).fill("a" * 500)
    expect(state(page)).to_have_text(SAVED)
    box(page).evaluate("(box) => box.setSelectionRange(100, 100)")
    for letter in "XYZ":
        with page.expect_response(SAVE):
            box(page).press(letter)
    assert box(page).evaluate("(box) => [box.selectionStart, box.selectionEnd]") == [103, 103]
    expect(box(page)).to_be_focused()
    expect(state(page)).to_have_text(SAVED)
    assert stored(attempt) == "a" * 100 + "XYZ" + "a" * 400
    box(page).evaluate(
        "(box) => { box.value += '!'; box.dispatchEvent(new Event('input')); box.setSelectionRange(5, 50); }"
    )
    with page.expect_response(SAVE):
        pass
    assert box(page).evaluate("(box) => [box.selectionStart, box.selectionEnd]") == [5, 50]


@pytest.mark.parametrize("way", ["next", "back", "link"])
def test_leaving_at_once_loses_nothing(page: Page, begin: Begin, live_server: Any, way: str) -> None:
    """AUT-10: typed and left within 300 ms."""
    page.goto(f"{live_server.url}/questions/")
    attempt = begin()
    page.on("dialog", lambda dialog: dialog.accept())
    box(page).press_sequentially("quick")
    if way == "next":
        page.get_by_role("button", name="Next").click()
        expect(page.locator("#room")).to_have_attribute("data-position", "2")
    elif way == "back":
        page.go_back()
        page.go_forward()
        expect(box(page)).to_have_value("quick")
        expect(state(page)).to_have_text(SAVED)
    else:
        page.goto(f"{live_server.url}/")
        page.get_by_role("link", name="Go on answering").click()
        expect(box(page)).to_have_value("quick")
    assert stored(attempt) == "quick"


def test_a_text_over_the_limit_is_refused_in_place_and_saved_once_it_fits(page: Page, begin: Begin) -> None:
    """AUT-12: page and server count alike, line breaks and emoji as one."""
    attempt = begin()
    fits = ("😀" * 10 + "\n" * 200).ljust(16_000, "a")
    box(page).fill(fits)
    expect(state(page)).to_have_text(SAVED)
    assert stored(attempt) == fits
    box(page).press("End")
    box(page).evaluate("(box) => box.setSelectionRange(box.value.length, box.value.length)")
    box(page).press("b")
    expect(state(page)).to_have_text("Not saved: too long")
    expect(page.locator("#trouble")).to_contain_text("16,001 characters; 16,000 is the most")
    expect(box(page)).to_have_value(fits + "b")
    assert stored(attempt) == fits
    box(page).press("Backspace")
    box(page).press("Backspace")
    expect(state(page)).to_have_text(SAVED)
    assert stored(attempt) == fits[:-1]


def test_a_session_that_ended_keeps_the_text_and_takes_it_up_after_signing_in(
    page: Page, begin: Begin, candidate: Any, sign_in: Any, complaints: Complaints
) -> None:
    """AUT-05, P5: no login page inside the room; the text comes back into the right account."""
    complaints.network_may_fail = True
    attempt = begin()
    Session.objects.all().delete()
    box(page).press_sequentially("gamma")
    expect(state(page)).to_have_text("Not saved: signed out")
    link = page.get_by_role("link", name="Sign in and come back")
    room = reverse("interviews:room", args=[attempt.pk, 1])
    assert link.get_attribute("href") == f"{reverse('account_login')}?next={room}"
    expect(box(page)).to_have_value("gamma")
    sign_in(candidate)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(box(page)).to_have_value("gamma")
    expect(state(page)).to_have_text(SAVED)
    assert stored(attempt) == "gamma"


def test_a_token_from_before_a_sign_in_elsewhere_still_saves(
    page: Page, context: BrowserContext, begin: Begin, candidate: Any, sign_in: Any, live_server: Any
) -> None:
    attempt = begin()
    sign_in(candidate)  # another tab signed in: new session
    context.add_cookies([{"name": "csrftoken", "value": "a" * 32, "url": live_server.url}])
    box(page).press_sequentially("still here")
    expect(state(page)).to_have_text(SAVED)
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#room")).to_have_attribute("data-position", "2")
    assert stored(attempt) == "still here"


def test_time_over_saves_the_last_words_and_leads_to_grading(page: Page, begin: Begin) -> None:
    attempt = begin(seconds=10)
    box(page).press_sequentially("last words")
    page.wait_for_url(re.compile(r"/grade/"))
    attempt.refresh_from_db()
    assert stored(attempt) == "last words"
    assert (attempt.state, attempt.ending) == (State.GRADING, Ending.DEADLINE)
    assert attempt.finished_at == attempt.deadline_at


def test_text_typed_offline_over_the_deadline_is_kept_as_late(
    page: Page, context: BrowserContext, begin: Begin, complaints: Complaints
) -> None:
    """TIM-15, P6: the network is gone at zero; later the page has a way on and the text is kept, not graded."""
    complaints.network_may_fail = True
    attempt = begin(seconds=10)
    context.set_offline(True)
    box(page).press_sequentially("too late")
    expect(state(page)).to_contain_text("kept on this device", timeout=10_000)
    expect(page.locator("#trouble")).to_contain_text("Time is over", timeout=20_000)
    Attempt.objects.filter(pk=attempt.pk).update(
        started_at=timezone.now() - timedelta(minutes=11), deadline_at=timezone.now() - timedelta(minutes=1)
    )
    context.set_offline(False)
    page.wait_for_url(re.compile(r"/grade/"))
    expect(page.get_by_text("arrived after time", exact=False).first).to_be_visible()
    assert list(LateText.objects.values_list("response__position", "text")) == [(1, "too late")]
    assert stored(attempt) == ""


@pytest.mark.parametrize("minutes_off", [-7, 7, 24 * 60])
def test_a_wrong_computer_clock_changes_nothing(page: Page, begin: Begin, minutes_off: int) -> None:
    """TIM-03: shown time comes from the server."""
    page.add_init_script(
        f"const real = Date.now; Date.now = () => real() + {minutes_off * 60_000};"
        f"const Plain = Date; Date = class extends Plain {{ constructor(...a) {{ a.length ? super(...a) : super(Date.now()); }} }};"
    )
    begin(seconds=120)
    shown = page.locator("#clock-digits").inner_text()
    assert re.fullmatch(r"(2:00|1:5[5-9])", shown)


def test_the_clock_follows_the_server_after_a_sleep(page: Page, begin: Begin) -> None:
    attempt = begin(seconds=600)
    Attempt.objects.filter(pk=attempt.pk).update(deadline_at=timezone.now() + timedelta(seconds=300))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#clock-digits")).to_have_text(re.compile(r"^(5:00|4:5[5-9])$"))


@pytest.mark.parametrize(
    ("fields", "plan", "chip"),
    [
        ({"time_allowance": "1.50"}, "22:30 = 15:00 × 1.5", "Time 22:30 = 15:00 × 1.5"),
        ({"time_allowance": "untimed", "deadline_at": None}, "no time limit", "no time limit"),
        ({"mode": "practice", "deadline_at": None}, "practice, no clock", "Practice"),
    ],
    ids=["stretched", "untimed", "practice"],
)
def test_the_plan_of_the_time_has_its_place_on_a_phone(
    page: Page, begin: Begin, fields: dict[str, Any], plan: str, chip: str
) -> None:
    """P10: beside the clock where there is room, else above the question; the state keeps its one line."""
    begin(**fields)
    in_strip = page.locator(".strip").get_by_text(plan)
    above = page.locator(".question .chip").get_by_text(chip, exact=True)
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(in_strip).to_be_visible()
    for width in (360, 320):
        page.set_viewport_size({"width": width, "height": 740})
        expect(above).to_be_visible()
        expect(in_strip).to_be_hidden()
        if width == 360:
            box(page).press_sequentially("x")
        expect(state(page)).to_have_text(SAVED)
        one_line = state(page).evaluate(
            "(shown) => shown.offsetHeight < 2 * parseFloat(getComputedStyle(shown).fontSize)"
        )
        at_the_edge = page.get_by_role("button", name="Finish").evaluate(
            "(button) => innerWidth - button.getBoundingClientRect().right"
        )
        assert (one_line, at_the_edge) == (True, 16)


def test_one_word_is_no_plural(page: Page, begin: Begin) -> None:
    begin()
    for text, count in (("", "0 words"), ("x", "1 word"), ("x y", "2 words")):
        box(page).fill(text)
        expect(page.locator("#count")).to_have_text(count)


def test_the_clock_is_quiet_and_warns_once(page: Page, begin: Begin, complaints: Complaints) -> None:
    """A11-01: the ticking element is no live region; 5 minutes, 1 minute and the end are said once each."""
    complaints.network_may_fail = True
    page.clock.install()
    # A page that is shown asks the server for the time; answered after the clock was put forward, it would
    # put it back.
    with page.expect_response("**/clock"):
        begin(seconds=303)
    page.wait_for_load_state("networkidle")
    ticking = page.locator("#clock")
    assert ticking.get_attribute("role") == "timer"
    assert ticking.get_attribute("aria-live") is None
    page.evaluate(
        """() => {
          window.heard = [];
          const news = document.getElementById("clock-news");
          new MutationObserver(() => window.heard.push(news.textContent)).observe(news, { childList: true });
        }"""
    )
    page.route("**/clock", lambda route: route.abort())
    page.clock.run_for(6_000)
    page.clock.run_for(245_000)
    expect(page.locator("#clock-news")).to_have_text("1 minute left")
    assert page.evaluate("window.heard") == ["5 minutes left", "1 minute left"]


def test_the_keyboard_alone_goes_through_the_room(page: Page, begin: Begin) -> None:
    attempt = begin()
    page.keyboard.press("Alt+f")
    expect(page.locator("#flag-button")).to_have_text("⚑ Flagged")
    expect(page.locator("#flag-button")).to_be_focused()
    box(page).focus()
    page.keyboard.type("by keys")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#room")).to_have_attribute("data-position", "2")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.keyboard.press("Alt+ArrowLeft")
    expect(page.locator("#room")).to_have_attribute("data-position", "1")
    expect(box(page)).to_have_value("by keys")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys in the room")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys in the room")).to_be_hidden()
    first = Response.objects.get(attempt=attempt, position=1)
    assert (first.text, first.is_flagged) == ("by keys", True)


def test_follow_ups_are_asked_once_the_answer_is_given(page: Page, begin: Begin) -> None:
    attempt = begin(responses=1, responses__follow_ups=1)
    Response.objects.filter(attempt=attempt, position=2).update(asked_at=None)
    page.reload()
    expect(page.locator(".map button")).to_have_count(1)
    box(page).press_sequentially("main answer")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Follow-up to")
    expect(page.locator(".map button")).to_have_text(["1", "1a"])


def test_without_script_the_room_still_saves_and_moves(
    browser: Any, begin: Begin, candidate: Any, sign_in: Any, live_server: Any
) -> None:
    attempt = begin()
    plain = browser.new_context(java_script_enabled=False)
    sign_in(candidate, plain)
    page = plain.new_page()
    page.goto(f"{live_server.url}/attempts/{attempt.pk}/q/1/")
    page.get_by_label("Your answer").fill("no script")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#room")).to_have_attribute("data-position", "2")
    assert stored(attempt) == "no script"
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("button", name="Hand in and grade").click()
    page.wait_for_url(re.compile(r"/grade/"))
    plain.close()


def test_one_person_s_drafts_stay_out_of_another_s_room(
    page: Page, context: BrowserContext, begin: Begin, sign_in: Any, complaints: Complaints, live_server: Any
) -> None:
    """TIM-17, P5: a draft is replayed into the account it was typed in, or not at all."""
    from tests.factories.interviews import AttemptFactory, CandidateFactory

    complaints.network_may_fail = True
    attempt = begin()
    context.route(SAVE, lambda route: route.abort())
    box(page).press_sequentially("private")
    expect(state(page)).to_have_text("Not saved, retrying")
    other = AttemptFactory(
        user=CandidateFactory(), responses__texts=[""], started_at=timezone.now(), minutes=10
    )
    sign_in(other.user)
    context.unroute(SAVE)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{live_server.url}/attempts/{other.pk}/q/1/")
    expect(box(page)).to_have_value("")
    assert (stored(attempt), stored(other)) == ("", "")


def test_more_time_given_while_the_room_is_open_is_taken_up(page: Page, begin: Begin) -> None:
    """P10: at the old end the page asks the server, which has moved the deadline."""
    attempt = begin(seconds=6)
    Attempt.objects.filter(pk=attempt.pk).update(deadline_at=timezone.now() + timedelta(minutes=9))
    expect(page.locator("#clock-digits")).to_have_text(re.compile(r"^8:5\d$"), timeout=15_000)
    box(page).press_sequentially("still writing")
    expect(state(page)).to_have_text(SAVED)
    attempt.refresh_from_db()
    assert (attempt.state, stored(attempt)) == (State.RUNNING, "still writing")


def test_no_limit_given_while_the_room_is_open_stops_the_clock(page: Page, begin: Begin) -> None:
    attempt = begin(seconds=6)
    Attempt.objects.filter(pk=attempt.pk).update(deadline_at=None)
    expect(page.locator("#clock-digits")).to_have_text("No limit", timeout=15_000)
    box(page).press_sequentially("on and on")
    expect(state(page)).to_have_text(SAVED)
    attempt.refresh_from_db()
    assert attempt.state == State.RUNNING


def test_a_tab_that_only_looks_changes_nothing_for_the_one_that_types(
    page: Page, context: BrowserContext, begin: Begin, watched: Callable[[Page], Page]
) -> None:
    attempt = begin()
    box(page).press_sequentially("one")
    expect(state(page)).to_have_text(SAVED)
    looking = watched(context.new_page())
    looking.goto(page.url)
    box(page).press_sequentially(" two")
    expect(page.locator("#answer-form input[name=revision]")).to_have_value("2")
    looking.get_by_role("button", name="Next").click()
    expect(looking.locator("#room")).to_have_attribute("data-position", "2")
    box(page).press_sequentially(" three")
    expect(page.locator("#answer-form input[name=revision]")).to_have_value("3")
    expect(page.locator("#conflict")).to_be_hidden()
    assert stored(attempt) == "one two three"


def test_a_save_whose_answer_was_lost_is_no_conflict_with_itself(
    page: Page, begin: Begin, complaints: Complaints
) -> None:
    """The server took "foo", the answer never came; after a reload the draft goes on from it."""
    complaints.network_may_fail = True
    attempt = begin()

    def swallow(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route(SAVE, swallow)
    box(page).press_sequentially("foo")
    expect(state(page)).to_have_text("Not saved, retrying")
    assert stored(attempt) == "foo"
    box(page).press_sequentially("bar")
    page.unroute(SAVE)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(box(page)).to_have_value("foobar")
    expect(state(page)).to_have_text(SAVED)
    expect(page.locator("#conflict")).to_be_hidden()
    assert stored(attempt) == "foobar"
    assert drafts(page) == []


def test_handing_in_offline_claims_nothing_and_loses_nothing(
    page: Page, context: BrowserContext, begin: Begin, complaints: Complaints
) -> None:
    """AUT-08: the page stands and says so; online again the same press hands in."""
    complaints.network_may_fail = True
    attempt = begin()
    box(page).press_sequentially("done")
    page.get_by_role("button", name="Finish").click()
    page.wait_for_url("**/finish/")
    context.set_offline(True)
    page.get_by_role("button", name="Hand in and grade").click()
    expect(page.locator("#drafts")).to_contain_text("Not handed in: the server cannot be reached.")
    context.set_offline(False)
    page.get_by_role("button", name="Hand in and grade").click()
    page.wait_for_url(re.compile(r"/grade/"))
    attempt.refresh_from_db()
    assert (attempt.state, stored(attempt)) == (State.GRADING, "done")


def test_a_room_without_a_clock_learns_that_the_interview_has_ended(page: Page, begin: Begin) -> None:
    attempt = begin(mode="practice", deadline_at=None)
    box(page).press_sequentially("in time")
    expect(state(page)).to_have_text(SAVED)
    Attempt.objects.filter(pk=attempt.pk).update(
        state=State.GRADING, finished_at=timezone.now(), ending=Ending.FINISHED
    )
    box(page).press_sequentially(", too late")
    expect(page.locator("#trouble")).to_contain_text("This interview has ended.")
    expect(box(page)).not_to_be_editable()
    assert list(LateText.objects.values_list("text", flat=True)) == ["in time, too late"]
    assert stored(attempt) == "in time"


@pytest.mark.parametrize("way", ["pause", "next"])
def test_what_was_typed_before_the_script_came_is_saved_too(page: Page, begin: Begin, way: str) -> None:
    """A slow network: the box is there at once, the script later. It must not take the text for saved."""
    held: list[Route] = []
    attempt = begin()
    page.route("**/js/room.js", lambda route: held.append(route))  # noqa: PLW0108
    with page.expect_request("**/js/room.js"):
        page.goto(page.url, wait_until="commit")
    box(page).press_sequentially("early words")
    held[0].continue_()
    expect(page.locator("#count")).to_have_text("2 words")
    if way == "next":
        page.get_by_role("button", name="Next").click()
        expect(page.locator("#room")).to_have_attribute("data-position", "2")
    else:
        expect(state(page)).to_have_text(SAVED)
    assert stored(attempt) == "early words"
