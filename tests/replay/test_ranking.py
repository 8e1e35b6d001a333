"""Which changes a rank tries, by hand, and in which order it gives them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.replay.runs import hand_replica, replica

from lanescope.native.replay import LANES, Costs
from lanescope.replay.changes import Change, scale_function
from lanescope.replay.ranking import EFFORTS, rank_changes, ranked
from lanescope.replay.what_if import ChangePrediction, EffortGroup, WhatIf, what_if

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
