"""Each change of a replica, by hand, and against what the simulator then takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.analyze.simulated import simulated
from tests.replay.runs import hand_replica, recorded, replica, span_ns

from lanescope.errors import UsageError
from lanescope.native.replay import Costs
from lanescope.platforms.sim.chip import load_chip
from lanescope.replay.changes import (
    Change,
    drop_edges,
    drop_implied_edges,
    scale_function,
    scale_submits,
    set_buffers,
    set_cores,
    set_dispatch_cost,
    set_pre_dispatch,
    set_schedulers,
)
from lanescope.replay.readings.buffers import Buffers, HostTimes
from lanescope.replay.replica import Replica, replay, replica_of
from lanescope.replay.what_if import ChangePrediction, what_if
from lanescope.results import plain
from lanescope.workloads import build_workload


def only(made: Replica, change: Callable[[Replica], Replica]) -> ChangePrediction:
    (prediction,) = what_if(made, [Change("", change)]).predictions
    return prediction


def makespan_ns(made: Replica) -> float:
    return replay(made).makespan_ps / 1000


def test_a_function_is_scaled_and_no_other() -> None:
    made = hand_replica()
    scaled = scale_function(made, 1, 0.5)
    assert scaled.units.lengths_ps.tolist() == [200_000, 100_000, 50_000, 100_000]
    assert made.units.lengths_ps.tolist() == [200_000, 100_000, 100_000, 200_000]
    assert makespan_ns(scaled) == 200 + 50 + 100


def test_the_last_cores_of_a_kind_go() -> None:
    machine = set_cores(hand_replica(), "aiv", 1).machine
    assert plain(machine) == {
        "kinds": ["aic", "aiv"],
        "core_kind": [0, 1],
        "cluster": [0, 0],
        "scheduler": [0, 0],
        "schedulers": 2,
        "pre_dispatch": 0,
        "bank_cores": 1,
        "policy": {"choice": 0, "pop": 0, "collect": 0},
    }


def test_more_cores_of_a_kind_join_the_clusters_in_turn() -> None:
    machine = set_cores(hand_replica(), "aiv", 5).machine
    assert plain(machine) == {
        "kinds": ["aic", "aiv"],
        "core_kind": [0, 1, 1, 1, 1, 1],
        "cluster": [0, 0, 1, 0, 1, 0],
        "scheduler": [0, 0, 1, 0, 1, 0],
        "schedulers": 2,
        "pre_dispatch": 0,
        "bank_cores": 1,
        "policy": {"choice": 0, "pop": 0, "collect": 0},
    }


def test_with_one_core_two_tasks_follow_each_other() -> None:
    assert makespan_ns(set_cores(hand_replica(), "aiv", 1)) == 200 + 100 + 100 + 200


def test_clusters_are_dealt_to_schedulers_in_turn() -> None:
    machine = set_schedulers(hand_replica(), 1).machine
    assert (machine.scheduler.tolist(), machine.schedulers) == ([0, 0, 0], 1)
    machine = set_schedulers(hand_replica(), 3).machine
    assert (machine.scheduler.tolist(), machine.schedulers) == ([0, 0, 1], 3)


def test_the_look_into_a_queue_is_a_part_of_the_dispatch_cost() -> None:
    made = replace(hand_replica(), costs=Costs(pop=30, dispatch=100, loop=7))
    assert set_dispatch_cost(made, 0.05).costs == Costs(pop=30, dispatch=20, loop=7)
    assert set_dispatch_cost(made, 0.01).costs == Costs(pop=10, dispatch=0, loop=7)


def test_submits_come_later_or_sooner() -> None:
    made = hand_replica()
    assert scale_submits(made, 2.5).submits.cost_ps.tolist() == [0, *[25_000] * 4]
    waited = replace(made.submits, waited_ps=np.array([0, 4_000, 0, 0, 0]))
    kept = scale_submits(replace(made, submits=waited), 0.5).submits.cost_ps
    assert kept.tolist() == [0, 3_000 + 4_000, 5_000, 5_000, 5_000], "waits are no cost"
    # The barrier is the last one: it is submitted when all others have been.
    assert makespan_ns(scale_submits(made, 10)) == 400 + 100 + 200


def test_without_its_edge_a_task_does_not_wait() -> None:
    made = hand_replica()
    free = drop_edges(made, np.array([2]), np.array([3, 4]))
    assert plain(free.edges) == {"pred": [0, 1, 4], "succ": [4, 4, 2]}
    # Node 3 is submitted after 30 ns and has the aic core first; node 2 waits for the core.
    assert makespan_ns(free) == 30 + 200 + 100


def test_an_edge_that_is_not_there_cannot_be_dropped() -> None:
    with pytest.raises(UsageError, match=r"^there is no such edge to drop$"):
        drop_edges(hand_replica(), np.array([3]), np.array([2]))


def test_no_core_of_a_kind_and_unknown_kinds_are_refused() -> None:
    made = hand_replica()
    with pytest.raises(UsageError, match=r"^expected at least 1 core of kind aiv, found 0$"):
        set_cores(made, "aiv", 0)
    with pytest.raises(UsageError, match=r"that ran tasks \(aic, aiv\), found 'sm'$"):
        set_cores(made, "sm", 3)
    with pytest.raises(UsageError, match=r"^expected at least 1 scheduler, found 0$"):
        set_schedulers(made, 0)


def test_a_core_holds_as_many_tasks_in_advance_as_is_said() -> None:
    made = hand_replica()
    assert [set_pre_dispatch(made, held).machine.pre_dispatch for held in (0, 2)] == [0, 2]
    for held in (-1, 3):
        with pytest.raises(UsageError, match=rf"^expected 0 to 2 tasks in advance, found {held}$"):
            set_pre_dispatch(made, held)


def test_an_edge_that_others_imply_can_go_and_nothing_else_changes() -> None:
    """Node 0 comes before node 3 through nodes 4 and 2; an edge from 0 to 3 says it again."""
    made = hand_replica()
    trace = made.trace
    rows = {name: trace.edges[name].tolist() for name in ("pred", "succ")}
    again = {"pred": [*rows["pred"], 1], "succ": [*rows["succ"], 4]}
    edges = trace.edges.rows(np.array([0, 1, 2, 3, 0])).replace(**again)
    more = replica_of(replace(trace, edges=edges))
    assert len(more.edges.pred) == 5
    assert plain(drop_implied_edges(more).edges) == plain(made.edges)
    with pytest.raises(UsageError, match=r"^there is no such edge to drop$"):
        drop_implied_edges(made)


def test_changes_go_the_right_way() -> None:
    made = replica("fan")
    assert only(made, lambda m: m).change == 0
    assert only(made, partial(scale_submits, factor=0.5)).change < -0.4
    assert only(made, partial(set_cores, kind="aiv", count=1)).change > 1
    crowded = replica("paged_attention")
    assert only(crowded, partial(set_cores, kind="aic", count=48)).change < -0.05
    assert only(crowded, partial(set_dispatch_cost, ns=20_000)).change > 0.2
    assert only(crowded, partial(set_schedulers, count=1)).change > 0


def test_without_its_edges_a_chain_is_as_short_as_its_submits() -> None:
    made = replica("chain")
    every = np.arange(len(made.shapes.kind))
    assert only(made, partial(drop_edges, pred=every, succ=every)).change < -0.7


# ---- recording buffers ---------------------------------------------------------------------------


NOBODY_WAITED = HostTimes()


def recorded_into(count: int, records: int, *, host_ps: HostTimes = NOBODY_WAITED) -> Replica:
    """The hand-made replica; the orchestrator writes two records from each submit to the next, and
    changing a buffer takes it 1.2 ns."""
    made = hand_replica()
    buffers = Buffers(
        count=np.array([count] * 4, np.int32),
        records=np.array([records, 0, records, records], np.int32),
        rotate_ps=1200,
        host_ps=host_ps,
    )
    submits = replace(made.submits, records=np.full(5, 2, np.int32))
    return replace(made, buffers=buffers, submits=submits, costs=Costs(rotate=1200))


def test_larger_buffers_are_changed_less_often() -> None:
    larger = set_buffers(recorded_into(8, 4), 16, 12)
    assert plain(larger.buffers) == {
        "count": [16, 8, 16, 16],
        "records": [12, 0, 12, 12],
        "rotate_ps": 1200,
        "host_ps": {"low": 0, "usual": 0, "high": 0},
    }
    # Two records were half of a change of buffers, 600 ps, and are a sixth of one: 200 ps.
    assert larger.submits.cost_ps.tolist() == [0, *[9_600] * 4]


def test_fewer_buffers_are_replayed_where_somebody_waited_for_one() -> None:
    waited = recorded_into(8, 4, host_ps=HostTimes(1, 2, 3))
    assert set_buffers(waited, 1).buffers.count.tolist() == [1, 8, 1, 1]
    with pytest.raises(UsageError, match="no producer waited for a buffer in it"):
        set_buffers(recorded_into(8, 4), 1)


@pytest.mark.parametrize(
    ("count", "records", "said"), [(0, None, "0 of as many"), (2, 0, "2 of as many")]
)
def test_no_buffers_are_refused(count: int, records: int | None, said: str) -> None:
    with pytest.raises(UsageError, match=f"^expected at least 1 buffer of 1 record, found {said}$"):
        set_buffers(recorded_into(8, 4), count, records)


def test_a_trace_that_tells_nothing_of_buffers_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^expected a trace that tells of its recording buffers"):
        set_buffers(hand_replica(), 16)


def test_as_many_buffers_where_nobody_waited_change_nothing() -> None:
    assert only(replica("fan"), partial(set_buffers, count=16)).change == pytest.approx(0, abs=1e-3)
    assert len(recorded("fan").stalls) == 0


@pytest.mark.parametrize(
    ("workload", "before", "after"),
    [
        *(("chain", (1, 64), (8, 1024)), ("chain", (1, 16), (2, 16)), ("fan", (2, 8), (4, 8))),
        *(("random_dag", (1, 16), (8, 16)), ("spmd_mix", (1, 16), (8, 16))),
        *(("chain", (2, 16), (1, 64)), ("random_dag", (2, 16), (1, 64))),
    ],
)
def test_other_buffers_are_what_the_simulator_then_takes(
    workload: str, before: tuple[int, int], after: tuple[int, int]
) -> None:
    graph, chip = build_workload(workload, {}), load_chip("a2a3")
    trace = simulated(graph, chip, buffers=before[0], buffer_records=before[1])
    made = replica_of(trace)
    assert len(trace.stalls) and replay(made).stalled_ps > 0
    prediction = only(made, partial(set_buffers, count=after[0], records=after[1]))
    truth = span_ns(simulated(graph, chip, buffers=after[0], buffer_records=after[1]))
    assert abs(prediction.makespan_ns / truth - 1) <= 0.05
    assert prediction.low_ns <= truth <= prediction.high_ns
