"""The core swimlane of simulated runs: what was decoded is what happened, at the stated cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.platforms.sim.marked import require_same_insides, streams_of

from lanescope.capture.bursts import NO_CLOCKS
from lanescope.capture.rebuild import rebuild
from lanescope.device.layouts import constant, layout
from lanescope.device.region import open_region
from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.engine import ASSUMED, Behaviour
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.trace import MISSING, Trace
from lanescope.trace.flags import Feature
from lanescope.trace.meta import LedgerEntry
from lanescope.workloads import WORKLOADS, build_workload
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import matmul_kernel

SMALL = {
    "chain": {"tasks": "20"},
    "decode_layer": {"heads": "4", "hidden": "512", "context": "256", "inner": "1024"},
    "fan": {"width": "30"},
    "matmul_add": {"rows": "3", "columns": "3"},
    "mixed": {"rounds": "2"},
    "paged_attention": {"batches": "6"},
    "random_dag": {"tasks": "80"},
    "spmd_mix": {"rounds": "1"},
    "vector": {"tiles": "12"},
}
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
ENGINES = [
    Behaviour(),
    Behaviour(wrap="ring"),
    Behaviour(wrap="ring", pointer="byte_count"),
    Behaviour(wrap="ring", pointer="burst_index", address="physical"),
    Behaviour(coherent=False, fixp_code=6),
]


def small() -> Chip:
    return replace(load_chip("a5"), clusters=2, schedulers=2)


def with_buffer(chip: Chip, size: int) -> Chip:
    assert chip.perfmon is not None
    return replace(chip, perfmon=replace(chip.perfmon, buffer_bytes=size))


def run(
    directory: Path,
    chip: Chip,
    graph: TaskGraph,
    *,
    pre_dispatch: int = 1,
    engine: Behaviour = ASSUMED,
    **options: object,
) -> SimOutcome:
    return simulate_recorded(
        graph,
        chip,
        Recording(**{"core_swimlane": True, **options}),  # type: ignore[arg-type]
        directory=directory,
        pre_dispatch=pre_dispatch,
        keep_truth=True,
        engine=engine,
    )


def matmuls(rows: int = 3) -> TaskGraph:
    return build_workload("matmul_add", {"rows": str(rows), "columns": "3"})


def trace_of(outcome: SimOutcome) -> Trace:
    assert outcome.trace is not None
    return outcome.trace


def entries(outcome: SimOutcome, kind: str) -> list[LedgerEntry]:
    return [entry for entry in trace_of(outcome).meta.ledger if entry.kind == kind]


def require_whole(outcome: SimOutcome, directory: Path, chip: Chip) -> None:
    assert outcome.result.truth is not None
    require_same_insides(streams_of(directory, chip), outcome.result.truth, chip)
    for entry in trace_of(outcome).meta.ledger:
        assert (entry.dropped, entry.unmatched, entry.closes) == (0, 0, True), entry


# ---- truth -----------------------------------------------------------------------------------


def test_every_workload_has_small_settings() -> None:
    assert SMALL.keys() == WORKLOADS.keys()


@pytest.mark.parametrize("workload", SMALL)
def test_what_is_decoded_is_what_happened(tmp_path: Path, workload: str) -> None:
    chip = small()
    outcome = run(tmp_path / "a", chip, build_workload(workload, SMALL[workload]))
    require_whole(outcome, tmp_path / "a", chip)
    marks = trace_of(outcome).marks
    assert len(marks) and np.all(marks["task"] != MISSING)
    assert Feature(trace_of(outcome).meta.flags) & Feature.CORE_SWIMLANE


def test_all_cores_of_the_whole_chip_deliver(tmp_path: Path) -> None:
    chip = load_chip("a5")
    outcome = run(tmp_path / "a", chip, build_workload("paged_attention", {"batches": "120"}))
    require_whole(outcome, tmp_path / "a", chip)
    assert np.unique(trace_of(outcome).marks["core"]).tolist() == list(range(108))


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("size", [4096, 8192 + 20])
def test_every_kind_of_buffer_is_drained_whole(
    tmp_path: Path, engine: Behaviour, size: int
) -> None:
    """Rings wrap every few tasks; a size that is no whole number of bursts is not used up."""
    chip = with_buffer(small(), size)
    outcome = run(tmp_path / "a", chip, matmuls(4), engine=engine)
    require_whole(outcome, tmp_path / "a", chip)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("pre_dispatch", [0, 2])
@pytest.mark.parametrize("level", [0, 2, 4])
def test_tiny_buffers_lose_nothing_when_producers_wait(
    tmp_path: Path, protocol: str, pre_dispatch: int, level: int
) -> None:
    chip = small()
    outcome = run(
        tmp_path / "a",
        chip,
        build_workload("vector", {"tiles": "4"}),
        chip_swimlane=level,
        protocol=protocol,
        pre_dispatch=pre_dispatch,
        buffer_records=3,
        buffers=2 if protocol == "after-finish" else 1,
    )
    require_whole(outcome, tmp_path / "a", chip)


def test_runs_that_share_the_memory_are_decoded_as_they_happened(tmp_path: Path) -> None:
    chip = small()
    chip = replace(chip, memory=replace(chip.memory, hbm_bytes_per_s=50_000_000_000))
    outcome = run(tmp_path / "a", chip, build_workload("vector", {"tiles": "6"}))
    require_whole(outcome, tmp_path / "a", chip)


def test_clocks_that_share_no_whole_picosecond(tmp_path: Path) -> None:
    chip = small()
    clock = replace(chip.clock, counter_hz=48_000_000, aic_hz=1_300_000_000, aiv_hz=1_850_000_000)
    chip = replace(chip, clock=clock)
    outcome = run(tmp_path / "a", chip, matmuls())
    require_whole(outcome, tmp_path / "a", chip)


def test_blocks_of_a_task_are_told_apart(tmp_path: Path) -> None:
    builder = GraphBuilder("blocks")
    builder.task("wide", kind="aiv", spin_ns=2000, blocks=9)
    builder.task(
        "both", kind="aic", kernel=matmul_kernel(128, 128, 128), after=[0], blocks=3, partners=2
    )
    chip = small()
    outcome = run(tmp_path / "a", chip, builder.graph())
    require_whole(outcome, tmp_path / "a", chip)
    tasks = trace_of(outcome).tasks
    blocks = [tasks["block"][tasks["task"] == task].tolist() for task in (0, 1)]
    assert sorted(blocks[0]) == list(range(9))
    assert sorted(blocks[1]) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    for cluster_core in (0, 1):  # a cube core and its partners work on the same block
        of = [tasks["block"][(tasks["task"] == 1) & (tasks["core"] == c)].tolist()
              for c in (cluster_core, 2 + 2 * cluster_core, 3 + 2 * cluster_core)]  # fmt: skip
        assert of[0] == of[1] == of[2]


# ---- losses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("size", [16, 32, 480, 1024])
def test_a_buffer_too_small_loses_chunks_and_every_one_is_counted(
    tmp_path: Path, engine: Behaviour, size: int
) -> None:
    chip = with_buffer(small(), size)
    enough = run(tmp_path / "a", small(), matmuls())
    outcome = run(tmp_path / "b", chip, matmuls(), engine=engine)
    made = {entry.lane: entry.total for entry in entries(enough, "engine chunk")}
    found = entries(outcome, "engine chunk")
    assert {entry.lane: entry.total for entry in found} == made
    assert all(entry.closes for entry in trace_of(outcome).meta.ledger)
    streams = streams_of(tmp_path / "b", chip)
    for entry in found:
        parts = streams.get(int(entry.lane.split()[1]), [])
        accounts = [part.account for part in parts]
        arrived = sum(a.total - a.filler - a.sentinel for a in accounts) // 4
        assert entry.delivered == arrived
        assert entry.dropped == entry.total - arrived
    assert sum(entry.dropped for entry in found) > 0


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_after_a_loss_nothing_wrong_is_shown(tmp_path: Path, engine: Behaviour) -> None:
    """Every busy interval of the short run is one of the whole run's; none spans the loss."""
    graph = matmuls()
    whole = trace_of(run(tmp_path / "a", small(), graph, engine=engine))
    cut = trace_of(run(tmp_path / "b", with_buffer(small(), 480), graph, engine=engine))
    tables = [[row for row in rows(trace) if MISSING not in row] for trace in (whole, cut)]
    assert 0 < len(tables[1]) < len(tables[0])
    # Drains take time, so ticks fall elsewhere in the other run: times and lengths differ by 1 ns.
    known: dict[tuple[object, ...], set[tuple[int, int]]] = {}
    for pipe, number, task, start, end in tables[0]:
        known.setdefault((pipe, number, task), set()).add((start, end))
    for pipe, number, task, start, end in tables[1]:
        assert any(
            abs(start - other[0]) <= 2 and abs(end - other[1]) <= 2
            for other in known[pipe, number, task]
        )


