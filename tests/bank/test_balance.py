"""Whole banks: the targets as they were set, what a bank adds up to, and rules L17 and L18."""

import json
import re
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.bank import balance, checklist, targets
from prepapp.bank.lint import lint_balance
from prepapp.bank.lint.finding import Finding
from prepapp.bank.taxonomy import KINDS, LEVELS, TOPICS, TRACKS
from prepapp.bank.transfer.question_file import QuestionFile
from tests.bank.whole_bank import full_bank

BANK = full_bank()
SCHEMA = Path(balance.__file__).parent / "transfer" / "question.schema.json"


def of_bank(check: str, field: str, message: str) -> Finding:
    return Finding("", 0, check, "F", field, message)


def asked(kind: str, level: str) -> QuestionFile:
    return replace(BANK[0], kind=kind, level=level)


def test_every_topic_has_a_target_and_they_add_up() -> None:
    assert list(targets.TOPIC_TARGETS) == [topic.code for topic in TOPICS]
    totals = [
        tuple(targets.track_wanted(track.code, milestone) for milestone in targets.MILESTONES)
        for track in TRACKS
    ]
    assert totals == [
        (38, 80, 160),
        (34, 70, 130),
        (26, 58, 120),
        (14, 44, 100),
        (18, 56, 130),
        (12, 34, 70),
        (16, 48, 110),
        (10, 34, 80),
        (8, 28, 70),
        (18, 34, 80),
        (6, 14, 50),
    ]
    assert [sum(column) for column in zip(*totals, strict=True)] == [200, 500, 1100]


def test_levels_are_wanted_as_they_are_spread_over_topics() -> None:
    wanted = targets.level_targets()

    assert {level: round(share * 1100) for level, share in wanted.items()} == {
        "foundation": 228,
        "intermediate": 400,
        "advanced": 308,
        "senior": 164,
    }
    assert {level: round(share * 70) for level, share in targets.level_targets("sys").items()} == {
        "foundation": 6,
        "intermediate": 19,
        "advanced": 28,
        "senior": 17,
    }


def test_the_checklist_holds_what_files_may_claim() -> None:
    pattern = json.loads(SCHEMA.read_text("utf-8"))["properties"]["covers"]["items"]["pattern"]

    assert (len(checklist.IDEAS), len(checklist.CELLS), len(checklist.ROLE_ITEMS)) == (40, 100, 32)
    assert len(set(checklist.CHECKLIST)) == len(checklist.CHECKLIST) == 172
    # Every identifier the pattern lets through, made by trying all of that shape.
    tried = [f"S0-{number}{half}" for number in range(30) for half in ("", "f")]
    tried += [f"S1-{number:02}{side}" for number in range(30) for side in "abcdef"]
    tried += [f"S4-{group}{number}" for group in "QSTX" for number in range(20)]
    assert {item for item in tried if re.search(pattern, item)} == set(checklist.CHECKLIST)


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        ([], 0.0),
        ([asked("concept", level) for level in LEVELS], 0.0),
        ([asked(kind, "senior") for kind in KINDS], 0.0),
        ([asked(*pair) for pair in zip(KINDS, LEVELS, strict=False)], 1.0),
        ([asked(kind, level) for kind in KINDS for level in LEVELS], 0.0),
        # A table of 2, 1 over 1, 2: chi squared is 6 x (2 x 2 - 1 x 1)² / 3⁴ = 2/3, and V = √(2/3 / 6).
        (
            [asked("concept", "senior")] * 2
            + [asked("concept", "advanced"), asked("design", "senior")]
            + [asked("design", "advanced")] * 2,
            sqrt(1 / 9),
        ),
    ],
    ids=["nothing", "one kind", "one level", "fixed", "all alike", "by hand"],
)
def test_association(questions: list[QuestionFile], expected: float) -> None:
    assert balance.association(questions) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(LEVELS)), max_size=40))
def test_association_lies_between_nothing_and_all(pairs: list[tuple[str, str]]) -> None:
    assert 0 <= balance.association([asked(*pair) for pair in pairs]) <= 1 + 1e-9


def test_a_bank_that_is_just_enough_passes() -> None:
    assert len(BANK) == 200
    assert lint_balance(BANK, "M1") == []


def test_a_topic_that_is_one_short_is_named() -> None:
    bank = [question for question in BANK if question.id != "sre.k8s-002"]

    assert lint_balance(bank, "M1") == [
        of_bank("L17", "sre.k8s", "has 2 of the 3 questions M1 wants; write the others")
    ]


