"""The bucket: what passes, what must wait and for how long, by a clock of the test's own."""

from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepapp.common.rate_limit import MINUTE, MOST_KEYS, SECOND, Buckets

pytestmark = pytest.mark.embedded


@pytest.mark.parametrize(
    ("burst", "per_minute", "asked_at", "waits"),
    [
        pytest.param(3, 60, [0, 0, 0, 0], [0, 0, 0, 1], id="the burst, then a wait"),
        pytest.param(1, 60, [0, 0.4, 0.99, 1, 1.5, 2], [0, 1, 1, 0, 1, 0], id="one a second"),
        pytest.param(1, 60, [0, 0, 0, 0, 1], [0, 1, 1, 1, 0], id="a refusal takes nothing"),
        pytest.param(1, 4, [0, 0, 0.1, 14.1, 15], [0, 15, 15, 1, 0], id="whole seconds, rounded up"),
        pytest.param(2, 60, [0, 0, 100, 100, 100], [0, 0, 0, 0, 1], id="never fuller than full"),
        pytest.param(2, 1, [0, 0, 59, 60, 60], [0, 0, 1, 0, 60], id="one a minute"),
        pytest.param(1, 120, [0, 0.4], [0, 1], id="less than a second is one"),
        pytest.param(2, 60, [5, 4.9, 5, 5], [0, 1, 0, 1], id="a clock read before the last: rather less"),
    ],
)
def test_what_passes(burst: int, per_minute: int, asked_at: list[float], waits: list[int]) -> None:
    buckets = Buckets()
    assert [
        buckets.take("key", burst=burst, per_minute=per_minute, now=round(at * SECOND)) for at in asked_at
    ] == waits


def test_each_key_has_its_own() -> None:
    buckets = Buckets()
    assert [buckets.take(key, burst=1, per_minute=1, now=0) for key in "aabba"] == [0, 60, 0, 60, 60]


limits = {"burst": st.integers(1, 20), "per_minute": st.integers(1, 1000)}
steps = st.lists(st.integers(0, 5 * SECOND), min_size=1, max_size=80)


@given(**limits, pauses=steps)
def test_in_no_stretch_of_time_more_pass_than_burst_and_rate_allow(
    burst: int, per_minute: int, pauses: list[int]
) -> None:
    buckets, now, passed = Buckets(), 0, []
    for pause in pauses:
        now += pause
        if buckets.take("key", burst=burst, per_minute=per_minute, now=now) == 0:
            passed.append(now)
    for first, begin in enumerate(passed):
        for last, end in enumerate(passed[first:], first):
            assert (last - first + 1 - burst) * MINUTE <= per_minute * (end - begin)


@given(**limits, pauses=steps)
def test_whoever_waits_as_told_passes(burst: int, per_minute: int, pauses: list[int]) -> None:
    buckets, now = Buckets(), 0
    for pause in pauses:
        now += pause
        if wait := buckets.take("key", burst=burst, per_minute=per_minute, now=now):
            assert wait >= 1
            now += wait * SECOND
            assert buckets.take("key", burst=burst, per_minute=per_minute, now=now) == 0


@given(**limits, extra=st.lists(st.integers(0, SECOND), min_size=1, max_size=80))
def test_whoever_keeps_to_the_rate_never_waits(burst: int, per_minute: int, extra: list[int]) -> None:
    buckets, now = Buckets(), 0
    for more in extra:
        now += -(-MINUTE // per_minute) + more
        assert buckets.take("key", burst=burst, per_minute=per_minute, now=now) == 0


def test_memory_is_bounded_and_the_key_that_was_quiet_longest_goes() -> None:
    buckets = Buckets(most_keys=3)
    for key in ("a", "b", "c", "a", "d"):  # "a" is asked for again, so "b" is the oldest
        buckets.take(key, burst=1, per_minute=1, now=0)
    assert len(buckets) == 3
    waits = {key: buckets.take(key, burst=1, per_minute=1, now=0) for key in ("c", "d", "a")}
    assert waits == {"c": 60, "d": 60, "a": 60}
    assert buckets.take("b", burst=1, per_minute=1, now=0) == 0


def test_a_crowd_leaves_no_more_keys_than_fit() -> None:
    buckets = Buckets()
    for key in range(3 * MOST_KEYS):
        buckets.take(key, burst=1, per_minute=1, now=0)
    assert len(buckets) == MOST_KEYS == 10_000


def test_threads_at_once_share_one_bucket() -> None:
    """Eight threads ask for 100 each; 300 are there."""
    buckets, together = Buckets(), Barrier(8, timeout=30)
    waits: list[int] = []

    def ask() -> None:
        together.wait()
        waits.extend(buckets.take("key", burst=300, per_minute=1, now=0) for _ in range(100))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(waits) == [0] * 300 + [60] * 500
