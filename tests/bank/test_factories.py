"""The factories of the bank make complete rows and stay cheap."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from prepapp.bank.choices import Kind
from prepapp.bank.models import Question, RubricPoint
from tests.factories.bank import (
    PackFactory,
    QuestionFactory,
    TopicFactory,
    TrackFactory,
    create_questions,
)

pytestmark = pytest.mark.django_db


def test_a_question_is_published_with_version_points_and_follow_up() -> None:
    question = QuestionFactory(version__title="One", tags=["a"], packs=[PackFactory(slug="p")])
    found = Question.objects.published().with_current().get()
    assert (found, found.current_version.title) == (question, "One")
    weights = list(found.current_version.rubric_points.values_list("key", "weight", "follow_up__key"))
    assert weights == [
        ("r1", 4, None),
        ("f1a", 6, "f1"),
        ("r2", 3, None),
        ("f1b", 4, "f1"),
        ("r3", 3, None),
    ]
    assert list(found.tags.values_list("name", flat=True)) == ["a"]
    assert list(found.packs.values_list("slug", flat=True)) == ["p"]


def test_a_topic_joins_its_track_and_those_it_is_lent_to() -> None:
    gpu, llm = TrackFactory(code="gpu"), TrackFactory(code="llm")
    topic = TopicFactory(track=gpu, shared={llm: 0.5})
    assert topic.code.startswith("gpu.")
    question = QuestionFactory(topic=topic)
    assert [Question.objects.in_track(code).get() for code in ("gpu", "llm")] == [
        question,
        question,
    ]


def test_a_question_without_version_is_not_published() -> None:
    QuestionFactory(version=False)
    assert not Question.objects.published().exists()


def test_many_questions_cost_the_same_queries() -> None:
    topic = TopicFactory()
    for count in (1, 12):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            made = create_questions(count, topic=topic, kind=lambda i: [Kind.CONCEPT, Kind.DESIGN][i % 2])
        writes = [query for query in queries if query["sql"].startswith(("INSERT", "UPDATE"))]
        assert (len(made), len(writes)) == (count, 5)
    assert RubricPoint.objects.count() == 13 * 5
