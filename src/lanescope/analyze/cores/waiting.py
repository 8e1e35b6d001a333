"""What every core did at every moment: it ran a task, or one of nine reasons says why it did not.
The verdict, the viewer and the pictures count from here.

    core   [running ][ switch ][running ]         [running ]
                      ↑ a task is dispatched to it and has not started
    idle                                  ░░░░░░░           ░░░░░░

An idle core waits for one of the tasks that a core of its kind will run. The reason is what that
task waits for. Tasks are given to the idle cores of a kind in this order, one task per core:

    scheduler     its data is there and it is submitted, but it is not dispatched
    queued        it is dispatched to a busy core and waits behind another task
    orchestrator  a task is not submitted, for which a core would be idle: the task itself, or its
                  latest producer, or that one's latest producer, …
    data          a producer has not ended
    unexplained   the trace does not say what it waits for
    nothing       there is no task left for this core

A core's time may also be lost (its records are) or blocked (recording stopped it).

The data of a task is there when its latest producer has ended. Barriers and allocations run on no
core; they hand on what they wait for. Idle cores of a kind are alike: they share equally what all
of them wait for at a moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.core_index import CoreIndex
from lanescope.analyze.columns.moments import interval_moments
from lanescope.analyze.columns.union import covered_ns
from lanescope.analyze.cores.gaps import lost_intervals, stalled_intervals
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.native import tiling
from lanescope.native.paths import with_followers
from lanescope.native.tiling import Moments
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

LABELS = {
    "running": "running",
    "data": "waiting on data",
    "scheduler": "ready, not dispatched (scheduler)",
    "switch": "dispatched, not picked up (switch)",
    "queued": "queued on a busy core",
    "orchestrator": "not submitted yet (orchestrator)",
    "blocked": "blocked by the profiler",
    "lost": "unknown, records were lost",
    "unexplained": "idle, the trace cannot tell why",
    "nothing": "no task for this core",
}
"""What a core can do with its time, and its words in a table, in the order of the table."""
BETWEEN = "between"
ALL_LABELS = {**LABELS, BETWEEN: "outside every run"}
"""With what only traces of several runs have."""
REASONS = tuple(what for what in LABELS if what != "running")
"""Why a core does not run."""


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """One entry per run on a core of the trace."""

    row: Array
    """Its task row."""
    core: Array
    """Place of its core."""
    kind: Array
    """Number of its core's kind."""
    kinds: int
    """How many kinds there are."""


@dataclass(frozen=True, slots=True, eq=False)
class CoreWaits:
    """Nanoseconds that cores waited, by reason (the keys of `LABELS`)."""

    before: dict[str, Array]
    """Per run: how long its core waited since the run before it, or since the window began."""
    after: dict[str, Array]
    """Per core: how long it waited from its last run to the end of the window."""


@dataclass(frozen=True, slots=True, eq=False)
class CoreActivity:
    """What the cores of a trace did in a window, as moments at which something opens or closes."""

    cores: CoreIndex
    window: Span
    moments: list[Moments]
    rows: Array
    """Task rows that ran on a core of the trace, in the order of `CoreWaits.before`."""
    explained: bool
    """Whether the trace can tell data from other reasons: graph and dispatch are known."""
    outside_ns: Array | None
    """Per core: time of the window in which no run was open; None for a trace of one run."""

    def areas(self) -> dict[str, Array]:
        """Nanoseconds by reason, summed over the cores of each kind: one value per kind."""
        areas = tiling.tile(
            self.moments, self.cores.kind_of, len(self.cores.kinds), self._limits_ns()
        )
        return self._without_runs(self._by_reason(areas))

    def waits(self) -> CoreWaits:
        """Nanoseconds by reason, before each run and behind the last run of each core."""
        waits = tiling.tile_runs(
            self.moments, self.cores.kind_of, len(self.cores.kinds), self._limits_ns()
        )
        return CoreWaits(self._by_reason(waits.before), self._by_reason(waits.after))

    def _without_runs(self, areas: dict[str, Array]) -> dict[str, Array]:
        """Time between runs is no time in which a core could have had a task."""
        if self.outside_ns is None:
            return areas
        between = np.bincount(self.cores.kind_of, self.outside_ns, len(self.cores.kinds))
        moved = np.minimum(between.astype(np.int64), areas["nothing"])
        return {**areas, "nothing": areas["nothing"] - moved, BETWEEN: moved}

    def _limits_ns(self) -> tuple[int, int]:
        return self.window.start_ns, self.window.end_ns

    def _by_reason(self, columns: Array) -> dict[str, Array]:
        """The columns by name; what a trace cannot tell from data is unexplained."""
        named = dict(zip(tiling.TILES, columns.T, strict=True))
        if not self.explained:
            named["unexplained"] = named["unexplained"] + named["data"]
            named["data"] = np.zeros_like(named["data"])
        return {what: named[what] for what in LABELS}


