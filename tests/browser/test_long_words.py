"""Answers of 3,000 words and words that cannot be broken fit a phone and a page at 200 % zoom."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from prepapp.interviews.choices import Band, MarkValue, State
from prepapp.interviews.models import Attempt, Mark, ResponseGrade
from tests.factories.bank import create_questions
from tests.factories.interviews import AttemptFactory

WORD = "x" * 60
LONG = f"{'word ' * 3_000}{WORD}"
# A phone, a small one, and a window of 1,440 px at 200 %.
WIDTHS = (360, 320, 720)


@pytest.fixture
def pair(candidate: Any, sign_in: Any) -> list[Attempt]:
    """Two graded attempts at the same questions; every text that can be long holds the word."""
    questions = create_questions(2)
    version = questions[0].current_version
    version.title = f"A title with {WORD}"
    version.save()
    made = [
        AttemptFactory(
            user=candidate,
            state=State.GRADED,
            title=f"Interview {WORD}",
            started_at=timezone.now() - timedelta(days=days),
            responses__questions=questions,
            responses__texts=[LONG, WORD],
            grading__value=MarkValue.PARTLY,
        )
        for days in (2, 1)
    ]
    ResponseGrade.objects.update(fix_next=WORD, confidence=Band.HIRE)
    Mark.objects.update(quote=WORD)
    sign_in(candidate)
    return made


@pytest.mark.parametrize("name", ["result", "review", "compare", "history", "grade"])
def test_nothing_sticks_out(page: Page, pair: list[Attempt], live_server: Any, name: str) -> None:
    before, after = pair
    own = {"history": (), "compare": ()}.get(name, (after.pk,))
    if name == "grade":
        Attempt.objects.filter(pk=after.pk).update(state=State.GRADING, graded_at=None, score=None)
    address = f"{live_server.url}{reverse(f'interviews:{name}', args=own)}"
    if name == "compare":
        ref = after.responses.earliest("position").version.question.ref
        address += f"?a={before.pk}&b={after.pk}&question={ref}"
    page.goto(address)
    page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
    over = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        over[width] = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert over == dict.fromkeys(WIDTHS, 0)
    assert page.evaluate("document.body.textContent.includes('x'.repeat(60))")
