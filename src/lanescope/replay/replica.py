"""A recorded run as something that can run again: its graph, its tasks' lengths, its machine.

Lengths are each run's own, submits come as far apart as they were recorded, and everything else is
calibrated (`calibrate`) and then searched for near that (`refine`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.graph.nodes import Nodes, nodes, places
from lanescope.errors import LanescopeError
from lanescope.native.replay import Costs, ReplayInput, run_replay
from lanescope.replay.calibration.calibrate import Calibration, calibrate, scheduler_phases
from lanescope.replay.calibration.refine import Doubt, refine
from lanescope.replay.readings.buffers import Buffers, recording_of
from lanescope.replay.readings.engine_waits import engine_waits
from lanescope.replay.readings.machine import Machine, machine_of
from lanescope.replay.readings.served import PS, served_runs, tick_ns
from lanescope.replay.readings.shapes import manners_of, shapes_of
from lanescope.replay.readings.submits import submits_of
from lanescope.trace.schema import MISSING, MISSING32, EdgeFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

__all__ = ["Machine", "Model", "Replayed", "model", "replay"]

_REPLAYED_UNITS = 500_000
"""So many runs of tasks are replayed in the search for better costs."""
_MOST_TRIES = 600
_FEWEST_TRIES = 10
_FAR_PS = 50_000_000
"""A replay that is further off than that has other reasons than the costs' last digits."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """What a replay needs; changes give another model."""

    trace: Trace
    nodes: Nodes
    machine: Machine
    costs: Costs
    calibration: Calibration
    pred: Array
    succ: Array
    kind: Array
    """By node: kind of core, SILENT or ALLOC."""
    blocks: Array
    partners: Array
    partner_kind: Array
    manner: Array
    """By node, as bits: EARLY, TOGETHER."""
    wait_ps: Array
    """By node: how long an engine goes on where it ends; 0: none does."""
    unit_rows: Array
    """By unit: the task row it was; units of a node follow each other."""
    unit_first: Array
    lengths_ps: Array
    setups_ps: Array
    submit_order: Array
    submit_cost_ps: Array
    submit_records: Array
    """That the orchestrator writes from a submit to the next."""
    begin_ns: int
    """When the orchestrator begins: 0 of a replay."""
    held_up: float
    """For what part of the makespan the orchestrator waited for others; that stays as recorded."""
    buffers: Buffers
    window: Span


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """One replay; times in ps from the moment that the orchestrator begins."""

    makespan_ps: int
    """First dispatch to last finish."""
    units: Array
    stalled_ps: int = 0
    """How long producers waited for recording buffers, all together."""


def model(trace: Trace) -> Model:
    """Refuses a trace that lacks what a replay needs."""
    window = makespan(trace).makespan
    if window is None or not window.length_ns:
        raise LanescopeError(
            "a replay needs dispatch and finish of tasks, which are recorded from level 2 on; "
            f"this trace is of level {trace.meta.level}"
        )
    found = nodes(trace)
    if not found.graph_known:
        raise LanescopeError("a replay needs the task graph, and this trace has no edges")
    machine = machine_of(trace)
    shapes = shapes_of(trace, found, machine)
    calibration = calibrate(trace, found)
    waits = engine_waits(
        trace, found, scheduler_phases(trace), runs=served_runs(trace), costs=calibration.costs
    )
    calibration = replace(
        calibration, costs=replace(calibration.costs, poll_engine=waits.poll_engine)
    )
    buffers, recording = recording_of(trace, calibration.costs)
    calibration = replace(calibration, costs=recording)
    submits = submits_of(trace, found, calibration.costs, pre_dispatch=machine.pre_dispatch)
    if not (found.submit != MISSING).any():
        calibration = replace(calibration, missing=(*calibration.missing, "submits"))
    made = Model(
        trace=trace,
        nodes=found,
        machine=machine,
        costs=calibration.costs,
        calibration=calibration,
        **_edges(trace, found),
        **shapes,
        manner=manners_of(trace, found, shapes),
        wait_ps=waits.wait_ps,
        submit_order=submits.order,
        submit_cost_ps=submits.cost_ps,
        submit_records=submits.records,
        begin_ns=submits.begin_ns,
        held_up=submits.held_up_ps / (window.length_ns * PS),
        buffers=buffers,
        window=window,
    )
    return _refined(made)


