"""A visitor's double click: two starts at once by one browser that has no session yet (P9)."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models import Count

from prepapp.accounts.models import User
from prepapp.interviews.actions.start import Plan, start_as_guest
from prepapp.interviews.choices import Mode
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.refusals import CannotFill
from tests.concurrency.racing import ROUNDS, race, tell
from tests.factories.interviews import STARTED_AT
from tests.interviews.sitting import make_bank, make_plan

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def plan() -> Plan:
    return make_plan(make_bank(3), questions=2)


def make_ids() -> list[UUID]:
    return [uuid4() for _ in range(ROUNDS)]


def starter(
    plan: Plan, guests: Sequence[UUID | None], keys: list[UUID], seconds: int = 0
) -> Callable[[int], UUID]:
    def start(number: int) -> UUID:
        return start_as_guest(
            guest_id=guests[number],
            plan=plan,
            mode=Mode.MOCK,
            start_key=keys[number],
            seed=number,
            now=STARTED_AT + timedelta(seconds=seconds),
        ).pk

    return start


def doubled() -> int:
    """Presses that made more than one attempt."""
    presses = Attempt.objects.values("start_key").annotate(attempts=Count("id"))
    return presses.filter(attempts__gt=1).count()


def test_a_visitors_double_click_makes_one_guest_with_one_attempt(plan: Plan) -> None:
    guests, keys = make_ids(), make_ids()
    outcomes = race(starter(plan, guests, keys), starter(plan, guests, keys, seconds=1))
    tell(duplicates=doubled())
    assert [pair for pair in outcomes if not isinstance(pair[0], UUID) or pair[0] != pair[1]] == []
    assert set(User.objects.values_list("pk", flat=True)) == set(guests)
    assert sorted(Attempt.objects.values_list("user", "start_key")) == sorted(zip(guests, keys, strict=True))
    assert Response.objects.count() == ROUNDS * 4


def test_control_two_presses_that_nothing_ties_are_two_guests(plan: Plan) -> None:
    """As it was when every start of a visitor made a guest of its own: the constraints hold per person."""
    keys, nobody = make_ids(), [None] * ROUNDS
    race(starter(plan, nobody, keys), starter(plan, nobody, keys, seconds=1))
    tell(duplicates=doubled())
    assert doubled() == ROUNDS
    assert User.objects.count() == 2 * ROUNDS


def test_a_double_click_that_is_refused_leaves_no_guest(plan: Plan) -> None:
    """The second waits for the first, which is taken back, and is refused for the same reason."""
    too_many = make_plan(make_bank(1), questions=2)
    guests, keys = make_ids(), make_ids()
    outcomes: list[Any] = race(starter(too_many, guests, keys), starter(too_many, guests, keys, seconds=1))
    assert {type(outcome) for pair in outcomes for outcome in pair} == {CannotFill}
    assert (User.objects.count(), Attempt.objects.count()) == (0, 0)
