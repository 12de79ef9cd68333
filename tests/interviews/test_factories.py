"""The factories of interviews keep the promises other tests stand on."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from prepapp.interviews.choices import Ending, MarkValue, State
from prepapp.interviews.models import Mark
from tests.factories.bank import create_questions
from tests.factories.interviews import ANSWER, AttemptFactory, CandidateFactory, ResponseFactory

pytestmark = pytest.mark.django_db


def test_running_attempt_has_one_answer_and_no_end() -> None:
    attempt = AttemptFactory()
    assert attempt.state == State.RUNNING
    assert attempt.finished_at is None
    assert [answer.text for answer in attempt.responses.all()] == [ANSWER]


def test_graded_attempt_marks_every_point_alike() -> None:
    attempt = AttemptFactory(
        state=State.GRADED, responses=2, responses__follow_ups=1, grading__value=MarkValue.PARTLY
    )
    assert attempt.score == Decimal(5)
    assert attempt.graded_at is not None
    assert Mark.objects.filter(response_grade__grading__attempt=attempt).count() == 2 * (3 + 2)
    assert set(Mark.objects.values_list("value", flat=True)) == {MarkValue.PARTLY}


def test_deadline_ending_is_stamped_with_the_deadline() -> None:
    attempt = AttemptFactory(state=State.GRADING, ending=Ending.DEADLINE)
    assert attempt.finished_at == attempt.deadline_at


def test_texts_and_questions_are_taken_in_order() -> None:
    questions = create_questions(2)
    attempt = AttemptFactory(responses__questions=questions, responses__texts=["one", ""])
    found = [
        (answer.version.question_id, answer.text) for answer in attempt.responses.select_related("version")
    ]
    assert found == [(questions[0].pk, "one"), (questions[1].pk, "")]


def test_response_takes_the_next_position() -> None:
    attempt = AttemptFactory(user=CandidateFactory(guest=True))
    assert ResponseFactory(attempt=attempt).position == 2


def test_cost_does_not_grow_with_the_questions() -> None:

    counts = []
    for questions in (1, 5):
        with CaptureQueriesContext(connection) as queries:
            AttemptFactory(state=State.GRADED, responses=questions)
        counts.append(len(queries))
    assert counts[0] == counts[1]
