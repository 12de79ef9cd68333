"""A met point without words of the answer is *claimed*, with words *shown*, wherever a mark is read."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from prepapp.bank.models import RubricPoint
from prepapp.interviews import scoring
from prepapp.interviews.choices import Band, Ending, MarkValue, State
from prepapp.interviews.models import Attempt, Response
from tests.factories.interviews import STARTED_AT, CandidateFactory
from tests.interviews.sitting import make_bank, sit

pytestmark = pytest.mark.django_db

CHIP = re.compile(r'<span class="chip">(claimed|shown)</span>')


@pytest.mark.parametrize(
    ("value", "quote", "word"),
    [
        (MarkValue.MET, "so", "shown"),
        (MarkValue.MET, "", "claimed"),
        (MarkValue.PARTLY, "so", ""),
        (MarkValue.MISSED, "", ""),
        (None, "", ""),
    ],
)
def test_the_word_of_a_mark(value: int | None, quote: str, word: str) -> None:
    assert scoring.evidence_word(value, quote) == word


def graded(client: Client, attempts: int) -> tuple[list[Attempt], list[str]]:
    """Attempts at one question, each with two points met: one shown, one claimed; the others missed. With
    what the grading page said after each mark."""
    cleo = CandidateFactory()
    client.force_login(cleo)
    topic = make_bank(1)
    made, said = [], []
    for number in range(attempts):
        attempt = sit(cleo, questions=1, follow_ups=0, topic=topic, slot_name=f"{number}")
        Response.objects.filter(attempt=attempt).update(text="My words.")
        attempt.state, attempt.finished_at, attempt.ending = State.GRADING, STARTED_AT, Ending.FINISHED
        attempt.save()
        points = RubricPoint.objects.filter(version__responses__attempt=attempt, follow_up=None)
        point_ids = list(points.order_by("position").values_list("id", flat=True))
        client.post(reverse("interviews:confidence", args=[attempt.pk, 1]), {"confidence": Band.HIRE})
        for place, point in enumerate(point_ids):
            data = {"point": point, "value": 2 if place < 2 else 0, "quote": "My words" if not place else ""}
            address = reverse("interviews:mark", args=[attempt.pk, 1])
            said += CHIP.findall(client.post(address, data, headers={"HX-Request": "true"}).text)[:1]
        made.append(attempt)
    return made, said


def test_every_page_of_marks_says_it(client: Client) -> None:
    (before, after), said = graded(client, 2)
    assert said[:2] == ["shown", "claimed"]
    page = client.get(reverse("interviews:grade-answer", args=[after.pk, 1])).text
    assert CHIP.findall(page) == ["shown", "claimed"]
    for attempt in (before, after):
        client.post(reverse("interviews:grade-close", args=[attempt.pk]))
    assert CHIP.findall(client.get(reverse("interviews:review", args=[after.pk])).text) == [
        "shown",
        "claimed",
    ]
    ref = after.responses.get().version.question.ref
    compare = client.get(
        reverse("interviews:compare"), {"a": str(before.pk), "b": str(after.pk), "question": ref}
    )
    assert CHIP.findall(compare.text) == ["shown"] * 2 + ["claimed"] * 2
