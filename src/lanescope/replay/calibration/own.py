"""A run's own values in place of constant costs: every pick-up, every absence of a scheduler, and
how the schedulers choose, each as it was recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.replay import Costs
from lanescope.replay.calibration.absences import (
    Absences,
    Pieces,
    UsualSteps,
    absences_of,
    pieces_of,
    usual_steps,
)  # fmt: skip
from lanescope.replay.calibration.drawn import filled
from lanescope.replay.readings.given import given_runs
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
    absences: Absences
    """Those that the records show."""
    pieces: Pieces
    """What the absences were found in."""
    steps: UsualSteps


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
    begin_ns = int(submit_ns.min(initial=int(given.dispatch_ns.min(initial=0))))
    pieces = pieces_of(given, machine, shapes.partners[given.node] > 0, begin_ns=begin_ns)
    steps = usual_steps(pieces)
    return OwnValues(
        machine=replace(machine, policy=policy_of(given)),
        units=_own_units(trace, units),
        costs=Costs(
            loop=1,
            complete=in_ps(steps.finish),
            dispatch=in_ps(steps.dispatch),
            release_tasks=costs.release_tasks,
            poll_engine=costs.poll_engine,
            engine_seen=costs.engine_seen,
            rotate=costs.rotate,
            host=costs.host,
            link=costs.link,
        ),
        absences=absences_of(pieces, steps),
        pieces=pieces,
        steps=steps,
    )


def _own_units(trace: Trace, units: Units) -> Units:
    """The units with their own setups and pick-ups. Early tasks keep the usual setup: they wait for
    their inputs in it."""
    tasks, rows = trace.tasks, units.rows
    start, receive, flags = (tasks[name][rows] for name in ("start_ns", "receive_ns", "flags"))
    received = np.where(receive == MISSING, start, receive)
    early = (flags != MISSING32) & (flags & TaskFlag.EARLY_DISPATCH != 0)
    before = np.maximum(tasks["dispatch_ns"][rows], _end_before(tasks["core"][rows], start,
                                                                tasks["end_ns"][rows]))  # fmt: skip
    return replace(
        units,
        setups_ps=np.where(early, units.setups_ps, (start - received) * PS),
        pick_ups_ps=np.maximum(received - before, 0) * PS,
    )


def _end_before(core: Array, start_ns: Array, end_ns: Array) -> Array:
    """By run: the end of the run before it on the same core; MISSING for the first."""
    order = np.lexsort((start_ns, core))
    same = np.append(False, core[order][1:] == core[order][:-1])[: len(order)]
    before = np.empty(len(order), np.int64)
    before[order] = np.where(same, np.roll(end_ns[order], 1), MISSING)
    return before


def seen_again(own: OwnValues, window: tuple[int, int], *, seed: int) -> Absences:
    """The absences of a run, and others in the window's time that nothing is known of."""
    turn_ns = max(round(own.steps.turn), 1)
    return filled(own.absences, own.pieces, window, turn_ns=turn_ns, seed=seed)
