"""Counters in simulated runs: captured as they happened, at the cost that was stated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.platforms.sim.counted import captured, require_same_counters

from lanescope.capture.rebuild import rebuild
from lanescope.device.layouts import constant, layout
from lanescope.device.region import open_region
from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.pmu import SINGLE_ISSUE
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.trace import MISSING
from lanescope.trace.flags import Feature
from lanescope.workloads import build_workload
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.kernels import matmul_kernel

GROUPS = (1, 2, 4, 5, 6, 7, 8)
PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
MATMUL = {"rows": "3", "columns": "3"}


def small(name: str = "a2a3") -> Chip:
    """Two clusters, so that cores are scarce and buffers fill."""
    return replace(load_chip(name), clusters=2, schedulers=2)


def narrow(name: str) -> Chip:
    """Its cores share a memory that is too slow for them."""
    chip = small(name)
    return replace(chip, memory=replace(chip.memory, hbm_bytes_per_s=50_000_000_000))


def run(
    directory: Path, chip: Chip, graph: TaskGraph | None = None, **options: object
) -> SimOutcome:
    pre_dispatch = options.pop("pre_dispatch", 1)
    assert isinstance(pre_dispatch, int)
    return simulate_recorded(
        graph or build_workload("matmul_add", MATMUL),
        chip,
        Recording(**options),  # type: ignore[arg-type]
        directory=directory,
        pre_dispatch=pre_dispatch,
        keep_truth=True,
    )


@pytest.mark.parametrize("name", ["a2a3", "a5"])
@pytest.mark.parametrize("group", GROUPS)
def test_every_group_is_captured_as_it_happened(tmp_path: Path, name: str, group: int) -> None:
    chip = small(name)
    outcome = run(tmp_path / "a.capture", chip, pmu=group)
    require_same_counters(outcome, chip, group)
    assert outcome.trace is not None and outcome.trace.meta.recording is not None
    assert Feature(outcome.trace.meta.flags) & Feature.PMU
    assert outcome.trace.meta.recording.pmu_events == (group,)


@pytest.mark.parametrize("name", ["a2a3", "a5"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
@pytest.mark.parametrize("level", [0, 2, 4])
def test_tiny_buffers_lose_nothing_when_producers_wait(
    tmp_path: Path, name: str, protocol: str, pre_dispatch: int, level: int
) -> None:
    chip = small(name)
    outcome = run(
        tmp_path / "a.capture",
        chip,
        chip_swimlane=level,
        pmu="memory",
        protocol=protocol,
        pre_dispatch=pre_dispatch,
        buffer_records=2,
        buffers=2 if protocol == "after-finish" else 1,
    )
    require_same_counters(outcome, chip, 4)
    assert outcome.trace is not None
    for entry in outcome.trace.meta.ledger:
        assert (entry.dropped, entry.unmatched, entry.closes) == (0, 0, True)
    assert outcome.trace.meta.level == max(level, 1)


@pytest.mark.parametrize("workload", ["spmd_mix", "mixed", "random_dag"])
@pytest.mark.parametrize("name", ["a2a3", "a5"])
def test_tasks_of_any_shape_have_their_counters(tmp_path: Path, name: str, workload: str) -> None:
    chip = small(name)
    settings = {"tasks": "80"} if workload == "random_dag" else {"rounds": "1"}
    outcome = run(tmp_path / "a.capture", chip, build_workload(workload, settings), pmu=2)
    require_same_counters(outcome, chip, 2)


@pytest.mark.parametrize("name", ["a2a3", "a5"])
def test_runs_that_share_the_memory_differ_and_are_captured(tmp_path: Path, name: str) -> None:
    chip = narrow(name)
    graph = build_workload("vector", {})
    outcome = run(tmp_path / "a.capture", chip, graph, pmu=2)
    require_same_counters(outcome, chip, 2)
    assert outcome.result.truth is not None
    assert len({true.cycles for true in outcome.result.truth.counters}) > 3


@pytest.mark.parametrize(
    "chip", [small("a2a3"), small("a5"), narrow("a2a3")], ids=["a2a3", "a5", "narrow"]
)
def test_partners_of_a_cube_core_run_no_kernel_of_their_own(tmp_path: Path, chip: Chip) -> None:
    builder = GraphBuilder("both")
    builder.task("matmul", kind="aic", kernel=matmul_kernel(128, 128, 256), partners=2)
    outcome = run(tmp_path / "a.capture", chip, builder.graph(), pmu=2)
    require_same_counters(outcome, chip, 2)
    assert outcome.result.truth is not None
    aic, *aiv = sorted(outcome.result.truth.counters)
    assert aic.events and [true.events for true in aiv] == [{}, {}]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_lost_host_costs_samples_and_every_one_is_counted(tmp_path: Path, protocol: str) -> None:
    chip = small()
    slow = replace(chip, recording=replace(chip.recording, host_latency_ps=50_000_000))
    outcome = run(
        tmp_path / "a.capture",
        slow,
        build_workload("fan", {"width": "200"}),
        pmu=2,
        protocol=protocol,
        on_full="drop",
        buffer_records=2,
        buffers=2 if protocol == "after-finish" else 1,
    )
    trace = outcome.trace
    assert trace is not None
    assert all(entry.closes for entry in trace.meta.ledger)
    own = [entry for entry in trace.meta.ledger if entry.kind == "pmu"]
    assert sum(entry.total for entry in own) == 202
    assert sum(entry.dropped for entry in own) > 0
    assert {entry.lane for entry in own} == {f"core {core}" for core in range(6)}
    sampled = trace.counters["time_ns"] == MISSING
    matched = trace.counters["token"][sampled] != MISSING
    assert sum(entry.delivered for entry in own) * 9 == int(matched.sum())
    assert sum(entry.unmatched for entry in own) * 9 == int((~matched).sum())


def test_a_slow_host_makes_the_controller_wait_for_its_sample(tmp_path: Path) -> None:
    chip = small()
    slow = replace(chip, recording=replace(chip.recording, host_latency_ps=500_000_000))
    graph = build_workload("fan", {"width": "60"})
    outcome = run(
        tmp_path / "a.capture", slow, graph, chip_swimlane=1, pmu=2, buffer_records=2, buffers=1
    )
    require_same_counters(outcome, slow, 2)
    assert outcome.trace is not None
    lanes = set(outcome.trace.text("stalls", "lane"))
    assert lanes == {"core", "scheduler"}


def test_a_wrapped_token_finds_its_row(tmp_path: Path) -> None:
    chip = small("a5")
    first = (1 << 32) - 3
    outcome = run(
        tmp_path / "a.capture", chip, build_workload("chain", {"tasks": "40"}), pmu=2,
        first_token=first,
    )  # fmt: skip
    trace = outcome.trace
    assert trace is not None
    rows = set(zip(trace.tasks["core"].tolist(), trace.tasks["token"].tolist(), strict=True))
    samples = set(
        zip(trace.counters["core"].tolist(), trace.counters["token"].tolist(), strict=True)
    )
    assert samples == rows
    assert max(token for _, token in rows) >= 1 << 32


# ---- what it costs ---------------------------------------------------------------------------


def tasks_of(outcome: SimOutcome) -> list[object]:
    assert outcome.result.truth is not None
    return list(outcome.result.truth.tasks)


@pytest.mark.parametrize("name", ["a2a3", "a5"])
def test_off_is_the_schedule_of_a_chip_that_has_no_counters(tmp_path: Path, name: str) -> None:
    chip = small(name)
    without = replace(chip, pmu=None)
    off = run(tmp_path / "a.capture", chip)
    none = run(tmp_path / "b.capture", without)
    assert tasks_of(off) == tasks_of(none)
    assert off.result.makespan_ps == none.result.makespan_ps
    assert off.region_bytes == none.region_bytes
    assert off.result.truth is not None and off.result.truth.counters == []


@pytest.mark.parametrize(("name", "pre_dispatch"), [("a2a3", 0), ("a5", 0), ("a5", 2)])
def test_counting_that_costs_nothing_changes_nothing(
    tmp_path: Path, name: str, pre_dispatch: int
) -> None:
    chip = small(name)
    assert chip.pmu is not None
    free = replace(chip, pmu=replace(chip.pmu, register_read_ps=0, record_ps=0))
    off = run(tmp_path / "a.capture", free, pre_dispatch=pre_dispatch)
    on = run(tmp_path / "b.capture", free, pre_dispatch=pre_dispatch, pmu=2)
    assert tasks_of(off) == tasks_of(on)
    assert off.result.makespan_ps == on.result.makespan_ps


def test_a_controller_pays_ten_reads_between_two_finishes(tmp_path: Path) -> None:
    """One core, one task after the other: the next finish is later by the reads and the record."""
    chip = replace(load_chip("a2a3"), clusters=1, schedulers=1, aiv_per_cluster=1)
    graph = build_workload("chain", {"tasks": "2"})
    off = run(tmp_path / "a.capture", chip, graph, pre_dispatch=0)
    on = run(tmp_path / "b.capture", chip, graph, pmu=2)
    ends = [[task.finish_ps for task in o.result.truth.tasks] for o in (off, on)]  # type: ignore[union-attr]
    assert chip.pmu is not None
    cost = 10 * chip.pmu.register_read_ps + chip.pmu.record_ps
    assert ends[0][0] == ends[1][0]
    assert ends[1][1] - ends[0][1] == cost


def test_a_core_that_reads_its_own_reports_twelve_reads_later(tmp_path: Path) -> None:
    chip = replace(load_chip("a5"), clusters=1, schedulers=1, aiv_per_cluster=1)
    graph = build_workload("chain", {"tasks": "1"})
    off = run(tmp_path / "a.capture", chip, graph)
    on = run(tmp_path / "b.capture", chip, graph, pmu=2)
    (before,), (after,) = (o.result.truth.tasks for o in (off, on))  # type: ignore[union-attr]
    assert chip.pmu is not None
    assert (after.start_ps, after.end_ps) == (before.start_ps, before.end_ps)
    reading = 12 * chip.pmu.register_read_ps
    round_ps = chip.scheduler.loop_ps + chip.scheduler.poll_core_ps
    later = after.finish_ps - before.finish_ps
    assert reading - round_ps < later < reading + round_ps


def test_where_the_controller_reads_no_task_is_held_in_advance(tmp_path: Path) -> None:
    said = {}
    for name in ("a2a3", "a5"):
        outcome = run(tmp_path / name, small(name), pmu=2, pre_dispatch=2)
        assert outcome.trace is not None and outcome.trace.meta.recording is not None
        said[name] = outcome.trace.meta.recording.pre_dispatch, outcome.trace.meta.notes
    assert said == {"a2a3": (0, (SINGLE_ISSUE,)), "a5": (2, ())}
    unchanged = run(tmp_path / "c", small("a2a3"), pmu=2, pre_dispatch=0).trace
    assert unchanged is not None and unchanged.meta.notes == ()


# ---- memory, layout, refusals ----------------------------------------------------------------


def test_the_lanes_exist_only_when_they_are_asked_for(tmp_path: Path) -> None:
    chip = small()
    sizes = {}
    for name, pmu in (("off", None), ("on", 2)):
        sizes[name] = run(tmp_path / name, chip, pmu=pmu, buffer_records=16, buffers=4).region_bytes
        kinds = open_region(tmp_path / name / "region").head.lanes["kind"].tolist()
        assert kinds.count(constant("LS_PMU_SAMPLE")) == (6 if pmu else 0)
    assert sizes["on"] - sizes["off"] == 6 * (layout("ls_lane").itemsize + 4 * (64 + 16 * 64))


def test_the_record_lies_as_the_runtimes_own_but_for_the_token() -> None:
    record = layout("ls_pmu")
    assert record.fields is not None
    offsets = {name: record.fields[name][1] for name in record.names or ()}
    assert offsets == {"task": 0, "func": 8, "token": 12, "total_cycles": 16, "counters": 24}
    assert (record.itemsize, record["counters"].shape) == (64, (10,))


def test_a_capture_left_behind_gives_the_same_counters(tmp_path: Path) -> None:
    chip = small("a5")
    outcome = run(tmp_path / "a.capture", chip, pmu=2)
    (tmp_path / "a.capture" / "spool").unlink()  # only the region is left
    again = rebuild(tmp_path / "a.capture").trace
    assert outcome.trace is not None
    assert captured(again) == captured(outcome.trace)
    assert again.meta.recording is not None and again.meta.recording.pmu_events == (2,)


def test_without_a_plan_the_counters_have_numbers(tmp_path: Path) -> None:
    run(tmp_path / "a.capture", small("a5"), pmu=2)
    plan = next(path for path in (tmp_path / "a.capture").iterdir() if path.name == "plan.lanes")
    plan.rename(tmp_path / "gone")
    trace = rebuild(tmp_path / "a.capture").trace
    names = set(trace.text("counters", "name"))
    assert names == {"pmu_total_cycles", *(f"counter_{slot}" for slot in range(10))}
    assert np.all(trace.counters["token"] != MISSING)


def test_a_chip_without_counters_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^a2a3 has no performance counters: its file has no "):
        run(tmp_path / "a.capture", replace(small(), pmu=None), pmu=2)
    assert list(tmp_path.iterdir()) == []
