"""Marking and closing: every exit of every action, and what the score comes to."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from prepapp.bank.models import Question, QuestionVersion, RubricPoint
from prepapp.interviews.actions.grading import (
    close_grading,
    open_grading,
    regrade,
    set_confidence,
    set_lesson,
    set_mark,
    show_answer,
)
from prepapp.interviews.choices import Band, Ending, MarkValue, Mode, State
from prepapp.interviews.models import Attempt, Grading, Mark, Response, ResponseGrade
from prepapp.interviews.refusals import (
    ConfidenceFirst,
    GradingClosed,
    MarksMissing,
    NotGraded,
    NotHandedIn,
    NothingToMark,
    NotOnRubric,
    NotYourWords,
    StillToMark,
)
from prepapp.interviews.scoring import AnswerScore, PointMark, attempt_score, response_score, stored
from tests.factories.bank import QuestionFactory, add_version, create_questions
from tests.factories.interviews import STARTED_AT, AttemptFactory, CandidateFactory

pytestmark = pytest.mark.django_db

NOW = STARTED_AT + timedelta(minutes=20)
LATER = NOW + timedelta(minutes=5)


def points_of(attempt: Attempt, position: int = 1) -> list[int]:
    answer = Response.objects.get(attempt=attempt, position=position)
    points = RubricPoint.objects.filter(version=answer.version_id, follow_up=answer.follow_up_id)
    return list(points.order_by("position").values_list("id", flat=True))


def say(attempt: Attempt, position: int = 1, confidence: str = Band.HIRE, now: datetime = NOW) -> None:
    set_confidence(
        user=attempt.user, attempt_id=attempt.pk, position=position, confidence=confidence, now=now
    )


def give(
    attempt: Attempt,
    point: int,
    value: int,
    *,
    position: int = 1,
    quote: str = "",
    now: datetime = NOW,
):
    return set_mark(
        user=attempt.user,
        attempt_id=attempt.pk,
        position=position,
        point_id=point,
        value=value,
        quote=quote,
        now=now,
    )


def mark_all(attempt: Attempt, values: list[int], position: int = 1) -> None:
    say(attempt, position)
    for point, value in zip(points_of(attempt, position), values, strict=True):
        give(attempt, point, value, position=position)


def marks(attempt: Attempt, number: int = 1) -> list[tuple[int, int, str]]:
    rows = Mark.objects.filter(
        response_grade__grading__attempt=attempt, response_grade__grading__number=number
    )
    return list(
        rows.order_by("response_grade__response__position", "point__position").values_list(
            "value", "first_value", "quote"
        )
    )


@pytest.fixture
def attempt() -> Attempt:
    return AttemptFactory(state=State.GRADING)


def test_open_makes_one_grading_however_often(attempt: Attempt) -> None:
    first = open_grading(attempt=attempt, now=NOW)
    again = open_grading(attempt=attempt, now=LATER)
    assert (first.number, first.id) == (1, again.id)
    assert list(Grading.objects.values_list("number", "started_at", "closed_at")) == [(1, NOW, None)]


@pytest.mark.parametrize("state", [State.RUNNING, State.ABANDONED])
def test_nothing_is_graded_that_was_not_handed_in(state: str) -> None:
    attempt = AttemptFactory(state=state, deadline_at=LATER)
    for act in (
        lambda: open_grading(attempt=attempt, now=NOW),
        lambda: say(attempt),
        lambda: give(attempt, points_of(attempt)[0], MarkValue.MET),
        lambda: show_answer(user=attempt.user, attempt_id=attempt.pk, position=1, now=NOW),
        lambda: set_lesson(user=attempt.user, attempt_id=attempt.pk, position=1, lesson="x", now=NOW),
        lambda: close_grading(attempt=attempt, now=NOW),
        lambda: regrade(attempt=attempt, now=NOW),
    ):
        with pytest.raises(NotHandedIn):
            act()
    attempt.refresh_from_db()
    assert (attempt.state, Grading.objects.count(), Mark.objects.count()) == (state, 0, 0)


def test_an_attempt_whose_time_is_over_is_closed_and_graded() -> None:
    attempt = AttemptFactory(state=State.RUNNING)
    say(attempt, now=NOW)
    attempt.refresh_from_db()
    assert (attempt.state, attempt.ending) == (State.GRADING, Ending.DEADLINE)
    assert attempt.finished_at == attempt.deadline_at
    assert ResponseGrade.objects.get().confidence == Band.HIRE


def test_the_first_confidence_counts(attempt: Attempt) -> None:
    say(attempt, confidence=Band.STRONG)
    say(attempt, confidence=Band.NOT_YET)
    assert ResponseGrade.objects.get().confidence == Band.STRONG


def test_no_confidence_in_an_empty_answer() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses__texts=[" \n"])
    with pytest.raises(NothingToMark):
        say(attempt)
    assert Grading.objects.count() == 0


def test_marks_need_confidence_first(attempt: Attempt) -> None:
    with pytest.raises(ConfidenceFirst):
        give(attempt, points_of(attempt)[0], MarkValue.MET)
    open_grading(attempt=attempt, now=NOW)
    with pytest.raises(ConfidenceFirst):
        give(attempt, points_of(attempt)[0], MarkValue.MET)
    assert Mark.objects.count() == 0


def test_a_mark_before_the_answer_is_shown_is_also_the_first(attempt: Attempt) -> None:
    say(attempt)
    point = points_of(attempt)[0]
    marked = give(attempt, point, MarkValue.PARTLY)
    assert (marked.point.value, marked.grade.is_revealed) == (MarkValue.PARTLY, False)
    give(attempt, point, MarkValue.MET)
    assert marks(attempt) == [(MarkValue.MET, MarkValue.MET, "")]


def test_the_last_mark_shows_the_answer_once(attempt: Attempt) -> None:
    say(attempt)
    first, *rest = points_of(attempt)
    assert [give(attempt, point, MarkValue.MET).grade.is_revealed for point in rest] == [False, False]
    assert give(attempt, first, MarkValue.MISSED).grade.is_revealed
    assert give(attempt, first, MarkValue.MET, now=LATER).grade.is_revealed
    assert ResponseGrade.objects.get().revealed_at == NOW


def test_after_the_answer_is_shown_the_first_mark_stays(attempt: Attempt) -> None:
    mark_all(attempt, [2, 2, 2])
    give(attempt, points_of(attempt)[0], MarkValue.MISSED, now=LATER)
    assert marks(attempt) == [(0, 2, ""), (2, 2, ""), (2, 2, "")]


def test_repeating_a_mark_changes_nothing(attempt: Attempt) -> None:
    say(attempt)
    point = points_of(attempt)[0]
    give(attempt, point, MarkValue.MET)
    give(attempt, point, MarkValue.MET, now=LATER)
    assert Mark.objects.get().marked_at == NOW


def test_a_quote_is_kept_with_single_spaces() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses__texts=["The bus\n moves  32-byte sectors."])
    say(attempt)
    point = points_of(attempt)[0]
    give(attempt, point, MarkValue.MET, quote="  bus moves\n32-byte ")
    assert marks(attempt) == [(2, 2, "bus moves 32-byte")]
    give(attempt, point, MarkValue.MET, quote="")
    assert marks(attempt) == [(2, 2, "")]


@pytest.mark.parametrize("quote", ["never said", "sectors the bus", "<b>bus</b>"])
def test_a_quote_must_be_in_the_answer(attempt: Attempt, quote: str) -> None:
    say(attempt)
    with pytest.raises(NotYourWords):
        give(attempt, points_of(attempt)[0], MarkValue.MET, quote=quote)
    assert Mark.objects.count() == 0


def test_a_point_must_be_of_the_version_and_part_that_was_asked() -> None:
    question = QuestionFactory()
    attempt = AttemptFactory(
        state=State.GRADING,
        responses__questions=[question, QuestionFactory()],
        responses__follow_ups=1,
    )
    say(attempt)
    own, newer = attempt.responses.get(position=1).version, add_version(question)
    for foreign in (
        points_of(attempt, 2)[0],  # the follow-up of this question
        points_of(attempt, 3)[0],  # another question of the attempt
        newer.rubric_points.first().pk,  # the newest version, which was not asked
        0,
        10**12,
    ):
        with pytest.raises(NotOnRubric):
            give(attempt, foreign, MarkValue.MET)
    assert Mark.objects.count() == 0
    give(attempt, own.rubric_points.get(key="r1").pk, MarkValue.MET)


def test_another_persons_answer_does_not_exist(attempt: Attempt) -> None:
    stranger = CandidateFactory()
    address = {"user": stranger, "attempt_id": attempt.pk, "position": 1, "now": NOW}
    for act in (
        lambda: set_confidence(confidence=Band.HIRE, **address),
        lambda: set_mark(point_id=points_of(attempt)[0], value=2, quote="", **address),
        lambda: show_answer(**address),
        lambda: set_lesson(lesson="x", **address),
    ):
        with pytest.raises(Response.DoesNotExist):
            act()
    assert Grading.objects.count() == 0


def test_an_empty_answer_has_nothing_to_mark() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses__texts=[""])
    open_grading(attempt=attempt, now=NOW)
    with pytest.raises(NothingToMark):
        give(attempt, points_of(attempt)[0], MarkValue.MET)


def test_showing_the_answer_of_an_empty_one_misses_its_points() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses__texts=[""])
    for now in (NOW, LATER):
        show_answer(user=attempt.user, attempt_id=attempt.pk, position=1, now=now)
    assert marks(attempt) == [(0, 0, "")] * 3
    assert ResponseGrade.objects.get().revealed_at == NOW


def test_showing_the_answer_in_practice_marks_nothing() -> None:
    attempt = AttemptFactory(state=State.GRADING, mode=Mode.PRACTICE, responses__texts=[""])
    show_answer(user=attempt.user, attempt_id=attempt.pk, position=1, now=NOW)
    assert ResponseGrade.objects.get().revealed_at == NOW
    assert Mark.objects.count() == 0


def test_an_answer_with_words_is_marked_before_it_is_shown(attempt: Attempt) -> None:
    with pytest.raises(StillToMark):
        show_answer(user=attempt.user, attempt_id=attempt.pk, position=1, now=NOW)
    say(attempt)
    give(attempt, points_of(attempt)[0], MarkValue.MET)
    with pytest.raises(StillToMark):
        show_answer(user=attempt.user, attempt_id=attempt.pk, position=1, now=NOW)
    assert ResponseGrade.objects.get().revealed_at is None


def test_a_lesson_is_kept_replaced_and_removed(attempt: Attempt) -> None:
    say(attempt)
    kept = []
    for lesson in ("Say the number first.", "Say the number first.", "Draw it.", ""):
        set_lesson(user=attempt.user, attempt_id=attempt.pk, position=1, lesson=lesson, now=NOW)
        kept.append(ResponseGrade.objects.get().fix_next)
    assert kept == ["Say the number first.", "Say the number first.", "Draw it.", ""]


def test_the_same_lesson_after_the_closing_is_a_repeat_and_another_is_refused(attempt: Attempt) -> None:
    """The page keeps the line by itself; that may come in after the press that closed the grading."""
    mark_all(attempt, [2, 2, 2], 1)
    address = {"user": attempt.user, "attempt_id": attempt.pk, "position": 1, "now": NOW}
    set_lesson(lesson="Say the number first.", **address)
    close_grading(attempt=attempt, now=NOW)
    assert set_lesson(lesson="Say the number first.", **address) == attempt
    with pytest.raises(GradingClosed):
        set_lesson(lesson="Draw it.", **address)
    assert ResponseGrade.objects.get().fix_next == "Say the number first."


def test_a_lesson_needs_a_begun_answer(attempt: Attempt) -> None:
    with pytest.raises(ConfidenceFirst):
        set_lesson(user=attempt.user, attempt_id=attempt.pk, position=1, lesson="x", now=NOW)


def test_closing_scores_the_attempt() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses=2, responses__follow_ups=1)
    mark_all(attempt, [2, 1, 0], 1)  # 5.5, 5 minutes
    mark_all(attempt, [2, 2], 2)  # 10, 3 minutes
    mark_all(attempt, [0, 0, 2], 3)  # 3, 5 minutes
    mark_all(attempt, [1, 0], 4)  # 3, 3 minutes
    grading = close_grading(attempt=attempt, now=LATER)
    expected = Decimal("5.093750")  # (27.5 + 30 + 15 + 9) / 16
    assert (grading.number, grading.closed_at, grading.score) == (1, LATER, expected)
    attempt.refresh_from_db()
    assert (attempt.state, attempt.graded_at, attempt.score) == (State.GRADED, LATER, expected)


def test_closing_twice_is_closing_once(attempt: Attempt) -> None:
    mark_all(attempt, [2, 2, 2])
    first = close_grading(attempt=attempt, now=NOW)
    again = close_grading(attempt=attempt, now=LATER)
    assert (again.pk, again.closed_at, again.score) == (first.pk, NOW, Decimal(10))
    assert Grading.objects.count() == 1


def test_closing_names_what_is_missing() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses=2, responses__follow_ups=1)
    mark_all(attempt, [2, 2, 2], 1)
    say(attempt, 2)
    give(attempt, points_of(attempt, 2)[0], MarkValue.MET, position=2)
    with pytest.raises(MarksMissing) as refused:
        close_grading(attempt=attempt, now=NOW)
    assert refused.value.missing == [("1a", 1), ("2", 3), ("2a", 2)]
    assert str(refused.value).startswith("Still to mark: answer 1a (1 point), answer 2 (3 points), ")
    attempt.refresh_from_db()
    assert (attempt.state, attempt.score, Grading.objects.get().score) == (State.GRADING, None, None)


def test_closing_before_anything_is_marked_leaves_no_grading(attempt: Attempt) -> None:
    with pytest.raises(MarksMissing):
        close_grading(attempt=attempt, now=NOW)
    assert Grading.objects.count() == 0


def test_an_empty_answer_of_a_mock_counts_as_zero_and_is_marked_so() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses=2, responses__texts=["Words.", ""])
    mark_all(attempt, [2, 2, 2])
    assert close_grading(attempt=attempt, now=NOW).score == Decimal(5)
    assert [value for value, _, _ in marks(attempt)] == [2, 2, 2, 0, 0, 0]


def test_a_follow_up_never_reached_counts_as_empty() -> None:
    attempt = AttemptFactory(state=State.GRADING, responses__follow_ups=1, responses__texts=["Words.", ""])
    attempt.responses.filter(position=2).update(asked_at=None)
    mark_all(attempt, [2, 2, 2])
    assert close_grading(attempt=attempt, now=NOW).score == Decimal("6.25")


def test_an_empty_answer_of_a_practice_is_left_out() -> None:
    attempt = AttemptFactory(
        state=State.GRADING, mode=Mode.PRACTICE, responses=2, responses__texts=["Words.", ""]
    )
    mark_all(attempt, [2, 2, 0])
    assert close_grading(attempt=attempt, now=NOW).score == Decimal(7)
    assert len(marks(attempt)) == 3


@pytest.mark.parametrize(("mode", "score"), [(Mode.MOCK, Decimal(0)), (Mode.PRACTICE, None)])
def test_nothing_but_empty_answers_still_closes(mode: str, score: Decimal | None) -> None:
    attempt = AttemptFactory(state=State.GRADING, mode=mode, responses=2, responses__texts=["", " "])
    grading = close_grading(attempt=attempt, now=NOW)
    attempt.refresh_from_db()
    assert (grading.score, attempt.state, attempt.score) == (score, State.GRADED, score)


@pytest.mark.parametrize("points", [[], [(0, True), (0, False)]])
def test_nothing_to_score_is_not_zero(points: list[tuple[int, bool]]) -> None:
    question = QuestionFactory(version__points=points)
    attempt = AttemptFactory(state=State.GRADING, responses__questions=[question])
    if points:
        mark_all(attempt, [2] * len(points))
    else:
        show_answer(user=attempt.user, attempt_id=attempt.pk, position=1, now=NOW)
    assert close_grading(attempt=attempt, now=NOW).score is None
    attempt.refresh_from_db()
    assert (attempt.state, attempt.score) == (State.GRADED, None)


def test_what_cannot_be_scored_is_left_out_of_the_mean() -> None:
    questions = [QuestionFactory(), QuestionFactory(version__points=[])]
    attempt = AttemptFactory(state=State.GRADING, responses__questions=questions)
    mark_all(attempt, [2, 2, 0])
    assert close_grading(attempt=attempt, now=NOW).score == Decimal(7)


def test_a_closed_grading_does_not_change(attempt: Attempt) -> None:
    mark_all(attempt, [2, 2, 2])
    close_grading(attempt=attempt, now=NOW)
    before = marks(attempt)
    for act in (
        lambda: open_grading(attempt=attempt, now=LATER),
        lambda: say(attempt, now=LATER),
        lambda: give(attempt, points_of(attempt)[0], MarkValue.MISSED, now=LATER),
        lambda: show_answer(user=attempt.user, attempt_id=attempt.pk, position=1, now=LATER),
        lambda: set_lesson(user=attempt.user, attempt_id=attempt.pk, position=1, lesson="x", now=LATER),
    ):
        with pytest.raises(GradingClosed):
            act()
    assert marks(attempt) == before
    assert Grading.objects.count() == 1


def test_a_regrade_is_appended_and_the_first_stays(attempt: Attempt) -> None:
    mark_all(attempt, [2, 2, 2])
    close_grading(attempt=attempt, now=NOW)
    opened = regrade(attempt=attempt, now=LATER)
    assert (opened.number, regrade(attempt=attempt, now=LATER).id) == (2, opened.id)
    attempt.refresh_from_db()
    assert (attempt.state, attempt.score) == (State.GRADED, Decimal(10))
    mark_all(attempt, [0, 0, 1])
    assert close_grading(attempt=attempt, now=LATER).score == Decimal("1.5")
    attempt.refresh_from_db()
    assert (attempt.score, attempt.graded_at) == (Decimal("1.5"), NOW)
    assert [value for value, _, _ in marks(attempt)] == [2, 2, 2]
    assert list(Grading.objects.values_list("number", "score")) == [(1, 10), (2, Decimal("1.5"))]


def test_a_regrade_needs_a_closed_grading(attempt: Attempt) -> None:
    with pytest.raises(NotGraded):
        regrade(attempt=attempt, now=NOW)
    assert Grading.objects.count() == 0


def test_a_newer_version_of_the_question_changes_no_grading() -> None:
    question: Question = QuestionFactory()
    attempt = AttemptFactory(state=State.GRADING, responses__questions=[question])
    mark_all(attempt, [2, 1, 0])
    add_version(question, points=[(10, True)])
    assert close_grading(attempt=attempt, now=NOW).score == Decimal("5.5")
    assert QuestionVersion.objects.get(responses__attempt=attempt).number == 1


def test_the_same_question_twice_keeps_its_marks_apart() -> None:
    question = create_questions(1)[0]
    attempt = AttemptFactory(state=State.GRADING, responses__questions=[question, question])
    mark_all(attempt, [2, 2, 2], 1)
    with pytest.raises(MarksMissing):
        close_grading(attempt=attempt, now=NOW)
    mark_all(attempt, [0, 0, 0], 2)
    assert close_grading(attempt=attempt, now=NOW).score == Decimal(5)


def test_scores_recompute_from_the_stored_marks() -> None:
    attempt = AttemptFactory(
        state=State.GRADING,
        responses=2,
        responses__follow_ups=1,
        responses__texts=["One.", "Two.", "", "Four."],
    )
    mark_all(attempt, [2, 1, 0], 1)
    mark_all(attempt, [1, 2], 2)
    mark_all(attempt, [0, 1], 4)
    grading = close_grading(attempt=attempt, now=NOW)
    answers = []
    for answer in attempt.responses.all():
        given = Mark.objects.filter(response_grade__grading=grading, response_grade__response=answer)
        rows = [PointMark(weight, value) for weight, value in given.values_list("point__weight", "value")]
        answers.append(AnswerScore(answer.minutes, response_score(rows)))
    assert stored(attempt_score(answers, is_mock=True)) == grading.score
