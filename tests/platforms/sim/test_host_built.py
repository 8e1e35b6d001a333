"""A chip without an orchestrator, schedulers that read cores one by one, and drawn lengths."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from lanescope.device.flags import level_features
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.run import SimResult, simulate, simulate_recorded
from lanescope.platforms.sim.setup import SimSetup
from lanescope.platforms.sim.truth import TruePhase, TrueTask
from lanescope.workloads import GraphBuilder, TaskGraph, build_workload
from lanescope.workloads.lengths import Draw, drawn

HBG = load_chip("a2a3-hbg")


def run(graph: TaskGraph, chip: Chip = HBG, level: int = 4, pre_dispatch: int = 1) -> SimResult:
    setup = SimSetup(chip=chip, features=level_features(level), pre_dispatch=pre_dispatch)
    return simulate(graph, setup, keep_truth=True)


def tasks_of(result: SimResult) -> list[TrueTask]:
    assert result.truth is not None
    return sorted(result.truth.tasks, key=lambda true: true.task)


def phases_of(result: SimResult, kind: str) -> list[TruePhase]:
    assert result.truth is not None
    return [phase for phase in result.truth.phases if phase.kind == kind]


def apart(count: int, *, kind: str = "aic", spin_ns: int = 5000) -> TaskGraph:
    """Tasks that wait for nobody."""
    builder = GraphBuilder("apart")
    for _ in range(count):
        builder.task("A", kind=kind, spin_ns=spin_ns)
    return builder.graph()


def with_scheduler(chip: Chip, **changes: int) -> Chip:
    return replace(chip, scheduler=replace(chip.scheduler, **changes))


def small(**changes: int) -> Chip:
    """One scheduler that serves one cluster: one aic, two aiv."""
    return with_scheduler(replace(HBG, clusters=1, schedulers=1), **changes)


def test_all_tasks_are_there_before_the_schedulers_begin() -> None:
    result = run(apart(1))
    costs = HBG.scheduler
    each_ps = costs.pop_ps + costs.dispatch_ps + 3 * costs.contention_ps
    assert tasks_of(result)[0].dispatch_ps == each_ps
    assert result.orchestrator_ps == 0


def test_nothing_is_submitted_or_released_and_no_window_holds_a_graph_back(tmp_path: Path) -> None:
    chip = replace(HBG, orchestrator=replace(HBG.orchestrator, window_tasks=5))
    graph = build_workload("paged_attention", {"batches": "8"})
    done = simulate_recorded(graph, chip, Recording(), directory=tmp_path / "capture")
    trace = done.trace
    assert trace is not None and len(trace.tasks) == 32
    kinds = Counter(trace.words[code] for code in trace.phases["kind"].tolist())
    assert set(kinds) == {"dispatch", "complete"}
    lanes = {trace.words[code] for code in trace.phases["lane"].tolist()}
    assert lanes == {"scheduler"}
    assert all((one.dropped, one.closes) == (0, True) for one in trace.meta.ledger)


def test_each_other_scheduler_makes_a_dispatch_dearer() -> None:
    one, four = (
        phases_of(run(apart(1), replace(HBG, schedulers=count)), "dispatch")[0] for count in (1, 4)
    )
    dearer = (four.end_ps - four.start_ps) - (one.end_ps - one.start_ps)
    assert dearer == 3 * HBG.scheduler.contention_ps == 3 * 128_000


@pytest.mark.parametrize(("sweeps", "given"), [(0, [2, 1]), (1, [1, 1, 1])])
def test_a_core_is_looked_at_before_it_is_given_another_task(sweeps: int, given: list[int]) -> None:
    """One aic core that can hold two: both at once, or the second in the round after."""
    result = run(apart(3, spin_ns=50_000), small(sweeps=sweeps))
    assert [phase.tasks for phase in phases_of(result, "dispatch")] == given
    first, second, _ = (true.dispatch_ps for true in tasks_of(result))
    costs = HBG.scheduler
    each_ps = costs.pop_ps + costs.dispatch_ps
    if sweeps:
        assert second - first > each_ps + costs.loop_ps + costs.poll_core_ps
        assert second < tasks_of(result)[0].end_ps
    else:
        assert second - first == each_ps


def completes(first_ns: int, second_ns: int, sweeps: int) -> int:
    """How many complete phases two tasks make on two cores, where a look takes 2 µs per core."""
    builder = GraphBuilder("two")
    for spin_ns in (first_ns, second_ns):
        builder.task("A", kind="aiv", spin_ns=spin_ns)
    result = run(builder.graph(), small(sweeps=sweeps, poll_core_ps=2_000_000))
    return len(phases_of(result, "complete"))


def test_a_look_sees_what_ends_while_it_reads_other_cores() -> None:
    pairs = [(20_000, 20_000 + 250 * step) for step in range(20)]
    at_once = [completes(*pair, sweeps=0) for pair in pairs]
    in_turn = [completes(*pair, sweeps=1) for pair in pairs]
    assert set(at_once) == set(in_turn) == {1, 2}
    assert all(turn <= once for once, turn in zip(at_once, in_turn, strict=True))
    # Half a look of 4 µs later than before: 8 steps of 250 ns.
    assert sum(at_once) - sum(in_turn) == 8


@pytest.mark.parametrize(("least_ps", "recorded"), [(0, 2), (44_000, 2), (44_001, 0)])
def test_a_short_resolve_phase_is_not_recorded(least_ps: int, recorded: int) -> None:
    chip = replace(small(), recording=replace(HBG.recording, resolve_least_ps=least_ps))
    result = run(build_workload("chain", {"tasks": "3"}), chip)
    assert len(phases_of(result, "resolve")) == recorded
    assert len(phases_of(result, "complete")) == 3


def test_every_block_runs_as_long_as_was_drawn_for_it() -> None:
    builder = GraphBuilder("wide")
    builder.vary("M", sigma_ns=300)
    builder.task("M", kind="aic", blocks=5, partners=1, spin_ns=4000)
    builder.task("M", kind="aic", spin_ns=4000)
    graph = drawn(builder.graph(), Draw(5))
    assert graph.unit_ps is not None
    for name in ("a2a3", "a2a3-hbg"):
        found = sorted(
            true.end_ps - true.start_ps for true in tasks_of(run(graph, load_chip(name)))
        )
        assert found == sorted(graph.unit_ps.tolist()) and len(set(found)) == 11


def test_lengths_of_kernels_stay_beside_drawn_ones() -> None:
    graph = build_workload("matmul_add", {"rows": "1", "columns": "1"})
    plain = [true.end_ps - true.start_ps for true in tasks_of(run(graph))]
    units = drawn(replace(apart(2), spreads=()), Draw()).unit_ps
    assert units is None and len(plain) == 2
    builder = GraphBuilder("both")
    builder.vary("S", sigma_ns=100)
    builder.task("S", spin_ns=1000)
    builder.task("matmul", kind="aic", kernel=graph.kernels[0])
    both = drawn(builder.graph(), Draw())
    assert both.unit_ps is not None
    lengths = [true.end_ps - true.start_ps for true in tasks_of(run(both))]
    assert lengths == [both.unit_ps[0], plain[0]]


def test_two_orchestrators_record_on_lanes_of_their_own_and_every_task_is_submitted_once(
    tmp_path: Path,
) -> None:
    chip = replace(load_chip("a2a3"), orchestrators=2)
    graph = build_workload("paged_attention", {"batches": "30"})
    trace = simulate_recorded(graph, chip, Recording(), directory=tmp_path / "capture").trace
    assert trace is not None
    submits = trace.phases["kind"] == trace.words.index("submit")
    assert sorted(trace.phases["task"][submits].tolist()) == list(range(120))
    assert Counter(trace.phases["controller"][submits].tolist()) == {0: 60, 1: 60}
    assert all((one.dropped, one.closes) == (0, True) for one in trace.meta.ledger)
