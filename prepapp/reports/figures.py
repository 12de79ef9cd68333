"""The figures of one weekly report, as they are stored: what a report says is read from here only, so an
old report never changes. Values only; how they are reckoned is `queries.weekly`, wording is the templates'.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import date
from functools import cache, partial
from types import GenericAlias
from typing import Any, get_args, get_origin, get_type_hints

FORMAT = 1
Reader = Callable[[Any], Any]
_KEPT_AS_IS = {str, int, float, bool, type(None)}


@dataclass(frozen=True)
class Practice:
    """What was graded in the week: an interview belongs to the week its grading was first closed in, so
    each counts once. `minutes` are those between start and end, without a clock those the answers were
    written in, rounded half up. `answers` were given in mocks, `points` are the rubric points of those,
    partly met ones in `partly`; `shown` of the `met` carry words of the answer. `to_grade` were handed in by
    the end of the week and waited for their marks when the report was made."""

    mocks: int = 0
    practices: int = 0
    minutes: int = 0
    answers: int = 0
    points: int = 0
    met: int = 0
    partly: int = 0
    shown: int = 0
    to_grade: int = 0


@dataclass(frozen=True)
class TopicFigure:
    """One measured topic as of the making of the report; shares are parts of 1. `before` and
    `standing_before`: a week earlier, None and '' where it was not measured."""

    topic: str
    title: str
    mean: float
    low: float
    high: float
    p_weak: float
    answers: int
    standing: str
    need: float
    before: float | None = None
    standing_before: str = ""


@dataclass(frozen=True)
class MissedPoint:
    """A rubric point missed or partly met in a weak topic, how often of how many times it was marked, and
    the newest answer that missed it. `question` is the key of what was asked: it says what a running mock
    holds back after that answer is deleted."""

    criterion: str
    is_must: bool
    missed: int
    times: int
    attempt: str
    position: int
    answered_on: date
    question: int = 0


@dataclass(frozen=True)
class WeakArea:
    figure: TopicFigure
    points: list[MissedPoint] = field(default_factory=list)


@dataclass(frozen=True)
class PlannedSession:
    """One session of the coming week. `blueprint` is a slug, or '' for a drill of `topic`."""

    on: date
    title: str
    minutes: int
    blueprint: str
    track: str
    level: str
    topic: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Figures:
    """`week` is the ISO week, such as 2026-W48. `idle_weeks` counts the weeks without practice up to and
    with this one; `pauses` says this is the last mail until there is practice again. `track_rate` is what
    everybody in the track meets of the rubric, which estimates are drawn towards: with it they can be
    recomputed."""

    week: str
    practice: Practice
    topics: list[TopicFigure]
    weak: list[WeakArea]
    unmeasured: list[str]
    plan: list[PlannedSession]
    idle_weeks: int = 0
    pauses: bool = False
    interview_on: date | None = None
    days_left: int | None = None
    track_rate: float | None = None
    format: int = FORMAT

    @property
    def moved(self) -> list[TopicFigure]:
        """Topics whose standing is another than a week before, best news first."""
        order = ["weak", "unsure", "strong"]
        changed = [t for t in self.topics if t.standing_before and t.standing_before != t.standing]
        return sorted(changed, key=lambda t: order.index(t.standing_before) - order.index(t.standing))


def to_json(figures: Figures) -> dict[str, Any]:
    """What the database keeps: plain values, days as ISO texts."""
    return _plain(figures)


def from_json(raw: dict[str, Any]) -> Figures:
    """The figures of a stored report, of any format there has been."""
    return _read(Figures, raw)


def _plain(value: Any) -> Any:
    # Written out, for a week makes this of everybody's figures: `asdict` copies each number in depth.
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "__dataclass_fields__"):
        return {
            name: item if item.__class__ in _KEPT_AS_IS else _plain(item)
            for name, item in vars(value).items()
        }
    return value


def _read(kind: Any, raw: dict[str, Any]) -> Any:
    readers = _readers(kind)
    return kind(
        **{
            name: value if value is None or (reader := readers[name]) is None else reader(value)
            for name, value in raw.items()
            if name in readers
        }
    )


# The list of reports reads thousands of topics, and finding out what a field holds takes longer than that.
@cache
def _readers(kind: Any) -> dict[str, Reader | None]:
    hints = get_type_hints(kind)
    return {entry.name: _reader(hints[entry.name]) for entry in fields(kind)}


def _reader(hint: Any) -> Reader | None:
    """What makes a stored value one of this type; None where it is one."""
    if isinstance(hint, GenericAlias) and get_origin(hint) is list:
        read = _reader(get_args(hint)[0])
        return list if read is None else lambda values: [read(value) for value in values]
    if date in (hint, *get_args(hint)):
        return date.fromisoformat
    return partial(_read, hint) if hasattr(hint, "__dataclass_fields__") else None
