"""Changes of a replica: other lengths, cores, schedulers, costs, edges or recording buffers.

`asked.py` makes them of what somebody asks, `ranking.py` of what is usually worth a try.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lanescope.errors import UsageError
from lanescope.native.paths import implied_edges
from lanescope.native.replay import LANES
from lanescope.native.tables import constant
from lanescope.replay.readings.buffers import Buffers
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replica
from lanescope.trace.numbering import different
from lanescope.trace.table import Array

_REDUCTION_STEPS = 20_000_000
"""Edges that others imply are not looked for where that takes more steps."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change and what to call it."""

    name: str
    apply: Callable[[Replica], Replica]
    """Gives the changed replica; the given one stays as it is."""
    effort: str = ""
    """What has to be done for it, a word of `ranking.EFFORTS`; empty where nobody asks."""
    asked: tuple[str, ...] = ()
    """Words that ask for it: `lanescope what-if TRACE --scale QK=0.9`."""


def scale_function(replica: Replica, func: int, factor: float) -> Replica:
    """Every run of the function takes `factor` times as long."""
    units = replica.units
    mine = replica.trace.tasks["func"][units.rows] == func
    lengths = np.where(mine, np.round(units.lengths_ps * factor), units.lengths_ps)
    return replace(replica, units=replace(units, lengths_ps=lengths.astype(np.int64)))


def set_cores(replica: Replica, kind: str, count: int) -> Replica:
    """The machine has `count` cores of a kind. The last ones go; further ones join the clusters of
    that kind in turn."""
    machine = replica.machine
    if kind not in machine.kinds:
        raise UsageError(
            f"expected a kind of core that ran tasks ({', '.join(machine.kinds)}), found {kind!r}"
        )
    if count < 1:
        raise UsageError(f"expected at least 1 core of kind {kind}, found {count}")
    every = np.arange(len(machine.core_kind))
    mine = np.flatnonzero(machine.core_kind == machine.kinds.index(kind))
    if count <= len(mine):
        return replace(replica, machine=_with_cores(machine, np.setdiff1d(every, mine[count:])))
    copied = mine[np.arange(count - len(mine)) % len(mine)]
    return replace(replica, machine=_with_cores(machine, np.concatenate([every, copied])))


def _with_cores(machine: ReplayMachine, cores: Array) -> ReplayMachine:
    """The machine with these of its cores; a core that is named twice gets a twin."""
    return replace(
        machine,
        core_kind=machine.core_kind[cores],
        cluster=machine.cluster[cores],
        scheduler=machine.scheduler[cores],
    )


def set_schedulers(replica: Replica, count: int) -> Replica:
    """The machine has `count` scheduler threads. Clusters are dealt to them in turn."""
    if count < 1:
        raise UsageError(f"expected at least 1 scheduler, found {count}")
    _, cluster = np.unique(replica.machine.cluster, return_inverse=True)
    machine = replace(replica.machine, scheduler=cluster % count, schedulers=count)
    return replace(replica, machine=machine)


def set_pre_dispatch(replica: Replica, count: int) -> Replica:
    """A core may hold `count` tasks beside the one it runs."""
    most = constant("LS_PRE_DISPATCH_MAX")
    if not 0 <= count <= most:
        raise UsageError(f"expected 0 to {most} tasks in advance, found {count}")
    return replace(replica, machine=replace(replica.machine, pre_dispatch=count))


def set_dispatch_cost(replica: Replica, ns: float) -> Replica:
    """A scheduler takes `ns` nanoseconds to give a task to a core, with its look into the queue."""
    pop = min(replica.costs.pop, round(ns * PS))
    return replace(replica, costs=replace(replica.costs, pop=pop, dispatch=round(ns * PS) - pop))


def scale_submits(replica: Replica, factor: float) -> Replica:
    """The orchestrator takes `factor` times as long from submit to submit. What it waited for
    others, as for a place in its window of tasks, is no cost of a submit and stays."""
    submits = replica.submits
    own_ps = np.round((submits.cost_ps - submits.waited_ps) * factor).astype(np.int64)
    return replace(replica, submits=replace(submits, cost_ps=own_ps + submits.waited_ps))


def drop_edges(replica: Replica, pred: Array, succ: Array) -> Replica:
    """The graph has no edge from any of the nodes `pred` to any of the nodes `succ`."""
    edges = replica.edges
    return _without(replica, np.isin(edges.pred, pred) & np.isin(edges.succ, succ))


def nodes_of_function(replica: Replica, func: int) -> Array:
    """The nodes of all tasks of a function."""
    rows = np.flatnonzero(replica.trace.tasks["func"] == func)
    return different(replica.nodes.of_row[rows])


def drop_implied_edges(replica: Replica) -> Replica:
    """The graph has no edge that follows from others. Tasks keep their order."""
    edges, ordered = replica.edges, replica.nodes.ordered
    implied = implied_edges(ordered, budget=_REDUCTION_STEPS)
    if implied is None:
        raise UsageError("the graph is too large to look for edges that others imply")
    source = np.repeat(np.arange(len(ordered)), np.diff(ordered.first))
    gone = (source * len(ordered) + ordered.target)[implied]
    return _without(replica, np.isin(edges.pred * len(ordered) + edges.succ, gone))


def _without(replica: Replica, gone: Array) -> Replica:
    """The replica without the edges in a mask."""
    if not gone.any():
        raise UsageError("there is no such edge to drop")
    edges = replica.edges
    kept = replace(edges, pred=edges.pred[~gone], succ=edges.succ[~gone])
    return replace(replica, edges=kept)


def set_buffers(replica: Replica, count: int, records: int | None = None) -> Replica:
    """Each producer has `count` recording buffers. One holds `records` records, or as many as it
    did."""
    known = replica.buffers
    if not known.known:
        raise UsageError(
            "expected a trace that tells of its recording buffers, as those that lanescope "
            "recorded do, found none"
        )
    if count < 1 or (records is not None and records < 1):
        raise UsageError(
            f"expected at least 1 buffer of 1 record, found {count} of {records or 'as many'}"
        )
    recorded = known.records > 0
    changed = replace(
        known,
        count=np.where(recorded, count, known.count).astype(np.int32),
        records=np.where(recorded, records or known.records, 0).astype(np.int32),
    )
    less = changed.count * changed.records < known.count * known.records
    if less.any() and not known.host_ps.high:
        raise UsageError(
            "expected more room than the recorded run had: no producer waited for a buffer in it, "
            "so nothing is known of how soon buffers are given back"
        )
    cost_ps = _submit_costs_ps(replica, changed)
    submits = replace(replica.submits, cost_ps=np.maximum(cost_ps, 0))
    return replace(replica, buffers=changed, submits=submits)


def _submit_costs_ps(replica: Replica, changed: Buffers) -> Array:
    """Recorded submits have the changes of buffers in them: with larger buffers there are fewer."""
    lane = LANES.index("orchestrator_phase")
    old, new = int(replica.buffers.records[lane]), int(changed.records[lane])
    each = replica.costs.rotate * (1 / new - 1 / old) if old else 0.0
    submits = replica.submits
    return np.asarray(submits.cost_ps + np.round(each * submits.records).astype(np.int64))
