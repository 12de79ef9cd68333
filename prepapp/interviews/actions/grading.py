"""Marking one's own answers: confidence first, then a mark per rubric point, then a closed grading.

Lock contract: every action holds the row of the attempt from before its first check until its commit, so
gradings are numbered, closed and marked one action at a time. What was answered cannot change any more:
saves need a running attempt. Every action may be repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import DateTimeField, Max, PositiveSmallIntegerField, UUIDField

from prepapp.accounts.models import User
from prepapp.common.statements import Kept
from prepapp.interviews import scoring
from prepapp.interviews.actions.finish import close_if_overdue
from prepapp.interviews.actions.watching import lock_owner, tell_watchers
from prepapp.interviews.choices import MarkValue, State
from prepapp.interviews.gradebook import reads
from prepapp.interviews.gradebook.held_back import is_held_back
from prepapp.interviews.gradebook.rows import Answer, GradeRow, GradingRow, PointRow, counted
from prepapp.interviews.models import Attempt, Grading, Mark, Response, ResponseGrade
from prepapp.interviews.refusals import (
    ConfidenceFirst,
    GradingClosed,
    HeldBack,
    MarksMissing,
    NotGraded,
    NotHandedIn,
    NothingToMark,
    NotOnRubric,
    NotYourWords,
    StillToMark,
)


@dataclass(frozen=True)
class Marked:
    """The mark as it is stored now, the answer it belongs to, and all points of the attempt."""

    point: PointRow
    rows: list[PointRow]
    response: Response
    grade: GradeRow


def open_grading(*, attempt: Attempt, now: datetime) -> GradingRow:
    """The one open grading of an attempt that is handed in, made if need be.

    NotHandedIn; GradingClosed when it is graded and no new grading was asked for.
    """
    with transaction.atomic():
        return _open(_lock(attempt, now), now)


def regrade(*, attempt: Attempt, now: datetime) -> GradingRow:
    """A new grading of a graded attempt, or the one already open. Earlier gradings stay as they are.

    NotHandedIn, NotGraded.
    """
    with transaction.atomic():
        locked = _lock(attempt, now)
        if locked.state != State.GRADED:
            raise NotGraded("This interview is not graded yet. Finish the grading first.")
        return reads.find_open_grading(locked.pk) or _append(locked, now)


def set_confidence(*, user: User, attempt_id: UUID, position: int, confidence: str, now: datetime) -> Attempt:
    """How well the candidate thinks they did; opens the rubric. The first word counts: it was given
    before anything was seen. Returns the attempt.

    NotHandedIn, HeldBack, GradingClosed, NothingToMark; Response.DoesNotExist when the address is not theirs.
    """
    with transaction.atomic():
        response = _lock_answer(user, attempt_id, position, now)
        _check_not_held_back(response)
        if response.is_empty:
            raise NothingToMark("This answer is empty, so there is nothing to judge.")
        grade = _grade(response, _open(response.attempt, now), confidence)
        if not grade.confidence:
            ResponseGrade.objects.filter(pk=grade.id, confidence="").update(confidence=confidence)
    return response.attempt


def set_mark(
    *,
    user: User,
    attempt_id: UUID,
    position: int,
    point_id: int,
    value: int,
    quote: str,
    now: datetime,
) -> Marked:
    """Marks one point of the answer at `position`, with the words that earn it ('' for none).

    Before the model answer is shown the mark is also the first one; after that only the mark that
    counts changes. The last point marked shows the model answer.

    NotHandedIn, HeldBack, GradingClosed, NothingToMark, ConfidenceFirst, NotOnRubric, NotYourWords;
    Response.DoesNotExist when the address is not theirs.
    """
    with transaction.atomic():
        response = _lock_answer(user, attempt_id, position, now)
        _check_not_held_back(response)
        if response.is_empty:
            raise NothingToMark("This answer is empty, so there is nothing to mark.")
        grading, rows = reads.read_gradebook(attempt_id)
        _check_open(response.attempt, grading)
        grade = grading.grades.get(response.pk) if grading else None
        if grade is None or not grade.confidence:
            raise ConfidenceFirst("Say first how well you did. The rubric opens then.")
        point = next((row for row in rows if (row.id, row.position) == (point_id, position)), None)
        if point is None:
            raise NotOnRubric("This point does not belong to the question that was asked.")
        words = _quoted(quote, response.text)
        marked = _write(point, grade, user, value, words, now)
        rows = [marked if row is point else row for row in rows]
        is_complete = all(row.value is not None for row in rows if row.position == position)
        if is_complete and not grade.is_revealed:
            _reveal([grade.id], now)
            grade = GradeRow(grade.id, grade.confidence, True, grade.fix_next)
    return Marked(marked, rows, response, grade)


def show_answer(*, user: User, attempt_id: UUID, position: int, now: datetime) -> Attempt:
    """Opens the model answer of an answer that needs no marks. In a mock an empty answer has missed
    every point, and is marked so. Returns the attempt.

    NotHandedIn, HeldBack, GradingClosed, StillToMark; Response.DoesNotExist when the address is not theirs.
    """
    with transaction.atomic():
        response = _lock_answer(user, attempt_id, position, now)
        _check_not_held_back(response)
        grading, rows = reads.read_gradebook(attempt_id)
        _check_open(response.attempt, grading)
        grading = grading or _append(response.attempt, now)
        points = [row for row in rows if row.position == position]
        if not response.is_empty and any(point.value is None for point in points):
            raise StillToMark("Mark every point first. The model answer opens then.")
        grade = _grade(response, grading)
        if response.attempt.is_mock:
            _miss([(grade.id, point) for point in points], response.user_id, now)
        _reveal([grade.id], now)
    return response.attempt


def set_lesson(*, user: User, attempt_id: UUID, position: int, lesson: str, now: datetime) -> Attempt:
    """The line 'fix next time' of an answer; '' removes it. Returns the attempt.

    What the page keeps by itself may come in after the press that closed the grading: the same line then
    changes nothing.

    NotHandedIn, GradingClosed, ConfidenceFirst; Response.DoesNotExist when the address is not theirs.
    """
    with transaction.atomic():
        response = _lock_answer(user, attempt_id, position, now)
        grading = reads.find_open_grading(attempt_id)
        if grading is None and _has_lesson(response, lesson):
            return response.attempt
        _check_open(response.attempt, grading)
        grade = grading.grades.get(response.pk) if grading else None
        if grade is None:
            raise ConfidenceFirst("Say first how well you did. The rubric opens then.")
        ResponseGrade.objects.filter(pk=grade.id).update(fix_next=lesson)
    return response.attempt


def close_grading(*, attempt: Attempt, now: datetime) -> Grading:
    """Ends the open grading and scores it; the attempt takes its score. Closed already: that grading.

    NotHandedIn; MarksMissing, changing nothing, while points of answers with words are not marked.
    """
    with transaction.atomic():
        lock_owner(attempt.user_id)
        locked = _lock(attempt, now)
        open_one, found = reads.open_answers(locked.pk)
        if open_one is None and locked.state == State.GRADED:
            return Grading.objects.filter(attempt=locked).latest("number")
        open_one = open_one or _append(locked, now)
        if missing := [(answer.label, answer.unmarked) for answer in found if answer.unmarked]:
            raise MarksMissing(missing)
        if locked.is_mock:
            _miss_empty(found, open_one, locked, now)
        score = scoring.stored(scoring.attempt_score(counted(found), is_mock=locked.is_mock))
        grading = Grading.objects.get(pk=open_one.id)
        grading.closed_at, grading.score = now, score
        grading.save(update_fields=["closed_at", "score"])
        if locked.state == State.GRADING:
            locked.state, locked.graded_at = State.GRADED, now
        locked.score = score
        locked.save(update_fields=["state", "graded_at", "score"])
        if locked.is_mock:
            tell_watchers(locked.user_id, started_at=locked.started_at, finished_at=locked.finished_at)
    attempt.state, attempt.graded_at, attempt.score = locked.state, locked.graded_at, locked.score
    return grading


def _has_lesson(response: Response, lesson: str) -> bool:
    closed = ResponseGrade.objects.filter(response=response, grading__closed_at__isnull=False)
    newest = closed.order_by("-grading__number").values_list("fix_next", flat=True).first()
    return newest == lesson


def _lock(attempt: Attempt, now: datetime) -> Attempt:
    locked = _LOCKED.first(attempt=attempt.pk)
    if locked is None:
        raise Attempt.DoesNotExist
    return _handed_in(locked, now)


_LOCKED = Kept(
    lambda attempt: Attempt.objects.select_for_update(no_key=True).filter(pk=attempt), attempt=UUIDField()
)


def _lock_answer(user: User, attempt_id: UUID, position: int, now: datetime) -> Response:
    """The response with `is_held_back`, and its attempt locked: one query finds, guards and locks."""
    response = _LOCKED_ANSWER.first(user=user.pk, attempt=attempt_id, position=position, now=now)
    if response is None:
        raise Response.DoesNotExist
    _handed_in(response.attempt, now)
    return response


_LOCKED_ANSWER = Kept(
    lambda user, attempt, position, now: (
        Response.objects.select_for_update(of=("attempt",), no_key=True)
        .select_related("attempt")
        .annotate(is_held_back=is_held_back(now))
        .filter(attempt=attempt, attempt__user=user, position=position)
    ),
    user=UUIDField(),
    attempt=UUIDField(),
    position=PositiveSmallIntegerField(),
    now=DateTimeField(),
)


def _check_not_held_back(response: Response) -> None:
    if getattr(response, "is_held_back", True):
        raise HeldBack


def _handed_in(locked: Attempt, now: datetime) -> Attempt:
    close_if_overdue(attempt=locked, now=now)
    if locked.is_running:
        raise NotHandedIn("This interview is still running. Hand it in, then grade it.")
    if locked.state == State.ABANDONED:
        raise NotHandedIn("This interview was given up, so it is not graded.")
    return locked


def _open(locked: Attempt, now: datetime) -> GradingRow:
    return _must_be_open(locked) or _append(locked, now)


def _must_be_open(locked: Attempt) -> GradingRow | None:
    """The open grading; None if grading has not begun. GradingClosed."""
    found = reads.find_open_grading(locked.pk)
    _check_open(locked, found)
    return found


def _check_open(locked: Attempt, found: GradingRow | None) -> None:
    if found is None and locked.state == State.GRADED:
        raise GradingClosed("This grading is closed. Start a new grading to change marks.")


def _append(locked: Attempt, now: datetime) -> GradingRow:
    last = 0
    # Until a first grading is closed there is none to count.
    if locked.state != State.GRADING:
        last = Grading.objects.filter(attempt=locked).aggregate(last=Max("number"))["last"] or 0
    grading = Grading.objects.create(attempt=locked, user_id=locked.user_id, number=last + 1, started_at=now)
    return GradingRow(grading.pk, grading.number, {})


def _grade(response: Response, grading: GradingRow, confidence: str = "") -> GradeRow:
    """What the grading holds about the answer, made if need be: under the lock nobody else makes it."""
    if found := grading.grades.get(response.pk):
        return found
    made = ResponseGrade.objects.create(
        grading_id=grading.id, response=response, user_id=response.user_id, confidence=confidence
    )
    return GradeRow(made.pk, confidence, False, "")


def _quoted(quote: str, text: str) -> str:
    """The quote with single spaces. NotYourWords unless the answer holds these words in this order."""
    words = " ".join(quote.split())
    if words not in " ".join(text.split()):
        raise NotYourWords("These words are not in your answer. Copy them from it, or leave them out.")
    return words


# The most frequent write while grading; written out for the same reason as the save of an answer.
_MARK = """
INSERT INTO interviews_mark (response_grade_id, point_id, user_id, value, first_value, quote, marked_at)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (response_grade_id, point_id)
DO UPDATE SET value = EXCLUDED.value, first_value = EXCLUDED.first_value, quote = EXCLUDED.quote,
              marked_at = EXCLUDED.marked_at"""


def _write(point: PointRow, grade: GradeRow, user: User, value: int, quote: str, now: datetime) -> PointRow:
    """Stores the mark if it says something new; one statement."""
    first = point.first_value if grade.is_revealed and point.first_value is not None else value
    if (point.value, point.first_value, point.quote) != (value, first, quote):
        stored = connection.ops.adapt_datetimefield_value(now)
        key = User._meta.pk.get_db_prep_value(user.pk, connection)
        with connection.cursor() as cursor:
            cursor.execute(_MARK, [grade.id, point.id, key, value, first, quote, stored])
    return replace(point, value=value, first_value=first, quote=quote)


def _reveal(grade_ids: Sequence[int], now: datetime) -> None:
    ResponseGrade.objects.filter(pk__in=grade_ids, revealed_at__isnull=True).update(revealed_at=now)


def _miss(points: Sequence[tuple[int, PointRow]], user_id: UUID, now: datetime) -> None:
    """Marks points of empty answers as missed, where they have no mark yet."""
    Mark.objects.bulk_create(
        [
            Mark(
                response_grade_id=grade_id,
                point_id=point.id,
                user_id=user_id,
                value=MarkValue.MISSED,
                first_value=MarkValue.MISSED,
                marked_at=now,
            )
            for grade_id, point in points
        ],
        ignore_conflicts=True,
    )


def _miss_empty(found: Sequence[Answer], grading: GradingRow, locked: Attempt, now: datetime) -> None:
    """An empty answer of a mock has missed its points: written down, so that whoever adds up marks, such
    as the report by topic, reads the same as the score says."""
    empty = [answer for answer in found if answer.is_empty and answer.points]
    ResponseGrade.objects.bulk_create(
        [
            ResponseGrade(grading_id=grading.id, response=answer.response, user_id=locked.user_id)
            for answer in empty
            if answer.grade is None
        ],
        ignore_conflicts=True,
    )
    grades = dict(
        ResponseGrade.objects.filter(
            grading=grading.id, response__in=[answer.response.pk for answer in empty]
        ).values_list("response", "id")
    )
    _miss(
        [(grades[answer.response.pk], point) for answer in empty for point in answer.points],
        locked.user_id,
        now,
    )
