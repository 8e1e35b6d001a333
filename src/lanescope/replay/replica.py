"""A recorded run as something that can run again: its graph, its tasks' lengths, its machine.

Every run is as long as it was recorded, and submits come as far apart as they were recorded. All
other costs are calibrated (`calibrate`) and then searched for near that (`refine`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.graph.nodes import Nodes
from lanescope.analyze.graph.nodes import nodes as nodes_of
from lanescope.errors import LanescopeError
from lanescope.native.replay import Costs, ReadyReplay, ReplayInput
from lanescope.replay.calibration.banked import banked
from lanescope.replay.calibration.calibrate import Calibration, calibrate
from lanescope.replay.calibration.own import OwnValues
from lanescope.replay.calibration.refine import SearchLimits, refine
from lanescope.replay.readings.buffers import Buffers, buffers_of
from lanescope.replay.readings.core_runs import core_runs
from lanescope.replay.readings.edges import ReplayEdges, edges_of
from lanescope.replay.readings.engine_waits import EngineWaits, engine_waits
from lanescope.replay.readings.machine import ReplayMachine, machine_of
from lanescope.replay.readings.phases import scheduler_phases
from lanescope.replay.readings.served import PS, ServedRuns, served_runs, tick_ns
from lanescope.replay.readings.shapes import Shapes, shapes_of
from lanescope.replay.readings.submits import Submits, submits_of, submitted_at_once
from lanescope.replay.readings.told_submits import told_submits
from lanescope.replay.readings.units import Units, units_of
from lanescope.trace.run_parts import run_name
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

_REPLAYED_UNITS = 500_000
"""The search for better costs replays about so many runs of tasks in all."""
_MOST_TRIES = 600
_FEWEST_TRIES = 10
"""With fewer replays there is no search."""
_WITH_SUBMITS = 4
"""Submits are recorded from this level on."""
_FAR_PS = 50_000_000
"""A replay that is further off has other reasons than the last digits of its costs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replica:
    """Everything that a replay needs. A change of it gives another replica."""

    trace: Trace
    nodes: Nodes
    """The nodes of the trace's graph, which edges, shapes, waits and submits refer to."""
    window: Span
    """First dispatch to last finish of the recorded run."""
    machine: ReplayMachine
    edges: ReplayEdges
    shapes: Shapes
    units: Units
    waits: EngineWaits
    submits: Submits
    buffers: Buffers
    costs: Costs
    """What a replay uses: the calibrated costs, or better ones that the search came to."""
    calibration: Calibration
    own: OwnValues | None = None
    """The run's own values, where the replica has them in place of constant costs."""

    @property
    def held_up(self) -> float:
        """The part of the makespan for which the orchestrator waited for others. A replay keeps
        these waits as they were recorded."""
        return self.submits.held_up_ps / (self.window.length_ns * PS)


def replica_of(trace: Trace) -> Replica:
    """The replica of a recorded run, with constant costs.

    Raises LanescopeError for a trace that lacks dispatch and finish times or the task graph, and
    for one whose lanes are no cores.
    """
    words = vocabulary(trace)
    if words.family != "cores":
        raise LanescopeError(
            f"a replay needs cores that a scheduler gives tasks to, and the lanes of "
            f"{trace.meta.name} are {words.lane}s; 'lanescope report' says where their time went"
        )
    if len(trace.runs) > 1:
        names = ", ".join(run_name(trace, row) for row in range(min(len(trace.runs), 4)))
        problem = f"this trace holds {len(trace.runs)} ({names}, …)"
        raise LanescopeError(f"a replay is of one run, and {problem}; choose one with --run")
    window, nodes = _require_window(trace), nodes_of(trace)
    if not nodes.graph_known:
        raise LanescopeError("a replay needs the task graph, and this trace has no edges")
    served = _require_runs(trace)
    machine = machine_of(trace)
    runs = core_runs(trace, nodes, machine)
    shapes = shapes_of(trace, nodes, runs, machine=machine)
    calibration = calibrate(trace, nodes)
    in_banks = banked(trace, nodes, shapes, machine=machine, usual=calibration)
    if in_banks is not None:
        machine, calibration = in_banks.machine, in_banks.calibration
    phases = scheduler_phases(trace)
    waits = engine_waits(trace, nodes, phases, runs=served, costs=calibration.costs)
    buffers = buffers_of(trace)
    costs = replace(
        calibration.costs,
        poll_engine=waits.poll_ps,
        rotate=calibration.costs.rotate or buffers.rotate_ps,
        host_latency=buffers.host_ps.usual,
    )
    submits = submits_of(
        trace,
        nodes,
        costs if in_banks is None else in_banks.served,
        pre_dispatch=machine.pre_dispatch,
    )
    if not (nodes.submit != MISSING).any():
        if _is_host_built(trace):
            submits = submitted_at_once(submits)
        elif told_submits(trace, nodes) is None:
            calibration = replace(calibration, missing=(*calibration.missing, "submits"))
    replica = Replica(
        trace=trace,
        nodes=nodes,
        window=window,
        machine=machine,
        edges=edges_of(trace, nodes),
        shapes=shapes,
        units=units_of(trace, runs, shapes),
        waits=waits,
        submits=submits,
        buffers=buffers,
        costs=costs,
        calibration=replace(calibration, costs=costs),
    )
    return _refined(replica)


