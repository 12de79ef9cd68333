"""Values of the gradebook: points with their marks, answers, and what follows from them.

Here: one answer or point described from its own values, and sums over them. Not here: reading (`reads`),
what a closed grading says as a whole (`outcome`), the arithmetic (`scoring`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prepapp.interviews import scoring
from prepapp.interviews.choices import Band, MarkValue
from prepapp.interviews.models import Response

MINUTES_PER_POINT = Fraction(1, 2)


@dataclass(frozen=True)
class PointRow:
    """A rubric point of one answer with its mark; `value` None: not marked yet."""

    id: int
    response_id: int
    position: int
    has_text: bool
    weight: int
    is_must: bool
    value: int | None
    first_value: int | None
    quote: str
    criterion: str = ""
    met: str = ""
    partial: str = ""

    @property
    def name(self) -> str:
        """The id as a page writes it, a dozen times for each point: writing out a number costs more."""
        return str(self.id)

    @property
    def is_revised(self) -> bool:
        return self.value != self.first_value

    @property
    def label(self) -> str:
        return "Not marked" if self.value is None else MarkValue(self.value).label

    @property
    def first_label(self) -> str:
        return "" if self.first_value is None else MarkValue(self.first_value).label.lower()

    @property
    def evidence(self) -> str:
        return scoring.evidence_word(self.value, self.quote)

    @property
    def mark(self) -> scoring.PointMark:
        """The mark as it counts; an unmarked point has earned nothing."""
        return scoring.PointMark(self.weight, self.value or 0, self.is_must, self.quote)


@dataclass(frozen=True)
class GradeRow:
    """What a grading holds about one answer beside its marks."""

    id: int
    confidence: str
    is_revealed: bool
    fix_next: str

    @property
    def confidence_label(self) -> str:
        return Band(self.confidence).label if self.confidence else ""


@dataclass(frozen=True)
class GradingRow:
    """A grading and its answers by response id."""

    id: int
    number: int
    grades: dict[int, GradeRow]


@dataclass(frozen=True)
class Answer:
    """One response in one grading. `is_held_back`: a running mock asks the question, so it stays shut."""

    response: Response
    label: str
    grade: GradeRow | None
    points: tuple[PointRow, ...]
    is_held_back: bool = False

    @property
    def position(self) -> int:
        return self.response.position

    @property
    def is_follow_up(self) -> bool:
        return self.response.follow_up_id is not None

    @property
    def title(self) -> str:
        title = self.response.version.title
        return f"follow-up to “{title}”" if self.is_follow_up else title

    @property
    def is_empty(self) -> bool:
        return self.response.is_empty

    @property
    def needs_marks(self) -> bool:
        return bool(self.points) and not self.is_empty

    @property
    def is_revealed(self) -> bool:
        return self.grade is not None and self.grade.is_revealed and not self.is_held_back

    @property
    def is_open(self) -> bool:
        """Whether the rubric may be seen: confidence is given, or it was asked for and nothing is to mark."""
        if self.grade is None or self.is_held_back:
            return False
        return bool(self.grade.confidence) or self.grade.is_revealed

    @property
    def unmarked(self) -> int:
        return sum(point.value is None for point in self.points) if self.needs_marks else 0

    @property
    def state(self) -> str:
        """empty, todo, started or done."""
        if not self.needs_marks:
            return "empty"
        if not self.unmarked:
            return "done"
        return "started" if self.is_open else "todo"

    @property
    def words(self) -> str:
        """The state as a screen reader says it."""
        kind = "Follow-up" if self.is_follow_up else "Answer"
        states = {"empty": "nothing to mark", "todo": "to mark", "started": "partly marked", "done": "marked"}
        return f"{kind} {self.label}, {states[self.state]}{', closed for now' if self.is_held_back else ''}"

    @property
    def marks(self) -> list[scoring.PointMark]:
        return [point.mark for point in self.points]

    @property
    def score(self) -> Fraction | None:
        """0 for an empty answer; None where the rubric is worth nothing."""
        return scoring.response_score(self.marks)

    @property
    def score_text(self) -> str:
        return "–" if self.score is None else scoring.score_text(self.score)


@dataclass(frozen=True)
class Tally:
    """The running score of one answer. `band` stands when all points are marked."""

    score: str
    marked: int
    points: int
    band: Band | None
    musts_missed: int


@dataclass(frozen=True)
class Progress:
    """Where the candidate is: the number of this answer among those to mark, and what is left to do."""

    number: int
    answers: int
    unmarked: int

    @property
    def minutes_left(self) -> int:
        """Half a minute per point, whole minutes, never 0 while something is left."""
        return -(-self.unmarked * MINUTES_PER_POINT // 1)


def assemble(
    responses: Sequence[Response], grading: GradingRow | None, rows: Iterable[PointRow]
) -> list[Answer]:
    points: dict[int, list[PointRow]] = {response.pk: [] for response in responses}
    for row in rows:
        points[row.response_id].append(row)
    grades = grading.grades if grading else {}
    return [
        Answer(response, label, grades.get(response.pk), tuple(points[response.pk]))
        for response, label in zip(responses, _labels(responses), strict=True)
    ]


def counted(found: Iterable[Answer]) -> list[scoring.AnswerScore]:
    """The answers as they count in the score of the attempt."""
    return [
        scoring.AnswerScore(answer.response.minutes, answer.score, is_empty=answer.is_empty)
        for answer in found
    ]


def tally(rows: Iterable[PointRow]) -> Tally:
    """From the points of one answer; what is not marked has earned nothing yet."""
    points = list(rows)
    score = scoring.response_score([point.mark for point in points])
    marked = sum(point.value is not None for point in points)
    is_complete = marked == len(points)
    return Tally(
        score="–" if score is None else scoring.score_text(score),
        marked=marked,
        points=len(points),
        band=scoring.response_band([point.mark for point in points]) if is_complete else None,
        musts_missed=sum(point.is_must and point.value == MarkValue.MISSED for point in points),
    )


def progress(rows: Iterable[PointRow], position: int) -> Progress:
    """From all points of an attempt."""
    unmarked: dict[int, int] = {}
    for row in rows:
        if row.has_text:
            unmarked[row.position] = unmarked.get(row.position, 0) + (row.value is None)
    places = sorted(unmarked)
    number = places.index(position) + 1 if position in unmarked else 0
    return Progress(number, len(places), sum(unmarked.values()))


def next_to_do(found: Sequence[Answer], after: int) -> Answer | None:
    """The next answer with unmarked points that may be marked, from `after` on and then from the start."""
    open_ones = [answer for answer in found if answer.unmarked and not answer.is_held_back]
    later = [answer for answer in open_ones if answer.position > after]
    return next(iter(later or open_ones), None)


def _labels(responses: Iterable[Response]) -> list[str]:
    """1, 2, 2a, 2b, 3: follow-ups carry the number of their question."""
    labels = []
    number = letter = 0
    for response in responses:
        if response.parent_position is None:
            number += 1
            letter = 0
            labels.append(str(number))
        else:
            labels.append(f"{number}{chr(ord('a') + letter)}")
            letter += 1
    return labels
