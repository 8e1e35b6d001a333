"""A run's own values in place of constant costs: how long every task took to be picked up, to be
seen and to be dispatched, and how the schedulers choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.replay import Costs
from lanescope.replay.calibration.drawn import sources
from lanescope.replay.calibration.turns import UsualSteps, late_runs
from lanescope.replay.readings.given import GivenRuns, given_runs
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.policy import policy_of
from lanescope.replay.readings.served import PS, in_ps
from lanescope.replay.readings.shapes import Shapes
from lanescope.replay.readings.units import Units
from lanescope.trace.schema import MISSING, MISSING32, TaskFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnValues:
    """What a replay uses in place of constants."""

    machine: ReplayMachine
    units: Units
    costs: Costs
    given: GivenRuns
    """What the rules of the schedulers were read from."""
    order: Array
    """All units in the order of their dispatches."""


def own_values(
    trace: Trace,
    nodes: Nodes,
    machine: ReplayMachine,
    *,
    shapes: Shapes,
    units: Units,
    costs: Costs,
    submit_ns: Array,
) -> OwnValues:
    """The own values of a trace's run, where `costs` are those that its controllers usually take.

    Only engines beside the cores and recording keep their costs: what a scheduler takes to see an
    end and to dispatch is read anew, and everything else that it does lies between these.
    """
    given = given_runs(trace, nodes, machine, submit_ns=submit_ns)
    late = late_runs(given, machine, shapes.partners[given.node] > 0)
    place = np.full(len(trace.tasks), -1)
    place[given.row] = np.arange(len(given.row))
    of_unit = place[units.rows]
    own = {
        name: np.where(of_unit >= 0, np.where(values >= 0, values * PS, -1)[of_unit], -1)
        for name, values in (("seen", late.seen), ("wait", late.wait), ("give", late.give))
    }
    own["wait"] = np.maximum(own["wait"], 0)
    return OwnValues(
        machine=replace(machine, policy=policy_of(given)),
        units=_own_units(trace, units, own),
        costs=_own_costs(costs, late.steps),
        given=given,
        order=np.argsort(trace.tasks["dispatch_ns"][units.rows], kind="stable"),
    )


def _own_costs(costs: Costs, steps: UsualSteps) -> Costs:
    """What a scheduler takes at work, with the costs of others."""
    names = (
        "release_tasks",
        "poll_engine",
        "engine_latency",
        "rotate",
        "host_latency",
        "dispatch_latency",
    )
    return Costs(
        loop=1,
        complete=in_ps(steps.finish),
        dispatch=in_ps(steps.dispatch),
        **{name: getattr(costs, name) for name in names},
    )


def _own_units(trace: Trace, units: Units, own: Mapping[str, Array]) -> Units:
    """The units with their own setups and other values. Early tasks keep the usual setup: they wait
    for their inputs in it."""
    tasks, rows = trace.tasks, units.rows
    start, receive, flags = (tasks[name][rows] for name in ("start_ns", "receive_ns", "flags"))
    received = np.where(receive == MISSING, start, receive)
    early = (flags != MISSING32) & (flags & TaskFlag.EARLY_DISPATCH != 0)
    ended = _end_before(tasks["core"][rows], start, tasks["end_ns"][rows])
    pick_up = np.maximum(received - np.maximum(tasks["dispatch_ns"][rows], ended), 0) * PS
    setups_ps = np.where(early, units.setups_ps, (start - received) * PS)
    return replace(units, setups_ps=setups_ps, own_ps={**own, "pick_up": pick_up})


def _end_before(core: Array, start_ns: Array, end_ns: Array) -> Array:
    """By run: the end of the run before it on the same core; MISSING for the first."""
    order = np.lexsort((start_ns, core))
    same = np.append(False, core[order][1:] == core[order][:-1])[: len(order)]
    before = np.empty(len(order), np.int64)
    before[order] = np.where(same, np.roll(end_ns[order], 1), MISSING)
    return before


def redrawn(own: OwnValues, known: Array, *, seed: int) -> OwnValues:
    """The own values where only those of these units are known; the others' are drawn."""
    source = sources(known, own.order, seed=seed)
    units = own.units
    return replace(
        own,
        units=replace(
            units,
            setups_ps=units.setups_ps[source],
            own_ps={name: values[source] for name, values in units.own_ps.items()},
        ),
    )
