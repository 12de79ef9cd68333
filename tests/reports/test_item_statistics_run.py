"""Which answers are counted, and that what is kept is what counting all of them anew would give, whatever came,
went or changed hands since."""

import json
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from prepapp.accounts.actions import claim_guest_work
from prepapp.accounts.models import User
from prepapp.bank.choices import Change
from prepapp.bank.models import Question, RubricPoint
from prepapp.interviews.actions.grading import close_grading, regrade, set_mark
from prepapp.interviews.actions.history import delete_attempt
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Grading, Mark, Response
from prepapp.reports import tasks
from prepapp.reports.actions.item_statistics import Progress, count_changed, note_changed_work
from prepapp.reports.models import (
    ChangedLearner,
    CountedAnswers,
    ItemStatistic,
    PointStatistic,
    StatisticsRun,
)
from prepapp.reports.queries.first_answers import first_answers
from prepapp.reports.queries.item_check import find_differences
from tests.factories.bank import QuestionFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory, add_grading

pytestmark = pytest.mark.django_db
NOW = STARTED_AT + timedelta(days=10)
HOUR = timedelta(hours=1)


def graded(user, *questions, value=MarkValue.MET, started_at=STARTED_AT, told=True, **fields):
    attempt = AttemptFactory(
        user=user,
        started_at=started_at,
        responses__questions=list(questions),
        **{"state": State.GRADED, "grading__value": value, **fields},
    )
    if told:
        note_changed_work(user_id=user.pk)
    return attempt


def found(user):
    """(question, part, skipped, marks) of each first answer."""
    return [
        (answer.item.question, answer.item.part, answer.is_skipped, [mark.value for mark in answer.marks])
        for answer in first_answers([user.pk]).get(user.pk, [])
    ]


def kept():
    """Answers, met points and sums by item: all there is to compare."""
    rows = ItemStatistic.objects.order_by("question", "meaning", "part")
    points = PointStatistic.objects.order_by("item__question", "item__meaning", "item__part", "key")
    return (
        list(rows.values("question", "meaning", "part", "answers", "sums", "score", "skipped")),
        list(points.values("item__question", "key", "answers", "sums", "met")),
    )


def answers_of(question, part=""):
    row = ItemStatistic.objects.filter(question=question, part=part).first()
    return row.answers if row else 0


@pytest.fixture(autouse=True)
def agrees_with_a_rebuild() -> Iterator[None]:
    """Whatever a test did: after a run all is as if counted anew."""
    yield
    if not StatisticsRun.objects.exists():
        return
    count_changed(now=NOW)
    assert list(find_differences()) == []
    before = kept()
    count_changed(now=NOW, anew=True)
    assert kept() == before
    assert list(find_differences()) == []


# --- which answers count ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [{"mode": Mode.PRACTICE}, {"state": State.GRADING}, {"state": State.ABANDONED}, {"state": State.RUNNING}],
)
def test_only_graded_mocks_count(fields):
    user = CandidateFactory()
    graded(user, QuestionFactory(), **fields)
    assert found(user) == []


def test_a_guest_counts_like_everybody():
    user, question = CandidateFactory(guest=True), QuestionFactory()
    graded(user, question)
    assert found(user) == [(question.pk, "", False, [2, 2, 2])]


def test_a_main_answer_and_its_follow_up_are_two_items():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question, responses__follow_ups=1, responses__texts=["Words.", " \n"])
    assert found(user) == [(question.pk, "", False, [2, 2, 2]), (question.pk, "f1", True, [2, 2])]


def test_what_was_never_put_is_no_answer():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question, responses__follow_ups=1)
    Response.objects.filter(follow_up__isnull=False).update(asked_at=None)
    assert found(user) == [(question.pk, "", False, [2, 2, 2])]


def test_the_newest_closed_grading_counts_alone():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = graded(user, question, value=MarkValue.MISSED)
    add_grading(attempt, number=2, value=MarkValue.PARTLY)
    regrade(attempt=attempt, now=STARTED_AT + HOUR)  # opened, not closed
    assert found(user) == [(question.pk, "", False, [1, 1, 1])]


def test_the_first_answer_counts_and_no_later_one():
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question, value=MarkValue.MET, started_at=STARTED_AT + timedelta(days=60))
    graded(user, question, value=MarkValue.MISSED)
    assert found(user) == [(question.pk, "", False, [0, 0, 0])]


@pytest.mark.parametrize("fields", [{"mode": Mode.PRACTICE}, {"state": State.ABANDONED}])
def test_who_has_met_the_question_before_gives_no_first_answer(fields):
    user, question = CandidateFactory(), QuestionFactory()
    graded(user, question, **fields)
    graded(user, question, started_at=STARTED_AT + HOUR)
    assert found(user) == []


