"""Two schedulers, two workers, two presses at once: one report, one mail (P14, REP-05)."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, UniqueConstraint

from prepapp.accounts.models import User
from prepapp.interviews.choices import State
from prepapp.reports.actions.mailing import send_report, want_copy
from prepapp.reports.actions.weekly import make_due_reports
from prepapp.reports.choices import MailState
from prepapp.reports.models import WeeklyReport
from prepapp.reports.queries.due import chunks, due_people
from prepapp.reports.weeks import Week
from tests.concurrency.racing import PATIENCE, ROUNDS, interleave, race, tell
from tests.factories.accounts import UserFactory
from tests.factories.interviews import AttemptFactory

pytestmark = [pytest.mark.concurrency, pytest.mark.django_db(transaction=True)]
WEEK = Week(2026, 48)
MONDAY = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)


def practised() -> User:
    joined = MONDAY - timedelta(days=60)
    user: User = UserFactory(wants_weekly_mail=True, date_joined=joined, last_login=joined)
    AttemptFactory(user=user, state=State.GRADING, started_at=MONDAY - timedelta(days=3), responses=0)
    return user


def planned() -> list[WeeklyReport]:
    """One report for each round."""
    return [
        WeeklyReport.objects.create(
            user=practised(), year=2026, week=48, made_at=MONDAY, mail_state=MailState.PLANNED,
            mail_state_at=MONDAY, mail_due_at=MONDAY,
            figures={"week": "2026-W48", "practice": {}, "topics": [], "weak": [], "unmeasured": [], "plan": []},
        )
        for _ in range(ROUNDS)
    ]  # fmt: skip


def doubles(field: str) -> int:
    return WeeklyReport.objects.values(field).annotate(reports=Count("pk")).filter(reports__gt=1).count()


def plan(number: int = 0) -> list[Any]:
    """One tick of a scheduler; returns what is to be mailed by it."""
    made = []
    for first, last in chunks(due_people(WEEK, MONDAY)):
        made += make_due_reports(week=WEEK, first_id=first, last_id=last, now=MONDAY)
    return made


def two_planners() -> list[Any]:
    """In each round one more person is owed a report, and two schedulers tick at once."""
    users = [practised() for _ in range(ROUNDS)]
    User.objects.filter(pk__in=[user.pk for user in users]).update(is_active=False)

    def arrive_and_plan(number: int) -> list[Any]:
        User.objects.filter(pk=users[number].pk).update(is_active=True)
        return plan()

    return race(arrive_and_plan, arrive_and_plan)


def test_two_planners_at_once_make_one_report_each() -> None:
    outcomes = two_planners()
    tell(duplicates=doubles("user"))
    assert [outcome for pair in outcomes for outcome in pair if not isinstance(outcome, list)] == []
    assert (doubles("user"), WeeklyReport.objects.count()) == (0, ROUNDS)
    # Each is named once as to be mailed.
    named = Counter(pk for pair in outcomes for made in pair for pk in made)
    assert named == Counter(WeeklyReport.objects.values_list("pk", flat=True))


@contextmanager
def without_the_unique_constraint() -> Iterator[None]:
    """Takes it off the table of this test database, and puts it back on an empty one."""
    every = list(WeeklyReport._meta.constraints)
    [unique] = [rule for rule in every if isinstance(rule, UniqueConstraint)]
    assert unique.name == "weeklyreport_once"
    try:
        WeeklyReport._meta.constraints = [rule for rule in every if rule is not unique]
        with connection.schema_editor() as editor:
            editor.remove_constraint(WeeklyReport, unique)
        yield
    finally:
        WeeklyReport._meta.constraints = every
        WeeklyReport.objects.all().delete()
        with connection.schema_editor() as editor:
            editor.add_constraint(WeeklyReport, unique)


def test_control_without_the_constraint_reports_are_doubled() -> None:
    """Look, then insert, is all that is left of a planner without it."""
    with without_the_unique_constraint():
        two_planners()
        tell(duplicates=doubles("user"))
        WeeklyReport.objects.all().delete()
        # On a busy machine one may end before the other begins, round after round: so once by force.
        outcomes = interleave("INSERT", plan, plan)
        found = doubles("user")
    assert [type(outcome) for outcome in outcomes] == [list, list]
    assert found == ROUNDS


@pytest.mark.parametrize("is_guarded", [True, False])
def test_two_workers_send_one_mail(
    mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch, is_guarded: bool
) -> None:
    """The control reads the state and then writes it, as a worker without the guard would; both have read
    before either writes."""
    reports = planned()
    both_have_read = Barrier(2, timeout=PATIENCE)

    def send(number: int) -> Any:
        return send_report(report_id=reports[number].pk, now=MONDAY)

    def send_unguarded(number: int) -> Any:
        report = WeeklyReport.objects.get(pk=reports[number].pk)
        both_have_read.wait()
        if report.mail_state != MailState.PLANNED:
            return None
        mailoutbox.append(report.user_id)
        report.mail_state = MailState.SENT
        report.save(update_fields=["mail_state"])
        return MailState.SENT

    outcomes = race(*[send if is_guarded else send_unguarded] * 2)
    twice = sum(list(pair).count(MailState.SENT) == 2 for pair in outcomes)
    tell(mailed_twice=twice)
    if is_guarded:
        assert (twice, len(mailoutbox)) == (0, ROUNDS)
        assert {frozenset(pair) for pair in map(tuple, outcomes)} == {frozenset({MailState.SENT, None})}
    else:
        assert twice == ROUNDS


def test_presses_at_once_are_all_counted() -> None:
    """Three copies an hour: one is wanted, and of three more reports of the person pressed at once, two are."""
    firsts = planned()
    WeeklyReport.objects.update(copy_wanted_at=MONDAY)
    more = [
        [
            WeeklyReport.objects.create(
                user=report.user, year=2026, week=40 + n, made_at=MONDAY, figures={},
                mail_state=MailState.SENT, mail_state_at=MONDAY,
            )
            for n in range(3)
        ]
        for report in firsts
    ]  # fmt: skip

    def press(place: int) -> Any:
        return lambda number: want_copy(report=more[number][place], now=MONDAY)

    outcomes = race(*(press(place) for place in range(3)))
    assert [sorted(outcome, key=str) for outcome in outcomes] == [[False, True, True]] * ROUNDS
    assert WeeklyReport.objects.filter(copy_wanted_at__isnull=False).count() == 3 * ROUNDS
