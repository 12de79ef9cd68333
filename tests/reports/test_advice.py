"""What comes next, how well somebody judges themselves, how long there is left."""

from dataclasses import replace
from datetime import date
from itertools import product

import pytest

from prepapp.interviews.choices import Band, MarkValue
from prepapp.reports.advice import Calibration, Judged, calibrate, countdown, next_step
from prepapp.reports.choices import NextStep

pytestmark = pytest.mark.embedded

FACTS = ("is_running", "is_to_grade", "has_report", "is_weak")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"is_running"}, NextStep.RUNNING),
        ({"is_to_grade"}, NextStep.GRADING),
        ({"has_report"}, NextStep.REPORT),
        ({"is_weak"}, NextStep.WEAK),
        (set(), NextStep.FIRST),
        ({"is_open"}, NextStep.FIRST),
        ({"has_sat", "is_open"}, NextStep.UNMEASURED),
        ({"has_sat"}, NextStep.MOCK),
    ],
)
def test_each_step_has_its_reason(facts: set[str], expected: NextStep) -> None:
    known = {name: name in facts for name in (*FACTS, "has_sat", "is_open")}
    assert next_step(**known) == expected


@pytest.mark.parametrize("values", list(product([False, True], repeat=4)))
def test_what_waits_longest_comes_first_whatever_else_there_is(values: tuple[bool, ...]) -> None:
    order = (NextStep.RUNNING, NextStep.GRADING, NextStep.REPORT, NextStep.WEAK)
    expected = next((step for step, value in zip(order, values, strict=True) if value), NextStep.UNMEASURED)
    facts = dict(zip(FACTS, values, strict=True))
    assert next_step(**facts, has_sat=True, is_open=True) == expected


GOOD = Judged(Band.HIRE, weight=10, earned=15, lowest_must=MarkValue.MET)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, (0, 1, 0)),
        ({"said": Band.STRONG}, (1, 0, 0)),
        ({"said": Band.BORDERLINE}, (0, 0, 1)),
        # A must-have missed reads as Not yet, a partly met one as no more than Hire, whatever the rest earned.
        ({"lowest_must": MarkValue.MISSED}, (1, 0, 0)),
        ({"earned": 20, "said": Band.STRONG}, (0, 1, 0)),
        ({"earned": 20, "said": Band.STRONG, "lowest_must": MarkValue.PARTLY}, (1, 0, 0)),
        ({"lowest_must": None}, (0, 1, 0)),
        # Nothing was said, or there is nothing to say it about.
        ({"said": ""}, (0, 0, 0)),
        ({"weight": 0, "earned": 0}, (0, 0, 0)),
    ],
)
def test_an_answer_is_judged_above_at_or_below(
    change: dict[str, object], expected: tuple[int, int, int]
) -> None:
    assert calibrate([replace(GOOD, **change)]) == Calibration(*expected)  # type: ignore[arg-type]


def test_the_rows_add_up() -> None:
    found = Calibration(5, 4, 1)
    assert [(count, share) for _, count, share in found.rows] == [(5, 0.5), (4, 0.4), (1, 0.1)]
    assert found.answers == 10
    assert Calibration().rows == []


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (None, ""),
        (date(2026, 11, 11), ""),
        (date(2026, 11, 12), "Your interview is today"),
        (date(2026, 11, 13), "1 day to your interview"),
        (date(2026, 11, 24), "12 days to your interview"),
    ],
)
def test_the_days_that_are_left(day: date | None, words: str) -> None:
    assert countdown(day, date(2026, 11, 12)) == words
