"""Two starts at once make one attempt (P9, F11, I1)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import Count, UniqueConstraint

from prepapp.accounts.models import User
from prepapp.interviews.actions.start import Plan, start_attempt
from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt, Response
from tests.concurrency.racing import ROUNDS, interleave, race, tell
from tests.factories.interviews import STARTED_AT, CandidateFactory
from tests.interviews.sitting import make_bank, make_plan

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def people() -> list[User]:
    """One person for each round."""
    return CandidateFactory.create_batch(ROUNDS)


@pytest.fixture
def plan() -> Plan:
    return make_plan(make_bank(3), questions=2)


def starter(people: list[User], plan: Plan, keys: list[UUID]) -> Callable[[int], UUID]:
    """Starts for the person of a round with the key of that round."""

    def start(number: int) -> UUID:
        return start_attempt(
            user=people[number],
            plan=plan,
            mode=Mode.MOCK,
            start_key=keys[number],
            seed=number,
            now=STARTED_AT,
        ).pk

    return start


def make_keys() -> list[UUID]:
    return [uuid4() for _ in range(ROUNDS)]


def doubles() -> int:
    """People who own more than one running attempt."""
    owners = Attempt.objects.filter(state=State.RUNNING).values("user").annotate(attempts=Count("id"))
    return owners.filter(attempts__gt=1).count()


def test_a_double_click_makes_one_attempt(people: list[User], plan: Plan) -> None:
    keys = make_keys()
    outcomes = race(starter(people, plan, keys), starter(people, plan, keys))
    tell(duplicates=doubles())
    assert doubles() == 0
    assert [first for first, second in outcomes if first != second] == []
    assert Attempt.objects.count() == ROUNDS
    assert Response.objects.count() == ROUNDS * 4
    assert Attempt.objects.exclude(deadline_at=Attempt.objects.first().deadline_at).count() == 0


def test_two_tabs_make_one_attempt(people: list[User], plan: Plan) -> None:
    """Each tab has a key of its own: the slot decides."""
    outcomes = race(starter(people, plan, make_keys()), starter(people, plan, make_keys()))
    tell(duplicates=doubles())
    assert doubles() == 0
    assert [first for first, second in outcomes if first != second] == []
    assert (Attempt.objects.count(), Response.objects.count()) == (ROUNDS, ROUNDS * 4)


def test_everybody_starts_at_the_same_minute(plan: Plan) -> None:
    """PRF-01 without the watch: nobody is refused, everybody has an attempt and a deadline of their own."""
    at_once = 3  # with the main thread as many connections as the pool gives
    crowd = [CandidateFactory.create_batch(ROUNDS) for _ in range(at_once)]
    outcomes = race(*(starter(people, plan, make_keys()) for people in crowd))
    started = Attempt.objects.values_list("user", "deadline_at")
    assert sorted(started) == sorted(
        (person.pk, STARTED_AT + timedelta(minutes=15)) for people in crowd for person in people
    )
    assert {attempt for outcome in outcomes for attempt in outcome} == set(
        Attempt.objects.values_list("pk", flat=True)
    )


def unique_rules() -> set[tuple[str, ...]]:
    """The columns of each unique rule the table has, its key aside."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, Attempt._meta.db_table)
    return {tuple(rule["columns"]) for rule in found.values() if rule["unique"] and not rule["primary_key"]}


@contextmanager
def without_unique_constraints() -> Iterator[None]:
    """Takes both constraints off the table of this test database, and puts them back on an empty one."""
    every = list(Attempt._meta.constraints)
    unique = [rule for rule in every if isinstance(rule, UniqueConstraint)]
    assert [rule.name for rule in unique] == ["attempt_start_key_unique", "attempt_one_running"]
    if connection.vendor == "sqlite":
        # SQLite cannot alter a table: Django makes it anew, with whatever rules the model has.
        unique = unique[:1]
    try:
        Attempt._meta.constraints = [rule for rule in every if not isinstance(rule, UniqueConstraint)]
        with connection.schema_editor() as editor:
            for rule in unique:
                editor.remove_constraint(Attempt, rule)
        yield
    finally:
        Attempt._meta.constraints = every
        Attempt.objects.all().delete()
        with connection.schema_editor() as editor:
            for rule in unique:
                editor.add_constraint(Attempt, rule)


def test_control_without_the_constraints_starts_are_doubled(people: list[User], plan: Plan) -> None:
    """Look, then insert, is all that is left of a start without them. It loses on SQLite too: IMMEDIATE
    transactions let one write after the other, but both have looked before either wrote."""
    keys = make_keys()
    before = unique_rules()
    start = starter(people, plan, keys)
    with without_unique_constraints():
        assert unique_rules() == set()
        race(start, start)
        tell(duplicates=doubles())
        Attempt.objects.all().delete()
        # On a busy machine one may end before the other begins, round after round: so once by force.
        first, second = interleave('INSERT INTO "interviews_attempt"', lambda: start(0), lambda: start(0))
        found = doubles()
    assert unique_rules() == before
    assert (type(first), type(second), found) == (UUID, UUID, 1)
