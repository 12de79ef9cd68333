"""The front page of a candidate, the progress page and a drill, in the browser: with nothing, with something
and with a lot, read by axe, used by keyboard."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from prepapp.accounts.models import User
from prepapp.bank.models import Topic
from prepapp.interviews.choices import MarkValue
from prepapp.interviews.models import Attempt
from prepapp.reports.models import TopicWeek
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.bank import TopicFactory, TrackFactory, create_questions
from tests.factories.interviews import BlueprintFactory
from tests.interviews.sitting import make_bank
from tests.reports.working import grade

UNBROKEN = "pneumonoultramicroscopicsilicovolcanoconiosis-and-some-more-of-it"


@pytest.fixture
def practise(candidate: User) -> Callable[..., Topic]:
    """A topic the candidate was graded in over three weeks, and one nobody knows of."""

    def work(value: int = MarkValue.MISSED) -> Topic:
        topic = make_bank(4, follow_ups=0)
        Topic.objects.filter(pk=topic.pk).update(title="GPU memory")
        topic.refresh_from_db()
        create_questions(1, topic=TopicFactory(track=topic.tracks.get(), title=UNBROKEN))
        User.objects.filter(pk=candidate.pk).update(track=topic.code.partition(".")[0])
        candidate.refresh_from_db()
        for weeks in (3, 2, 1):
            grade(candidate, topic, value, finished_at=timezone.now() - timedelta(weeks=weeks))
        BlueprintFactory(slug="drill", title="Weak-area drill", minutes=20, recipe={"drill": True})
        return topic

    return work


def crowd(candidate: User) -> None:
    """500 measured topics."""
    track = TrackFactory()
    topics = [
        Topic(code=f"{track.code}.crowd{n}", title=f"Topic {n}", span="x", position=n) for n in range(500)
    ]
    Topic.objects.bulk_create(topics)
    monday = (timezone.now() - timedelta(days=timezone.now().weekday())).date()
    TopicWeek.objects.bulk_create(
        TopicWeek(
            user=candidate, topic=topic, week_start=monday, answers=3, trials=4.5, successes=4.5 * n / 500
        )
        for n, topic in enumerate(topics)
    )


@pytest.mark.parametrize(
    ("entries", "width", "scheme"),
    # Hundreds of rows take axe half a minute, and differ from one in their number alone.
    [*product([0, 1], [360, 1440], ["light", "dark"]), (500, 360, "dark"), (500, 1440, "light")],
)
def test_axe_finds_nothing_whatever_there_is_to_show(
    page: Page,
    candidate: User,
    practise: Any,
    sign_in: Any,
    live_server: Any,
    entries: int,
    width: int,
    scheme: str,
) -> None:
    topic = practise() if entries else None
    if entries > 1:
        crowd(candidate)
    sign_in(candidate)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})
    addresses = ["/", "/progress/", "/start/drill/"]
    if topic:
        addresses.append(f"/progress/?topic={topic.pk}")
    for address in addresses:
        response = page.goto(live_server.url + address)
        assert response and response.status == 200
        for summary in page.locator("main summary").all():
            summary.click()
        assert accessibility_faults(page) == [], address
        assert not scrolls_sideways(page), address


def test_a_drill_starts_by_keyboard_and_says_how_it_was_chosen(
    page: Page, candidate: User, practise: Any, sign_in: Any, live_server: Any
) -> None:
    practise()
    sign_in(candidate)
    page.goto(live_server.url)
    expect(page.get_by_role("heading", level=1)).to_have_text("Work on GPU memory")
    button = page.get_by_role("button", name="Start the drill")
    for _ in range(20):
        page.keyboard.press("Tab")
        if button.evaluate("element => element === document.activeElement"):
            break
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/q/1/")
    expect(page.locator("#messages")).to_contain_text("Four questions you have not seen on GPU memory.")
    attempt = Attempt.objects.get(blueprint__slug="drill")
    assert attempt.title == "Weak-area drill: GPU memory"
    page.go_back()
    page.get_by_role("button", name="Drill GPU memory").press("Enter")
    page.wait_for_url(f"**/attempts/{attempt.pk}/**")
    assert Attempt.objects.filter(blueprint__slug="drill").count() == 1


def test_a_topic_is_chosen_in_place_and_the_address_follows(
    page: Page, candidate: User, practise: Any, sign_in: Any, live_server: Any
) -> None:
    practise()
    other = make_bank(1)
    grade(candidate, other, MarkValue.MET, finished_at=timezone.now() - timedelta(weeks=1))
    sign_in(candidate)
    page.goto(f"{live_server.url}/progress/")
    heading = page.locator("#over-time-title")
    expect(heading).to_have_text("GPU memory over time")
    page.evaluate("window.stayed = true")
    page.get_by_role("link", name=other.title).press("Enter")
    expect(heading).to_have_text(f"{other.title} over time")
    expect(heading).to_be_focused()
    assert page.url.endswith(f"?topic={other.pk}")
    assert page.evaluate("window.stayed") is True
    page.reload()
    expect(heading).to_have_text(f"{other.title} over time")
    page.go_back()
    expect(heading).to_have_text("GPU memory over time")


def test_a_chart_has_its_numbers_as_a_table(
    page: Page, candidate: User, practise: Any, sign_in: Any, live_server: Any
) -> None:
    practise()
    sign_in(candidate)
    page.goto(f"{live_server.url}/progress/")
    drawn = page.locator("#over-time svg.plot")
    expect(drawn).to_have_attribute(
        "aria-label", "Line of the estimate of GPU memory over 4 weeks; the numbers are in the table below"
    )
    page.locator("#over-time summary").get_by_text("As a table").click()
    assert page.locator("#over-time tbody tr").count() == drawn.locator("circle").count() == 4


def test_the_topics_are_a_table_to_those_who_cannot_see_it(
    page: Page, candidate: User, practise: Any, sign_in: Any, live_server: Any
) -> None:
    """On a phone each row is drawn as a card and is still read as a row."""
    practise()
    sign_in(candidate)
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(live_server.url)
    row = page.get_by_role("table", name="Measured topics, the neediest first").get_by_role("row").nth(1)
    expect(row.get_by_role("rowheader")).to_contain_text("GPU memory")
    expect(row).to_contain_text("✕ weak")