def rows(trace: Trace) -> list[tuple[str, int, int, int, int]]:
    """Pipe, mark, task, and start and end since the task began, of what belongs to a task."""
    tasks = trace.tasks
    begin = dict(zip(tasks["task"].tolist(), tasks["start_ns"].tolist(), strict=True))
    marks = trace.marks
    columns = (marks[name].tolist() for name in ("mark", "task", "start_ns", "end_ns"))
    return [
        (pipe, mark, task, *(MISSING if t == MISSING else t - begin[task] for t in (start, end)))
        for pipe, mark, task, start, end in zip(trace.text("marks", "pipe"), *columns, strict=True)
        if task != MISSING
    ]


def test_a_lost_host_costs_bursts_and_every_one_is_counted(tmp_path: Path) -> None:
    chip = small()
    slow = replace(chip, recording=replace(chip.recording, host_latency_ps=50_000_000_000))
    outcome = run(tmp_path / "a", slow, matmuls(), on_full="drop", buffer_records=4, buffers=2)
    assert all(entry.closes for entry in trace_of(outcome).meta.ledger)
    assert sum(entry.dropped for entry in entries(outcome, "burst")) > 0
    assert sum(entry.dropped for entry in entries(outcome, "engine chunk")) == 0


def test_a_slow_host_makes_the_controller_wait_for_its_bursts(tmp_path: Path) -> None:
    chip = small()
    slow = replace(chip, recording=replace(chip.recording, host_latency_ps=500_000_000))
    outcome = run(tmp_path / "a", slow, matmuls(), chip_swimlane=1, buffer_records=8, buffers=1)
    require_whole(outcome, tmp_path / "a", slow)
    assert "scheduler" in set(trace_of(outcome).text("stalls", "lane"))


