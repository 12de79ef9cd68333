"""How somebody's marks lie beside reference marks, from sample answers they have marked. Values only.

- The difference of one answer is `10 · Σ weight·(own - reference) / Σ weight`, with marks of 0, ½ and 1:
  their score of it less the score by the reference, from -10 to 10. Above 0 is generous.
- The bias is the mean difference over the answers. Its interval is Student's (Student, The probable error of
  a mean, Biometrika 6, 1908): `mean ± t(n-1)·s/√n`, with `s` the standard deviation of the differences.
- Agreement is the share of marks that are equal. Beyond chance it is Cohen's weighted kappa (Weighted kappa,
  Psychological Bulletin 70, 1968), with the squared distance of two marks as weight of their disagreement:
  `1 - Σ d²·observed / Σ d²·expected`, expected from how often each side gives each mark.

The three samples of a question are counted as independent, which they are not quite: the interval is a little
too narrow for somebody who has marked all three.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from scipy.special import stdtrit

# Fewer answers say nothing about a habit.
LEAST_ANSWERS = 5
SURE = 0.80
# Marks come in halves of a point's weight.
HALVES = 2


@dataclass(frozen=True)
class MarkPair:
    """One rubric point as it was marked and as the reference marks it, in halves of its weight, 0 to 2."""

    weight: int
    own: int
    reference: int


@dataclass(frozen=True)
class Bias:
    """What the marked answers come to, in points of ten; numbers are None while `answers` are too few.

    `low` and `high` hold the mean with 80 % certainty. `kappa` is None too where chance leaves nothing to
    disagree about, as with a single mark throughout.
    """

    answers: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    equal: int = 0
    marks: int = 0
    kappa: float | None = None

    @property
    def is_known(self) -> bool:
        return self.mean is not None

    @property
    def missing(self) -> int:
        """Answers still to mark before anything can be said."""
        return max(0, LEAST_ANSWERS - self.answers)

    @property
    def points(self) -> str:
        """The size of the mean, one decimal."""
        return f"{abs(self.mean or 0):.1f}"

    @property
    def lean(self) -> str:
        """generous, harsh, or '' for a mean that is shown as 0.0."""
        if self.points == "0.0":
            return ""
        return "generous" if (self.mean or 0) > 0 else "harsh"

    @property
    def is_sure(self) -> bool:
        """Whether the whole interval lies on one side of 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def span(self) -> str:
        """The interval as -0.2 to 1.4."""
        return f"{_signed(self.low or 0)} to {_signed(self.high or 0)}"

    @property
    def equal_percent(self) -> int:
        """Share of equal marks, rounded half-up."""
        return (200 * self.equal + self.marks) // (2 * self.marks) if self.marks else 0

    @property
    def kappa_text(self) -> str:
        return "" if self.kappa is None else _signed(self.kappa, 2)


def difference(pairs: Iterable[MarkPair]) -> float:
    """Own score less the reference's, in points of ten; 0 for a rubric that is worth nothing."""
    total = above = 0
    for pair in pairs:
        total += pair.weight
        above += pair.weight * (pair.own - pair.reference)
    return 10 * above / (HALVES * total) if total else 0.0


def bias_of(answers: Sequence[Sequence[MarkPair]]) -> Bias:
    """The bias over these answers, each with all its marks."""
    n = len(answers)
    if n < LEAST_ANSWERS:
        return Bias(n)
    differences = [difference(pairs) for pairs in answers]
    mean = sum(differences) / n
    deviation = sqrt(sum((each - mean) ** 2 for each in differences) / (n - 1))
    reach = float(stdtrit(n - 1, (1 + SURE) / 2)) * deviation / sqrt(n)
    marks = [pair for pairs in answers for pair in pairs]
    equal = sum(pair.own == pair.reference for pair in marks)
    return Bias(n, mean, mean - reach, mean + reach, equal, len(marks), weighted_kappa(marks))


def weighted_kappa(marks: Sequence[MarkPair]) -> float | None:
    """1 for marks that agree throughout, 0 for as much as chance gives; None if chance agrees throughout."""
    own = Counter(pair.own for pair in marks)
    reference = Counter(pair.reference for pair in marks)
    observed = sum((pair.own - pair.reference) ** 2 for pair in marks) * len(marks)
    expected = sum(
        (mine - theirs) ** 2 * count * other
        for mine, count in own.items()
        for theirs, other in reference.items()
    )
    return 1 - observed / expected if expected else None


def _signed(number: float, decimals: int = 1) -> str:
    """With a true minus sign, and no sign before zero."""
    text = f"{number:.{decimals}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−")
