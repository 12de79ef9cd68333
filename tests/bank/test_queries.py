"""What the front page and the browser read: counts, the question of the day, choices."""

from datetime import date, timedelta

import pytest

from prepapp.bank.choices import Status
from prepapp.bank.queries import TrackSize, filter_choices, sample_question, tracks_with_counts
from tests.factories.bank import PackFactory, QuestionFactory, TopicFactory, TrackFactory, create_questions

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 30)


def test_tracks_count_published_questions_and_topics_that_have_some(django_assert_num_queries) -> None:
    gpu, llm = (
        TrackFactory(code="gpu", title="GPU", position=1),
        TrackFactory(code="llm", title="LLM", position=2),
    )
    TrackFactory(code="rai", title="Responsible", position=3)
    memory, lent = TopicFactory(track=gpu), TopicFactory(track=gpu, shared={llm: 0.5})
    TopicFactory(track=llm)
    create_questions(3, topic=memory)
    create_questions(2, topic=lent)
    create_questions(1, topic=TopicFactory(track=gpu), status=Status.DRAFT)
    QuestionFactory(topic=memory, version=False)
    with django_assert_num_queries(1):
        assert tracks_with_counts() == [
            TrackSize("gpu", "GPU", 5, 2),
            TrackSize("llm", "LLM", 2, 1),
            TrackSize("rai", "Responsible", 0, 0),
        ]


def test_the_sample_changes_by_day_and_stays_within_one() -> None:
    made = create_questions(3)
    seen = [sample_question(DAY + timedelta(days=n)) for n in range(6)]
    assert seen[:3] == seen[3:]
    assert set(seen) == set(made)
    assert sample_question(DAY) == sample_question(DAY)


def test_the_sample_brings_its_points_along(django_assert_num_queries) -> None:
    create_questions(3)
    with django_assert_num_queries(3):
        question = sample_question(DAY)
        assert question
        points = [(point.key, point.weight) for point in question.current_version.main_points]
        assert (points, bool(question.topic.title)) == ([("r1", 4), ("r2", 3), ("r3", 3)], True)


def test_no_sample_without_a_fitting_question() -> None:
    QuestionFactory(version__points=[(10, True)])
    QuestionFactory(status=Status.RETIRED)
    QuestionFactory(version=False)
    assert sample_question(DAY) is None


def test_choices_group_topics_by_home_track(django_assert_num_queries) -> None:
    gpu, llm = (
        TrackFactory(code="gpu", title="GPU", position=2),
        TrackFactory(code="llm", title="LLM", position=1),
    )
    TopicFactory(code="gpu.b", title="B", position=2, shared={llm: 0.5})
    TopicFactory(code="gpu.a", title="A", position=1)
    TopicFactory(code="llm.c", title="C", position=3)
    PackFactory(slug="p", title="Pack", disclaimer="No claim.")
    with django_assert_num_queries(2):
        choices = filter_choices()
    assert choices.tracks == [("llm", "LLM"), ("gpu", "GPU")]
    assert choices.topics == [("LLM", [("llm.c", "C")]), ("GPU", [("gpu.a", "A"), ("gpu.b", "B")])]
    assert (choices.packs, choices.disclaimers) == ([("p", "Pack")], {"p": "No claim."})
    assert gpu
