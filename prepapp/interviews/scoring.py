"""The arithmetic of marks: score of an answer, score of an interview, the hiring scale.

Values only, exact: scores are fractions between 0 and 10, and None where nothing could be scored. What
is empty, which rows there are and when they may be marked is decided elsewhere (`actions.grading`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from prepapp.interviews.choices import Band, MarkValue

Score = Fraction | Decimal

# As many decimals as the database keeps.
STORED_STEP = Decimal("0.000001")

# In halves of a point, so that comparing takes whole numbers only.
_SCALE: tuple[tuple[int, Band], ...] = (
    (17, Band.STRONG),
    (14, Band.HIRE),
    (10, Band.BORDERLINE),
    (0, Band.NOT_YET),
)
_ORDER = list(Band)


@dataclass(frozen=True)
class PointMark:
    """A rubric point as it was marked; `value` in halves of the weight, 0 to 2."""

    weight: int
    value: int
    is_must: bool = False
    quote: str = ""


@dataclass(frozen=True)
class AnswerScore:
    """An answer as it counts in an interview. `score` None: its rubric is worth nothing."""

    minutes: int
    score: Fraction | None
    is_empty: bool = False


def evidence_word(value: int | None, quote: str) -> str:
    """What a met point rests on: 'shown' with words of the answer, 'claimed' without. Else ''."""
    if value != MarkValue.MET:
        return ""
    return "shown" if quote else "claimed"


@dataclass(frozen=True)
class Shown:
    """How many of the met points carry words of the answer as their evidence."""

    shown: int
    met: int

    @property
    def percent(self) -> int | None:
        """Whole percent, None if no point was met."""
        return percent(Fraction(10 * self.shown, self.met)) if self.met else None


def response_score(points: Iterable[PointMark]) -> Fraction | None:
    """`10 · Σ weight·mark / Σ weight`, with a mark of 0, ½ or 1. None if the weights sum to 0."""
    earned = total = 0
    for point in points:
        earned += point.weight * point.value
        total += point.weight
    return Fraction(10 * earned, 2 * total) if total else None


def attempt_score(answers: Iterable[AnswerScore], *, is_mock: bool) -> Fraction | None:
    """The mean of the answers weighted by their minutes.

    An empty answer scores 0 in a mock and is left out in practice; one that cannot be scored is left out
    always. None if nothing is left.
    """
    earned = Fraction(0)
    minutes = 0
    for answer in answers:
        if answer.score is None or (answer.is_empty and not is_mock):
            continue
        minutes += answer.minutes
        if not answer.is_empty:
            earned += answer.score * answer.minutes
    return earned / minutes if minutes else None


def band_of(score: Score) -> Band:
    """Where a score stands on the hiring scale: Strong from 8.5, Hire from 7, Borderline from 5."""
    above, below = score.as_integer_ratio()
    return next(band for least, band in _SCALE if 2 * above >= least * below)


def response_band(points: Sequence[PointMark]) -> Band | None:
    """The band of one answer. A missed must-have caps it at Not yet, a partly met one at Hire; the number
    itself is never capped. None if it cannot be scored."""
    score = response_score(points)
    if score is None:
        return None
    return capped_band(score, min((point.value for point in points if point.is_must), default=None))


def capped_band(score: Score, lowest_must: int | None) -> Band:
    """The band of an answer with this score whose worst must-have has this mark; None: it has none."""
    if lowest_must == MarkValue.MISSED:
        return Band.NOT_YET
    band = band_of(score)
    return min(band, Band.HIRE, key=_ORDER.index) if lowest_must == MarkValue.PARTLY else band


def steps_above(said: str, read: str) -> int:
    """How many bands the confidence lies above the reading; negative: below."""
    return _ORDER.index(Band(said)) - _ORDER.index(Band(read))


def shown_points(points: Iterable[PointMark]) -> Shown:
    met = [point for point in points if point.value == MarkValue.MET]
    return Shown(shown=sum(bool(point.quote) for point in met), met=len(met))


def percent(score: Score) -> int:
    """Whole percent of 10, rounded half-up."""
    return _tenths(score)


def score_text(score: Score) -> str:
    """One decimal, rounded half-up, so that it agrees with the percentage.

    Where that would show a number of a higher band than the score has reached, such as 6.96 as 7.0, the
    second decimal is shown instead, cut off.
    """
    tenths = _tenths(score)
    if band_of(Fraction(tenths, 10)) == band_of(score):
        return f"{tenths // 10}.{tenths % 10}"
    above, below = score.as_integer_ratio()
    hundredths = 100 * above // below
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def stored(score: Fraction | None) -> Decimal | None:
    """The score as the database keeps it."""
    if score is None:
        return None
    # Two exact integers keep the division to the context's 28 digits, far beyond the six stored.
    return (Decimal(score.numerator) / Decimal(score.denominator)).quantize(STORED_STEP, ROUND_HALF_UP)


def _tenths(score: Score) -> int:
    # Whole numbers, exact like a Fraction and many times cheaper: a page shows dozens of scores.
    above, below = score.as_integer_ratio()
    return (20 * above + below) // (2 * below)
