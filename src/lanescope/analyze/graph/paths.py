"""The two critical paths of a run as columns.

static     the longest chain of tasks in the graph, as if each had all cores to itself: a floor
observed   what happened: from the last finish back, before each run whatever it waited for last
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_index import CoreIndex
from lanescope.analyze.columns.groups import combine, group_by
from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.paths import (
    NO_CAUSE,
    SUBMIT,
    Ordered,
    Walk,
    longest,
    order_graph,
    walk_back,
)
from lanescope.results import Result
from lanescope.trace.rows import as_slice, which
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

SEGMENTS = ("run", "switch", "scheduler", "orchestrator", "launch", "finish", "idle")
"""What the observed path spends its time on.

run            a core runs the task
switch         the task is dispatched and has not started
scheduler      the task is ready and not dispatched
orchestrator   before the first run of the path: its task is not submitted
launch         before the first run of the path, where nothing is known that it waited for
finish         from the end of the last run to its finish
idle           before a run whose dispatch is not known
"""


@dataclass(frozen=True, slots=True, eq=False)
class ObservedPath(Result):
    """The observed critical path in order of time: its steps, and the segments that tile it.

    A step is one run on the path. A segment is an interval of time that belongs to one step.
    """

    rows: Array
    """Per step: its task row."""
    causes: Array
    """Per step: what the run waited for last, a code of `native.paths`."""
    start_ns: Array
    """Per segment: its start, ns from the trace's base."""
    end_ns: Array
    """Per segment: its end."""
    kind: Array
    """Per segment: its place in SEGMENTS."""
    step: Array
    """Per segment: the number of its step."""

    def __repr__(self) -> str:
        length_ns = int((self.end_ns - self.start_ns).sum())
        return f"<ObservedPath: {len(self.rows):,} runs, {length_ns:,} ns>"


@dataclass(frozen=True, slots=True, eq=False)
class StaticPath(Result):
    """The longest chain of tasks in the graph. No run of these tasks takes less time."""

    length_ns: int
    path: Array
    """Nodes of one longest chain, in order, without those that never ran."""
    least_ns: Array
    """Per node of the chain: the least time that it takes, see `least_lengths`."""
    slack: Array
    """Per node of the graph, ns: how much longer it may take before the longest chain grows."""

    def __repr__(self) -> str:
        return f"<StaticPath: {len(self.path):,} tasks, {self.length_ns:,} ns>"


def static_path(trace: Trace, graph: Nodes) -> StaticPath:
    """The longest chain in the graph; a node weighs the least time that it can take.

    An edge that the run did not keep, because its second task started first, makes no chain.
    """
    return longest_chain(graph, _kept_edges(graph), least_lengths(trace, graph))


def longest_chain(graph: Nodes, ordered: Ordered, weight: Array) -> StaticPath:
    """The longest chain over these edges; `weight` has the ns of each node."""
    head, tail, via = longest(ordered, weight)
    through = head + weight + tail
    length = int(through.max(initial=0))
    path = []
    node = int(np.argmax(head + weight)) if len(graph) else -1
    while node >= 0:
        path.append(node)
        node = int(via[node])
    steps = np.array(path[::-1], np.int64)
    steps = steps[graph.last[steps] >= 0]
    return StaticPath(length, steps, weight[steps], length - through)