# ---- what it costs ---------------------------------------------------------------------------


@pytest.mark.parametrize("workload", SMALL)
def test_no_task_takes_longer(tmp_path: Path, workload: str) -> None:
    chip, graph = small(), build_workload(workload, SMALL[workload])
    off = run(tmp_path / "a", chip, graph, core_swimlane=False)
    on = run(tmp_path / "b", chip, graph)
    lengths = []
    for outcome in (off, on):
        assert outcome.result.truth is not None
        tasks = outcome.result.truth.tasks
        lengths.append(sorted((task.task, task.end_ps - task.start_ps) for task in tasks))
    assert lengths[0] == lengths[1]


def test_draining_that_costs_nothing_changes_nothing(tmp_path: Path) -> None:
    chip = small()
    assert chip.perfmon is not None
    free = replace(chip, perfmon=replace(chip.perfmon, drain_ps=0, burst_ps=0))
    free = replace(free, recording=replace(chip.recording, rotate_ps=0))
    off = run(tmp_path / "a", free, matmuls(), core_swimlane=False)
    on = run(tmp_path / "b", free, matmuls())
    assert off.result.truth is not None and on.result.truth is not None
    assert off.result.truth.tasks == on.result.truth.tasks
    assert off.result.makespan_ps == on.result.makespan_ps