def core_activity(
    trace: Trace, graph: Nodes | None = None, window: Span | None = None
) -> CoreActivity | None:
    """What the cores did in the window; graph and window are computed where they are not given.

    None when no task has times, and for a trace with more than 65,535 cores or 126 kinds of them.
    """
    window = makespan(trace).window if window is None else window
    cores = CoreIndex(trace)
    if window is None or not window.length_ns:
        return None
    if not 0 < len(cores.cores) <= tiling.MOST_CORES or len(cores.kinds) > tiling.MOST_KINDS:
        return None
    graph = nodes(trace) if graph is None else graph
    runs = _runs(trace, cores)
    return CoreActivity(
        cores=cores,
        window=window,
        moments=[
            *_core_moments(trace, cores, window),
            *_task_moments(trace, graph, runs, window=window),
        ],
        rows=runs.row,
        explained=graph.graph_known and bool((trace.tasks["dispatch_ns"] != MISSING).any()),
        outside_ns=_outside(trace, cores, window),
    )


def _outside(trace: Trace, cores: CoreIndex, window: Span) -> Array | None:
    """Per core: time of the window in which no run of its rank was open."""
    runs = trace.runs
    if len(runs) < 2:
        return None
    outside = np.zeros(len(cores.cores), np.int64)
    ranks = dict(zip(trace.cores["core"].tolist(), trace.cores["rank"].tolist(), strict=True))
    of_core = np.array([ranks.get(core, MISSING32) for core in cores.cores.tolist()])
    for rank in different(of_core).tolist():
        mine = (runs["rank"] == rank) & (runs["start_ns"] != MISSING)
        start = np.clip(runs["start_ns"][mine], window.start_ns, window.end_ns)
        end = np.clip(runs["end_ns"][mine], window.start_ns, window.end_ns)
        covered = covered_ns(np.zeros(len(start), np.int64), start, end, groups=1)
        outside[of_core == rank] = window.length_ns - int(covered[0])
    return outside


def _runs(trace: Trace, cores: CoreIndex) -> _Runs:
    rows = np.flatnonzero(trace.ran())
    core = cores.place(trace.tasks["core"][rows])
    known = core >= 0
    if not known.all():
        rows, core = rows[known], core[known]
    return _Runs(rows, core.astype(np.uint16), cores.kind_of[core], len(cores.kinds))


def _core_moments(trace: Trace, cores: CoreIndex, window: Span) -> list[Moments]:
    """Moments about single cores: their records are lost, recording stopped them."""
    lost, stalled = lost_intervals(trace, window), stalled_intervals(trace)
    return [
        *interval_moments(lost.start, lost.end, cores.place(lost.core), what=tiling.UNKNOWN),
        *interval_moments(
            stalled.start, stalled.end, cores.place(stalled.core), what=tiling.BLOCKED
        ),
    ]


