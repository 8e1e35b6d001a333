"""Recording buffers: their number and size, what changing one takes, and how long the host does."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import Row, make_trace, phase, task
from tests.analyze.simulated import simulated

from lanescope.platforms.sim.chip import load_chip
from lanescope.replay.readings.buffers import HostTimes, buffers_of, without_stalls
from lanescope.results import plain
from lanescope.trace import Trace
from lanescope.trace.meta import BufferSize, RecordingFacts
from lanescope.workloads import build_workload

NEVER = 2**31 - 1


def made(
    sizes: dict[str, tuple[int, int]],
    *,
    protocol: str = "producer-rotated",
    on_full: str = "block",
    **tables: list[Row],
) -> Trace:
    buffers = {kind: BufferSize(*size) for kind, size in sizes.items()}
    facts = RecordingFacts(protocol=protocol, on_full=on_full, buffers=buffers)
    return make_trace({"recording": facts}, **tables)


def test_buffers_are_those_that_the_recording_states() -> None:
    sizes = {"core_task": (8, 1024), "scheduler_phase": (2, 16), "pmu": (4, 4)}
    assert plain(buffers_of(made(sizes))) == {
        "count": [8, 0, 2, 0],
        "records": [1024, 0, 16, 0],
        "rotate_ps": 0,
        "host_ps": {"low": 0, "usual": 0, "high": 0},
    }


def test_a_trace_that_states_none_has_none() -> None:
    buffers = buffers_of(make_trace())
    assert (buffers.known, buffers.records.tolist()) == (False, [0, 0, 0, 0])
    assert buffers_of(made({"controller_task": (1, 1)})).known


def test_cores_fill_buffers_only_where_they_rotate_them() -> None:
    sizes = {"core_task": (8, 64), "controller_task": (8, 64)}
    assert buffers_of(made(sizes, protocol="staging")).records.tolist() == [0, 64, 0, 0]


def test_who_drops_records_never_waits() -> None:
    assert buffers_of(made({"core_task": (8, 64)}, on_full="drop")).count.tolist() == [NEVER] * 4


# ---- changing a buffer ---------------------------------------------------------------------------


def test_a_record_that_fills_its_buffer_takes_longer() -> None:
    """Buffers of two records. From record to record it takes 2 ns, and 10 where a buffer is full.
    Behind the inner phase, it is 2 ns to the end of the outer one. Other rounds do not count."""
    phases = [
        phase("complete", 0, 10, loop=1),
        phase("dispatch", 12, 20, loop=1),
        phase("release", 30, 40, loop=1),
        phase("resolve", 42, 50, loop=1),
        phase("complete", 41, 60, loop=1),
        phase("dispatch", 62, 70, loop=1),
        phase("complete", 99, 120, loop=2),
    ]
    trace = made({"scheduler_phase": (8, 2)}, phases=phases)
    assert buffers_of(trace).rotate_ps == 8_000
    assert buffers_of(made({"scheduler_phase": (8, 100)}, phases=phases)).rotate_ps == 0


def test_every_round_tells_of_its_own_buffers() -> None:
    """Buffers of two records: behind the first and the third phase of the second round it takes
    16 ns, else 2."""
    phases = [
        phase("complete", 0, 10, loop=4),
        phase("complete", 100, 110, loop=5),
        phase("complete", 126, 130, loop=5),
        phase("complete", 132, 140, loop=5),
        phase("complete", 156, 160, loop=5),
    ]
    assert buffers_of(made({"scheduler_phase": (8, 2)}, phases=phases)).rotate_ps == 14_000


def test_behind_an_inner_phase_the_outer_ones_end_comes_next() -> None:
    """Buffers of three records: the second inner phase fills one, and its outer phase ends 10 ns
    later, not 2."""
    phases = [
        *(phase("resolve", 0, 10, loop=1), phase("complete", 0, 12, loop=1)),
        *(phase("resolve", 20, 30, loop=2), phase("complete", 20, 40, loop=2)),
    ]
    assert buffers_of(made({"scheduler_phase": (8, 3)}, phases=phases)).rotate_ps == 8_000


# ---- waiting for the host ------------------------------------------------------------------------


def stall(lane: str, start: int, end: int, **owner: int) -> Row:
    return {"lane": lane, "start_ns": start, "end_ns": end, **owner}


def test_the_hosts_time_begins_when_the_oldest_buffer_was_published() -> None:
    """Core 0 has one buffer of two records, full at 20 and at 40; it waits until 120 and 260."""
    trace = made(
        {"core_task": (1, 2)},
        tasks=[task(0, 0, 1, end - 5, end, end + 1) for end in (10, 20, 30, 40)],
        stalls=[stall("core", 20, 120, core=0), stall("core", 40, 260, core=0)],
    )
    assert buffers_of(trace).host_ps == HostTimes(low=160_000, usual=208_000, high=220_000)


def test_with_two_buffers_a_producer_waits_for_the_one_before() -> None:
    """A scheduler's buffers of one record are full at 10, 20 and 30; at 20 it waits for the one of
    10, at 30 for the one of 20. A wait that begins before any is full tells nothing."""
    trace = made(
        {"scheduler_phase": (2, 1)},
        phases=[phase("complete", end - 5, end) for end in (10, 20, 30)],
        stalls=[
            stall("scheduler", 20, 110, controller=0),
            stall("scheduler", 30, 120, controller=0),
            stall("scheduler", 5, 9, controller=0),
            stall("orchestrator", 5, 900, controller=0),
        ],
    )
    assert buffers_of(trace).host_ps == HostTimes(low=100_000, usual=100_000, high=100_000)


def test_a_schedulers_records_of_a_core_are_written_at_the_finish() -> None:
    trace = made(
        {"controller_task": (1, 1), "scheduler_phase": (1, 1)},
        tasks=[task(3, 0, 1, 2, 10, 14)],
        stalls=[stall("scheduler", 14, 64, core=3, controller=0)],
    )
    assert buffers_of(trace).host_ps.high == 50_000


def test_a_simulated_hosts_time_is_read_from_the_waits_for_it() -> None:
    chip = load_chip("a2a3")
    trace = simulated(build_workload("chain", {}), chip, buffers=1, buffer_records=64)
    buffers = buffers_of(trace)
    assert buffers.host_ps.usual == pytest.approx(chip.recording.host_latency_ps, rel=0.01)
    assert buffers.rotate_ps == pytest.approx(chip.recording.rotate_ps, rel=0.1)


def test_the_orchestrators_waits_are_taken_out_of_its_moments() -> None:
    trace = make_trace(
        stalls=[
            stall("orchestrator", 50, 58, controller=0),
            stall("orchestrator", 10, 30, controller=0),
            stall("scheduler", 0, 90, controller=0),
        ]
    )
    moments = np.array([5, 29, 30, 57, 58, 100])
    assert without_stalls(trace, moments).tolist() == [5, 29, 10, 37, 30, 72]
