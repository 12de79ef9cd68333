"""Which graded answers count for a topic, and that what is kept is always what the marks say."""

from datetime import UTC, date, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from prepapp.bank.models import Question, RubricPoint
from prepapp.interviews.actions.grading import close_grading, regrade, set_mark
from prepapp.interviews.actions.history import delete_attempt
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.models import Grading, Mark, Response
from prepapp.reports import mastery
from prepapp.reports.actions.evidence import note_graded_work, rebuild
from prepapp.reports.actions.rates import reckon_track_rates
from prepapp.reports.mastery import Constants, Tally
from prepapp.reports.models import TopicWeek, TrackRate
from prepapp.reports.queries.evidence import evidence, monday_of
from tests.factories.bank import QuestionFactory, TopicFactory
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory, add_grading

pytestmark = pytest.mark.django_db
RULE = Constants()
HOUR = timedelta(hours=1)


def found(user):
    return [
        (piece.topic, piece.answer.points, piece.answer.share, piece.answer.is_retake)
        for piece in sorted(evidence([user.pk]), key=lambda piece: piece.answer.answered_at)
    ]


def kept(user):
    return {
        (topic, week_start): (answers, trials, successes)
        for topic, week_start, answers, trials, successes in TopicWeek.objects.filter(user=user).values_list(
            "topic_id", "week_start", "answers", "trials", "successes"
        )
    }


def graded(user, question, *, value=MarkValue.PARTLY, started_at=STARTED_AT, **fields):
    return AttemptFactory(
        user=user,
        state=State.GRADED,
        started_at=started_at,
        responses__questions=[question],
        grading__value=value,
        **fields,
    )


def test_an_answer_counts_by_its_score_and_the_number_of_its_points():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question)
    assert found(user) == [(question.topic_id, 3, 0.5, False)]


def test_the_weight_of_a_point_is_its_worth():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question, value=MarkValue.MISSED)
    heavy = RubricPoint.objects.get(version=question.current_version, follow_up=None, weight=4)
    Mark.objects.filter(point=heavy).update(value=MarkValue.MET)
    assert found(user) == [(question.topic_id, 3, 0.4, False)]


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": Mode.PRACTICE},
        {"state": State.GRADING},
        {"state": State.ABANDONED},
        {"state": State.RUNNING},
    ],
)
def test_only_graded_mocks_count(fields):
    user = CandidateFactory()
    AttemptFactory(user=user, **{"state": State.GRADED, **fields})
    assert found(user) == []


def test_a_follow_up_that_was_never_reached_says_nothing():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question, responses__follow_ups=1)
    assert len(found(user)) == 2
    Response.objects.filter(follow_up__isnull=False).update(asked_at=None)
    assert found(user) == [(question.topic_id, 3, 0.5, False)]


def test_the_newest_closed_grading_counts_alone():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = graded(user, question, value=MarkValue.MISSED)
    add_grading(attempt, number=2, value=MarkValue.MET)
    regrade(attempt=attempt, now=STARTED_AT + HOUR)  # opened, not closed
    assert found(user) == [(question.topic_id, 3, 1.0, False)]


@pytest.mark.parametrize(
    ("after", "is_retake"), [(HOUR, True), (24 * HOUR, True), (24 * HOUR + timedelta(seconds=1), False)]
)
def test_a_retake_within_a_day_is_one(after, is_retake):
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question)
    graded(user, question, started_at=STARTED_AT + after)
    graded(CandidateFactory(), question, started_at=STARTED_AT + after)
    graded(user, QuestionFactory(topic=question.topic), started_at=STARTED_AT + after + HOUR)
    assert [row[3] for row in found(user)] == [False, is_retake, False]


def test_practice_of_the_same_question_makes_a_retake_too():
    user, question = CandidateFactory(), QuestionFactory()
    AttemptFactory(user=user, mode=Mode.PRACTICE, responses__questions=[question], started_at=STARTED_AT)
    graded(user, question, started_at=STARTED_AT + HOUR)
    assert [row[3] for row in found(user)] == [True]


@pytest.mark.parametrize(
    ("instant", "monday"),
    [
        (datetime(2026, 11, 29, 23, 59, 59, tzinfo=UTC), date(2026, 11, 23)),
        (datetime(2026, 11, 30, tzinfo=UTC), date(2026, 11, 30)),
        (datetime(2027, 1, 3, 12, tzinfo=UTC), date(2026, 12, 28)),
    ],
)
def test_weeks_are_those_of_utc(instant, monday):
    assert monday_of(instant) == monday


def in_grading(user, question, started_at=STARTED_AT):
    """A mock whose answers are all marked, one press before its grading closes."""
    attempt = graded(user, question, value=MarkValue.MET, started_at=started_at)
    Grading.objects.filter(attempt=attempt).update(closed_at=None)
    attempt.state, attempt.graded_at, attempt.score = State.GRADING, None, None
    attempt.save()
    return attempt


def test_closing_a_grading_keeps_its_evidence():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = in_grading(user, question)
    assert kept(user) == {}
    close_grading(attempt=attempt, now=STARTED_AT + HOUR)
    forward = mastery.forward_weight(attempt.finished_at, RULE)
    expected = {(question.topic_id, date(2026, 11, 9)): (1, 1.5 * forward, 1.5 * forward)}
    assert kept(user) == expected
    close_grading(attempt=attempt, now=STARTED_AT + 2 * HOUR)
    assert kept(user) == expected


