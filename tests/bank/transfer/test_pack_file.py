"""Reading packs: every field as written, a problem with its line for what is not one, a hash of what counts."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from prepapp.bank.packs import PackRule
from prepapp.bank.transfer.pack_file import (
    ClaimFile,
    PackFile,
    ReadingFile,
    RoundFile,
    read_pack,
    read_packs,
)
from tests.bank.packs import PACK, changed, pack, write_pack


def test_every_field_is_read() -> None:
    assert pack() == PackFile(
        id="loop",
        title="A loop",
        disclaimer="Practice for roles with memory. No claim.",
        summary="What a loop on memory trains, in ten words or a few more than that.",
        include=PackRule(topics=("gpu.memory",), ids=("gpu.exec-001",)),
        weights={"gpu.memory": 2},
        pinned=("gpu.memory-001",),
        context_notes={"gpu.memory-001": "You work on a team that sorts telemetry of a fleet."},
        blueprints=("screen",),
        rounds=(RoundFile("Talk", "30 to 45", "A talk about your work.", "https://example.test/rounds"),),
        tips=(ClaimFile("Say what bounds it first.", advice=True),),
        mistakes=(ClaimFile("Quoting peaks without a part.", "https://example.test/peaks"),),
        reading=(ReadingFile("A guide", "https://example.test/guide", "The chapter on memory."),),
        reviewed=date(2026, 11, 1),
        recheck_months=6,
        file="",
        lines={},
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("id: loop", "id: A loop", (2, "id", "'A loop' does not fit; write the name of the file in lower case "
            "with hyphens, for example analytics-ds")),
        ("schema: 1", "schema: 2", (1, "schema", "2 is not supported; write 1")),
        ("pinned:", "pined:", (10, "pined", "unknown key 'pined'; did you mean 'pinned'?")),
        ("  topics:", "  topic:", (7, "include.topic", "unknown key 'topic'; did you mean 'topics'?")),
        ("ids: [gpu.exec-001]", "ids: [gpu.exec]", (8, "include.ids[0]", "'gpu.exec' does not fit; write the "
            "id of a question, for example gpu.memory-004")),
        ("weights: {gpu.memory: 2}", "weights: {gpu.memory: 9}", (9, "weights.gpu.memory", "9 is out of "
            "range; the maximum is 5")),
        ("  gpu.memory-001: You work on a team that sorts telemetry of a fleet.", "  gpu.memory-001: 5",
            (12, "context_notes.gpu.memory-001", "is the number 5 where text is expected; put it in quotes")),
        ("advice: true}", "advice: maybe}", (17, "tips[0].advice", "is 'maybe' where true or false is expected; "
            "correct the value")),
        ("{title: A guide, ", "{", (21, "reading[0].title", "the required key 'title' is missing; add it")),
        ("reviewed: 2026-11-01", "reviewed: soon", (22, "reviewed", "'soon' does not fit; write the day its "
            "claims were last checked, a date written YYYY-MM-DD")),
        ("recheck_months: 6", "recheck_months: six", (23, "recheck_months", "is 'six' where a whole number is "
            "expected; correct the value")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, problem: tuple[int, str, str]) -> None:
    found = read_pack(changed((old, new)), "loop.yaml")
    assert isinstance(found, list)
    assert [(item.file, item.line, item.field, item.message) for item in found] == [("loop.yaml", *problem)]


def test_what_is_no_yaml_is_a_problem() -> None:
    found = read_pack("a: *b\n", "loop.yaml")
    assert isinstance(found, list)
    assert [(item.line, item.message) for item in found] == [
        (1, "aliases (*name) are not allowed; write the value out")
    ]


def test_a_folder_is_read_by_name_and_an_id_stands_once(tmp_path: Path) -> None:
    write_pack(tmp_path)
    write_pack(tmp_path, ("id: loop", "id: a-first"), name="a-first.yaml")
    write_pack(tmp_path, name="twice.yaml")
    (tmp_path / "notes.txt").write_text("no pack")
    packs, problems = read_packs(tmp_path)
    assert [(found.file, found.id) for found in packs] == [("a-first.yaml", "a-first"), ("loop.yaml", "loop")]
    assert [(item.file, item.line, item.message) for item in problems] == [
        ("twice.yaml", 2, "'loop' is already used by loop.yaml")
    ]
    with pytest.raises(NotADirectoryError):
        read_packs(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: A loop", "title: Another"),
        ("topics: [gpu.memory]", "tracks: [gpu]"),
        ("gpu.memory: 2", "gpu.memory: 3"),
        ("sorts telemetry", "reads telemetry"),
        ("30 to 45", "30 to 50"),
        ("recheck_months: 6", "recheck_months: 5"),
        ("reviewed: 2026-11-01", "reviewed: 2026-11-02"),
    ],
)
def test_the_hash_changes_with_what_counts(old: str, new: str) -> None:
    assert pack((old, new)).content_hash != pack().content_hash


def test_the_hash_ignores_form_and_place() -> None:
    assert pack(("topics: [gpu.memory]", "topics:\n    - gpu.memory")).content_hash == pack().content_hash
    moved = read_pack(f"# a remark\n{PACK}", "elsewhere.yaml")
    assert isinstance(moved, PackFile)
    assert (moved.content_hash, replace(moved, id="loop")) == (pack().content_hash, pack())
