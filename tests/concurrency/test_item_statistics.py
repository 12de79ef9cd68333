"""Item statistics while others work: two runs at once, a grading that closes and a learner who leaves in the
middle of a batch. The controls take the lock or the second try away and lose."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection

from prepapp.accounts.models import User
from prepapp.bank.models import Question
from prepapp.interviews.actions.grading import close_grading
from prepapp.interviews.choices import MarkValue, State
from prepapp.interviews.models import Attempt, Grading
from prepapp.reports.actions import item_statistics
from prepapp.reports.actions.item_statistics import Progress, RunUnderWay, count_changed, note_changed_work
from prepapp.reports.models import ChangedLearner, CountedAnswers, ItemStatistic
from prepapp.reports.queries.item_check import find_differences
from tests.concurrency.racing import interleave
from tests.factories.bank import QuestionFactory
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory

pytestmark = pytest.mark.django_db(transaction=True)

NOW = STARTED_AT + timedelta(days=1)
WRITING = 'INSERT INTO "reports_itemstatistic"'
KEEPING = 'INSERT INTO "reports_countedanswers"'
UNMARKING = 'DELETE FROM "reports_changedlearner"'


def graded(question: Question, user: User | None = None) -> Attempt:
    attempt: Attempt = AttemptFactory(
        user=user or CandidateFactory(),
        state=State.GRADED,
        responses__questions=[question],
        grading__value=MarkValue.MET,
    )
    note_changed_work(user_id=attempt.user_id)
    return attempt


@pytest.fixture
def question() -> Question:
    """Counted once by a run that found nothing, so that the next ones begin with a batch."""
    count_changed(now=NOW)
    found: Question = QuestionFactory()
    return found


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_statistics, "LEARNERS_AT_ONCE", 1)


def two_runs(question: Question) -> list[Any]:
    """What two runs end in, the second right before the first writes down its first learner of three."""
    for _ in range(3):
        graded(question)
    return interleave(WRITING, lambda: count_changed(now=NOW), lambda: count_changed(now=NOW))


@pytest.mark.usefixtures("one_at_a_time")
def test_two_runs_at_once_count_everybody_once(question: Question) -> None:
    first, second = two_runs(question)
    assert isinstance(first, Progress | RunUnderWay)
    assert isinstance(second, Progress | RunUnderWay)
    count_changed(now=NOW)
    assert ItemStatistic.objects.get().answers == 3
    assert list(find_differences()) == []


@pytest.mark.usefixtures("one_at_a_time", "without_lock")
def test_without_the_lock_they_write_over_each_other(question: Question) -> None:
    two_runs(question)
    count_changed(now=NOW)
    assert ItemStatistic.objects.get().answers == 1
    assert list(find_differences()) != []


def test_a_grading_that_closes_in_the_middle_is_counted_by_the_next_run(question: Question) -> None:
    user, other = CandidateFactory(), QuestionFactory()
    graded(question, user)
    attempt = AttemptFactory(
        user=user, state=State.GRADED, responses__questions=[other], grading__value=MarkValue.MET
    )
    Grading.objects.filter(attempt=attempt).update(closed_at=None, score=None)
    Attempt.objects.filter(pk=attempt.pk).update(state=State.GRADING, graded_at=None, score=None)
    outcomes = interleave(
        UNMARKING,
        lambda: count_changed(now=NOW, most=1),
        lambda: close_grading(
            attempt=Attempt.objects.get(pk=attempt.pk), now=STARTED_AT + timedelta(hours=1)
        ),
    )
    assert [type(outcome) for outcome in outcomes] == [Progress, Grading], outcomes
    assert list(ChangedLearner.objects.values_list("user_id", flat=True)) == [user.pk]
    assert ItemStatistic.objects.count() == 1
    count_changed(now=NOW)
    assert ItemStatistic.objects.count() == 2
    assert list(find_differences()) == []


def leave_in_the_middle(question: Question) -> list[Any]:
    user, stays = (graded(question).user for _ in range(2))
    return interleave(KEEPING, lambda: count_changed(now=NOW), lambda: User.objects.get(pk=user.pk).delete())


def test_a_learner_who_leaves_in_the_middle_does_not_stop_the_run(question: Question) -> None:
    outcomes = leave_in_the_middle(question)
    assert not any(isinstance(outcome, Exception) for outcome in outcomes), outcomes
    count_changed(now=NOW)
    assert ItemStatistic.objects.get().answers == 1
    assert CountedAnswers.objects.count() == 1
    assert list(find_differences()) == []


def test_with_one_try_the_run_would_end_there(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_statistics, "_TRIES", 1)
    first, _ = leave_in_the_middle(question)
    # SQLite lets nobody leave while a batch is written, so there one try is enough.
    assert isinstance(first, IntegrityError) is (connection.vendor == "postgresql")
