"""The lists of tracks and topics hang together."""

from collections import Counter

from prepapp.bank.taxonomy import SHARED, TOPICS, TRACKS

CODES = [topic.code for topic in TOPICS]


def test_eleven_tracks_hold_ninety_two_topics() -> None:
    homes = Counter(topic.home for topic in TOPICS)

    assert len(TRACKS) == 11
    assert len(set(CODES)) == len(CODES) == 92
    assert [(track.code, homes[track.code]) for track in TRACKS] == [
        ("mle", 16),
        ("gpu", 10),
        ("llm", 9),
        ("ds", 7),
        ("swe", 9),
        ("sys", 7),
        ("sre", 8),
        ("dbe", 7),
        ("de", 6),
        ("beh", 8),
        ("rai", 5),
    ]


def test_a_topic_weighs_full_at_home_and_less_elsewhere() -> None:
    numerics = next(topic for topic in TOPICS if topic.code == "gpu.numerics")

    assert numerics.tracks == (("gpu", 1.0), ("mle", 0.5), ("llm", 0.5))
    for track, topics in SHARED.items():
        for code, weight in topics.items():
            assert code in CODES, code
            assert not code.startswith(f"{track}."), code
            assert 0 < weight < 1, code


def test_titles_and_spans_say_something_and_fit_their_columns() -> None:
    assert len({topic.title for topic in TOPICS if topic.home != "ds"}) == len(TOPICS) - 7
    for topic in TOPICS:
        assert 3 <= len(topic.title) <= 40, topic.code
        assert 20 <= len(topic.span) <= 100, topic.code
