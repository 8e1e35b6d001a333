"""Paths through a graph of tasks (native/src/path.c); nodes are numbered from 0."""

from __future__ import annotations

from ctypes import Structure, byref, c_void_p
from dataclasses import dataclass

import numpy as np

from lanescope.native import Array, library

NO_TIME = int(np.iinfo(np.int64).min)
NO_CAUSE, DATA, CORE, SUBMIT = range(4)
"""Why a run did not start earlier (enum ls_cause)."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """A graph without cycles: successors of n are target[first[n]:first[n + 1]]."""

    first: Array
    target: Array
    order: Array

    def __len__(self) -> int:
        return len(self.order)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Walk:
    """Runs on cores, the nodes they belong to, and what those waited for (ls_walk)."""

    start: Array
    end: Array
    node: Array
    before: Array
    gate: Array
    last: Array
    submit: Array


class _Walk(Structure):
    """ls_walk"""

    _fields_ = tuple((name, c_void_p) for name in Walk.__slots__)


def order_graph(nodes: int, pred: Array, succ: Array) -> Ordered | None:
    """Successors and a topological order; None where there is a cycle."""
    for ends in (pred, succ):
        if len(ends) and not (0 <= int(ends.min()) and int(ends.max()) < nodes):
            raise IndexError("an edge names a node that does not exist")
    pred, succ = (np.ascontiguousarray(ends, np.int64) for ends in (pred, succ))
    graph = Ordered(np.empty(nodes + 1, np.int64), np.empty_like(pred), np.empty(nodes, np.int64))
    arrays = (pred, succ, graph.first, graph.target, graph.order)
    found = library().ls_graph_order(nodes, len(pred), *(a.ctypes.data for a in arrays))
    if found == -2:
        raise MemoryError
    return graph if found == nodes else None


def readiness(graph: Ordered, done: Array) -> tuple[Array, Array]:
    """When the last predecessor of each node was done, and which; NO_TIME and -1: not known."""
    done = _column(done, len(graph))
    ready, gate = np.empty(len(graph), np.int64), np.empty(len(graph), np.int64)
    library().ls_graph_ready(*_graph(graph), *(a.ctypes.data for a in (done, ready, gate)))
    return ready, gate


def with_followers(graph: Ordered, gate: Array, values: Array) -> Array:
    """Each node's value plus those of all nodes whose gate it is, and of theirs."""
    gate = _column(gate, len(graph))
    if len(gate) and int(gate.max()) >= len(graph):
        raise IndexError("a gate names a node that does not exist")
    total = _column(values, len(graph)).copy()
    order = graph.order.ctypes.data
    library().ls_sum_followers(len(graph), order, gate.ctypes.data, total.ctypes.data)
    return total


def longest(graph: Ordered, weight: Array) -> tuple[Array, Array, Array]:
    """Longest way to each node and from it, both without it, and the node before it or -1."""
    weight = _column(weight, len(graph))
    head, tail, via = (np.empty(len(graph), np.int64) for _ in range(3))
    arrays = (weight, head, tail, via)
    library().ls_graph_longest(*_graph(graph), *(a.ctypes.data for a in arrays))
    return head, tail, via


def implied_edges(graph: Ordered, *, budget: int) -> Array | None:
    """Mask over `graph.target`: edges that a longer way implies; None if too many steps."""
    implied = np.zeros(len(graph.target), np.uint8)
    found = library().ls_graph_reduce(*_graph(graph), budget, implied.ctypes.data)
    if found == -2:
        raise MemoryError
    return None if found < 0 else implied.astype(bool)


def walk_back(walk: Walk, run: int) -> tuple[Array, Array]:
    """From `run` back to what ended last before each start: runs, and why each did not start
    earlier."""
    runs, nodes = len(walk.start), len(walk.gate)
    sizes = {"start": runs, "end": runs, "node": runs, "before": runs}
    columns = [_column(getattr(walk, name), sizes.get(name, nodes)) for name in Walk.__slots__]
    if not 0 <= run < runs:
        raise IndexError("the walk begins at a run that does not exist")
    for name, least, limit in (
        *(("node", 0, nodes), ("before", -1, runs)),
        *(("gate", -1, nodes), ("last", -1, runs)),
    ):
        values = getattr(walk, name)
        if len(values) and not (least <= int(values.min()) and int(values.max()) < limit):
            raise IndexError(f"{name} names something that does not exist")
    path, cause = np.empty(runs, np.int64), np.empty(runs, np.int8)
    pointers = _Walk(*(column.ctypes.data for column in columns))
    length = library().ls_walk_back(byref(pointers), run, path.ctypes.data, cause.ctypes.data)
    return path[:length], cause[:length]


def _graph(graph: Ordered) -> tuple[int, ...]:
    arrays = (graph.first, graph.target, graph.order)
    return (len(graph), *(a.ctypes.data for a in arrays))


def _column(values: Array, size: int) -> Array:
    if len(values) != size:
        raise ValueError(f"expected {size} values, found {len(values)}")
    return np.ascontiguousarray(values, np.int64)