def test_a_controller_pays_per_task_and_per_burst(tmp_path: Path) -> None:
    chip = replace(load_chip("a5"), clusters=1, schedulers=1, aiv_per_cluster=1)
    graph = build_workload("chain", {"tasks": "2"})
    off = run(tmp_path / "a", chip, graph, core_swimlane=False, pre_dispatch=0)
    on = run(tmp_path / "b", chip, graph, pre_dispatch=0)
    ends = [[t.finish_ps for t in o.result.truth.tasks] for o in (off, on)]  # type: ignore[union-attr]
    assert chip.perfmon is not None
    # A task of stated length makes 4 chunks of stamp and 2 of state: no burst is full yet.
    assert ends[0][0] == ends[1][0]
    assert ends[1][1] - ends[0][1] == chip.perfmon.drain_ps


def test_off_is_the_schedule_of_a_chip_without_engines(tmp_path: Path) -> None:
    chip = small()
    off = run(tmp_path / "a", chip, matmuls(), core_swimlane=False)
    none = run(tmp_path / "b", replace(chip, perfmon=None), matmuls(), core_swimlane=False)
    assert off.result == none.result
    assert off.region_bytes == none.region_bytes


# ---- memory, recovery, refusals --------------------------------------------------------------


def test_the_lanes_exist_only_when_they_are_asked_for(tmp_path: Path) -> None:
    sizes = {}
    for name, on in (("off", False), ("on", True)):
        options = {"core_swimlane": on, "buffer_records": 16, "buffers": 4}
        sizes[on] = run(tmp_path / name, small(), matmuls(), **options).region_bytes  # type: ignore[arg-type]
        kinds = open_region(tmp_path / name / "region").head.lanes["kind"].tolist()
        assert kinds.count(constant("LS_CORE_BURST")) == (6 if on else 0)
    assert sizes[True] - sizes[False] == 6 * (layout("ls_lane").itemsize + 4 * (64 + 16 * 32))


def test_a_capture_left_behind_gives_the_same_marks(tmp_path: Path) -> None:
    outcome = run(tmp_path / "a", small(), build_workload("vector", {"tiles": "4"}))
    (tmp_path / "a" / "spool").unlink()  # only the region is left
    again = rebuild(tmp_path / "a").trace
    first = trace_of(outcome)
    for name, column in first.marks.columns.items():
        assert np.array_equal(again.marks[name], column), name
    assert again.meta.ledger == first.meta.ledger


def test_without_a_plan_nothing_is_decoded_and_a_note_says_so(tmp_path: Path) -> None:
    run(tmp_path / "a", small(), build_workload("vector", {"tiles": "4"}))
    (tmp_path / "a" / "plan.lanes").rename(tmp_path / "gone")
    trace = rebuild(tmp_path / "a").trace
    assert len(trace.marks) == 0 and NO_CLOCKS in trace.meta.notes
    assert all(entry.closes for entry in trace.meta.ledger)


def test_counters_and_marks_can_be_recorded_together(tmp_path: Path) -> None:
    chip = small()
    outcome = run(tmp_path / "a", chip, matmuls(), pmu=2)
    require_whole(outcome, tmp_path / "a", chip)
    assert len(trace_of(outcome).counters)


def test_clocks_that_cannot_be_decoded_are_refused_before_the_run(tmp_path: Path) -> None:
    chip = small()
    odd = replace(chip, clock=replace(chip.clock, aic_hz=1_650_000_007, counter_hz=999_999_937))
    with pytest.raises(UsageError, match="have no common unit"):
        run(tmp_path / "a", odd, matmuls())
    assert list(tmp_path.iterdir()) == []
