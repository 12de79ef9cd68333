"""The arithmetic of marks: tables of cases, and properties that hold for any marks."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.interviews.choices import Band
from prepapp.interviews.scoring import (
    AnswerScore,
    PointMark,
    attempt_score,
    band_of,
    percent,
    response_band,
    response_score,
    score_text,
    shown_points,
    steps_above,
    stored,
)

values = st.integers(0, 2)
point_marks = st.builds(PointMark, weight=st.integers(0, 10), value=values, is_must=st.booleans())
scores = st.fractions(min_value=0, max_value=10, max_denominator=5000)
answers = st.builds(AnswerScore, minutes=st.integers(1, 60), score=st.none() | scores, is_empty=st.booleans())


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([(4, 2), (3, 2), (3, 2)], Fraction(10)),
        ([(4, 0), (3, 0), (3, 0)], Fraction(0)),
        ([(4, 2), (3, 1), (3, 0)], Fraction(11, 2)),
        ([(3, 1)], Fraction(5)),
        # 10.75 of 12: a rubric that does not sum to 10 still gives a score out of 10, exactly.
        ([(10, 2), (1, 1), (1, 0)], Fraction(10 * 21, 24)),
        ([(0, 2), (0, 1)], None),
        ([], None),
    ],
)
def test_score_of_an_answer(marks: list[tuple[int, int]], expected: Fraction | None) -> None:
    assert response_score(PointMark(weight, value) for weight, value in marks) == expected


@pytest.mark.parametrize(
    ("is_mock", "parts", "expected"),
    [
        (True, [(5, 10, False), (5, 5, False)], Fraction(15, 2)),
        (True, [(9, 10, False), (3, 2, False)], Fraction(8)),
        (True, [(5, 10, False), (5, 0, True)], Fraction(5)),
        (False, [(5, 10, False), (5, 0, True)], Fraction(10)),
        (True, [(5, 10, False), (5, None, False)], Fraction(10)),
        (True, [(5, 10, False), (5, None, True)], Fraction(10)),
        (True, [(5, 0, True), (3, 0, True)], Fraction(0)),
        (False, [(5, 0, True)], None),
        (True, [(5, None, False)], None),
        (True, [], None),
    ],
)
def test_score_of_an_interview(
    is_mock: bool, parts: list[tuple[int, int | None, bool]], expected: Fraction | None
) -> None:
    given_answers = [
        AnswerScore(minutes, None if score is None else Fraction(score), is_empty)
        for minutes, score, is_empty in parts
    ]
    assert attempt_score(given_answers, is_mock=is_mock) == expected


def test_three_full_thirds_are_one_hundred_percent() -> None:
    third = response_score([PointMark(1, 2), PointMark(1, 2), PointMark(1, 2)])
    total = attempt_score([AnswerScore(7, third)] * 3, is_mock=True)
    assert total == 10
    assert percent(total) == 100


@pytest.mark.parametrize(
    ("score", "band"),
    [
        ("10", Band.STRONG),
        ("8.5", Band.STRONG),
        ("8.499999", Band.HIRE),
        ("7", Band.HIRE),
        ("6.999999", Band.BORDERLINE),
        ("5", Band.BORDERLINE),
        ("4.999999", Band.NOT_YET),
        ("0", Band.NOT_YET),
    ],
)
def test_edges_of_the_hiring_scale(score: str, band: Band) -> None:
    assert band_of(Decimal(score)) == band
    assert band_of(Fraction(score)) == band


@pytest.mark.parametrize(
    ("marks", "band"),
    [
        ([(5, 2, True), (5, 2, False)], Band.STRONG),
        ([(5, 2, True), (5, 1, False)], Band.HIRE),
        ([(1, 0, True), (9, 2, False)], Band.NOT_YET),
        ([(1, 1, True), (9, 2, False)], Band.HIRE),
        ([(5, 1, True), (5, 1, False)], Band.BORDERLINE),
        ([(1, 0, False), (9, 2, True)], Band.STRONG),
        ([(1, 0, True), (1, 1, True), (8, 2, False)], Band.NOT_YET),
        ([(0, 0, True)], None),
        ([], None),
    ],
)
def test_must_haves_cap_the_band_of_an_answer(marks: list[tuple[int, int, bool]], band: Band | None) -> None:
    assert response_band([PointMark(*mark) for mark in marks]) == band


def test_a_missed_must_have_never_caps_the_number() -> None:
    assert response_score([PointMark(1, 0, is_must=True), PointMark(9, 2)]) == 9


@pytest.mark.parametrize(
    ("score", "text", "whole"),
    [
        ("10", "10.0", 100),
        ("0", "0.0", 0),
        ("6.44", "6.4", 64),
        ("6.45", "6.5", 65),
        ("6.449999", "6.4", 64),
        ("8.95", "9.0", 90),
        ("6.96", "6.96", 70),
        ("6.999999", "6.99", 70),
        ("8.47", "8.47", 85),
        ("4.95", "4.95", 50),
        ("8.75", "8.8", 88),
        ("1.25", "1.3", 13),
    ],
)
def test_shown_numbers(score: str, text: str, whole: int) -> None:
    assert score_text(Decimal(score)) == text
    assert percent(Decimal(score)) == whole


def test_share_of_met_points_with_a_quote() -> None:
    shown = shown_points(
        [PointMark(1, 2, quote="words"), PointMark(9, 2), PointMark(1, 2), PointMark(1, 1, quote="half")]
    )
    assert (shown.shown, shown.met, shown.percent) == (1, 3, 33)
    assert shown_points([PointMark(1, 0)]).percent is None


@pytest.mark.parametrize(
    ("said", "read", "steps"),
    [
        (Band.STRONG, Band.NOT_YET, 3),
        (Band.HIRE, Band.HIRE, 0),
        (Band.NOT_YET, Band.BORDERLINE, -1),
    ],
)
def test_confidence_against_reading(said: str, read: str, steps: int) -> None:
    assert steps_above(said, read) == steps


@given(st.lists(point_marks))
def test_score_is_bounded_and_equals_its_definition(marks: list[PointMark]) -> None:
    score = response_score(marks)
    total = sum(mark.weight for mark in marks)
    if total == 0:
        assert score is None
        return
    assert score is not None
    assert 0 <= score <= 10
    assert score == sum(Fraction(10 * mark.weight, total) * Fraction(mark.value, 2) for mark in marks)


@given(st.lists(point_marks, min_size=1), st.data())
def test_score_and_band_do_not_depend_on_the_order(marks: list[PointMark], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(marks))
    assert response_score(shuffled) == response_score(marks)
    assert response_band(shuffled) == response_band(marks)


@given(st.lists(point_marks, min_size=1), st.data())
def test_a_better_mark_never_lowers_score_or_band(marks: list[PointMark], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(marks) - 1))
    old = marks[index]
    better = PointMark(old.weight, data.draw(st.integers(old.value, 2)), old.is_must)
    raised = [*marks[:index], better, *marks[index + 1 :]]
    before, after = response_score(marks), response_score(raised)
    if before is None or after is None:
        assert before is after is None
        return
    assert after >= before
    bands = list(Band)
    old_band, new_band = response_band(marks), response_band(raised)
    assert old_band is not None
    assert new_band is not None
    assert bands.index(new_band) >= bands.index(old_band)


@given(st.lists(point_marks, min_size=1))
def test_band_of_an_answer_is_never_above_its_score(marks: list[PointMark]) -> None:
    score = response_score(marks)
    band = response_band(marks)
    if score is None:
        assert band is None
    else:
        assert band is not None
        assert list(Band).index(band) <= list(Band).index(band_of(score))


@given(st.lists(answers), st.booleans(), st.data())
def test_interview_score_is_bounded_and_free_of_order(
    parts: list[AnswerScore], is_mock: bool, data: st.DataObject
) -> None:
    score = attempt_score(parts, is_mock=is_mock)
    assert attempt_score(data.draw(st.permutations(parts)), is_mock=is_mock) == score
    counted = [
        (part.minutes, Fraction(0) if part.is_empty else part.score)
        for part in parts
        if part.score is not None and (is_mock or not part.is_empty)
    ]
    if not counted:
        assert score is None
        return
    assert score is not None
    low, high = min(value for _, value in counted), max(value for _, value in counted)
    assert low <= score <= high
    assert score == sum(minutes * value for minutes, value in counted) / sum(m for m, _ in counted)


@given(scores)
def test_storing_keeps_band_percent_and_text(score: Fraction) -> None:
    kept = stored(score)
    assert kept is not None
    assert 0 <= kept <= 10
    assert abs(Fraction(kept) - score) <= Fraction(1, 2_000_000)
    assert band_of(kept) == band_of(score)
    assert percent(kept) == percent(score)
    assert score_text(kept) == score_text(score)


@given(scores)
def test_shown_number_never_claims_a_higher_band(score: Fraction) -> None:
    assert band_of(Fraction(score_text(score))) == band_of(score)


def test_nothing_to_store_without_a_score() -> None:
    assert stored(None) is None