def test_a_level_out_of_proportion_is_named_in_its_track() -> None:
    """Of 12 questions of `sys` 5 are advanced, and 7 are 58.3 % where 40 % are wanted."""
    spoilt = 0
    bank: list[QuestionFile] = []
    for question in BANK:
        lift = question.track == "sys" and question.level == "senior" and spoilt < 2
        spoilt += lift
        bank.append(replace(question, level="advanced") if lift else question)

    assert lint_balance(bank, "M1") == [
        of_bank("L17", "sys", message)
        for message in (
            "58.3% of 12 questions are advanced and 40.0% are wanted; come within 8 points",
            "8.3% of 12 questions are senior and 24.3% are wanted; come within 8 points",
        )
    ]


def test_a_level_out_of_proportion_in_the_bank_alone() -> None:
    """A little too much everywhere: each track stays within 8 points, the bank leaves its 5."""
    bank = list(BANK)
    for track, level in (
        ("mle", "foundation"),
        ("mle", "advanced"),
        ("mle", "senior"),
        ("gpu", "foundation"),
        ("gpu", "advanced"),
        ("llm", "advanced"),
        ("llm", "senior"),
        ("ds", "senior"),
        ("swe", "foundation"),
        ("beh", "foundation"),
        ("sre", "foundation"),
        ("sys", "advanced"),
    ):
        index = next(number for number, item in enumerate(bank) if (item.track, item.level) == (track, level))
        bank[index] = replace(bank[index], level="intermediate")

    assert lint_balance(bank, "M1") == [
        of_bank(
            "L17",
            "",
            "41.5% of 200 questions are intermediate and 36.4% are wanted; come within 5 points",
        )
    ]


def test_the_limits_of_a_share_belong_to_it() -> None:
    """Targets of `beh` are 25, 35, 25 and 15 %, so with 100 questions the limits are whole numbers."""

    def gaps(*counts: int) -> list[str]:
        own = [
            asked("behavioural", level)
            for level, count in zip(LEVELS, counts, strict=True)
            for _ in range(count)
        ]
        return [gap.level for gap in balance.level_gaps(own, "beh")]

    assert gaps(33, 35, 17, 15) == []
    assert gaps(34, 35, 17, 14) == ["foundation"]
    assert gaps(33, 36, 16, 15) == ["advanced"]
    assert balance.level_gaps([], "beh") == []


def test_kinds_that_give_the_level_away_fail() -> None:
    kinds = dict(zip(LEVELS, KINDS, strict=False))
    bank = [replace(question, kind=kinds[question.level]) for question in BANK]

    assert lint_balance(bank, "M1") == [
        of_bank(
            "L17",
            "",
            "kind tells level with Cramér's V 1.00; spread kinds over levels until it is at most 0.40",
        )
    ]


@pytest.mark.parametrize("item", ["S0-3f", "S4-X2"])
def test_an_item_nobody_claims_is_named(item: str) -> None:
    bank = [replace(question, covers=tuple(set(question.covers) - {item})) for question in BANK]

    assert lint_balance(bank, "M1") == [of_bank("L18", item, "no question covers it; write one that does")]


def test_cells_are_counted_and_any_of_them_will_do() -> None:
    fewer = [replace(question, covers=tuple(set(question.covers) - {"S1-07b"})) for question in BANK]
    others = [*fewer[:-1], replace(fewer[-1], covers=("S1-20e", "S1-20d"))]
    repeated = [*fewer[:-1], replace(fewer[-1], covers=("S1-07a",))]
    short = of_bank("L18", "", "59 S1 cells are covered and M1 wants 60; cover others")

    assert lint_balance(fewer, "M1") == [short]
    assert lint_balance(others, "M1") == []
    assert lint_balance(repeated, "M1") == [short]


def test_a_later_milestone_wants_more() -> None:
    findings = lint_balance(BANK, "M2")

    assert [item for item in findings if item.check == "L18"] == [
        of_bank("L18", "", "60 S1 cells are covered and M2 wants 100; cover others")
    ]
    assert [item.field for item in findings if item.check == "L17"] == [topic.code for topic in TOPICS]
    assert findings[0] == of_bank("L17", "mle.framing", "has 2 of the 4 questions M2 wants; write the others")
    assert findings[0].message.replace("4", "8").replace("M2", "M3") == lint_balance(BANK, "M3")[0].message
