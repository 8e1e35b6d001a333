"""Overhead as the simpler runtime's own tools define it, so that figures can be compared.

window     first start to last end of a task
ready      the end of the task's latest predecessor that ran; its dispatch where none did
overhead   of a kind of core: a core of the kind is idle that ran anything in the run, and a task
           for the kind is ready and not dispatched
switch     the gap between two tasks of a core, where the second was dispatched before the first
           had ended
static     CPM path: the longest chain of tasks that ran, over edges between two of them that the
           run kept; a task weighs from its first start to its last end

Source: hw-native-sys/simpler, simpler_setup/tools/sched_overhead_analysis.py and critical_path.py.
docs/reading-a-report.md says where we differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_kinds import core_kinds
from lanescope.analyze.columns.moments import interval_moments
from lanescope.analyze.cores.makespan import Span
from lanescope.analyze.graph.nodes import Nodes
from lanescope.analyze.graph.paths import StaticPath, longest_chain
from lanescope.native import tiling
from lanescope.native.paths import order_graph, readiness
from lanescope.native.tiling import sorted_values
from lanescope.render.cells import percent_text, time_text
from lanescope.results import Result
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

PERCENTS = (10, 25, 50, 75, 90, 95, 99)
"""Percentiles that the tools print."""


@dataclass(frozen=True, slots=True)
class Quantiles(Result):
    """Percentiles, maximum and sum of a sample of times."""

    count: int
    at: tuple[int, ...]
    """Nanoseconds at each of PERCENTS: the value at place count x percent / 100, rounded down."""
    max_ns: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class PeerKind(Result):
    """Overhead and switches of one kind of core that ran something."""

    kind: str
    cores: int
    """Cores of the kind that ran something."""
    overhead_ns: int
    """Time in which the kind had overhead."""
    switches: int
    switch_ns: int
    """Time of all switches, on all cores together."""
    least_switch_ns: int
    """Time of the switches on the core with the least of it."""
    most_switch_ns: int
    """Time of the switches on the core with the most of it."""
    switch_in_overhead_ns: int
    """Time of the switches during which another task was ready and not dispatched."""


@dataclass(frozen=True, slots=True)
class PeerOverhead(Result):
    """Figures of `sched_overhead_analysis` (parts 1 to 4), and one of `critical_path`."""

    window_ns: int
    kinds: tuple[PeerKind, ...]
    all_overhead_ns: int
    """Time in which every kind had overhead."""
    has_overhead_ns: int
    """Time in which tasks were ready and every kind with a ready task had an idle core."""
    head: Quantiles
    """Time from dispatch, or from the end of the core's last task if later, to start."""
    tail: Quantiles
    """Time from end to finish."""
    static_cpm_ns: int
    """Length of the static CPM path. It is no floor: the blocks of a task may start late."""
    static_cpm_tasks: int
    """Tasks on it."""

    @property
    def switch_bounds_ns(self) -> tuple[int, int]:
        """Bounds of the time that switches cost the run: least of any core, sum over the kinds."""
        least = [kind.least_switch_ns for kind in self.kinds]
        return min(least, default=0), sum(least)

    def __repr__(self) -> str:
        share = self.has_overhead_ns / self.window_ns if self.window_ns else None
        window = time_text(self.window_ns)
        return f"<PeerOverhead: has overhead {percent_text(share)} of {window}>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Runs:
    """Task rows that have all their times, sorted by core, then start. Times are ns."""

    opens: Array
    """Whether it is the first of its core."""
    all_rows: bool
    """Whether they are all rows of the trace."""
    kind: Array
    """Number of its core's kind."""
    core: Array
    node: Array
    dispatch: Array
    start: Array
    end: Array
    finish: Array