def _is_host_built(trace: Trace) -> bool:
    """Whether the host built the graph before the run: submits are recorded at this level, and
    there are none, but phases of schedulers."""
    return trace.meta.level >= _WITH_SUBMITS and len(trace.phases) > 0


def _require_window(trace: Trace) -> Span:
    window = makespan(trace).makespan
    if window is None or not window.length_ns:
        raise LanescopeError(
            "a replay needs dispatch and finish of tasks, which are recorded from level 2 on; "
            f"this trace is of level {trace.meta.level}"
        )
    return window


def _require_runs(trace: Trace) -> ServedRuns:
    served = served_runs(trace)
    if not len(served.rows):
        raise LanescopeError(
            "a replay needs tasks whose dispatch, start, end and finish are all recorded, and this "
            "trace has none"
        )
    return served


def _refined(replica: Replica) -> Replica:
    """The replica with the costs that bring its replay nearest to the recording."""
    units, tick_ps = replica.units, round(tick_ns(replica.trace) * PS)
    ran = np.flatnonzero(np.diff(units.first) > 0)
    tries = min(_REPLAYED_UNITS // len(units.rows), _MOST_TRIES)
    if tries < _FEWEST_TRIES:
        return replica
    finish_ns = replica.trace.tasks["finish_ns"][units.rows] - replica.submits.begin_ns
    recorded_ps = np.maximum.reduceat(finish_ns * PS + tick_ps // 2, units.first[ran])

    ready = _ready(replica)

    def score(costs: Costs) -> float:
        """See `refine.Score`; a task's finish is that of its last run."""
        replayed_ps = ready.run(costs).units["finish"]
        off = np.abs(np.maximum.reduceat(replayed_ps, units.first[ran]) - recorded_ps)
        return float(np.log1p(off / tick_ps).mean())

    if replica.machine.bank_cores > 1:
        likely = tuple(sorted(replica.calibration.likely, key=score))
    elif score(replica.costs) > np.log1p(_FAR_PS / tick_ps):
        return replica
    else:
        limits = SearchLimits(replica.calibration.seen_ps, tick_ps, tries)
        likely = refine(replica.costs, score, limits)
    calibration = replace(replica.calibration, likely=likely)
    return replace(replica, costs=likely[0], calibration=calibration)


# ---- running it ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """One replay. Times are ps from the moment when the orchestrator begins."""

    makespan_ps: int
    """First dispatch to last finish."""
    units: Array
    """By unit of the replica: its core and its times, see ls_machine_run."""
    stalled_ps: int
    """How long all producers together waited for recording buffers."""


def replay(replica: Replica) -> Replayed:
    """Run a replica once."""
    output = _ready(replica).run(replica.costs)
    begin_ps = int(output.units["dispatch"].min(initial=output.last_ps))
    return Replayed(output.last_ps - begin_ps, output.units, output.stalled_ps)


def _ready(replica: Replica) -> ReadyReplay:
    """A replica made ready to run often, each time with other costs."""
    machine, shapes, submits = replica.machine, replica.shapes, replica.submits
    successors = _successors(replica.edges, len(shapes.kind))
    by_cluster = np.argsort(machine.cluster, kind="stable")
    return ReadyReplay(
        ReplayInput(
            first=successors.first,
            target=successors.node,
            kind=shapes.kind,
            blocks=shapes.blocks,
            partners=shapes.partners,
            partner_kind=shapes.partner_kind,
            manner=shapes.manner,
            wait=replica.waits.wait_ps,
            unit_first=replica.units.first,
            lengths=replica.units.lengths_ps,
            setups=replica.units.setups_ps,
            own=replica.units.own_ps,
            submit_order=submits.order,
            submit_cost=submits.cost_ps,
            submit_records=submits.records,
            core_kind=machine.core_kind,
            core_scheduler=machine.scheduler,
            cluster_first=np.concatenate([[0], np.cumsum(np.bincount(machine.cluster))]),
            cluster_cores=by_cluster,
            buffer_records=replica.buffers.records,
            buffer_count=replica.buffers.count,
            kinds=len(machine.kinds),
            schedulers=machine.schedulers,
            pre_dispatch=machine.pre_dispatch,
            bank_cores=machine.bank_cores,
            policy=machine.policy,
            costs=replica.costs,
        )
    )


def distance(replica: Replica) -> float:
    """How far the makespan of a replay is from the recorded one, as a part of that."""
    return replay(replica).makespan_ps / (replica.window.length_ns * PS) - 1


class _Successors(NamedTuple):
    """Successors of node n are node[first[n]:first[n + 1]]."""

    first: Array
    node: Array


def _successors(edges: ReplayEdges, nodes: int) -> _Successors:
    pred, succ = edges.pred, edges.succ
    if not (pred[1:] >= pred[:-1]).all():
        order = np.argsort(pred, kind="stable")
        pred, succ = pred[order], succ[order]
    first = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(pred, minlength=nodes), out=first[1:])
    return _Successors(first, succ)
