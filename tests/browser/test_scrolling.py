"""Wide tables, long code and long answers scroll inside their own box, which the keyboard can reach, on
every page that shows them."""

from typing import Any

import pytest
from playwright.sync_api import Page

from prepapp.accounts.models import User
from prepapp.common.markdown import render
from prepapp.interviews.choices import State
from prepapp.interviews.models import Attempt
from tests.browser.axe import accessibility_faults, scrolls_sideways
from tests.factories.bank import QuestionFactory
from tests.factories.interviews import AttemptFactory

WIDE = "\n".join(
    [
        "| " + " | ".join(f"column_number_{n}" for n in range(9)) + " |",
        "|" + "---|" * 9,
        "| " + " | ".join(f"value_{n}" for n in range(9)) + " |",
        "",
        "```python",
        "total = " + " + ".join(f"some_long_name_{n}" for n in range(20)),
        "```",
    ]
)


@pytest.fixture
def wide_attempts(candidate: User) -> dict[str, Attempt]:
    html = render(WIDE)
    question = QuestionFactory(
        version__prompt=WIDE,
        version__rendered={
            "prompt": html,
            "context": html,
            "data": "",
            "model_answer": html,
            "deeper": html,
            "pitfalls": [html],
        },
    )
    long_answer = "Nothing is said in a few words here. " * 600
    states = {"room": State.RUNNING, "grade": State.GRADING, "review": State.GRADED}
    return {
        name: AttemptFactory(
            user=candidate,
            state=state,
            responses__questions=[question],
            responses__texts=["" if state == State.RUNNING else long_answer],
            **({"mode": "practice"} if state == State.RUNNING else {}),
        )
        for name, state in states.items()
    }


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize(
    "path",
    [
        "/attempts/{room}/q/1/",
        "/attempts/{grade}/grade/1/",
        "/attempts/{review}/review/",
        "/questions/{question}/",
    ],
)
def test_what_scrolls_can_be_reached_with_the_keyboard(
    page: Page, wide_attempts: dict[str, Attempt], sign_in: Any, live_server: Any, path: str, width: int
) -> None:
    candidate = wide_attempts["room"].user
    question = wide_attempts["room"].responses.get().version.question
    sign_in(candidate)
    page.set_viewport_size({"width": width, "height": 700})
    ids = {name: attempt.pk for name, attempt in wide_attempts.items()}
    response = page.goto(live_server.url + path.format(**ids, question=question.slug))
    assert response and response.status == 200, page.url
    hidden = page.locator("pre, .prose table, .answer-text").evaluate_all(
        "boxes => boxes.filter(b => b.scrollWidth > b.clientWidth || b.scrollHeight > b.clientHeight).length"
    )
    assert hidden > 0
    assert accessibility_faults(page) == []
    assert not scrolls_sideways(page)
