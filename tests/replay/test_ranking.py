"""Which changes a rank tries, by hand, and in which order it gives them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.replay.runs import hand_replica, hand_run, replica

from lanescope.native.replay import LANES, Costs
from lanescope.replay import ranking as module
from lanescope.replay.changes import Change, scale_function
from lanescope.replay.ranking import EFFORTS, rank_changes, ranked
from lanescope.replay.replica import replica_of
from lanescope.replay.what_if import ChangePrediction, EffortGroup, WhatIf, what_if
from lanescope.trace import MISSING32

ROW = ChangePrediction("a", 90.0, 80.0, 110.0, -0.1, -0.2, 0.1, 7, True)


def test_the_usual_changes_of_a_run_without_buffers() -> None:
    """The barrier between A and B has no function, so only B:B is left of what tasks waited for."""
    made = replace(hand_replica(), costs=Costs(pop=30, dispatch=100))
    made = scale_function(made, 1, 2.0)
    changes = rank_changes(made)
    assert [(change.effort, change.name) for change in changes] == [
        ("function", "B x0.9"),
        ("function", "A x0.9"),
        ("cores", "aic cores +1 (2)"),
        ("cores", "aiv cores +1 (3)"),
        ("pre-dispatch", "pre-dispatch 1"),
        ("schedulers", "schedulers +1 (3)"),
        ("controllers", "dispatch cost x0.9"),
        ("controllers", "submit cost x0.9"),
        ("edges", "without B:B"),
    ]
    done = [change.apply(made) for change in changes]
    assert done[0].units.lengths_ps.tolist() == [200_000, 100_000, 180_000, 360_000]
    assert done[1].units.lengths_ps.tolist() == [180_000, 90_000, 200_000, 400_000]
    assert [len(one.machine.core_kind) for one in done] == [3, 3, 4, 4, 3, 3, 3, 3, 3]
    assert [one.machine.pre_dispatch for one in done] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert [one.machine.schedulers for one in done] == [2, 2, 2, 2, 2, 3, 2, 2, 2]
    assert done[6].costs == Costs(pop=30, dispatch=87)
    assert done[7].submits.cost_ps.tolist() == [0, *[9_000] * 4]
    assert [len(one.edges.pred) for one in done] == [4] * 8 + [3]


def test_twice_as_many_buffers_are_tried_where_a_producer_can_wait_for_one() -> None:
    made = hand_replica()
    sizes = np.arange(len(LANES), dtype=np.int32)
    known = replace(made, buffers=replace(made.buffers, records=sizes, count=sizes + 1))
    never = replace(known, buffers=replace(known.buffers, count=sizes + 2**30))
    last = [rank_changes(one)[-1] for one in (known, never)]
    assert [one.name for one in last] == [f"{2 * len(LANES)} buffers", "without B:B"]
    assert last[0].apply(known).buffers.count.tolist() == [1, *[2 * len(LANES)] * (len(LANES) - 1)]


def test_the_class_with_the_shortest_makespan_comes_first_and_the_shortest_in_each() -> None:
    """The first prediction is of what was asked."""
    values = [("a", "x", 90), ("b", "y", 70), ("c", "x", 80), ("d", "z", 95), ("e", "y", 60)]
    changes = [Change(name, lambda replica: replica, effort) for name, effort, _ in values]
    rows = {name: replace(ROW, name=name, makespan_ns=float(ns)) for name, _, ns in values}
    rows["d"] = replace(rows["d"], sure=False)
    rows["e"] = replace(rows["e"], sure=False)
    answer = WhatIf(100, 101.0, 0.01, ("a note",), (ROW, *rows.values()))
    assert ranked(answer, changes) == replace(
        answer,
        predictions=(ROW,),
        ranking=(
            EffortGroup("y", (rows["b"],), ("e",)),
            EffortGroup("x", (rows["c"], rows["a"]), ()),
            EffortGroup("z", (), ("d",)),
        ),
    )


def test_without_a_rank_the_answer_stays_as_it_is() -> None:
    answer = WhatIf(100, 101.0, 0.01, (), (ROW,))
    assert ranked(answer, []) == answer


def test_the_rank_of_a_run_names_what_pays_and_what_does_not() -> None:
    made = replica("paged_attention")
    changes = rank_changes(made)
    answer = ranked(what_if(made, changes), changes)
    groups = {group.effort: group for group in answer.ranking}
    assert groups.keys() == EFFORTS.keys() and answer.predictions == ()
    # QK and PV keep the matrix cores busy, which are the bottleneck.
    assert {one.name for one in groups["function"].predictions} == {"QK x0.9", "PV x0.9"}
    assert set(groups["function"].no_effect) == {"SF x0.9", "UP x0.9"}
    assert [one.name for one in groups["cores"].predictions] == ["aic cores +1 (25)"]
    # Nobody waited for a buffer in it.
    assert groups["buffers"].predictions == ()


def test_twenty_functions_and_five_pairs_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    made = hand_replica()
    monkeypatch.setattr(module, "MOST_FUNCTIONS", 1)
    assert [one.name for one in rank_changes(made) if one.effort == "function"] == ["A x0.9"]
    assert [one.name for one in rank_changes(made) if one.effort == "edges"] == ["without B:B"]
    monkeypatch.setattr(module, "MOST_EDGES", 0)
    assert [one.name for one in rank_changes(made) if one.effort == "edges"] == []


def test_every_change_can_be_asked_for_in_the_same_words() -> None:
    made = replace(hand_replica(), costs=Costs(pop=30_000, dispatch=100_000))
    asked = [change.asked for change in rank_changes(made)]
    assert asked == [
        *(("--scale", "A=0.9"), ("--scale", "B=0.9"), ("--cores", "aic=2"), ("--cores", "aiv=3")),
        *(("--pre-dispatch", "1"), ("--schedulers", "3"), ("--dispatch-cost", "117")),
        *(("--submit-scale", "0.9"), ("--drop-edge", "B:B")),
    ]


def test_a_function_without_a_name_is_called_by_its_number_and_one_without_any_is_not_tried() -> (
    None
):
    made = hand_replica()
    func = made.trace.tasks["func"].copy()
    func[2] = MISSING32
    trace = replace(
        made.trace,
        tasks=made.trace.tasks.replace(func=func),
        functions=made.trace.functions.rows(np.array([1])),
    )
    changes = rank_changes(replace(made, trace=trace))
    assert [one.name for one in changes if one.effort == "function"] == ["B x0.9", "func_0 x0.9"]


def test_one_task_less_in_advance_is_tried_where_there_is_one() -> None:
    made = hand_replica()
    held = replace(made, machine=replace(made.machine, pre_dispatch=2))
    names = [one.name for one in rank_changes(held) if one.effort == "pre-dispatch"]
    assert names == ["pre-dispatch 1"]


def test_edges_that_others_imply_come_first() -> None:
    """Task 3 waits for task 2, and so for task 1, too."""
    rows = [task(0, 10 * n, 10 * n, 10 * n, 10 * n + 9, 10 * n + 9, task=n, func=0) for n in (1, 2)]
    trace = make_trace(
        {"level": 2},
        tasks=[*rows, task(0, 30, 30, 30, 39, 39, task=3, func=0)],
        edges=[{"pred": pred, "succ": succ} for pred, succ in ((1, 2), (2, 3), (1, 3))],
        cores=[{"core": 0, "kind": "aic", "controller": 0}],
        functions=[{"func": 0, "name": "A"}],
    )
    edges = [one for one in rank_changes(replica_of(trace)) if one.effort == "edges"]
    assert [(one.name, one.asked) for one in edges] == [
        ("without implied edges", ("--drop-edge", "implied")),
        ("without A:A", ("--drop-edge", "A:A")),
    ]


def test_pairs_are_those_of_tasks_that_ran_in_whatever_order_they_are_recorded() -> None:
    """The barrier waited for A, too; the row behind it has another function."""
    trace = hand_run()
    rows = np.array([2, 3, 4, 0, 1])
    made = replica_of(replace(trace, tasks=trace.tasks.rows(rows)))
    assert module._waited_for(made) == [(1, 1), (0, 1)]
