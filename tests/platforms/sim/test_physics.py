"""What holds in every simulated run, whatever the graph, the chip and the recording.

The truth of a run is judged, not its trace; `test_truth` shows that both say the same.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanescope.device.flags import level_features
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.platforms.sim.run import SimResult, simulate, simulate_recorded
from lanescope.platforms.sim.setup import SimSetup
from lanescope.platforms.sim.truth import TruePhase, Truth
from lanescope.workloads import GraphBuilder, build_workload
from lanescope.workloads.graph import TaskGraph

PROTOCOLS = ("staging", "controller-rotated", "producer-rotated", "after-finish")
SECTIONS = ("orchestrator", "scheduler", "link", "core", "recording")
EXAMPLES = settings(max_examples=120, deadline=None, derandomize=True, database=None)
RECORDED = settings(EXAMPLES, max_examples=30)

COSTS = st.sampled_from((0, 0, 1, 999, 40_000, 1_234_567))


MANNERS = st.sampled_from(
    ({}, {}, {"early": True}, {"wait_ns": 700}, {"together": True}, {"early": True, "wait_ns": 5})
)


def costs_of(section: Any) -> list[str]:
    """The fields of a chip's section that are times."""
    return [field.name for field in fields(section) if field.name.endswith("_ps")]


@cache
def a2a3() -> Chip:
    return replace(load_chip("a2a3"), provenance={})


@st.composite
def graphs(draw: st.DrawFn) -> TaskGraph:
    """Any graph of a few tasks; the order of submission need not be that of the edges."""
    if draw(st.booleans()):
        numbers = {"tasks": draw(st.integers(1, 40)), "seed": draw(st.integers(1, 1000))}
        return build_workload("random_dag", {key: str(value) for key, value in numbers.items()})
    builder = GraphBuilder("drawn")
    kinds = st.sampled_from(("aic", "aiv"))
    lengths = st.sampled_from((0, 1, 80, 3_000))
    for _ in range(draw(st.integers(0, 16))):
        kind = draw(kinds)
        builder.task(f"on {kind}", kind=kind, spin_ns=draw(lengths), **draw(MANNERS))
    graph = builder.graph()
    if len(graph) > 1:
        order = draw(st.permutations(range(len(graph))))
        places = st.integers(0, len(graph) - 1)
        for one, other in draw(st.lists(st.tuples(places, places), max_size=24)):
            if one != other:
                builder.edge(order[min(one, other)], order[max(one, other)])
    return builder.graph()


@st.composite
def chips(draw: st.DrawFn) -> Chip:
    """Any small chip; only a scheduler's round must take time."""
    chip = a2a3()
    costs = {
        section: replace(
            getattr(chip, section),
            **{name: draw(COSTS) for name in costs_of(getattr(chip, section))},
        )
        for section in SECTIONS
    }
    costs["scheduler"] = replace(
        costs["scheduler"],
        loop_ps=draw(st.sampled_from((1, 50_000))),
        release_tasks=draw(st.sampled_from((1, 3, 100))),
    )
    return replace(
        chip,
        clusters=draw(st.integers(1, 4)),
        schedulers=draw(st.integers(1, 3)),
        aiv_per_cluster=draw(st.integers(1, 2)),
        **costs,
    )


@st.composite
def setups(draw: st.DrawFn) -> SimSetup:
    return SimSetup(
        chip=draw(chips()),
        features=level_features(draw(st.integers(0, 4))),
        protocol=draw(st.sampled_from(PROTOCOLS)),
        pre_dispatch=draw(st.integers(0, 2)),
        first_token=draw(st.sampled_from((0, 2**32 - 2))),
    )


def lengths_ps(graph: TaskGraph) -> list[int]:
    """All tasks here are busy for a stated time."""
    return [amount * PS_PER_NS for amount in graph.amount.tolist()]


def truth_of(result: SimResult) -> Truth:
    assert result.truth is not None
    return result.truth


# ---- what holds ------------------------------------------------------------------------------


def require_every_task_once(graph: TaskGraph, setup: SimSetup, result: SimResult) -> None:
    tasks, kinds = truth_of(result).tasks, setup.chip.core_kinds()
    assert sorted(true.task for true in tasks) == list(range(len(graph)))
    for true in tasks:
        assert kinds[true.core] == graph.kinds[graph.kind[true.task]]
        assert true.func == graph.func[true.task]
    ran = [true.core for true in tasks]
    assert result.tasks_per_core == tuple(ran.count(core) for core in range(len(kinds)))


def require_order_in_each_task(graph: TaskGraph, truth: Truth) -> None:
    lengths = lengths_ps(graph)
    for true in truth.tasks:
        assert 0 <= true.dispatch_ps <= true.receive_ps <= true.start_ps
        assert true.end_ps == true.start_ps + lengths[true.task]
        assert true.end_ps <= true.finish_ps