def test_a_change_of_words_goes_on_and_a_change_of_meaning_starts_anew():
    question, users = QuestionFactory(), [CandidateFactory() for _ in range(3)]
    graded(users[0], question)
    add_version(question, change=Change.MINOR, meaning=1)
    question.refresh_from_db()
    graded(users[0], question, started_at=STARTED_AT + HOUR)
    graded(users[1], question)
    add_version(question, change=Change.MAJOR, meaning=3)
    question.refresh_from_db()
    graded(users[0], question, started_at=STARTED_AT + 2 * HOUR)
    graded(users[2], question)
    count_changed(now=NOW)
    assert list(ItemStatistic.objects.order_by("meaning").values_list("meaning", "answers")) == [
        (1, 2),
        (3, 2),
    ]
    assert list(PointStatistic.objects.filter(key="r1").order_by("item__meaning").values_list("answers")) == [
        (2,),
        (2,),
    ]


def test_the_time_is_that_of_answers_with_words_by_the_minutes_expected():
    question, users = QuestionFactory(version__minutes=5), [CandidateFactory() for _ in range(3)]
    for user, seconds, text in zip(users, (600, 0, 60), ("One.", "Two.", ""), strict=True):
        graded(user, question, responses__texts=[text])
        Response.objects.filter(user=user).update(seconds_spent=seconds, minutes=1)
    paces = [first_answers([user.pk])[user.pk][0].pace for user in users]
    assert paces == [2.0, None, None]


@pytest.mark.parametrize("people", [1, 3])
def test_first_answers_are_two_queries(django_assert_num_queries, people):
    question = QuestionFactory()
    users = [graded(CandidateFactory(), question).user_id for _ in range(people)]
    with django_assert_num_queries(2):
        assert len(first_answers(users)) == people


# --- what comes, goes, or changes hands ------------------------------------------------------------


def in_grading(user, question, started_at=STARTED_AT):
    """A mock whose answers are all marked, one press before its grading closes."""
    attempt = graded(user, question, started_at=started_at, told=False)
    Grading.objects.filter(attempt=attempt).update(closed_at=None)
    Attempt.objects.filter(pk=attempt.pk).update(state=State.GRADING, graded_at=None, score=None)
    return Attempt.objects.get(pk=attempt.pk)


def test_closing_a_grading_marks_its_person_and_the_next_run_counts_it():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = in_grading(user, question)
    count_changed(now=NOW)
    assert answers_of(question) == 0
    close_grading(attempt=attempt, now=STARTED_AT + HOUR)
    assert list(ChangedLearner.objects.values_list("user_id")) == [(user.pk,)]
    assert count_changed(now=NOW) == Progress(learners=1, is_complete=True)
    assert answers_of(question) == 1
    assert not ChangedLearner.objects.exists()


def test_a_second_run_has_nothing_to_do():
    graded(CandidateFactory(), *create_questions(2))
    count_changed(now=NOW)
    before = kept()
    note_changed_work(user_id=User.objects.get().pk)
    assert count_changed(now=NOW) == Progress(learners=1, is_complete=True)
    assert count_changed(now=NOW) == Progress(learners=0, is_complete=True)
    assert kept() == before


def test_a_regrade_takes_the_old_marks_out():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = in_grading(user, question)
    close_grading(attempt=attempt, now=STARTED_AT + HOUR)
    count_changed(now=NOW)
    regrade(attempt=attempt, now=STARTED_AT + HOUR)
    newest = attempt.gradings.get(number=2)
    newest.response_grades.create(response=attempt.responses.get(), user=user, confidence="hire")
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
    count_changed(now=NOW)
    assert ItemStatistic.objects.get().sums.get("share", 0) == 0
    assert [sorted(row.sums) for row in PointStatistic.objects.all()] == [["marked0"]] * 3


def test_marks_that_change_places_change_the_points_alone():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = graded(user, question, value=MarkValue.MISSED)
    threes = Mark.objects.filter(point__weight=3, response_grade__grading__attempt=attempt)
    one, other = threes.order_by("point__key")
    Mark.objects.filter(pk=one.pk).update(value=MarkValue.MET)
    count_changed(now=NOW)
    before = ItemStatistic.objects.get().sums
    Mark.objects.filter(pk=one.pk).update(value=MarkValue.MISSED)
    Mark.objects.filter(pk=other.pk).update(value=MarkValue.MET)
    note_changed_work(user_id=user.pk)
    count_changed(now=NOW)
    assert ItemStatistic.objects.get().sums == before
    assert [row.sums for row in PointStatistic.objects.order_by("key")] == [
        {"marked0": 1},
        {"marked0": 1},
        {"marked2": 1},
    ]


