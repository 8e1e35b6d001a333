"""Changes of a replica: other lengths, cores, schedulers, costs, edges or recording buffers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lanescope.errors import UsageError
from lanescope.native.replay import LANES
from lanescope.replay.readings.buffers import Buffers
from lanescope.replay.readings.machine import ReplayMachine
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replica
from lanescope.trace.table import Array

RANK_FUNCTIONS = 20
"""A rank tries so many functions, those that took the most time in all."""
RANK_SCALE = 0.9
"""A rank makes functions and costs so many times as long."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change and what to call it."""

    name: str
    apply: Callable[[Replica], Replica]
    """Gives the changed replica; the given one stays as it is."""


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


def set_dispatch_cost(replica: Replica, ns: float) -> Replica:
    """A scheduler takes `ns` nanoseconds to give a task to a core, with its look into the queue."""
    pop = min(replica.costs.pop, round(ns * PS))
    return replace(replica, costs=replace(replica.costs, pop=pop, dispatch=round(ns * PS) - pop))


def scale_submits(replica: Replica, factor: float) -> Replica:
    """The orchestrator takes `factor` times as long from submit to submit."""
    cost_ps = np.round(replica.submits.cost_ps * factor).astype(np.int64)
    return replace(replica, submits=replace(replica.submits, cost_ps=cost_ps))


def drop_edges(replica: Replica, pred: Array, succ: Array) -> Replica:
    """The graph has no edge from any of the nodes `pred` to any of the nodes `succ`."""
    edges = replica.edges
    gone = np.isin(edges.pred, pred) & np.isin(edges.succ, succ)
    if not gone.any():
        raise UsageError("there is no such edge to drop")
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


# ---- all usual changes ---------------------------------------------------------------------------


def rank_changes(replica: Replica) -> list[Change]:
    """Every function 10 % shorter, one more of every resource, and every cost 10 % lower."""
    machine, costs = replica.machine, replica.costs
    changes = [
        Change(f"{name} x{RANK_SCALE}", partial(scale_function, func=func, factor=RANK_SCALE))
        for func, name in _largest_functions(replica).items()
    ]
    for code, kind in enumerate(machine.kinds):
        count = int(np.count_nonzero(machine.core_kind == code)) + 1
        changes.append(
            Change(f"{kind} cores +1 ({count})", partial(set_cores, kind=kind, count=count))
        )
    more, dispatch_ns = machine.schedulers + 1, RANK_SCALE * (costs.pop + costs.dispatch) / PS
    return [
        *changes,
        Change(f"schedulers +1 ({more})", partial(set_schedulers, count=more)),
        Change("dispatch cost x0.9", partial(set_dispatch_cost, ns=dispatch_ns)),
        Change("submit cost x0.9", partial(scale_submits, factor=RANK_SCALE)),
    ]


def _largest_functions(replica: Replica) -> dict[int, str]:
    """Function id → its name, for those whose runs took the most time in all."""
    trace, units = replica.trace, replica.units
    names = dict(
        zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    )
    keys, codes = np.unique(trace.tasks["func"][units.rows], return_inverse=True)
    total_ps = np.bincount(codes, weights=units.lengths_ps, minlength=len(keys))
    largest = keys[np.argsort(-total_ps, kind="stable")[:RANK_FUNCTIONS]].tolist()
    return {func: names.get(func) or f"func_{func}" for func in largest if func >= 0}
