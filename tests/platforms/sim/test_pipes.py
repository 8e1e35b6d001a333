"""What happens inside a core: operations on pipes, to the picosecond."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.platforms.sim.running import (
    EVEN,
    UNEVEN,
    Ran,
    ends_of_waits,
    kernels,
    loads_only,
    run_one,
)

from lanescope.errors import UsageError
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.timeline import CODES, Timeline, busy_ps
from lanescope.workloads.pipes import PIPES, CoreRates, PipeKernel, PipeOp, bytes_moved

SCALAR, VECTOR, CUBE, MTE1, MTE2, MTE3, FIXP = range(7)
RATES = st.sampled_from([EVEN, UNEVEN])
CORES = st.lists(st.lists(kernels(), min_size=1, max_size=2), min_size=1, max_size=4)
BANDWIDTHS = st.sampled_from([10**9, 1_300_000_021, 333_333_333, 7 * 10**9])


def kernel_of(*ops: PipeOp) -> PipeKernel:
    return PipeKernel("k", ops)


def load(size: int, *, waits: tuple[int, ...] = (), sets: tuple[int, ...] = ()) -> PipeOp:
    return PipeOp("mte2", bytes=size, route="gm_to_ub", waits=waits, sets=sets)


def store(size: int, *, waits: tuple[int, ...] = ()) -> PipeOp:
    return PipeOp("mte3", bytes=size, route="ub_to_gm", waits=waits)


LOAD_TWICE = kernel_of(
    load(4, sets=(0,)),
    PipeOp("vector", cycles=3, waits=(0,), sets=(1,)),
    store(2, waits=(1,)),
    load(4, sets=(0,)),
    PipeOp("vector", cycles=6, waits=(0,), sets=(1,)),
    store(2, waits=(1,)),
)


def test_ops_start_when_pipe_and_flags_allow() -> None:
    assert run_one(LOAD_TWICE, EVEN) == Timeline(
        0,
        16_000,
        (
            (MTE2, 0, 4_000, 0),
            (VECTOR, 4_000, 7_000, 1),
            (MTE2, 4_000, 8_000, 3),
            (MTE3, 7_000, 9_000, 2),
            (VECTOR, 8_000, 14_000, 4),
            (MTE3, 14_000, 16_000, 5),
        ),
    )


def test_a_slow_memory_holds_transfers_up_in_the_order_they_ask() -> None:
    # A byte takes 2000 ps of memory. The second load asks at 8000 and ends at 16000; the store
    # asks at 11000 and waits for it; the last store asks at 22000.
    assert run_one(LOAD_TWICE, EVEN, 500_000_000).spans == (
        (MTE2, 0, 8_000, 0),
        (VECTOR, 8_000, 11_000, 1),
        (MTE2, 8_000, 16_000, 3),
        (MTE3, 11_000, 20_000, 2),
        (VECTOR, 16_000, 22_000, 4),
        (MTE3, 22_000, 26_000, 5),
    )


def test_two_cores_take_turns_at_the_memory() -> None:
    ran = Ran([[kernel_of(load(3), load(3))]] * 2, EVEN, 10**9)
    assert [timeline.spans for (timeline,) in ran.timelines] == [
        ((MTE2, 0, 3_000, 0), (MTE2, 3_000, 9_000, 1)),
        ((MTE2, 0, 6_000, 0), (MTE2, 6_000, 12_000, 1)),
    ]


def test_a_transfer_is_never_faster_than_its_core() -> None:
    assert run_one(kernel_of(load(3)), EVEN, 10**15).length_ps == 3_000


def test_the_longest_of_cycles_transfer_and_ps_counts() -> None:
    op = {"bytes": 2, "route": "gm_to_ub"}
    assert run_one(kernel_of(PipeOp("mte2", cycles=5, **op)), EVEN).length_ps == 5_000
    assert run_one(kernel_of(PipeOp("mte2", cycles=1, **op)), EVEN).length_ps == 2_000
    assert run_one(kernel_of(PipeOp("mte2", cycles=1, ps=2_001, **op)), EVEN).length_ps == 2_001


def test_lengths_round_up_to_whole_picoseconds() -> None:
    rates = CoreRates(3_000_000_000, {"gm_to_ub": 7_000_000_000})
    assert run_one(kernel_of(PipeOp("scalar", cycles=1)), rates).length_ps == 334
    assert run_one(kernel_of(load(1)), rates).length_ps == 143


def test_the_memory_carries_what_rounding_leaves() -> None:
    # A byte takes 142 6/7 ps: seven of them end at 1000 ps, not at 7 × 143.
    rates = CoreRates(10**9, {"gm_to_ub": 10**13})
    ran = Ran([[kernel_of(load(1))] for _ in range(7)], rates, 7_000_000_000)
    ends = [timeline.end_ps for (timeline,) in ran.timelines]
    assert ends == [143, 286, 429, 572, 715, 858, 1_000]


def test_times_count_from_the_beginning_of_the_task() -> None:
    wait, work = kernel_of(PipeOp("scalar", ps=5)), kernel_of(PipeOp("scalar", cycles=1))
    _, timeline = Ran([[wait, work]], EVEN).timelines[0]
    assert timeline == Timeline(5, 1_000, ((SCALAR, 0, 1_000, 0),))
    assert timeline.end_ps == 1_005
    assert timeline.absolute() == [(SCALAR, 5, 1_005, 0)]


def test_a_kernel_without_ops_takes_no_time() -> None:
    assert run_one(kernel_of(), EVEN) == Timeline(0, 0, ())


def test_one_flag_counts() -> None:
    ops = kernel_of(
        PipeOp("scalar", cycles=1, sets=(5,)),
        PipeOp("scalar", cycles=1, sets=(5,)),
        PipeOp("vector", cycles=1, waits=(5, 5)),
    )
    assert run_one(ops, EVEN).spans[-1] == (VECTOR, 2_000, 3_000, 2)


def test_busy_time_and_bytes() -> None:
    timeline = run_one(LOAD_TWICE, EVEN)
    assert [busy_ps(timeline, pipe) for pipe in PIPES] == [0, 9_000, 0, 0, 8_000, 4_000, 0]
    assert bytes_moved(LOAD_TWICE, "gm_to_ub") == 8
    assert bytes_moved(LOAD_TWICE, "ub_to_gm") == 4
    assert bytes_moved(LOAD_TWICE, "gm_to_l1") == 0


def test_a_run_refuses_what_the_check_refuses() -> None:
    with pytest.raises(UsageError, match="op 0: waits for ever: flag 1 is never set"):
        run_one(kernel_of(PipeOp("scalar", waits=(1,))), EVEN)
    with pytest.raises(UsageError, match="op 0: the core has no rate for route gm_to_ub"):
        run_one(kernel_of(load(1)), CoreRates(1, {}))


@settings(max_examples=150, deadline=None)
@given(kernels(), RATES)
def test_a_memory_too_fast_to_matter_changes_nothing(ops: PipeKernel, rates: CoreRates) -> None:
    assert run_one(ops, rates, 10**30) == run_one(ops, rates)


@settings(max_examples=150, deadline=None)
@given(kernels(), RATES, st.none() | BANDWIDTHS)
def test_an_op_starts_as_soon_as_its_pipe_and_flags_allow(
    ops: PipeKernel, rates: CoreRates, bytes_per_s: int | None
) -> None:
    timeline = run_one(ops, rates, bytes_per_s)
    starts = {op: start for _, start, _, op in timeline.spans}
    expected = [max(waits, default=0) for waits in ends_of_waits(ops, timeline)]
    assert [starts[number] for number in range(len(ops.ops))] == expected


@settings(max_examples=150, deadline=None)
@given(kernels(), RATES, st.none() | BANDWIDTHS)
def test_a_pipe_does_one_thing_at_a_time_in_program_order(
    ops: PipeKernel, rates: CoreRates, bytes_per_s: int | None
) -> None:
    ops.check(ops.name)
    timeline = run_one(ops, rates, bytes_per_s)
    assert list(timeline.spans) == sorted(timeline.spans, key=lambda span: (span[1], span[3]))
    assert timeline.length_ps == max(end for _, _, end, _ in timeline.spans)
    for pipe, code in CODES.items():
        spans = sorted((span for span in timeline.spans if span[0] == code), key=lambda s: s[3])
        assert [span[3] for span in spans] == [n for n, op in enumerate(ops.ops) if op.pipe == pipe]
        assert all(one[2] <= other[1] for one, other in pairwise(spans))
        assert busy_ps(timeline, pipe) <= timeline.length_ps


Transfer = tuple[int, int, int]


def transfers_of(cores: list[list[PipeKernel]], ran: Ran) -> list[Transfer]:
    """Start, end and bytes of everything that passed the memory."""
    return [
        (start, end, ops.ops[op].shared_bytes)
        for ops_of_core, timelines in zip(cores, ran.timelines, strict=True)
        for ops, timeline in zip(ops_of_core, timelines, strict=True)
        for _, start, end, op in timeline.absolute()
        if ops.ops[op].shared_bytes
    ]


@settings(max_examples=60, deadline=None)
@given(CORES, RATES, BANDWIDTHS)
def test_no_window_sees_more_bytes_than_the_bandwidth_allows(
    cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int
) -> None:
    ran = Ran(cores, rates, bytes_per_s)
    transfers = transfers_of(cores, ran)
    for begin in {start for start, _, _ in transfers}:
        inside = sorted((end, size) for start, end, size in transfers if start >= begin)
        moved = 0
        for end, size in inside:
            moved += size
            assert moved * PS_PER_S <= bytes_per_s * (end - begin)
    assert len(ran.memory.slots) == len(transfers)


@settings(max_examples=60, deadline=None)
@given(CORES, RATES, BANDWIDTHS)
def test_the_memory_serves_one_at_a_time_and_never_rests_while_one_waits(
    cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int
) -> None:
    ran = Ran(cores, rates, bytes_per_s)
    by_start = sorted(transfers_of(cores, ran))
    slots = ran.memory.slots
    assert all(one[2] <= other[1] for one, other in pairwise(slots))
    assert sorted(size for _, _, size in by_start) == sorted(size for size, _, _ in slots)
    for (start, _, _), (_, begin, _), before in zip(by_start, slots, [None, *slots], strict=False):
        assert begin == (start if before is None else max(start, before[2]))


@settings(max_examples=60, deadline=None)
@given(CORES, RATES, BANDWIDTHS)
def test_sharing_costs_at_most_the_time_the_memory_works(
    cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int
) -> None:
    alone, shared = Ran(cores, rates), Ran(cores, rates, bytes_per_s)
    slots = shared.memory.slots
    work_ps = -(-sum(size for size, _, _ in slots) * PS_PER_S // bytes_per_s)
    assert max(alone.length_ps, work_ps) <= shared.length_ps
    # Each transfer's end rounds up by less than a picosecond.
    assert shared.length_ps <= alone.length_ps + work_ps + len(slots)


@settings(max_examples=60, deadline=None)
@given(CORES, RATES, BANDWIDTHS)
def test_the_same_run_again_is_the_same(
    cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int
) -> None:
    again = [[PipeKernel(ops.name, ops.ops) for ops in kernels] for kernels in cores]
    assert Ran(cores, rates, bytes_per_s).timelines == Ran(again, rates, bytes_per_s).timelines


@settings(max_examples=100, deadline=None)
@given(CORES, RATES, BANDWIDTHS)
def test_a_faster_memory_never_lengthens_a_run_that_asks_it_in_the_same_order(
    cores: list[list[PipeKernel]], rates: CoreRates, bytes_per_s: int
) -> None:
    loads = [[loads_only(ops) for ops in kernels] for kernels in cores]
    slow, fast = (Ran(loads, rates, speed) for speed in (bytes_per_s, 2 * bytes_per_s))
    if slow.memory.askers == fast.memory.askers:
        assert fast.length_ps <= slow.length_ps
    else:
        assert len(cores) > 1


def test_a_faster_memory_can_lengthen_a_run_when_another_core_now_asks_first() -> None:
    hurried = kernel_of(load(8), load(400))
    patient = kernel_of(
        PipeOp("scalar", cycles=10, sets=(0,)),
        load(1, waits=(0,), sets=(1,)),
        PipeOp("vector", cycles=5_000, waits=(1,)),
    )
    rates = CoreRates(10**9, {"gm_to_ub": 10**12})
    slow, fast = (Ran([[hurried], [patient]], rates, speed) for speed in (5 * 10**8, 10**9))
    assert slow.memory.askers == [0, 1, 0]
    assert slow.length_ps == 5_018_000
    assert fast.memory.askers == [0, 0, 1]
    assert fast.length_ps == 5_409_000
