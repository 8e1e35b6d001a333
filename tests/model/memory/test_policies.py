"""Which units stay. The bounds and orders here are theorems; each test names its conditions."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.model.memory.policies import (
    Fifo,
    LinkTraffic,
    Lru,
    Policy,
    Touch,
    make_policy,
)


def moved(name: str, capacity: int, sizes: dict[int, int], trace: list[int]) -> list[int]:
    """Bytes that each touch of whole units moves in."""
    policy = make_policy(name, capacity, sizes, future=trace)
    return [traffic.moved_bytes for traffic in touches(policy, sizes, trace)]


def touches(policy: Policy, sizes: dict[int, int], trace: list[int]) -> list[LinkTraffic]:
    return [policy.touch(Touch(unit, 0, sizes[unit])) for unit in trace]


def misses(name: str, capacity: int, sizes: dict[int, int], trace: list[int]) -> int:
    return sum(bytes_ > 0 for bytes_ in moved(name, capacity, sizes, trace))


UNITS = st.integers(2, 8)
TRACES = st.lists(st.integers(0, 7), min_size=1, max_size=60)
SIZES = st.fixed_dictionaries({unit: st.integers(1, 50) for unit in range(8)})


@given(UNITS, st.integers(1, 7), st.sampled_from(["lru", "fifo"]))
def test_a_cyclic_scan_never_hits_under_lru_or_fifo(units: int, capacity: int, name: str) -> None:
    capacity = min(capacity, units - 1)
    scan = list(range(units)) * 5
    assert misses(name, capacity, dict.fromkeys(range(units), 1), scan) == len(scan)


@given(UNITS, st.integers(1, 7), st.sampled_from(["pinned", "belady"]))
def test_a_cyclic_scan_keeps_the_capacity_under_pinned_and_belady(
    units: int, capacity: int, name: str
) -> None:
    capacity = min(capacity, units - 1)
    scan = list(range(units)) * 5
    # All come once; then each of the four other passes misses what does not fit.
    assert misses(name, capacity, dict.fromkeys(range(units), 1), scan) == (
        units + 4 * (units - capacity)
    )


@given(
    st.lists(st.permutations(range(6)), min_size=1, max_size=8),
    st.integers(1, 6),
)
def test_when_every_pass_touches_every_unit_once_belady_and_pinned_beat_lru_and_fifo(
    passes: list[list[int]], capacity: int
) -> None:
    """Conditions: passes over the same units of equal size, each once, in any order.

    A hit is then on a unit that was resident when the pass began, so no policy has more hits per
    pass than the capacity; pinned has exactly that many.
    """
    sizes = dict.fromkeys(range(6), 1)
    trace = [unit for one in passes for unit in one]
    count = {name: misses(name, capacity, sizes, trace) for name in ("belady", "pinned", "lru")}
    assert count["belady"] <= count["pinned"] <= count["lru"]
    assert count["pinned"] <= misses("fifo", capacity, sizes, trace)


def test_on_long_independent_random_traces_pinned_is_between_belady_and_lru() -> None:
    """Conditions: every touch drawn independently of the ones before, equal sizes, long traces.

    Pinned keeps the units that this very trace uses most; recency then tells nothing.
    """
    for seed in range(20):
        draw = random.Random(seed)
        trace = [draw.randrange(12) for _ in range(2000)]
        sizes = dict.fromkeys(range(12), 1)
        count = [misses(name, 5, sizes, trace) for name in ("belady", "pinned", "lru")]
        assert count == sorted(count), seed


def test_with_locality_lru_beats_pinned() -> None:
    """Why the conditions are needed: aabbcc with room for one."""
    sizes = dict.fromkeys(range(3), 1)
    trace = [0, 0, 1, 1, 2, 2]
    assert misses("lru", 1, sizes, trace) == 3
    assert misses("pinned", 1, sizes, trace) == 5
    assert misses("belady", 1, sizes, trace) == 3


@given(TRACES, SIZES, st.integers(0, 400))
def test_belady_moves_fewest_bytes_on_any_trace_with_any_sizes(
    trace: list[int], sizes: dict[int, int], capacity: int
) -> None:
    best = sum(moved("belady", capacity, sizes, trace))
    for name in ("pinned", "lru", "fifo"):
        assert best <= sum(moved(name, capacity, sizes, trace)), name


@given(TRACES, SIZES, st.integers(0, 400), st.sampled_from(["pinned", "belady"]))
def test_one_byte_of_capacity_changes_at_most_one_byte_per_touch(
    trace: list[int], sizes: dict[int, int], capacity: int, name: str
) -> None:
    less = sum(moved(name, capacity, sizes, trace))
    more = sum(moved(name, capacity + 1, sizes, trace))
    assert 0 <= less - more <= len(trace)


@given(TRACES, SIZES, st.integers(0, 400), st.sampled_from(["lru", "fifo", "pinned", "belady"]))
def test_no_policy_holds_more_than_the_capacity(
    trace: list[int], sizes: dict[int, int], capacity: int, name: str
) -> None:
    policy = make_policy(name, capacity, sizes, future=trace)
    for unit in trace:
        policy.touch(Touch(unit, 0, sizes[unit]))
        assert policy.resident_bytes <= capacity


@given(TRACES, SIZES, st.integers(0, 400), st.sampled_from(["lru", "fifo", "pinned", "belady"]))
def test_the_first_touch_of_a_unit_moves_all_of_it(
    trace: list[int], sizes: dict[int, int], capacity: int, name: str
) -> None:
    seen: set[int] = set()
    for unit, bytes_ in zip(trace, moved(name, capacity, sizes, trace), strict=True):
        assert bytes_ == sizes[unit] or unit in seen
        seen.add(unit)


def test_lru_is_not_fifo() -> None:
    # The peer's "LRU" never refreshes a unit on a hit: it evicts 0 here and misses at the end.
    sizes = dict.fromkeys(range(3), 1)
    trace = [0, 1, 0, 2, 0]
    assert misses("lru", 2, sizes, trace) == 3
    assert misses("fifo", 2, sizes, trace) == 4


def test_a_unit_larger_than_capacity_is_loaded_on_every_touch() -> None:
    # The peer charges it once, calls it resident, and its used bytes exceed the capacity.
    for name in ("lru", "fifo"):
        # On its way through the memory it pushes out what is there.
        assert moved(name, 9, {0: 10, 1: 4}, [0, 1, 1, 0, 1, 0]) == [10, 4, 0, 10, 4, 10]


def test_evicting_dirty_bytes_writes_them_back_and_clean_ones_not() -> None:
    for policy in (Fifo(10, {0: 6, 1: 6}), Lru(10, {0: 6, 1: 6})):
        assert policy.touch(Touch(0, 0, 6, dirties=True)) == LinkTraffic(6, 0)
        assert policy.touch(Touch(1, 0, 6)) == LinkTraffic(6, 6)
        assert policy.touch(Touch(0, 0, 6)) == LinkTraffic(6, 0)


def test_belady_writes_back_only_the_dirty_bytes_that_leave() -> None:
    policy = make_policy("belady", 8, {0: 6, 1: 6}, future=[0, 1, 0, 1])
    assert policy.touch(Touch(0, 0, 6, dirties=True)) == LinkTraffic(6, 0)
    # Unit 1 is used later than unit 0: 4 bytes of it go again, none of them dirty.
    assert policy.touch(Touch(1, 0, 6)) == LinkTraffic(6, 0)
    # Now unit 1 comes first: its missing 4 bytes push out the end of unit 0 at the next touch.
    assert policy.touch(Touch(0, 0, 6)) == LinkTraffic(0, 0)
    assert policy.touch(Touch(1, 0, 6)) == LinkTraffic(4, 4)


@settings(max_examples=30)
@given(TRACES, SIZES, st.integers(0, 400))
def test_dirty_bytes_written_back_never_exceed_those_loaded(
    trace: list[int], sizes: dict[int, int], capacity: int
) -> None:
    for name in ("lru", "fifo", "belady"):
        policy = make_policy(name, capacity, sizes, future=trace)
        traffic = [policy.touch(Touch(unit, 0, sizes[unit], dirties=True)) for unit in trace]
        loaded = sum(one.loaded_bytes for one in traffic)
        assert sum(one.written_back_bytes for one in traffic) + policy.resident_bytes == loaded