def require_cores_do_one_thing(setup: SimSetup, truth: Truth) -> None:
    """A core runs one task at a time, in the order of its tokens, and holds few."""
    by_core = defaultdict(list)
    for true in truth.tasks:
        by_core[true.core].append(true)
    for tasks in by_core.values():
        tasks.sort(key=lambda true: (true.start_ps, true.end_ps, true.dispatch_ps))
        numbers = [(true.token - setup.first_token) & 0xFFFFFFFF for true in tasks]
        if all(earlier.start_ps < later.start_ps for earlier, later in pairwise(tasks)):
            assert numbers == list(range(len(tasks)))
        assert sorted(numbers) == list(range(len(tasks)))
        tasks = [tasks[at] for at in sorted(range(len(tasks)), key=numbers.__getitem__)]
        for earlier, later in pairwise(tasks):
            assert earlier.end_ps <= later.receive_ps
            assert earlier.dispatch_ps <= later.dispatch_ps
            assert earlier.finish_ps <= later.finish_ps
        for earlier, later in zip(tasks, tasks[setup.pre_dispatch + 1 :], strict=False):
            assert earlier.finish_ps <= later.dispatch_ps


def require_dependencies(graph: TaskGraph, truth: Truth) -> None:
    """A task begins after its inputs are there; only an early one is on its core before that."""
    by_task = {true.task: true for true in truth.tasks}
    none = [0] * len(graph)
    wait_ns = none if graph.wait_ns is None else graph.wait_ns.tolist()
    early = none if graph.early is None else graph.early.tolist()
    for pred, succ in zip(graph.pred.tolist(), graph.succ.tolist(), strict=True):
        there = by_task[pred].finish_ps + wait_ns[pred] * PS_PER_NS
        assert there <= (by_task[succ].start_ps if early[succ] else by_task[succ].dispatch_ps)
    for phase in truth.phases:
        if phase.kind == "submit":
            assert phase.end_ps <= by_task[phase.task].dispatch_ps


INSIDE = {
    "resolve": {"complete", "dummy", "async_poll"},
    "drain_prepare": {"drain"},
    "drain_publish": {"drain"},
    "dummy_task": {"dummy"},
    "predicated_skip": {"dummy"},
}


def require_controllers_do_one_thing(truth: Truth) -> None:
    """Phases of a controller never overlap, but for those that lie inside another."""
    lanes: defaultdict[tuple[str, int, bool], list[TruePhase]] = defaultdict(list)
    for phase in truth.phases:
        lanes[phase.lane, phase.controller, phase.kind in INSIDE].append(phase)
    for phases in lanes.values():
        assert all(phase.start_ps <= phase.end_ps for phase in phases)
        assert all(one.end_ps <= other.start_ps for one, other in pairwise(phases))
    for inner in (phase for phase in truth.phases if phase.kind in INSIDE):
        assert any(
            one.start_ps <= inner.start_ps and inner.end_ps <= one.end_ps
            for one in lanes["scheduler", inner.controller, False]
            if one.kind in INSIDE[inner.kind]
        )


def require_enough_time(graph: TaskGraph, setup: SimSetup, result: SimResult) -> None:
    """No run is shorter than its longest path, nor than its work shared by all cores."""
    lengths = lengths_ps(graph)
    assert result.makespan_ps >= longest_path_ps(graph)
    kinds = setup.chip.core_kinds()
    for code, kind in enumerate(graph.kinds):
        work = sum(lengths[task] for task in range(len(graph)) if graph.kind[task] == code)
        assert result.makespan_ps >= Fraction(work, kinds.count(kind))
    last = max((true.finish_ps for true in truth_of(result).tasks), default=0)
    assert last <= max(result.scheduler_ps) <= result.makespan_ps
    assert result.orchestrator_ps <= result.makespan_ps


def longest_path_ps(graph: TaskGraph) -> int:
    """By going through all edges as often as there are tasks: slow and plain."""
    lengths = lengths_ps(graph)
    ends = list(lengths)
    edges = list(zip(graph.pred.tolist(), graph.succ.tolist(), strict=True))
    for _ in range(len(graph)):
        for pred, succ in edges:
            ends[succ] = max(ends[succ], ends[pred] + lengths[succ])
    return max(ends, default=0)


def require_physics(graph: TaskGraph, setup: SimSetup, result: SimResult) -> None:
    truth = truth_of(result)
    require_every_task_once(graph, setup, result)
    require_order_in_each_task(graph, truth)
    require_cores_do_one_thing(setup, truth)
    require_dependencies(graph, truth)
    require_controllers_do_one_thing(truth)
    require_enough_time(graph, setup, result)


# ---- random runs -----------------------------------------------------------------------------


