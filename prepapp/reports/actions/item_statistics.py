"""Keeping the statistics of items in step with graded work, at the price of what changed.

Whoever closes or deletes graded work leaves a mark (`ChangedLearner`). A run takes the marked learners in
batches: what their answers had put into the sums goes out, what they say now goes in, one transaction each. A
run may therefore end anywhere and be taken up by the next, and a second one finds nothing to do.

Lock contract: a batch holds the one row of `StatisticsRun` from before it reads until its commit, so batches
of two runs come one after the other. Nobody who answers or grades ever waits for it: marks are only inserted
there and deleted here, by the keys that were read before the work was.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TypeVar
from uuid import UUID

from django.db import IntegrityError, transaction

from prepapp.interviews.choices import Mode, State
from prepapp.interviews.models import Attempt
from prepapp.reports import item_statistics
from prepapp.reports.actions.item_sums import put_in, put_mean
from prepapp.reports.item_figures import mean_percent
from prepapp.reports.item_statistics import Counted, Totals
from prepapp.reports.models import (
    ChangedLearner,
    CountedAnswers,
    ItemStatistic,
    PointStatistic,
    StatisticsRun,
)
from prepapp.reports.queries.evidence import mastery_constants
from prepapp.reports.queries.first_answers import first_answers

LEARNERS_AT_ONCE = 100
_MARKS_AT_ONCE = 5_000
_TRIES = 3

Done = TypeVar("Done")


class RunUnderWay(Exception):
    """Somebody else counts answers at this moment."""


@dataclass(frozen=True)
class Progress:
    """How many learners a run has counted, and whether it has counted all that were marked."""

    learners: int
    is_complete: bool


def note_changed_work(
    *, user_id: UUID, started_at: datetime | None = None, finished_at: datetime | None = None
) -> None:
    """Graded work of a person came, went or changed hands. Called through `GRADED_WORK_WATCHERS` within the
    transaction that changed it."""
    ChangedLearner.objects.create(user_id=user_id)


def count_changed(*, now: datetime, most: int | None = None, anew: bool = False) -> Progress:
    """Counts the learners who are marked, about `most` of them at the most, and brings the figures of all
    items up to date with the mean of everybody. The first run of a site counts all, and so does one `anew`.
    RunUnderWay."""
    run, _ = StatisticsRun.objects.get_or_create(
        pk=1, defaults={"mean": mean_percent(0, 0, mastery_constants())}
    )
    if anew or run.begun_at is None:
        _begin_anew(now)
    learners = 0
    while most is None or learners < most:
        counted = _patiently(_count_batch)
        learners += counted
        if not counted:
            break
    return Progress(learners, _settle(now))


def _begin_anew(now: datetime) -> None:
    """Forgets all sums and marks everybody with graded work."""
    with transaction.atomic():
        run = _hold()
        # Before the work is looked at: what is graded from here on leaves a mark of its own.
        ChangedLearner.objects.all().delete()
        for model in (PointStatistic, ItemStatistic, CountedAnswers):
            model._default_manager.all().delete()
        graded = Attempt.objects.filter(mode=Mode.MOCK, state=State.GRADED).order_by()
        people = graded.values_list("user_id", flat=True).distinct().iterator()
        while batch := list(islice(people, _MARKS_AT_ONCE)):
            ChangedLearner.objects.bulk_create(ChangedLearner(user_id=user) for user in batch)
        run.begun_at, run.ended_at = now, None
        run.save(update_fields=["begun_at", "ended_at"])


def _settle(now: datetime) -> bool:
    """Ends a run: the figures of all items stand against the mean as it is now. True if nothing is left to
    count."""
    with transaction.atomic():
        run = _hold()
        run.mean = put_mean(run.mean)
        is_complete = not ChangedLearner.objects.exists()
        if is_complete:
            run.ended_at = now
        run.save(update_fields=["mean", "ended_at"])
    return is_complete


def _hold() -> StatisticsRun:
    run = StatisticsRun.objects.select_for_update(skip_locked=True).filter(pk=1).first()
    if run is None:
        raise RunUnderWay("Answers are being counted at this moment. Try again in a few minutes.")
    return run


def _patiently(act: Callable[[], Done]) -> Done:
    """A learner may be deleted between being read and being written; the next try no longer finds them."""
    for _ in range(_TRIES - 1):
        try:
            return act()
        except IntegrityError:
            continue
    return act()


def _count_batch() -> int:
    """Of so many marked learners, and as many who are gone, puts what changed into the sums. Returns their
    number."""
    with transaction.atomic():
        run = _hold()
        marks = _marked()
        gone = list(CountedAnswers.objects.filter(user=None).order_by("pk")[:LEARNERS_AT_ONCE])
        kept = list(CountedAnswers.objects.filter(user__in=marks))
        constants = mastery_constants()
        fresh = {
            user: item_statistics.count_answers(answers, constants)
            for user, answers in first_answers(marks).items()
        }
        change = Totals()
        for row in (*gone, *kept):
            change.add(map(item_statistics.from_json, row.answers), -1)
        for answers in fresh.values():
            change.add(answers)
        put_in(change, run.mean)
        _keep(fresh)
        out = [row.pk for row in (*gone, *kept) if row.user_id not in fresh]
        CountedAnswers.objects.filter(pk__in=out).delete()
        ChangedLearner.objects.filter(pk__in=[key for keys in marks.values() for key in keys]).delete()
    return len(marks) + len(gone)


def _marked() -> dict[UUID, list[int]]:
    """The keys of the marks of the next learners."""
    learners = list(
        ChangedLearner.objects.order_by("user")
        .values_list("user_id", flat=True)
        .distinct()[:LEARNERS_AT_ONCE]
    )
    marks: dict[UUID, list[int]] = defaultdict(list)
    for user, key in ChangedLearner.objects.filter(user__in=learners).values_list("user_id", "pk"):
        marks[user].append(key)
    return marks


def _keep(fresh: Mapping[UUID, Collection[Counted]]) -> None:
    CountedAnswers.objects.bulk_create(
        (
            CountedAnswers(user_id=user, answers=[item_statistics.to_json(answer) for answer in answers])
            for user, answers in fresh.items()
        ),
        update_conflicts=True,
        unique_fields=["user"],
        update_fields=["answers"],
    )
