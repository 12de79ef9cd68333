"""One attempt exactly as it was asked and answered: the versions it pinned, its texts, its marks.

What the candidate may not see yet is left out here and not in a template: of an answer that is not
revealed no rubric, model answer or rendering of one leaves this module.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

from prepapp.accounts.choices import TimeAllowance
from prepapp.bank.choices import Status
from prepapp.bank.models import RubricPoint
from prepapp.interviews import scoring, timing
from prepapp.interviews.choices import Band, MarkValue, State
from prepapp.interviews.gradebook.changes import Changed, changed_since
from prepapp.interviews.gradebook.held_back import held_back_questions
from prepapp.interviews.logbook.listing import BAND_SIGNS
from prepapp.interviews.models import Attempt, Grading, LateText, Mark, Response, ResponseGrade

MAX_OTHERS = 5
MARK_SIGNS: dict[int, str] = {MarkValue.MET: "✓", MarkValue.PARTLY: "◐", MarkValue.MISSED: "✕"}
_ASKED_HTML = ("prompt", "context", "data")
_REVEALED_HTML = ("model_answer", "code_solution", "pitfalls", "deeper")


@dataclass(frozen=True)
class PointReview:
    """A rubric point with its mark, None where it has none."""

    point: RubricPoint
    mark: Mark | None

    @property
    def word(self) -> str:
        return MarkValue(self.mark.value).label if self.mark else "Not marked"

    @property
    def first_word(self) -> str:
        """The mark before the model answer was seen, where it was another one."""
        if self.mark is None or self.mark.first_value == self.mark.value:
            return ""
        return MarkValue(self.mark.first_value).label

    @property
    def tone(self) -> str:
        return MarkValue(self.mark.value).name.lower() if self.mark else ""

    @property
    def evidence(self) -> str:
        return scoring.evidence_word(self.mark.value, self.mark.quote) if self.mark else ""

    @property
    def sign(self) -> str:
        return MARK_SIGNS[self.mark.value] if self.mark else ""


@dataclass(frozen=True)
class OtherAttempt:
    """Another time the same question was answered."""

    attempt_id: UUID
    title: str
    started_at: datetime
    is_earlier: bool


@dataclass(frozen=True)
class Graded:
    """What a grading says about one answer."""

    points: list[PointReview]
    exact_score: Fraction | None
    score: str
    band: str
    confidence: str
    fix_next: str

    @property
    def band_words(self) -> str:
        return f"{BAND_SIGNS[self.band]} {Band(self.band).label}" if self.band else ""


@dataclass(frozen=True)
class AnswerReview:
    """One answer. `rendered` holds the HTML the candidate may see, by field; `graded` is None before."""

    label: str
    response: Response
    version_words: str
    rendered: dict[str, Any]
    planned_minutes: str
    late_texts: list[LateText] = field(default_factory=list)
    is_held_back: bool = False
    graded: Graded | None = None
    others: list[OtherAttempt] = field(default_factory=list)
    changed: Changed | None = None


@dataclass(frozen=True)
class Review:
    attempt: Attempt
    answers: list[AnswerReview]
    gradings: list[Grading]
    chosen: Grading | None


class NoSuchGrading(Exception):
    """The attempt has no grading of that number."""


def review_of(attempt: Attempt, number: int | None, now: datetime) -> Review:
    """The attempt with grading `number`; without, with its newest closed one, else the open one.

    Eight queries at most, whatever its length, and one more if a question has changed. NoSuchGrading.
    """
    gradings = list(attempt.gradings.all())
    chosen = _choose(gradings, number)
    responses = planned_responses(attempt)
    held_back = held_back_questions(attempt.user_id, now)
    revealed = revealed_responses(responses, chosen)
    graded = graded_answers(attempt, chosen, [response for response in responses if response.pk in revealed])
    late = defaultdict(list)
    for text in LateText.objects.filter(response__attempt=attempt):
        late[text.response_id].append(text)
    others = _others(attempt, responses)
    changes = changed_since(responses, attempt.user_id, now)
    allowance = attempt.time_allowance if attempt.is_mock else TimeAllowance.NORMAL
    answers = []
    for label, response in labelled(responses):
        if not is_visible(response, revealed):
            continue
        question = response.version.question_id
        is_held_back = response.pk in revealed and question in held_back
        is_open = response.pk in revealed and not is_held_back
        answers.append(
            AnswerReview(
                label=label,
                response=response,
                version_words=version_words(response, has_changed=response.pk in changes),
                rendered=_html(response, is_open),
                planned_minutes=timing.planned_minutes(response.minutes, allowance),
                late_texts=late[response.pk],
                is_held_back=is_held_back,
                graded=graded.get(response.pk) if is_open else None,
                others=others[question] if response.follow_up is None else [],
                changed=_told(changes.get(response.pk)) if is_open and not response.parent_position else None,
            )
        )
    return Review(attempt=attempt, answers=answers, gradings=gradings, chosen=chosen)


def planned_responses(attempt: Attempt) -> list[Response]:
    """All answers of the attempt in order, with their versions; those never asked too. One query."""
    return list(
        Response.objects.filter(attempt=attempt)
        .select_related("version__question__topic", "follow_up")
        .order_by("position")
    )


def is_visible(response: Response, revealed: set[int]) -> bool:
    """Whether the question may be read: it was asked, or it was graded as never reached."""
    return response.asked_at is not None or response.pk in revealed


def standing_grading(gradings: list[Grading]) -> Grading | None:
    """The one that counts: the newest closed one, else the open one, else None."""
    closed = [grading for grading in gradings if grading.closed_at is not None]
    return next(reversed(closed or gradings), None)


def revealed_responses(responses: Iterable[Response], grading: Grading | None) -> set[int]:
    """Ids of the answers whose rubric may be seen: all once a grading is closed, else those revealed in the
    open one. One query at most."""
    if grading is None:
        return set()
    if grading.closed_at is not None:
        return {response.pk for response in responses}
    revealed = ResponseGrade.objects.filter(grading=grading, revealed_at__isnull=False)
    return set(revealed.values_list("response", flat=True))


def graded_answers(
    attempt: Attempt, grading: Grading | None, responses: Iterable[Response]
) -> dict[int, Graded]:
    """What the grading says, by response. Three queries at most."""
    wanted = {response.pk: response for response in responses}
    if grading is None or not wanted:
        return {}
    grades = {
        grade.response_id: grade
        for grade in ResponseGrade.objects.filter(grading=grading).prefetch_related("marks")
    }
    points: dict[tuple[int, int | None], list[RubricPoint]] = defaultdict(list)
    versions = {response.version_id for response in wanted.values()}
    for point in RubricPoint.objects.filter(version__in=versions).order_by("position", "pk"):
        points[point.version_id, point.follow_up_id].append(point)
    return {
        pk: _graded(attempt, response, points[response.version_id, response.follow_up_id], grades.get(pk))
        for pk, response in wanted.items()
    }


def labelled(responses: Iterable[Response]) -> Iterable[tuple[str, Response]]:
    """The answers with the numbers the candidate saw: 1, 1a, 1b, 2."""
    number = letter = 0
    for response in responses:
        if response.parent_position is None:
            number, letter = number + 1, 0
            yield str(number), response
        else:
            letter += 1
            yield f"{number}{chr(ord('a') + letter - 1)}", response


def asked_html(response: Response) -> dict[str, Any]:
    """The texts the candidate was asked with."""
    if response.follow_up:
        return _pick(response.follow_up.rendered, ("prompt",))
    return _pick(response.version.rendered, _ASKED_HTML)


def version_words(response: Response, *, has_changed: bool) -> str:
    """Which text was asked, and whether the question still means the same: better words say nothing."""
    version = response.version
    words = f"Version {version.number}"
    if version.question.status == Status.RETIRED:
        return f"{words}; the question has been retired since"
    if has_changed:
        return f"{words}; the question has changed since"
    return words


def answer_score(attempt: Attempt, response: Response, points: Sequence[PointReview]) -> Fraction | None:
    """As it counts in the attempt: an empty answer is worth 0 in a mock and nothing in practice. None as
    well while a point has no mark."""
    if response.is_empty:
        return Fraction(0) if attempt.is_mock else None
    marks = [
        scoring.PointMark(item.point.weight, item.mark.value, item.point.is_must)
        for item in points
        if item.mark is not None
    ]
    return scoring.response_score(marks) if len(marks) == len(points) else None


def _told(changed: Changed | None) -> Changed | None:
    return None if changed is None or changed.is_closed else changed


def _choose(gradings: list[Grading], number: int | None) -> Grading | None:
    if number is not None:
        found = next((grading for grading in gradings if grading.number == number), None)
        if found is None:
            raise NoSuchGrading
        return found
    return standing_grading(gradings)


def _graded(
    attempt: Attempt, response: Response, points: list[RubricPoint], grade: ResponseGrade | None
) -> Graded:
    marks = {mark.point_id: mark for mark in grade.marks.all()} if grade else {}
    rows = [PointReview(point, marks.get(point.pk)) for point in points]
    score = answer_score(attempt, response, rows)
    band = _band(response, rows, score)
    return Graded(
        points=rows,
        exact_score=score,
        score="" if score is None else scoring.score_text(score),
        band=band or "",
        confidence=Band(grade.confidence).label if grade and grade.confidence else "",
        fix_next=grade.fix_next if grade else "",
    )


def _band(response: Response, rows: list[PointReview], score: Fraction | None) -> Band | None:
    if score is None:
        return None
    if response.is_empty:
        return Band.NOT_YET
    return scoring.response_band(
        [scoring.PointMark(row.point.weight, row.mark.value, row.point.is_must) for row in rows if row.mark]
    )


def _html(response: Response, is_open: bool) -> dict[str, Any]:
    if not is_open:
        return asked_html(response)
    if response.follow_up:
        return _pick(response.follow_up.rendered, ("prompt", "answer"))
    return _pick(response.version.rendered, _ASKED_HTML + _REVEALED_HTML)


def _pick(rendered: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: rendered[name] for name in names if rendered.get(name)}


def _others(attempt: Attempt, responses: Iterable[Response]) -> dict[int, list[OtherAttempt]]:
    """Other ended attempts at the same questions, newest first, by question. One query."""
    questions = {response.version.question_id for response in responses if response.follow_up is None}
    rows = (
        Response.objects.filter(
            user=attempt.user_id, version__question__in=questions, follow_up=None, asked_at__isnull=False
        )
        .exclude(attempt=attempt)
        .exclude(attempt__state=State.RUNNING)
        .order_by("-attempt__started_at", "-attempt")
        .values_list("version__question", "attempt", "attempt__title", "attempt__started_at")
    )
    found: dict[int, list[OtherAttempt]] = defaultdict(list)
    for question, attempt_id, title, started_at in rows:
        if len(found[question]) < MAX_OTHERS:
            found[question].append(
                OtherAttempt(attempt_id, title, started_at, started_at <= attempt.started_at)
            )
    return found
