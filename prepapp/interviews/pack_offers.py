"""What an interview from a pack is drawn from, and what its page can offer. Nothing here writes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from prepapp.accounts.choices import TimeAllowance
from prepapp.accounts.models import User
from prepapp.bank.models import Pack, Question, TrackTopic
from prepapp.bank.queries.packs import current_notes, current_pins, new_references, pack_questions
from prepapp.interviews.models import Blueprint
from prepapp.interviews.queries import pool_of, shortage_text
from prepapp.interviews.recipes import read_recipe
from prepapp.interviews.selection import Candidate, Pick, Selection, join_pools, select
from prepapp.interviews.timing import time_plan

# In a mixed format, the places that belong to no track: any question of the pack.
WHOLE = ""


@dataclass(frozen=True)
class PackOffer:
    """A format on the page of a pack, with what the pack can give it now."""

    blueprint: Blueprint
    selection: Selection
    questions: int
    time_plan: str
    start_key: UUID

    @property
    def is_complete(self) -> bool:
        return self.selection.is_complete

    @property
    def shortage(self) -> str:
        return pack_shortage(self.selection, self.questions)


def pack_shortage(selection: Selection, wanted: int) -> str:
    """Says what the pack lacks."""
    return shortage_text(selection, wanted, "This pack", "another interview of the pack")


def pack_offers(user: User | None, pack: Pack, moved: Mapping[str, str], level: str) -> list[PackOffer]:
    """The formats of the pack that the site has, in the pack's order, each with a trial selection. Five
    queries, one fewer without pins, two fewer without formats that name a track; one without any format."""
    allowance = user.time_allowance if user else TimeAllowance.NORMAL
    stored = Blueprint.objects.filter(is_active=True, slug__in=pack.blueprints)
    recipes = [(blueprint, read_recipe(blueprint.recipe)) for blueprint in stored]
    recipes = [(blueprint, recipe) for blueprint, recipe in recipes if not recipe.is_drill]
    if not recipes:
        return []
    recipes.sort(key=lambda found: pack.blueprints.index(found[0].slug))
    pools = _pools(None, pack, moved, {track for _, recipe in recipes for track in recipe.tracks_for(WHOLE)})
    found = []
    for blueprint, recipe in recipes:
        slots = recipe.slots_for(level, WHOLE)
        pool = join_pools(pools, recipe.tracks_for(WHOLE))
        offer = PackOffer(
            blueprint=blueprint,
            selection=select(pool, slots, level, 0),
            questions=len(slots),
            time_plan=time_plan(blueprint.minutes, allowance),
            start_key=uuid4(),
        )
        found.append(offer)
    return found


def pack_pool(user: User, pack: Pack, tracks: Sequence[str]) -> list[Candidate]:
    """The questions of the pack as the selection sees them, for places of these tracks. Up to six queries."""
    return join_pools(_pools(user, pack, new_references(), tracks), tracks)


def pack_settings(pack: Pack, picks: Iterable[Pick]) -> dict[int, str]:
    """What the pack says of the place where each of these questions is met, by question id. One query, two
    where it says something."""
    if not pack.context_notes:
        return {}
    notes = current_notes(pack, new_references())
    asked = Question.objects.filter(pk__in=[pick.candidate.question_id for pick in picks], ref__in=notes)
    return {question_id: notes[ref] for question_id, ref in asked.values_list("pk", "ref")}


def _pools(
    user: User | None, pack: Pack, moved: Mapping[str, str], tracks: Collection[str]
) -> dict[str, list[Candidate]]:
    """The questions of the pack by track, `WHOLE` holding all of them."""
    pool = _weighted(pack, moved, pool_of(user, pack_questions(pack, moved)))
    pools = {WHOLE: pool}
    named = [track for track in tracks if track != WHOLE]
    if named:
        pairs = set(TrackTopic.objects.filter(track__in=named).values_list("track", "topic"))
        pools |= {
            track: [candidate for candidate in pool if (track, candidate.topic) in pairs] for track in named
        }
    return pools


def _weighted(pack: Pack, moved: Mapping[str, str], pool: Sequence[Candidate]) -> list[Candidate]:
    pins = current_pins(pack, moved)
    pinned = set(Question.objects.filter(ref__in=pins).values_list("pk", flat=True)) if pins else set()
    return [
        replace(
            candidate,
            weight=pack.weights.get(candidate.topic, 1),
            is_pinned=candidate.question_id in pinned,
        )
        for candidate in pool
    ]
