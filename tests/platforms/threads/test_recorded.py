"""A run on threads and its trace: what was recorded, and what is known of the host."""

from __future__ import annotations

import os
from pathlib import Path

from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.machine import ThreadMachine
from lanescope.platforms.threads.recorded import run_recorded
from lanescope.workloads import build_workload

MACHINE = ThreadMachine(cores=("aic", "aiv", "aiv"), schedulers=1)
GRAPH = build_workload("chain", {"tasks": "20", "spin_ns": "100", "kind": "aiv"})


def test_level_0_runs_the_graph_and_records_nothing(tmp_path: Path) -> None:
    found = run_recorded(GRAPH, MACHINE, Recording(chip_swimlane=0), directory=tmp_path / "run")
    assert (found.trace, found.region_bytes, found.spool_bytes) == (None, 0, 0)
    assert not found.interrupted
    assert sum(found.result.tasks_per_core) == 20
    assert found.result.makespan_ns >= 20 * 100
    assert list(tmp_path.iterdir()) == []


def test_a_recorded_run_has_every_task_and_says_what_it_ran_on(tmp_path: Path) -> None:
    found = run_recorded(GRAPH, MACHINE, Recording(), directory=tmp_path / "run")
    assert found.trace is not None
    facts = found.trace.meta.recording
    assert facts is not None
    assert (facts.threads, facts.processors) == (5, len(os.sched_getaffinity(0)))
    assert sorted(found.trace.tasks["task"].tolist()) == list(range(20))
    assert sum(found.result.tasks_per_core) == 20
    assert (found.interrupted, found.trace.meta.level) == (False, 4)
    assert found.spool_bytes == (tmp_path / "run" / "spool").stat().st_size
    assert found.region_bytes == (tmp_path / "run" / "region").stat().st_size