def least_lengths(trace: Trace, graph: Nodes) -> Array:
    """Per node: the least ns that it can take on the cores there are; 0 if it never ran.

    A task of many blocks takes as long as its longest block, and as long as its blocks of a kind
    take one after the other on all cores of that kind.
    """
    tasks, index = trace.tasks, CoreIndex(trace)
    rows = which(trace.ran())
    node, length = graph.of_row[rows], tasks["end_ns"][rows] - tasks["start_ns"][rows]
    least = np.zeros(len(graph), np.int64)
    np.maximum.at(least, node, length)
    blocks = np.flatnonzero(np.bincount(node, minlength=len(graph))[node] > 1)
    place = index.place(tasks["core"][rows][blocks])
    blocks, place = blocks[place >= 0], place[place >= 0]
    if not len(blocks):
        return least
    node, kind = node[blocks], index.kind_of[place]
    groups = group_by(combine(node, kind))
    first = groups.order[groups.first]
    cores = np.bincount(index.kind_of)[kind[first]].tolist()
    # Where a core ran several blocks at a time, they need not come one after the other.
    span = (graph.end - graph.start)[node[first]].tolist()
    spread = [
        min(-(-ns // cores), most)
        for ns, cores, most in zip(groups.sums(length[blocks]), cores, span, strict=True)
    ]
    np.maximum.at(least, node[first], spread)
    return least


def _kept_edges(graph: Nodes) -> Ordered:
    """The edges whose second task did not start before what it waits for had ended."""
    done = np.where(graph.last >= 0, graph.end, graph.ready)
    started = np.where(graph.last >= 0, graph.start, np.iinfo(np.int64).max)
    kept = done[graph.pred] <= started[graph.succ]
    if kept.all():
        return graph.ordered
    ordered = order_graph(len(graph), graph.pred[kept], graph.succ[kept])
    assert ordered is not None
    return ordered


def observed_path(trace: Trace, graph: Nodes, window: Span) -> ObservedPath | None:
    """The chain of waits from the last finish back to the start of the window; None if nothing ran.

    Before each run stands what came last: the end of its latest producer, the end of the run before
    it on its core, or its submit.
    """
    numbers = np.flatnonzero(trace.ran())
    if not len(numbers):
        return None
    tasks, rows = trace.tasks, as_slice(numbers)
    start, end = tasks["start_ns"][rows], tasks["end_ns"][rows]
    seen = tasks["finish_ns"][rows]
    walk = Walk(
        start=start,
        end=end,
        node=graph.of_row[rows],
        before=runs_before(tasks["core"][rows], start, end),
        gate=graph.gate,
        last=_among(numbers, graph.last, len(tasks)),
        submit=graph.submit,
    )
    final = int(np.argmax(np.where(seen != MISSING, seen, end)))
    path, causes = walk_back(walk, final)
    steps = _Steps(numbers[path[::-1]], causes[::-1])
    return _with_segments(trace, graph, steps, window=window)


def _among(numbers: Array, rows: Array, count: int) -> Array:
    """The place of each row among the rising `numbers`; -1 stays. There are `count` rows."""
    if len(numbers) == count:
        return rows
    place = np.full(count, -1, np.int64)
    place[numbers] = np.arange(len(numbers))
    return np.where(rows >= 0, place[rows], -1)


def runs_before(core: Array, start: Array, end: Array) -> Array:
    """Per run: the run before it on its core; -1 for the first, and where the two overlap."""
    if _in_order(core, start):
        before = np.arange(-1, len(core) - 1)
        before[1:][(core[1:] != core[:-1]) | (end[:-1] > start[1:])] = -1
        return before
    order = np.lexsort((start, core))
    before = np.full(len(core), -1, np.int64)
    same = core[order][1:] == core[order][:-1]
    before[order[1:]] = np.where(same, order[:-1], -1)
    late = before >= 0
    late[late] = end[before[late]] > start[late]
    before[late] = -1
    return before


def _in_order(core: Array, start: Array) -> bool:
    same = core[1:] == core[:-1]
    return bool(((core[1:] > core[:-1]) | (same & (start[1:] >= start[:-1]))).all())


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """Task rows on the observed path, the first one first, and what each waited for last."""

    rows: Array
    causes: Array


def _with_segments(trace: Trace, graph: Nodes, path: _Steps, *, window: Span) -> ObservedPath:
    """The path with its segments: the window is cut where each run's last wait began, and at its
    dispatch, start and end."""
    rows, causes = path.rows, path.causes
    tasks = trace.tasks
    start, end, dispatch = (tasks[f"{name}_ns"][rows] for name in ("start", "end", "dispatch"))
    node = graph.of_row[rows]
    came = np.concatenate([[window.start_ns], end[:-1]])
    came = np.where(causes == SUBMIT, graph.submit[node], came)
    came = np.maximum(came, window.start_ns)
    given = np.clip(np.where(dispatch == MISSING, start, dispatch), came, start)
    before = np.where(dispatch == MISSING, SEGMENTS.index("idle"), SEGMENTS.index("scheduler"))
    before = np.where(causes == NO_CAUSE, SEGMENTS.index("launch"), before)
    steps = np.arange(len(rows))
    parts = [
        (came, given, before, steps),
        (given, start, np.full(len(rows), SEGMENTS.index("switch")), steps),
        (start, end, np.full(len(rows), SEGMENTS.index("run")), steps),
    ]
    if causes[0] == SUBMIT:
        first = np.array([window.start_ns]), came[:1]
        parts.insert(0, (*first, np.array([SEGMENTS.index("orchestrator")]), steps[:1]))
    rest = end[-1:], np.array([window.end_ns])
    parts.append((*rest, np.array([SEGMENTS.index("finish")]), steps[-1:]))
    begin, until, kind, step = (np.concatenate(column) for column in zip(*parts, strict=True))
    wide = until > begin
    order = np.argsort(begin[wide], kind="stable")
    columns = [column[wide][order].astype(np.int64) for column in (begin, until, kind, step)]
    return ObservedPath(rows, causes.astype(np.int64), *columns)
