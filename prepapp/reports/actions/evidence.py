"""Keeping the evidence by topic and week in step with graded work.

Lock contract: whoever writes a person's rows holds the row of that person from before it reads what is
graded until its commit, so that of two gradings closed at once the second sees the first.
"""

from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta
from uuid import UUID

from django.db import transaction

from prepapp.accounts.models import User
from prepapp.interviews.models import Attempt
from prepapp.reports.mastery import Tally
from prepapp.reports.models import TopicWeek
from prepapp.reports.queries.evidence import (
    CellKey,
    evidence,
    mastery_constants,
    monday_of,
    tallies,
)

_PEOPLE_AT_ONCE = 200


def note_graded_work(
    *, user_id: UUID, started_at: datetime | None = None, finished_at: datetime | None = None
) -> None:
    """Graded work of a person came or went: brings the weeks up to date that it can have changed. Called
    through `GRADED_WORK_WATCHERS` within the transaction that changed it; without instants, everything is
    reckoned anew.
    """
    weeks: set[date] | None = None
    with transaction.atomic():
        _lock(user_id)
        if started_at is not None and finished_at is not None:
            # An attempt that is gone no longer makes a retake of what was sat within the day after it.
            within = timedelta(hours=mastery_constants().retake_hours)
            later = Attempt.objects.filter(
                user=user_id, started_at__gt=started_at, started_at__lte=started_at + within
            )
            ends = later.filter(finished_at__isnull=False).values_list("finished_at", flat=True)
            weeks = {monday_of(end) for end in [finished_at, *ends] if end}
        _write([user_id], weeks, tallies(evidence([user_id], weeks)))


def rebuild(*, repair: bool = True) -> Iterator[tuple[CellKey, Tally | None, Tally | None]]:
    """Reckons the evidence of everybody from the marks and yields what differs from what was kept, as
    (key, kept, right). With `repair` the rows are put right, a batch of people in one transaction."""
    people = User.objects.order_by("pk").values_list("pk", flat=True)
    for batch in _batches(people.iterator(_PEOPLE_AT_ONCE)):
        with transaction.atomic():
            if repair:
                list(User.objects.select_for_update(no_key=True).filter(pk__in=batch).order_by("pk"))
            kept = {
                (user_id, topic, week_start): Tally(trials, successes, answers)
                for user_id, topic, week_start, trials, successes, answers in TopicWeek.objects.filter(
                    user__in=batch
                ).values_list("user_id", "topic_id", "week_start", "trials", "successes", "answers")
            }
            right = tallies(evidence(batch))
            wrong = [key for key in kept.keys() | right.keys() if kept.get(key) != right.get(key)]
            if repair and wrong:
                _write(batch, None, right)
        for key in sorted(wrong, key=str):
            yield key, kept.get(key), right.get(key)


def _write(user_ids: Collection[UUID], weeks: Collection[date] | None, cells: dict[CellKey, Tally]) -> None:
    """Makes the rows of these people and weeks those of `cells`."""
    present = TopicWeek.objects.filter(user__in=user_ids)
    if weeks is not None:
        present = present.filter(week_start__in=weeks)
    gone = [
        pk
        for pk, *key in present.values_list("pk", "user_id", "topic_id", "week_start")
        if tuple(key) not in cells
    ]
    if gone:
        TopicWeek.objects.filter(pk__in=gone).delete()
    TopicWeek.objects.bulk_create(
        (
            TopicWeek(
                user_id=user_id,
                topic_id=topic,
                week_start=week_start,
                answers=tally.answers,
                trials=tally.trials,
                successes=tally.successes,
            )
            for (user_id, topic, week_start), tally in cells.items()
        ),
        update_conflicts=True,
        unique_fields=["user", "topic", "week_start"],
        update_fields=["answers", "trials", "successes"],
        batch_size=500,
    )


def _lock(user_id: UUID) -> None:
    list(User.objects.select_for_update(no_key=True).filter(pk=user_id).values_list("pk"))


def _batches(people: Iterator[UUID]) -> Iterator[list[UUID]]:
    batch: list[UUID] = []
    for user_id in people:
        batch.append(user_id)
        if len(batch) == _PEOPLE_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
