"""Paths through a graph of tasks, whose nodes are numbered from 0 (native/src/path.c)."""

from __future__ import annotations

from ctypes import Structure, byref, c_void_p
from dataclasses import dataclass

import numpy as np

from lanescope.native import Array, library

NO_TIME = int(np.iinfo(np.int64).min)
"""The time of a node whose time is not known."""
NO_CAUSE, DATA, CORE, SUBMIT = range(4)
"""Why a run did not start earlier (enum ls_cause)."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """A graph without cycles. The successors of node n are target[first[n]:first[n + 1]]."""

    first: Array
    target: Array
    order: Array
    """All nodes, each after its predecessors."""

    def __len__(self) -> int:
        return len(self.order)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Walk:
    """Runs on cores, their nodes, and what the nodes waited for (ls_walk). -1 means none."""

    start: Array
    """By run: its start."""
    end: Array
    """By run: its end."""
    node: Array
    """By run: the node that it executes."""
    before: Array
    """By run: the run before it on the same core."""
    gate: Array
    """By node: the node that it waited for longest."""
    last: Array
    """By node: its run that ended last."""
    submit: Array
    """By node: when it was submitted, or NO_TIME."""


class _WalkStruct(Structure):
    """The struct ls_walk."""

    _fields_ = tuple((name, c_void_p) for name in Walk.__slots__)


def order_graph(nodes: int, pred: Array, succ: Array) -> Ordered | None:
    """Return a graph with its successors and an order of its nodes; None where it has a cycle."""
    for ends in (pred, succ):
        if len(ends) and not (0 <= int(ends.min()) and int(ends.max()) < nodes):
            raise IndexError("an edge names a node that does not exist")
    pred, succ = (np.ascontiguousarray(ends, np.int64) for ends in (pred, succ))
    graph = Ordered(np.empty(nodes + 1, np.int64), np.empty_like(pred), np.empty(nodes, np.int64))
    arrays = (pred, succ, graph.first, graph.target, graph.order)
    ordered = library().ls_graph_order(nodes, len(pred), *(a.ctypes.data for a in arrays))
    if ordered == -2:
        raise MemoryError
    return graph if ordered == nodes else None


def readiness(graph: Ordered, done: Array) -> tuple[Array, Array]:
    """Return when the last predecessor of each node was done, and which node that is.

    They are NO_TIME and -1 where that is not known. A node without a time of its own hands on what
    it waited for.
    """
    done = _column(done, len(graph))
    ready, gate = np.empty(len(graph), np.int64), np.empty(len(graph), np.int64)
    library().ls_graph_ready(*_graph(graph), *(a.ctypes.data for a in (done, ready, gate)))
    return ready, gate


def with_followers(graph: Ordered, gate: Array, values: Array) -> Array:
    """Return the sum of each node's value and the values of all its followers.

    A node follows its gate, and the gate of its gate, and so on.
    """
    gate = _column(gate, len(graph))
    if len(gate) and int(gate.max()) >= len(graph):
        raise IndexError("a gate names a node that does not exist")
    total = _column(values, len(graph)).copy()
    order = graph.order.ctypes.data
    library().ls_sum_followers(len(graph), order, gate.ctypes.data, total.ctypes.data)
    return total


def longest(graph: Ordered, weight: Array) -> tuple[Array, Array, Array]:
    """Return the longest way to each node, the longest way from it, and the node before it.

    A way does not include the node's own weight. The node before it is -1 where there is none.
    """
    weight = _column(weight, len(graph))
    head, tail, via = (np.empty(len(graph), np.int64) for _ in range(3))
    arrays = (weight, head, tail, via)
    library().ls_graph_longest(*_graph(graph), *(a.ctypes.data for a in arrays))
    return head, tail, via


def implied_edges(graph: Ordered, *, budget: int) -> Array | None:
    """Return a mask over `graph.target`: True for an edge that a longer way implies.

    It is None where that takes more than `budget` steps.
    """
    implied = np.zeros(len(graph.target), np.uint8)
    count = library().ls_graph_reduce(*_graph(graph), budget, implied.ctypes.data)
    if count == -2:
        raise MemoryError
    return None if count < 0 else implied.astype(bool)


def walk_back(walk: Walk, run: int) -> tuple[Array, Array]:
    """Walk from `run` back to the first run; each step leads to what ended last before a start.

    Return the runs on the way, and why each of them did not start earlier (NO_CAUSE to SUBMIT).
    """
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
    pointers = _WalkStruct(*(column.ctypes.data for column in columns))
    length = library().ls_walk_back(byref(pointers), run, path.ctypes.data, cause.ctypes.data)
    return path[:length], cause[:length]


def follow(following: Array, node: int) -> Array:
    """Return the nodes from `node` on, each followed by `following[node]`, until that is -1.

    A chain that leads back into itself ends after as many nodes as there are.
    """
    following = _column(following, len(following))
    limits = -1, len(following)
    if not 0 <= node < limits[1] or not (
        limits[0] <= int(following.min()) and int(following.max()) < limits[1]
    ):
        raise IndexError("the chain names a node that does not exist")
    path = np.empty(len(following), np.int64)
    length = library().ls_follow(limits[1], following.ctypes.data, node, path.ctypes.data)
    return path[:length]


def _graph(graph: Ordered) -> tuple[int, ...]:
    arrays = (graph.first, graph.target, graph.order)
    return (len(graph), *(a.ctypes.data for a in arrays))


def _column(values: Array, size: int) -> Array:
    """Return the values as int64; their number must be `size`."""
    if len(values) != size:
        raise ValueError(f"expected {size} values, found {len(values)}")
    return np.ascontiguousarray(values, np.int64)
