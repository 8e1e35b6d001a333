"""Tasks of several cores and of none: SPMD, MIX, barriers, allocations, skipped tasks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lanescope
from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.platforms.sim.truth import TrueTask
from lanescope.trace import Trace
from lanescope.trace.schema import TaskFlag
from lanescope.workloads import GraphBuilder
from lanescope.workloads.graph import NodeKind, TaskGraph


def chip(clusters: int = 2) -> Chip:
    return replace(load_chip("a2a3"), clusters=clusters, schedulers=1)


def run(
    tmp_path: Path, graph: TaskGraph, clusters: int = 2, pre_dispatch: int = 1
) -> tuple[Trace, list[TrueTask]]:
    outcome = simulate_recorded(
        graph,
        chip(clusters),
        Recording(),
        directory=tmp_path / "a.capture",
        pre_dispatch=pre_dispatch,
        keep_truth=True,
    )
    assert outcome.trace is not None
    assert outcome.result.truth is not None
    return outcome.trace, outcome.result.truth.tasks


def test_every_block_runs_also_when_there_are_more_than_cores(tmp_path: Path) -> None:
    builder = GraphBuilder("spmd")
    wide = builder.task("wide", kind="aiv", spin_ns=1000, blocks=11)
    builder.task("after", kind="aiv", after=[wide], spin_ns=1000)
    trace, truth = run(tmp_path, builder.graph())
    blocks = [task for task in truth if task.task == wide]
    [last] = [task for task in truth if task.task != wide]
    assert len(blocks) == 11
    assert {task.core for task in blocks} == {2, 3, 4, 5}
    assert max(task.end_ps for task in blocks) <= last.start_ps
    assert trace.tasks["blocks"][trace.tasks["task"] == wide].tolist() == [11] * 11


@pytest.mark.parametrize("partners", [1, 2])
@pytest.mark.parametrize("pre_dispatch", [0, 1, 2])
def test_a_mix_task_runs_on_the_cores_of_one_cluster(
    tmp_path: Path, partners: int, pre_dispatch: int
) -> None:
    builder = GraphBuilder("mix")
    for _ in range(5):
        builder.task("both", kind="aic", spin_ns=2000, partners=partners)
        builder.task("single", kind="aiv", spin_ns=500)
        builder.task("cube", kind="aic", spin_ns=500)
    trace, truth = run(tmp_path, builder.graph(), pre_dispatch=pre_dispatch)
    clusters = chip().clusters_of()
    for task in range(0, 15, 3):
        cores = sorted(one.core for one in truth if one.task == task)
        assert len(cores) == 1 + partners
        assert len({clusters[core] for core in cores}) == 1
        assert cores[0] < 2 <= cores[1]
    mixed = (trace.tasks["flags"] & TaskFlag.MIX) != 0
    assert sorted(set(trace.tasks["task"][mixed].tolist())) == [0, 3, 6, 9, 12]
    assert trace.meta.queues == ("aic", "aiv", "mix")


def test_a_barrier_holds_back_what_comes_after_it(tmp_path: Path) -> None:
    builder = GraphBuilder("barrier")
    first = [builder.task("a", kind="aiv", spin_ns=1000 * n) for n in (1, 5, 9)]
    barrier = builder.task("barrier", after=first, node=NodeKind.DUMMY)
    builder.task("b", kind="aic", after=[barrier], spin_ns=100)
    trace, truth = run(tmp_path, builder.graph())
    ends = [task.end_ps for task in truth if task.task in first]
    [after] = [task for task in truth if task.task == 4]
    assert max(ends) <= after.start_ps
    assert "dummy" in trace.text("phases", "kind")
    row = int(np.flatnonzero(trace.tasks["task"] == barrier)[0])
    assert (trace.text("tasks", "kind")[row], int(trace.tasks["core"][row]) < 0) == ("dummy", True)


def test_allocations_and_skipped_tasks_run_nowhere_and_are_in_the_trace(tmp_path: Path) -> None:
    builder = GraphBuilder("silent")
    memory = builder.task("alloc", node=NodeKind.ALLOC)
    first = builder.task("a", kind="aiv", after=[memory], spin_ns=100)
    skipped = builder.task("maybe", after=[first], node=NodeKind.SKIPPED)
    builder.task("b", kind="aiv", after=[skipped], spin_ns=100)
    trace, truth = run(tmp_path, builder.graph())
    assert [task.task for task in truth] == [1, 3]
    assert truth[0].end_ps < truth[1].start_ps
    kinds = dict(zip(trace.tasks["task"].tolist(), trace.text("tasks", "kind"), strict=True))
    assert kinds == {0: "alloc", 1: "run", 2: "skipped", 3: "run"}
    assert "predicated_skip" in trace.text("phases", "kind")


def test_a_graph_of_silent_nodes_only_ends(tmp_path: Path) -> None:
    builder = GraphBuilder("nothing")
    builder.task("alloc", node=NodeKind.ALLOC)
    trace, truth = run(tmp_path, builder.graph())
    assert truth == []
    assert trace.text("tasks", "kind") == ["alloc"]


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ({"blocks": 0}, "has blocks 0, expected 1 to"),
        ({"partners": 3}, "has partners 3, expected 0 to 2"),
        ({"kind": "aiv", "partners": 1}, "has partners, but only a task of kind aic can"),
    ],
)
def test_shapes_that_cannot_be_are_refused(shape: dict[str, object], sentence: str) -> None:
    builder = GraphBuilder("bad")
    builder.task("a", **{"kind": "aic", "spin_ns": 1, **shape})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=sentence):
        builder.graph().check()


def test_a_task_larger_than_a_cluster_is_refused(tmp_path: Path) -> None:
    builder = GraphBuilder("large")
    builder.task("a", kind="aic", spin_ns=1, partners=2)
    small = replace(chip(), aiv_per_cluster=1)
    with pytest.raises(UsageError, match="needs a cube core and 2 vector cores of one cluster"):
        simulate_recorded(builder.graph(), small, Recording(), directory=tmp_path / "a.capture")
    assert list(tmp_path.iterdir()) == []


def test_threads_refuse_what_they_cannot_run() -> None:
    builder = GraphBuilder("spmd")
    builder.task("wide", kind="aiv", spin_ns=1000, blocks=2)
    with pytest.raises(UsageError, match="only simulated chips run"):
        lanescope.run(builder.graph(), platform="threads")


def test_a_long_chain_of_allocations_is_no_problem(tmp_path: Path) -> None:
    builder = GraphBuilder("allocations")
    for number in range(3000):
        builder.task("alloc", node=NodeKind.ALLOC, after=[number + 1] if number < 2999 else [])
    trace, _ = run(tmp_path, builder.graph())
    assert len(trace.tasks) == 3000


def test_switching_buffers_costs_what_the_chip_says(tmp_path: Path) -> None:
    builder = GraphBuilder("row")
    for _ in range(40):
        builder.task("a", kind="aiv", spin_ns=100)
    dear = replace(chip(), recording=replace(chip().recording, rotate_ps=50_000_000))
    makespans = [
        simulate_recorded(
            builder.graph(),
            one,
            Recording(buffer_records=2),
            directory=tmp_path / f"{number}.capture",
        ).result.makespan_ps
        for number, one in enumerate((chip(), dear))
    ]
    assert makespans[1] > makespans[0] + 50_000_000


def test_two_orchestrators_submit_in_half_the_time(tmp_path: Path) -> None:
    builder = GraphBuilder("row")
    for _ in range(100):
        builder.task("a", kind="aiv", spin_ns=100)
    ends = [
        simulate_recorded(
            builder.graph(),
            replace(chip(), orchestrators=count),
            Recording(chip_swimlane=0),
            directory=tmp_path / f"{count}.capture",
        ).result.orchestrator_ps
        for count in (1, 2)
    ]
    assert 2 * ends[1] == ends[0]
