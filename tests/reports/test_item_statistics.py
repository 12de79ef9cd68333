"""The figures of items: each interval against a second implementation, sums that can be taken back, and an
invented population whose items' true values lie where the intervals say, as often as they say."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from prepapp.reports import intervals
from prepapp.reports.intervals import Figure, Moments
from prepapp.reports.item_figures import item_columns, item_figures, mean_percent, point_figures
from prepapp.reports.item_statistics import (
    UNIT,
    Answered,
    Counted,
    Item,
    MarkOf,
    Totals,
    count_answers,
    from_json,
    to_json,
)
from prepapp.reports.mastery import Constants, Tally, answer_trials, shrunk_rate
from tests.reports.simulated import Bank, Truth, answers_of, find_truth, invent_bank, sit

pytestmark = pytest.mark.embedded
RULE = Constants()


def answered(question, *values, part="", meaning=1, weights=(4, 3, 3), **fields):
    marks = [
        MarkOf(f"r{n}", weight, value) for n, (weight, value) in enumerate(zip(weights, values, strict=True))
    ]
    return Answered(Item(question, meaning, part), marks, **fields)


# --- intervals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(("successes", "n"), [(0, 30), (3, 40), (150, 300), (299, 300), (30, 30)])
def test_the_interval_of_a_share_is_that_of_wilson(successes, n, confidence):
    ours = intervals.share(successes, n, confidence)
    other = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert (ours.n, ours.value) == (n, successes / n)
    assert (ours.low, ours.high) == pytest.approx((other.low, other.high), abs=1e-12)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_of_a_mean_is_that_of_student(confidence):
    values = np.random.default_rng(1).integers(0, UNIT + 1, 47)
    ours = intervals.mean(47, int(values.sum()), int((values**2).sum()), UNIT, confidence)
    other = stats.ttest_1samp(values / UNIT, 0).confidence_interval(confidence)
    assert ours.value == pytest.approx(values.mean() / UNIT)
    assert (ours.low, ours.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_of_a_correlation_is_that_of_fisher(confidence):
    chance = np.random.default_rng(2)
    x = chance.integers(0, 100, 60)
    y = x + chance.integers(0, 200, 60)
    sums = [int(each.sum()) for each in (x, y, x * x, y * y, x * y)]
    ours = intervals.correlation(Moments(60, *sums), confidence)
    other = stats.pearsonr(x, y)
    between = other.confidence_interval(confidence)
    assert ours.value == pytest.approx(other.statistic)
    assert (ours.low, ours.high) == pytest.approx((between.low, between.high))


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("n", [30, 31, 50, 301])
def test_the_interval_of_a_median_is_that_of_the_binomial_ranks(n, confidence):
    values = np.random.default_rng(n).integers(-20, 20, n)
    ours = intervals.median(Counter(values.tolist()), confidence)
    other = stats.quantile_test(values, p=0.5).confidence_interval(confidence)
    assert ours.value == np.median(values)
    assert (ours.low, ours.high) == (other.low, other.high)


@pytest.mark.parametrize(
    "figure",
    [
        intervals.share(29, 29),
        intervals.mean(29, 10, 10, 1),
        intervals.correlation(Moments(29, 10, 10, 10, 10, 5)),
        intervals.median({0: 29}),
    ],
)
def test_fewer_than_thirty_say_nothing(figure):
    assert figure == Figure(29)
    assert (figure.is_silent, figure.has_too_few) == (True, True)


def test_thirty_say_something():
    assert not intervals.share(30, 30).is_silent


def test_a_correlation_with_what_never_differs_says_nothing():
    figure = intervals.correlation(Moments(30, 30, 40, 30, 80, 40))
    assert figure == Figure(30)
    assert (figure.is_silent, figure.has_too_few) == (True, False)


def test_a_straight_line_is_a_correlation_of_one():
    values = range(30)
    total, squares = sum(values), sum(x * x for x in values)
    figure = intervals.correlation(Moments(30, total, total, squares, squares, squares))
    assert figure.value == pytest.approx(1)
    assert figure.low <= figure.value <= figure.high


# --- counting an answer ---------------------------------------------------------------------------------


def test_the_ability_is_the_drawn_rate_of_the_answers_to_other_questions():
    mine = [answered(1, 2, 2, 2), answered(2, 2, 0, 0), answered(3, 0, 2, weights=(5, 5))]
    for own, counted in zip(mine, count_answers(mine, RULE), strict=True):
        tally = Tally()
        for other in mine:
            if other is not own:
                trials = answer_trials(len(other.marks), RULE)
                share = sum(mark.weight * mark.value for mark in other.marks) / 20
                tally += Tally(trials, trials * share, 1)
        w, b = counted.ability
        for mean in (0.3, 0.6):
            assert (w * mean + b) / UNIT == pytest.approx(shrunk_rate(tally, mean, RULE), abs=2 / UNIT)


def test_the_follow_ups_and_other_meanings_of_a_question_are_no_other_answers():
    mine = [
        answered(1, 2, 2, 2),
        answered(1, 0, 0, part="f1", weights=(6, 4)),
        answered(1, 0, 0, 0, meaning=3),
    ]
    assert [counted.ability for counted in count_answers(mine, RULE)] == [None] * 3
    other = answered(2, 0, 2, 0)
    with_other = count_answers([*mine, other], RULE)
    assert {counted.ability for counted in with_other[:3]} == {
        count_answers([mine[0], other], RULE)[0].ability
    }


def test_an_answer_without_any_weight_is_none():
    assert count_answers([answered(1, weights=()), answered(2, 2, weights=(0,))], RULE) == []


@pytest.mark.parametrize(
    ("pace", "step"), [(1.0, 0), (2.0, 16), (0.5, -16), (1.5, 9), (1e9, 64), (1e-9, -64), (None, None)]
)
def test_times_are_kept_in_steps(pace, step):
    assert count_answers([answered(1, 2, 2, 2, pace=pace)], RULE)[0].step == step


learners = st.lists(
    st.lists(
        st.builds(
            answered,
            st.integers(1, 4),
            *[st.integers(0, 2)] * 3,
            is_skipped=st.booleans(),
            pace=st.none() | st.floats(0.01, 50),
        ),
        max_size=5,
        unique_by=lambda answer: answer.item,
    ),
    max_size=6,
)


@given(learners, st.randoms())
def test_sums_do_not_depend_on_the_order_and_can_be_taken_back(everybody, chance):
    counted = [count_answers(answers, RULE) for answers in everybody]
    forth, back = Totals(), Totals()
    for answers in counted:
        forth.add(answers)
    chance.shuffle(counted)
    for answers in counted:
        back.add(answers)
    assert back == forth
    chance.shuffle(counted)
    for answers in counted:
        back.add((from_json(to_json(answer)) for answer in answers), -1)
    assert [sums for sums in (*back.items.values(), *back.points.values()) if sums] == []


@given(learners)
def test_what_is_kept_of_an_answer_is_all_of_it(everybody):
    for answers in everybody:
        counted = count_answers(answers, RULE)
        assert [from_json(to_json(answer)) for answer in counted] == counted


def test_the_mean_of_everybody_is_the_bar_until_somebody_answers():
    assert mean_percent(0, 0, RULE) == 60
    assert mean_percent(3 * UNIT, 1 * UNIT, RULE) == 33


def test_the_figures_of_an_item():
    totals = Totals()
    for number in range(40):
        values = [2, 2, 2] if number < 10 else [0, 0, 0]
        first = answered(1, *values, is_skipped=number >= 30, pace=None if number >= 30 else 2.0)
        totals.add(count_answers([first, answered(2, 2, 1, 0)], RULE))
    figures = item_figures(totals.items[Item(1, 1, "")], 50)
    assert (figures.answers, figures.score.value, figures.skipped.value) == (40, 0.25, 0.25)
    assert (figures.pace.n, figures.pace.value) == (30, 2.0)
    point = point_figures(totals.points[Item(1, 1, ""), "r0"], 50)
    assert (point.answers, point.met.value, point.partly.value, point.missed.value) == (40, 0.25, 0, 0.75)
    # Everybody gave the same other answer, so abilities do not differ.
    assert figures.discrimination == Figure(40)
    assert item_columns(totals.items[Item(1, 1, "")], 50) == {
        "score": 0.25,
        "skipped": 0.25,
        "pace": 2.0,
        "pace_off": 1.0,
        "discrimination": None,
    }


# --- an invented population ------------------------------------------------------------------------------


ITEMS, PEOPLE, ROUNDS = 40, 1_500, 8  # 300 first answers to an item
SHARES = {0.8: 0.05, 0.95: 0.03}  # what chance may take the coverage off by, in so many intervals


@lru_cache
def invented() -> tuple[Bank, Truth]:
    bank = invent_bank(ITEMS, seed=1)
    return bank, find_truth(bank, seed=2)


def with_itself(answers: list[Counted]) -> list[Counted]:
    """The mistake: an ability that has the very answer in it."""
    k = RULE.prior_trials * UNIT
    trials, successes = sum(answer.trials for answer in answers), sum(answer.successes for answer in answers)
    ability = (round(UNIT * k / (k + trials)), round(UNIT * successes / (k + trials)))
    return [replace(answer, ability=ability) for answer in answers]


def hits(totals: Totals, truth: Truth, confidence: float) -> Iterable[tuple[str, bool]]:
    """Of each figure, whether the truth lies in its interval."""
    mean = mean_percent(
        sum(sums["trials"] for sums in totals.items.values()),
        sum(sums["successes"] for sums in totals.items.values()),
        RULE,
    )
    for item, sums in totals.items.items():
        figures, at = item_figures(sums, mean, confidence), item.question
        for name in ("score", "skipped", "pace", "discrimination"):
            figure = getattr(figures, name)
            yield name, figure.low <= getattr(truth, name)[at] <= figure.high
    for (item, key), sums in totals.points.items():
        point, place = point_figures(sums, mean, confidence), (item.question, int(key[1:]) - 1)
        yield "met", point.met.low <= truth.met[place] <= point.met.high
        tracks = point.discrimination
        yield "point discrimination", tracks.low <= truth.point_discrimination[place] <= tracks.high


def coverage(*, mistake: bool = False) -> dict[tuple[str, float], float]:
    bank, truth = invented()
    chance = np.random.default_rng(3)
    found: dict[tuple[str, float], list[bool]] = {}
    for _ in range(ROUNDS):
        totals = Totals()
        for answers in answers_of(sit(bank, PEOPLE, chance)):
            counted = count_answers(answers, RULE)
            totals.add(with_itself(counted) if mistake else counted)
        for confidence in SHARES:
            for name, hit in hits(totals, truth, confidence):
                found.setdefault((name, confidence), []).append(hit)
    assert {len(each) for each in found.values()} == {ITEMS * ROUNDS, 3 * ITEMS * ROUNDS}
    return {key: float(np.mean(each)) for key, each in found.items()}


def test_true_values_lie_in_the_intervals_as_often_as_they_say():
    found = coverage()
    off = {key: round(share, 3) for key, share in found.items() if abs(share - key[1]) > SHARES[key[1]]}
    assert off == {}
    assert len(found) == 12


def test_an_ability_that_contains_the_item_would_show():
    found = coverage(mistake=True)
    assert found["discrimination", 0.95] < 0.3
    assert found["point discrimination", 0.95] < 0.7
    # The rest is not compared with ability.
    assert abs(found["met", 0.95] - 0.95) <= SHARES[0.95]


def test_items_that_tell_much_and_little_are_told_apart():
    bank, truth = invented()
    totals = Totals()
    for answers in answers_of(sit(bank, PEOPLE, np.random.default_rng(4))):
        totals.add(count_answers(answers, RULE))
    found = {
        item.question: item_figures(sums, truth.mean).discrimination.value
        for item, sums in totals.items.items()
    }
    order = [found[item] for item in range(ITEMS)]
    assert stats.spearmanr(order, truth.discrimination).statistic > 0.9
