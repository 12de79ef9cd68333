"""Notes for graders become rubric points, and nothing they say is lost or made up."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.transfer.rubric_text import lines_of, paragraphs_of, points_of

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=20
).filter(
    lambda text: not text[0].isdigit() and text[0] not in "([" and text[-1] not in ")]" and ":" not in text
)
POINTS = st.fixed_dictionaries(
    {"weight": st.integers(1, 100), "criterion": WORDS},
    optional={"must": st.just(True), "met": WORDS, "partial": WORDS},
)


@pytest.mark.parametrize(
    ("paragraph", "point"),
    [
        ("1 point: SYN", {"weight": 1, "criterion": "SYN"}),
        ("2 points: doubling per round trip", {"weight": 2, "criterion": "doubling per round trip"}),
        ("2 points, must have: says why", {"weight": 2, "must": True, "criterion": "says why"}),
        ("1,5 pts - half", {"weight": 1.5, "criterion": "half"}),
        ("0.5 | half", {"weight": 0.5, "criterion": "half"}),
        ("(2 marks) says why", {"weight": 2, "criterion": "says why"}),
        ("says why (2 points)", {"weight": 2, "criterion": "says why"}),
        ("2p. – says why", {"weight": 2, "criterion": "says why"}),
        ("2 points:   says\twhy ", {"weight": 2, "criterion": "  says\twhy "}),
        ("says why", {"criterion": "says why"}),
        ("2 ways to do it", {"criterion": "2 ways to do it"}),
        ("2 points of failure: both named", {"criterion": "2 points of failure: both named"}),
        ("1: first", {"criterion": "1: first"}),
        ("[2] second", {"criterion": "[2] second"}),
        ("0 points: nothing", {"criterion": "0 points: nothing"}),
        ("999 points: too many", {"criterion": "999 points: too many"}),
        ("2 points:", {"criterion": "2 points:"}),
        ("(2 points)", {"criterion": "(2 points)"}),
        ("10:30 is the time", {"criterion": "10:30 is the time"}),
        (
            "1 point: SYN\nsaid aloud\nMet: names it\nat once\nPartial: a flag",
            {"weight": 1, "criterion": "SYN\nsaid aloud", "met": "names it\nat once", "partial": "a flag"},
        ),
    ],
)
def test_a_paragraph_is_a_point(paragraph: str, point: dict[str, Any]) -> None:
    assert points_of([paragraph]) == [{"id": "r1", **point}]


def test_points_are_numbered_and_blank_paragraphs_are_none() -> None:
    assert points_of(["a", " ", "b"]) == [{"id": "r1", "criterion": "a"}, {"id": "r2", "criterion": "b"}]


def test_plain_text_has_a_paragraph_for_each_line_with_what_is_indented_below() -> None:
    text = "\n1 point: SYN\r\n  Met: names it\n\n\t Partial: a flag\nACK\n"

    assert paragraphs_of(text) == ["1 point: SYN\nMet: names it\nPartial: a flag", "ACK"]


@settings(deadline=None)
@given(st.lists(POINTS, max_size=4))
def test_points_come_back_as_they_were_written(points: list[dict[str, Any]]) -> None:
    # Where no point is a must, the text cannot say that each is none.
    said = {"must": False} if any("must" in point for point in points) else {}
    numbered = [{"id": f"r{number}", **said, **point} for number, point in enumerate(points, 1)]

    assert points_of("\n".join(lines_of(point)) for point in points) == numbered


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_text_is_lost_and_none_stops_the_reader(text: str) -> None:
    for paragraph in paragraphs_of(text):
        [point] = points_of([paragraph])
        assert "weight" in point or point["criterion"].split() or "met" in point or "partial" in point
