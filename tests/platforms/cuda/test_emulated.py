"""The megakernel's own code on threads: results, recording, order, and its limits."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.platforms.cuda.emulator import Emulator

from lanescope.errors import LanescopeError
from lanescope.platforms.cuda.job import MegakernelJob, RecordingTarget
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.programs import program_of
from lanescope.platforms.cuda.recorded import GpuOutcome, GpuSetup, run_recorded
from lanescope.platforms.recording import Recording
from lanescope.trace import Trace
from lanescope.workloads import TaskGraph, build_workload

SMALL: dict[str, dict[str, str]] = {
    "vector": {"tiles": "3", "elements": "5000"},
    "matmul_add": {"rows": "2", "columns": "2", "tile": "70", "depth": "81"},
    "paged_attention": {"batches": "5", "groups": "3", "qk_ns": "2000", "sf_ns": "1", "pv_ns": "0"},
    "random_dag": {"tasks": "120", "max_spin_ns": "2000"},
    "fan": {"width": "40", "spin_ns": "500"},
    "chain": {"tasks": "30", "spin_ns": "500"},
}


def small(name: str) -> TaskGraph:
    return build_workload(name, SMALL[name])


def emulated(
    graph: TaskGraph, folder: Path, *, schedulers: int = 1, pre_dispatch: int = 1, **options: Any
) -> GpuOutcome:
    machine = GpuMachine(workers=3, schedulers=schedulers, pre_dispatch=pre_dispatch, limit_s=30)
    setup = GpuSetup(Emulator(machine), machine, program_of(graph))
    return run_recorded(graph, setup, Recording(**options), directory=folder / "run.capture")


def traced(outcome: GpuOutcome) -> Trace:
    assert outcome.trace is not None
    return outcome.trace


@pytest.mark.parametrize("name", SMALL)
def test_the_numbers_are_right_and_every_record_arrives(name: str, tmp_path: Path) -> None:
    graph = small(name)
    outcome = emulated(graph, tmp_path)
    trace = traced(outcome)
    assert outcome.check is not None
    assert outcome.check.problem == ""
    assert outcome.result.tasks_done == len(graph)
    assert np.array_equal(np.sort(trace.tasks["task"]), np.arange(len(graph)))
    assert np.array_equal(trace.tasks["func"], graph.func[trace.tasks["task"]])
    assert np.all(trace.tasks["flags"] == 0)
    assert all(entry.closes and not entry.dropped for entry in trace.meta.ledger)


@pytest.mark.parametrize("level", range(5))
def test_each_level_records_what_it_should(level: int, tmp_path: Path) -> None:
    graph = small("random_dag")
    outcome = emulated(graph, tmp_path, chip_swimlane=level)
    if level == 0:
        assert outcome.trace is None
        assert not (tmp_path / "run.capture").exists()
        return
    trace = traced(outcome)
    assert trace.meta.level == level
    assert len(trace.tasks) == len(graph)
    assert bool(np.all(trace.tasks["dispatch_ns"] >= 0)) == (level >= 2)
    lanes = [trace.word(code) for code in trace.phases["lane"].tolist()]
    assert ("scheduler" in lanes, lanes.count("orchestrator")) == (
        level >= 3,
        len(graph) if level == 4 else 0,
    )
    kinds = {trace.word(code) for code in trace.phases["kind"].tolist()}
    assert kinds == ({"complete", "resolve", "dispatch"} if level == 3 else set()) or kinds == {
        "complete",
        "resolve",
        "dispatch",
        "submit",
    }


@pytest.mark.parametrize("on_full", ["block", "drop"])
@pytest.mark.parametrize("buffer_records", [1, 2, 1024])
def test_the_ledger_closes_whatever_the_size_of_a_buffer(
    buffer_records: int, on_full: str, tmp_path: Path
) -> None:
    graph = small("random_dag")
    outcome = emulated(graph, tmp_path, buffer_records=buffer_records, buffers=2, on_full=on_full)
    trace = traced(outcome)
    assert all(entry.closes for entry in trace.meta.ledger)
    made = sum(entry.total for entry in trace.meta.ledger if entry.kind == "core_task")
    assert made == len(graph)
    if on_full == "block":
        assert sum(entry.dropped for entry in trace.meta.ledger) == 0
        assert len(trace.tasks) == len(graph)


@pytest.mark.parametrize(("schedulers", "pre_dispatch"), [(1, 0), (1, 2), (2, 1), (3, 2)])
def test_schedulers_share_the_workers(schedulers: int, pre_dispatch: int, tmp_path: Path) -> None:
    graph = small("random_dag")
    outcome = emulated(graph, tmp_path, schedulers=schedulers, pre_dispatch=pre_dispatch)
    assert outcome.check is not None
    assert outcome.check.problem == ""
    trace = traced(outcome)
    assert trace.cores["controller"].tolist() == [core % schedulers for core in range(3)]
    rows = trace.phases["lane"] == trace.words.index("scheduler")
    assert set(trace.phases["controller"][rows].tolist()) <= set(range(schedulers))


def test_no_task_is_shown_to_start_before_what_it_waited_for(tmp_path: Path) -> None:
    graph = small("random_dag")
    outcome = emulated(graph, tmp_path)
    trace = traced(outcome)
    order = np.argsort(trace.tasks["task"])
    start, end = trace.tasks["start_ns"][order], trace.tasks["end_ns"][order]
    error = outcome.result.clock_error_ns
    assert trace.meta.recording is not None and trace.meta.recording.clock_error_ns == error
    assert int((start[graph.succ] - end[graph.pred]).min()) >= -error


def test_a_wrong_order_gives_wrong_numbers(tmp_path: Path) -> None:
    """The same graph without its edges to later tasks, checked against the whole one."""
    whole = small("random_dag")
    values = program_of(whole).reference()  # type: ignore[attr-defined]
    loose = build_workload("random_dag", {**SMALL["random_dag"], "edges_per_task": "1"})
    other = program_of(loose).reference()  # type: ignore[attr-defined]
    changed = np.any(values != other, axis=1)
    lacking = np.isin(np.arange(len(whole)), whole.succ[~np.isin(whole.pred, loose.pred)])
    assert np.all(changed[lacking])


def test_a_kernel_that_takes_too_long_gives_up_and_says_so() -> None:
    graph = build_workload("chain", {"tasks": "500", "spin_ns": "1000000"})
    machine = GpuMachine(workers=2, limit_s=0.05)
    engine = Emulator(machine)
    job = MegakernelJob(
        engine.memory, graph, program_of(graph), machine, recorder=RecordingTarget()
    )
    engine.run(job.address)
    with pytest.raises(LanescopeError, match=r"gave up after 0\.05 s with \d+ of 500 tasks of ch"):
        job.result()


def test_a_cancelled_run_finishes_what_was_dispatched() -> None:
    graph = build_workload("chain", {"tasks": "3000", "spin_ns": "100000"})
    machine = GpuMachine(workers=2, limit_s=30)
    engine = Emulator(machine)
    job = MegakernelJob(
        engine.memory, graph, program_of(graph), machine, recorder=RecordingTarget()
    )
    thread = threading.Thread(target=lambda: engine.run(job.address))
    thread.start()
    time.sleep(0.02)
    job.cancel()
    thread.join()
    result = job.result()
    assert result.interrupted
    assert result.tasks_done < len(graph)


def test_the_memory_is_given_back() -> None:
    graph = small("fan")
    machine = GpuMachine(workers=1)
    engine = Emulator(machine)
    job = MegakernelJob(
        engine.memory, graph, program_of(graph), machine, recorder=RecordingTarget()
    )
    job.close()
    assert engine.memory.blocks == {}
