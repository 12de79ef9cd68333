"""Whether what is kept about items is what everybody's marks say. Reads everything, changes nothing."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any
from uuid import UUID

from prepapp.accounts.models import User
from prepapp.reports.item_figures import item_columns, mean_percent, point_columns
from prepapp.reports.item_statistics import Item, Sums, Totals, count_answers, from_json, marks_in, to_json
from prepapp.reports.mastery import Constants
from prepapp.reports.models import (
    ChangedLearner,
    CountedAnswers,
    ItemStatistic,
    PointStatistic,
    StatisticsRun,
)
from prepapp.reports.queries.evidence import mastery_constants
from prepapp.reports.queries.first_answers import first_answers

_LEARNERS_AT_ONCE = 200
_ROWS_AT_ONCE = 500


def find_differences() -> Iterator[str]:
    """What is wrong, in a line each: counted answers that are not what the marks say, leaving out learners
    who are marked to be counted; sums that are not those of the counted answers; columns that are not those
    of the sums. For a time at which nobody counts. Memory grows with the bank, not with the learners."""
    constants = mastery_constants()
    totals = Totals()
    for row in CountedAnswers.objects.filter(user=None).iterator(_ROWS_AT_ONCE):
        totals.add(map(from_json, row.answers))
    last: UUID | None = None
    people = User.objects.order_by("pk").values_list("pk", flat=True)
    while batch := list((people.filter(pk__gt=last) if last else people)[:_LEARNERS_AT_ONCE]):
        yield from _compare_learners(batch, totals, constants)
        last = batch[-1]
    run = StatisticsRun.objects.filter(pk=1).first()
    mean = mean_percent(
        sum(sums["trials"] for sums in totals.items.values()),
        sum(sums["successes"] for sums in totals.items.values()),
        constants,
    )
    if run and run.mean != mean:
        yield f"mean of everybody: kept {run.mean} %, right {mean} %"
    yield from _compare_items(totals, run.mean if run else mean)
    yield from _compare_points(totals, run.mean if run else mean)


def marked_learners() -> int:
    """How many wait to be counted."""
    return ChangedLearner.objects.values("user").distinct().count()


def _compare_learners(batch: Collection[UUID], totals: Totals, constants: Constants) -> Iterator[str]:
    right = {
        user: [to_json(answer) for answer in count_answers(answers, constants)]
        for user, answers in first_answers(batch).items()
    }
    kept = dict(CountedAnswers.objects.filter(user__in=batch).values_list("user_id", "answers"))
    for answers in kept.values():
        totals.add(map(from_json, answers))
    wrong = [user for user in batch if kept.get(user, []) != right.get(user, [])]
    # Asked last: whoever was graded while this ran is marked by now.
    marked = set(ChangedLearner.objects.filter(user__in=wrong).values_list("user_id", flat=True))
    for user in wrong:
        if user not in marked:
            yield f"{user}: kept {_said(kept.get(user))}, right {_said(right.get(user))}"


def _compare_items(totals: Totals, mean: int) -> Iterator[str]:
    right = {item: sums for item, sums in totals.items.items() if sums}
    for row in ItemStatistic.objects.order_by("pk").iterator(_ROWS_AT_ONCE):
        item = Item(row.question_id, row.meaning, row.part)
        sums = right.pop(item, Sums())
        columns = {name: sums.get(name, 0) for name in ("answers", "trials", "successes")}
        yield from _compare(str(row), row, sums, {**columns, **item_columns(sums, mean)})
    yield from (f"{item.question} meaning {item.meaning} {item.part}: missing" for item in right)


def _compare_points(totals: Totals, mean: int) -> Iterator[str]:
    right = {place: sums for place, sums in totals.points.items() if sums}
    rows = PointStatistic.objects.select_related("item").order_by("pk")
    for row in rows.iterator(_ROWS_AT_ONCE):
        item = Item(row.item.question_id, row.item.meaning, row.item.part)
        sums = right.pop((item, row.key), Sums())
        columns = {"answers": marks_in(sums), **point_columns(sums, mean)}
        yield from _compare(f"{row.item} {row.key}", row, sums, columns)
    yield from (f"{item.question} meaning {item.meaning} {item.part} {key}: missing" for item, key in right)


def _compare(
    name: str, row: ItemStatistic | PointStatistic, sums: Mapping[str, int], columns: Mapping[str, Any]
) -> Iterator[str]:
    if row.sums != sums:
        yield f"{name}: the sums are not those of the counted answers"
    for column, value in columns.items():
        if getattr(row, column) != value:
            yield f"{name}: {column} kept {getattr(row, column)}, right {value}"


def _said(answers: Collection[Any] | None) -> str:
    return f"{len(answers)} answers" if answers else "nothing"
