"""The task graph of a trace as columns: one entry per node with its times, one per edge.

A node is a task id with all its runs; a run without an id is a node of its own. A silent node
(alloc, dummy, skipped) runs on no core: it is done when its last predecessor is done. Any other
node without times is one of which nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import distinct_pairs
from lanescope.native import cyclic_nodes
from lanescope.native.paths import Ordered, order_graph, readiness
from lanescope.native.tiling import sort_order
from lanescope.results import Result
from lanescope.trace import numbering
from lanescope.trace.numbering import numbered
from lanescope.trace.rows import as_slice
from lanescope.trace.schema import MISSING, MISSING32, EdgeFlag
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

SILENT = ("alloc", "dummy", "skipped")
"""Kinds of nodes that no core runs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nodes(Result):
    """The task graph: columns with one entry per node, unless a field says otherwise.

    Times are ns from the trace's base; MISSING is a time that is not known.
    """

    of_row: Array
    """Per task row: its node."""
    ids: Array
    """Task id; MISSING for a run without one."""
    start: Array
    """First start of its runs."""
    end: Array
    """Last end of its runs."""
    dispatch: Array
    """First dispatch of its runs."""
    submit: Array
    """End of its submit by the orchestrator."""
    submit_start: Array
    """Start of its submit."""
    last: Array
    """The task row that ended last; -1 for a node that never ran."""
    silent: Array
    """Whether no core runs it."""
    pred: Array
    """Per edge: the node that comes first. Every pair is one edge; none is on a cycle."""
    succ: Array
    """Per edge: the node that comes second."""
    edge_kind: Array
    """Per edge: code of the word that the first row of the pair has as its kind."""
    pairs: int
    """Number of different pairs in the edge table, including those that are no edge here."""
    ordered: Ordered
    """The edges in the form that the C library walks."""
    ready: Array
    """End of the last predecessor whose end is known. A silent predecessor ends with the last of
    its own predecessors."""
    gate: Array
    """The node that ended then; -1 where none is known."""
    doubtful: Array
    """Whether the end of a predecessor is not known, so that `ready` may be too early."""
    roots: Array
    """Whether it is known to have no predecessor. All False where the graph is not known."""
    graph_known: bool
    """Whether a task without edges is known to have none."""

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.ids)

    def __repr__(self) -> str:
        known = "known" if self.graph_known else "not known"
        return f"<Nodes: {len(self):,} nodes, {len(self.pred):,} edges, graph {known}>"


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Pairs of nodes, each once, in rising order."""

    pred: Array
    succ: Array
    kind: Array
    """Of the first row that has the pair."""

    def rows(self, kept: Array) -> _Edges:
        """The edges in a mask."""
        return _Edges(self.pred[kept], self.succ[kept], self.kind[kept])


def nodes(trace: Trace) -> Nodes:
    """The task graph of a trace. Every figure that needs the graph starts from these columns."""
    tasks = trace.tasks
    ids, of_row = _number(tasks["task"])
    count = len(ids)
    numbers = np.flatnonzero(trace.ran())
    ran = as_slice(numbers)
    node = of_row[ran]
    end = _most(count, node, tasks["end_ns"][ran])
    last = np.full(count, -1, np.int64)
    at_end = tasks["end_ns"][ran] == end[node]
    last[node[at_end]] = numbers[at_end]
    silent = np.zeros(count, bool)
    silent[of_row[np.isin(tasks["kind"], [trace.code(kind) for kind in SILENT])]] = True
    silent &= last < 0
    edges, pairs = _edges(trace, ids, count)
    ordered = order_graph(count, edges.pred, edges.succ)
    if ordered is None:
        cyclic = cyclic_nodes(count, edges.pred, edges.succ)
        edges = edges.rows(~(cyclic[edges.pred] & cyclic[edges.succ]))
        ordered = order_graph(count, edges.pred, edges.succ)
        assert ordered is not None
    ready, gate = readiness(ordered, end)
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
        pred=edges.pred,
        succ=edges.succ,
        edge_kind=edges.kind,
        pairs=pairs,
        ordered=ordered,
        ready=ready,
        gate=gate,
        doubtful=_doubtful(ordered, unknown=(last < 0) & ~silent, silent=silent),
        roots=(np.bincount(edges.succ, minlength=count) == 0) & _graph_known(trace),
        graph_known=_graph_known(trace),
    )


def _graph_known(trace: Trace) -> bool:
    """Whether a task without edges is known to have none."""
    meta = trace.meta
    stated = any("deps" in source.format for source in meta.sources)
    return bool(len(trace.edges)) or stated or (meta.origin != "imported" and meta.level >= 2)


def _number(task: Array) -> tuple[Array, Array]:
    """Task id of each node, and the node of each row. Ids rise; runs without an id come last."""
    known = task != MISSING
    if known.all():
        return numbered(task)
    alone = np.flatnonzero(~known)
    ids, of_row = numbered(task[known])
    node = np.empty(len(task), np.int64)
    node[known] = of_row
    node[alone] = len(ids) + np.arange(len(alone))
    return np.concatenate([ids, np.full(len(alone), MISSING)]), node


def places(ids: Array, values: Array) -> Array:
    """Place of each value in `ids`, which rise and may end in MISSING; -1 where it is not there."""
    known = ids if not len(ids) or int(ids[-1]) != MISSING else ids[ids != MISSING]
    return numbering.places(known, values)


def _edges(trace: Trace, ids: Array, count: int) -> tuple[_Edges, int]:
    """The edges between nodes of the trace, and the number of pairs in all rows.

    A row takes no part whose tasks are not in the trace, or the same, or that is marked cyclic.
    """
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
    pairs = len(pair) if whole else distinct_pairs(edges["pred"], edges["succ"])
    return _Edges(pred, succ, kind), pairs


def _submits(trace: Trace, ids: Array, count: int) -> tuple[Array, Array]:
    """Start of the first and end of the last submit of each node, from the submit phases."""
    phases = trace.phases
    about = (phases["kind"] == trace.code("submit")) & (phases["task"] != MISSING)
    about &= (phases["end_ns"] != MISSING) & (phases["start_ns"] != MISSING)
    node = places(ids, phases["task"][about])
    known = node >= 0
    start, end = phases["start_ns"][about][known], phases["end_ns"][about][known]
    return _least(count, node[known], start), _most(count, node[known], end)


def _doubtful(ordered: Ordered, *, unknown: Array, silent: Array) -> Array:
    """Mask of the nodes with a predecessor whose end is not known, also behind silent nodes."""
    if not unknown.any():
        return np.zeros(len(unknown), bool)
    # The latest of 1 (unknown end) and 0 (known end) over the predecessors; silent nodes have no
    # time, so that they hand on the latest of their own.
    stops = ~unknown & ~silent
    ready, _ = readiness(ordered, np.where(unknown, 1, np.where(stops, 0, MISSING)))
    return np.asarray(ready > 0)


def _most(count: int, where: Array, values: Array) -> Array:
    """Largest value of each of `count` nodes; MISSING for a node without one."""
    most = np.full(count, MISSING, np.int64)
    np.maximum.at(most, where, values)
    return most


def _least(count: int, where: Array, values: Array) -> Array:
    """Smallest value of each of `count` nodes; MISSING for a node without one."""
    least = np.full(count, np.iinfo(np.int64).max, np.int64)
    np.minimum.at(least, where, values)
    least[least == np.iinfo(np.int64).max] = MISSING
    return least


def _least_known(count: int, where: Array, values: Array) -> Array:
    """Smallest value of each node that is not MISSING."""
    known = values != MISSING
    return _least(count, where[known], values[known])
