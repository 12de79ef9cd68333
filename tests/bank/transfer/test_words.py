"""The words of other banks that we understand are the ones the documentation lists."""

import re
from pathlib import Path

import pytest

from prepapp.bank.choices import Status
from prepapp.bank.transfer.readers.fields import OTHER_NAMES
from prepapp.bank.transfer.readers.words import LEVEL_WORDS, STATUSES, meaning

pytestmark = pytest.mark.embedded

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")


def listed(heading: str) -> dict[str, set[str]]:
    """The rows of the table with this heading: first cell to the words in backticks in the second."""
    table = PAGE.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| ")]
    return {first.strip(): set(re.findall("`([^`]+)`", second)) for first, second in rows}


def test_levels() -> None:
    expected = {
        level: {word for word, found in LEVEL_WORDS.items() if found == level}
        for level in LEVEL_WORDS.values()
    }
    assert listed("level | is read from") == expected


def test_statuses() -> None:
    expected = {
        status.label.lower(): {word for word, found in STATUSES.items() if found == status.value}
        for status in Status
    }
    assert listed("status | is read from") == expected


def test_other_names_of_fields() -> None:
    rows = PAGE.split("| field | also called | value |", 1)[1].split("\n\n", 1)[0]
    assert {name for name in OTHER_NAMES if f"`{name}`" not in rows} == set()


@pytest.mark.parametrize(
    ("word", "found"), [("  In   Review ", "in_review"), ("ACTIVE", "published"), ("x", "")]
)
def test_capitals_and_blanks_do_not_count(word: str, found: str) -> None:
    assert meaning(word, STATUSES) == found
