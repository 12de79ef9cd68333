"""The rate of each track, reckoned over everybody."""

from collections import defaultdict
from datetime import datetime

from django.db import transaction
from django.db.models import Sum

from prepapp.bank.models import TrackTopic
from prepapp.reports import mastery
from prepapp.reports.mastery import Tally
from prepapp.reports.models import TopicWeek, TrackRate
from prepapp.reports.queries.evidence import mastery_constants


def reckon_track_rates(*, now: datetime) -> int:
    """Adds up the evidence of everybody by topic, and by the tracks each topic belongs to. Returns the
    number of tracks with any. Repeating it at the same `now` changes nothing."""
    constants = mastery_constants()
    sums = {
        topic: Tally(trials, successes)
        for topic, trials, successes in TopicWeek.objects.order_by()
        .values_list("topic_id")
        .annotate(Sum("trials"), Sum("successes"))
    }
    tracks: dict[str, Tally] = defaultdict(Tally)
    for track, topic in TrackTopic.objects.order_by("track", "topic").values_list("track_id", "topic_id"):
        if topic in sums:
            tracks[track] += mastery.at(sums[topic], now, constants)
    with transaction.atomic():
        TrackRate.objects.exclude(track__in=tracks).delete()
        TrackRate.objects.bulk_create(
            (
                TrackRate(track_id=track, trials=tally.trials, successes=tally.successes, reckoned_at=now)
                for track, tally in tracks.items()
            ),
            update_conflicts=True,
            unique_fields=["track"],
            update_fields=["trials", "successes", "reckoned_at"],
        )
    return len(tracks)
