"""Writing the sums of items and points, and the columns that lists are ordered by. For whoever holds the row
of `StatisticsRun`: nobody else may write here, so rows are read, added to and written."""

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from django.db.models import Sum

from prepapp.reports.item_figures import item_columns, mean_percent, point_columns
from prepapp.reports.item_statistics import Item, Sums, Totals, added, marks_in
from prepapp.reports.models import ItemStatistic, PointStatistic
from prepapp.reports.queries.evidence import mastery_constants

_ROWS_AT_ONCE = 500

Row = TypeVar("Row", ItemStatistic, PointStatistic)
Columns = Callable[[Mapping[str, int], int], dict[str, float | None]]


def put_in(change: Totals, mean: int) -> None:
    """Adds to the rows of the items and of their points; what comes to nothing is deleted. Two reads, and for
    every few hundred rows one write."""
    _put_in_items({item: sums for item, sums in change.items.items() if sums}, mean)
    points = {key: sums for key, sums in change.points.items() if sums}
    rows = ItemStatistic.objects.filter(question__in={item.question for item, _ in points})
    ids = {
        Item(question, meaning, part): pk
        for pk, question, meaning, part in rows.values_list("pk", "question_id", "meaning", "part")
    }
    # The points of an item that nobody has answered any more are gone with it.
    _put_in_points({(ids[item], key): sums for (item, key), sums in points.items() if item in ids}, mean)


def put_mean(before: int) -> int:
    """The mean of everybody as the items have it. Where it is another than before, so are abilities, and with
    them every discrimination."""
    total = ItemStatistic.objects.aggregate(trials=Sum("trials"), successes=Sum("successes"))
    mean = mean_percent(total["trials"] or 0, total["successes"] or 0, mastery_constants())
    if mean != before:
        _compare_anew(ItemStatistic, item_columns, mean)
        _compare_anew(PointStatistic, point_columns, mean)
    return mean


def _put_in_items(change: dict[Item, Sums], mean: int) -> None:
    rows = ItemStatistic.objects.filter(question__in={item.question for item in change})
    kept = {
        Item(row.question_id, row.meaning, row.part): (row.pk, row.sums)
        for row in rows.only("question_id", "meaning", "part", "sums")
    }
    merged = {item: added(kept[item][1] if item in kept else {}, sums) for item, sums in change.items()}
    _delete(ItemStatistic, [kept[item][0] for item, sums in merged.items() if not sums])
    ItemStatistic.objects.bulk_create(
        (
            ItemStatistic(
                question_id=item.question,
                meaning=item.meaning,
                part=item.part,
                answers=sums["answers"],
                trials=sums["trials"],
                successes=sums["successes"],
                sums=sums,
                **item_columns(sums, mean),
            )
            for item, sums in merged.items()
            if sums
        ),
        update_conflicts=True,
        unique_fields=["question", "meaning", "part"],
        update_fields=["answers", "trials", "successes", "sums", *item_columns({}, mean)],
        batch_size=_ROWS_AT_ONCE,
    )


def _put_in_points(change: dict[tuple[int, str], Sums], mean: int) -> None:
    rows = PointStatistic.objects.filter(item__in={item for item, _ in change})
    kept = {
        (item, key): (pk, sums) for pk, item, key, sums in rows.values_list("pk", "item_id", "key", "sums")
    }
    merged = {place: added(kept[place][1] if place in kept else {}, sums) for place, sums in change.items()}
    _delete(PointStatistic, [kept[place][0] for place, sums in merged.items() if not sums])
    PointStatistic.objects.bulk_create(
        (
            PointStatistic(
                item_id=item, key=key, answers=marks_in(sums), sums=sums, **point_columns(sums, mean)
            )
            for (item, key), sums in merged.items()
            if sums
        ),
        update_conflicts=True,
        unique_fields=["item", "key"],
        update_fields=["answers", "sums", *point_columns({}, mean)],
        batch_size=_ROWS_AT_ONCE,
    )


def _compare_anew(model: type[Row], columns: Columns, mean: int) -> None:
    """Page by page, so that memory does not grow with the bank."""
    last = 0
    while page := list(model.objects.filter(pk__gt=last).order_by("pk").only("sums")[:_ROWS_AT_ONCE]):
        for row in page:
            row.discrimination = columns(row.sums, mean)["discrimination"]
        model.objects.bulk_update(page, ["discrimination"])
        last = page[-1].pk


def _delete(model: type[Row], keys: Collection[int]) -> None:
    if keys:
        model.objects.filter(pk__in=keys).delete()
