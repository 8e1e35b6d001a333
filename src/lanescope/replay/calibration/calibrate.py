"""What the controllers of a recorded run take for each thing they do, from its records alone.

Costs are means, not medians: a counter's ticks are coarser than most of these times, and only a
mean over many ticks has the parts that ticks cut off. A cost that no record tells is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.columns.quantiles import quantile
from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.paths import readiness
from lanescope.native.replay import Costs
from lanescope.replay.calibration.chains import chained
from lanescope.replay.calibration.phase_costs import phase_costs
from lanescope.replay.calibration.round_costs import round_costs
from lanescope.replay.readings.phases import scheduler_phases
from lanescope.replay.readings.served import RangePs, ServedRuns, in_ps, served_runs, trimmed_mean
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The costs of a run's controllers and cores, and what the records leave open."""

    costs: Costs
    seen_ps: RangePs
    """The records allow every value of `costs.finish_latency` between these."""
    missing: tuple[str, ...] = ()
    """What was not recorded, so that its cost is guessed."""
    likely: tuple[Costs, ...] = ()
    """Costs with which a replay is about as near to the recording, the nearest first."""


def calibrate(trace: Trace, nodes: Nodes) -> Calibration:
    """The costs that the records of a trace tell, in picoseconds."""
    runs, phases = served_runs(trace), scheduler_phases(trace)
    costs = _link_costs(runs)
    if not len(runs.core):
        return Calibration(costs=costs, seen_ps=RangePs(0, 0), missing=("dispatch and finish",))
    if not len(phases):
        costs = _service_costs(runs, _shortest_hop_ns(trace, nodes), costs=costs)
        seen_ps = RangePs(costs.finish_latency, costs.finish_latency)
        return Calibration(costs=costs, seen_ps=seen_ps, missing=("scheduler phases",))
    costs = phase_costs(trace, phases, runs, costs=costs)
    rounds = round_costs(trace, phases, runs, costs=costs)
    costs = chained(trace, phases, runs, costs=replace(costs, loop=rounds.loop_ps))
    costs = replace(costs, finish_latency=sum(rounds.seen_ps) // 2)
    return Calibration(costs=costs, seen_ps=rounds.seen_ps)


def _link_costs(runs: ServedRuns) -> Costs:
    """How long a dispatch takes to reach an idle core, and how long a core takes from the end of a
    task to the next one that it already holds."""
    same = np.append(False, runs.core[1:] == runs.core[:-1])[: len(runs.core)]
    ended = np.where(same, np.roll(runs.end_ns, 1), MISSING)
    early = same & (runs.dispatch_ns < ended)
    idle = ~early & (~same | (runs.dispatch_ns > ended)) & ~runs.stalled
    link_ns = trimmed_mean((runs.receive_ns - runs.dispatch_ns)[idle], runs.tick_ns)
    # Only a task that had surely arrived before the one before it ended tells what a core takes.
    held = early & (runs.dispatch_ns + link_ns < ended) & ~runs.stalled
    free_ns = trimmed_mean((runs.receive_ns - ended)[held], runs.tick_ns)
    return Costs(dispatch_latency=in_ps(link_ns), core_record=in_ps(free_ns))


# ---- without phases ------------------------------------------------------------------------------


def _shortest_hop_ns(trace: Trace, nodes: Nodes) -> float:
    """The shortest time from the finish of a task's last predecessor to its dispatch, of all but
    the shortest 1 %; infinite where none is known."""
    done = np.full(len(nodes), MISSING)
    known = trace.tasks["finish_ns"] != MISSING
    np.maximum.at(done, nodes.of_row[known], trace.tasks["finish_ns"][known])
    ready, _ = readiness(nodes.ordered, done)
    hop = (nodes.dispatch - ready)[(ready != MISSING) & (nodes.dispatch != MISSING)]
    hop = hop[hop > 0]
    return quantile(hop, 0.01) if len(hop) else float("inf")


def _service_costs(runs: ServedRuns, hop_ns: float, *, costs: Costs) -> Costs:
    """The costs with those of dispatching, completing and looking for ends.

    A dispatch costs at most what lies between two dispatches of a controller, and at most `hop_ns`.
    A completion costs at most what lies between two finishes, and half of the shortest time from a
    task's end to its finish.
    """
    tail_ns = runs.finish_ns - runs.end_ns
    shortest = quantile(tail_ns, 0.01)
    near = _nearest_ns(runs, runs.dispatch_ns)
    dispatch = min([*near, hop_ns]) if near else 0.0
    complete = min([*_nearest_ns(runs, runs.finish_ns), shortest / 2])
    mean = trimmed_mean(tail_ns, runs.tick_ns)
    return replace(
        costs,
        dispatch=in_ps(dispatch),
        complete=in_ps(complete),
        finish_latency=in_ps(shortest - complete),
        loop=in_ps(max(2 * (mean - shortest), 1.0)),
    )


def _nearest_ns(runs: ServedRuns, times_ns: Array) -> list[float]:
    """By controller that has two different times: how near two of them come, of all but the nearest
    10 %."""
    nearest = []
    for controller in different(runs.controller).tolist():
        apart = np.diff(np.sort(times_ns[runs.controller == controller]))
        apart = apart[apart > 0]
        if len(apart):
            nearest.append(quantile(apart, 0.1))
    return nearest
