"""Reads the recipe of a blueprint, as stored or as written in a file. Values only."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from prepapp.bank.choices import Kind
from prepapp.interviews.selection import Slot

_SLOT_KEYS = {"kinds", "minutes", "min_minutes", "level_offset", "follow_ups", "follow_up_only"}
_RECIPE_KEYS = {"track", "slots", "slots_by_level", "guide"}


@dataclass(frozen=True)
class Phase:
    """A suggested part of a long answer: how many minutes, and for what."""

    minutes: int
    text: str


@dataclass(frozen=True)
class Recipe:
    """`track` is set where the format always draws from one track, whatever the candidate prepares for.
    `slots_by_level` replaces the slots for a level that sits another form of the interview."""

    slots: tuple[Slot, ...]
    slots_by_level: dict[str, tuple[Slot, ...]] = field(default_factory=dict)
    track: str = ""
    guide: tuple[Phase, ...] = ()

    def slots_for(self, level: str) -> tuple[Slot, ...]:
        return self.slots_by_level.get(level, self.slots)


def read_recipe(raw: dict[str, Any]) -> Recipe:
    """ValueError naming the field when the recipe cannot be used."""
    unknown = set(raw) - _RECIPE_KEYS
    if unknown:
        raise ValueError(f"recipe: unknown {', '.join(sorted(unknown))}")
    return Recipe(
        slots=_read_slots(raw.get("slots", []), "slots"),
        slots_by_level={
            level: _read_slots(slots, f"slots_by_level.{level}")
            for level, slots in raw.get("slots_by_level", {}).items()
        },
        track=raw.get("track", ""),
        guide=tuple(Phase(int(phase["minutes"]), str(phase["text"])) for phase in raw.get("guide", [])),
    )


def _read_slots(raw: list[dict[str, Any]], where: str) -> tuple[Slot, ...]:
    if not raw:
        raise ValueError(f"{where}: must name at least one question")
    return tuple(_read_slot(slot, number) for number, slot in enumerate(raw, start=1))


def _read_slot(raw: dict[str, Any], number: int) -> Slot:
    unknown = set(raw) - _SLOT_KEYS
    if unknown:
        raise ValueError(f"slot {number}: unknown {', '.join(sorted(unknown))}")
    kinds = tuple(raw.get("kinds") or Kind.values)
    if wrong := set(kinds) - set(Kind.values):
        raise ValueError(f"slot {number}: kinds has unknown {', '.join(sorted(wrong))}")
    minutes = raw.get("minutes")
    if not isinstance(minutes, int) or minutes < 1:
        raise ValueError(f"slot {number}: minutes must be a whole number of at least 1")
    return Slot(
        kinds=kinds,
        minutes=minutes,
        min_minutes=int(raw.get("min_minutes", 0)),
        level_offset=int(raw.get("level_offset", 0)),
        follow_ups=int(raw.get("follow_ups", 0)),
        follow_up_only=bool(raw.get("follow_up_only", False)),
    )


@dataclass(frozen=True)
class BlueprintFile:
    """A format as a file holds it; `recipe` is checked but kept raw, as it is stored."""

    slug: str
    title: str
    summary: str
    minutes: int
    position: int
    recipe: dict[str, Any]

    @property
    def content_hash(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def read_blueprint(raw: Any) -> BlueprintFile:
    """ValueError naming what is missing, unknown or does not add up."""
    if not isinstance(raw, dict):
        raise ValueError("the file must be a mapping of slug, title, summary, minutes, position, recipe")
    names = [entry.name for entry in fields(BlueprintFile)]
    if missing := [name for name in names if name not in raw]:
        raise ValueError(f"missing {', '.join(missing)}")
    if unknown := sorted(set(raw) - set(names)):
        raise ValueError(f"unknown {', '.join(unknown)}")
    blueprint = BlueprintFile(**raw)
    recipe = read_recipe(blueprint.recipe)
    for slots in (recipe.slots, *recipe.slots_by_level.values()):
        # A follow-up takes about three minutes; what is planned must fit the clock.
        planned = sum(slot.minutes + 3 * slot.follow_ups for slot in slots)
        if planned > blueprint.minutes:
            raise ValueError(f"recipe: its questions take {planned} minutes, the format has {blueprint.minutes}")
    return blueprint