def test_a_retake_changes_nothing_until_the_first_sitting_is_deleted():
    user, question = CandidateFactory(), QuestionFactory()
    first = graded(user, question, value=MarkValue.MISSED)
    graded(user, question, started_at=STARTED_AT + HOUR)
    count_changed(now=NOW)
    assert (answers_of(question), ItemStatistic.objects.get().sums.get("share", 0)) == (1, 0)
    delete_attempt(attempt=first)
    count_changed(now=NOW)
    assert (answers_of(question), ItemStatistic.objects.get().sums["share"]) == (1, 100_000)


def test_deleting_the_practice_before_frees_the_first_answer():
    user, question = CandidateFactory(), QuestionFactory()
    practice = graded(user, question, mode=Mode.PRACTICE)
    graded(user, question, started_at=STARTED_AT + HOUR)
    count_changed(now=NOW)
    assert answers_of(question) == 0
    delete_attempt(attempt=practice)
    count_changed(now=NOW)
    assert answers_of(question) == 1


def test_an_answer_elsewhere_changes_the_ability_beside_every_other():
    user, questions = CandidateFactory(), create_questions(2)
    graded(user, questions[0])
    count_changed(now=NOW)
    assert "pairs" not in ItemStatistic.objects.get().sums
    graded(user, questions[1], started_at=STARTED_AT + HOUR)
    count_changed(now=NOW)
    assert [row.sums["pairs"] for row in ItemStatistic.objects.all()] == [1, 1]


def test_a_guest_who_signs_in_is_counted_once():
    guest, user, questions = CandidateFactory(guest=True), CandidateFactory(), create_questions(2)
    graded(user, questions[0], started_at=STARTED_AT + HOUR)
    graded(guest, *questions, value=MarkValue.MISSED)
    count_changed(now=NOW)
    assert [answers_of(question) for question in questions] == [2, 1]
    claim_guest_work(guest_id=guest.pk, user=user, now=NOW)
    assert list(CountedAnswers.objects.filter(user=None).values_list("pk")) != []
    count_changed(now=NOW)
    assert [answers_of(question) for question in questions] == [1, 1]
    # What they answered as a guest came first.
    assert ItemStatistic.objects.get(question=questions[0]).sums.get("share", 0) == 0
    assert CountedAnswers.objects.get().user_id == user.pk


def test_who_is_deleted_leaves_no_trace_after_the_next_run():
    stays, goes, question = CandidateFactory(), CandidateFactory(), QuestionFactory()
    graded(stays, question)
    graded(goes, question, value=MarkValue.MISSED)
    count_changed(now=NOW)
    graded(goes, question, started_at=STARTED_AT + HOUR)
    goes.delete()
    assert str(goes.pk) not in json.dumps(
        list(CountedAnswers.objects.values_list("user", "answers")), default=str
    )
    assert count_changed(now=NOW) == Progress(learners=1, is_complete=True)
    assert (answers_of(question), ItemStatistic.objects.get().sums["share"]) == (1, 100_000)
    assert CountedAnswers.objects.count() == 1


def test_with_the_last_answer_the_item_is_gone():
    user, question = CandidateFactory(), QuestionFactory()
    attempt = graded(user, question)
    count_changed(now=NOW)
    delete_attempt(attempt=attempt)
    count_changed(now=NOW)
    assert kept() == ([], [])
    assert not CountedAnswers.objects.exists()


def test_a_mean_that_moves_moves_every_discrimination():
    questions = create_questions(3)
    for number in range(30):
        values = [MarkValue.MET if number % 3 else MarkValue.MISSED, MarkValue(number % 2)]
        user = CandidateFactory()
        # Some with one other answer, some with two: only then the mean matters.
        for place, question in enumerate(questions[: 2 + number % 2]):
            graded(user, question, value=values[place % 2], started_at=STARTED_AT + place * HOUR)
    count_changed(now=NOW)
    before = StatisticsRun.objects.get().mean
    kept_before = list(ItemStatistic.objects.order_by("pk").values_list("discrimination", flat=True))
    # Somebody of whom those items know nothing.
    for _ in range(10):
        graded(CandidateFactory(), *create_questions(3), value=MarkValue.MISSED)
    count_changed(now=NOW)
    assert StatisticsRun.objects.get().mean < before
    now = list(ItemStatistic.objects.order_by("pk").values_list("discrimination", flat=True))[:3]
    assert all(one != other for one, other in zip(kept_before[:2], now, strict=False))


# --- runs -----------------------------------------------------------------------------------------------


