"""Full buffers that wait for the host, over time, of simulated runs in which that is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.platforms.sim.truth import Truth
from lanescope.trace import Trace
from lanescope.workloads import build_workload


def simulated(
    folder: Path, *, records: int, buffers: int = 8, latency_ps: int = 0, level: int = 4
) -> tuple[SimOutcome, Chip]:
    chip = load_chip("a2a3")
    if latency_ps:
        chip = replace(chip, recording=replace(chip.recording, host_latency_ps=latency_ps))
    outcome = simulate_recorded(
        build_workload("random_dag", {"tasks": "2000"}),
        chip,
        Recording(chip_swimlane=level, buffer_records=records, buffers=buffers),
        directory=folder / "run.capture",
        keep_truth=True,
    )
    return outcome, chip


def recorded(folder: Path, **options: int) -> Trace:
    trace = simulated(folder, **options)[0].trace  # type: ignore[arg-type]
    assert trace is not None
    return trace


def test_no_buffer_is_full_so_nothing_waits(tmp_path: Path) -> None:
    assert len(recorded(tmp_path, records=1 << 15).counters) == 0


def true_fills(truth: Truth, chip: Chip, base_cycles: int, records: int) -> list[int]:
    """When each buffer of core tasks got its last record, in cycles after the trace's base."""
    ends: dict[int, list[int]] = {}
    for task in sorted(truth.tasks, key=lambda task: (task.core, task.token)):
        ends.setdefault(task.core, []).append(task.end_ps * chip.clock.counter_hz // PS_PER_S)
    return sorted(end - base_cycles for own in ends.values() for end in own[records - 1 :: records])


@pytest.mark.parametrize("records", [1, 16])
@pytest.mark.parametrize("latency_ps", [0, 40_000_000])
def test_every_full_buffer_waits_from_its_last_record_until_it_is_taken(
    tmp_path: Path, records: int, latency_ps: int
) -> None:
    outcome, chip = simulated(tmp_path, records=records, latency_ps=latency_ps, level=1)
    trace, truth = outcome.trace, outcome.result.truth
    assert trace is not None
    assert truth is not None
    table, hz = trace.counters, chip.clock.counter_hz
    assert {trace.word(name) for name in table["name"].tolist()} == {"buffers_waiting"}
    fills = np.array(true_fills(truth, chip, trace.meta.base_cycles, records))
    times = np.rint(table["time_ns"] * (hz / 1e9)).astype(np.int64)
    assert set(fills.tolist()) <= set(times.tolist())
    filled = np.searchsorted(fills, times, side="right")
    taken = filled - table["value"].astype(np.int64)
    before = np.searchsorted(fills, times, side="left")
    assert np.all((taken >= 0) & (taken <= before)), "a buffer is taken after it was full"
    assert np.all(np.diff(taken) >= 0)
    assert filled[-1] == taken[-1] == len(fills)
    # The host comes after a record that it takes: the series falls one tick after a fill only.
    falls = times[1:][np.diff(taken) > 0]
    assert set((falls - 1).tolist()) <= set(fills.tolist())


def test_a_slow_host_finds_more(tmp_path: Path) -> None:
    quick = recorded(tmp_path / "a", records=8, buffers=64)
    slow = recorded(tmp_path / "b", records=8, buffers=64, latency_ps=400_000_000)
    assert slow.counters["value"].max() > 2 * quick.counters["value"].max()