def test_a_regrade_replaces_the_evidence():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = in_grading(user, question)
    close_grading(attempt=attempt, now=STARTED_AT + HOUR)
    regrade(attempt=attempt, now=STARTED_AT + HOUR)
    newest = attempt.gradings.get(number=2)
    response = attempt.responses.get()
    newest.response_grades.create(response=response, user=user, confidence="hire")
    for point in RubricPoint.objects.filter(version=question.current_version, follow_up=None):
        set_mark(
            user=user,
            attempt_id=attempt.pk,
            position=1,
            point_id=point.pk,
            value=MarkValue.MISSED,
            quote="",
            now=STARTED_AT + HOUR,
        )
    close_grading(attempt=attempt, now=STARTED_AT + 2 * HOUR)
    assert [row[2] for row in kept(user).values()] == [0.0]


def test_deleting_an_attempt_takes_its_evidence_and_frees_its_retake():
    user, question = CandidateFactory(), QuestionFactory()
    # On both sides of a week's end: the second week changes with the first attempt.
    sunday = datetime(2026, 11, 15, 20, tzinfo=UTC)
    first = in_grading(user, question, started_at=sunday)
    second = in_grading(user, question, started_at=sunday + 6 * HOUR)
    for attempt in (first, second):
        close_grading(attempt=attempt, now=attempt.started_at + HOUR)
    assert [row[0] for row in kept(user).values()] == [1, 1]
    forward = mastery.forward_weight(second.finished_at, RULE)
    assert kept(user)[question.topic_id, date(2026, 11, 16)] == (1, 0.75 * forward, 0.75 * forward)
    delete_attempt(attempt=first)
    assert kept(user) == {(question.topic_id, date(2026, 11, 16)): (1, 1.5 * forward, 1.5 * forward)}
    delete_attempt(attempt=second)
    assert kept(user) == {}


def test_another_week_is_left_alone():
    user, question = CandidateFactory(), QuestionFactory()
    old = graded(user, question, started_at=STARTED_AT - timedelta(days=21))
    note_graded_work(user_id=user.pk)
    before = kept(user)
    Mark.objects.filter(response_grade__grading__attempt=old).update(value=MarkValue.MET)
    attempt = in_grading(user, question)
    close_grading(attempt=attempt, now=STARTED_AT + HOUR)
    assert {key: kept(user)[key] for key in before} == before
    assert len(kept(user)) == 2


def test_rebuild_says_what_differs_and_puts_it_right():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = in_grading(user, question)
    close_grading(attempt=attempt, now=STARTED_AT + HOUR)
    other = graded(CandidateFactory(), question)
    week = date(2026, 11, 9)
    assert [(key, before) for key, before, _ in rebuild(repair=False)] == [
        ((other.user_id, question.topic_id, week), None)
    ]
    TopicWeek.objects.filter(user=user).update(successes=0)
    TopicWeek.objects.create(
        user=user, topic=TopicFactory(), week_start=week, answers=1, trials=1, successes=1
    )
    assert len(list(rebuild(repair=False))) == 3
    assert len(list(rebuild())) == 3
    assert list(rebuild(repair=False)) == []
    assert kept(user).keys() == {(question.topic_id, week)}


def test_the_command_checks_and_repairs():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question)
    with pytest.raises(CommandError, match="run rebuild_mastery"):
        call_command("rebuild_mastery", "--check", stdout=StringIO())
    out = StringIO()
    call_command("rebuild_mastery", stdout=out)
    assert out.getvalue().splitlines()[-1] == "1 rows, 1 put right"
    out = StringIO()
    call_command("rebuild_mastery", "--check", stdout=out)
    assert out.getvalue() == "1 rows, 0 differ\n"


def test_a_question_in_another_topic_takes_its_answers_along():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question)
    note_graded_work(user_id=user.pk)
    Question.objects.update(topic=TopicFactory(code="aaa.new"))
    list(rebuild())
    assert [key[0] for key in kept(user)] == ["aaa.new"]


def test_the_rate_of_a_track_adds_up_its_topics():
    question = QuestionFactory()
    track = question.topic.code.partition(".")[0]
    for value in (MarkValue.MET, MarkValue.MISSED, MarkValue.MISSED):
        attempt = graded(CandidateFactory(), question, value=value)
        note_graded_work(user_id=attempt.user_id)
    now = attempt.finished_at + timedelta(days=45)
    assert reckon_track_rates(now=now) == 1
    rate = TrackRate.objects.get()
    assert (rate.track_id, rate.reckoned_at) == (track, now)
    assert (rate.trials, rate.successes) == pytest.approx((2.25, 0.75))
    TopicWeek.objects.all().delete()
    assert reckon_track_rates(now=now) == 0
    assert not TrackRate.objects.exists()


@pytest.mark.parametrize("people", [1, 3])
def test_evidence_is_two_queries(django_assert_num_queries, people):
    question = QuestionFactory()
    users = [graded(CandidateFactory(), question).user_id for _ in range(people)]
    with django_assert_num_queries(2):
        assert len(list(evidence(users))) == people


def test_no_evidence_of_no_week():
    assert list(evidence([CandidateFactory().pk], weeks=set())) == []


def test_tallies_add_up():
    assert Tally(1, 0.5, 2) + Tally(2, 1, 3) == Tally(3, 1.5, 5)
