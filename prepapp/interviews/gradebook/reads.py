"""What grading and result read, in as many queries as each function says, however many answers.

Here: fetch shapes. Not here: what follows from the rows (`rows`, `outcome`), writing (`actions.grading`).
"""

from datetime import datetime
from functools import cache
from uuid import UUID

from django.db import connection
from django.db.models import BigIntegerField, DateTimeField, UUIDField

from prepapp.bank.models import QuestionVersion
from prepapp.bank.queries import Reference
from prepapp.bank.rendering import reference_link, render_follow_up, render_version
from prepapp.common.statements import Kept
from prepapp.interviews.gradebook.held_back import is_held_back
from prepapp.interviews.gradebook.rows import Answer, GradeRow, GradingRow, PointRow, assemble
from prepapp.interviews.models import Attempt, Grading, LateText, Response

ASKED = ("prompt", "context", "data")
# What an answer is measured by.
HIDDEN_OF_VERSION = (
    "model_answer",
    "deeper",
    "code",
    "pitfalls",
    "references",
    "weights_note",
    "difficulty",
)
# Every mark reads this. Written out because building it from the ORM costs several times what running it
# does, and because a join on two tables at once, each beside the answer, is not to be had from there.
_COLUMNS = """
       response.id, response.position, response.text {regex} %s, grading.id, grading.number,
       grade.id, grade.confidence, grade.revealed_at, grade.fix_next,
       point.id, point.weight, point.is_must, mark.value, mark.first_value, mark.quote"""
_REGEX = {"postgresql": "~", "sqlite": "REGEXP"}
_TEXTS = ", point.criterion, point.met, point.partial"
_GRADEBOOK = """
  FROM interviews_response response
  LEFT JOIN interviews_grading grading ON grading.attempt_id = response.attempt_id AND {which}
  LEFT JOIN interviews_responsegrade grade
         ON grade.grading_id = grading.id AND grade.response_id = response.id
  LEFT JOIN bank_rubricpoint point
         ON point.version_id = response.version_id
        AND (point.follow_up_id = response.follow_up_id
             OR (point.follow_up_id IS NULL AND response.follow_up_id IS NULL))
  LEFT JOIN interviews_mark mark ON mark.response_grade_id = grade.id AND mark.point_id = point.id
 WHERE response.attempt_id = %s
 ORDER BY response.position, point.position, point.id"""
_HIDDEN = (*(f"version__{name}" for name in HIDDEN_OF_VERSION), "follow_up__answer")


_OPEN = Kept(
    lambda attempt: Grading.objects.filter(attempt=attempt, closed_at__isnull=True).values_list(
        "id",
        "number",
        "response_grades__response",
        "response_grades__id",
        "response_grades__confidence",
        "response_grades__revealed_at",
        "response_grades__fix_next",
    ),
    attempt=UUIDField(),
)


def find_open_grading(attempt_id: UUID) -> GradingRow | None:
    """The grading that is not closed yet, with its answers: one query."""
    found: GradingRow | None = None
    for grading_id, number, response_id, grade_id, confidence, revealed_at, fix_next in _OPEN.rows(
        attempt=attempt_id
    ):
        found = found or GradingRow(grading_id, number, {})
        if response_id is not None:
            is_revealed = revealed_at is not None
            found.grades[response_id] = GradeRow(grade_id, confidence, is_revealed, fix_next)
    return found


def read_gradebook(
    attempt_id: UUID, grading_id: int | None = None, *, with_texts: bool = False
) -> tuple[GradingRow | None, list[PointRow]]:
    """A grading of an attempt, by default the open one, and every rubric point of the attempt's answers, in
    order, with its mark in that grading: one query."""
    columns = _COLUMNS.format(regex=_REGEX[connection.vendor]) + (_TEXTS if with_texts else "")
    which = "grading.closed_at IS NULL" if grading_id is None else "grading.id = %s"
    key = Attempt._meta.pk.get_db_prep_value(attempt_id, connection)
    chosen = [] if grading_id is None else [grading_id]
    grading: GradingRow | None = None
    rows = []
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} {_GRADEBOOK.format(which=which)}", [r"\S", *chosen, key])
        found = cursor.fetchall()
    for response, position, has_text, pass_id, number, *more in found:
        grade, confidence, revealed_at, fix_next, point, weight, is_must, value, first, quote, *words = more
        if pass_id is not None:
            grading = grading or GradingRow(pass_id, number, {})
        if grading and grade is not None and response not in grading.grades:
            grading.grades[response] = GradeRow(grade, confidence, revealed_at is not None, fix_next)
        if point is not None:
            # SQLite has no booleans.
            about = (point, response, position, bool(has_text), weight, bool(is_must))
            rows.append(PointRow(*about, value, first, quote or "", *words))
    return grading, rows


