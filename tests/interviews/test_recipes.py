"""Reading recipes and format files: what is refused, in which words, and that the shipped ones fit."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from ruamel.yaml import YAML

from prepapp.bank.choices import Kind, Level
from prepapp.interviews.recipes import BlueprintFile, Phase, Recipe, read_blueprint, read_recipe
from prepapp.interviews.selection import Slot

SLOT = {"minutes": 5}
FILE: dict[str, Any] = {
    "slug": "screen",
    "title": "Phone screen",
    "summary": "Two concepts.",
    "minutes": 15,
    "position": 2,
    "recipe": {"slots": [SLOT]},
}
SHIPPED = sorted((settings.BASE_DIR / "fixtures" / "blueprints").glob("*.yaml"))


def test_slot_without_more_asks_any_kind() -> None:
    assert read_recipe({"slots": [SLOT]}) == Recipe(slots=(Slot(kinds=tuple(Kind.values), minutes=5),))


def test_every_field_is_read() -> None:
    raw = {
        "track": "swe",
        "slots": [
            {
                "kinds": ["coding", "sql"],
                "minutes": 24,
                "min_minutes": 16,
                "level_offset": -1,
                "follow_ups": 2,
                "follow_up_only": True,
            }
        ],
        "slots_by_level": {"senior": [{"minutes": 9}]},
        "guide": [{"minutes": 5, "text": "Clarify"}],
    }
    recipe = read_recipe(raw)
    assert recipe == Recipe(
        slots=(Slot(("coding", "sql"), 24, 16, -1, 2, True),),
        slots_by_level={"senior": (Slot(tuple(Kind.values), 9),)},
        track="swe",
        guide=(Phase(5, "Clarify"),),
    )
    assert recipe.slots_for("senior", "mle") == recipe.slots_by_level["senior"]
    assert recipe.slots_for("advanced", "mle") == recipe.slots


def test_rounds_of_other_tracks_stand_beside_those_of_the_candidate() -> None:
    slots = [{"minutes": 5}, {"minutes": 24, "track": "swe"}, {"minutes": 8, "topics": ["gpu.numerics"]}]
    recipe = read_recipe({"slots": slots})
    assert [slot.track for slot in recipe.slots_for("advanced", "gpu")] == ["gpu", "swe", "gpu"]
    assert recipe.slots[2].topics == ("gpu.numerics",)
    assert recipe.tracks_for("gpu") == ("gpu", "swe")
    assert recipe.tracks_for("swe") == ("swe",)
    assert read_recipe({"slots": slots, "track": "sys"}).tracks_for("gpu") == ("sys", "swe")


def test_a_drill_has_no_slots_of_its_own() -> None:
    assert read_recipe({"drill": True}) == Recipe(slots=(), is_drill=True)


@pytest.mark.parametrize(
    ("raw", "refusal"),
    [
        (None, "recipe: must be a mapping"),
        ([SLOT], "recipe: must be a mapping"),
        ({"slots": [SLOT], "slot": 1, "length": 2}, "recipe: unknown length, slot"),
        ({}, "slots: must name at least one question"),
        ({"slots": []}, "slots: must name at least one question"),
        ({"slots": SLOT}, "slots: must name at least one question"),
        ({"slots": [SLOT], "track": 7}, "recipe: track must be the code of a track"),
        ({"slots": ["concept"]}, "slots, slot 1: must be a mapping"),
        ({"slots": [SLOT, {"minutes": 5, "levels": 1}]}, "slots, slot 2: unknown levels"),
        (
            {"slots": [{"kinds": ["concept", "quiz", "essay"], "minutes": 5}]},
            "slots, slot 1: kinds has unknown essay, quiz",
        ),
        ({"slots": [{**SLOT, "kinds": "concept"}]}, "slots, slot 1: kinds must be a list of codes"),
        ({"slots": [{**SLOT, "kinds": 5}]}, "slots, slot 1: kinds must be a list of codes"),
        ({"slots": [{**SLOT, "kinds": [[]]}]}, "slots, slot 1: kinds must be a list of codes"),
        (
            {"slots": [{**SLOT, "follow_up_only": "no"}]},
            "slots, slot 1: follow_up_only must be true or false",
        ),
        ({"slots": [SLOT], "guide": None}, "guide: must be a list of parts, each with its minutes and text"),
        ({"slots": [SLOT], "guide": 5}, "guide: must be a list of parts, each with its minutes and text"),
        ({"slots": [{}]}, "slots, slot 1: minutes must be a whole number of at least 1"),
        ({"slots": [{"minutes": 0}]}, "slots, slot 1: minutes must be a whole number of at least 1"),
        ({"slots": [{"minutes": "5"}]}, "slots, slot 1: minutes must be a whole number of at least 1"),
        ({"slots": [{"minutes": 4.5}]}, "slots, slot 1: minutes must be a whole number of at least 1"),
        ({"slots": [{"minutes": True}]}, "slots, slot 1: minutes must be a whole number of at least 1"),
        (
            {"slots": [{**SLOT, "min_minutes": "few"}]},
            "slots, slot 1: min_minutes must be a whole number of at least 0",
        ),
        ({"slots": [{**SLOT, "min_minutes": 6}]}, "slots, slot 1: min_minutes must not be more than minutes"),
        (
            {"slots": [{**SLOT, "level_offset": 1.5}]},
            "slots, slot 1: level_offset must be a whole number of at least -4",
        ),
        (
            {"slots": [{**SLOT, "follow_ups": -1}]},
            "slots, slot 1: follow_ups must be a whole number of at least 0",
        ),
        ({"slots": [SLOT], "slots_by_level": {"junior": [SLOT]}}, "slots_by_level: unknown junior"),
        ({"slots": [SLOT], "slots_by_level": [SLOT]}, "slots_by_level: must be a mapping"),
        (
            {"slots": [SLOT], "slots_by_level": {"senior": []}},
            "slots_by_level.senior: must name at least one question",
        ),
        (
            {"slots": [SLOT], "slots_by_level": {"senior": [{}]}},
            "slots_by_level.senior, slot 1: minutes must be a whole number of at least 1",
        ),
        (
            {"drill": True, "slots": [SLOT]},
            "recipe: a drill has nothing else; its questions follow from the topic",
        ),
        ({"drill": False}, "slots: must name at least one question"),
        ({"slots": [SLOT], "guide": ["Clarify"]}, "guide, part 1: must be a mapping"),
        (
            {"slots": [SLOT], "guide": [{"minutes": 5}]},
            "guide, part 1: text must say what the minutes are for",
        ),
        (
            {"slots": [SLOT], "guide": [{"text": "Clarify"}]},
            "guide, part 1: minutes must be a whole number of at least 1",
        ),
    ],
)
def test_recipe_that_cannot_be_used_names_the_field(raw: Any, refusal: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        read_recipe(raw)
    assert str(refused.value) == refusal


def test_format_file_is_read() -> None:
    assert read_blueprint(FILE) == BlueprintFile(
        slug="screen",
        title="Phone screen",
        summary="Two concepts.",
        minutes=15,
        position=2,
        recipe={"slots": [SLOT]},
    )


@pytest.mark.parametrize(
    ("raw", "refusal"),
    [
        (
            ["screen"],
            "the file must be a mapping of slug, title, summary, minutes, position, recipe",
        ),
        (None, "the file must be a mapping of slug, title, summary, minutes, position, recipe"),
        ({"slug": "screen", "title": "x"}, "missing summary, minutes, position, recipe"),
        ({**FILE, "lenght": 3, "extra": 1}, "unknown extra, lenght"),
        ({**FILE, "title": ""}, "title must be a text"),
        ({**FILE, "slug": 7}, "slug must be a text"),
        ({**FILE, "minutes": "15"}, "blueprint: minutes must be a whole number of at least 1"),
        ({**FILE, "position": None}, "blueprint: position must be a whole number of at least 1"),
        ({**FILE, "recipe": {"slots": []}}, "slots: must name at least one question"),
        (
            {**FILE, "recipe": {"slots": [{"minutes": 16}]}},
            "recipe: its questions take 16 minutes, the format has 15",
        ),
        (
            {**FILE, "recipe": {"slots": [{"minutes": 10, "follow_ups": 2}]}},
            "recipe: its questions take 16 minutes, the format has 15",
        ),
        (
            {**FILE, "recipe": {"slots": [SLOT], "slots_by_level": {"senior": [SLOT] * 4}}},
            "recipe: its questions take 20 minutes, the format has 15",
        ),
    ],
)
def test_format_file_that_does_not_add_up_is_refused(raw: Any, refusal: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        read_blueprint(raw)
    assert str(refused.value) == refusal


def test_hash_changes_with_the_content_and_not_with_the_order_of_keys() -> None:
    first = read_blueprint(FILE)
    assert read_blueprint(dict(reversed(FILE.items()))).content_hash == first.content_hash
    assert read_blueprint({**FILE, "minutes": 16}).content_hash != first.content_hash


def read(path: Path) -> BlueprintFile:
    return read_blueprint(YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8")))


def test_ten_formats_ship_in_an_order_without_ties() -> None:
    shipped = [read(path) for path in SHIPPED]
    assert [blueprint.slug for blueprint in shipped] == [path.stem for path in SHIPPED]
    assert sorted((blueprint.position, blueprint.slug) for blueprint in shipped) == [
        (1, "quick-quiz"),
        (2, "screen"),
        (3, "deep-dive"),
        (4, "behavioural"),
        (5, "coding"),
        (6, "system-design"),
        (7, "drill"),
        (8, "sql"),
        (9, "gpu-lab"),
        (10, "full-loop"),
    ]


@pytest.mark.parametrize(
    "path", [path for path in SHIPPED if path.stem != "drill"], ids=lambda path: path.stem
)
@pytest.mark.parametrize("level", Level.values)
def test_planned_minutes_of_a_shipped_format_fit_its_clock(path: Path, level: str) -> None:
    """With three minutes for a follow-up, at every level; a guide divides up exactly the whole."""
    blueprint = read(path)
    recipe = read_recipe(blueprint.recipe)
    planned = sum(slot.minutes + 3 * slot.follow_ups for slot in recipe.slots_for(level, "mle"))
    assert 0.7 * blueprint.minutes <= planned <= blueprint.minutes
    assert sum(phase.minutes for phase in recipe.guide) in {0, blueprint.minutes}


def test_the_guide_of_the_full_loop_says_which_questions_make_a_round() -> None:
    """In the room nothing else tells where one ends. What follows up has the number of its question."""
    recipe = read_recipe(read(next(path for path in SHIPPED if path.stem == "full-loop")).recipe)
    named = [re.search(r"questions? (\d+)(?: to (\d+))?$", phase.text) for phase in recipe.guide[:-1]]
    rounds = [range(int(found[1]), int(found[2] or found[1]) + 1) for found in named if found]
    assert [number for numbers in rounds for number in numbers] == list(range(1, len(recipe.slots) + 1))
    used = [
        sum(recipe.slots[number - 1].minutes + 3 * recipe.slots[number - 1].follow_ups for number in numbers)
        for numbers in rounds
    ]
    assert used == [phase.minutes for phase in recipe.guide[:-1]]
