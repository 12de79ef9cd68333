"""Tracks, topics and weights as the code lists them, written to the tables."""

from decimal import Decimal
from typing import TypeVar

from django.db import transaction

from prepapp.bank.models import Topic, Track, TrackTopic
from prepapp.bank.taxonomy import TOPICS, TRACKS

Listed = TypeVar("Listed", Track, Topic)


@transaction.atomic
def load_taxonomy() -> None:
    """Makes tracks, topics and weights equal to the lists. Rows that are not listed stay, except that a
    listed topic leaves the tracks it is no longer lent to; what was edited in the app stays as it is.
    Repeating it writes nothing."""
    _save_listed(
        Track,
        [Track(code=track.code, title=track.title, position=n) for n, track in enumerate(TRACKS, 1)],
        ["title", "position"],
    )
    _save_listed(
        Topic,
        [
            Topic(code=topic.code, title=topic.title, span=topic.span, position=n)
            for n, topic in enumerate(TOPICS, 1)
        ],
        ["title", "span", "position"],
    )
    _save_weights()


def _save_listed(model: type[Listed], listed: list[Listed], fields: list[str]) -> None:
    stored = model._default_manager.in_bulk([row.pk for row in listed])
    # Two first runs at once: the second waits here for the first and then finds nothing to add.
    model._default_manager.bulk_create([row for row in listed if row.pk not in stored], ignore_conflicts=True)
    changed = [
        row
        for row in listed
        if row.pk in stored
        and not stored[row.pk].is_edited
        and any(getattr(row, name) != getattr(stored[row.pk], name) for name in fields)
    ]
    if changed:
        model._default_manager.bulk_update(changed, fields)


def _save_weights() -> None:
    listed = {(track, topic.code): Decimal(str(weight)) for topic in TOPICS for track, weight in topic.tracks}
    stored = {
        (row.track_id, row.topic_id): row
        for row in TrackTopic.objects.filter(topic__in=[topic.code for topic in TOPICS])
    }
    # Weights are edited with their topic, and leave the list with it.
    edited = set(Topic.objects.filter(is_edited=True).values_list("code", flat=True))
    listed = {pair: weight for pair, weight in listed.items() if pair[1] not in edited}
    stored = {pair: row for pair, row in stored.items() if pair[1] not in edited}
    TrackTopic.objects.bulk_create(
        [
            TrackTopic(track_id=track, topic_id=topic, weight=weight)
            for (track, topic), weight in listed.items()
            if (track, topic) not in stored
        ],
        ignore_conflicts=True,
    )
    changed = [row for pair, row in stored.items() if pair in listed and row.weight != listed[pair]]
    for row in changed:
        row.weight = listed[row.track_id, row.topic_id]
    if changed:
        TrackTopic.objects.bulk_update(changed, ["weight"])
    if gone := [row.pk for pair, row in stored.items() if pair not in listed]:
        TrackTopic.objects.filter(pk__in=gone).delete()
