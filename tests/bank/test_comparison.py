"""What differs between two documents: every change, once, under a name a reader knows, and nothing else."""

from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from prepapp.bank.comparison import FieldChange, Span, compare, difference

pytestmark = pytest.mark.embedded

POINT = {"id": "r1", "weight": 2, "must": True, "criterion": "Names the cap", "met": "a cap", "partial": "x"}
DOCUMENT: dict[str, Any] = {
    "title": "A slow cache",
    "prompt": "Why does it wait?",
    "minutes": 5,
    "tags": ["cache", "queue"],
    "rubric": [POINT, {**POINT, "id": "r2", "criterion": "States the cost"}],
    "followups": [{"id": "f1", "minutes": 2, "prompt": "And then?", "answer": "It ends.", "rubric": [POINT]}],
    "pitfalls": ["One.", "Two."],
    "references": [{"title": "A paper", "url": "https://example.test/a", "supports": ["r1"]}],
    "code": {"language": "python", "timeout_s": 5, "solution": "a = 1", "check": "pass", "wrong": ["a = 2"]},
    "review": {"recheck_months": 12},
}


def labels(changes: list[FieldChange]) -> list[str]:
    return [change.label for change in changes]


def test_equal_documents_do_not_differ() -> None:
    assert compare(DOCUMENT, {**DOCUMENT, "prompt": "Why does it wait? \n"}) == []


@pytest.mark.parametrize(
    ("changes", "label", "old", "new"),
    [
        ({"title": "A slow queue"}, "Title", "A slow cache", "A slow queue"),
        ({"minutes": 6}, "Minutes", "5", "6"),
        ({"tags": ["cache"]}, "Tags", "cache, queue", "cache"),
        ({"context": "One server."}, "Context", "", "One server."),
        ({"pitfalls": ["One."]}, "Pitfalls", "One.\n\nTwo.", "One."),
        ({"review": {"recheck_months": 6}}, "Review: months until the next check", "12", "6"),
        ({"code": {**DOCUMENT["code"], "wrong": []}}, "Code: wrong answers", "a = 2", ""),
        ({"unheard": [1]}, "unheard", "", "[1]"),
        ({"category": ["A", "B"]}, "Category of the file", "", "A, B"),
        (
            {"references": []},
            "References",
            "A paper\nhttps://example.test/a\nSupports r1",
            "",
        ),
        (
            {"rubric": [{**POINT, "weight": 3, "must": False}, DOCUMENT["rubric"][1]]},
            "Point r1",
            "Names the cap\nMet: a cap\nHalf: x\n2 of 10, must-have",
            "Names the cap\nMet: a cap\nHalf: x\n3 of 10",
        ),
        (
            {"followups": [{**DOCUMENT["followups"][0], "answer": "It does not."}]},
            "Follow-up f1: answer",
            "It ends.",
            "It does not.",
        ),
        (
            {"followups": [{**DOCUMENT["followups"][0], "rubric": []}]},
            "Follow-up f1, point r1",
            "Names the cap\nMet: a cap\nHalf: x\n2 of 10, must-have",
            "",
        ),
        (
            {"rubric": DOCUMENT["rubric"][::-1]},
            "Order of the points",
            "r1, r2",
            "r2, r1",
        ),
    ],
)
def test_one_change_is_shown_once(changes: dict[str, Any], label: str, old: str, new: str) -> None:
    [change] = compare(DOCUMENT, DOCUMENT | changes)
    assert (change.label, change.old, change.new) == (label, old, new)
    assert change.key in {*changes}


def test_fields_come_in_the_order_of_writing() -> None:
    changed = {**DOCUMENT, "title": "x", "tags": [], "minutes": 9, "prompt": "y"}
    assert labels(compare(DOCUMENT, changed)) == ["Title", "Minutes", "Prompt", "Tags"]


def test_a_point_that_is_new_does_not_move_the_others() -> None:
    new = {**POINT, "id": "r3", "criterion": "Rejects the rest"}
    assert labels(compare(DOCUMENT, {**DOCUMENT, "rubric": [new, *DOCUMENT["rubric"]]})) == ["Point r3"]


def test_words_that_stay_stand_between_those_that_change() -> None:
    assert difference("keep this old phrase here", "keep that old phrase there") == (
        Span("kept", "keep "),
        Span("removed", "this "),
        Span("added", "that "),
        Span("kept", "old phrase "),
        Span("removed", "here"),
        Span("added", "there"),
    )


def test_a_sentence_that_is_added_does_not_change_the_sign_before_it() -> None:
    assert difference("What then?", "What then? Say why.") == (
        Span("kept", "What then?"),
        Span("added", " Say why."),
    )
    assert difference("a b\nc", "a b c") == (
        Span("kept", "a b"),
        Span("removed", "\n"),
        Span("added", " "),
        Span("kept", "c"),
    )


@given(st.text(alphabet="ab .\n\U0001f600é", max_size=60), st.text(alphabet="ab .\n\U0001f600é", max_size=60))
def test_no_character_is_lost_or_invented(old: str, new: str) -> None:
    change = FieldChange("prompt", "Prompt", difference(old, new))
    assert (change.old, change.new) == (old, new)


@pytest.mark.parametrize(
    "broken",
    [
        {"rubric": None, "followups": "x", "code": 3, "pitfalls": None, "review": None},
        {"rubric": ["only text", None, {"id": "r1"}, {"id": "r1"}], "references": [None]},
        {"followups": [{"id": "f1"}, None], "tags": "a, b", "difficulty": []},
    ],
)
def test_an_unfinished_document_can_be_compared(broken: dict[str, Any]) -> None:
    assert compare({}, broken) or compare(broken, DOCUMENT)
    assert compare(broken, broken) == []


def test_texts_made_to_be_slow_are_not() -> None:
    """Nothing but two words of 20,000 characters: to match every one with every other takes minutes."""
    old, new = "a b " * 5_000, "b a " * 5_000
    [change] = compare({"prompt": old}, {"prompt": new})
    assert (change.old, change.new) == (old, new)


def test_the_component_shows_every_sign_as_text() -> None:
    html = render_to_string(
        "components/text_diff.html", {"changes": compare({"title": "<b>x</b>"}, {"title": "<i>x</i>"})}
    )
    assert "<b>" not in html
    assert "<i>" not in html
    assert html.count("<del>") == html.count("<ins>") > 0
