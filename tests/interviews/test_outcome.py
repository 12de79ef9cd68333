"""Which topic a result sends one to next."""

from fractions import Fraction

import pytest

from prepapp.bank.models import Question, QuestionVersion
from prepapp.interviews.gradebook.outcome import Group, MissedMust, weakest
from prepapp.interviews.gradebook.rows import Answer
from prepapp.interviews.models import Response

LOW, HIGH, BEST = (
    Group(name, name.title(), 2, Fraction(score)) for name, score in (("low", 6), ("high", 9), ("best", 10))
)
NONE = Group("none", "None", 1, None)


def missed(topic: str) -> MissedMust:
    version = QuestionVersion(question=Question(topic_id=topic))
    return MissedMust(Answer(Response(version=version), "1", None, ()), [])


@pytest.mark.parametrize(
    ("groups", "topics", "expected"),
    [
        ([LOW, HIGH, BEST], [], ("low", False)),
        ([HIGH, BEST], [], None),
        ([HIGH, BEST], ["high"], ("high", True)),
        ([LOW, HIGH, BEST], ["best"], ("best", True)),
        ([LOW, HIGH, BEST], ["best", "high"], ("high", True)),
        ([LOW, NONE], ["none"], ("low", False)),
        ([], ["low"], None),
    ],
)
def test_a_missed_must_have_comes_first(
    groups: list[Group], topics: list[str], expected: tuple[str, bool] | None
) -> None:
    """Its score may read strong, for a must-have caps the band of an answer and not the number."""
    found = weakest(groups, [missed(topic) for topic in topics])
    assert (found and (found.key, found.misses_must)) == expected
