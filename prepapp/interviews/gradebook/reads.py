"""What grading and result read, in as many queries as each function says, however many answers.

Here: fetch shapes. Not here: what follows from the rows (`rows`, `outcome`), writing (`actions.grading`).
"""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import F, FilteredRelation, Q, QuerySet

from prepapp.bank.models import QuestionVersion, RubricPoint
from prepapp.bank.queries import Reference
from prepapp.bank.rendering import reference_link, render_follow_up, render_version
from prepapp.interviews.gradebook.rows import Answer, GradeRow, GradingRow, PointRow, assemble
from prepapp.interviews.models import Grading, LateText, Response

_ASKED = ("prompt", "context", "data")
_HIDDEN = (
    "version__model_answer",
    "version__deeper",
    "version__code",
    "version__pitfalls",
    "version__references",
    "version__weights_note",
    "version__difficulty",
    "follow_up__answer",
)


def find_open_grading(attempt_id: UUID) -> GradingRow | None:
    """The grading that is not closed yet, with its answers: one query."""
    rows = list(_grading_rows(Grading.objects.filter(attempt=attempt_id, closed_at__isnull=True)))
    return rows[0] if rows else None


def point_rows(attempt_id: UUID, grading: GradingRow | None, *, with_texts: bool = False) -> list[PointRow]:
    """Every rubric point of an attempt's answers, in order, with its mark in `grading`: one query."""
    grades = {grade.id: response_id for response_id, grade in grading.grades.items()} if grading else {}
    names = ["id", "version__responses__id", "version__responses__position", "weight", "is_must"]
    texts = ["criterion", "met", "partial"] if with_texts else []
    rows = (
        RubricPoint.objects.filter(
            Q(follow_up=F("version__responses__follow_up"))
            | Q(follow_up__isnull=True, version__responses__follow_up__isnull=True),
            version__responses__attempt=attempt_id,
        )
        .annotate(
            # An empty list would empty the whole query, not only the join.
            given=FilteredRelation("marks", condition=Q(marks__response_grade__in=list(grades) or [0])),
            has_text=Q(version__responses__text__regex=r"\S"),
        )
        .order_by("version__responses__position", "position", "id")
        .values_list(
            *names,
            "has_text",
            "given__response_grade",
            "given__value",
            "given__first_value",
            "given__quote",
            *texts,
        )
    )
    found: dict[tuple[int, int], PointRow] = {}
    for point, response, position, weight, is_must, has_text, grade, value, first, quote, *words in rows:
        row = PointRow(
            point, response, position, has_text, weight, is_must, value, first, quote or "", *words
        )
        if grade is not None and grades[grade] != response:
            # The same question twice in one attempt: this mark is the other answer's.
            row = PointRow(point, response, position, has_text, weight, is_must, None, None, "", *words)
            found.setdefault((response, point), row)
        else:
            found[response, point] = row
    return list(found.values())


def answers(attempt_id: UUID, grading: GradingRow | None, *, with_texts: bool = False) -> list[Answer]:
    """All answers of an attempt in order, with their marks in `grading`: two queries."""
    responses = list(Response.objects.filter(attempt=attempt_id).order_by("position"))
    rows = point_rows(attempt_id, grading, with_texts=with_texts)
    return assemble(responses, grading, rows)


def graded_answers(attempt_id: UUID, grading_id: int) -> list[Answer]:
    """All answers with their questions' titles, kinds and topics, and their marks: three queries."""
    grading = next(iter(_grading_rows(Grading.objects.filter(pk=grading_id))))
    responses = list(
        Response.objects.filter(attempt=attempt_id)
        .select_related("version__question__topic")
        .only(
            *("attempt", "position", "parent_position", "follow_up", "minutes", "text", "seconds_spent"),
            *(
                "hints_shown",
                "asked_at",
                "version__title",
                "version__kind",
                "version__question__topic__title",
            ),
        )
        .order_by("position")
    )
    return assemble(responses, grading, point_rows(attempt_id, grading, with_texts=True))


def closed_gradings(attempt_id: UUID) -> list[Grading]:
    """Newest first."""
    return list(Grading.objects.filter(attempt=attempt_id, closed_at__isnull=False).order_by("-number"))


def question_of(response_id: int, *, is_revealed: bool) -> Response:
    """The response with its question. What only a revealed answer may show is left out before."""
    rows = Response.objects.select_related("version__question__topic", "follow_up").defer("text")
    if is_revealed:
        found = rows.get(pk=response_id)
        _render_missing(found)
        return found
    found = rows.defer("text", *_HIDDEN).get(pk=response_id)
    _render_missing(found)
    found.version.rendered = {name: found.version.rendered[name] for name in _ASKED}
    if found.follow_up:
        found.follow_up.rendered = {"prompt": found.follow_up.rendered["prompt"]}
    return found


def _render_missing(response: Response) -> None:
    """HTML for a question that was stored without; it costs queries, once in a blue moon."""
    if not response.version.rendered:
        response.version.rendered = render_version(response.version)
    if response.follow_up and not response.follow_up.rendered:
        response.follow_up.rendered = render_follow_up(response.follow_up)


def references(version: QuestionVersion) -> list[Reference]:
    """The sources of a question, each with the link a page may carry."""
    return [
        Reference(entry["title"], entry["url"], reference_link(entry["url"])) for entry in version.references
    ]


def late_texts(response_id: int) -> list[LateText]:
    return list(LateText.objects.filter(response=response_id))


def _grading_rows(gradings: QuerySet[Grading]) -> Iterable[GradingRow]:
    found: dict[int, GradingRow] = {}
    for grading_id, number, response_id, grade_id, confidence, revealed_at, fix_next in gradings.values_list(
        "id",
        "number",
        "response_grades__response",
        "response_grades__id",
        "response_grades__confidence",
        "response_grades__revealed_at",
        "response_grades__fix_next",
    ):
        grading = found.setdefault(grading_id, GradingRow(grading_id, number, {}))
        if response_id is not None:
            is_revealed = revealed_at is not None
            grading.grades[response_id] = GradeRow(grade_id, confidence, is_revealed, fix_next)
    return found.values()
