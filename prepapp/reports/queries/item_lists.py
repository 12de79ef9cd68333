"""The items and points whose numbers ask for a look, as the desk lists them. Only questions that are asked
now, in the meaning they have now: what is retired or rewritten needs no mending."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from prepapp.bank.choices import Status
from prepapp.bank.models import Flag, Question, RubricPoint
from prepapp.reports import item_figures
from prepapp.reports.choices import StatisticsList
from prepapp.reports.item_figures import ItemFigures, PointFigures
from prepapp.reports.models import ItemStatistic, PointStatistic, StatisticsRun

# Which rows a list has, and the order it is paged in.
_POINTS = {
    StatisticsList.EASY: (Q(met__gt=item_figures.EASY), ("-met", "-pk")),
    StatisticsList.HARD: (Q(met__lt=item_figures.HARD), ("met", "pk")),
    StatisticsList.LOOSE_POINTS: (Q(discrimination__lt=item_figures.LOOSE), ("discrimination", "pk")),
}
_ITEMS = {
    StatisticsList.LOOSE: (Q(discrimination__lt=item_figures.LOOSE), ("discrimination", "pk")),
    StatisticsList.SKIPPED: (Q(skipped__gt=item_figures.SKIPPED), ("-skipped", "-pk")),
    StatisticsList.PACE: (Q(pace_off__gt=item_figures.PACE_OFF), ("-pace_off", "-pk")),
    StatisticsList.FLAGGED: (Q(part="", flags__gt=0), ("-flags", "-pk")),
}
_SHOWN = ("ref", "topic__title", "current_version__title")


@dataclass(frozen=True)
class ItemFilter:
    """What narrows the lists; '' does not."""

    name: StatisticsList
    track: str = ""
    topic: str = ""

    @property
    def is_of_points(self) -> bool:
        return self.name in _POINTS

    @property
    def order(self) -> tuple[str, ...]:
        return (_POINTS[self.name] if self.is_of_points else _ITEMS[self.name])[1]


@dataclass(frozen=True)
class ItemRow:
    """A line about an item. `flags` are those still open."""

    question: Question
    part: str
    figures: ItemFigures
    flags: int


@dataclass(frozen=True)
class PointRow:
    """A line about a point; `text` is None if the question no longer has it."""

    question: Question
    part: str
    figures: PointFigures
    key: str
    text: RubricPoint | None


def last_run() -> StatisticsRun | None:
    """The run whose numbers are shown; None before the first."""
    return StatisticsRun.objects.filter(pk=1).first()


def listed_items(wanted: ItemFilter) -> QuerySet[ItemStatistic]:
    condition, _ = _ITEMS[wanted.name]
    return (
        ItemStatistic.objects.annotate(flags=_open_flags())
        .filter(condition, _asked_now(wanted, ""))
        .select_related("question__topic", "question__current_version")
        .only("part", "sums", "skipped", "pace_off", "discrimination", *_shown("question"))
    )


def listed_points(wanted: ItemFilter) -> QuerySet[PointStatistic]:
    condition, _ = _POINTS[wanted.name]
    return (
        PointStatistic.objects.filter(condition, _asked_now(wanted, "item__"))
        .select_related("item__question__topic", "item__question__current_version")
        .only("key", "sums", "met", "discrimination", "item__part", *_shown("item__question"))
    )


def item_rows(page: Sequence[ItemStatistic], mean: int) -> list[ItemRow]:
    """The lines of a page of `listed_items`."""
    return [
        ItemRow(row.question, row.part, item_figures.item_figures(row.sums, mean), getattr(row, "flags", 0))
        for row in page
    ]


def point_rows(page: Sequence[PointStatistic], mean: int) -> list[PointRow]:
    """The lines of a page of `listed_points`. One query."""
    versions = {row.item.question.current_version_id for row in page}
    texts = {
        (point.version_id, point.key): point
        for point in RubricPoint.objects.filter(version__in=versions, key__in={row.key for row in page})
    }
    return [
        PointRow(
            question=row.item.question,
            part=row.item.part,
            figures=item_figures.point_figures(row.sums, mean),
            key=row.key,
            text=texts.get((row.item.question.current_version_id or 0, row.key)),
        )
        for row in page
    ]


def _asked_now(wanted: ItemFilter, to_item: str) -> Q:
    """`to_item` is the way from the row to its item."""
    conditions: dict[str, Any] = {
        "question__status": Status.PUBLISHED,
        "meaning": F(f"{to_item}question__current_version__meaning"),
    }
    if wanted.track:
        conditions["question__topic__tracktopic__track"] = wanted.track
    if wanted.topic:
        conditions["question__topic"] = wanted.topic
    return Q(**{f"{to_item}{name}": value for name, value in conditions.items()})


def _open_flags() -> Coalesce:
    """How many say of the question, in the meaning counted, that something is not as it should be."""
    flags = Flag.objects.filter(
        question=OuterRef("question"), version__meaning=OuterRef("meaning"), settled_at=None
    )
    counted = flags.order_by().values("question").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _shown(to_question: str) -> list[str]:
    return [f"{to_question}__{name}" for name in _SHOWN]
