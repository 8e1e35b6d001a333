"""The calibration of a run whose schedulers serve many cores in one step."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.replay import Costs
from lanescope.replay.calibration.bank_costs import BankCosts, bank_costs
from lanescope.replay.calibration.calibrate import Calibration
from lanescope.replay.readings.bank_steps import bank_steps
from lanescope.replay.readings.banks import bank_cores_of
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.served import RangePs, in_ps, served_runs
from lanescope.replay.readings.shapes import Shapes
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

LIKELY = 8
"""So many other costs are about as likely as those that the stamps tell …"""
SPREAD = 0.03
"""… each different from them by up to this part."""


@dataclass(frozen=True, slots=True)
class Banked:
    """A machine with banks, and its costs."""

    machine: ReplayMachine
    calibration: Calibration
    served: Costs
    """What a scheduler takes at most from task to task, to tell who waited for its submit."""


def banked(
    trace: Trace, nodes: Nodes, shapes: Shapes, *, machine: ReplayMachine, usual: Calibration
) -> Banked | None:
    """The machine and its calibration; None where schedulers serve one core after the other, or
    where a node is more than a task on one core. `usual` is what is calibrated without banks."""
    runs = served_runs(trace)
    plain = (shapes.kind >= 0) & (shapes.blocks == 1) & (shapes.partners == 0)
    if not plain.all() or shapes.manner.any() or len(machine.kinds) != 1:
        return None
    cores = bank_cores_of(trace, runs, machine.kinds)
    if cores == 1:
        return None
    found = bank_costs(bank_steps(trace, nodes, runs, cores=cores))
    costs = _costs(found, usual.costs)
    calibration = replace(
        usual, costs=costs, seen_ps=RangePs(0, 0), missing=(), likely=likely_costs(costs)
    )
    served = Costs(complete=in_ps(found.longest), pop=costs.pop, dispatch=costs.dispatch)
    return Banked(replace(machine, bank_cores=cores), calibration, served)


def _costs(found: BankCosts, usual: Costs) -> Costs:
    """A look and the first step of a round are one time in the stamps."""
    return Costs(
        loop=in_ps(found.loop),
        complete_base=in_ps(found.look - found.complete),
        complete=in_ps(found.complete),
        resolve_edge=in_ps(found.resolve_edge),
        resolve_bank=in_ps(found.resolve),
        dispatch_base=in_ps(found.before_dispatch),
        dispatch_end=in_ps(found.after_dispatch),
        pop=in_ps(found.pop),
        dispatch=in_ps(found.dispatch),
        rotate=in_ps(found.opening),
        dispatch_latency=usual.dispatch_latency,
        core_record=usual.core_record,
    )


_VARIED = ("loop", "complete_base", "complete", "resolve_edge", "dispatch", "dispatch_latency")


def likely_costs(costs: Costs) -> tuple[Costs, ...]:
    """The costs, and others that differ at random. Which end a look still sees, and so which task
    goes to which core, hangs on the last digits of them: one replay is one of many runs."""
    draws: Array = np.random.default_rng(1).uniform(-SPREAD, SPREAD, (LIKELY, len(_VARIED)))
    others = (
        replace(
            costs,
            **{n: round(getattr(costs, n) * (1 + by)) for n, by in zip(_VARIED, row, strict=True)},
        )
        for row in draws.tolist()
    )
    return (costs, *others)
