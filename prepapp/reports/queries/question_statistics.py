"""All numbers of one question: each meaning it has had, its main answer and follow-ups, their points."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from prepapp.bank.models import Flag, Question, QuestionVersion, RubricPoint
from prepapp.reports.item_figures import ItemFigures, PointFigures, item_figures, point_figures
from prepapp.reports.models import ItemStatistic, PointStatistic


@dataclass(frozen=True)
class PointLine:
    """`text` is None if no version of the meaning has the point any more."""

    key: str
    text: RubricPoint | None
    figures: PointFigures


@dataclass(frozen=True)
class Part:
    """The main answer, or a follow-up by its key."""

    key: str
    figures: ItemFigures
    points: list[PointLine]


@dataclass(frozen=True)
class Meaning:
    """The versions that mean the same, as their numbers, the note of the change that began them, and what is
    counted of them; newest first in a list."""

    first: int
    last: int
    since: datetime
    note: str
    is_current: bool
    parts: list[Part]

    @property
    def versions(self) -> str:
        return f"version {self.first}" if self.first == self.last else f"versions {self.first}–{self.last}"


def meanings_of(question: Question, mean: int) -> list[Meaning]:
    """Every meaning, the newest first, those without answers as well. Four queries."""
    versions: dict[int, list[QuestionVersion]] = defaultdict(list)
    for version in (
        QuestionVersion.objects.filter(question=question)
        .only("number", "meaning", "change_note", "created_at")
        .order_by("number")
    ):
        versions[version.meaning].append(version)
    parts = _parts(question, {meaning: found[-1].pk for meaning, found in versions.items()}, mean)
    current = question.current_version.meaning if question.current_version else None
    return [
        Meaning(
            first=found[0].number,
            last=found[-1].number,
            since=found[0].created_at,
            note=found[0].change_note,
            is_current=meaning == current,
            parts=parts[meaning],
        )
        for meaning, found in sorted(versions.items(), reverse=True)
    ]


def open_flags(question: Question) -> int:
    return Flag.objects.filter(question=question, settled_at=None).count()


def _parts(question: Question, newest: dict[int, int], mean: int) -> dict[int, list[Part]]:
    """By meaning; `newest` is the version of each whose texts are shown. Three queries."""
    texts = {
        (point.version_id, point.key): point
        for point in RubricPoint.objects.filter(version__in=newest.values())
    }
    points: dict[int, list[PointLine]] = defaultdict(list)
    for row in PointStatistic.objects.filter(item__question=question).select_related("item"):
        text = texts.get((newest[row.item.meaning], row.key))
        points[row.item_id].append(PointLine(row.key, text, point_figures(row.sums, mean)))
    parts: dict[int, list[Part]] = defaultdict(list)
    for item in ItemStatistic.objects.filter(question=question).order_by("part"):
        lines = sorted(points[item.pk], key=lambda line: (line.text.position if line.text else 0, line.key))
        parts[item.meaning].append(Part(item.part, item_figures(item.sums, mean), lines))
    return parts
