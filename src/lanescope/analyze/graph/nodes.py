"""The task graph of a trace as columns per node: times of all its runs together, and its edges.

A node is a task id; a run without an id is a node of its own. Nodes that never ran on a core
(alloc, dummy, skipped) hand on what they wait for; of others without times nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import distinct_pairs
from lanescope.native import cyclic_nodes
from lanescope.native.paths import Ordered, order_graph, readiness
from lanescope.native.tiling import sort_order
from lanescope.trace.schema import MISSING, MISSING32, EdgeFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

SILENT = ("alloc", "dummy", "skipped")
"""Kinds of nodes that no core runs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nodes:
    """Per node unless said otherwise; MISSING for times that are not known."""

    of_row: Array
    """Per task row: its node."""
    ids: Array
    """Task id; MISSING for a run without one."""
    start: Array
    """First start of its runs."""
    end: Array
    """Last end of its runs."""
    dispatch: Array
    """First dispatch."""
    submit: Array
    """When the orchestrator had submitted it."""
    submit_start: Array
    last: Array
    """The task row that ended last; -1: never ran."""
    silent: Array
    """No core runs it."""
    pred: Array
    """Per edge: node that comes first; every pair once, none on a cycle."""
    succ: Array
    edge_kind: Array
    """Per edge: word of the first row that has it."""
    pairs: int
    """Different (pred, succ) of all rows, also of those that are no edge here."""
    graph: Ordered
    ready: Array
    """When the last known predecessor had ended, through silent nodes."""
    gate: Array
    """Which one that was; -1: none known."""
    doubtful: Array
    """A predecessor has no known end: `ready` may be too early."""
    roots: Array
    """No edge leads to it; none is known to be one where the graph is not known."""
    graph_known: bool

    def __len__(self) -> int:
        return len(self.ids)


def nodes(trace: Trace) -> Nodes:
    """Every figure that needs the graph starts from these columns."""
    tasks = trace.tasks
    ids, of_row = _number(tasks["task"])
    count = len(ids)
    ran = np.flatnonzero(trace.ran())
    node = of_row[ran]
    end = _most(count, node, tasks["end_ns"][ran])
    last = np.full(count, -1, np.int64)
    at_end = tasks["end_ns"][ran] == end[node]
    last[node[at_end]] = ran[at_end]
    silent = np.zeros(count, bool)
    silent[of_row[np.isin(tasks["kind"], [trace.code(kind) for kind in SILENT])]] = True
    silent &= last < 0
    pred, succ, kind, pairs = _edges(trace, ids, count)
    graph = order_graph(count, pred, succ)
    if graph is None:
        cyclic = cyclic_nodes(count, pred, succ)
        kept = ~(cyclic[pred] & cyclic[succ])
        pred, succ, kind = pred[kept], succ[kept], kind[kept]
        graph = order_graph(count, pred, succ)
        assert graph is not None
    ready, gate = readiness(graph, end)
    submit_start, submit = _submits(trace, ids, count)
    return Nodes(
        of_row=of_row,
        ids=ids,
        start=_least(count, node, tasks["start_ns"][ran]),
        end=end,
        dispatch=_least_known(count, of_row, tasks["dispatch_ns"]),
        submit=submit,
        submit_start=submit_start,
        last=last,
        silent=silent,
        pred=pred,
        succ=succ,
        edge_kind=kind,
        pairs=pairs,
        graph=graph,
        ready=ready,
        gate=gate,
        doubtful=_doubtful(graph, unknown=(last < 0) & ~silent, silent=silent),
        roots=(np.bincount(succ, minlength=count) == 0) & _graph_known(trace),
        graph_known=_graph_known(trace),
    )


def _graph_known(trace: Trace) -> bool:
    """Whether a task without edges is known to have none."""
    meta = trace.meta
    stated = any("deps" in source.format for source in meta.sources)
    return bool(len(trace.edges)) or stated or (meta.origin != "imported" and meta.level >= 2)