def open_answers(attempt_id: UUID, *, with_texts: bool = False) -> tuple[GradingRow | None, list[Answer]]:
    """The open grading, and all answers of the attempt in order with their marks in it: two queries."""
    grading, points = read_gradebook(attempt_id, with_texts=with_texts)
    return grading, assemble(_ANSWERS.all(attempt=attempt_id), grading, points)


_ANSWERS = Kept(
    lambda attempt: Response.objects.filter(attempt=attempt).order_by("position"), attempt=UUIDField()
)


def graded_answers(attempt_id: UUID, grading_id: int) -> list[Answer]:
    """All answers with their questions' titles, kinds and topics, and their marks: two queries."""
    grading, points = read_gradebook(attempt_id, grading_id, with_texts=True)
    return assemble(_GRADED.all(attempt=attempt_id), grading, points)


_GRADED = Kept(
    lambda attempt: (
        Response.objects.filter(attempt=attempt)
        .select_related("version__question__topic")
        .only(
            *("attempt", "position", "parent_position", "follow_up", "minutes", "text", "seconds_spent"),
            *("hints_shown", "asked_at", "version__title", "version__kind", "version__number"),
            *("version__question__current_version", "version__question__topic__title"),
        )
        .order_by("position")
    ),
    attempt=UUIDField(),
)


def closed_gradings(attempt_id: UUID) -> list[Grading]:
    """Newest first."""
    return _CLOSED.all(attempt=attempt_id)


_CLOSED = Kept(
    lambda attempt: Grading.objects.filter(attempt=attempt, closed_at__isnull=False).order_by("-number"),
    attempt=UUIDField(),
)


def question_of(response_id: int, *, is_revealed: bool, now: datetime) -> Response:
    """The response with its question, and `is_held_back`. What only a revealed answer may show is left out
    before, and while it is held back."""
    found = _question(is_revealed).first(response=response_id, now=now)
    if found is None:
        raise Response.DoesNotExist
    _render_missing(found)
    if is_revealed and not getattr(found, "is_held_back", True):
        return found
    found.version.rendered = {name: found.version.rendered[name] for name in ASKED}
    if found.follow_up:
        found.follow_up.rendered = {"prompt": found.follow_up.rendered["prompt"]}
    return found


@cache
def _question(is_revealed: bool) -> Kept[Response]:
    hidden = () if is_revealed else _HIDDEN
    return Kept(
        lambda response, now: (
            Response.objects.filter(pk=response)
            .select_related("version__question__topic", "follow_up")
            .annotate(is_held_back=is_held_back(now))
            .defer("text", *hidden)
        ),
        response=BigIntegerField(),
        now=DateTimeField(),
    )


def _render_missing(response: Response) -> None:
    """HTML for a question that was stored without; it costs queries, once in a blue moon."""
    if not response.version.rendered:
        response.version.rendered = render_version(response.version)
    if response.follow_up and not response.follow_up.rendered:
        response.follow_up.rendered = render_follow_up(response.follow_up)


def answer_is_held_back(response_id: int, now: datetime) -> bool:
    """Whether a running mock of the same person asks the question of this answer. One query."""
    return Response.objects.filter(is_held_back(now), pk=response_id).exists()


def references(version: QuestionVersion) -> list[Reference]:
    """The sources of a question, each with the link a page may carry."""
    return [
        Reference(entry["title"], entry["url"], reference_link(entry["url"])) for entry in version.references
    ]


def late_texts(response_id: int) -> list[LateText]:
    return _LATE.all(response=response_id)


_LATE = Kept(lambda response: LateText.objects.filter(response=response), response=BigIntegerField())
