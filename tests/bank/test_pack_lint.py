"""Packs against their rules: a sound one passes, and each rule finds what it is for."""

from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from prepapp.bank.lint import lint_packs, read_pack_paths, split_paths
from tests.bank.conftest import Folder
from tests.bank.packs import write_pack
from tests.bank.test_bank_coverage import run as coverage

TODAY = date(2026, 12, 1)
LONG = "word " * 61


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A bank of two questions with a format beside it."""
    (tmp_path / "bank").mkdir()
    made = Folder(tmp_path / "bank")
    made.write("first", "gpu.memory-001", packs="")
    made.write("second", "gpu.exec-001", packs="")
    (tmp_path / "blueprints").mkdir()
    (tmp_path / "blueprints" / "screen.yaml").write_text("slug: screen\n")
    return tmp_path


def found(home: Path, today: date = TODAY) -> list[tuple[str, str, str]]:
    paths = split_paths([home / "packs"])
    packs, problems = read_pack_paths(paths)
    findings = lint_packs(packs, problems, [], today)
    assert all(finding.file == f"{home}/packs/loop.yaml" and finding.line for finding in findings)
    return [(finding.check, finding.field, finding.message) for finding in findings]


def test_a_sound_pack_passes(home: Path) -> None:
    write_pack(home / "packs")
    assert found(home) == []


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("id: loop", "id: loops", ("P1", "id", "does not match the file name; name the file loops.yaml")),
        ("id: loop", "id: L", ("P1", "id", "'L' does not fit; write the name of the file in lower case with "
            "hyphens, for example analytics-ds")),
        ("topics: [gpu.memory]", "topics: [gpu.memory, gpu.nothing]", ("P2", "include.topics[1]",
            "there is no topic 'gpu.nothing'; correct or remove it")),
        ("topics: [gpu.memory]", "topics: [gpu.memory]\n  tracks: [gpus]", ("P2", "include.tracks[0]",
            "there is no track 'gpus'; correct or remove it")),
        ("topics: [gpu.memory]", "topics: [gpu.memory]\n  tags: [one, three]", ("P2", "include.tags[1]",
            "no question has the tag 'three'; correct or remove it")),
        ("ids: [gpu.exec-001]", "ids: [gpu.exec-002]", ("P2", "include.ids[0]",
            "there is no question 'gpu.exec-002'; correct or remove it")),
        ("blueprints: [screen]", "blueprints: [screening]", ("P2", "blueprints[0]",
            "there is no format 'screening'; correct or remove it")),
        ("pinned: [gpu.memory-001]", "pinned: [gpu.memory-002]", ("P2", "pinned[0]",
            "the pack has no question 'gpu.memory-002'; correct or remove it")),
        ("  gpu.memory-001: You", "  gpu.memory-002: You", ("P2", "context_notes.gpu.memory-002",
            "the pack has no question 'gpu.memory-002'")),
        ("weights: {gpu.memory: 2}", "weights: {gpu.comm: 2}", ("P2", "weights.gpu.comm",
            "the pack has no question of the topic 'gpu.comm'")),
        ("You work on a team that sorts telemetry of a fleet.", "You work there.", ("P3",
            "context_notes.gpu.memory-001", "has 3 words; keep it between 8 and 60")),
        ("You work on a team that sorts telemetry of a fleet.", LONG, ("P3",
            "context_notes.gpu.memory-001", "has 61 words; keep it between 8 and 60")),
        ("What a loop on memory trains, in ten words or a few more than that.", "Short.", ("P3", "summary",
            "has 1 words; keep it between 10 and 60")),
        ("disclaimer: Practice for roles", "disclaimer: On roles", ("P3", "disclaimer",
            "does not say what the pack is practice for; begin with 'Practice for'")),
        ("title: A loop", "title: Questions asked at Acme", ("P3", "title",
            "'asked at A' claims what somebody was asked; say what it is practice for")),
        ("Say what bounds it first.", "These are real interview questions indeed.", ("P3", "tips[0].text",
            "'real interview questions' claims what somebody was asked; say what it is practice for")),
        ("{text: Say what bounds it first., advice: true}", "{text: Say what bounds it first.}", ("P4",
            "tips[0]", "give its source, or mark it advice: true")),
        (', source: "https://example.test/peaks"}', ', source: "https://a.test", advice: true}', ("P4",
            "mistakes[0]", "has a source and is marked as advice; keep one")),
        ("https://example.test/rounds", "http://example.test", ("P4", "rounds[0].source",
            "'http://example.test' is neither an https address nor a doi; correct it")),
        ("https://example.test/guide", "a book", ("P4", "reading[0].url",
            "'a book' is neither an https address nor a doi; correct it")),
        ("recheck_months: 6", "recheck_months: 13", ("P4", "recheck_months",
            "is 13; a pack must be rechecked within 12 months")),
        ("reviewed: 2026-11-01", "reviewed: 2026-12-02", ("P4", "reviewed",
            "2026-12-02 is in the future; write the day of the review")),
        ("reviewed: 2026-11-01", "reviewed: 2026-05-31", ("P4", "reviewed",
            "the recheck was due on 2026-11-30; review the pack again")),
    ],
)  # fmt: skip
def test_each_rule_finds_what_it_is_for(
    home: Path, old: str, new: str, finding: tuple[str, str, str]
) -> None:
    write_pack(home / "packs", (old, new))
    assert found(home) == [finding]


def test_a_rule_that_takes_in_nothing_is_found(home: Path) -> None:
    rule = "include:\n  topics: [gpu.memory]\n  ids: [gpu.exec-001]"
    write_pack(home / "packs", (rule, "include: {}"))
    assert (
        found(home)
        == [
            ("P2", "include", "no question of the bank is in this pack; widen the rule"),
            ("P1", "include", "takes in nothing; name tags, topics, tracks, levels, kinds or ids"),
        ][::-1]
    )


def lines(*paths: Path) -> list[str]:
    out = StringIO()
    try:
        call_command("lint_bank", *map(str, paths), "--today", "2026-12-01", stdout=out)
    except SystemExit as stopped:
        return [*out.getvalue().splitlines(), f"exit {stopped.code}"]
    return out.getvalue().splitlines()


def test_packs_are_judged_with_the_bank_beside_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pack(home / "packs", ("pinned: [gpu.memory-001]", "pinned: [gpu.memory-009]"))
    monkeypatch.chdir(home)
    finding = (
        "packs/loop.yaml:10: F P2 pinned[0]: the pack has no question 'gpu.memory-009'; correct or remove it"
    )
    for path in ("bank", "packs", "packs/loop.yaml"):
        said = lines(Path(path))
        assert finding in said
        assert "Packs read (P1 to P4): 1." in said
        assert said[-1] == "exit 1"
    monkeypatch.chdir(home / "bank")
    assert f"{home}/{finding}" in lines(Path())


def test_a_bank_without_packs_says_nothing_of_them(home: Path) -> None:
    assert [line for line in lines(home / "bank") if line.startswith("Packs")] == []


def test_coverage_counts_packs_by_their_rule(home: Path) -> None:
    Folder(home / "bank").write("third", "gpu.comm-001", packs="loop, unlisted")
    assert "Packs: loop 1, unlisted 1" in coverage(home / "bank")[0]
    write_pack(home / "packs")
    assert "Packs: loop 3, unlisted 1" in coverage(home / "bank")[0]
    write_pack(home / "packs", ("id: loop", "id: Loop"))
    assert coverage(home / "bank")[1] == ("2 Files that cannot be read cannot be counted; mend them first.")


def test_the_packs_that_come_with_the_program_pass() -> None:
    shipped = Path(__file__).parents[2] / "fixtures" / "packs"
    packs, problems = read_pack_paths(split_paths([shipped]))
    assert lint_packs(packs, problems, [], date(2026, 12, 1)) == []
    assert [pack.id for pack in packs] == [
        "analytics-ds",
        "hyperscaler-sre",
        "model-serving-start-up",
        "nvidia",
        "principle-led-behavioural",
    ]
    assert len(packs[3].context_notes) >= 15
