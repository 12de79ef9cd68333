"""The charts: where things stand, and that nothing in them could act or be blocked."""

import re

import pytest
from django.template import engines

from prepapp.common.charts import LinePoint, bar, bullet, interval, line, percent_text, span_text, sure_text

pytestmark = pytest.mark.embedded


def attributes(svg: str, tag: str, kind: str) -> list[dict[str, str]]:
    """Of each element of this name whose class holds the word."""
    found = [dict(re.findall(r'([\w-]+)="([^"]*)"', text)) for text in re.findall(rf"<{tag} ([^>]*)>", svg)]
    return [element for element in found if kind in element.get("class", "").split()]


def test_an_interval_has_its_dot_between_its_ends_and_the_goal_where_it_is() -> None:
    svg = interval(0.41, 0.31, 0.523, 0.6, "weak")
    (span,), (dot,), (goal,) = (
        attributes(svg, *what) for what in (("line", "span"), ("circle", "dot"), ("line", "goal"))
    )
    assert (span["x1"], span["x2"]) == ("31%", "52.3%")
    assert dot["cx"] == "41%"
    assert (goal["x1"], goal["x2"]) == ("60%", "60%")
    assert svg.startswith('<svg class="chart interval weak" aria-hidden="true"')


@pytest.mark.parametrize(
    ("share", "width"), [(0, "0%"), (0.7, "70%"), (1, "100%"), (1.2, "100%"), (-1, "0%")]
)
def test_a_bar_stays_on_its_rail(share: float, width: str) -> None:
    assert attributes(bar(share, "hire"), "rect", "fill") == [
        {"class": "fill hire", "width": width, "height": "10", "y": "3", "rx": "5"}
    ]


def test_a_bar_has_a_goal_when_it_is_given_one() -> None:
    assert attributes(bar(0.5), "line", "goal") == []
    assert [goal["x1"] for goal in attributes(bar(0.5, goal=0.7), "line", "goal")] == ["70%"]


@pytest.mark.parametrize(("used", "planned", "over"), [(0.5, 1.0, 0), (1.0, 1.0, 0), (1.0, 0.5, 1)])
def test_what_was_used_beyond_the_plan_is_marked(used: float, planned: float, over: int) -> None:
    assert len(attributes(bullet(used, planned), "rect", "over")) == over


POINTS = [LinePoint(f"week {n}", n / 10, n / 10 - 0.1, n / 10 + 0.1) for n in range(1, 6)]


def test_a_line_goes_from_one_side_to_the_other_and_up_when_it_gets_better() -> None:
    svg = line(POINTS, 0.6, "bar 60 %", "Five weeks")
    dots = attributes(svg, "circle", "dot")
    across = [float(dot["cx"].rstrip("%")) for dot in dots]
    down = [float(dot["cy"]) for dot in dots]
    assert across == [2.0, 26.0, 50.0, 74.0, 98.0]
    assert down == sorted(down, reverse=True)
    (goal,) = attributes(svg, "line", "goal")
    assert goal["y1"] == goal["y2"] == "82.00"
    (mean,) = attributes(svg, "polyline", "mean")
    assert mean["points"] == "2.00,90.00 26.00,80.00 50.00,70.00 74.00,60.00 98.00,50.00"
    (band,) = attributes(svg, "polygon", "band")
    assert band["points"].split()[0] == "2.00,80.00"
    assert band["points"].split()[-1] == "2.00,100.00"
    assert re.findall(r"<text [^>]*>([^<]*)</text>", svg) == [
        *("bar 60 %", "100 %", "0 %"),
        *("week 1", "week 3", "week 5"),
    ]


@pytest.mark.parametrize(
    ("count", "labels", "whiskers"), [(0, 0, 0), (1, 1, 1), (2, 2, 0), (4, 2, 0), (5, 3, 0)]
)
def test_a_line_of_few_points_is_drawn_too(count: int, labels: int, whiskers: int) -> None:
    svg = line(POINTS[:count], 0.6, "bar", "about")
    assert svg.count("<circle") == count
    assert svg.count("<text") - 3 == labels
    assert len(attributes(svg, "line", "span")) == whiskers


def test_no_chart_holds_what_the_content_policy_blocks_or_what_a_text_could_add() -> None:
    evil = '"><script>x</script>'
    drawn = [
        interval(0.1, 0, 1, 0.6, evil),
        bar(0.1, evil, 0.7),
        bullet(1, 0.5),
        line([LinePoint(evil, 0.5, 0.4, 0.6)], 0.6, evil, evil),
    ]
    assert [re.search(r"<script|style=|\son\w+=", svg) for svg in drawn] == [None] * 4


@pytest.mark.parametrize(("share", "text"), [(0, "0"), (0.004, "0"), (0.005, "1"), (0.415, "42"), (1, "100")])
def test_percents_are_rounded_half_up(share: float, text: str) -> None:
    assert percent_text(share) == f"{text}\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("probability", "text"), [(0.924, "92"), (0.9949, "99"), (0.995, "more than 99"), (1, "more than 99")]
)
def test_nothing_is_quite_certain(probability: float, text: str) -> None:
    assert sure_text(probability) == f"{text}\N{NO-BREAK SPACE}%"


def test_a_span_is_one_word() -> None:
    assert span_text(0.31, 0.52) == "31–52\N{NO-BREAK SPACE}%"


def test_templates_have_the_charts_by_name() -> None:
    template = engines["django"].from_string(
        "{% load charts %}{% interval_chart 0.5 0.4 0.6 0.6 %}{% bar_chart 0.5 'hire' 0.7 %}{% bullet_chart 1 0.5 %}"
        "{{ 0.5|percent }}{{ point|span }}"
    )
    drawn = template.render({"point": POINTS[0]})
    assert drawn == interval(0.5, 0.4, 0.6, 0.6) + bar(0.5, "hire", 0.7) + bullet(1, 0.5) + percent_text(
        0.5
    ) + span_text(0, 0.2)
