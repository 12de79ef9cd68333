"""What a drill asks and what it says of its choice. The pool is made of values, so no database is needed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.choices import Level
from prepapp.interviews.drill import SHORTEST, Drill, drill_words, make_drill
from prepapp.interviews.selection import Candidate, FollowUpItem

pytestmark = pytest.mark.embedded

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OCTOBER = datetime(2026, 10, 12, 9, tzinfo=UTC)
UTC_ZONE = ZoneInfo("UTC")
TITLES = {"weak": "GPU memory", "strong": "Ownership", "other": "Kernels"}


def question(number: int, topic: str = "weak", **fields: object) -> Candidate:
    usual = Candidate(
        version_id=1000 + number,
        question_id=number,
        topic=topic,
        level="intermediate",
        kind="concept",
        minutes=5,
    )
    return replace(usual, **fields)  # type: ignore[arg-type]


def drill(
    pool: list[Candidate], strong: tuple[str, ...] = (), seed: int = 1, level: str = "intermediate"
) -> Drill:
    return make_drill(pool, "weak", strong, level, 20, seed)


def asked(found: Drill) -> list[int]:
    return [pick.candidate.question_id for pick in found.picks]


def words(found: Drill) -> str:
    return drill_words(found, TITLES, UTC_ZONE, NOW)


def test_unseen_comes_first_then_what_was_asked_longest_ago() -> None:
    pool = [
        question(1, last_asked_at=NOW - timedelta(days=1)),
        question(2, last_asked_at=OCTOBER),
        question(3, last_asked_at=NOW - timedelta(days=9)),
        question(4, level="senior"),
        question(5),
    ]
    assert asked(drill(pool)) == [5, 4, 2, 3]
    assert drill(pool).minutes == 20


def test_the_level_nearest_to_the_persons_comes_first() -> None:
    pool = [question(n, level=level) for n, level in enumerate(Level.values)]
    assert asked(drill(pool, level="senior"))[0] == 3
    assert asked(drill(pool, level="foundation"))[0] == 0


def test_a_question_that_does_not_fit_any_more_makes_room_for_one_that_does() -> None:
    pool = [
        question(1, minutes=12),
        question(2, minutes=9, last_asked_at=OCTOBER),
        question(3, minutes=8, last_asked_at=NOW),
    ]
    assert asked(drill(pool)) == [1, 3]


def test_one_question_of_the_first_strong_topic_that_has_one_comes_last() -> None:
    pool = [
        *(question(n) for n in range(1, 6)),
        question(7, "strong"),
        question(8, "strong"),
        question(9, "other"),
    ]
    found = drill(pool, ("empty", "strong", "other"))
    assert (found.kept, asked(found)[-1] in {7, 8}, len(found.picks)) == ("strong", True, 4)
    assert {pick.candidate.topic for pick in found.own} == {"weak"}


@pytest.mark.parametrize(
    ("weak", "strong", "kept"),
    [(5, 5, "strong"), (5, 10, "strong"), (5, 11, ""), (15, 5, "strong"), (16, 5, ""), (20, 4, "")],
)
def test_the_strong_topic_never_drives_out_the_weak_one(weak: int, strong: int, kept: str) -> None:
    found = drill([question(1, minutes=weak), question(2, "strong", minutes=strong)], ("strong",))
    assert (found.kept, asked(found)[0]) == (kept, 1)


def test_a_topic_is_not_kept_with_itself() -> None:
    assert drill([question(1), question(2)], ("weak",)).kept == ""


def test_time_that_is_left_goes_to_follow_ups_one_round_after_the_other() -> None:
    parts = tuple(FollowUpItem(n, 3) for n in (1, 2))
    pool = [question(1, follow_ups=parts), question(2, follow_ups=parts[:1], last_asked_at=OCTOBER)]
    found = drill(pool)
    assert [(pick.candidate.question_id, len(pick.follow_ups)) for pick in found.picks] == [(1, 2), (2, 1)]
    assert (found.is_full, found.minutes) == (True, 20)
    assert [pick.slot.follow_ups for pick in found.picks] == [2, 1]


def test_a_later_follow_up_does_not_come_without_the_first() -> None:
    pool = [question(1, minutes=15, follow_ups=(FollowUpItem(1, 6), FollowUpItem(2, 2)))]
    assert drill(pool).picks[0].follow_ups == ()


@pytest.mark.parametrize(
    ("minutes", "is_full", "clock"),
    [([5, 5, 5], False, 15), ([8, 8], False, 16), ([9, 8], True, 20), ([20], True, 20)],
)
def test_the_clock_is_as_long_as_what_there_is(minutes: list[int], is_full: bool, clock: int) -> None:
    found = drill([question(n, minutes=length) for n, length in enumerate(minutes)])
    assert (found.is_full, found.minutes) == (is_full, clock)


@pytest.mark.parametrize("pool", [[], [question(1, "strong")], [question(1, minutes=21)]])
def test_nothing_fitting_is_an_empty_drill(pool: list[Candidate]) -> None:
    assert drill(pool, ("strong",)).picks == ()


@pytest.mark.parametrize(
    ("unseen", "days", "strong", "text"),
    [
        (2, [OCTOBER], True, "Two questions you have not seen on GPU memory, one last asked 12 Oct, and one on Ownership to keep it."),
        (1, [], False, "One question you have not seen on GPU memory."),
        (3, [], True, "Three questions you have not seen on GPU memory, and one on Ownership to keep it."),
        (1, [OCTOBER, NOW], False, "One question you have not seen on GPU memory, and two last asked 12 Oct and 20 Nov."),
        (0, [OCTOBER], False, "One question on GPU memory, last asked 12 Oct."),
        (0, [OCTOBER, OCTOBER], True, "Two questions on GPU memory, last asked 12 Oct, and one on Ownership to keep it."),
        (0, [OCTOBER.replace(year=2025)], False, "One question on GPU memory, last asked 12 Oct 2025."),
    ],
)  # fmt: skip
def test_it_says_how_it_chose(unseen: int, days: list[datetime], strong: bool, text: str) -> None:
    pool = [question(n, minutes=4) for n in range(unseen)]
    pool += [question(10 + n, minutes=4, last_asked_at=day) for n, day in enumerate(days)]
    pool += [question(99, "strong", minutes=4)] if strong else []
    found = drill(pool, ("strong",))
    short = f" The bank has no more on it, so this takes {found.minutes} minutes instead of 20."
    assert words(found) == text + ("" if found.is_full else short)


def test_the_day_is_that_of_the_persons_zone() -> None:
    late = datetime(2026, 10, 12, 23, 30, tzinfo=UTC)
    found = drill([question(1, minutes=18, last_asked_at=late)])
    assert (
        drill_words(found, TITLES, ZoneInfo("Europe/Paris"), NOW)
        == "One question on GPU memory, last asked 13 Oct."
    )


CANDIDATES = st.lists(
    st.builds(
        question,
        st.integers(1, 10**6),
        st.sampled_from(["weak", "strong", "other"]),
        minutes=st.integers(1, 30),
        level=st.sampled_from(Level.values),
        last_asked_at=st.sampled_from([None, OCTOBER, NOW]),
        follow_ups=st.lists(st.integers(1, 6), max_size=3).map(
            lambda lengths: tuple(FollowUpItem(n, length) for n, length in enumerate(lengths))
        ),
    ),
    max_size=12,
    unique_by=lambda candidate: candidate.question_id,
)


@settings(deadline=None)
@given(pool=CANDIDATES, seed=st.integers(0, 99))
def test_whatever_the_bank_holds_a_drill_keeps_its_rules(pool: list[Candidate], seed: int) -> None:
    found = drill(pool, ("strong", "other"), seed)
    total = sum(pick.minutes for pick in found.picks)
    assert total <= found.minutes <= 20
    assert len(asked(found)) == len(set(asked(found)))
    assert [pick.candidate.topic for pick in found.own] == ["weak"] * len(found.own)
    assert bool(found.picks) == any(each.topic == "weak" and each.minutes <= 20 for each in pool)
    assert found == drill(list(reversed(pool)), ("strong", "other"), seed)
    if found.picks:
        assert found.is_full == (20 - total < SHORTEST)
        assert words(found).startswith(
            ("One ", "Two ", "Three ", "Four ", "Five ", "1", "2", "6", "7", "8", "9")
        )
        unseen = {each.question_id for each in pool if each.topic == "weak" and each.last_asked_at is None}
        room = 20 - sum(pick.candidate.minutes for pick in found.picks)
        left_out = [each for each in pool if each.question_id in unseen - set(asked(found))]
        assert [each for each in left_out if each.minutes <= room] == []