def peer_overhead(trace: Trace, graph: Nodes) -> PeerOverhead | None:
    """The overhead of a run as the tools define it.

    None where the graph is not known, or no task has a dispatch and a finish.
    """
    kinds = core_kinds(trace)
    names = sorted(set(kinds.values()))
    runs = _runs(trace, graph, {core: names.index(kind) for core, kind in kinds.items()})
    if not graph.graph_known or not len(runs.core) or len(names) > tiling.MOST_KINDS:
        return None
    window = Span(int(runs.start.min()), int(runs.end.max()))
    work = _waiting(runs, graph, window, kinds=len(names))
    cores = np.bincount(runs.kind[runs.opens], minlength=len(names))
    running = interval_moments(runs.start, runs.end, runs.kind, what=tiling.RUNNING)
    waiting = interval_moments(work.start, work.end, work.kind, what=tiling.READY)
    *overhead_ns, all_ns, has_ns = tiling.overhead([*running, *waiting], cores).tolist()
    static = _static_cpm(graph)
    return PeerOverhead(
        window_ns=window.length_ns,
        kinds=tuple(
            _kind(runs, names[k], runs.kind == k, overhead_ns=overhead_ns[k], work=work.union(k))
            for k in np.flatnonzero(cores).tolist()
        ),
        all_overhead_ns=all_ns,
        has_overhead_ns=has_ns,
        head=_quantiles(_heads(runs)),
        tail=_quantiles(np.maximum(runs.finish - runs.end, 0)),
        static_cpm_ns=static.length_ns,
        static_cpm_tasks=len(static.path),
    )


def _static_cpm(graph: Nodes) -> StaticPath:
    ran, pred, succ = graph.last >= 0, graph.pred, graph.succ
    kept = ran[pred] & ran[succ] & (graph.end[pred] <= graph.start[succ])
    ordered = order_graph(len(graph), pred[kept], succ[kept])
    assert ordered is not None
    return longest_chain(graph, ordered, np.where(ran, graph.end - graph.start, 0))


