"""The calibration of a machine with banks: which costs it has, and for which runs there is one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.native.replay import EARLY, Costs
from lanescope.replay.calibration.bank_costs import BankCosts
from lanescope.replay.calibration.banked import LIKELY, Banked, _costs, banked, likely_costs
from lanescope.replay.calibration.calibrate import Calibration
from lanescope.replay.readings.core_runs import core_runs
from lanescope.replay.readings.machine import machine_of
from lanescope.replay.readings.served import RangePs
from lanescope.replay.readings.shapes import shapes_of
from lanescope.trace.meta import RecordingFacts

USUAL = Calibration(
    costs=Costs(dispatch_latency=7, core_record=8, loop=9, pop=9),
    seen_ps=RangePs(1, 2),
    missing=("scheduler phases",),
)


def of_banks(cores: int = 2, kinds: tuple[str, ...] = ("sm",), **changed: int) -> Banked | None:
    """Two tasks, one after the other, on two cores of a scheduler with such banks."""
    trace = make_trace(
        {"recording": RecordingFacts(bank_cores=cores)},
        tasks=[task(0, 0, 10, 20, 80, 90, task=0), task(1, 100, 110, 120, 180, 195, task=1)],
        cores=[{"core": core, "kind": "sm", "controller": 0} for core in range(2)],
        edges=[{"pred": 0, "succ": 1}],
    )
    graph, machine = nodes(trace), machine_of(trace)
    shapes = shapes_of(trace, graph, core_runs(trace, graph, machine), machine=machine)
    changes = {name: getattr(shapes, name) + more for name, more in changed.items()}
    machine = replace(machine, kinds=kinds)
    return banked(trace, graph, replace(shapes, **changes), machine=machine, usual=USUAL)


def test_a_machine_with_banks_has_costs_of_its_own() -> None:
    """A look takes 10.05 ns, and nineteen in twenty rounds 9 ns at most from step to step."""
    found = of_banks()
    assert found is not None
    assert found.machine.bank_cores == 2
    made = found.calibration
    assert (made.seen_ps, made.missing, len(made.likely)) == (RangePs(0, 0), (), 1 + LIKELY)
    assert made.likely[0] == made.costs
    assert (made.costs.dispatch_latency, made.costs.core_record) == (7, 8)
    assert found.served == Costs(complete=19_050, pop=made.costs.pop, dispatch=made.costs.dispatch)


@pytest.mark.parametrize(
    ("cores", "changed"),
    [(1, {}), (2, {"blocks": 1}), (2, {"partners": 1}), (2, {"manner": EARLY}), (2, {"kind": -1})],
)
def test_only_tasks_on_one_core_each_are_replayed_in_banks(
    cores: int, changed: dict[str, int]
) -> None:
    assert of_banks(cores, **changed) is None
    assert of_banks(kinds=("sm", "aiv")) is None


FOUND = BankCosts(
    look=10,
    complete=4,
    resolve=3,
    resolve_edge=2,
    before_dispatch=5,
    dispatch=6,
    pop=7,
    after_dispatch=8,
    loop=9,
    opening=11,
    longest=40,
)


def test_every_time_of_a_round_has_its_cost_in_ps() -> None:
    assert _costs(FOUND, USUAL.costs) == Costs(
        loop=9_000, complete_base=6_000, complete=4_000, resolve_edge=2_000, resolve_bank=3_000,
        dispatch_base=5_000, dispatch_end=8_000, pop=7_000, dispatch=6_000, rotate=11_000,
        dispatch_latency=7, core_record=8,
    )  # fmt: skip


def test_costs_that_are_as_likely_differ_by_three_percent_at_most() -> None:
    names = ("loop", "complete_base", "complete", "resolve_edge", "dispatch", "dispatch_latency")
    costs = Costs(**dict.fromkeys(names, 1_000_000), pop=1_000_000, rotate=1_000_000)
    first, *others = likely_costs(costs)
    assert (first, len(others), len(set(others))) == (costs, 8, 8)
    assert likely_costs(costs) == (first, *others), "always the same"
    for one in others:
        assert (one.pop, one.rotate) == (1_000_000, 1_000_000)
        values = [getattr(one, name) for name in names]
        assert all(970_000 <= value <= 1_030_000 for value in values)
        assert len(set(values)) == len(names)
    every = [getattr(one, name) for one in others for name in names]
    assert min(every) < 975_000 and max(every) > 1_025_000
