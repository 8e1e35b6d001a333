"""A run's own values, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.analyze.hand import make_trace, task
from tests.replay.runs import hand_run

from lanescope.native.replay import Costs
from lanescope.replay.calibration.own import (
    OwnValues,
    _end_before,
    _own_costs,
    _own_units,
    own_values,
    redrawn,
)
from lanescope.replay.calibration.turns import UsualSteps
from lanescope.replay.readings.units import Units
from lanescope.replay.replica import replica_of
from lanescope.trace import MISSING
from lanescope.trace.schema import TaskFlag


def units(count: int) -> Units:
    return Units(
        rows=np.arange(count),
        first=np.arange(count + 1),
        lengths_ps=np.full(count, 5),
        setups_ps=np.full(count, 77),
    )


def test_the_run_before_is_the_one_on_the_same_core() -> None:
    core, start, end = np.array([1, 0, 1, 0]), np.array([50, 40, 10, 5]), np.array([60, 45, 20, 9])
    assert _end_before(core, start, end).tolist() == [20, 9, MISSING, MISSING]


def test_only_others_costs_stay() -> None:
    usual = Costs(
        loop=9, complete=9, complete_base=9, dispatch=9, pop=9, resolve_edge=9, task_record=9,
        finish_latency=9, core_record=9, scheduler_phase=9, release=9, publish=9, poll_core=9,
        release_tasks=2, poll_engine=3, engine_latency=4, rotate=5, host_latency=6,
        dispatch_latency=7,
    )  # fmt: skip
    assert _own_costs(usual, UsualSteps(finish=1.5, dispatch=2.5)) == Costs(
        loop=1, complete=1_500, dispatch=2_500, release_tasks=2, poll_engine=3, engine_latency=4,
        rotate=5, host_latency=6, dispatch_latency=7,
    )  # fmt: skip


def test_a_pick_up_begins_with_the_dispatch_or_the_end_of_the_run_before() -> None:
    """The second is held in advance, the third has no receive, the fourth is early and keeps the
    usual setup, and the fifth was received before its dispatch was stamped."""
    trace = make_trace(
        tasks=[
            task(0, 10, 14, 20, 100, 110),
            task(0, 50, 103, 105, 200, 210),
            task(0, 250, None, 260, 300, 310),
            task(1, 5, 8, 90, 100, 110, flags=TaskFlag.EARLY_DISPATCH),
            task(1, 130, 125, 131, 140, 150, flags=TaskFlag.MIX),
        ]
    )
    found = _own_units(trace, units(5), {"seen": np.arange(5)})
    assert found.setups_ps.tolist() == [6_000, 2_000, 0, 77, 6_000]
    assert {name: values.tolist() for name, values in found.own_ps.items()} == {
        "seen": [0, 1, 2, 3, 4],
        "pick_up": [4_000, 3_000, 10_000, 3_000, 0],
    }
    assert found.lengths_ps.tolist() == [5] * 5


def own_of_hand_run() -> OwnValues:
    made = replica_of(hand_run())
    return own_values(
        made.trace,
        made.nodes,
        made.machine,
        shapes=made.shapes,
        units=made.units,
        costs=Costs(rotate=3),
        submit_ns=made.submits.at_ns() - 40,
    )


def test_the_values_of_a_run_are_by_unit_and_in_ps() -> None:
    """Tasks 1 and 2 were ready 50 ns before their dispatch, of which a scheduler takes 10."""
    found = own_of_hand_run()
    assert {name: values.tolist() for name, values in found.units.own_ps.items()} == {
        "seen": [0, 0, 0, 0],
        "wait": [40_000, 40_000, 0, 0],
        "give": [-1, -1, -1, -1],
        "pick_up": [10_000, 10_000, 10_000, 10_000],
    }
    assert found.order.tolist() == [0, 1, 2, 3]
    assert found.costs == Costs(loop=1, complete=20_000, dispatch=10_000, rotate=3)


def test_a_unit_without_a_finish_has_no_values_that_need_it() -> None:
    made = replica_of(hand_run())
    finish = made.trace.tasks["finish_ns"].copy()
    finish[2] = MISSING
    trace = replace(made.trace, tasks=made.trace.tasks.replace(finish_ns=finish))
    found = own_values(
        trace,
        made.nodes,
        made.machine,
        shapes=made.shapes,
        units=made.units,
        costs=Costs(),
        submit_ns=made.submits.at_ns() - 40,
    )
    assert {name: int(values[0]) for name, values in found.units.own_ps.items()} == {
        "seen": -1,
        "wait": 0,
        "give": -1,
        "pick_up": 10_000,
    }


def test_values_of_unknown_units_are_those_of_known_ones() -> None:
    own = own_of_hand_run()
    made = replace(own.units, setups_ps=np.arange(4), own_ps={"wait": np.arange(4) * 10})
    found = redrawn(replace(own, units=made), np.array([False, True, False, False]), seed=1).units
    assert found.setups_ps.tolist() == [1, 1, 1, 1]
    assert found.own_ps["wait"].tolist() == [10, 10, 10, 10]
    assert found.lengths_ps is made.lengths_ps