def _runs(trace: Trace, graph: Nodes, kind_of: dict[int, int]) -> _Runs:
    """The rows with all times; `kind_of` is the number of each core's kind."""
    tasks = trace.tasks
    whole = trace.ran() & (tasks["dispatch_ns"] != MISSING) & (tasks["finish_ns"] != MISSING)
    rows = np.flatnonzero(whole)
    core, start = tasks["core"][rows].astype(np.int64), tasks["start_ns"][rows]
    same = core[1:] == core[:-1]
    if not ((core[1:] > core[:-1]) | (same & (start[1:] >= start[:-1]))).all():
        rows = rows[np.lexsort((start, core))]
        core = tasks["core"][rows].astype(np.int64)
    opens = np.append(True, core[1:] != core[:-1])[: len(core)]
    kinds = np.array([kind_of.get(c, 0) for c in core[opens].tolist()], np.int64)
    return _Runs(
        opens=opens,
        all_rows=len(rows) == len(tasks),
        kind=kinds[np.cumsum(opens) - 1] if len(core) else core,
        core=core,
        node=graph.of_row[rows],
        dispatch=tasks["dispatch_ns"][rows],
        start=tasks["start_ns"][rows],
        end=tasks["end_ns"][rows],
        finish=tasks["finish_ns"][rows],
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Disjoint:
    """Intervals in ns that do not overlap, in order of time."""

    start: Array
    end: Array

    def overlap_ns(self, start: Array, end: Array) -> int:
        """Nanoseconds of the given intervals that lie in these."""
        if not len(start) or not len(self.start):
            return 0
        return self._until(end) - self._until(start)

    def _until(self, moment: Array) -> int:
        """Sum over the moments of the time that these intervals cover before each."""
        before = np.concatenate([[0], np.cumsum(self.end - self.start)])
        at = np.searchsorted(self.start, moment, side="right")
        inside = np.minimum(moment, self.end[at - 1]) - self.start[at - 1]
        return int(np.where(at > 0, before[at - 1] + inside, 0).sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """Intervals in which a task was ready and not dispatched, one per task and kind of core."""

    kind: Array
    start: Array
    end: Array

    def union(self, kind: int) -> _Disjoint:
        """Intervals in which any task for this kind of core was ready and not dispatched."""
        mine = self.kind == kind
        start, end = sorted_values(self.start[mine]), sorted_values(self.end[mine])
        # In sorted starts and ends, nothing is open before start[i] if end[i - 1] <= it.
        opens = np.append(True, start[1:] > end[:-1])[: len(start)]
        return _Disjoint(start[opens], end[np.append(opens[1:], True)[: len(end)]])


def _waiting(runs: _Runs, graph: Nodes, window: Span, *, kinds: int) -> _Waiting:
    ready, dispatch = _ready(runs, graph)
    present = np.zeros(len(graph) * kinds, bool)
    present[runs.node * kinds + runs.kind] = True
    node, kind = np.divmod(np.flatnonzero(present), kinds)
    start, end = (np.clip(time[node], window.start_ns, window.end_ns) for time in (ready, dispatch))
    wide = end > start
    return _Waiting(kind[wide], start[wide], end[wide])


def _ready(runs: _Runs, graph: Nodes) -> tuple[Array, Array]:
    """Per node: when it was ready and when it was dispatched, ns.

    A silent predecessor hands nothing on here, unlike in `Nodes`.
    """
    if runs.all_rows and not graph.silent.any():
        return np.where(graph.ready == MISSING, graph.dispatch, graph.ready), graph.dispatch
    dispatch = np.full(len(graph), np.iinfo(np.int64).max, np.int64)
    np.minimum.at(dispatch, runs.node, runs.dispatch)
    end = np.full(len(graph), MISSING, np.int64)
    np.maximum.at(end, runs.node, runs.end)
    ready = np.full(len(graph), MISSING, np.int64)
    if graph.silent.any():
        timed = end[graph.pred] != MISSING
        np.maximum.at(ready, graph.succ[timed], end[graph.pred[timed]])
    else:
        ready, _ = readiness(graph.ordered, end)
    return np.where(ready == MISSING, dispatch, ready), dispatch


def _kind(runs: _Runs, name: str, mine: Array, *, overhead_ns: int, work: _Disjoint) -> PeerKind:
    """The figures of the runs in the mask; `work` is when another task was ready."""
    core, start, end = runs.core[mine], runs.start[mine], runs.end[mine]
    gap = start[1:] - end[:-1]
    is_switch = (core[1:] == core[:-1]) & (gap > 0) & (runs.dispatch[mine][1:] < end[:-1])
    at = np.flatnonzero(is_switch)
    of_core = np.cumsum(runs.opens[mine]) - 1
    per_core = np.zeros(int(of_core[-1]) + 1, np.int64)
    np.add.at(per_core, of_core[at + 1], gap[at])
    return PeerKind(
        kind=name,
        cores=len(per_core),
        overhead_ns=overhead_ns,
        switches=len(at),
        switch_ns=int(per_core.sum()),
        least_switch_ns=int(per_core.min()),
        most_switch_ns=int(per_core.max()),
        switch_in_overhead_ns=work.overlap_ns(end[at], start[at + 1]),
    )


def _heads(runs: _Runs) -> Array:
    """Per run: ns to its start from its dispatch, or from the end of the run before it if later."""
    head = runs.start - runs.dispatch
    same = runs.core[1:] == runs.core[:-1]
    since = runs.start[1:] - runs.end[:-1]
    head[1:] = np.where(same, np.minimum(head[1:], since), head[1:])
    return np.asarray(np.maximum(head, 0))


def _quantiles(values: Array) -> Quantiles:
    """Percentiles of at least one value."""
    count = len(values)
    places = [min(count * percent // 100, count - 1) for percent in PERCENTS]
    ordered = np.partition(values, [*places, count - 1])
    return Quantiles(
        count, tuple(int(ordered[p]) for p in places), int(ordered[-1]), int(values.sum())
    )
