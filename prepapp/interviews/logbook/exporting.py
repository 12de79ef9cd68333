"""Everything a person did, in plain values for an export. How it is written down: `interviews.exports`."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, Q

from prepapp.accounts.models import User
from prepapp.bank.models import SampleMark
from prepapp.interviews import scoring
from prepapp.interviews.choices import State
from prepapp.interviews.gradebook.held_back import closed_in_bank, held_back_questions
from prepapp.interviews.models import Attempt, Grading, Mark, Response, ResponseGrade, SampleGrading

CHUNK_SIZE = 50

Entry = dict[str, Any]


def export_entries(user: User, now: datetime, *, chunk_size: int = CHUNK_SIZE) -> Iterator[Entry]:
    """The person's attempts, oldest first, each as nested plain values (text, numbers, instants, lists).

    Read in chunks of their own statements: no cursor or transaction stays open while a slow reader takes
    the file, and memory does not grow with the history. Six queries a chunk, one more in all.
    Rubric texts are left out (None) as long as the candidate may not see them.
    """
    held_back = held_back_questions(user.pk, now)
    last: tuple[datetime, UUID] | None = None
    while chunk := _chunk(user, last, chunk_size):
        for attempt in chunk:
            yield _attempt(attempt, held_back)
        last = (chunk[-1].started_at, chunk[-1].pk)


def sample_entries(user: User, now: datetime) -> Iterator[Entry]:
    """The sample answers the person has marked, oldest first, as nested plain values. Three queries, one
    while there is none.

    The reference is left out (None) while the sample is closed to the person.
    """
    gradings = SampleGrading.objects.filter(user=user).order_by("graded_at", "id")
    found = list(gradings.select_related("sample__question", "sample__version"))
    if not found:
        return
    closed = closed_in_bank(user.pk, {grading.sample.question_id for grading in found}, now)
    references: dict[int, list[SampleMark]] = defaultdict(list)
    marks = SampleMark.objects.filter(sample__in={grading.sample_id for grading in found})
    for mark in marks.select_related("point").order_by("point__position"):
        references[mark.sample_id].append(mark)
    for grading in found:
        yield _sample(grading, references[grading.sample_id], grading.sample.question_id not in closed)


def _sample(grading: SampleGrading, references: list[SampleMark], is_open: bool) -> Entry:
    sample = grading.sample
    return {
        "question": sample.question.ref,
        "version": sample.version.number,
        "sample": sample.position,
        "level": sample.level if is_open else None,
        "graded_at": grading.graded_at,
        "marks": [
            {
                "point": mark.point.key,
                "criterion": mark.point.criterion if is_open else None,
                "weight": mark.point.weight if is_open else None,
                "value": grading.marks[mark.point.key] / 2,
                "reference": mark.value / 2 if is_open else None,
            }
            for mark in references
        ],
    }


def _chunk(user: User, last: tuple[datetime, UUID] | None, size: int) -> list[Attempt]:
    rows = Attempt.objects.for_user(user)
    if last is not None:
        started_at, pk = last
        rows = rows.filter(Q(started_at__gt=started_at) | Q(started_at=started_at, pk__gt=pk))
    answers = Response.objects.select_related("version__question", "follow_up").order_by("position")
    marks = Mark.objects.select_related("point").order_by("point__position", "point")
    grades = ResponseGrade.objects.order_by("response__position").prefetch_related(Prefetch("marks", marks))
    return list(
        rows.select_related("blueprint", "pack")
        .prefetch_related(
            Prefetch("responses", answers),
            "responses__late_texts",
            "gradings",
            Prefetch("gradings__response_grades", grades),
        )
        .order_by("started_at", "id")[:size]
    )


def _attempt(attempt: Attempt, held_back: set[int]) -> Entry:
    # What was never asked may be told once it is graded as never reached.
    visible = {
        response.pk: response
        for response in attempt.responses.all()
        if response.asked_at is not None or attempt.state == State.GRADED
    }
    return {
        "id": str(attempt.pk),
        "interview": attempt.title,
        "blueprint": attempt.blueprint.slug if attempt.blueprint else None,
        "track": attempt.track_id,
        "pack": attempt.pack.slug if attempt.pack else None,
        "mode": attempt.mode,
        "level": attempt.level,
        "state": attempt.state,
        "minutes": attempt.minutes,
        "time_allowance": attempt.time_allowance,
        "started_at": attempt.started_at,
        "deadline_at": attempt.deadline_at,
        "finished_at": attempt.finished_at,
        "ended": attempt.ending or None,
        "graded_at": attempt.graded_at,
        "score": attempt.score,
        "answers": [_answer(response) for response in visible.values()],
        "gradings": [_grading(grading, visible, held_back) for grading in attempt.gradings.all()],
    }


def _answer(response: Response) -> Entry:
    version = response.version
    return {
        "position": response.position,
        "topic": version.question.topic_id,
        "question": version.question.ref,
        "version": version.number,
        "follow_up": response.follow_up.key if response.follow_up else None,
        "title": version.title,
        "prompt": response.follow_up.prompt if response.follow_up else version.prompt,
        "setting": response.setting,
        "text": response.text,
        "asked_at": response.asked_at,
        "saved_at": response.saved_at,
        "is_skipped": response.is_skipped,
        "is_flagged": response.is_flagged,
        "minutes": response.minutes,
        "seconds_spent": response.seconds_spent,
        "hints_shown": response.hints_shown,
        "late_texts": [
            {"received_at": late.received_at, "text": late.text} for late in response.late_texts.all()
        ],
    }


def _grading(grading: Grading, visible: dict[int, Response], held_back: set[int]) -> Entry:
    return {
        "number": grading.number,
        "started_at": grading.started_at,
        "closed_at": grading.closed_at,
        "score": grading.score,
        "answers": [
            _grade(grade, visible[grade.response_id], grading, held_back)
            for grade in grading.response_grades.all()
            if grade.response_id in visible
        ],
    }


def _grade(grade: ResponseGrade, response: Response, grading: Grading, held_back: set[int]) -> Entry:
    is_revealed = grading.closed_at is not None or grade.revealed_at is not None
    is_open = is_revealed and response.version.question_id not in held_back
    score = scoring.response_score(
        scoring.PointMark(mark.point.weight, mark.value, mark.point.is_must) for mark in grade.marks.all()
    )
    return {
        "position": response.position,
        "confidence": grade.confidence or None,
        "revealed_at": grade.revealed_at,
        "score": scoring.stored(score) if is_revealed else None,
        "fix_next": grade.fix_next,
        "marks": [_mark(mark, is_open) for mark in grade.marks.all()],
    }


def _mark(mark: Mark, is_open: bool) -> Entry:
    """Marks are shares of the point: 0, 0.5 or 1."""
    return {
        "point": mark.point.key,
        "criterion": mark.point.criterion if is_open else None,
        "weight": mark.point.weight if is_open else None,
        "is_must": mark.point.is_must if is_open else None,
        "value": mark.value / 2,
        "first_value": mark.first_value / 2,
        "quote": mark.quote,
        "marked_at": mark.marked_at,
    }
