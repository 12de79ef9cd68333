"""Handing in while a save is on its way: what was handed in stays as it was (I2, I5)."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import F

from prepapp.interviews.actions.allowance import change_time_allowance
from prepapp.interviews.actions.answers import Saved, save_answer
from prepapp.interviews.actions.finish import abandon_attempt, close_overdue_attempts, finish_attempt
from prepapp.interviews.choices import Ending, State
from prepapp.interviews.models import Attempt, LateText, Response
from tests.concurrency.racing import ROUNDS, race, tell
from tests.factories.bank import create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]

NOW = STARTED_AT + timedelta(minutes=1)


@pytest.fixture
def attempts() -> list[Attempt]:
    """One running interview of one empty answer for each round, each of another person."""
    questions = create_questions(1)
    return [
        AttemptFactory(user=owner, responses__questions=questions, responses__texts=[""])
        for owner in CandidateFactory.create_batch(ROUNDS)
    ]


def text_of(attempt: Attempt) -> str:
    return Response.objects.values_list("text", flat=True).get(attempt=attempt.pk)


def finisher(attempts: list[Attempt]) -> Callable[[int], str]:
    """Hands in and returns the answer as it stands from then on."""

    def finish(number: int) -> str:
        assert finish_attempt(attempt=attempts[number], now=NOW) is True
        return text_of(attempts[number])

    return finish


def changed_after(attempts: list[Attempt], handed_in: list[str]) -> int:
    return sum(text_of(attempt) != text for attempt, text in zip(attempts, handed_in, strict=True))


def test_no_save_changes_an_answer_that_was_handed_in(attempts: list[Attempt]) -> None:
    owners = [attempt.user for attempt in attempts]

    def save(number: int) -> Saved:
        return save_answer(
            user=owners[number],
            attempt_id=attempts[number].pk,
            position=1,
            text=f"text {number}",
            revision=0,
            spent=1,
            now=NOW,
        )

    outcomes = race(save, finisher(attempts))
    changed = changed_after(attempts, [text for _, text in outcomes])
    in_time = [number for number, (saved, _) in enumerate(outcomes) if saved == Saved(1, NOW)]
    late = [number for number, (saved, _) in enumerate(outcomes) if saved == Saved(0, NOW, is_late=True)]
    tell(in_time=len(in_time), late=len(late), changes_after_finish=changed)
    assert changed == 0
    # Acknowledged means kept: in the answer, or beside it as late.
    assert sorted(in_time + late) == list(range(ROUNDS))
    assert [text_of(attempts[number]) for number in in_time] == [f"text {number}" for number in in_time]
    assert [text_of(attempts[number]) for number in late] == [""] * len(late)
    kept = LateText.objects.values_list("text", flat=True)
    assert sorted(kept) == sorted(f"text {number}" for number in late)


def test_control_a_save_that_looks_first_and_writes_then_changes_what_was_handed_in(
    attempts: list[Attempt],
) -> None:
    """The same conditions, but read before the write and without a lock: the revision does not help,
    because handing in does not change it."""

    def careless(number: int) -> bool:
        attempt = Attempt.objects.get(pk=attempts[number].pk)
        answer = Response.objects.get(attempt=attempt, position=1)
        if not attempt.is_running or answer.asked_at is None:
            return False
        rows = Response.objects.filter(pk=answer.pk, revision=answer.revision)
        return rows.update(text=f"text {number}", revision=F("revision") + 1) == 1

    for _ in range(10):
        outcomes = race(careless, finisher(attempts))
        changed = changed_after(attempts, [text for _, text in outcomes])
        tell(changes_after_finish=changed)
        if changed:
            return
        # Not one round overlapped on this machine: all again.
        Attempt.objects.update(state=State.RUNNING, finished_at=None, ending="")
        for attempt in attempts:
            attempt.state = State.RUNNING
    pytest.fail("the race was never lost without the lock: it does not test the lock")


def test_every_interview_ends_once_whoever_ends_it(attempts: list[Attempt]) -> None:
    """Handed in, given up and swept at once: one of them did it, and the row tells its story alone."""
    now = STARTED_AT + timedelta(minutes=15)
    for_giving_up = [Attempt.objects.get(pk=attempt.pk) for attempt in attempts]
    outcomes = race(
        lambda number: finish_attempt(attempt=attempts[number], now=now - timedelta(seconds=1)),
        lambda number: abandon_attempt(attempt=for_giving_up[number], now=now),
        lambda number: close_overdue_attempts(now=now + timedelta(days=1)) > ROUNDS,
    )
    ends = {
        Ending.FINISHED: (State.GRADING, now - timedelta(seconds=1)),
        Ending.ABANDONED: (State.ABANDONED, now),
        Ending.DEADLINE: (State.GRADING, now),
    }
    for (finished, abandoned, _), attempt in zip(outcomes, attempts, strict=True):
        stored = Attempt.objects.get(pk=attempt.pk)
        assert (stored.state, stored.finished_at) == ends[stored.ending]
        assert (finished, abandoned) == (
            stored.ending == Ending.FINISHED,
            stored.ending == Ending.ABANDONED,
        )


def test_more_time_and_the_sweep_at_once_leave_it_closed_or_extended(attempts: list[Attempt]) -> None:
    """Never both: an interview the sweep closed keeps the deadline it was closed by."""
    deadline = STARTED_AT + timedelta(minutes=15)
    just_over = deadline + timedelta(seconds=6)
    owners = [attempt.user for attempt in attempts]
    outcomes = race(
        lambda number: change_time_allowance(user=owners[number], allowance="2.00", now=deadline),
        lambda number: close_overdue_attempts(now=just_over),
    )
    assert [pair for pair in outcomes if any(isinstance(outcome, Exception) for outcome in pair)] == []
    for (changed, _), attempt in zip(outcomes, attempts, strict=True):
        stored = Attempt.objects.get(pk=attempt.pk)
        if changed:
            assert (stored.state, stored.deadline_at, stored.finished_at) == (
                State.RUNNING,
                STARTED_AT + timedelta(minutes=30),
                None,
            )
        else:
            assert (stored.state, stored.deadline_at, stored.finished_at) == (
                State.GRADING,
                deadline,
                deadline,
            )
