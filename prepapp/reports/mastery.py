"""Mastery: how much of a topic's rubric a person meets, and how sure that is. Values only.

The rule of a graded answer, of age and of a retake:

- The points of one answer move together. With `p` points it is worth `p / (1 + (p - 1)·ρ)` trials, the
  effective sample size of a cluster (Kish, Survey Sampling, 1965: design effect `1 + (p - 1)·ρ`), ρ = 0.5.
- The successes among them are the trials times the answer's score as a share, so a point is worth its
  weight.
- Age weighs `2^(-days / 45)`; a retake of the same question within 24 hours counts half.

The estimate of a topic with `x` successes of `n` trials is the posterior `Beta(m·k + x, (1-m)·k + n - x)`
with `k = 8` and `m` the person's own rate over all topics, itself drawn towards the rate of the track in
the same way.

Age is kept by forward decay (Cormode, Shkapenyuk, Srivastava, Xu: Forward Decay, ICDE 2009): an answer of
`days` after EPOCH is stored with the weight `2^(days / 45)`, and a sum of any such answers is brought to a
day by one division. Doubles hold that for over a century.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from scipy.special import betainc, betaincc, betaincinv

from prepapp.reports.choices import Standing

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Constants:
    """The product's numbers; the settings may change them (`MASTERY`)."""

    bar: float = 0.60
    strong_bar: float = 0.75
    sure: float = 0.80
    interval: float = 0.80
    prior_trials: float = 8.0
    half_life_days: float = 45.0
    point_correlation: float = 0.5
    retake_hours: float = 24.0
    retake_weight: float = 0.5
    min_answers: float = 3


@dataclass(frozen=True)
class GradedAnswer:
    """One graded answer of a mock. `share` is its score as a part of 1; `is_retake`: the same question was
    asked within the day before."""

    answered_at: datetime
    points: int
    share: float
    is_retake: bool = False


@dataclass(frozen=True)
class Tally:
    """Weighted successes of weighted trials, and the number of answers behind them."""

    trials: float = 0.0
    successes: float = 0.0
    answers: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.trials + other.trials, self.successes + other.successes, self.answers + other.answers
        )

    def scaled(self, factor: float) -> "Tally":
        return Tally(self.trials * factor, self.successes * factor, self.answers)


@dataclass(frozen=True)
class Estimate:
    """The posterior of one topic: mean and 80 % credible interval, the probabilities of lying below the
    bar and above the strong bar, the answers behind it."""

    mean: float
    low: float
    high: float
    p_weak: float
    p_strong: float
    answers: int
    standing: Standing


def answer_trials(points: int, constants: Constants) -> float:
    """What the points of one answer are worth together, in independent trials. 0 without points."""
    return points / (1 + (points - 1) * constants.point_correlation) if points else 0.0


def forward_weight(instant: datetime, constants: Constants) -> float:
    """`2^(days since EPOCH / half life)`, for instants before it as well."""
    return float(2 ** ((instant - EPOCH) / _DAY / constants.half_life_days))


def forward_tally(answer: GradedAnswer, constants: Constants) -> Tally:
    """What one answer adds, weighted forward from EPOCH."""
    trials = answer_trials(answer.points, constants) * forward_weight(answer.answered_at, constants)
    if answer.is_retake:
        trials *= constants.retake_weight
    return Tally(trials, trials * answer.share, 1)


def at(tally: Tally, now: datetime, constants: Constants) -> Tally:
    """A forward sum as it weighs at `now`."""
    return tally.scaled(1 / forward_weight(now, constants))


def shrunk_rate(tally: Tally, towards: float, constants: Constants) -> float:
    """The share of successes, drawn towards another rate by `k` trials of it."""
    k = constants.prior_trials
    return (k * towards + tally.successes) / (k + tally.trials)


def estimates(tallies: Sequence[Tally], rates: Sequence[float], constants: Constants) -> list[Estimate]:
    """The posterior of each tally, with `m` the rate beside it; all in one go, as a run over many people
    needs it. A tally without answers is not measured: its numbers are those of the rate alone."""
    if not tallies:
        return []
    k = constants.prior_trials
    a = [m * k + tally.successes for tally, m in zip(tallies, rates, strict=True)]
    b = [
        (1 - m) * k + max(tally.trials - tally.successes, 0.0)
        for tally, m in zip(tallies, rates, strict=True)
    ]
    tail = (1 - constants.interval) / 2
    columns = (
        betaincinv(a, b, tail),
        betaincinv(a, b, 1 - tail),
        betainc(a, b, constants.bar),
        betaincc(a, b, constants.strong_bar),
    )
    return [
        Estimate(
            mean=alpha / (alpha + beta),
            low=float(low),
            high=float(high),
            p_weak=float(weak),
            p_strong=float(strong),
            answers=tally.answers,
            standing=_standing(tally.answers, float(weak), float(strong), constants),
        )
        for tally, alpha, beta, low, high, weak, strong in zip(tallies, a, b, *columns, strict=True)
    ]


def _standing(answers: int, p_weak: float, p_strong: float, constants: Constants) -> Standing:
    if not answers:
        return Standing.NOT_MEASURED
    # One or two answers decide nothing, however low: with a low rate the prior alone would call it weak.
    if answers >= constants.min_answers:
        if p_weak >= constants.sure:
            return Standing.WEAK
        if p_strong >= constants.sure:
            return Standing.STRONG
    return Standing.UNSURE
