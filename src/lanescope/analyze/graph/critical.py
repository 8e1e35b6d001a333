"""The two critical paths of a run (`paths.py`) as tables: functions, causes, segments.

    window ├───────────────────────────────────────────────────────────────────┤
            orchestrator │sched│switch│  run A  │ scheduler │switch│ run B │finish
                         ↑ submit of A          ↑ A ended (data) or the core's last run ended

The observed path tiles the window exactly. A run waits for its data, its core or its submit. From
the moment that the last of them came, time until dispatch is the scheduler's; time from dispatch to
start is the switch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import combine, group_by
from lanescope.analyze.cores.makespan import Span, makespan
from lanescope.analyze.graph.nodes import Nodes, nodes
from lanescope.analyze.graph.paths import (
    SEGMENTS,
    ObservedPath,
    StaticPath,
    observed_path,
    static_path,
)
from lanescope.native.paths import CORE, DATA, NO_CAUSE, SUBMIT, implied_edges
from lanescope.render.cells import time_text
from lanescope.results import Result
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

CAUSES = {DATA: "data", CORE: "core", SUBMIT: "submit", NO_CAUSE: "first"}
"""Why a run on the path did not start earlier, by the codes of `native.paths`."""
REDUCTION_STEPS = 20_000_000
"""Implied edges are not counted where that takes more steps."""


@dataclass(frozen=True, slots=True)
class PathFunction(Result):
    """One function on a critical path."""

    func: int | None
    """Its id; None where the trace does not say what ran."""
    name: str
    runs: int
    """Runs of it on the path."""
    run_ns: int
    """Time in which they ran."""
    wait_ns: int
    """Time on the path before its runs: switch, scheduler and idle. 0 on the static path."""
    share: float | None
    """run_ns / length of the window."""


@dataclass(frozen=True, slots=True)
class PathCause(Result):
    """The runs of the observed path that waited for one thing."""

    cause: str
    """What came last before the run: data, core, submit, or first where nothing is known."""
    kind: str
    """Kind of the edge that data came through: a word, or `through` for several edges."""
    steps: int
    """Number of these runs."""
    wait_ns: int
    """Time from the moment that it came until the run started."""


@dataclass(frozen=True, slots=True)
class Critical(Result):
    """Both critical paths in figures and tables."""

    window: Span | None
    """The time that the observed path tiles; None when no task has times."""
    static_ns: int
    """Length of the static path: no run of these tasks is shorter."""
    static_tasks: int
    """Tasks on it that ran."""
    static_share: float | None
    """static_ns / length of the window."""
    static_functions: tuple[PathFunction, ...]
    edges: int
    """Number of edges in the graph."""
    implied: int | None
    """Number of edges that follow from others; None when the search took too many steps."""
    path_runs: int
    """Number of runs on the observed path."""
    segments: dict[str, int]
    """Nanoseconds of the observed path by SEGMENTS; they add up to the window."""
    functions: tuple[PathFunction, ...]
    """Functions on the observed path; the longest time first."""
    causes: tuple[PathCause, ...]
    """What the runs of the observed path waited for; the longest wait first."""
    without_slack: int
    """Number of tasks that lengthen the static path when they take longer."""

    def __repr__(self) -> str:
        if self.window is None:
            return "<Critical: no task has times>"
        return (
            f"<Critical: observed {self.path_runs:,} runs in {time_text(self.window.length_ns)}, "
            f"static {self.static_tasks:,} tasks in {time_text(self.static_ns)}>"
        )


def critical(
    trace: Trace,
    graph: Nodes | None = None,
    window: Span | None = None,
    *,
    most_steps: int = REDUCTION_STEPS,
) -> Critical:
    """Both critical paths; graph and window are computed where they are not given.

    Implied edges are not counted where that takes more than `most_steps`.
    """
    graph = nodes(trace) if graph is None else graph
    window = makespan(trace).window if window is None else window
    static = static_path(trace, graph)
    path = None if window is None else observed_path(trace, graph, window)
    length = 0 if window is None else window.length_ns
    reduced = implied_edges(graph.ordered, budget=most_steps) if most_steps else None
    ran = graph.last >= 0
    return Critical(
        window=window,
        static_ns=static.length_ns,
        static_tasks=len(static.path),
        static_share=static.length_ns / length if length else None,
        static_functions=_static_functions(trace, graph, static, window_ns=length),
        edges=len(graph.pred),
        implied=None if reduced is None else int(np.count_nonzero(reduced)),
        path_runs=0 if path is None else len(path.rows),
        segments=dict.fromkeys(SEGMENTS, 0) if path is None else _totals(path),
        functions=() if path is None else _functions(trace, path, length),
        causes=() if path is None else _causes(trace, graph, path),
        without_slack=int(np.count_nonzero((static.slack == 0) & ran)) if len(graph.pred) else 0,
    )


def _totals(path: ObservedPath) -> dict[str, int]:
    """Nanoseconds of the path by SEGMENTS."""
    length = path.end_ns - path.start_ns
    return {name: int(length[path.kind == code].sum()) for code, name in enumerate(SEGMENTS)}


def _names(trace: Trace) -> dict[int, str]:
    return dict(zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True))


def _by_function(
    trace: Trace, func: Array, *, run_ns: Array, wait_ns: Array, window_ns: int
) -> tuple[PathFunction, ...]:
    """Runs in groups by function, the longest time on the path first."""
    groups, names = group_by(func), _names(trace)
    runs, waits = groups.sums(run_ns), groups.sums(wait_ns)
    rows = [
        PathFunction(
            func=key if key >= 0 else None,
            name=names.get(key) or (f"func_{key}" if key >= 0 else "(unknown)"),
            runs=count,
            run_ns=runs[place],
            wait_ns=waits[place],
            share=runs[place] / window_ns if window_ns else None,
        )
        for place, (key, count) in enumerate(
            zip(groups.keys.tolist(), groups.counts(), strict=True)
        )
    ]
    return tuple(sorted(rows, key=lambda row: (-row.run_ns - row.wait_ns, row.name)))


def _functions(trace: Trace, path: ObservedPath, window_ns: int) -> tuple[PathFunction, ...]:
    """The functions of the observed path."""
    return _by_function(
        trace,
        trace.tasks["func"][path.rows],
        run_ns=_step_ns(path, "run"),
        wait_ns=_step_ns(path, "switch", "scheduler", "idle"),
        window_ns=window_ns,
    )


def _step_ns(path: ObservedPath, *segments: str) -> Array:
    """Nanoseconds that each step spends in these segments."""
    ns = np.zeros(len(path.rows), np.int64)
    mine = np.isin(path.kind, [SEGMENTS.index(name) for name in segments])
    np.add.at(ns, path.step[mine], (path.end_ns - path.start_ns)[mine])
    return ns


def _static_functions(
    trace: Trace, graph: Nodes, static: StaticPath, *, window_ns: int
) -> tuple[PathFunction, ...]:
    """The functions of the static path."""
    func = trace.tasks["func"][graph.last[static.path]]
    wait_ns = np.zeros_like(static.least_ns)
    return _by_function(trace, func, run_ns=static.least_ns, wait_ns=wait_ns, window_ns=window_ns)


def _causes(trace: Trace, graph: Nodes, path: ObservedPath) -> tuple[PathCause, ...]:
    """Waits in groups by what they were for."""
    wait_ns = _step_ns(path, "switch", "scheduler", "idle", "launch")
    kinds = _edge_kinds(graph, path)
    groups = group_by(combine(path.causes, kinds))
    waited = groups.sums(wait_ns)
    rows = [
        PathCause(
            CAUSES[int(path.causes[row])], _kind_name(trace, int(kinds[row])), count, waited[place]
        )
        for place, (row, count) in enumerate(
            zip(groups.order[groups.first].tolist(), groups.counts(), strict=True)
        )
    ]
    return tuple(sorted(rows, key=lambda row: (-row.wait_ns, row.cause, row.kind)))


_NO_EDGE, _THROUGH = -2, -3
"""Codes beside those of words: the step waited for no edge, or for one behind a silent node."""


def _edge_kinds(graph: Nodes, path: ObservedPath) -> Array:
    """Per step: the code of the kind of the edge that it waited for, or _NO_EDGE or _THROUGH."""
    node = graph.of_row[path.rows]
    pair = graph.gate[node] * len(graph) + node
    known = graph.pred * len(graph) + graph.succ
    if not len(known):
        return np.full(len(node), _NO_EDGE, np.int64)
    at = np.minimum(np.searchsorted(known, pair), len(known) - 1)
    kinds = np.where(known[at] == pair, graph.edge_kind[at], _THROUGH)
    return np.where(path.causes == DATA, kinds, _NO_EDGE)


def _kind_name(trace: Trace, code: int) -> str:
    """The word of an edge's kind; empty where there is no edge."""
    if code == _NO_EDGE:
        return ""
    return "through" if code == _THROUGH else trace.word(code) or "edge"
