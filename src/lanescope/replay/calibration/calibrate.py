"""What the controllers of a recorded run take for each thing they do, from its records alone.

Means, not medians: a counter's ticks are coarser than most of these times, and only means see
through them. What no record tells is 0, and said to be.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.paths import readiness
from lanescope.native.replay import Costs
from lanescope.replay.calibration.chains import chained
from lanescope.replay.calibration.phase_costs import loop_costs, phase_costs
from lanescope.replay.readings.served import ServedRuns, in_ps, mean, served_runs
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Table
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Calibration:
    """The costs, and what could not be read from the records."""

    costs: Costs
    seen_ps: tuple[int, int] = (0, 0)
    """The records leave open what `costs.seen` is between these."""
    missing: tuple[str, ...] = field(default=())
    likely: tuple[Costs, ...] = ()
    """Costs with which a replay is about as near to the recording, the nearest first."""


def calibrate(trace: Trace, found: Nodes) -> Calibration:
    """Costs in picoseconds."""
    rows = served_runs(trace)
    missing = []
    seen_ps: tuple[int, int] | None = None
    costs = _link(rows)
    phases = scheduler_phases(trace)
    if not len(rows.core):
        return Calibration(costs, missing=("dispatch and finish",))
    if len(phases):
        costs = replace(costs, **phase_costs(trace, phases, rows))
        loop_ps, seen_ps = loop_costs(trace, phases, rows, costs=costs)
        costs = chained(trace, phases, rows, costs=replace(costs, loop=loop_ps))
        costs = replace(costs, seen=sum(seen_ps) // 2)
    else:
        missing.append("scheduler phases")
        costs = replace(costs, **_service_costs(rows, _shortest_hop(trace, found)))
    return Calibration(costs, seen_ps or (costs.seen, costs.seen), tuple(missing))


def _link(rows: ServedRuns) -> Costs:
    """Dispatch to receive where the core was idle; end to receive where the next one was there."""
    same = np.append(False, rows.core[1:] == rows.core[:-1])[: len(rows.core)]
    ended = np.where(same, np.roll(rows.end, 1), MISSING)
    early = same & (rows.dispatch < ended)
    idle = ~early & (~same | (rows.dispatch > ended)) & ~rows.stalled
    link = mean((rows.receive - rows.dispatch)[idle], rows.tick_ns)
    # A task that had surely arrived before the one before it ended tells how long that takes.
    there = early & (rows.dispatch + link < ended) & ~rows.stalled
    return Costs(link=in_ps(link), free=in_ps(mean((rows.receive - ended)[there], rows.tick_ns)))


def scheduler_phases(trace: Trace) -> Table:
    phases = trace.phases
    mine = (phases["lane"] == trace.code("scheduler")) & (phases["start_ns"] != MISSING)
    return phases.rows(np.flatnonzero(mine & (phases["end_ns"] != MISSING)))


def _shortest_hop(trace: Trace, found: Nodes) -> float:
    """The least time from the finish of all a task waits for to its dispatch; infinite: unknown."""
    done = np.full(len(found), MISSING)
    known = trace.tasks["finish_ns"] != MISSING
    np.maximum.at(done, found.of_row[known], trace.tasks["finish_ns"][known])
    ready, _ = readiness(found.ordered, done)
    hop = (found.dispatch - ready)[(ready != MISSING) & (found.dispatch != MISSING)]
    hop = hop[hop > 0]
    return float(np.quantile(hop, 0.01)) if len(hop) else float("inf")


def _service_costs(rows: ServedRuns, hop: float) -> dict[str, int]:
    """Without phases: the closest that two dispatches and two finishes of a controller are, but no
    more than there was time for between a task's finish and the next one's dispatch, or between a
    task's end and its finish."""
    near: dict[str, list[float]] = {"dispatch": [], "complete": []}
    for controller in np.unique(rows.controller).tolist():
        mine = rows.controller == controller
        for name, times in (("dispatch", rows.dispatch[mine]), ("complete", rows.finish[mine])):
            apart = np.diff(np.sort(times))
            apart = apart[apart > 0]
            if len(apart):
                near[name].append(float(np.quantile(apart, 0.1)))
    tail = mean(rows.finish - rows.end, rows.tick_ns)
    shortest = float(np.quantile(rows.finish - rows.end, 0.01))
    dispatch = min([*near["dispatch"], hop]) if near["dispatch"] else 0.0
    complete = min([*near["complete"], shortest / 2])
    return {
        "dispatch": in_ps(dispatch),
        "complete": in_ps(complete),
        "seen": in_ps(shortest - complete),
        "loop": in_ps(max(2 * (tail - shortest), 1.0)),
    }
