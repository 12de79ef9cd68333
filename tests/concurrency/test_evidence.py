"""Two gradings of one person closed at once: the evidence counts both. The control takes the lock away and
shows that one of them is then lost."""

from datetime import timedelta

import pytest

from prepapp.interviews.actions.grading import close_grading
from prepapp.interviews.choices import MarkValue, State
from prepapp.interviews.models import Attempt, Grading
from prepapp.reports.actions.evidence import rebuild
from prepapp.reports.models import TopicWeek
from tests.concurrency.racing import interleave
from tests.factories.bank import QuestionFactory, TopicFactory
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory

pytestmark = pytest.mark.django_db(transaction=True)

NOW = STARTED_AT + timedelta(minutes=20)
WRITING = 'INSERT INTO "reports_topicweek"'


@pytest.fixture
def two_marked() -> list[Attempt]:
    """Two mocks of one person, one topic and one week, each one press before its grading closes."""
    user, topic = CandidateFactory(), TopicFactory()
    attempts = [
        AttemptFactory(
            user=user,
            state=State.GRADED,
            responses__questions=[QuestionFactory(topic=topic)],
            grading__value=MarkValue.MET,
        )
        for _ in range(2)
    ]
    Grading.objects.update(closed_at=None, score=None)
    Attempt.objects.update(state=State.GRADING, graded_at=None, score=None)
    return [Attempt.objects.get(pk=attempt.pk) for attempt in attempts]


def close_both(attempts: list[Attempt]) -> None:
    first, second = attempts
    outcomes = interleave(
        WRITING,
        lambda: close_grading(attempt=first, now=NOW),
        lambda: close_grading(attempt=second, now=NOW),
    )
    assert [type(outcome) for outcome in outcomes] == [Grading, Grading], outcomes


def test_both_count(two_marked: list[Attempt]) -> None:
    close_both(two_marked)
    assert TopicWeek.objects.get().answers == 2
    assert list(rebuild(repair=False)) == []


@pytest.mark.usefixtures("without_lock")
def test_without_the_lock_one_is_lost(two_marked: list[Attempt]) -> None:
    close_both(two_marked)
    assert TopicWeek.objects.get().answers == 1
