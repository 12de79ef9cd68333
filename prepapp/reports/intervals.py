"""Numbers with the interval they lie in, from counts and sums. Values only; what is counted is elsewhere.

A figure is silent, with the number behind it and nothing else, below `LEAST` values: of so few a curator
would learn more by reading the answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import atanh, sqrt, tanh

from scipy.special import bdtrik, ndtri, stdtrit

LEAST = 30
CONFIDENCE = 0.95
_STRAIGHT = 1 - 1e-12


@dataclass(frozen=True)
class Figure:
    """`value` lies between `low` and `high` with the confidence asked for; `n` values stand behind it. All
    three are None where there are too few of them, or where they say nothing."""

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_silent(self) -> bool:
        return self.value is None

    @property
    def has_too_few(self) -> bool:
        return self.n < LEAST


def share(successes: int, n: int, confidence: float = CONFIDENCE) -> Figure:
    """The share of successes, with the interval of Wilson (Probable inference, the law of succession, and
    statistical inference, JASA 22, 1927), which holds near 0 and 1 as well."""
    if n < LEAST:
        return Figure(n)
    z = _z(confidence)
    rate, spread = successes / n, z * z / n
    middle = (rate + spread / 2) / (1 + spread)
    half = z * sqrt(rate * (1 - rate) / n + spread / (4 * n)) / (1 + spread)
    return Figure(n, rate, max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half)))


def mean(n: int, total: int, squares: int, unit: int, confidence: float = CONFIDENCE) -> Figure:
    """The mean of values between 0 and `unit` as a part of it, with the interval of Student (The probable
    error of a mean, Biometrika 6, 1908) cut off at 0 and 1. `squares` is the sum of their squares."""
    if n < LEAST:
        return Figure(n)
    value = total / (n * unit)
    # Whole numbers until here: the difference of two large sums would lose its digits otherwise.
    variance = (n * squares - total * total) / (n * (n - 1) * unit * unit)
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * sqrt(variance / n)
    return Figure(n, value, max(0.0, value - half), min(1.0, value + half))


@dataclass(frozen=True)
class Moments:
    """The sums of `n` pairs of whole numbers."""

    n: int
    x: int
    y: int
    xx: int
    yy: int
    xy: int


def correlation(moments: Moments, confidence: float = CONFIDENCE) -> Figure:
    """Pearson's correlation, with the interval of Fisher's z: `atanh r` has the standard error `1 / √(n - 3)`
    (On the "probable error" of a coefficient of correlation, Metron 1, 1921). Silent also where all values
    of one side are equal."""
    n = moments.n
    if n < LEAST:
        return Figure(n)
    of_x = n * moments.xx - moments.x**2
    of_y = n * moments.yy - moments.y**2
    if not of_x or not of_y:
        return Figure(n)
    value = (n * moments.xy - moments.x * moments.y) / (sqrt(of_x) * sqrt(of_y))
    # On a straight line z is infinite; so close to one nothing is lost.
    value = max(-_STRAIGHT, min(_STRAIGHT, value))
    half = _z(confidence) / sqrt(n - 3)
    return Figure(n, value, tanh(atanh(value) - half), tanh(atanh(value) + half))


def median(counts: Mapping[int, int], confidence: float = CONFIDENCE) -> Figure:
    """The median of the keys, of which each stands so many times, with the interval between two ranks that
    the binomial distribution gives (Conover, Practical Nonparametric Statistics, 1999, section 3.2). It needs
    no shape of the values."""
    n = sum(counts.values())
    if n < LEAST:
        return Figure(n)
    tail = (1 - confidence) / 2
    # That fewer values than this lie below the median is no likelier than the tail.
    below = int(bdtrik(tail, n, 0.5)) + 1
    value = (_ranked(counts, (n + 1) // 2) + _ranked(counts, n // 2 + 1)) / 2
    return Figure(n, value, _ranked(counts, below), _ranked(counts, n + 1 - below))


def _ranked(counts: Mapping[int, int], rank: int) -> float:
    """The value at that place when all stand in order; 1 is the smallest."""
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= rank:
            break
    return float(value)


def _z(confidence: float) -> float:
    return float(ndtri((1 + confidence) / 2))