@EXAMPLES
@given(graphs(), setups())
def test_every_run_obeys(graph: TaskGraph, setup: SimSetup) -> None:
    """The level costs what it costs; nothing is written, so nobody waits for the host."""
    require_physics(graph, setup, simulate(graph, setup, keep_truth=True))


@EXAMPLES
@given(graphs(), setups())
def test_the_same_input_gives_the_same_run(graph: TaskGraph, setup: SimSetup) -> None:
    first, second = (simulate(graph, setup, keep_truth=True) for _ in range(2))
    assert first == second


def recorded(graph: TaskGraph, setup: SimSetup, recording: Recording) -> SimResult:
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
        return simulate_recorded(
            graph,
            setup.chip,
            recording,
            directory=Path(folder, "run.capture"),
            pre_dispatch=setup.pre_dispatch,
            keep_truth=True,
        ).result


@RECORDED
@given(
    graphs(),
    setups(),
    st.integers(1, 4),
    st.sampled_from(("block", "drop")),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_a_run_that_waits_for_the_host_obeys_too(
    graph: TaskGraph, setup: SimSetup, level: int, on_full: str, records: int, buffers: int
) -> None:
    """The host is slower than any batch of completions: see the next test."""
    chip = setup.chip
    slow = replace(chip, recording=replace(chip.recording, host_latency_ps=10**9))
    setup = replace(setup, chip=slow, features=level_features(level))
    recording = Recording(
        chip_swimlane=level,
        protocol=setup.protocol,
        on_full=on_full,
        buffer_records=records,
        buffers=max(buffers, 2 if setup.protocol == "after-finish" else 1),
        first_token=setup.first_token,
    )
    require_physics(graph, setup, recorded(graph, setup, recording))


@pytest.mark.parametrize(("level", "edges"), [(2, 0), (3, 1)], ids=["finish", "phase"])
def test_a_host_that_comes_while_a_scheduler_is_busy_is_not_missed(level: int, edges: int) -> None:
    """Level 2: two finished tasks of one core in one batch. Level 3: resolve, then complete."""
    chip = one_core(
        scheduler={"loop_ps": 50_000, "complete_ps": 1_000_000},
        recording={"host_latency_ps": 1_000, "scheduler_phase_ps": 1_000_000},
    )
    setup = SimSetup(chip=chip, features=level_features(level), pre_dispatch=1 - edges)
    graph = row_of_tasks(2, spin_ns=0, edges=edges)
    recording = Recording(chip_swimlane=level, buffers=1, buffer_records=1)
    require_physics(graph, setup, recorded(graph, setup, recording))


# ---- chips by hand ---------------------------------------------------------------------------


def costing(chip: Chip, **costs: dict[str, int]) -> Chip:
    """The chip with these costs; all others are nothing."""
    parts = {}
    for section in SECTIONS:
        part = getattr(chip, section)
        nothing = dict.fromkeys(costs_of(part), 0)
        parts[section] = replace(part, **nothing | costs.get(section, {}))
    return replace(chip, **parts)


def one_core(**costs: dict[str, int]) -> Chip:
    chip = replace(a2a3(), clusters=1, aic_per_cluster=0, aiv_per_cluster=1, schedulers=1)
    return costing(chip, **costs)


def row_of_tasks(tasks: int, *, spin_ns: int, edges: int) -> TaskGraph:
    """Vector tasks, the last `edges` of which each wait for the one before."""
    builder = GraphBuilder("row")
    for task in range(tasks):
        after = [task - 1] if task >= tasks - edges else []
        builder.task("step", after=after, spin_ns=spin_ns)
    return builder.graph()


def makespan_ps(graph: TaskGraph, chip: Chip, pre_dispatch: int) -> int:
    setup = SimSetup(chip=chip, features=level_features(0), pre_dispatch=pre_dispatch)
    return simulate(graph, setup).makespan_ps


@pytest.mark.parametrize(
    ("pre_dispatch", "dispatch_ps", "finish_ps", "end_ps"),
    [
        (0, [2_050, 12_400, 22_750], [11_350, 21_700, 32_050], 32_050),
        (1, [2_050, 12_550, 23_050], [11_500, 22_000, 32_500], 32_500),
    ],
)
def test_a_chain_takes_the_sum_of_its_parts(
    pre_dispatch: int, dispatch_ps: list[int], finish_ps: list[int], end_ps: int
) -> None:
    """Three tasks of 5000 ps. Submitted at 1200; rounds of 700 while no core has a task, so seen
    at 1400; later rounds of 700 + 300. Each task:

    pop and dispatch 150 + 500, to the core 600, set-up 490, run 5000, seen from 80 later: 6170
    after the dispatch. The scheduler has gone round since its dispatch, or since the second pop of
    150 that finds nothing where a core could hold one more, and sees it after 7 whole rounds. Then
    poll 300, complete 2000, and 400 for the successor:

    1400 + 3 × (650 + 7000 + 2300) + 2 × 400 = 32050, and 3 × 150 more with pre-dispatch.
    """
    chip = one_core(
        orchestrator={"submit_ps": 1_200, "submit_edge_ps": 300},
        scheduler={
            "loop_ps": 700,
            "poll_core_ps": 300,
            "complete_ps": 2_000,
            "resolve_edge_ps": 400,
            "pop_ps": 150,
            "dispatch_ps": 500,
        },
        link={"dispatch_latency_ps": 600, "finish_latency_ps": 80},
        core={"setup_ps": 490},
    )
    setup = SimSetup(chip=chip, features=level_features(0), pre_dispatch=pre_dispatch)
    result = simulate(row_of_tasks(3, spin_ns=5, edges=2), setup, keep_truth=True)
    tasks = truth_of(result).tasks
    assert [true.dispatch_ps for true in tasks] == dispatch_ps
    assert [true.receive_ps for true in tasks] == [time + 600 for time in dispatch_ps]
    assert [true.end_ps for true in tasks] == [time + 600 + 490 + 5_000 for time in dispatch_ps]
    assert [true.finish_ps for true in tasks] == finish_ps
    assert (result.makespan_ps, result.scheduler_ps) == (end_ps, (end_ps,))
    assert result.orchestrator_ps == 1_200 + 2 * 1_500


@EXAMPLES
@given(
    st.integers(1, 60), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2), COSTS, COSTS, COSTS
)
def test_more_clusters_never_harm_equal_tasks_when_controllers_cost_nothing(
    tasks: int,
    clusters: int,
    schedulers: int,
    pre_dispatch: int,
    there_ps: int,
    back_ps: int,
    setup_ps: int,
) -> None:
    """Independent tasks of one length, all there at once; links and cores may cost what they like.

    All three conditions are needed: the next two tests break one each.
    """
    chip = costing(
        replace(a2a3(), clusters=clusters, schedulers=schedulers),
        scheduler={"loop_ps": 1},
        link={"dispatch_latency_ps": there_ps, "finish_latency_ps": back_ps},
        core={"setup_ps": setup_ps},
    )
    graph = row_of_tasks(tasks, spin_ns=100, edges=0)
    twice = replace(chip, clusters=2 * clusters)
    assert makespan_ps(graph, twice, pre_dispatch) <= makespan_ps(graph, chip, pre_dispatch)


