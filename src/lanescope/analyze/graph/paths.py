"""The two critical paths as columns: what the graph alone demands, and what happened.

static     longest chain of runs in the graph, as if there were a core for every task
observed   from the last finish back: before each run, whatever ended last
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.graph.nodes import Nodes
from lanescope.native.paths import NO_CAUSE, SUBMIT, Walk, longest, walk_back
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

SEGMENTS = ("run", "switch", "scheduler", "orchestrator", "launch", "finish", "idle")
"""What the observed path spends time on; `launch` is before the first run where no submit says
more, `finish` from the last end to its finish, `idle` where dispatch is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class ObservedPath:
    """The observed path in order of time; arrays of one length, but `start_ns` … of segments."""

    rows: Array
    """Task rows."""
    causes: Array
    """Codes of CAUSES."""
    start_ns: Array
    """Of each segment …"""
    end_ns: Array
    kind: Array
    """… what it is, a place in SEGMENTS, and"""
    step: Array
    """which step of the path it belongs to."""


@dataclass(frozen=True, slots=True, eq=False)
class StaticPath:
    """Per node: the longest path through it is `length_ns - slack`."""

    length_ns: int
    path: Array
    """Nodes of one longest path, in order; those that never ran are left out."""
    slack: Array


def static_path(found: Nodes) -> StaticPath:
    """Runs weigh the time from their first start to their last end, other nodes nothing."""
    ran = found.last >= 0
    weight = np.where(ran, found.end - found.start, 0)
    head, tail, via = longest(found.graph, weight)
    through = head + weight + tail
    length = int(through.max(initial=0))
    path = []
    node = int(np.argmax(head + weight)) if len(found) else -1
    while node >= 0:
        path.append(node)
        node = int(via[node])
    steps = np.array(path[::-1], np.int64)
    return StaticPath(length, steps[ran[steps]] if len(steps) else steps, length - through)


def observed_path(trace: Trace, found: Nodes, window: Span) -> ObservedPath | None:
    """None when nothing ran."""
    rows = np.flatnonzero(trace.ran())
    if not len(rows):
        return None
    tasks = trace.tasks
    start, end = tasks["start_ns"][rows], tasks["end_ns"][rows]
    place = np.full(len(tasks), -1, np.int64)
    place[rows] = np.arange(len(rows))
    seen = tasks["finish_ns"][rows]
    walk = Walk(
        start=start,
        end=end,
        node=found.of_row[rows],
        before=runs_before(tasks["core"][rows], start, end),
        gate=found.gate,
        last=np.where(found.last >= 0, place[found.last], -1),
        submit=found.submit,
    )
    final = int(np.argmax(np.where(seen != MISSING, seen, end)))
    path, causes = walk_back(walk, final)
    path, causes = path[::-1], causes[::-1]
    return _segments(trace, found, window, (rows[path], causes))


def runs_before(core: Array, start: Array, end: Array) -> Array:
    """Of each run the one before it on its core that ended last; -1 for the first."""
    order = np.lexsort((start, core)) if not _in_order(core, start) else np.arange(len(core))
    before = np.full(len(core), -1, np.int64)
    same = core[order][1:] == core[order][:-1]
    before[order[1:]] = np.where(same, order[:-1], -1)
    # Where runs of a core overlap, the previous one may not have ended: take none.
    late = before >= 0
    late[late] = end[before[late]] > start[late]
    before[late] = -1
    return before


def _in_order(core: Array, start: Array) -> bool:
    same = core[1:] == core[:-1]
    return bool(((core[1:] > core[:-1]) | (same & (start[1:] >= start[:-1]))).all())


def _segments(
    trace: Trace, found: Nodes, window: Span, walked: tuple[Array, Array]
) -> ObservedPath:
    """Cut the window at what each run waited for, its dispatch, start and end."""
    rows, causes = walked
    tasks = trace.tasks
    start, end, dispatch = (tasks[f"{name}_ns"][rows] for name in ("start", "end", "dispatch"))
    node = found.of_row[rows]
    came = np.concatenate([[window.start_ns], end[:-1]])
    came = np.where(causes == SUBMIT, found.submit[node], came)
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