def test_the_first_run_of_a_site_counts_what_was_graded_before():
    question = QuestionFactory()
    for _ in range(3):
        graded(CandidateFactory(), question, told=False)
    assert count_changed(now=NOW) == Progress(learners=3, is_complete=True)
    assert answers_of(question) == 3
    run = StatisticsRun.objects.get()
    assert (run.begun_at, run.ended_at, run.mean) == (NOW, NOW, 100)


def test_a_run_that_stops_early_is_taken_up_by_the_next(monkeypatch):
    monkeypatch.setattr("prepapp.reports.actions.item_statistics.LEARNERS_AT_ONCE", 2)
    question = QuestionFactory()
    for _ in range(5):
        graded(CandidateFactory(), question)
    assert count_changed(now=NOW, most=3) == Progress(learners=4, is_complete=False)
    assert StatisticsRun.objects.get().ended_at is None
    assert count_changed(now=NOW, most=3) == Progress(learners=1, is_complete=True)
    assert answers_of(question) == 5


def test_the_task_sends_itself_until_all_are_counted(monkeypatch, eager_celery):
    monkeypatch.setattr("prepapp.reports.actions.item_statistics.LEARNERS_AT_ONCE", 1)
    monkeypatch.setattr("prepapp.reports.tasks._COUNTED_AT_ONCE", 1)
    question = QuestionFactory()
    for _ in range(3):
        graded(CandidateFactory(), question)
    tasks.count_item_statistics.delay()
    assert answers_of(question) == 3


def test_a_batch_costs_the_same_statements_for_one_learner_and_for_many(django_assert_num_queries):
    questions = create_questions(3)
    graded(CandidateFactory(), *questions)
    count_changed(now=NOW)
    for learners in (1, 4):
        for _ in range(learners):
            graded(CandidateFactory(), *questions)
        with django_assert_num_queries(28):
            count_changed(now=NOW)


def test_the_command_counts_checks_and_rebuilds():
    question = QuestionFactory()
    graded(CandidateFactory(), question)
    out = StringIO()
    call_command("item_statistics", stdout=out)
    assert out.getvalue() == "1 learners counted; 1 items with 3 points, 100 % met on the whole\n"
    graded(CandidateFactory(), question)
    out = StringIO()
    call_command("item_statistics", "--check", stdout=out)
    assert out.getvalue() == "0 differences; 1 learners wait to be counted\n"
    call_command("item_statistics", stdout=StringIO())
    out = StringIO()
    call_command("item_statistics", "--rebuild", stdout=out)
    assert out.getvalue() == "2 learners counted; 1 items with 3 points, 100 % met on the whole\n"


def test_the_check_finds_whatever_is_wrong():
    users, question = [CandidateFactory() for _ in range(2)], QuestionFactory()
    for user in users:
        graded(user, question)
    count_changed(now=NOW)
    assert list(find_differences()) == []
    Mark.objects.filter(user=users[0], point__weight=4).update(value=MarkValue.MISSED)
    assert list(find_differences()) == [f"{users[0].pk}: kept 1 answers, right 1 answers"]
    Mark.objects.update(value=MarkValue.MET)
    item = ItemStatistic.objects.get()
    ItemStatistic.objects.update(answers=3, discrimination=0.5)
    assert list(find_differences()) == [
        f"{item}: answers kept 3, right 2",
        f"{item}: discrimination kept 0.5, right None",
    ]
    ItemStatistic.objects.update(answers=2, discrimination=None)
    PointStatistic.objects.filter(key="r1").update(sums={"marked2": 1})
    PointStatistic.objects.filter(key="r2").delete()
    StatisticsRun.objects.update(mean=50)
    assert list(find_differences()) == [
        "mean of everybody: kept 50 %, right 100 %",
        f"{item} r1: the sums are not those of the counted answers",
        f"{question.pk} meaning 1  r2: missing",
    ]
    with pytest.raises(CommandError, match="item_statistics --rebuild"):
        call_command("item_statistics", "--check", stdout=StringIO())
    count_changed(now=NOW, anew=True)


def test_an_answer_graded_but_never_told_is_found():
    user, question = CandidateFactory(), QuestionFactory()
    count_changed(now=NOW)
    graded(user, question, told=False)
    assert list(find_differences()) == [f"{user.pk}: kept nothing, right 1 answers"]
    note_changed_work(user_id=user.pk)
    assert list(find_differences()) == []


def test_a_question_in_another_topic_keeps_its_figures():
    question = QuestionFactory()
    graded(CandidateFactory(), question)
    count_changed(now=NOW)
    before = kept()
    Question.objects.update(topic=QuestionFactory().topic)
    assert list(find_differences()) == []
    assert kept() == before
