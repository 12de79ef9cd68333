"""What is counted while somebody writes."""

import pytest

from prepapp.bank.measures import measures

pytestmark = pytest.mark.embedded

POINT = {"id": "r1", "weight": 3}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, {}),
        ({"prompt": "one two"}, {"prompt": "2 words of 20 to 90"}),
        ({"context": "one"}, {"context": "1 word of at most 80"}),
        ({"prompt": "a\n```\nnot counted\n```\n"}, {"prompt": "1 word of 20 to 90"}),
        ({"kind": "design"}, {"minutes": "design takes 8-12 or 50"}),
        ({"model_answer": "a b"}, {"model_answer": "2 words"}),
        (
            {"model_answer": "a b", "kind": "concept", "minutes": 5},
            {"minutes": "concept takes 4-6", "model_answer": "2 words of 50 to 125"},
        ),
        ({"rubric": [POINT, POINT]}, {"rubric": "weights 6 of 10"}),
        ({"rubric": [POINT], "minutes": 5}, {"rubric": "weights 3 of 10 · 1 point, 8 fit 5 min"}),
        ({"rubric": ["x", {"weight": "two"}]}, {"rubric": "weights 0 of 10"}),
        ({"pitfalls": ["a b c"]}, {"pitfalls[0]": "3 words of at most 25"}),
        (
            {"followups": ["x", {"answer": "a", "minutes": 2, "rubric": [POINT]}]},
            {
                "followups[1].answer": "1 word of 20 to 80",
                "followups[1].rubric": "weights 3 of 10 · 1 point, 3 fit 2 min",
            },
        ),
    ],
)
def test_counts(document: dict[str, object], said: dict[str, str]) -> None:
    assert measures(document) == said