def _refined(made: Model) -> Model:
    """With the costs that bring the replay nearest to the recording."""
    tick_ps = round(tick_ns(made.trace) * PS)
    ran = np.flatnonzero(np.diff(made.unit_first) > 0)
    tries = min(_REPLAYED_UNITS // max(len(made.unit_rows), 1), _MOST_TRIES)
    if tries < _FEWEST_TRIES or not len(ran):
        return made
    finish = (made.trace.tasks["finish_ns"][made.unit_rows] - made.begin_ns) * PS + tick_ps // 2
    recorded = np.maximum.reduceat(finish, made.unit_first[ran])

    def score(costs: Costs) -> float:
        found = replay(replace(made, costs=costs)).units["finish"]
        off = np.abs(np.maximum.reduceat(found, made.unit_first[ran]) - recorded)
        return float(np.log1p(off / tick_ps).mean())

    if score(made.costs) > np.log1p(_FAR_PS / tick_ps):
        return made
    likely = refine(made.costs, score, Doubt(made.calibration.seen_ps, tick_ps, tries))
    return replace(made, costs=likely[0], calibration=replace(made.calibration, likely=likely))


def replay(model: Model) -> Replayed:
    """Run it once."""
    machine, (first, target) = model.machine, _successors(model)
    cluster = np.argsort(model.machine.cluster, kind="stable")
    sizes = np.bincount(machine.cluster[cluster]) if len(cluster) else np.zeros(0, np.int64)
    found = run_replay(
        ReplayInput(
            first=first,
            target=target,
            kind=model.kind,
            blocks=model.blocks,
            partners=model.partners,
            partner_kind=model.partner_kind,
            manner=model.manner,
            wait=model.wait_ps,
            unit_first=model.unit_first,
            lengths=model.lengths_ps,
            setups=model.setups_ps,
            submit_order=model.submit_order,
            submit_cost=model.submit_cost_ps,
            submit_records=model.submit_records,
            core_kind=machine.core_kind,
            core_scheduler=machine.scheduler,
            cluster_first=np.concatenate([[0], np.cumsum(sizes)]),
            cluster_cores=cluster,
            buffer_records=model.buffers.records,
            buffer_count=model.buffers.count,
            kinds=len(machine.kinds),
            schedulers=machine.schedulers,
            pre_dispatch=machine.pre_dispatch,
            costs=model.costs,
        )
    )
    begin = int(found.units["dispatch"].min(initial=found.last))
    return Replayed(found.last - begin, found.units, found.stalled)


def _successors(model: Model) -> tuple[Array, Array]:
    """Where the successors of each node begin, and all of them."""
    pred, succ = model.pred, model.succ
    if not (pred[1:] >= pred[:-1]).all():
        order = np.argsort(pred, kind="stable")
        pred, succ = pred[order], succ[order]
    first = np.zeros(len(model.kind) + 1, np.int64)
    np.cumsum(np.bincount(pred, minlength=len(model.kind)), out=first[1:])
    return first, succ


def _edges(trace: Trace, found: Nodes) -> dict[str, Array]:
    """Every pair once, or as often as it is recorded where schedulers told successors so often."""
    pred, succ = places(found.ids, trace.edges["pred"]), places(found.ids, trace.edges["succ"])
    known = (pred >= 0) & (succ >= 0) & (pred != succ)
    told = trace.phases["tasks"][trace.phases["kind"] == trace.code("resolve")]
    repeated = int(np.count_nonzero(known))
    if repeated > len(found.pred) and int(told[told > 0].sum()) > (repeated + len(found.pred)) // 2:
        cyclic = trace.edges["flags"]
        known &= (cyclic == MISSING32) | (cyclic & EdgeFlag.CYCLIC == 0)
        return {"pred": pred[known], "succ": succ[known]}
    return {"pred": found.pred, "succ": found.succ}
