"""The figures of an item and of its points, out of the sums that `item_statistics` keeps. Values only."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

from prepapp.reports import intervals
from prepapp.reports.intervals import CONFIDENCE, Figure, Moments
from prepapp.reports.item_statistics import MET, MISSED, PACE_STEPS, PARTLY, UNIT
from prepapp.reports.mastery import Constants

# Where a number asks for a look: a point that more or fewer meet, a correlation below, more that leave the
# item empty, a time half as long again (or two thirds), in octaves.
EASY, HARD = 0.95, 0.10
LOOSE = 0.10
SKIPPED = 0.10
PACE_OFF = log2(1.5)

# What orders lists is kept to so many digits: the same on every machine, and fit for a cursor.
_DIGITS = 6


@dataclass(frozen=True)
class ItemFigures:
    """`answers` is how many learners were asked. Score and skipped are shares of 1, `pace` is the median of
    the time spent as a multiple of the time expected."""

    answers: int
    score: Figure
    skipped: Figure
    pace: Figure
    discrimination: Figure

    @property
    def is_loose(self) -> bool:
        return _below(self.discrimination, LOOSE)

    @property
    def is_skipped_often(self) -> bool:
        return self.skipped.value is not None and self.skipped.value > SKIPPED

    @property
    def is_slow(self) -> bool:
        return self.pace.value is not None and log2(self.pace.value) > PACE_OFF

    @property
    def is_quick(self) -> bool:
        return self.pace.value is not None and log2(self.pace.value) < -PACE_OFF


@dataclass(frozen=True)
class PointFigures:
    answers: int
    met: Figure
    partly: Figure
    missed: Figure
    discrimination: Figure

    @property
    def is_easy(self) -> bool:
        return self.met.value is not None and self.met.value > EASY

    @property
    def is_hard(self) -> bool:
        return _below(self.met, HARD)

    @property
    def is_loose(self) -> bool:
        return _below(self.discrimination, LOOSE)


def item_figures(sums: Mapping[str, int], mean: int, confidence: float = CONFIDENCE) -> ItemFigures:
    """`mean` is the rate of everybody in whole percent."""
    n = sums.get("answers", 0)
    paces = {int(key.removeprefix("pace")): count for key, count in sums.items() if key.startswith("pace")}
    return ItemFigures(
        answers=n,
        score=intervals.mean(n, sums.get("share", 0), sums.get("share2", 0), UNIT, confidence),
        skipped=intervals.share(sums.get("skipped", 0), n, confidence),
        pace=_as_pace(intervals.median(paces, confidence)),
        discrimination=intervals.correlation(_moments(sums, mean), confidence),
    )


def point_figures(sums: Mapping[str, int], mean: int, confidence: float = CONFIDENCE) -> PointFigures:
    marks = {value: sums.get(f"marked{value}", 0) for value in (MET, PARTLY, MISSED)}
    n = sum(marks.values())
    return PointFigures(
        answers=n,
        met=intervals.share(marks[MET], n, confidence),
        partly=intervals.share(marks[PARTLY], n, confidence),
        missed=intervals.share(marks[MISSED], n, confidence),
        discrimination=intervals.correlation(_moments(sums, mean), confidence),
    )


def mean_percent(trials: int, successes: int, constants: Constants) -> int:
    """The rate of everybody in whole percent, which is finer than eight trials of it need; the bar of mastery
    while nobody has answered. The sums are those of all items."""
    return round(100 * (successes / trials if trials else constants.bar))


def item_columns(sums: Mapping[str, int], mean: int) -> dict[str, float | None]:
    """What lists of items are ordered by, by the name of the column. `pace_off`: octaves off, either way."""
    figures = item_figures(sums, mean)
    pace = figures.pace.value
    return {
        "score": _rounded(figures.score.value),
        "skipped": _rounded(figures.skipped.value),
        "pace": _rounded(pace),
        "pace_off": _rounded(None if pace is None else abs(log2(pace))),
        "discrimination": _rounded(figures.discrimination.value),
    }


def point_columns(sums: Mapping[str, int], mean: int) -> dict[str, float | None]:
    figures = point_figures(sums, mean)
    return {
        "met": _rounded(figures.met.value),
        "discrimination": _rounded(figures.discrimination.value),
    }


def _moments(sums: Mapping[str, int], mean: int) -> Moments:
    """The pairs of score and ability, with `m·w + 100·b` for the ability: in units of a percent."""
    w, b, ww, wb, bb, xw, xb = (sums.get(name, 0) for name in ("w", "b", "ww", "wb", "bb", "xw", "xb"))
    return Moments(
        n=sums.get("pairs", 0),
        x=sums.get("x", 0),
        y=mean * w + 100 * b,
        xx=sums.get("xx", 0),
        yy=mean * mean * ww + 200 * mean * wb + 10_000 * bb,
        xy=mean * xw + 100 * xb,
    )


def _as_pace(steps: Figure) -> Figure:
    found = (None if at is None else 2 ** (at / PACE_STEPS) for at in (steps.value, steps.low, steps.high))
    return Figure(steps.n, *found)


def _below(figure: Figure, bound: float) -> bool:
    return figure.value is not None and figure.value < bound


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
