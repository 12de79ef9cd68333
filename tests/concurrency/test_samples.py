"""Two presses of 'compare' at once are one grading of a sample; marks given while a guest signs in come along."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection

from prepapp.accounts.actions import claim_guest_work
from prepapp.accounts.models import User
from prepapp.bank.models import SampleAnswer
from prepapp.interviews.actions.samples import grade_sample
from prepapp.interviews.models import SampleGrading
from prepapp.interviews.refusals import GuestClaimed
from tests.concurrency.racing import ROUNDS, interleave, race, tell
from tests.factories.bank import create_questions
from tests.factories.interviews import STARTED_AT, CandidateFactory
from tests.factories.samples import add_samples

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sample() -> SampleAnswer:
    return add_samples(create_questions(1)[0])[0]


def grader(users: list[User], sample: SampleAnswer, keys: list[Any], value: int) -> Callable[[int], int]:
    """Marks for the person of a round with the key of that round."""

    def grade(number: int) -> int:
        marks = dict.fromkeys(("r1", "r2", "r3"), value)
        return grade_sample(
            user=users[number], sample=sample, marks=marks, grade_key=keys[number], now=STARTED_AT
        ).pk

    return grade


def both(sample: SampleAnswer) -> list[Any]:
    """The outcomes of two presses with one key, round by round."""
    users = CandidateFactory.create_batch(ROUNDS)
    keys = [uuid4() for _ in range(ROUNDS)]
    return race(*(grader(users, sample, keys, value) for value in (2, 0)))


@contextmanager
def without_constraint() -> Iterator[None]:
    """Takes the constraint off the table of this test database, and puts it back on an empty one."""
    [rule] = SampleGrading._meta.constraints
    try:
        SampleGrading._meta.constraints = []
        with connection.schema_editor() as editor:
            editor.remove_constraint(SampleGrading, rule)
        yield
    finally:
        SampleGrading._meta.constraints = [rule]
        SampleGrading.objects.all().delete()
        with connection.schema_editor() as editor:
            editor.add_constraint(SampleGrading, rule)


def test_a_double_press_is_one_grading(sample: SampleAnswer) -> None:
    outcomes = both(sample)
    tell(parted=sum(first != second for first, second in outcomes))
    assert [first for first, second in outcomes if first != second] == []
    assert SampleGrading.objects.count() == ROUNDS


def test_control_without_the_constraint_a_double_press_fails(sample: SampleAnswer) -> None:
    """Each press has written a row of its own, and finds two."""
    with without_constraint():
        outcomes = both(sample)
        failed = [outcome for pair in outcomes for outcome in pair if not isinstance(outcome, int)]
    tell(failed=len(failed))
    assert {type(outcome) for outcome in failed} == {SampleGrading.MultipleObjectsReturned}
    assert len(failed) >= ROUNDS


def marked_while_signing_in(sample: SampleAnswer) -> tuple[Any, User]:
    guest, user = CandidateFactory(guest=True), CandidateFactory()
    grade = grader([guest], sample, [uuid4()], 2)
    first, _ = interleave(
        f'INSERT {"OR IGNORE " if connection.vendor == "sqlite" else ""}INTO "interviews_samplegrading"',
        lambda: grade(0),
        lambda: claim_guest_work(guest_id=guest.pk, user=user, now=STARTED_AT),
    )
    return first, user


def test_marks_given_while_signing_in_come_along(sample: SampleAnswer) -> None:
    first, user = marked_while_signing_in(sample)
    assert SampleGrading.objects.get(pk=first).user == user


@pytest.mark.usefixtures("without_lock")
def test_control_without_the_lock_they_are_lost(sample: SampleAnswer) -> None:
    first, _ = marked_while_signing_in(sample)
    assert isinstance(first, IntegrityError)
    assert SampleGrading.objects.count() == 0


def test_marks_after_the_claim_are_refused(sample: SampleAnswer) -> None:
    guest, user = CandidateFactory(guest=True), CandidateFactory()
    assert claim_guest_work(guest_id=guest.pk, user=user, now=STARTED_AT)
    with pytest.raises(GuestClaimed):
        grader([guest], sample, [uuid4()], 2)(0)
