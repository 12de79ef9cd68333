"""Which questions are chosen. The pool is made of values, so nothing here needs a database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prepapp.bank.choices import Kind, Level
from prepapp.interviews.selection import (
    Candidate,
    FollowUpItem,
    Selection,
    Slot,
    custom_slots,
    fits,
    join_pools,
    select,
    wanted_level,
)

ANY = tuple(Kind.values)
ASKED = datetime(2026, 11, 1, tzinfo=UTC)


def question(number: int, **fields: object) -> Candidate:
    usual = Candidate(
        version_id=1000 + number,
        question_id=number,
        topic=f"topic{number}",
        level="intermediate",
        kind="concept",
        minutes=5,
    )
    return replace(usual, **fields)  # type: ignore[arg-type]


def chosen(selection: Selection) -> list[int]:
    return [pick.candidate.question_id for pick in selection.picks]


@pytest.mark.parametrize(
    ("level", "offset", "wanted"),
    [
        ("foundation", -1, "foundation"),
        ("foundation", 1, "intermediate"),
        ("intermediate", 0, "intermediate"),
        ("advanced", -3, "foundation"),
        ("advanced", 1, "senior"),
        ("senior", 1, "senior"),
        ("senior", -9, "foundation"),
    ],
)
def test_level_offsets_stay_on_the_scale(level: str, offset: int, wanted: str) -> None:
    assert wanted_level(level, offset) == wanted


@pytest.mark.parametrize(
    ("slot", "candidate", "fitting"),
    [
        (Slot(("concept",), 5), question(1), True),
        (Slot(("concept",), 4), question(1), False),
        (Slot(("design",), 5), question(1), False),
        (Slot(("concept",), 9, min_minutes=5), question(1), True),
        (Slot(("concept",), 9, min_minutes=6), question(1), False),
        (Slot(("concept",), 5, follow_ups=1), question(1), False),
        (Slot(("concept",), 5, follow_ups=1), question(1, follow_ups=(FollowUpItem(1, 3),)), True),
        (Slot(("concept",), 3, follow_up_only=True), question(1, follow_ups=(FollowUpItem(1, 3),)), True),
        (Slot(("concept",), 2, follow_up_only=True), question(1, follow_ups=(FollowUpItem(1, 3),)), False),
        (Slot(("concept",), 3, follow_up_only=True), question(1), False),
        (Slot(("concept",), 5, track="gpu"), question(1, track="gpu"), True),
        (Slot(("concept",), 5, track="gpu"), question(1, track="swe"), False),
        (Slot(("concept",), 5), question(1, track="swe"), True),
        (Slot(("concept",), 5, topics=("a.b",)), question(1, topic="a.b"), True),
        (Slot(("concept",), 5, topics=("a.b",)), question(1, topic="a.c"), False),
    ],
)
def test_fits(slot: Slot, candidate: Candidate, fitting: bool) -> None:
    assert fits(slot, candidate) is fitting


def test_rounds_of_two_tracks_draw_from_their_own_and_ask_a_lent_question_once() -> None:
    lent = question(1)
    pools = {"gpu": [lent, question(2)], "swe": [lent]}
    assert join_pools(pools, ["gpu"]) == [lent, question(2)]

    both = join_pools(pools, ["gpu", "swe"])
    slots = [Slot(("concept",), 5, track="gpu"), Slot(("concept",), 5, track="swe")]

    picked = [
        (pick.candidate.question_id, pick.candidate.track)
        for pick in select(both, slots, "advanced", 0).picks
    ]
    assert picked == [(2, "gpu"), (1, "swe")]


def test_never_asked_comes_before_asked_and_old_before_new() -> None:
    pool = [
        question(1, last_asked_at=ASKED),
        question(2, last_asked_at=ASKED - timedelta(days=9)),
        question(3),
        question(4, last_asked_at=ASKED - timedelta(days=1)),
    ]
    order = []
    while pool:
        taken = chosen(select(pool, [Slot(ANY, 10)], "intermediate", 7))
        order += taken
        pool = [candidate for candidate in pool if candidate.question_id not in taken]
    assert order == [3, 2, 4, 1]


def test_exact_level_comes_before_the_oldest() -> None:
    pool = [
        question(1, level="advanced", last_asked_at=ASKED - timedelta(days=90)),
        question(2, last_asked_at=ASKED),
    ]
    assert chosen(select(pool, [Slot(ANY, 10)], "intermediate", 7)) == [2]


def test_unseen_one_level_off_comes_before_seen_at_the_level() -> None:
    pool = [question(1, last_asked_at=ASKED), question(2, level="advanced")]
    assert chosen(select(pool, [Slot(ANY, 10)], "intermediate", 7)) == [2]


def test_two_levels_off_comes_last() -> None:
    pool = [question(1, level="senior"), question(2, level="foundation", last_asked_at=ASKED)]
    assert chosen(select(pool, [Slot(ANY, 10)], "intermediate", 7)) == [2]


def test_topics_are_mixed_before_one_is_repeated() -> None:
    pool = [question(n, topic="a") for n in range(6)] + [question(9, topic="b", last_asked_at=ASKED)]
    selection = select(pool, [Slot(ANY, 10)] * 3, "intermediate", 7)
    assert sorted(pick.candidate.topic for pick in selection.picks) == ["a", "a", "b"]


def test_level_offset_of_a_slot_moves_its_goal() -> None:
    pool = [question(n, level=level) for n, level in enumerate(Level.values)]
    slots = [Slot(ANY, 10, level_offset=offset) for offset in (-1, 0, 1)]
    selection = select(pool, slots, "intermediate", 7)
    assert [pick.candidate.level for pick in selection.picks] == ["foundation", "intermediate", "advanced"]


def test_a_broad_slot_does_not_starve_a_narrow_one() -> None:
    pool = [question(1, kind="design"), question(2, last_asked_at=ASKED)]
    selection = select(pool, [Slot(ANY, 10), Slot(("design",), 10)], "intermediate", 7)
    assert chosen(selection) == [2, 1]


def test_a_slot_takes_over_a_question_whose_holder_can_do_with_another() -> None:
    """Three slots of two questions each: whoever chooses first may take the one the last needs."""
    pool = [question(1, kind="concept"), question(2, kind="debugging"), question(3, kind="design")]
    slots = [
        Slot(pair, 10) for pair in (("concept", "debugging"), ("debugging", "design"), ("concept", "design"))
    ]
    assert [sorted(chosen(select(pool, slots, "intermediate", seed))) for seed in range(40)] == [
        [1, 2, 3]
    ] * 40


def test_unfilled_slots_are_named_and_the_rest_is_filled() -> None:
    slots = [Slot(("sql",), 10), Slot(("concept",), 10), Slot(("concept",), 10)]
    selection = select([question(1)], slots, "intermediate", 7)
    assert chosen(selection) == [1]
    assert selection.is_complete is False
    assert selection.unfilled == (slots[0], slots[2])


def test_follow_ups_are_the_first_of_the_question_and_count_in_the_minutes() -> None:
    items = (FollowUpItem(11, 3), FollowUpItem(12, 4))
    pick = select([question(1, follow_ups=items)], [Slot(ANY, 10, follow_ups=1)], "intermediate", 7).picks[0]
    assert pick.follow_ups == items[:1]
    assert pick.minutes == 5 + 3


def test_follow_up_only_takes_one_that_fits_and_not_the_main_minutes() -> None:
    items = (FollowUpItem(11, 9), FollowUpItem(12, 3))
    selection = select(
        [question(1, minutes=30, follow_ups=items)], [Slot(ANY, 3, follow_up_only=True)], "intermediate", 7
    )
    assert selection.picks[0].follow_ups == items[1:]
    assert selection.minutes == 3


@pytest.mark.parametrize(("count", "minutes", "share"), [(3, 20, 6), (1, 4, 4), (20, 80, 4), (20, 7, 1)])
def test_custom_slots_share_the_minutes(count: int, minutes: int, share: int) -> None:
    assert custom_slots(count, minutes) == [Slot(kinds=ANY, minutes=share)] * count


# --- properties -----------------------------------------------------------------------------------

KINDS = ("concept", "debugging", "design")
FOLLOW_UPS = st.lists(st.integers(1, 6), max_size=3)


@st.composite
def pools(draw: st.DrawFn, most: int = 12) -> list[Candidate]:
    found = []
    for number in range(draw(st.integers(0, most))):
        parts = draw(FOLLOW_UPS)
        found.append(
            question(
                number,
                topic=draw(st.sampled_from("abc")),
                level=draw(st.sampled_from(Level.values)),
                kind=draw(st.sampled_from(KINDS)),
                minutes=draw(st.integers(1, 12)),
                follow_ups=tuple(FollowUpItem(number * 10 + n, m) for n, m in enumerate(parts)),
                last_asked_at=draw(
                    st.none() | st.integers(0, 9).map(lambda day: ASKED - timedelta(days=day))
                ),
            )
        )
    return found


@st.composite
def slot_lists(draw: st.DrawFn, most: int = 6) -> list[Slot]:
    return [
        Slot(
            kinds=tuple(draw(st.sets(st.sampled_from(KINDS), min_size=1))),
            minutes=draw(st.integers(1, 12)),
            min_minutes=draw(st.integers(0, 4)),
            level_offset=draw(st.integers(-5, 5)),
            follow_ups=draw(st.integers(0, 2)),
            follow_up_only=draw(st.booleans()),
        )
        for _ in range(draw(st.integers(1, most)))
    ]


levels = st.sampled_from(Level.values)
seeds = st.integers(0, 2**62 - 1)


@given(pool=pools(), slots=slot_lists(), level=levels, seed=seeds, shuffle=st.randoms(use_true_random=False))
@settings(deadline=None)
def test_same_seed_gives_the_same_interview_in_whatever_order_the_pool_comes(
    pool: list[Candidate], slots: list[Slot], level: str, seed: int, shuffle: object
) -> None:
    first = select(pool, slots, level, seed)
    other = list(pool)
    shuffle.shuffle(other)  # type: ignore[attr-defined]
    assert select(other, slots, level, seed) == first


@given(pool=pools(), slots=slot_lists(), level=levels, seed=seeds)
@settings(deadline=None)
def test_every_pick_keeps_the_rules_of_its_slot(
    pool: list[Candidate], slots: list[Slot], level: str, seed: int
) -> None:
    selection = select(pool, slots, level, seed)
    assert len(set(chosen(selection))) == len(selection.picks)
    assert len(selection.picks) + len(selection.unfilled) == len(slots)
    left = list(selection.unfilled)
    assert [slot for slot in slots if slot not in left] == [
        pick.slot for pick in selection.picks if pick.slot not in left
    ]
    for pick in selection.picks:
        assert pick.candidate.kind in pick.slot.kinds
        if pick.slot.follow_up_only:
            assert [item.minutes <= pick.slot.minutes for item in pick.follow_ups] == [True]
            assert set(pick.follow_ups) <= set(pick.candidate.follow_ups)
        else:
            assert pick.slot.min_minutes <= pick.candidate.minutes <= pick.slot.minutes
            assert pick.follow_ups == pick.candidate.follow_ups[: pick.slot.follow_ups]
            assert len(pick.follow_ups) == pick.slot.follow_ups


def most_fillable(pool: list[Candidate], slots: list[Slot]) -> int:
    """The greatest number of slots that can be filled at once, by trying everything."""
    if not slots:
        return 0
    best = most_fillable(pool, slots[1:])
    for place, candidate in enumerate(pool):
        if fits(slots[0], candidate):
            best = max(best, 1 + most_fillable(pool[:place] + pool[place + 1 :], slots[1:]))
    return best


@given(pool=pools(most=5), slots=slot_lists(most=4), level=levels, seed=seeds)
@settings(deadline=None, max_examples=200)
def test_no_slot_stays_empty_that_could_be_filled(
    pool: list[Candidate], slots: list[Slot], level: str, seed: int
) -> None:
    assert len(select(pool, slots, level, seed).picks) == most_fillable(pool, slots)


@given(
    slots=st.permutations([Slot(kinds, 9) for kinds in (KINDS[:2], KINDS[1:], KINDS[::2])]),
    kinds=st.permutations(KINDS) | st.lists(st.sampled_from(KINDS), max_size=4),
    level=levels,
    seed=seeds,
)
@settings(deadline=None, max_examples=200)
def test_scarce_questions_go_round_the_slots_that_share_them(
    slots: list[Slot], kinds: list[str], level: str, seed: int
) -> None:
    """As many slots are filled as any exchange of questions between them could fill."""
    pool = [question(number, kind=kind) for number, kind in enumerate(kinds)]
    assert len(select(pool, slots, level, seed).picks) == most_fillable(pool, slots)


@given(pool=pools(), level=levels, seed=seeds)
@settings(deadline=None)
def test_one_place_goes_to_the_unseen_within_a_level(pool: list[Candidate], level: str, seed: int) -> None:
    """With one slot: nothing seen is taken while something unseen is as near in level."""
    selection = select(pool, [Slot(ANY, 12)], level, seed)

    def far(candidate: Candidate) -> int:
        return max(abs(Level.values.index(candidate.level) - Level.values.index(level)) - 1, 0)

    for pick in selection.picks:
        nearest = min(far(candidate) for candidate in pool)
        assert far(pick.candidate) == nearest
        unseen = [c for c in pool if far(c) == nearest and c.last_asked_at is None]
        assert (pick.candidate in unseen) == bool(unseen)


@given(seed=seeds)
def test_chance_reaches_every_question(seed: int) -> None:
    """The draw is not always the first of the pool: eight seeds in a row never agree."""
    pool = [question(n) for n in range(30)]
    drawn = {chosen(select(pool, [Slot(ANY, 10)], "intermediate", seed + n))[0] for n in range(8)}
    assert len(drawn) > 1


def test_a_pinned_question_goes_first_until_it_has_been_asked() -> None:
    """Before a fresh topic and the exact level, not before a level that fits; once asked it is one of many."""
    pool = [question(n) for n in range(5)] + [question(9, is_pinned=True, level="advanced", topic="topic1")]
    for seed in range(20):
        slots = [Slot(ANY, 10), Slot(ANY, 10)]
        assert 9 in chosen(select(pool, slots, "intermediate", seed))
        assert 9 not in chosen(select(pool, slots, "foundation", seed))
        asked = [*pool[:-1], replace(pool[-1], last_asked_at=ASKED)]
        assert 9 not in chosen(select(asked, slots, "intermediate", seed))


def test_weights_draw_in_their_proportion() -> None:
    """Of a question of weight 3 and one of weight 1, 750 of 1,000 draws give the first, give or take 4.4
    standard deviations."""
    pool = [question(1, weight=3), question(2)]
    drawn = [chosen(select(pool, [Slot(ANY, 10)], "intermediate", seed)) for seed in range(1000)]
    assert 690 <= drawn.count([1]) <= 810


@given(pool=pools(), slots=slot_lists(), level=levels, seed=seeds, weight=st.integers(1, 5))
@settings(deadline=None)
def test_equal_weights_change_nothing(
    pool: list[Candidate], slots: list[Slot], level: str, seed: int, weight: int
) -> None:
    heavy = [replace(candidate, weight=weight) for candidate in pool]
    assert chosen(select(heavy, slots, level, seed)) == chosen(select(pool, slots, level, seed))