def _number(task: Array) -> tuple[Array, Array]:
    """Distinct ids in rising order and every row's node; runs without an id come last."""
    known = task != MISSING
    alone = np.flatnonzero(~known)
    ids, of_row = distinct_codes(task[known])
    if not len(alone):
        return ids, of_row
    node = np.empty(len(task), np.int64)
    node[known] = of_row
    node[alone] = len(ids) + np.arange(len(alone))
    return np.concatenate([ids, np.full(len(alone), MISSING)]), node


def distinct_codes(values: Array) -> tuple[Array, Array]:
    """Distinct values in rising order and the place of each value among them."""
    if len(values):
        least = int(values.min())
        extent = int(values.max()) - least + 1
        if extent <= 4 * len(values) + 1024:
            present = np.bincount(values - least, minlength=extent) > 0
            return np.flatnonzero(present) + least, (np.cumsum(present) - 1)[values - least]
    distinct, codes = np.unique(values, return_inverse=True)
    return distinct, codes.astype(np.int64)


def places(ids: Array, values: Array) -> Array:
    """Where each value is in rising `ids`; -1 for those that are not."""
    known = ids[ids != MISSING]
    if not len(known) or not len(values):
        return np.full(len(values), -1, np.int64)
    least, extent = int(known[0]), int(known[-1]) - int(known[0]) + 1
    if extent <= 4 * len(known) + 1024:
        table = np.full(extent, -1, np.int64)
        table[known - least] = np.arange(len(known))
        inside = (values >= least) & (values < least + extent)
        return np.where(inside, table[np.where(inside, values - least, 0)], -1)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, at, -1)


def _edges(trace: Trace, ids: Array, count: int) -> tuple[Array, Array, Array, int]:
    """Every pair once, in rising order, with the kind of its first row; and how many pairs there
    are in all rows."""
    edges = trace.edges
    pred, succ, kind = places(ids, edges["pred"]), places(ids, edges["succ"]), edges["kind"]
    kept = (pred >= 0) & (succ >= 0) & (pred != succ)
    flags = edges["flags"]
    kept &= (flags == MISSING32) | (flags & EdgeFlag.CYCLIC == 0)
    whole = bool(kept.all())
    if not whole:
        pred, succ, kind = pred[kept], succ[kept], kind[kept]
    pair = pred * count + succ
    if not (pair[1:] > pair[:-1]).all():
        order = sort_order(pair)
        pair = pair[order]
        first = np.append(True, pair[1:] != pair[:-1])
        if not first.all():
            order, pair = order[first], pair[first]
        pred, succ, kind = pred[order], succ[order], kind[order]
    return pred, succ, kind, len(pair) if whole else distinct_pairs(edges["pred"], edges["succ"])


def _submits(trace: Trace, ids: Array, count: int) -> tuple[Array, Array]:
    phases = trace.phases
    about = (phases["kind"] == trace.code("submit")) & (phases["task"] != MISSING)
    about &= (phases["end_ns"] != MISSING) & (phases["start_ns"] != MISSING)
    node = places(ids, phases["task"][about])
    found = node >= 0
    start, end = phases["start_ns"][about][found], phases["end_ns"][about][found]
    return _least(count, node[found], start), _most(count, node[found], end)


def _doubtful(graph: Ordered, *, unknown: Array, silent: Array) -> Array:
    """Nodes with a predecessor, through silent ones, of which no end is known."""
    if not unknown.any():
        return np.zeros(len(unknown), bool)
    # A node of unknown end has the time 0, silent ones hand it on, all others stop it.
    stops = ~unknown & ~silent
    ready, _ = readiness(graph, np.where(unknown, 1, np.where(stops, 0, MISSING)))
    return np.asarray(ready > 0)


def _most(count: int, where: Array, values: Array) -> Array:
    most = np.full(count, MISSING, np.int64)
    np.maximum.at(most, where, values)
    return most


def _least(count: int, where: Array, values: Array) -> Array:
    least = np.full(count, np.iinfo(np.int64).max, np.int64)
    np.minimum.at(least, where, values)
    least[least == np.iinfo(np.int64).max] = MISSING
    return least


def _least_known(count: int, where: Array, values: Array) -> Array:
    known = values != MISSING
    return _least(count, where[known], values[known])
