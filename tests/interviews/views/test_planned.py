"""Minutes beside a clock are those of the person's clock, on every screen (P10)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from prepapp.accounts.models import User
from prepapp.interviews.choices import Ending, Mode, State
from prepapp.interviews.models import Attempt, Blueprint
from tests.factories.interviews import STARTED_AT, BlueprintFactory, CandidateFactory
from tests.interviews.sitting import at, sit

pytestmark = pytest.mark.django_db

RECIPE = {"slots": [{"minutes": 10}], "guide": [{"minutes": 5, "text": "Ask first"}]}


def sit_with_guide(client: Client, mode: str, questions: int = 1) -> Attempt:
    cleo: User = CandidateFactory(time_allowance="1.50")
    client.force_login(cleo)
    blueprint: Blueprint = BlueprintFactory(minutes=15, recipe=RECIPE)
    attempt = sit(cleo, questions=questions, follow_ups=0, mode=mode, blueprint=blueprint)
    attempt.responses.update(minutes=7)
    return attempt


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(STARTED_AT, tick=False):
        yield


@pytest.mark.parametrize(
    ("mode", "minutes", "guide", "phase", "plans"),
    [
        (Mode.MOCK, "10.5", "22.5", "7.5", ["Time 22:30 = 15:00 × 1.5"]),
        (Mode.PRACTICE, "7", "15", "5", []),
    ],
)
def test_p10_the_room_and_the_review_count_in_the_persons_minutes(
    client: Client, mode: str, minutes: str, guide: str, phase: str, plans: list[str]
) -> None:
    attempt = sit_with_guide(client, mode)
    page = client.get(at(attempt, "room")).text
    assert f"about {minutes} min" in page
    assert f"One way to spend the {guide} minutes" in page
    assert f'<span class="num">{phase} min</span> Ask first' in page
    # The strip has no room for it on a phone; there it stands with the question.
    assert re.findall(r'<span class="chip narrow-only">(.*?)</span>', page) == plans
    Attempt.objects.update(state=State.ABANDONED, finished_at=STARTED_AT, ending=Ending.ABANDONED)
    assert f"{minutes} min planned" in client.get(reverse("interviews:review", args=[attempt.pk])).text


def test_the_guide_is_open_with_the_first_question_alone(client: Client) -> None:
    """On a phone it would stand between every other question and its answer."""
    attempt = sit_with_guide(client, Mode.MOCK, questions=2)
    for position, is_open in ((1, " open"), (2, "")):
        page = client.get(reverse("interviews:room", args=[attempt.pk, position])).text
        assert re.findall(r'<details class="fold"(.*?)>\s*<summary>One way', page) == [is_open]


def test_a_recipe_that_cannot_be_read_does_not_shut_a_running_room(client: Client) -> None:
    attempt = sit_with_guide(client, Mode.MOCK)
    Blueprint.objects.update(recipe={"slots": "from another release"})
    page = client.get(at(attempt, "room"))
    assert (page.status_code, "One way to spend" in page.text) == (200, False)
