"""The figures of a week, read for many people at once."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from prepapp.bank.models import Question, Topic
from prepapp.interviews.choices import MarkValue, Mode, State
from prepapp.interviews.models import Response
from prepapp.reports.actions.evidence import note_graded_work
from prepapp.reports.figures import Figures, Practice, to_json
from prepapp.reports.letter import write_letter
from prepapp.reports.queries.weekly import weekly_figures
from prepapp.reports.weeks import Week
from tests.factories.bank import TopicFactory, TrackFactory, add_version, create_questions
from tests.factories.interviews import AttemptFactory, add_grading
from tests.interviews.sitting import statements
from tests.reports.working import MONDAY, THURSDAY, WEEK, grade, mark, person

pytestmark = pytest.mark.django_db


def figures_of(user, week=WEEK, now=MONDAY) -> Figures:
    return weekly_figures([user], week, now)[user.pk]


# --- what was practised ---------------------------------------------------------------------------


def test_a_week_adds_up():
    user, topic = person(), TopicFactory()
    one = grade(user, topic, MarkValue.MET, answers=2, minutes=25)
    mark(one, 1, "r1", MarkValue.PARTLY)
    mark(one, 1, "r2", MarkValue.MET, quote="sectors")
    mark(one, 2, "r3", MarkValue.MISSED)
    grade(user, topic, MarkValue.MISSED, answers=1, minutes=19)
    grade(user, topic, MarkValue.MET, answers=1, mode=Mode.PRACTICE, minutes=16)
    AttemptFactory(user=user, state=State.GRADING, started_at=THURSDAY)
    AttemptFactory(user=user, state=State.ABANDONED, started_at=THURSDAY)
    AttemptFactory(user=user, state=State.RUNNING, started_at=THURSDAY)
    found = figures_of(user)
    assert found.practice == Practice(
        mocks=2, practices=1, minutes=60, answers=3, points=9, met=4, partly=1, shown=1, to_grade=1
    )
    assert (found.week, found.idle_weeks, found.pauses) == ("2026-W48", 0, False)


def test_without_a_clock_the_time_is_what_the_answers_were_written_in():
    """A practice session stood open over night: two answers of four minutes each."""
    user = person()
    attempt = grade(user, TopicFactory(), answers=2, mode=Mode.PRACTICE, minutes=900)
    attempt.deadline_at = None
    attempt.save(update_fields=["deadline_at"])
    assert figures_of(user).practice.minutes == 8


def test_an_interview_counts_once_in_the_week_its_grading_was_first_closed():
    user = person()
    attempt = grade(user, TopicFactory(), finished_at=THURSDAY, graded_at=THURSDAY + timedelta(days=5))
    add_grading(attempt, number=2, value=MarkValue.MET, closed_at=THURSDAY + timedelta(days=12))
    attempt.graded_at = THURSDAY + timedelta(days=5)
    attempt.save(update_fields=["graded_at"])
    weeks = [WEEK.shifted(n) for n in range(3)]
    found = [figures_of(user, week, week.due_at(ZoneInfo("UTC"))) for week in weeks]
    assert [figures.practice.mocks for figures in found] == [0, 1, 0]
    # As of the newest grading.
    assert (found[1].practice.met, found[1].practice.points) == (9, 9)
    assert [figures.idle_weeks for figures in found] == [0, 0, 1]


def test_a_follow_up_that_was_never_asked_is_no_answer():
    user = person()
    attempt = grade(user, TopicFactory(), answers=2)
    attempt.responses.filter(position=2).update(asked_at=None)
    assert figures_of(user).practice.answers == 1


# --- the cases ------------------------------------------------------------------------------------


def test_nothing_to_report_is_said_without_a_number():
    """REP-01: nia without attempts, cleo with an attempt without answers, an empty topic."""
    track = TrackFactory()
    TopicFactory(track=track)
    nia, cleo = person(track=track.code), person(track=track.code)
    AttemptFactory(user=cleo, state=State.GRADING, started_at=THURSDAY, responses__texts=[""])
    found = weekly_figures([nia, cleo], WEEK, MONDAY)
    assert [found[user.pk].practice for user in (nia, cleo)] == [Practice(), Practice(to_grade=1)]
    assert [(found[user.pk].topics, found[user.pk].weak) for user in (nia, cleo)] == [([], [])] * 2
    assert "Nothing this week" in write_letter(found[nia.pk]).headline
    for figures in found.values():
        assert "nan" not in str(to_json(figures)).lower()
        assert "%" not in str(write_letter(figures))


def test_an_interview_handed_in_empty_and_graded_has_points_and_no_rate_of_nothing():
    user = person()
    grade(user, TopicFactory(), answers=1, responses__texts=[""])
    found = figures_of(user)
    assert (found.practice.answers, found.practice.points, found.practice.met) == (1, 3, 0)
    assert "with" not in write_letter(found).summary[0]


def test_the_week_is_the_closed_one_of_the_zone():
    """REP-03."""
    paris = ZoneInfo("Europe/Paris")
    user, topic = person(time_zone="Europe/Paris"), TopicFactory()
    for moment in ((1, 0, 0, 0), (7, 23, 59, 59), (8, 0, 0, 1)):
        graded_at = datetime(2026, 6, *moment, tzinfo=paris).astimezone(UTC)
        grade(user, topic, answers=1, finished_at=graded_at - timedelta(minutes=3), graded_at=graded_at)
    first = figures_of(user, Week(2026, 23), datetime(2026, 6, 8, 7, tzinfo=paris))
    second = figures_of(user, Week(2026, 24), datetime(2026, 6, 15, 7, tzinfo=paris))
    assert (write_letter(first).days, first.practice.answers) == ("1–7 June", 2)
    assert (write_letter(second).days, second.practice.answers) == ("8–14 June", 1)


def test_the_past_stays_when_questions_move():
    """REP-09: last week's report is stored, this week's counts each answer once where it belongs now."""
    graphs, trees = TopicFactory(title="Graphs"), TopicFactory(title="Trees")
    user = person()
    questions = create_questions(3, topic=graphs)
    grade(user, graphs, questions=questions, finished_at=THURSDAY - timedelta(days=7))
    last_week = to_json(figures_of(user, WEEK.shifted(-1), MONDAY - timedelta(days=7)))
    grade(user, graphs, questions=create_questions(3, topic=graphs), finished_at=MONDAY - timedelta(days=6))
    Question.objects.filter(pk=questions[0].pk).update(topic=trees)
    note_graded_work(user_id=user.pk)
    Topic.objects.filter(pk=graphs.pk).update(title="Graph theory")
    found = figures_of(user)
    assert found.practice.answers == 3
    assert sorted((topic.title, topic.answers) for topic in found.topics) == [
        ("Graph theory", 5),
        ("Trees", 1),
    ]
    assert [(topic["title"], topic["answers"]) for topic in last_week["topics"]] == [("Graphs", 3)]


def test_one_answer_makes_no_weak_area():
    """REP-11: Graphs 0 of 3 from one answer, Trees 20 of 48 from 12, Heaps 18 of 24 from 6."""
    track = TrackFactory()
    user = person(track=track.code)
    three, four = [(1, True), *[(1, False)] * 2], [(1, True), *[(1, False)] * 3]
    for title, answers, points, met in (
        ("Graphs", 1, three, 0),
        ("Trees", 12, four, 20),
        ("Heaps", 6, four, 18),
    ):
        topic = TopicFactory(track=track, title=title)
        attempt = grade(user, topic, questions=create_questions(answers, topic=topic, points=points))
        for number in range(met):
            mark(attempt, number % answers + 1, f"r{number // answers + 1}", MarkValue.MET)
    found = figures_of(user)
    assert [(area.figure.title, area.figure.answers) for area in found.weak] == [("Trees", 12)]
    assert {topic.title: topic.standing for topic in found.topics}["Graphs"] == "unsure"
    assert write_letter(found).too_few == "Too few answers to judge: Graphs (1 answer)."


# --- points missed in weak areas ------------------------------------------------------------------


@pytest.fixture
def weak():
    """Somebody weak in a topic: the same three questions in three mocks, all points missed."""
    user, topic = person(), TopicFactory(title="Memory")
    questions = create_questions(3, topic=topic)
    attempts = [
        grade(user, topic, questions=questions, finished_at=THURSDAY - timedelta(days=days))
        for days in (4, 2, 0)
    ]
    return user, topic, questions, attempts


def test_points_are_ordered_by_how_often_they_were_missed_then_must_haves(weak):
    user, _, questions, attempts = weak
    for attempt in attempts:
        for position in (2, 3):
            for key in ("r1", "r2", "r3"):
                mark(attempt, position, key, MarkValue.MET)
    # First question: r2 three times; r1 (a must-have) and r3 twice, r3 one of them in halves.
    mark(attempts[2], 1, "r1", MarkValue.MET)
    mark(attempts[2], 1, "r3", MarkValue.MET)
    mark(attempts[1], 1, "r3", MarkValue.PARTLY)
    # More answers without a point keep the topic weak, long enough ago for none of them to be named.
    grade(user, weak[1], answers=60, finished_at=THURSDAY - timedelta(days=90))
    [area] = figures_of(user).weak
    title = questions[0].current_version.title
    assert [
        (point.criterion, point.is_must, point.missed, point.times, point.attempt, point.position)
        for point in area.points
    ] == [
        (f"Criterion r2 of {title}", False, 3, 3, str(attempts[2].pk), 1),
        (f"Criterion r1 of {title}", True, 2, 3, str(attempts[1].pk), 1),
        (f"Criterion r3 of {title}", False, 2, 3, str(attempts[1].pk), 1),
    ]
    assert area.points[0].answered_on == date(2026, 11, 26)


def test_at_most_four_points_in_a_fixed_order(weak):
    """Nine points missed three times each: must-haves first, then the newest answers, then their keys."""
    user, _, questions, attempts = weak
    [area] = figures_of(user).weak
    titles = [question.current_version.title for question in questions]
    assert [point.criterion for point in area.points] == [
        f"Criterion r1 of {titles[2]}",
        f"Criterion r1 of {titles[1]}",
        f"Criterion r1 of {titles[0]}",
        f"Criterion r2 of {titles[2]}",
    ]
    assert {(point.missed, point.times) for point in area.points} == {(3, 3)}
    assert figures_of(user) == figures_of(user)


def test_only_the_newest_grading_counts(weak):
    user, _, questions, attempts = weak
    for number, attempt in enumerate(attempts, 2):
        add_grading(attempt, number=2, value=MarkValue.MISSED, closed_at=THURSDAY + timedelta(hours=number))
    [area] = figures_of(user).weak
    assert {(point.missed, point.times) for point in area.points} == {(3, 3)}


def test_a_point_stays_one_through_the_versions_of_its_question(weak):
    user, topic, questions, attempts = weak
    add_version(questions[0], title="New words")
    newest = grade(user, topic, questions=[questions[0]], finished_at=THURSDAY + timedelta(hours=1))
    [area] = figures_of(user).weak
    assert (area.points[0].criterion, area.points[0].missed) == ("Criterion r1 of New words", 4)
    assert area.points[0].attempt == str(newest.pk)


def test_nothing_of_a_question_that_a_running_mock_of_the_person_asks(weak):
    user, _, questions, _ = weak
    AttemptFactory(user=user, started_at=MONDAY, responses__questions=[questions[2]])
    # Somebody else's running mock holds nothing back.
    AttemptFactory(started_at=MONDAY, responses__questions=[questions[1]])
    [area] = figures_of(user).weak
    assert [
        point.criterion for point in area.points if questions[2].current_version.title in point.criterion
    ] == []
    assert area.points[0].criterion == f"Criterion r1 of {questions[1].current_version.title}"


def test_others_points_are_not_mixed_in(weak):
    user, topic, questions, _ = weak
    strong = person()
    grade(strong, topic, MarkValue.MET, questions=questions)
    grade(strong, TopicFactory(), answers=9)
    found = weekly_figures([user, strong], WEEK, MONDAY)
    assert [area.figure.topic for area in found[user.pk].weak] == [topic.code]
    own = {str(attempt) for attempt in Response.objects.filter(user=user).values_list("attempt", flat=True)}
    assert {point.attempt for area in found[user.pk].weak for point in area.points} <= own
    assert found[user.pk] == figures_of(user)


# --- movement, plan, many people ------------------------------------------------------------------


def test_a_topic_shows_where_it_stood_a_week_before():
    user, topic = person(), TopicFactory(title="Memory")
    grade(user, topic, answers=6, finished_at=THURSDAY - timedelta(days=7))
    grade(user, topic, MarkValue.MET, answers=12, finished_at=THURSDAY)
    [figure] = figures_of(user).topics
    assert (figure.standing_before, figure.standing) == ("weak", "unsure")
    assert figure.before is not None
    assert figure.before < figure.mean
    assert [moved.sentence for moved in write_letter(figures_of(user)).moved] == [
        "Memory moved from weak to not enough yet."
    ]


def test_the_plan_drills_what_is_weak_and_the_bank_can_fill(weak):
    user, topic, _, _ = weak
    user.interview_date = date(2026, 12, 11)
    found = figures_of(user)
    assert (found.plan[0].title, found.plan[0].topic, found.plan[0].on) == (
        "Memory drill",
        topic.code,
        date(2026, 12, 1),
    )
    assert (found.interview_on, found.days_left) == (date(2026, 12, 11), 11)


def test_an_unmeasured_topic_without_questions_is_named_but_not_planned():
    track = TrackFactory()
    user = person(track=track.code)
    TopicFactory(track=track, title="Empty")
    create_questions(3, topic=TopicFactory(track=track, title="Full"))
    found = figures_of(user)
    assert sorted(found.unmeasured) == ["Empty", "Full"]
    assert [session.title for session in found.plan] == ["Full drill"]


def test_an_interview_in_the_past_is_not_counted_down():
    user = person(interview_date=date(2026, 11, 29))
    assert (figures_of(user).interview_on, figures_of(user).days_left) == (None, None)


def test_many_people_take_as_many_queries_as_one():
    topic = TopicFactory()

    def practised():
        user = person(track=topic.code.partition(".")[0])
        grade(user, topic, answers=6)
        grade(user, topic, mode=Mode.PRACTICE)
        return user

    one = [practised()]
    with statements() as alone:
        weekly_figures(one, WEEK, MONDAY)
    many = [practised() for _ in range(12)]
    with statements() as together:
        found = weekly_figures(many, WEEK, MONDAY)
    assert len(found) == 12
    assert (len(alone), len(together)) == (13, 13)


def test_nobody_takes_no_figures():
    assert weekly_figures([], WEEK, MONDAY) == {}


def test_evidence_and_report_agree_on_what_an_answer_is():
    user, topic = person(), TopicFactory()
    grade(user, topic, answers=5)
    note_graded_work(user_id=user.pk)
    found = figures_of(user)
    assert [found.practice.answers] == [figure.answers for figure in found.topics]
