"""Reads the recipe of a blueprint, as stored or as written in a file. Values only."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from prepapp.bank.choices import Kind, Level
from prepapp.interviews.selection import Slot

_SLOT_KEYS = {
    "kinds",
    "minutes",
    "min_minutes",
    "level_offset",
    "follow_ups",
    "follow_up_only",
    "track",
    "topics",
}
_RECIPE_KEYS = {"track", "slots", "slots_by_level", "guide", "drill"}


@dataclass(frozen=True)
class Phase:
    """A suggested part of a long answer: how many minutes, and for what."""

    minutes: int
    text: str


@dataclass(frozen=True)
class Recipe:
    """`track` is set where the format always draws from one track, whatever the candidate prepares for.
    `slots_by_level` replaces the slots for a level that sits another form of the interview. Slots that name a
    track are rounds of their own; those beside them are the candidate's. A drill has no slots: what it asks
    follows from a topic and from what was asked before (`drill`)."""

    slots: tuple[Slot, ...]
    slots_by_level: dict[str, tuple[Slot, ...]] = field(default_factory=dict)
    track: str = ""
    guide: tuple[Phase, ...] = ()
    is_drill: bool = False

    def home(self, track: str) -> str:
        """The track of places that name none, for somebody who prepares for `track`."""
        return self.track or track

    def slots_for(self, level: str, track: str) -> tuple[Slot, ...]:
        """The places for this level; each with its track where rounds of several tracks are mixed."""
        slots = self.slots_by_level.get(level, self.slots)
        if not any(slot.track for slot in slots):
            return slots
        return tuple(replace(slot, track=slot.track or self.home(track)) for slot in slots)

    def tracks_for(self, track: str) -> tuple[str, ...]:
        """The tracks its questions come from, the home first."""
        every = (*self.slots, *(slot for slots in self.slots_by_level.values() for slot in slots))
        return tuple(dict.fromkeys([self.home(track), *(slot.track for slot in every if slot.track)]))


def read_recipe(raw: Any) -> Recipe:
    """ValueError naming the field when the recipe cannot be used."""
    _check_keys(raw, _RECIPE_KEYS, "recipe")
    by_level = raw.get("slots_by_level", {})
    _check_keys(by_level, set(Level.values), "slots_by_level")
    track = raw.get("track", "")
    if not isinstance(track, str):
        raise ValueError("recipe: track must be the code of a track")
    if raw.get("drill") is True:
        if len(raw) > 1:
            raise ValueError("recipe: a drill has nothing else; its questions follow from the topic")
        return Recipe(slots=(), is_drill=True)
    return Recipe(
        slots=_read_slots(raw.get("slots"), "slots"),
        slots_by_level={
            level: _read_slots(slots, f"slots_by_level.{level}") for level, slots in by_level.items()
        },
        track=track,
        guide=_read_guide(raw.get("guide", [])),
    )


def _read_slots(raw: Any, where: str) -> tuple[Slot, ...]:
    if not raw or not isinstance(raw, list):
        raise ValueError(f"{where}: must name at least one question")
    return tuple(_read_slot(slot, f"{where}, slot {number}") for number, slot in enumerate(raw, start=1))


def _read_slot(raw: Any, where: str) -> Slot:
    _check_keys(raw, _SLOT_KEYS, where)
    kinds = _texts(raw, "kinds", where) or tuple(Kind.values)
    if wrong := set(kinds) - set(Kind.values):
        raise ValueError(f"{where}: kinds has unknown {', '.join(sorted(wrong))}")
    minutes = _whole(raw, "minutes", where, least=1)
    min_minutes = _whole(raw, "min_minutes", where, least=0, default=0)
    if min_minutes > minutes:
        raise ValueError(f"{where}: min_minutes must not be more than minutes")
    return Slot(
        kinds=kinds,
        minutes=minutes,
        min_minutes=min_minutes,
        level_offset=_whole(raw, "level_offset", where, least=-len(Level), default=0),
        follow_ups=_whole(raw, "follow_ups", where, least=0, default=0),
        follow_up_only=_flag(raw, "follow_up_only", where),
        track=_text(raw, "track", where),
        topics=_texts(raw, "topics", where),
    )


def _text(raw: dict[str, Any], name: str, where: str) -> str:
    value = raw.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{where}: {name} must be a code")
    return value


def _texts(raw: dict[str, Any], name: str, where: str) -> tuple[str, ...]:
    value = raw.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{where}: {name} must be a list of codes")
    return tuple(value)


def _flag(raw: dict[str, Any], name: str, where: str) -> bool:
    value = raw.get(name, False)
    if not isinstance(value, bool):
        raise ValueError(f"{where}: {name} must be true or false")
    return value


def _read_guide(raw: Any) -> tuple[Phase, ...]:
    if not isinstance(raw, list):
        raise ValueError("guide: must be a list of parts, each with its minutes and text")
    return tuple(_read_phase(phase, number) for number, phase in enumerate(raw, start=1))


def _read_phase(raw: Any, number: int) -> Phase:
    where = f"guide, part {number}"
    _check_keys(raw, {"minutes", "text"}, where)
    if not raw.get("text"):
        raise ValueError(f"{where}: text must say what the minutes are for")
    return Phase(_whole(raw, "minutes", where, least=1), str(raw["text"]))


def _check_keys(raw: Any, known: set[str], where: str) -> None:
    if not isinstance(raw, dict):
        raise ValueError(f"{where}: must be a mapping")
    if unknown := set(raw) - known:
        raise ValueError(f"{where}: unknown {', '.join(sorted(map(str, unknown)))}")


def _whole(raw: dict[str, Any], name: str, where: str, *, least: int, default: int | None = None) -> int:
    value = raw.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{where}: {name} must be a whole number of at least {least}")
    return value


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
    for name in ("slug", "title", "summary"):
        if not isinstance(raw[name], str) or not raw[name]:
            raise ValueError(f"{name} must be a text")
    for name in ("minutes", "position"):
        _whole(raw, name, "blueprint", least=1)
    blueprint = BlueprintFile(**raw)
    recipe = read_recipe(blueprint.recipe)
    for slots in (recipe.slots, *recipe.slots_by_level.values()):
        # A follow-up takes about three minutes; what is planned must fit the clock.
        planned = sum(slot.minutes + 3 * slot.follow_ups for slot in slots)
        if planned > blueprint.minutes:
            raise ValueError(
                f"recipe: its questions take {planned} minutes, the format has {blueprint.minutes}"
            )
    return blueprint
