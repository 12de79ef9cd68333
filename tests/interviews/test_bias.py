"""How marks lie beside reference marks: numbers worked out by hand or by another way of reckoning."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.interviews.bias import LEAST_ANSWERS, Bias, MarkPair, bias_of, difference, weighted_kappa
from prepapp.interviews.scoring import PointMark, response_score

pytestmark = pytest.mark.embedded

values = st.integers(0, 2)
pairs = st.builds(MarkPair, weight=st.integers(1, 3), own=values, reference=values)
answers = st.lists(st.lists(pairs, min_size=1, max_size=6), min_size=LEAST_ANSWERS, max_size=12)


def answer(*marks: tuple[int, int, int]) -> list[MarkPair]:
    return [MarkPair(*mark) for mark in marks]


def off_by(points: int) -> list[MarkPair]:
    """An answer marked that many points of ten above its reference, in fives."""
    return answer((5, min(2, max(0, points // 5 * 2)), 0), (5, 0, max(0, -points // 5 * 2)))


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([(4, 2, 2), (6, 0, 0)], 0),
        ([(4, 2, 0), (6, 0, 0)], 4),
        ([(4, 1, 0), (6, 0, 1)], -1),
        ([(1, 2, 0), (1, 0, 2)], 0),
        ([(3, 2, 1), (2, 2, 1), (5, 1, 1)], 2.5),
        ([(0, 2, 0)], 0),
        ([], 0),
    ],
)
def test_a_difference_is_in_points_of_ten(marks: list[tuple[int, int, int]], expected: float) -> None:
    assert difference(answer(*marks)) == expected


@given(st.lists(pairs, min_size=1, max_size=8))
def test_a_difference_is_one_score_less_the_other(marks: list[MarkPair]) -> None:
    own = response_score(PointMark(pair.weight, pair.own) for pair in marks)
    reference = response_score(PointMark(pair.weight, pair.reference) for pair in marks)
    assert own is not None and reference is not None
    assert difference(marks) == pytest.approx(float(Fraction(own) - Fraction(reference)))


@pytest.mark.parametrize("count", [0, 1, LEAST_ANSWERS - 1])
def test_few_answers_say_nothing(count: int) -> None:
    found = bias_of([off_by(5)] * count)
    assert found == Bias(count)
    assert (found.is_known, found.missing) == (False, LEAST_ANSWERS - count)


def test_the_interval_is_students() -> None:
    """Differences 0, 0, 0, 5, 5: mean 2, s = √7.5, t(4; 0.9) = 1.5332 from a printed table."""
    found = bias_of([off_by(0)] * 3 + [off_by(5)] * 2)
    assert found.mean == 2
    reach = 1.5332 * (7.5 / 5) ** 0.5
    assert (found.low, found.high) == (pytest.approx(2 - reach, abs=1e-3), pytest.approx(2 + reach, abs=1e-3))
    assert (found.answers, found.equal, found.marks, found.equal_percent) == (5, 8, 10, 80)
    assert (found.points, found.lean, found.is_sure, found.span) == ("2.0", "generous", True, "0.1 to 3.9")


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([5, 5, 5, 5, 5], ("5.0", "generous", True, "5.0 to 5.0")),
        ([-5, -5, 0, 0, 0], ("2.0", "harsh", True, "−3.9 to −0.1")),
        ([-5, 5, 0, 0, 0], ("0.0", "", False, "−2.4 to 2.4")),
        ([-5, 0, 0, 0, 0], ("1.0", "harsh", False, "−2.5 to 0.5")),
        ([0, 0, 0, 0, 0], ("0.0", "", False, "0.0 to 0.0")),
    ],
)
def test_the_words_follow_the_interval(differences: list[int], words: tuple[object, ...]) -> None:
    found = bias_of([off_by(each) for each in differences])
    assert (found.points, found.lean, found.is_sure, found.span) == words


def test_kappa_of_a_table_worked_out_by_hand() -> None:
    """Ten marks: (own, reference) 2,2 four times; 0,0 three times; 2,1 twice; 0,2 once. Observed Σd² = 2 + 4;
    expected over ten: own 2 six times, 0 four times; reference 2 five, 1 two, 0 three times:
    6·2·1 + 6·3·4 + 4·5·4 + 4·2·1 = 172, of ten 17.2."""
    table = {(2, 2): 4, (0, 0): 3, (2, 1): 2, (0, 2): 1}
    marks = [MarkPair(1, *cell) for cell, count in table.items() for _ in range(count)]
    assert weighted_kappa(marks) == pytest.approx(1 - 6 / 17.2)


def test_kappa_is_silent_where_chance_agrees_throughout() -> None:
    assert weighted_kappa(answer((1, 2, 2), (1, 2, 2))) is None
    assert weighted_kappa([]) is None
    assert weighted_kappa(answer((1, 2, 2), (1, 0, 0))) == 1
    assert weighted_kappa(answer((1, 2, 0), (1, 0, 2))) == -1
    assert Bias(5, 0, 0, 0, 1, 2, -0.251).kappa_text == "−0.25"


@given(answers)
def test_swapping_sides_turns_the_bias_round(marked: list[list[MarkPair]]) -> None:
    swapped = [[MarkPair(pair.weight, pair.reference, pair.own) for pair in marks] for marks in marked]
    one, other = bias_of(marked), bias_of(swapped)
    assert one.mean is not None and other.mean is not None
    assert other.mean == pytest.approx(-one.mean)
    assert other.low == pytest.approx(-one.high)
    assert (other.equal, other.marks) == (one.equal, one.marks)
    assert other.kappa == pytest.approx(one.kappa)


@given(answers)
def test_the_interval_holds_the_mean_and_stays_near_the_scale(marked: list[list[MarkPair]]) -> None:
    found = bias_of(marked)
    assert found.low is not None and found.mean is not None and found.high is not None
    assert found.low <= found.mean + 1e-9 and found.mean <= found.high + 1e-9
    assert -10 <= found.mean <= 10
    assert found.kappa is None or -1 - 1e-9 <= found.kappa <= 1
