"""Taking an attempt again and deleting it, below the views: each exit, and each repeated."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from prepapp.bank.choices import Status
from prepapp.bank.models import FollowUp, Question
from prepapp.interviews.actions.history import StillRunning, delete_attempt, retake_attempt
from prepapp.interviews.actions.start import blueprint_plan, start_attempt
from prepapp.interviews.choices import State
from prepapp.interviews.models import Attempt, Response
from prepapp.interviews.refusals import CannotFill
from tests.factories.bank import QuestionFactory, TopicFactory, TrackFactory, add_version, create_questions
from tests.factories.interviews import AttemptFactory, BlueprintFactory, CandidateFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 14, 12, 0, tzinfo=UTC)


def again(original: Attempt, **options: object) -> Attempt:
    values = {"user": original.user, "original": original, "start_key": uuid4(), "now": NOW, **options}
    return retake_attempt(**values).attempt


def follow_up_keys(attempt: Attempt) -> list[str]:
    rows = Response.objects.filter(attempt=attempt, follow_up__isnull=False)
    return list(rows.values_list("follow_up__key", flat=True))


def test_deleting_twice_is_harmless() -> None:
    attempt = AttemptFactory(state=State.ABANDONED)
    for _ in range(2):
        delete_attempt(attempt=attempt)
    assert Attempt.objects.count() == Response.objects.count() == 0


def test_state_is_read_again_under_the_lock() -> None:
    attempt = AttemptFactory()
    attempt.state = State.ABANDONED
    with pytest.raises(StillRunning):
        delete_attempt(attempt=attempt)
    assert Attempt.objects.count() == 1


def test_the_allowance_of_today_counts() -> None:
    user = CandidateFactory(time_allowance="2.00")
    original = AttemptFactory(user=user, state=State.GRADED, track=TrackFactory())
    attempt = again(original)
    assert attempt.time_allowance == "2.00"
    assert attempt.deadline_at == NOW + timedelta(minutes=30)


def test_a_follow_up_that_is_gone_gives_its_place_to_another() -> None:
    question = QuestionFactory(version__follow_ups=2)
    original = AttemptFactory(
        state=State.GRADED, track=TrackFactory(), responses__questions=[question], responses__follow_ups=2
    )
    version = add_version(question, follow_ups=3)
    FollowUp.objects.filter(version=version, key="f1").update(key="f9")
    attempt = again(original)
    assert follow_up_keys(attempt) == ["f9", "f2"]
    assert set(attempt.responses.values_list("version", flat=True)) == {version.pk}


def test_a_version_with_too_few_follow_ups_is_replaced() -> None:
    topic = TopicFactory(track=TrackFactory(code="gpu"))
    old, other = create_questions(2, topic=topic, follow_ups=1)
    original = AttemptFactory(
        state=State.GRADED, track_id="gpu", responses__questions=[old], responses__follow_ups=1
    )
    add_version(old, follow_ups=0)
    done = retake_attempt(user=original.user, original=original, start_key=uuid4(), now=NOW)
    assert done.replaced == 1
    assert set(done.attempt.responses.values_list("version__question", flat=True)) == {other.pk}


def test_a_question_of_another_kind_is_better_than_none() -> None:
    topic = TopicFactory(track=TrackFactory(code="gpu"))
    gone, design = create_questions(2, topic=topic, kind=lambda i: ["coding", "design"][i])
    original = AttemptFactory(state=State.GRADED, track_id="gpu", responses__questions=[gone])
    Question.objects.filter(pk=gone.pk).update(status=Status.RETIRED)
    assert again(original).responses.get().version.question_id == design.pk
    Question.objects.update(status=Status.RETIRED)
    Attempt.objects.running().update(state=State.GRADING, finished_at=NOW)
    with pytest.raises(CannotFill):
        again(original)
    assert Attempt.objects.count() == 2


@pytest.mark.parametrize("gone", ["ml.core", "beh.story"])
def test_what_is_gone_from_a_mixed_interview_is_replaced_from_the_track_of_its_round(gone: str) -> None:
    refs = {}
    for code, kind in (("ml.core", "concept"), ("beh.story", "concept"), ("swe.code", "coding")):
        made = create_questions(2, topic=TopicFactory(code=code), kind=lambda _, kind=kind: kind)
        refs[code] = {question.ref for question in made}
    mixed = BlueprintFactory(
        recipe={"slots": [{"minutes": 10}, {"minutes": 10, "track": "beh"}, {"minutes": 10, "track": "swe"}]}
    )
    user, plan = CandidateFactory(), blueprint_plan(mixed, "ml", "intermediate")
    original = start_attempt(
        user=user, plan=plan, mode="mock", start_key=uuid4(), seed=1, now=NOW - timedelta(days=1)
    )
    asked = original.responses.get(version__question__topic=gone).version.question_id
    Question.objects.filter(pk=asked).update(status=Status.RETIRED)
    done = retake_attempt(user=user, original=original, start_key=uuid4(), now=NOW)
    assert done.replaced == 1
    found = done.attempt.responses.order_by("position").values_list("version__question__ref", flat=True)
    assert [ref in refs[code] for ref, code in zip(found, refs, strict=True)] == [True] * 3


def test_an_overdue_attempt_of_the_kind_does_not_stand_in_the_way() -> None:
    original = AttemptFactory(state=State.GRADED, track=TrackFactory())
    first = again(original, now=NOW - timedelta(days=1))
    second = again(original)
    assert first.pk != second.pk
    first.refresh_from_db()
    assert (first.state, first.finished_at) == (State.GRADING, first.deadline_at)


def test_queries_do_not_grow_with_the_questions() -> None:
    counts = []
    for questions in (1, 4):
        original = AttemptFactory(
            state=State.GRADED, track=TrackFactory(), responses=questions, responses__follow_ups=1
        )
        user = original.user
        with CaptureQueriesContext(connection) as captured:
            again(original, user=user)
        counts.append(len(captured))
    assert counts[0] == counts[1]
