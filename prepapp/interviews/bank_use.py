"""What interviews make of the bank, for those who keep it: when questions were asked, and which blueprints
the bank can fill. Nothing here writes."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, QuerySet

from prepapp.bank.choices import Level
from prepapp.bank.models import Track
from prepapp.interviews.models import Blueprint, Response
from prepapp.interviews.queries import question_pools
from prepapp.interviews.recipes import read_recipe
from prepapp.interviews.selection import join_pools, select


def last_asked(question_ids: Collection[int]) -> dict[int, datetime]:
    """When each of the questions was last asked of anybody. The bank's lists ask through `QUESTION_USE`."""
    return dict(
        Response.objects.filter(version__question__in=question_ids)
        .values_list("version__question_id")
        .annotate(last=Max("attempt__started_at"))
        .order_by()
    )


def asked_since(since: datetime) -> "QuerySet[Response, int]":
    """The numbers of the questions that were asked since then."""
    asked = Response.objects.filter(attempt__started_at__gte=since).order_by()
    return asked.values_list("version__question_id", flat=True)


@dataclass(frozen=True)
class Fill:
    """How many places of a blueprint the bank fills for one track and level. `wanted` is 0 where the level
    sits no such interview."""

    filled: int
    wanted: int

    @property
    def is_complete(self) -> bool:
        return self.filled == self.wanted


@dataclass(frozen=True)
class TrackFill:
    """One track's row of the table, a `Fill` for each level in order."""

    title: str
    levels: tuple[Fill, ...]


def blueprint_fill(blueprint: Blueprint) -> list[TrackFill]:
    """What of a blueprint could be filled today, by track and level; empty for a drill, whose questions
    follow from a topic. Three queries."""
    recipe = read_recipe(blueprint.recipe)
    if recipe.is_drill:
        return []
    tracks = dict(Track.objects.values_list("code", "title"))
    wanted = [recipe.track] if recipe.track in tracks else list(tracks)
    pools = question_pools(None, {home for track in wanted for home in recipe.tracks_for(track)})
    rows = []
    for track in wanted:
        fills = []
        for level in Level.values:
            slots = recipe.slots_for(level, track)
            found = select(join_pools(pools, recipe.tracks_for(track)), slots, level, 0)
            fills.append(Fill(len(found.picks), len(slots)))
        rows.append(TrackFill(tracks[track], tuple(fills)))
    return rows
