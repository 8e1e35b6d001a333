"""What the simulated runtime does beside plain tasks: early ones, those that start together or are
finished by an engine, scopes and the window, and when places are given back."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.device.flags import level_features
from lanescope.errors import UsageError
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.platforms.sim.run import SimResult, simulate
from lanescope.platforms.sim.setup import SimSetup
from lanescope.platforms.sim.truth import TruePhase, TrueTask
from lanescope.workloads import GraphBuilder, build_workload
from lanescope.workloads.graph import NodeKind, TaskGraph


def chip(clusters: int = 4, window_tasks: int = 65536, release_tasks: int = 16) -> Chip:
    base = load_chip("a2a3")
    return replace(
        base,
        clusters=clusters,
        schedulers=2,
        orchestrator=replace(base.orchestrator, window_tasks=window_tasks),
        scheduler=replace(base.scheduler, release_tasks=release_tasks),
    )


def run(graph: TaskGraph, on: Chip | None = None, pre_dispatch: int = 1) -> SimResult:
    setup = SimSetup(chip=on or chip(), features=level_features(4), pre_dispatch=pre_dispatch)
    return simulate(graph, setup, keep_truth=True)


def tasks_of(result: SimResult) -> dict[int, list[TrueTask]]:
    assert result.truth is not None
    found = defaultdict(list)
    for true in result.truth.tasks:
        found[true.task].append(true)
    return found


def phases_of(result: SimResult, kind: str) -> list[TruePhase]:
    assert result.truth is not None
    return [phase for phase in result.truth.phases if phase.kind == kind]


# ---- early -----------------------------------------------------------------------------------


def two_steps(**manner: Any) -> TaskGraph:
    builder = GraphBuilder("two")
    first = builder.task("make", spin_ns=20_000)
    builder.task("use", after=[first], spin_ns=1_000, **manner)
    return builder.graph()


def test_an_early_task_waits_on_its_core_and_begins_as_soon_as_its_input_is_there() -> None:
    plain, early = run(two_steps()), run(two_steps(early=True))
    make, use = (tasks_of(early)[task][0] for task in (0, 1))
    assert use.dispatch_ps < make.end_ps < make.finish_ps < use.start_ps
    assert use.receive_ps < make.end_ps
    assert use.core != make.core
    assert [phase.tasks for phase in phases_of(early, "early_dispatch")] == [1]
    assert phases_of(plain, "early_dispatch") == []
    # Popping, writing and setting up were done before; the write that opens the gate is left.
    costs = chip()
    saved = costs.scheduler.pop_ps + costs.scheduler.dispatch_ps + costs.core.setup_ps
    gained = tasks_of(plain)[1][0].start_ps - use.start_ps
    assert gained >= saved
    assert gained <= saved + 2 * costs.recording.scheduler_phase_ps


def test_an_early_task_does_not_take_a_core_from_a_ready_one() -> None:
    builder = GraphBuilder("busy")
    first = builder.task("make", spin_ns=20_000)
    builder.task("use", after=[first], spin_ns=1_000, early=True)
    for _ in range(12):
        builder.task("other", spin_ns=5_000)
    result = run(builder.graph(), chip(clusters=1), pre_dispatch=0)
    done = tasks_of(result)
    assert len(done) == 14
    assert done[1][0].start_ps > done[0][0].finish_ps


def test_a_row_of_early_tasks_ends_also_on_one_core() -> None:
    builder = GraphBuilder("row")
    last: list[int] = []
    for _ in range(20):
        last = [builder.task("step", kind="aic", after=last, spin_ns=100, early=True)]
    assert len(tasks_of(run(builder.graph(), chip(clusters=1)))) == 20


# ---- together --------------------------------------------------------------------------------


def test_blocks_that_start_together_wait_for_enough_idle_cores() -> None:
    builder = GraphBuilder("sync")
    for _ in range(7):
        builder.task("long", spin_ns=30_000)
    builder.task("all", spin_ns=2_000, blocks=8, together=True)
    builder.task("later", spin_ns=1_000)
    result = run(builder.graph())
    blocks = tasks_of(result)[7]
    assert len({block.core for block in blocks}) == 8
    starts = sorted(block.start_ps for block in blocks)
    assert starts[-1] - starts[0] == 7 * chip().scheduler.publish_ps
    assert max(tasks_of(result)[task][0].finish_ps for task in range(7)) <= starts[0]
    # Meanwhile nobody was given anything else, although a core was idle.
    assert tasks_of(result)[8][0].dispatch_ps >= max(block.dispatch_ps for block in blocks)
    (drain,), (prepare,), (publish,) = (
        phases_of(result, kind) for kind in ("drain", "drain_prepare", "drain_publish")
    )
    assert drain.start_ps == prepare.start_ps < prepare.end_ps < publish.start_ps
    assert publish.end_ps < drain.end_ps
    assert (drain.tasks, prepare.tasks, publish.tasks) == (8, 8, 8)


def test_more_blocks_at_once_than_the_chip_has_cores_are_refused() -> None:
    builder = GraphBuilder("sync")
    builder.task("all", spin_ns=1, blocks=9, together=True)
    with pytest.raises(
        UsageError, match="task 0 of sync starts on 9 cores at once; a2a3 has 8 of kind aiv"
    ):
        run(builder.graph())


# ---- engines ---------------------------------------------------------------------------------


def test_a_task_that_an_engine_finishes_is_done_when_the_engine_is() -> None:
    builder = GraphBuilder("copy")
    copy = builder.task("copy", spin_ns=1_000, wait_ns=50_000)
    builder.task("use", after=[copy], spin_ns=1_000)
    builder.task("other", spin_ns=1_000)
    result = run(builder.graph(), chip(clusters=1), pre_dispatch=0)
    (first,), (use,), (other,) = (tasks_of(result)[task] for task in range(3))
    assert use.dispatch_ps >= first.finish_ps + 50_000 * PS_PER_NS
    assert other.start_ps < first.finish_ps + 50_000 * PS_PER_NS, "its core is free meanwhile"
    (poll,) = phases_of(result, "async_poll")
    assert (poll.tasks, poll.end_ps >= first.finish_ps + 50_000 * PS_PER_NS) == (1, True)


# ---- nodes that no core runs -----------------------------------------------------------------


def test_barriers_and_skipped_tasks_leave_a_point_in_the_record() -> None:
    builder = GraphBuilder("silent")
    barrier = builder.task("barrier", node=NodeKind.DUMMY)
    skipped = builder.task("maybe", after=[barrier], node=NodeKind.SKIPPED)
    builder.task("run", after=[skipped], spin_ns=1)
    result = run(builder.graph())
    points = phases_of(result, "dummy_task") + phases_of(result, "predicated_skip")
    assert [(point.kind, point.task) for point in points] == [
        ("dummy_task", barrier),
        ("predicated_skip", skipped),
    ]
    assert all(point.start_ps == point.end_ps for point in points)
    outer = phases_of(result, "dummy")
    assert all(any(o.start_ps <= p.start_ps <= o.end_ps for o in outer) for p in points)


# ---- places ----------------------------------------------------------------------------------


def test_finished_tasks_are_released_in_batches_and_all_in_the_end() -> None:
    graph = build_workload("random_dag", {"tasks": "100"})
    releases = phases_of(run(graph, chip(release_tasks=7)), "release")
    assert sum(phase.tasks for phase in releases) == 100
    assert all(phase.tasks >= 7 for phase in releases[:-2]), "the last of each scheduler may be few"


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.integers(1, 60), st.integers(1, 500), st.integers(1, 8), st.integers(1, 20))
def test_the_window_bounds_how_far_the_orchestrator_is_ahead(
    tasks: int, seed: int, places: int, release_tasks: int
) -> None:
    graph = build_workload("random_dag", {"tasks": str(tasks), "seed": str(seed)})
    result = run(graph, chip(window_tasks=places, release_tasks=release_tasks))
    done = tasks_of(result)
    for phase in phases_of(result, "submit"):
        if phase.task >= places:
            assert done[phase.task - places][0].finish_ps <= phase.end_ps


def test_a_window_that_is_large_enough_changes_nothing() -> None:
    graph = build_workload("random_dag", {"tasks": "80"})
    exact, large = (run(graph, chip(window_tasks=places)) for places in (80, 65536))
    assert exact == large


def scoped(tasks_per_scope: int, scopes: int = 3) -> TaskGraph:
    builder = GraphBuilder("scoped")
    for _ in range(scopes):
        with builder.scope():
            for _ in range(tasks_per_scope):
                builder.task("step", spin_ns=100)
    return builder.graph()


def test_a_scope_keeps_its_places_until_it_ends() -> None:
    """Four places, scopes of four: each must wait for the whole scope before it."""
    result = run(scoped(4), chip(window_tasks=4, release_tasks=1))
    ends = phases_of(result, "scope_end")
    submits = {phase.task: phase for phase in phases_of(result, "submit")}
    assert [end.task for end in ends] == [3, 7, 11]
    costs = chip().orchestrator
    assert all(end.end_ps - end.start_ps == 4 * costs.scope_end_ps for end in ends)
    assert submits[4].end_ps >= ends[0].end_ps
    free = run(scoped(4), chip(window_tasks=12))
    assert submits[8].end_ps > {p.task: p for p in phases_of(free, "submit")}[8].end_ps


def test_a_graph_larger_than_the_window_must_be_in_order() -> None:
    builder = GraphBuilder("backward")
    for _ in range(3):
        builder.task("step", spin_ns=1)
    builder.edge(2, 0)
    with pytest.raises(UsageError, match="task 0 of backward waits for task 2, which comes after"):
        run(builder.graph(), chip(window_tasks=2))
    assert len(tasks_of(run(builder.graph(), chip(window_tasks=3)))) == 3


@pytest.mark.parametrize(
    ("manner", "sentence"),
    [
        ({"early": True, "blocks": 2}, "task 0 of odd is early, but only a task on one core can"),
        (
            {"together": True, "kind": "aic", "partners": 1},
            "task 0 of odd starts together, but has partners, is early or runs nowhere",
        ),
        (
            {"wait_ns": 5, "node": NodeKind.DUMMY},
            "task 0 of odd has wait_ns, but runs on no core",
        ),
        ({"wait_ns": -5}, "task 0 of odd has wait_ns -5, expected 0 to"),
    ],
)
def test_manners_that_cannot_be_are_refused(manner: dict[str, Any], sentence: str) -> None:
    builder = GraphBuilder("odd")
    builder.task("step", **{"kind": "aiv"} | manner)
    with pytest.raises(UsageError, match=sentence):
        builder.graph().check()


def test_scopes_that_cross_are_refused() -> None:
    graph = replace(scoped(2, 2), scopes=np.array([[0, 3], [1, 4]]))
    with pytest.raises(UsageError, match="a scope of scoped has tasks 1 to 3; expected tasks that"):
        graph.check()
