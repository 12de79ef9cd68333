"""Charts as SVG made on the server, from values alone.

Colours come from the stylesheet by class, places are attributes: the content policy allows no inline
style. A chart says nothing by itself to a screen reader: every page writes its numbers beside it, in the
row it stands in or in a table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

# The drawing of a line: lines of text above and below it, in pixels.
_ABOVE, _HEIGHT, _BELOW = 22, 150, 26
# Labels of the first and of the last point are held inside.
_MARGIN = 2.0


@dataclass(frozen=True)
class LinePoint:
    """One value of a line between 0 and 1, with the band it lies in. `label` names its place below."""

    label: str
    mean: float
    low: float
    high: float


def percent_text(share: float) -> str:
    """`41 %`, rounded half up, with the narrow space that keeps number and sign together."""
    return f"{int(100 * share + 0.5)}\N{NO-BREAK SPACE}%"


def sure_text(probability: float) -> str:
    """`92 %`; never quite certain."""
    return f"more than {percent_text(0.99)}" if probability >= 0.995 else percent_text(probability)


def span_text(low: float, high: float) -> str:
    """`31–52 %`."""
    return f"{int(100 * low + 0.5)}–{percent_text(high)}"


def interval(mean: float, low: float, high: float, goal: float, tone: str = "") -> SafeString:
    """A dot at the mean on the bar from `low` to `high`, and a dashed line at the goal."""
    return format_html(
        '<svg class="chart interval {}" aria-hidden="true" focusable="false">'
        '<line class="rail" x1="0" x2="100%" y1="14" y2="14"/>'
        '<line class="span" x1="{}" x2="{}" y1="14" y2="14"/>'
        '<line class="goal" x1="{goal}" x2="{goal}" y1="2" y2="26"/>'
        '<circle class="dot" cx="{}" cy="14" r="6"/></svg>',
        tone,
        _place(low),
        _place(high),
        _place(mean),
        goal=_place(goal),
    )


def bar(share: float, tone: str = "", goal: float | None = None) -> SafeString:
    """A filled part of a rail, with a dashed line at the goal."""
    line = (
        ""
        if goal is None
        else format_html('<line class="goal" x1="{goal}" x2="{goal}" y1="0" y2="16"/>', goal=_place(goal))
    )
    return format_html(
        '<svg class="chart bar-line" aria-hidden="true" focusable="false">'
        '<rect class="rail" width="100%" height="10" y="3" rx="5"/>'
        '<rect class="fill {}" width="{}" height="10" y="3" rx="5"/>{}</svg>',
        tone,
        _place(share),
        line,
    )


def bullet(used: float, planned: float) -> SafeString:
    """What was used as a thin bar on what was planned, both as parts of the longest of the chart."""
    return format_html(
        '<svg class="chart bar-line" aria-hidden="true" focusable="false">'
        '<rect class="plan" width="{}" height="16" rx="3"/>'
        '<rect class="used{}" width="{}" height="6" y="5" rx="3"/></svg>',
        _place(planned),
        " over" if used > planned else "",
        _place(used),
    )


def line(points: Sequence[LinePoint], goal: float, goal_label: str, about: str) -> SafeString:
    """Means joined by a line on the band they lie in, from 0 at the foot to 1 at the top, with a dashed
    line at the goal. `about` is read out in place of the picture."""
    places = [_across(number, len(points)) for number in range(len(points))]
    drawn = list(zip(places, points, strict=True))
    upper = [f"{_text(x)},{_text(100 - 100 * point.high)}" for x, point in drawn]
    lower = [f"{_text(x)},{_text(100 - 100 * point.low)}" for x, point in drawn]
    middle = [f"{_text(x)},{_text(100 - 100 * point.mean)}" for x, point in drawn]
    dots = format_html_join(
        "",
        '<circle class="dot" cx="{}%" cy="{}" r="4"/>',
        ((_text(x), _text(_down(p.mean))) for x, p in drawn),
    )
    # One point has no band to stand in.
    whiskers = format_html_join(
        "",
        '<line class="span" x1="{0}%" x2="{0}%" y1="{1}" y2="{2}"/>',
        ((_text(x), _text(_down(p.high)), _text(_down(p.low))) for x, p in drawn if len(drawn) == 1),
    )
    return format_html(
        '<svg class="chart plot" height="{height}" role="img" aria-label="{about}">'
        '<line class="edge" x1="0" x2="100%" y1="{top}" y2="{top}"/>'
        '<line class="edge" x1="0" x2="100%" y1="{foot}" y2="{foot}"/>'
        '<svg y="{top}" width="100%" height="{inner}" viewBox="0 0 100 100" preserveAspectRatio="none">'
        '<polygon class="band" points="{area}"/>'
        '<polyline class="mean" points="{middle}" vector-effect="non-scaling-stroke"/></svg>'
        '<line class="goal" x1="0" x2="100%" y1="{goal}" y2="{goal}"/>'
        '<text x="0" y="{over_goal}">{goal_label}</text>'
        '<text x="0" y="{over_top}">100 %</text><text x="0" y="{over_foot}">0 %</text>'
        "{whiskers}{dots}{labels}</svg>",
        height=_ABOVE + _HEIGHT + _BELOW,
        about=about,
        top=_ABOVE,
        foot=_ABOVE + _HEIGHT,
        inner=_HEIGHT,
        area=" ".join([*upper, *reversed(lower)]),
        middle=" ".join(middle),
        goal=_text(_down(goal)),
        over_goal=_text(_down(goal) - 5),
        goal_label=goal_label,
        over_top=_ABOVE - 6,
        over_foot=_ABOVE + _HEIGHT - 5,
        whiskers=whiskers,
        dots=dots,
        labels=_labels(points, places),
    )


def _labels(points: Sequence[LinePoint], places: Sequence[float]) -> SafeString:
    """The names of the first and the last point, and of the middle one where there is room for it."""
    count = len(points)
    shown = {0: "start", count - 1: "end"} if count > 1 else {0: "middle"}
    if count >= 5 and count % 2:
        shown[count // 2] = "middle"
    return format_html_join(
        "",
        '<text x="{}%" y="{}" text-anchor="{}">{}</text>',
        (
            (_text(places[number]), _ABOVE + _HEIGHT + 19, anchor, points[number].label)
            for number, anchor in sorted(shown.items())
            if points
        ),
    )


def _across(number: int, count: int) -> float:
    if count < 2:
        return 50.0
    return _MARGIN + number * (100 - 2 * _MARGIN) / (count - 1)


def _down(share: float) -> float:
    return _ABOVE + (1 - share) * _HEIGHT


def _place(share: float) -> str:
    return f"{round(100 * min(max(share, 0.0), 1.0), 1):g}%"


def _text(number: float) -> str:
    return f"{number:.2f}"