def _task_moments(trace: Trace, graph: Nodes, runs: _Runs, *, window: Span) -> list[Moments]:
    """Moments about tasks: they wait for a core of a kind, are dispatched to one, run there."""
    tasks, rows, kind = trace.tasks, runs.row, runs.kind
    node = graph.of_row[rows]
    start, dispatch = tasks["start_ns"][rows], tasks["dispatch_ns"][rows]
    given = np.where(dispatch != MISSING, np.minimum(dispatch, start), start)
    # Where nothing is known of its inputs, a task counts as ready only when it was dispatched.
    ready = ready_times(graph)[node]
    unsure = ready == MISSING
    begins = _begins(trace, window)
    since = np.maximum(ready, begins[_place(trace, runs, begins)])
    waited = ~unsure & (since < given)
    leaves = waited * np.int8(tiling.READY) + unsure * np.int8(tiling.UNSURE)
    return [
        *_open_moments(trace, runs, begins, unsure=unsure),
        *_behind_moments(trace, graph, runs, begins),
        Moments(since[waited], kind[waited], tiling.READY, 1),
        Moments(given, runs.core, tiling.GIVEN, by=leaves),
        Moments(start, runs.core, tiling.STARTED),
        Moments(tasks["end_ns"][rows], runs.core, tiling.RUNNING, -1),
    ]


def ready_times(graph: Nodes) -> Array:
    """Time in ns at which each node could have been dispatched: its data is there and it is
    submitted. MISSING where neither time is known."""
    known = graph.roots | (graph.ready != MISSING)
    submitted = np.where(known, graph.submit, MISSING)
    return np.maximum(graph.ready, submitted)


def _begins(trace: Trace, window: Span) -> Array:
    """When each run of the trace begins: before that, nobody waits for its tasks.

    The last entry is for tasks of no run, which wait from the window's start on.
    """
    starts = trace.runs["start_ns"]
    known = np.maximum(np.where(starts != MISSING, starts, window.start_ns), window.start_ns)
    return np.append(known, window.start_ns) if len(starts) > 1 else np.array([window.start_ns])


def _open_moments(trace: Trace, runs: _Runs, begins: Array, *, unsure: Array) -> list[Moments]:
    """Moments at which the tasks of a run begin to wait: all at once, when the run begins."""
    of_run = _place(trace, runs, begins)
    moments: list[Moments] = []
    kinds = np.arange(runs.kinds)
    for run in range(len(begins)):
        mine = of_run == run
        if not mine.any():
            continue
        at = np.full(len(kinds), begins[run])
        pending = np.bincount(runs.kind[mine], minlength=len(kinds))
        doubted = np.bincount(runs.kind[mine & unsure], minlength=len(kinds))
        moments += [Moments(at, kinds, tiling.PENDING, pending)]
        moments += [Moments(at, kinds, tiling.UNSURE, doubted)]
    return moments


def _place(trace: Trace, runs: _Runs, begins: Array) -> Array:
    """Which of `begins` is that of each run on a core."""
    if len(begins) == 1:
        return np.zeros(len(runs.row), np.int64)
    of_run = trace.tasks["run"][runs.row]
    return np.where(of_run >= 0, of_run, len(begins) - 1)


def _behind_moments(trace: Trace, graph: Nodes, runs: _Runs, begins: Array) -> list[Moments]:
    """Moments about nodes that have their data and are not submitted.

    Such a node holds up itself and all nodes whose latest producer it is, or that one's, …
    """
    begin = np.full(len(graph), begins[-1])
    begin[graph.of_row[runs.row]] = begins[_place(trace, runs, begins)]
    since = np.where(graph.roots, begin, graph.ready)
    late = (graph.submit != MISSING) & (since != MISSING) & (graph.submit > since)
    if not late.any():
        return []
    node, kind = graph.of_row[runs.row], runs.kind
    by = np.full(len(graph), runs.kinds, np.int64)
    by[node] = kind
    moments: list[Moments] = []
    for number in range(runs.kinds):
        waiting = np.bincount(node[kind == number], minlength=len(graph))
        held_up = with_followers(graph.ordered, graph.gate, waiting)
        some = np.flatnonzero(late & (held_up > 0))
        moments += interval_moments(
            since[some],
            graph.submit[some],
            np.full(len(some), number, np.int64),
            what=tiling.BEHIND,
            change=held_up[some],
            by=by[some],
        )
    return moments
