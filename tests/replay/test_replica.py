"""The replica of a run: its parts by hand, and its replay against the simulator itself."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, phase, task
from tests.analyze.simulated import SECTIONS, a2a3, simulated
from tests.replay.runs import hand_replica, hand_run, replica

from lanescope.errors import LanescopeError
from lanescope.native.replay import Costs
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.replay import replica as module
from lanescope.replay.readings.edges import ReplayEdges
from lanescope.replay.replica import (
    _is_host_built,
    _successors,
    distance,
    replay,
    replica_of,
)
from lanescope.results import plain
from lanescope.trace import Trace
from lanescope.workloads import build_workload


def test_a_replica_has_every_part_of_the_run() -> None:
    made = replica_of(hand_run())
    assert made.nodes.ids.tolist() == [1, 2, 3, 4, 5]
    assert made.window.length_ns == 580
    parts = ("machine", "edges", "shapes", "units", "waits", "submits", "buffers")
    assert {name: plain(getattr(made, name)) for name in parts} == {
        "machine": {
            "kinds": ["aic", "aiv"],
            "core_kind": [0, 1, 1],
            "cluster": [0, 0, 1],
            "scheduler": [0, 0, 1],
            "schedulers": 2,
            "pre_dispatch": 1,
            "bank_cores": 1,
            "policy": {"choice": 0, "pop": 0, "collect": 0},
        },
        "edges": {"pred": [0, 1, 2, 4], "succ": [4, 4, 3, 2]},
        "shapes": {
            "kind": [1, 1, 0, 0, -1],
            "blocks": [1] * 5,
            "partners": [0] * 5,
            "partner_kind": [-1] * 5,
            "manner": [0] * 5,
        },
        "units": {
            "rows": [2, 3, 0, 1],
            "first": [0, 1, 2, 3, 4, 4],
            "lengths_ps": [200_000, 100_000, 100_000, 200_000],
            "setups_ps": [0] * 4,
            "own_ps": {},
        },
        "waits": {"wait_ps": [0] * 5, "poll_ps": 0},
        "submits": {
            "order": [0, 1, 2, 3, 4],
            "cost_ps": [0, *[10_000] * 4],
            "records": [0] * 5,
            "begin_ns": 80,
            "waited_ps": [0] * 5,
        },
        "buffers": {
            "count": [2**31 - 1] * 4,
            "records": [0] * 4,
            "rotate_ps": 0,
            "host_ps": {"low": 0, "usual": 0, "high": 0},
        },
    }
    assert made.calibration.missing == ("scheduler phases", "submits")


def test_the_search_brings_the_replay_nearer_to_the_recording() -> None:
    made = replica_of(hand_run())
    assert made.costs == made.calibration.likely[0] != made.calibration.costs

    def off_ns(costs: Costs) -> float:
        """Mean distance of a finish; stamps are cut down to 1 ns, so half of that is expected."""
        finish_ps = replay(replace(made, costs=costs)).units["finish"] + 80_000
        return float(np.abs(finish_ps / 1000 - 0.5 - [320, 230, 460, 670]).mean())

    assert off_ns(made.costs) < off_ns(made.calibration.costs)


def test_a_replay_without_costs_is_tasks_and_edges_alone() -> None:
    replayed = replay(hand_replica())
    assert (replayed.makespan_ps, replayed.stalled_ps) == (500_000, 0)
    assert replayed.units[["core", "start", "end", "finish"]].tolist() == [
        (1, 0, 200_000, 200_000),
        (2, 10_000, 110_000, 110_000),
        (0, 200_000, 300_000, 300_000),
        (0, 300_000, 500_000, 500_000),
    ]


@pytest.mark.parametrize("order", [[3, 2, 1, 0], [0, 3, 2, 1], [0, 1, 3, 2]])
def test_edges_may_come_in_any_order(order: list[int]) -> None:
    made = hand_replica()
    turned = replace(made.edges, pred=made.edges.pred[order], succ=made.edges.succ[order])
    again = replay(replace(made, edges=turned))
    assert again.units.tolist() == replay(made).units.tolist()


def test_waits_of_the_orchestrator_are_a_part_of_the_makespan() -> None:
    made = hand_replica()
    assert made.held_up == 0.0
    held = replace(made, submits=replace(made.submits, waited_ps=np.array([58_000])))
    assert held.held_up == 0.1


def test_the_level_that_is_needed_is_named() -> None:
    trace = make_trace({"level": 1}, tasks=[task(0, None, 0, 0, 10, None, task=1)])
    with pytest.raises(LanescopeError, match=r"from level 2 on; this trace is of level 1$"):
        replica_of(trace)


@pytest.mark.parametrize(
    "ran", [[], [task(0, None, 10, 10, 20, None, task=2)]], ids=["nothing ran", "another task ran"]
)
def test_a_trace_whose_cores_lost_their_records_is_refused(ran: list[dict[str, Any]]) -> None:
    """Schedulers recorded a dispatch and a finish; of no such task it is known when it ran."""
    lost = task(0, 0, None, None, None, 100_000, task=1)
    trace = make_trace({"level": 2}, tasks=[lost, *ran], edges=[{"pred": 1, "succ": 2}])
    with pytest.raises(LanescopeError, match=r"^a replay needs tasks whose dispatch, start, end"):
        replica_of(trace)


def test_a_trace_without_a_graph_is_refused() -> None:
    trace = make_trace({"origin": "imported"}, tasks=[task(0, 0, 1, 1, 10, 12, task=1)])
    with pytest.raises(LanescopeError, match=r"^a replay needs the task graph, and this trace has"):
        replica_of(trace)


@pytest.mark.parametrize("workload", ["mixed", "random_dag", "decode_layer"])
def test_with_the_chips_own_costs_every_finish_is_the_simulators(workload: str) -> None:
    """Costs of whole nanoseconds, so that nothing is cut off: then the replay is the simulator."""
    chip = whole_ns(a2a3())
    made = replica_of(simulated(build_workload(workload, {}), chip))
    submit_ps = made.submits.cost_ps.copy()
    submit_ps[0] -= 500  # half a tick, by which stamps are early in the mean, but not here
    wait_ps = np.where(made.waits.wait_ps > 0, 8_000_000, 0)
    again = replay(
        replace(
            made,
            costs=own_costs(chip, made.costs),
            submits=replace(made.submits, cost_ps=submit_ps),
            waits=replace(made.waits, wait_ps=wait_ps),
        )
    )
    finish = made.trace.tasks["finish_ns"][made.units.rows] * 1000
    assert (again.units["finish"] == finish).all()


def whole_ns(chip: Chip) -> Chip:
    def rounded(section: Any) -> Any:
        costs = [field.name for field in fields(section) if field.name.endswith("_ps")]
        return replace(section, **{n: round(getattr(section, n), -3) for n in costs})

    return replace(chip, **{name: rounded(getattr(chip, name)) for name in SECTIONS})


def own_costs(chip: Chip, costs: Costs) -> Costs:
    scheduler, recording = chip.scheduler, chip.recording
    return replace(
        costs, loop=scheduler.loop_ps, poll_core=scheduler.poll_core_ps, complete_base=0,
        complete=scheduler.complete_ps, task_record=recording.controller_record_ps,
        resolve_edge=scheduler.resolve_edge_ps, pop=scheduler.pop_ps,
        dispatch=scheduler.dispatch_ps, scheduler_phase=recording.scheduler_phase_ps,
        release=scheduler.release_ps,
        release_tasks=scheduler.release_tasks, publish=scheduler.publish_ps,
        poll_engine=scheduler.poll_engine_ps, engine_latency=0, rotate=recording.rotate_ps,
        dispatch_latency=chip.link.dispatch_latency_ps, finish_latency=chip.link.finish_latency_ps,
        core_record=recording.core_record_ps,
    )  # fmt: skip


def test_calibration_and_search_come_to_the_chips_costs() -> None:
    chip = load_chip("a5")
    costs = replica("paged_attention", "a5").costs
    for name, truth in (
        *(("loop", chip.scheduler.loop_ps), ("poll_core", chip.scheduler.poll_core_ps)),
        *(("resolve_edge", chip.scheduler.resolve_edge_ps), ("pop", chip.scheduler.pop_ps)),
        *(("complete", chip.scheduler.complete_ps), ("dispatch", chip.scheduler.dispatch_ps)),
        *(
            ("dispatch_latency", chip.link.dispatch_latency_ps),
            ("finish_latency", chip.link.finish_latency_ps),
        ),
        *(("core_record", chip.recording.core_record_ps), ("release", chip.scheduler.release_ps)),
        *(("task_record", chip.recording.controller_record_ps),),
        *(("scheduler_phase", chip.recording.scheduler_phase_ps),),
    ):
        assert getattr(costs, name) == pytest.approx(truth, rel=0.02, abs=1000), name


def test_a_graph_that_the_host_has_built_is_there_at_once() -> None:
    """At level 4 submits are recorded: where there are none, nothing is guessed."""
    graph = build_workload("paged_attention", {"batches": "32"})
    replica = replica_of(simulated(graph, load_chip("a2a3-hbg")))
    assert "submits" not in replica.calibration.missing
    assert not replica.submits.cost_ps.any()
    assert abs(distance(replica)) < 0.01


def refusal(trace: Trace) -> str:
    with pytest.raises(LanescopeError) as caught:
        replica_of(trace)
    return str(caught.value)


def test_every_refusal_is_one_sentence() -> None:
    assert refusal(make_trace({"level": 1}, tasks=[task(0, None, 0, 0, 10, None, task=1)])) == (
        "a replay needs dispatch and finish of tasks, which are recorded from level 2 on; this "
        "trace is of level 1"
    )
    at_once = make_trace({"level": 2}, tasks=[task(0, 5, 5, 5, 5, 5, task=1)])
    assert refusal(at_once).startswith("a replay needs dispatch and finish of tasks")
    alone = make_trace({"origin": "imported"}, tasks=[task(0, 0, 1, 1, 10, 12, task=1)])
    assert refusal(alone) == "a replay needs the task graph, and this trace has no edges"
    lost = make_trace(
        {"level": 2},
        tasks=[task(0, 0, None, None, None, 9, task=1)],
        edges=[{"pred": 1, "succ": 2}],
    )
    assert refusal(lost) == (
        "a replay needs tasks whose dispatch, start, end and finish are all recorded, and this "
        "trace has none"
    )


@pytest.mark.parametrize(
    ("runs", "named"),
    [(2, "run 7, run 8, …"), (4, "run 7, run 8, run 9, run 10, …"),
     (5, "run 7, run 8, run 9, run 10, …")],
)  # fmt: skip
def test_a_trace_of_several_runs_is_refused_with_their_names(runs: int, named: str) -> None:
    rows = [{"run": number, "epoch": number + 7} for number in range(runs)]
    assert refusal(make_trace(runs=rows)) == (
        f"a replay is of one run, and this trace holds {runs} ({named}); choose one with --run"
    )


@pytest.mark.parametrize(
    ("level", "phases", "built"), [(4, 1, True), (5, 1, True), (3, 1, False), (4, 0, False)]
)
def test_a_graph_without_submits_at_level_4_was_built_by_the_host(
    level: int, phases: int, built: bool
) -> None:
    trace = make_trace({"level": level}, phases=[phase("poll", 1, 2)] * phases)
    assert _is_host_built(trace) is built


def test_successors_are_listed_by_node_whatever_the_order_of_edges() -> None:
    for order in ([0, 1, 2], [1, 2, 0]):
        edges = ReplayEdges(np.array([0, 2, 2])[order], np.array([3, 1, 0])[order])
        found = _successors(edges, 4)
        assert (found.first.tolist(), found.node.tolist()) == ([0, 1, 1, 3, 3], [3, 1, 0])


def test_a_long_run_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four runs of tasks: 40 replays are ten for each, which are enough."""
    for units, searched in ((40, True), (39, False)):
        monkeypatch.setattr(module, "_REPLAYED_UNITS", units)
        assert bool(replica_of(hand_run()).calibration.likely) is searched


def test_a_replay_that_is_far_off_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FAR_PS", 0)
    made = replica_of(hand_run())
    assert (made.calibration.likely, made.costs) == ((), made.calibration.costs)