@EXAMPLES
@given(st.lists(st.integers(0, 400), min_size=1, max_size=40), st.integers(1, 3), st.integers(1, 3))
def test_twice_the_cores_never_lengthen_an_independent_set_without_pre_dispatch(
    lengths_ns: list[int], clusters: int, schedulers: int
) -> None:
    """Any lengths: every task goes to the next idle core. Controllers cost nothing but the 1 ps
    round that time needs to pass, which each task may pay twice."""
    builder = GraphBuilder("set")
    for length in lengths_ns:
        builder.task("step", spin_ns=length)
    chip = costing(
        replace(a2a3(), clusters=clusters, schedulers=schedulers), scheduler={"loop_ps": 1}
    )
    few, many = (
        makespan_ps(builder.graph(), replace(chip, clusters=count), 0)
        for count in (clusters, 2 * clusters)
    )
    assert many <= few + 2 * len(lengths_ns)


def test_cores_without_a_task_cost_a_scheduler_nothing() -> None:
    """One task, which the second cluster cannot help with: its cores are not even looked at."""
    graph = row_of_tasks(1, spin_ns=100, edges=0)
    chip = costing(
        replace(a2a3(), clusters=1, schedulers=1),
        scheduler={"loop_ps": 1, "poll_core_ps": 30_000},
    )
    twice = replace(chip, clusters=2)
    assert makespan_ps(graph, chip, 0) == makespan_ps(graph, twice, 0)


def test_more_clusters_harm_tasks_of_different_lengths() -> None:
    """Tasks of 3, 1 and 3 ns, two schedulers, one task ahead per core.

    With a core each, the first scheduler takes 3 and 1 for its core, and the second takes the other
    3: 4 ns. With two cores each, the first scheduler takes all three before the second has looked,
    and queues the last one behind the first: 6 ns.
    """
    builder = GraphBuilder("unequal")
    for spin_ns in (3, 1, 3):
        builder.task("step", kind="aic", spin_ns=spin_ns)
    chip = costing(replace(a2a3(), clusters=2, schedulers=2), scheduler={"loop_ps": 1})
    twice = replace(chip, clusters=4)
    found = [makespan_ps(builder.graph(), one, 1) for one in (chip, twice)]
    assert found == [4_000, 6_000]
