"""Sample answers as a person marks them: which there are, what one shows before and after its marks, and how
the person's marks lean.

An answer that comes into the bank again, with other words about its marks, is the same sample to whoever has
marked it: same question, same meaning, same text.

Here: reading. Not here: who may open a sample (`access`), the arithmetic (`bias`), writing
(`actions.samples`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from prepapp.accounts.models import User
from prepapp.bank.choices import Kind
from prepapp.bank.models import QuestionVersion, RubricPoint, SampleAnswer, SampleMark
from prepapp.bank.rendering import render_version
from prepapp.interviews import scoring
from prepapp.interviews.bias import Bias, MarkPair, bias_of
from prepapp.interviews.choices import MarkValue
from prepapp.interviews.evidence import Piece, Span, cut
from prepapp.interviews.gradebook.held_back import is_closed_in_bank
from prepapp.interviews.gradebook.reads import ASKED, HIDDEN_OF_VERSION
from prepapp.interviews.models import SampleGrading

_IDENTITY = ("question", "answer", "version__meaning")
# A track in which somebody has marked this many needs no offer any more.
ENOUGH = 3


@dataclass(frozen=True)
class SampleRow:
    """A sample answer in a list. `is_closed`: its question is in a running mock of the person, or in one
    still to be marked."""

    id: int
    position: int
    slug: str
    title: str
    topic: str
    topic_title: str
    kind: Kind
    is_graded: bool
    is_closed: bool

    @property
    def track(self) -> str:
        """The code of the track it counts in."""
        return self.topic.partition(".")[0]

    @property
    def is_open(self) -> bool:
        """Whether it may be marked now and has not been."""
        return not (self.is_graded or self.is_closed)


@dataclass(frozen=True)
class Biases:
    """How a person marks: in each track they have marked samples of, by code, and over all."""

    by_track: Mapping[str, Bias]
    overall: Bias

    def of(self, track: str) -> Bias:
        return self.by_track.get(track, Bias(0))


@dataclass(frozen=True)
class ComparedPoint:
    """A rubric point with the person's mark and the reference's."""

    point: RubricPoint
    own: MarkValue
    reference: MarkValue
    quote: str
    why: str

    @property
    def is_equal(self) -> bool:
        return self.own == self.reference


@dataclass(frozen=True)
class Compared:
    """A marked sample beside its reference marks, what differs first."""

    points: tuple[ComparedPoint, ...]
    own: Fraction
    reference: Fraction

    @property
    def own_text(self) -> str:
        return scoring.score_text(self.own)

    @property
    def reference_text(self) -> str:
        return scoring.score_text(self.reference)

    @property
    def lean(self) -> str:
        """generous, harsh or ''."""
        if self.own == self.reference:
            return ""
        return "generous" if self.own > self.reference else "harsh"

    @property
    def apart(self) -> str:
        """How far the scores lie apart, in points of ten."""
        return f"{float(abs(self.own - self.reference)):.1f}"

    @property
    def equal(self) -> int:
        return sum(point.is_equal for point in self.points)


def sample_rows(user_id: UUID, now: datetime, track: str = "") -> list[SampleRow]:
    """Every sample that is offered to a person, of one track or of all, by topic and question: one query."""
    samples = SampleAnswer.objects.offered()
    samples = samples.in_track(track) if track else samples
    same = {f"sample__{name}": OuterRef(name) for name in _IDENTITY}
    own = SampleGrading.objects.filter(user=user_id, **same)

    rows = samples.annotate(is_graded=Exists(own), is_closed=is_closed_in_bank(user_id, now)).values_list(
        *("id", "position", "question__slug", "version__title", "question__topic"),
        *("question__topic__title", "version__kind", "is_graded", "is_closed"),
    )
    ordered = rows.order_by("question__topic__position", "question__ref", "position")
    return [
        SampleRow(number, place, slug, title, topic, topic_title, Kind(kind), bool(graded), bool(shut))
        for number, place, slug, title, topic, topic_title, kind, graded, shut in ordered
    ]


def next_sample(rows: Iterable[SampleRow]) -> SampleRow | None:
    """The next to mark: one of every question before the second of any, so that neither question nor level
    repeats itself."""
    return min((row for row in rows if row.is_open), key=lambda row: row.position, default=None)


def offered_first(user_id: UUID, track: str, now: datetime) -> SampleRow | None:
    """The sample to mark before one grades oneself, if the track has one and few were marked: one query."""
    rows = sample_rows(user_id, now, track)
    return next_sample(rows) if sum(row.is_graded for row in rows) < ENOUGH else None


def newest_grading(user: User, sample: SampleAnswer) -> SampleGrading | None:
    """One query; `is_first` says whether it is the one that counts. The sample comes with its version."""
    gradings = SampleGrading.objects.filter(
        user=user,
        sample__question=sample.question_id,
        sample__answer=sample.answer,
        sample__version__meaning=sample.version.meaning,
    )
    same_moment = Q(graded_at=OuterRef("graded_at"), pk__lt=OuterRef("pk"))
    earlier = gradings.filter(Q(graded_at__lt=OuterRef("graded_at")) | same_moment)
    return gradings.annotate(is_first=~Exists(earlier)).order_by("-graded_at", "-pk").first()


def sample_version(version_id: int, *, is_revealed: bool) -> QuestionVersion:
    """The text a sample answers, with its question and topic: one query. What only a marked sample may show
    is left out before."""
    version = QuestionVersion.objects.select_related("question__topic")
    if is_revealed:
        found = version.get(pk=version_id)
        found.rendered = found.rendered or render_version(found)
        return found
    found = version.defer(*HIDDEN_OF_VERSION).get(pk=version_id)
    found.rendered = {name: found.rendered.get(name, "") for name in ASKED}
    return found


def sample_points(version_id: int) -> list[RubricPoint]:
    """The main rubric: one query."""
    return list(RubricPoint.objects.filter(version=version_id, follow_up=None).order_by("position"))


def compared(sample: SampleAnswer, grading: SampleGrading) -> Compared:
    """The grading beside the reference marks: one query. Two where the answer came again with other points:
    then those of the sample that was marked."""
    rows = _reference(sample.pk)
    if {row.point.key for row in rows} != grading.marks.keys():
        rows = _reference(grading.sample_id)
    points = [
        ComparedPoint(
            point=row.point,
            own=MarkValue(grading.marks[row.point.key]),
            reference=MarkValue(row.value),
            quote=row.quote,
            why=row.why,
        )
        for row in rows
    ]
    return Compared(
        points=tuple(sorted(points, key=lambda row: row.is_equal)),
        own=_score(points, [row.own for row in points]),
        reference=_score(points, [row.reference for row in points]),
    )


def _reference(sample_id: int) -> list[SampleMark]:
    marks = SampleMark.objects.filter(sample=sample_id)
    return list(marks.select_related("point").order_by("point__position"))


def quoted_pieces(answer: str, points: Sequence[ComparedPoint]) -> list[Piece]:
    """The answer in stretches, each with the places in `points` of those whose quote it belongs to."""
    return cut(answer, [_span(answer, row.quote) for row in points])


def biases(user: User) -> Biases:
    """How the person marks, from the first grading of each sample: two queries, one while there is none."""
    gradings = SampleGrading.objects.filter(user=user).order_by("graded_at", "pk")
    rows = gradings.values_list(
        *("sample", "marks", "sample__question__topic"), *(f"sample__{name}" for name in _IDENTITY)
    )
    first: dict[tuple[Any, ...], tuple[int, Mapping[str, int], str]] = {}
    for sample, marks, topic, *identity in rows:
        first.setdefault(tuple(identity), (sample, marks, topic.partition(".")[0]))
    pairs = _pairs({sample: marks for sample, marks, _ in first.values()})
    tracks: dict[str, list[list[MarkPair]]] = defaultdict(list)
    for sample, _, track in first.values():
        tracks[track].append(pairs[sample])
    by_track = {track: bias_of(answers) for track, answers in tracks.items()}
    return Biases(by_track, bias_of(list(pairs.values())))


def _pairs(marks: Mapping[int, Mapping[str, int]]) -> dict[int, list[MarkPair]]:
    """The marks of each sample beside those of the reference."""
    pairs: dict[int, list[MarkPair]] = {sample: [] for sample in marks}
    if not marks:
        return pairs
    rows = SampleMark.objects.filter(sample__in=list(marks)).order_by()
    for sample, key, weight, value in rows.values_list("sample", "point__key", "point__weight", "value"):
        pairs[sample].append(MarkPair(weight, marks[sample][key], value))
    return pairs


def _score(points: Sequence[ComparedPoint], values: Sequence[int]) -> Fraction:
    marks = zip(points, values, strict=True)
    score = scoring.response_score(scoring.PointMark(row.point.weight, value) for row, value in marks)
    return score or Fraction(0)


def _span(answer: str, quote: str) -> list[Span]:
    start = answer.find(quote) if quote else -1
    return [] if start < 0 else [(start, start + len(quote))]
