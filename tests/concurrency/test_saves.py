"""Two saves of one answer at once: one wins, the other learns of it, no text is lost in silence (P4, F07)."""

from collections.abc import Callable

import pytest
from django.db.models import F

from prepapp.interviews.actions.answers import Saved, flag_answer, save_answer
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.refusals import RevisionConflict
from tests.concurrency.racing import ROUNDS, race, tell
from tests.factories.bank import create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def attempts() -> list[Attempt]:
    """One running interview of two empty answers for each round."""
    owner, questions = CandidateFactory(), create_questions(2)
    return [
        AttemptFactory(user=owner, responses__questions=questions, responses__texts=["", ""])
        for _ in range(ROUNDS)
    ]


def saver(attempts: list[Attempt], tab: str, position: int = 1) -> Callable[[int], Saved]:
    owner = attempts[0].user

    def save(number: int) -> Saved:
        return save_answer(
            user=owner,
            attempt_id=attempts[number].pk,
            position=position,
            text=f"{tab} {number}",
            revision=0,
            spent=1,
            now=STARTED_AT,
        )

    return save


def stored(attempts: list[Attempt], position: int = 1) -> list[str]:
    found = Response.objects.filter(position=position).values_list("attempt", "text")
    by_attempt = dict(found)
    return [by_attempt[attempt.pk] for attempt in attempts]


def test_of_two_tabs_exactly_one_is_acknowledged_and_stays(attempts: list[Attempt]) -> None:
    outcomes = race(saver(attempts, "first"), saver(attempts, "second"))
    texts = stored(attempts)
    winners = overwritten = untold = 0
    for number, pair in enumerate(outcomes):
        acknowledged = [
            f"{tab} {number}"
            for tab, outcome in zip(("first", "second"), pair, strict=True)
            if outcome == Saved(1, STARTED_AT)
        ]
        told = [(outcome.revision, outcome.text) for outcome in pair if isinstance(outcome, RevisionConflict)]
        winners += len(acknowledged) == 1
        overwritten += any(text != texts[number] for text in acknowledged)
        untold += told != [(1, texts[number])]
    tell(one_winner=winners, silent_overwrites=overwritten)
    assert (winners, overwritten, untold) == (ROUNDS, 0, 0)
    assert set(Response.objects.filter(position=1).values_list("revision", "seconds_spent")) == {(1, 1)}


def test_different_answers_of_one_interview_never_conflict(attempts: list[Attempt]) -> None:
    outcomes = race(saver(attempts, "one", 1), saver(attempts, "two", 2))
    assert [pair for pair in outcomes if pair != [Saved(1, STARTED_AT)] * 2] == []
    assert stored(attempts, 1) == [f"one {number}" for number in range(ROUNDS)]
    assert stored(attempts, 2) == [f"two {number}" for number in range(ROUNDS)]


def test_the_same_save_sent_twice_is_one_save_acknowledged_twice(attempts: list[Attempt]) -> None:
    """A retry that overtakes the reply: never a conflict with oneself."""
    outcomes = race(saver(attempts, "same"), saver(attempts, "same"))
    assert [pair for pair in outcomes if pair != [Saved(1, STARTED_AT)] * 2] == []
    assert set(Response.objects.filter(position=1).values_list("revision", "seconds_spent")) == {(1, 1)}


def test_a_flag_set_meanwhile_is_no_conflict(attempts: list[Attempt]) -> None:
    def flag(number: int) -> bool:
        return flag_answer(attempt=attempts[number], position=1, is_flagged=True)

    outcomes = race(saver(attempts, "text"), flag)
    assert [pair for pair in outcomes if pair != [Saved(1, STARTED_AT), True]] == []
    assert set(Response.objects.filter(position=1).values_list("revision", "is_flagged")) == {(1, True)}


def test_control_without_the_revision_one_tab_overwrites_the_other(attempts: list[Attempt]) -> None:
    """The same UPDATE without the condition on the revision: both are told that they are saved."""

    def careless(tab: str) -> Callable[[int], bool]:
        def save(number: int) -> bool:
            rows = Response.objects.filter(attempt=attempts[number], position=1)
            return rows.update(text=f"{tab} {number}", revision=F("revision") + 1) == 1

        return save

    outcomes = race(careless("first"), careless("second"))
    texts = stored(attempts)
    overwritten = sum(
        acknowledged and text != f"{tab} {number}"
        for number, (pair, text) in enumerate(zip(outcomes, texts, strict=True))
        for tab, acknowledged in zip(("first", "second"), pair, strict=True)
    )
    tell(silent_overwrites=overwritten)
    assert overwritten > 0
