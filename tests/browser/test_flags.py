"""Flags and changed answers in the browser: sound on every screen and in every state, and raised without a reload."""

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from prepapp.accounts.choices import Role
from prepapp.accounts.models import User
from prepapp.bank.actions.flags import raise_flag, settle_flag
from prepapp.bank.choices import FlagOutcome, FlagPlace, FlagReason
from prepapp.bank.models import Flag, Question
from prepapp.interviews.choices import Band, State
from prepapp.interviews.models import Attempt, Grading, ResponseGrade
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.bank import add_version, create_questions
from tests.factories.curation import curator
from tests.factories.interviews import AttemptFactory

WIDE_WORD = "x" * 60


def flag(question: Question, user: User, reason: str, text: str) -> Flag:
    return raise_flag(
        user=user,
        version=question.current_version,
        place=FlagPlace.RESULT,
        reason=FlagReason(reason),
        text=text,
        now=timezone.now(),
    )


class Scene:
    """A reviewer who has sat interviews: one graded whose question changed, one being graded, flags in every
    state."""

    def __init__(self, user: User) -> None:
        user.role = Role.REVIEWER
        user.save()
        self.user = user
        self.changed, self.asked = create_questions(2)
        self.graded: Attempt = AttemptFactory(
            user=user, state=State.GRADED, responses__questions=[self.changed]
        )
        self.grading: Attempt = AttemptFactory(
            user=user, state=State.GRADING, responses__questions=[self.asked]
        )
        opened = Grading.objects.create(attempt=self.grading, user=user, number=1, started_at=timezone.now())
        ResponseGrade.objects.create(
            grading=opened, response=self.grading.responses.get(), user=user, confidence=Band.HIRE
        )
        answered = flag(self.changed, user, "wrong", f"It says 32. {WIDE_WORD}")
        self.settle(answered, "It says 64 now.\nThank you.")
        flag(self.changed, user, "unclear", WIDE_WORD)
        flag(self.changed, curator(), "unclear", "")
        add_version(self.changed, prompt="What is a binary heap?", change_note="It says 64 now.")

    def settle(self, found: Flag, answer: str) -> None:
        settle_flag(
            question_id=found.question_id,
            reason=FlagReason(found.reason),
            seen={found.pk: len(found.text)},
            outcome=FlagOutcome.MENDED,
            answer=answer,
            by=curator(),
            now=timezone.now(),
        )


@pytest.fixture
def scene(candidate: User, sign_in: Callable[[User], None]) -> Scene:
    sign_in(candidate)
    return Scene(candidate)


def form(page: Page) -> Locator:
    return page.locator(".flag").first


def open_form(page: Page) -> None:
    form(page).locator("summary").click()
    expect(form(page).get_by_label("In your words")).to_be_visible()


def send(page: Page) -> None:
    form(page).get_by_role("button", name="Send it to a curator").click()


def nothing(page: Page) -> None:
    """The page as it comes."""


def refused(page: Page) -> None:
    open_form(page)
    form(page).get_by_label("What is it?").select_option("other")
    send(page)
    expect(form(page).get_by_text("Say in a few words what it is")).to_be_visible()


def done(page: Page) -> None:
    open_form(page)
    send(page)
    expect(form(page).get_by_text("Thank you. A curator reads it")).to_be_visible()


def show_change(page: Page) -> None:
    page.get_by_role("link", name="See what changed").click()
    expect(page.locator(".diff").first).to_be_visible()


def refuse_answer(page: Page) -> None:
    page.get_by_label("Your answer").fill("  ")
    page.get_by_text("Kept as it is", exact=True).click()
    page.get_by_role("button", name="Answer all 2 flags").click()
    expect(page.get_by_text("Write an answer: the people who flagged this read it.")).to_be_visible()


def settled(page: Page) -> None:
    page.get_by_label("Your answer").fill("It is clear.")
    page.get_by_text("Kept as it is", exact=True).click()
    page.get_by_role("button", name="Answer all 2 flags").click()
    expect(page.get_by_text("2 flags answered. Who raised them is told.")).to_be_visible()
    expect(page.locator(":focus")).to_have_text("2 flags answered. Who raised them is told.")


def screens(scene: Scene) -> list[tuple[str, Callable[[Page], None]]]:
    """Addresses with what is done there, those that change something last."""
    asked = reverse("bank:question-detail", args=[scene.asked.slug])
    review = reverse("interviews:review", args=[scene.graded.pk])
    desk = reverse("flags:flag-question", args=[scene.changed.pk])
    return [
        ("/questions/", nothing),
        (asked, open_form),
        (asked, refused),
        (reverse("interviews:grade-answer", args=[scene.grading.pk, 1]), open_form),
        (reverse("interviews:result", args=[scene.graded.pk]), open_form),
        (review, show_change),
        (reverse("interviews:changes", args=[scene.graded.pk, 1]), nothing),
        ("/history/", nothing),
        (reverse("flags:flag-queue"), nothing),
        (f"{reverse('flags:flag-queue')}?state=settled&reason=outdated", nothing),
        (desk, nothing),
        (desk, refuse_answer),
        (asked, done),
        (desk, settled),
        (reverse("flags:flag-list"), nothing),
    ]


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
)
def test_every_screen_is_sound(
    page: Page, scene: Scene, live_server: Any, complaints: Any, width: int, scheme: Any
) -> None:
    # htmx says of each refusal in the console that it was one.
    complaints.network_may_fail = True
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    faults = []
    for address, act in screens(scene):
        reply = page.goto(live_server.url + address)
        assert reply and reply.status == 200, address
        act(page)
        where = f"{address} {act.__name__}"
        faults += [f"{where}: {fault}" for fault in accessibility_faults(page)]
        if scrolls_sideways(page):
            faults.append(f"{where}: scrolls sideways")
    assert faults == []


def test_a_question_is_flagged_by_keyboard_alone(page: Page, scene: Scene, live_server: Any) -> None:
    page.goto(live_server.url + reverse("bank:question-detail", args=[scene.asked.slug]))
    form(page).locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("It is u")
    page.keyboard.press("Tab")
    page.keyboard.type("Which bus?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_contain_text("Thank you. A curator reads it")
    made = Flag.objects.get(question=scene.asked)
    assert (made.reason, made.text, made.place) == ("unclear", "Which bus?", "browser")


def test_keys_of_grading_are_letters_in_the_form(page: Page, scene: Scene, live_server: Any) -> None:
    page.goto(live_server.url + reverse("interviews:grade-answer", args=[scene.grading.pk, 1]))
    open_form(page)
    words = form(page).get_by_label("In your words")
    words.press_sequentially("j 1 k 3 n ?")
    expect(words).to_have_value("j 1 k 3 n ?")
    assert not ResponseGrade.objects.get(response__attempt=scene.grading).marks.exists()


def test_looking_at_the_answers_is_reading_them(page: Page, scene: Scene, live_server: Any) -> None:
    page.goto(live_server.url + "/questions/")
    page.get_by_role("link", name="Read the answer").click()
    expect(page.get_by_text("It says 64 now.")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.goto(live_server.url + "/questions/")
    expect(page.get_by_role("link", name="Read the answer")).to_have_count(0)
    assert Flag.objects.get(reason="wrong").read_at is not None
