"""What was captured of a simulated run is what happened in it, to one tick of the counter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.platforms.sim.counted import require_same_counters

from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.picoseconds import PS_PER_S
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.platforms.sim.truth import Truth
from lanescope.trace import MISSING, Trace
from lanescope.workloads import GraphBuilder, build_workload
from lanescope.workloads.graph import TaskGraph

PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
WORKLOADS = {
    "chain": {"tasks": "60"},
    "fan": {"width": "300"},
    "paged_attention": {"batches": "4", "groups": "8"},
    "random_dag": {"tasks": "250"},
    "mixed": {"rounds": "2"},
    "spmd_mix": {"rounds": "2", "blocks": "9"},
    "matmul_add": {"rows": "2", "columns": "3"},
    "vector": {"tiles": "20"},
    "decode_layer": {"hidden": "512", "heads": "4", "inner": "1024", "tile": "128"},
}
TIMES = ("dispatch", "receive", "start", "end", "finish")


def least(protocol: str) -> int:
    """The fewest buffers that a lane may have."""
    return 2 if protocol == "after-finish" else 1


def small_chip() -> Chip:
    """Two clusters of a2a3, so that cores are scarce and buffers fill."""
    return replace(load_chip("a2a3"), clusters=2, schedulers=2)


def run(
    directory: Path,
    graph: TaskGraph,
    *,
    chip: Chip | None = None,
    pre_dispatch: int = 1,
    **options: object,
) -> SimOutcome:
    return simulate_recorded(
        graph,
        chip or small_chip(),
        Recording(**options),  # type: ignore[arg-type]
        directory=directory,
        pre_dispatch=pre_dispatch,
        keep_truth=True,
    )


def ticks(chip: Chip, time_ps: int) -> int:
    return time_ps * chip.clock.counter_hz // PS_PER_S


def require_same_tasks(trace: Trace, truth: Truth, chip: Chip, level: int) -> None:
    assert len(truth.tasks) == int((trace.tasks["core"] >= 0).sum())
    rows = {
        (int(core), int(token)): row
        for row, (core, token) in enumerate(
            zip(trace.tasks["core"].tolist(), trace.tasks["token"].tolist(), strict=True)
        )
    }
    shown = TIMES if level >= 2 else ("start", "end")
    for true in truth.tasks:
        row = rows[true.core, true.token]
        assert int(trace.tasks["task"][row]) == true.task
        assert int(trace.tasks["func"][row]) == true.func
        for name in TIMES:
            recorded = int(trace.tasks[f"{name}_cycles"][row])
            wanted = ticks(chip, getattr(true, f"{name}_ps")) if name in shown else MISSING
            assert recorded == wanted, (name, true)


def require_same_phases(trace: Trace, truth: Truth, chip: Chip, level: int) -> None:
    wanted = [
        (
            phase.lane,
            phase.controller,
            phase.kind,
            ticks(chip, phase.start_ps),
            ticks(chip, phase.end_ps),
        )
        for phase in truth.phases
        if level == 4 or (level == 3 and phase.lane == "scheduler")
    ]
    columns = (
        trace.text("phases", "lane"),
        trace.phases["controller"].tolist(),
        trace.text("phases", "kind"),
        trace.phases["start_cycles"].tolist(),
        trace.phases["end_cycles"].tolist(),
    )
    assert sorted(zip(*columns, strict=True)) == sorted(wanted)


def require_whole(trace: Trace) -> None:
    for entry in trace.meta.ledger:
        assert (entry.dropped, entry.unmatched, entry.closes) == (0, 0, True)


@pytest.mark.parametrize("workload", sorted(WORKLOADS))
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
def test_the_trace_is_the_truth(
    tmp_path: Path, workload: str, level: int, protocol: str, pre_dispatch: int
) -> None:
    graph, chip = build_workload(workload, WORKLOADS[workload]), small_chip()
    outcome = run(
        tmp_path / "a.capture",
        graph,
        chip=chip,
        chip_swimlane=level,
        protocol=protocol,
        pre_dispatch=pre_dispatch,
        buffer_records=3,
        buffers=2,
    )
    trace, truth = outcome.trace, outcome.result.truth
    assert trace is not None
    assert truth is not None
    require_same_tasks(trace, truth, chip, level)
    require_same_phases(trace, truth, chip, level)
    require_whole(trace)
    assert np.array_equal(trace.edges["pred"], graph.pred)
    assert np.array_equal(trace.edges["succ"], graph.succ)
    assert (trace.meta.origin, trace.meta.chip, trace.meta.level) == ("simulated", "a2a3", level)


@pytest.mark.parametrize("name", ["a2a3", "a5"])
def test_whole_chips_too(tmp_path: Path, name: str) -> None:
    chip = load_chip(name)
    outcome = run(tmp_path / "a.capture", build_workload("paged_attention", {}), chip=chip)
    assert outcome.trace is not None
    assert outcome.result.truth is not None
    require_same_tasks(outcome.trace, outcome.result.truth, chip, 4)
    require_same_phases(outcome.trace, outcome.result.truth, chip, 4)
    require_whole(outcome.trace)
    assert len(outcome.trace.tasks) == 1024


@pytest.mark.parametrize("name", ["a2a3", "a5"])
@pytest.mark.parametrize("workload", sorted(WORKLOADS))
def test_with_counters_too(tmp_path: Path, name: str, workload: str) -> None:
    chip = replace(load_chip(name), clusters=2, schedulers=2)
    graph = build_workload(workload, WORKLOADS[workload])
    outcome = run(tmp_path / "a.capture", graph, chip=chip, pmu="pipe", buffer_records=3, buffers=2)
    assert outcome.trace is not None
    assert outcome.result.truth is not None
    require_same_tasks(outcome.trace, outcome.result.truth, chip, 4)
    require_same_phases(outcome.trace, outcome.result.truth, chip, 4)
    require_same_counters(outcome, chip, "pipe")
    require_whole(outcome.trace)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_same_run_gives_the_same_trace(tmp_path: Path, protocol: str) -> None:
    graph = build_workload("random_dag", {"tasks": "200"})
    first, second = (
        run(tmp_path / name, graph, protocol=protocol, buffer_records=2, buffers=least(protocol))
        for name in ("a.capture", "b.capture")
    )
    assert first.trace is not None
    assert second.trace is not None
    assert first.trace.meta == second.trace.meta
    for table in ("tasks", "phases", "stalls"):
        for name, column in first.trace.table(table).columns.items():
            assert np.array_equal(column, second.trace.table(table)[name]), (table, name)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_slow_host_makes_producers_wait_in_simulated_time(tmp_path: Path, protocol: str) -> None:
    chip = small_chip()
    slow = replace(chip, recording=replace(chip.recording, host_latency_ps=500_000_000))
    graph = build_workload("fan", {"width": "100"})
    options = {"protocol": protocol, "buffer_records": 2, "buffers": least(protocol)}
    quick = run(tmp_path / "a.capture", graph, chip=chip, **options)
    waited = run(tmp_path / "b.capture", graph, chip=slow, **options)
    assert waited.result.makespan_ps > quick.result.makespan_ps
    trace = waited.trace
    assert trace is not None
    require_whole(trace)
    assert (trace.stalls["end_ns"] - trace.stalls["start_ns"]).max() > 100_000


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("how", [{"on_full": "drop"}, {"on_full": "block", "host_lost_s": 0.0}])
def test_records_that_are_given_up_are_counted_and_the_rest_is_the_truth(
    tmp_path: Path, protocol: str, how: dict[str, object]
) -> None:
    """A host too slow for producers that drop, and one that those who wait take for lost."""
    chip = small_chip()
    slow = replace(chip, recording=replace(chip.recording, host_latency_ps=50_000_000))
    graph = build_workload("fan", {"width": "200"})
    outcome = run(
        tmp_path / "a.capture",
        graph,
        chip=slow,
        protocol=protocol,
        chip_swimlane=1,
        buffer_records=2,
        buffers=least(protocol),
        **how,
    )
    trace, truth = outcome.trace, outcome.result.truth
    assert trace is not None
    assert truth is not None
    core = trace.meta.ledger
    assert all(entry.closes and entry.kind == "core_task" for entry in core)
    assert [entry.total for entry in core] == np.bincount([t.core for t in truth.tasks]).tolist()
    assert sum(entry.dropped for entry in core) > 0
    true = {
        (t.core, t.token, t.task, ticks(slow, t.start_ps), ticks(slow, t.end_ps))
        for t in truth.tasks
    }
    names = ("core", "token", "task", "start_cycles", "end_cycles")
    found = list(zip(*(trace.tasks[name][trace.ran()].tolist() for name in names), strict=True))
    assert len(set(found)) == len(found) == sum(entry.delivered for entry in core) > 0
    assert true.issuperset(found)


def test_recording_that_costs_nothing_changes_nothing(tmp_path: Path) -> None:
    """Zero-cost recording gives exactly the schedule of level 0."""
    chip = small_chip()
    costs = chip.recording
    free = replace(
        chip,
        recording=replace(
            costs,
            core_record_ps=0,
            staging_copy_ps=0,
            count_ps=0,
            rotate_ps=0,
            controller_record_ps=0,
            scheduler_phase_ps=0,
            orchestrator_phase_ps=0,
        ),
    )
    graph = build_workload("random_dag", {"tasks": "200"})
    runs = [
        run(tmp_path / f"{level}.capture", graph, chip=free, chip_swimlane=level)
        for level in (0, 1, 4)
    ]
    truths = [outcome.result.truth for outcome in runs]
    assert all(truth is not None and truth.tasks == truths[0].tasks for truth in truths)  # type: ignore[union-attr]
    assert len({outcome.result.makespan_ps for outcome in runs}) == 1


@pytest.mark.parametrize("workload", ["vector", "matmul_add"])
def test_cores_that_share_a_memory_are_slower_and_still_seen_right(
    tmp_path: Path, workload: str
) -> None:
    chip = small_chip()
    narrow = replace(chip, memory=replace(chip.memory, hbm_bytes_per_s=50_000_000_000))
    graph = build_workload(workload, {})
    alone = run(tmp_path / "a.capture", graph, chip=chip)
    shared = run(tmp_path / "b.capture", graph, chip=narrow)
    assert shared.result.makespan_ps > alone.result.makespan_ps
    assert shared.trace is not None
    assert shared.result.truth is not None
    require_same_tasks(shared.trace, shared.result.truth, narrow, 4)
    require_whole(shared.trace)


def test_a_scheduler_that_waited_for_a_buffer_sees_what_became_ready(tmp_path: Path) -> None:
    """The second task comes while the scheduler waits to record that it gave back a place.

    Nothing else happens after that, so a scheduler that does not look again sleeps for ever.
    """
    builder = GraphBuilder("two")
    for spin_ns in (5000, 100):
        builder.task("step", spin_ns=spin_ns)
    chip = load_chip("a2a3")
    slow = replace(
        chip,
        clusters=1,
        schedulers=1,
        scheduler=replace(chip.scheduler, release_tasks=1),
        orchestrator=replace(chip.orchestrator, submit_ps=20_000_000),
    )
    options = {"chip_swimlane": 3, "buffer_records": 2, "buffers": 1}
    outcome = run(tmp_path / "a.capture", builder.graph(), chip=slow, **options)
    assert outcome.result.truth is not None
    assert [true.task for true in outcome.result.truth.tasks] == [0, 1]


def test_a_scheduler_that_waited_for_a_buffer_gives_back_its_places(tmp_path: Path) -> None:
    """It started a block on the other scheduler's core, and waits to record that until all is over.

    Nobody tells it again that its places are to be given back.
    """
    builder = GraphBuilder("three")
    for spin_ns, together in ((5000, True), (1000, False), (5000, True)):
        builder.task("step", spin_ns=spin_ns, together=together)
    chip = load_chip("a2a3")
    slow = replace(
        small_chip(),
        aiv_per_cluster=1,
        orchestrator=replace(chip.orchestrator, submit_ps=20_000_000),
    )
    options = {"chip_swimlane": 3, "buffer_records": 3, "buffers": 1}
    outcome = run(tmp_path / "a.capture", builder.graph(), chip=slow, **options)
    assert outcome.result.truth is not None
    given = [phase.tasks for phase in outcome.result.truth.phases if phase.kind == "release"]
    assert sum(given) == 3
    assert min(outcome.result.scheduler_ps) > 0
