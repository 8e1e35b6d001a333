"""Full buffers that wait for the host, over time, of simulated runs in which that is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.trace import Trace
from lanescope.trace.schema import MISSING
from lanescope.workloads import build_workload


def recorded(folder: Path, *, records: int, buffers: int = 8, latency_ps: int = 0) -> Trace:
    chip = load_chip("a2a3")
    if latency_ps:
        chip = replace(chip, recording=replace(chip.recording, host_latency_ps=latency_ps))
    outcome = simulate_recorded(
        build_workload("random_dag", {"tasks": "2000"}),
        chip,
        Recording(buffer_records=records, buffers=buffers),
        directory=folder / "run.capture",
    )
    assert outcome.trace is not None
    return outcome.trace


def test_no_buffer_is_full_so_nothing_waits(tmp_path: Path) -> None:
    assert len(recorded(tmp_path, records=1 << 15).counters) == 0


@pytest.mark.parametrize("records", [1, 16])
def test_every_full_buffer_waits_and_is_taken(tmp_path: Path, records: int) -> None:
    trace = recorded(tmp_path, records=records)
    table = trace.counters
    assert {trace.word(name) for name in table["name"].tolist()} == {"buffers_waiting"}
    assert np.all(np.diff(table["time_ns"]) > 0)
    assert table["value"].min() == 0 == table["value"][-1]
    rises = np.diff(table["value"], prepend=0.0)
    # A buffer that is filled in the tick in which others are taken hides one rise.
    lanes = [trace.tasks["core"][trace.ran()], trace.phases["controller"]]
    full = sum(int((np.bincount(owner) // records).sum()) for owner in lanes)
    assert 0 < rises[rises > 0].sum() <= 2 * full
    assert table["time_ns"].min() > 0 and np.all(table["time_ns"] != MISSING)


def test_a_slow_host_finds_more(tmp_path: Path) -> None:
    quick = recorded(tmp_path / "a", records=8, buffers=64)
    slow = recorded(tmp_path / "b", records=8, buffers=64, latency_ps=400_000_000)
    assert slow.counters["value"].max() > 2 * quick.counters["value"].max()
