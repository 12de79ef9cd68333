"""Where people stand: estimates by topic, their order, and what is not measured."""

from datetime import date, timedelta

import pytest

from prepapp.reports import mastery
from prepapp.reports.choices import Standing
from prepapp.reports.mastery import Constants, Tally, estimates
from prepapp.reports.models import TopicWeek, TrackRate
from prepapp.reports.queries.standings import standings, standings_of, track_rates
from tests.factories.bank import TopicFactory, TrackFactory
from tests.factories.interviews import STARTED_AT, CandidateFactory

pytestmark = pytest.mark.django_db
RULE = Constants()
NOW = STARTED_AT
MONDAY = date(2026, 11, 9)


def keep(user, topic, trials, successes, answers, *, week_start=MONDAY, at=NOW):
    """Evidence that weighs `trials` at `at`."""
    forward = mastery.forward_weight(at, RULE)
    TopicWeek.objects.create(
        user=user,
        topic=topic,
        week_start=week_start,
        answers=answers,
        trials=trials * forward,
        successes=successes * forward,
    )


def test_an_estimate_is_drawn_towards_the_persons_own_rate():
    track = TrackFactory()
    user = CandidateFactory(track=track.code)
    one, other = TopicFactory(track=track), TopicFactory(track=track)
    keep(user, one, 10, 4, 6)
    keep(user, other, 6, 6, 4)
    found = standings(user, NOW)
    rate = (8 * 0.6 + 10) / (8 + 16)
    assert found.rate == pytest.approx(rate)
    right = estimates([Tally(10, 4, 6), Tally(6, 6, 4)], [rate, rate], RULE)
    by_topic = {row.topic: row.estimate for row in found.measured}
    for topic, expected in zip((one.code, other.code), right, strict=True):
        assert by_topic[topic].mean == pytest.approx(expected.mean)
        assert by_topic[topic].p_weak == pytest.approx(expected.p_weak)


def test_weeks_add_up_and_age():
    user, topic = CandidateFactory(), TopicFactory()
    keep(user, topic, 4, 2, 3, week_start=MONDAY - timedelta(days=7))
    keep(user, topic, 4, 0, 2)
    found = standings(user, NOW + timedelta(days=45)).measured[0].estimate
    rate = (8 * 0.6 + 1) / (8 + 4)
    assert (found.answers, found.mean) == (5, pytest.approx((rate * 8 + 1) / (8 + 4)))


def test_few_answers_decide_nothing():
    """Three topics of which the lowest was answered once: the one with twelve answers comes first."""
    track = TrackFactory()
    user = CandidateFactory(track=track.code)
    graphs, trees, heaps = (TopicFactory(track=track, title=name) for name in ("Graphs", "Trees", "Heaps"))
    # One answer of 3 points, 12 and 6 answers of 4 and 4: 1.5, 12 × 1.6 and 6 × 1.6 trials.
    keep(user, graphs, 1.5, 0, 1)
    keep(user, trees, 19.2, 19.2 * 20 / 48, 12)
    keep(user, heaps, 9.6, 9.6 * 18 / 24, 6)
    found = standings(user, NOW)
    assert [(row.title, row.standing, row.estimate.answers) for row in found.measured] == [
        ("Trees", Standing.WEAK, 12),
        ("Graphs", Standing.UNSURE, 1),
        ("Heaps", Standing.UNSURE, 6),
    ]
    assert [row.title for row in found.weak] == ["Trees"]


def test_need_weighs_a_topic_by_its_track_and_ties_go_by_title():
    track, elsewhere = TrackFactory(), TrackFactory()
    user = CandidateFactory(track=track.code)
    heavy = TopicFactory(track=track, title="Heavy")
    light = TopicFactory(track=elsewhere, title="Light", shared={track: 0.5})
    light_too = TopicFactory(track=elsewhere, title="Also light", shared={track: 0.5})
    outside = TopicFactory(track=elsewhere, title="Outside")
    for topic in (heavy, light, light_too, outside):
        keep(user, topic, 5, 1, 4)
    found = standings(user, NOW)
    assert [(row.title, row.weight) for row in found.measured] == [
        ("Heavy", 1.0),
        ("Also light", 0.5),
        ("Light", 0.5),
        ("Outside", 0.0),
    ]
    assert found.measured[0].need == pytest.approx(found.measured[0].estimate.p_weak)


def test_what_was_never_asked_is_not_measured_and_never_weak():
    track = TrackFactory()
    user = CandidateFactory(track=track.code)
    asked = TopicFactory(track=track, title="Asked")
    TopicFactory(track=track, title="B")
    TopicFactory(track=track, title="A")
    TopicFactory(title="Elsewhere")
    keep(user, asked, 9, 0, 5)
    found = standings(user, NOW)
    assert [title for _, title in found.unmeasured] == ["A", "B"]
    assert [row.title for row in found.weak] == ["Asked"]


def test_without_a_track_every_topic_weighs_the_same():
    user = CandidateFactory()
    keep(user, TopicFactory(), 5, 1, 4)
    found = standings(user, NOW)
    assert [row.weight for row in found.measured] == [1.0]
    assert found.unmeasured == []


def test_somebody_without_answers_has_a_rate_and_no_topics():
    found = standings(CandidateFactory(), NOW)
    assert (found.measured, found.rate) == ([], pytest.approx(0.6))


def test_the_week_before_is_estimated_as_it_stood_then():
    user, topic, fresh = CandidateFactory(), TopicFactory(), TopicFactory()
    keep(user, topic, 4, 1, 3, week_start=MONDAY - timedelta(days=7), at=NOW - timedelta(days=7))
    keep(user, topic, 6, 6, 4)
    keep(user, fresh, 2, 2, 3)
    found = {row.topic: row for row in standings_of([user], NOW, since=MONDAY)[user.pk].measured}
    before = found[topic.code].before
    rate = (8 * 0.6 + 1) / (8 + 4)
    assert (before.answers, before.mean) == (3, pytest.approx((8 * rate + 1) / 12))
    assert found[topic.code].estimate.answers == 7
    assert found[fresh.code].before is None
    assert standings(user, NOW).measured[0].before is None


def test_the_rate_of_a_track_starts_at_the_bar_and_ages():
    known, unknown = TrackFactory(), TrackFactory()
    TrackRate.objects.create(track=known, trials=16, successes=16, reckoned_at=NOW)
    rates = track_rates(NOW + timedelta(days=45))
    aged = (8 * 0.6 + 8) / (8 + 8)
    assert rates == {known.code: pytest.approx(aged), "": pytest.approx(aged)}
    assert unknown.code not in rates


@pytest.mark.parametrize("people", [1, 3])
@pytest.mark.parametrize("topics", [1, 4])
def test_standings_are_three_queries(django_assert_num_queries, people, topics):
    users = [CandidateFactory() for _ in range(people)]
    for user in users:
        for _ in range(topics):
            keep(user, TopicFactory(), 5, 1, 4)
    with django_assert_num_queries(3):
        found = standings_of(users, NOW, since=MONDAY)
    assert [len(found[user.pk].measured) for user in users] == [topics] * people
