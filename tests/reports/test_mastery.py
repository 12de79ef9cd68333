"""The rule of mastery: its worked numbers as a table, its laws as properties."""

from datetime import UTC, datetime, timedelta
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.reports import mastery
from prepapp.reports.choices import Standing
from prepapp.reports.mastery import Constants, GradedAnswer, Tally, estimates

RULE = Constants()
NOW = datetime(2026, 11, 30, 7, tzinfo=UTC)


def estimate(trials: float, successes: float, answers: int = 10, rate: float = 0.62) -> mastery.Estimate:
    return estimates([Tally(trials, successes, answers)], [rate], RULE)[0]


@pytest.mark.parametrize(
    ("points", "trials"),
    [(0, 0.0), (1, 1.0), (2, 4 / 3), (3, 1.5), (5, 5 / 3), (10, 20 / 11), (1000, 1000 / 500.5)],
)
def test_points_of_one_answer_move_together(points, trials):
    assert mastery.answer_trials(points, RULE) == pytest.approx(trials, abs=1e-12)


def test_four_of_ten_independent_points():
    found = estimate(10, 4)
    assert (round(found.mean, 2), round(found.p_weak, 2)) == (0.50, 0.81)
    assert found.standing == Standing.WEAK


def test_the_same_points_from_two_answers_are_less_sure():
    trials = 2 * mastery.answer_trials(5, RULE)
    found = estimate(trials, 0.4 * trials, answers=2)
    assert (round(found.mean, 2), round(found.p_weak, 2)) == (0.56, 0.61)
    assert found.standing == Standing.UNSURE


@pytest.mark.parametrize(
    ("trials", "successes", "answers", "standing"),
    [
        (0, 0, 0, Standing.NOT_MEASURED),
        (60, 12, 2, Standing.UNSURE),  # sure of it, but from two answers only
        (60, 12, 3, Standing.WEAK),
        (60, 57, 2, Standing.UNSURE),
        (60, 57, 3, Standing.STRONG),
        (60, 40, 9, Standing.UNSURE),  # between the bars
    ],
)
def test_standing(trials, successes, answers, standing):
    assert estimate(trials, successes, answers).standing == standing


def test_the_interval_is_the_middle_of_the_posterior():
    # Beta(1, 1) is flat: its 10 % and 90 % points are 0.1 and 0.9.
    flat = Constants(prior_trials=2)
    found = estimates([Tally(0, 0, 0)], [0.5], flat)[0]
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.1, 0.9), abs=1e-12)
    assert (found.p_weak, found.p_strong) == pytest.approx((0.60, 0.25), abs=1e-12)


@pytest.mark.parametrize(("days", "weight"), [(0, 1.0), (45, 0.5), (90, 0.25), (22.5, 0.5**0.5), (-45, 2.0)])
def test_age_halves_in_45_days(days, weight):
    answer = GradedAnswer(NOW - timedelta(days=days), points=1, share=1.0)
    found = mastery.at(mastery.forward_tally(answer, RULE), NOW, RULE)
    assert (found.trials, found.successes) == pytest.approx((weight, weight), rel=1e-12)


def test_forward_sums_hold_a_century():
    early = GradedAnswer(NOW, points=3, share=0.5)
    late = GradedAnswer(NOW + timedelta(days=36525), points=3, share=0.5)
    both = mastery.forward_tally(early, RULE) + mastery.forward_tally(late, RULE)
    found = mastery.at(both, late.answered_at, RULE)
    assert (found.trials, found.successes) == pytest.approx((1.5, 0.75), rel=1e-12)


def test_a_retake_counts_half():
    whole = mastery.forward_tally(GradedAnswer(NOW, 5, 0.4), RULE)
    half = mastery.forward_tally(GradedAnswer(NOW, 5, 0.4, is_retake=True), RULE)
    assert half == whole.scaled(0.5)


@pytest.mark.parametrize(
    ("tally", "towards", "rate"),
    [
        (Tally(), 0.6, 0.6),
        (Tally(8, 8, 4), 0.6, 0.8),
        (Tally(8, 0, 4), 0.6, 0.3),
        (Tally(1e9, 5e8, 9), 0.9, 0.5),
    ],
)
def test_a_rate_is_drawn_towards_another(tally, towards, rate):
    assert mastery.shrunk_rate(tally, towards, RULE) == pytest.approx(rate, abs=1e-6)


def test_nothing_to_estimate_is_no_error():
    assert estimates([], [], RULE) == []


answers = st.builds(
    GradedAnswer,
    answered_at=st.datetimes(datetime(2026, 1, 1), datetime(2026, 11, 30)).map(
        lambda moment: moment.replace(tzinfo=UTC)
    ),
    points=st.integers(1, 12),
    share=st.floats(0, 1),
    is_retake=st.booleans(),
)
rates = st.floats(0.05, 0.95)


def summed(batch: list[GradedAnswer]) -> Tally:
    parts = [mastery.forward_tally(answer, RULE) for answer in batch]
    whole = Tally(fsum(part.trials for part in parts), fsum(part.successes for part in parts), len(parts))
    return mastery.at(whole, NOW, RULE)


@given(st.lists(answers, max_size=30), rates)
def test_bounds(batch, rate):
    found = estimates([summed(batch)], [rate], RULE)[0]
    assert 0 < found.low < found.high < 1
    assert 0 < found.mean < 1
    assert 0 <= found.p_weak <= 1
    assert 0 <= found.p_strong <= 1
    assert found.p_weak + found.p_strong <= 1 + 1e-12


@given(st.lists(answers, min_size=1, max_size=20), rates, st.data())
def test_a_better_mark_never_lowers_the_estimate(batch, rate, data):
    place = data.draw(st.integers(0, len(batch) - 1))
    worse = batch[place]
    share = data.draw(st.floats(worse.share, 1))
    better = [*batch[:place], GradedAnswer(worse.answered_at, worse.points, share, worse.is_retake)]
    before, after = estimates([summed(batch), summed([*better, *batch[place + 1 :]])], [rate] * 2, RULE)
    assert after.mean >= before.mean - 1e-12
    assert after.p_weak <= before.p_weak + 1e-9
    assert after.p_strong >= before.p_strong - 1e-9


@given(st.floats(0.2, 0.8), st.floats(1, 50), st.floats(1.5, 10))
def test_more_evidence_of_the_same_narrows_the_interval(share, trials, factor):
    little, much = estimates(
        [Tally(trials, trials * share, 3), Tally(trials * factor, trials * factor * share, 9)],
        [share] * 2,
        RULE,
    )
    assert much.high - much.low < little.high - little.low


@given(st.lists(answers, max_size=30), st.randoms())
def test_the_order_of_answers_changes_nothing(batch, chance):
    shuffled = list(batch)
    chance.shuffle(shuffled)
    assert summed(shuffled) == summed(batch)


@given(st.lists(answers, max_size=30), st.integers(0, 30))
def test_sums_of_parts_are_the_sum_of_all(batch, cut):
    whole, parts = summed(batch), summed(batch[:cut]) + summed(batch[cut:])
    assert parts.answers == whole.answers
    assert (parts.trials, parts.successes) == pytest.approx((whole.trials, whole.successes), rel=1e-9)


@given(rates)
def test_no_evidence_is_not_measured(rate):
    found = estimates([Tally()], [rate], RULE)[0]
    assert (found.standing, found.answers) == (Standing.NOT_MEASURED, 0)
    assert found.mean == pytest.approx(rate)
