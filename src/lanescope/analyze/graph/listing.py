"""The task graph in figures: what its edges join, fan-in, fan-out, depth, and implied edges.

A node's depth is the number of nodes on the longest way to it, itself included. Fan-in and fan-out
count different pairs of tasks, however many arguments cause them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import distinct_pairs
from lanescope.analyze.graph.nodes import Nodes, nodes, places
from lanescope.analyze.recording.captured import Tally
from lanescope.native.paths import implied_edges, longest
from lanescope.results import Result
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32, NO_WORD
from lanescope.trace.table import Array
from lanescope.trace.task_names import task_text
from lanescope.trace.trace import Trace

STEP_LIMIT = 200_000_000
"""Implied edges are not counted where that takes more steps: about ten seconds at worst."""
TOP = 10
"""Length of the lists of tasks."""
_CREATOR = "creator"
"""Kind of an edge from the task that made a tensor. The peer's viewer never leaves one out."""


@dataclass(frozen=True, slots=True)
class Fan(Result):
    """How many edges come to the nodes, or leave them."""

    total: int
    """Sum over all nodes."""
    mean: float | None
    """total / nodes; None where there is no node."""
    largest: int


@dataclass(frozen=True, slots=True)
class ListedTask(Result):
    """One node of the graph."""

    task: int | None
    """Its id; None for a run without one."""
    label: str
    """The id as people read it."""
    function: str
    """Names of the functions that it runs; empty where none is known."""
    kind: str
    fan_in: int
    fan_out: int
    depth: int
    start_ns: int | None
    """First start of its runs; None where it never ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphListing(Result):
    """The task graph in figures, and its tasks with the most edges."""

    nodes: int
    kinds: tuple[Tally, ...]
    """Nodes by kind."""
    ran: int
    """Nodes that ran on a core."""
    edge_rows: int
    """Rows of the edge table: a pair may have one per argument."""
    edge_pairs: int
    """Different pairs in these rows."""
    missing: int
    """Of the pairs: those that name a task which is not in the trace."""
    self_edges: int
    """Of the pairs: those of a task with itself."""
    cyclic: int
    """Of the pairs: those on a cycle."""
    edges: int
    """The pairs that are left. All figures below are about these."""
    between_runs: int
    """Edges whose tasks both ran on cores."""
    outside: int
    """Edges with a task that nothing but edges names."""
    unrun: int
    """The other edges: with a task that has no run on a core, such as a barrier."""
    sources: int
    """Nodes without predecessors."""
    sinks: int
    """Nodes without successors."""
    isolated: int
    """Nodes without either; they are counted as sources and as sinks, too."""
    depth: int
    """Nodes on the longest path."""
    widest: int
    """Most nodes of one depth."""
    widest_depth: int | None
    """The first depth that has so many; None where there is no node."""
    fan_in: Fan
    fan_out: Fan
    adds_up: bool
    """Whether fan-in and fan-out, counted apart, both add up to the edges, and the edges with what
    was left out to the pairs."""
    implied: int | None
    """Edges that a longer way implies; None where counting takes more than `step_limit` steps."""
    implied_creator: int | None
    """Of these, edges of kind creator."""
    step_limit: int
    dependency_files: tuple[str, ...]
    """Paths of the sources that hold nothing but the graph."""
    by_fan_out: tuple[ListedTask, ...]
    by_fan_in: tuple[ListedTask, ...]
    by_depth: tuple[ListedTask, ...]

    def __repr__(self) -> str:
        return (
            f"<GraphListing: {self.nodes:,} nodes, {self.edges:,} edges, depth {self.depth:,}, "
            f"fan-in to {self.fan_in.largest:,}, fan-out to {self.fan_out.largest:,}>"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """One entry per node."""

    kind: Array
    """Code of its kind."""
    fan_in: Array
    fan_out: Array
    depth: Array


def list_graph(
    trace: Trace, graph: Nodes | None = None, *, step_limit: int = STEP_LIMIT, top: int = TOP
) -> GraphListing:
    """The task graph in figures; it is computed where it is not given."""
    graph = nodes(trace) if graph is None else graph
    columns = _columns(trace, graph)
    left_out = _left_out(trace, graph)
    ran, outside = graph.last >= 0, columns.kind == trace.code("outside")
    between = int(np.count_nonzero(ran[graph.pred] & ran[graph.succ]))
    named = int(np.count_nonzero(outside[graph.pred] | outside[graph.succ]))
    first, last = columns.fan_in == 0, columns.fan_out == 0
    widths = np.bincount(columns.depth)
    edges = len(graph.pred)
    totals = int(columns.fan_in.sum()), int(columns.fan_out.sum())
    implied, creator = _implied(trace, graph, step_limit)
    return GraphListing(
        nodes=len(graph),
        kinds=_kinds(trace, columns.kind),
        ran=int(ran.sum()),
        edge_rows=len(trace.edges),
        edge_pairs=graph.pairs,
        **left_out,
        edges=edges,
        between_runs=between,
        outside=named,
        unrun=edges - between - named,
        sources=int(first.sum()),
        sinks=int(last.sum()),
        isolated=int((first & last).sum()),
        depth=max(len(widths) - 1, 0),
        widest=int(widths.max()) if len(graph) else 0,
        widest_depth=int(widths.argmax()) if len(graph) else None,
        fan_in=_fan(columns.fan_in),
        fan_out=_fan(columns.fan_out),
        adds_up=totals == (edges, edges) and graph.pairs == edges + sum(left_out.values()),
        implied=implied,
        implied_creator=creator,
        step_limit=step_limit,
        dependency_files=tuple(s.path for s in trace.meta.sources if "deps" in s.format),
        by_fan_out=_largest(trace, graph, columns, columns.fan_out, top),
        by_fan_in=_largest(trace, graph, columns, columns.fan_in, top),
        by_depth=_largest(trace, graph, columns, columns.depth - 1, top),
    )


def _columns(trace: Trace, graph: Nodes) -> _Columns:
    kind = np.full(len(graph), NO_WORD, np.int32)
    kind[graph.of_row[::-1]] = trace.tasks["kind"][::-1]  # the first row of a node decides
    head, _, _ = longest(graph.ordered, np.ones(len(graph), np.int64))
    # Counted apart, so that a difference shows: fan-in from the pairs, fan-out from the C library.
    fan_in = np.bincount(graph.succ, minlength=len(graph))
    return _Columns(kind, fan_in, np.diff(graph.ordered.first), head + 1)


def _left_out(trace: Trace, graph: Nodes) -> dict[str, int]:
    """Pairs that are no edges of the graph, by the reason."""
    pred, succ = trace.edges["pred"], trace.edges["succ"]
    missing = (places(graph.ids, pred) < 0) | (places(graph.ids, succ) < 0)
    alone = (pred == succ) & ~missing
    other = ~(missing | alone)
    return {
        "missing": distinct_pairs(pred[missing], succ[missing]),
        "self_edges": distinct_pairs(pred[alone], succ[alone]),
        # On a cycle, whether the edges' flags say so or not.
        "cyclic": distinct_pairs(pred[other], succ[other]) - len(graph.pred),
    }


def _kinds(trace: Trace, kind: Array) -> tuple[Tally, ...]:
    codes, counts = np.unique(kind, return_counts=True)
    rows = [
        Tally(trace.word(code) or "unknown", count)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.count, row.kind)))


def _fan(fan: Array) -> Fan:
    total = int(fan.sum())
    if not len(fan):
        return Fan(total, None, 0)
    return Fan(total, total / len(fan), int(fan.max()))


def _implied(trace: Trace, graph: Nodes, step_limit: int) -> tuple[int | None, int | None]:
    """Number of implied edges, and of those that some row of the pair calls a creator edge."""
    mask = implied_edges(graph.ordered, budget=step_limit)
    if mask is None:
        return None, None
    source = np.repeat(np.arange(len(graph)), np.diff(graph.ordered.first))[mask]
    pairs = source * len(graph) + graph.ordered.target[mask]
    creators = trace.edges["kind"] == trace.code(_CREATOR)
    pred, succ = (places(graph.ids, trace.edges[name][creators]) for name in ("pred", "succ"))
    known = (pred >= 0) & (succ >= 0)
    made = np.isin(pairs, pred[known] * len(graph) + succ[known])
    return len(pairs), int(np.count_nonzero(made))


def _largest(
    trace: Trace, graph: Nodes, columns: _Columns, values: Array, top: int
) -> tuple[ListedTask, ...]:
    """The nodes with the largest values above 0; of equal ones the first in the graph."""
    some = np.flatnonzero(values)
    if len(some) > top:
        least = np.partition(values[some], -top)[-top]
        some = some[values[some] >= least]
    chosen = some[np.lexsort((some, columns.depth[some], -values[some]))][:top]
    return tuple(_listed(trace, graph, columns, node) for node in chosen.tolist())


def _listed(trace: Trace, graph: Nodes, columns: _Columns, node: int) -> ListedTask:
    task, start = int(graph.ids[node]), int(graph.start[node])
    return ListedTask(
        task=task,  # one without an id has no edges, and is in no list
        label=task_text(trace, task),
        function=_function(trace, np.flatnonzero(graph.of_row == node)),
        kind=trace.word(int(columns.kind[node])),
        fan_in=int(columns.fan_in[node]),
        fan_out=int(columns.fan_out[node]),
        depth=int(columns.depth[node]),
        start_ns=None if start == MISSING else start,
    )


def _function(trace: Trace, rows: Array) -> str:
    """The names of what these task rows run; a task on several kinds of core has several."""
    used = [func for func in different(trace.tasks["func"][rows]).tolist() if func != MISSING32]
    known = trace.functions["func"].tolist()
    names = dict(zip(known, trace.text("functions", "name"), strict=True))
    return ", ".join(names.get(func) or f"func_{func}" for func in used)
