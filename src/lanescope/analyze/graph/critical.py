"""The two critical paths of a run (`paths`) as tables: functions, causes, segments.

    window ├───────────────────────────────────────────────────────────────────┤
            orchestrator │sched│switch│  run A  │ scheduler │switch│ run B │finish
                         ↑ submit of A          ↑ A ended (data) or the core's last run ended

The observed path tiles the window exactly: behind the moment that a run waited for (data, its core,
its submit), time until dispatch is the scheduler's, time from dispatch to start is the switch.
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
from lanescope.results import Result
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

CAUSES = {DATA: "data", CORE: "core", SUBMIT: "submit", NO_CAUSE: "first"}
"""Why a run on the path did not start earlier."""
REDUCTION_STEPS = 20_000_000
"""Looking for implied edges stops after so many steps."""


@dataclass(frozen=True, slots=True)
class PathFunction(Result):
    """A function on the observed path."""

    func: int | None
    name: str
    runs: int
    run_ns: int
    wait_ns: int
    """Switch and scheduler time before its runs."""
    share: float | None
    """run_ns of the window."""


@dataclass(frozen=True, slots=True)
class PathCause(Result):
    """Steps of the observed path that waited for one thing; `kind` is the edge's for data."""

    cause: str
    kind: str
    steps: int
    wait_ns: int
    """From the moment it came until the run started."""


@dataclass(frozen=True, slots=True)
class Critical(Result):
    """Lengths and tables; None where the trace has no times or no graph."""

    window: Span | None
    static_ns: int
    static_tasks: int
    static_share: float | None
    static_functions: tuple[PathFunction, ...]
    edges: int
    """Distinct pairs."""
    implied: int | None
    """Of these, how many follow from others; None: too many steps to tell."""
    path_runs: int
    segments: dict[str, int]
    """ns of the window by SEGMENTS; they add up to the window."""
    functions: tuple[PathFunction, ...]
    causes: tuple[PathCause, ...]
    without_slack: int
    """Tasks that lengthen the static path when they take longer."""


def critical(trace: Trace, found: Nodes | None = None, window: Span | None = None) -> Critical:
    """Both paths as tables; nodes and window are those of the trace, if known already."""
    found = nodes(trace) if found is None else found
    window = makespan(trace).window if window is None else window
    static = static_path(found)
    path = None if window is None else observed_path(trace, found, window)
    length = 0 if window is None else window.length_ns
    reduced = implied_edges(found.graph, budget=REDUCTION_STEPS)
    ran = found.last >= 0
    return Critical(
        window=window,
        static_ns=static.length_ns,
        static_tasks=len(static.path),
        static_share=static.length_ns / length if length else None,
        static_functions=_static_functions(trace, found, static, length),
        edges=len(found.pred),
        implied=None if reduced is None else int(np.count_nonzero(reduced)),
        path_runs=0 if path is None else len(path.rows),
        segments=dict.fromkeys(SEGMENTS, 0) if path is None else _totals(path),
        functions=() if path is None else _functions(trace, path, length),
        causes=() if path is None else _causes(trace, found, path),
        without_slack=int(np.count_nonzero((static.slack == 0) & ran)) if len(found.pred) else 0,
    )


def _totals(path: ObservedPath) -> dict[str, int]:
    length = path.end_ns - path.start_ns
    return {name: int(length[path.kind == code].sum()) for code, name in enumerate(SEGMENTS)}


def _names(trace: Trace) -> dict[int, str]:
    return dict(zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True))


def _by_function(
    trace: Trace, func: Array, run_ns: Array, wait_ns: Array, *, window_ns: int
) -> tuple[PathFunction, ...]:
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
    length, steps = path.end_ns - path.start_ns, len(path.rows)
    is_run = path.kind == SEGMENTS.index("run")
    waits = np.isin(path.kind, [SEGMENTS.index(name) for name in ("switch", "scheduler", "idle")])
    run_ns, wait_ns = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
    np.add.at(run_ns, path.step[is_run], length[is_run])
    np.add.at(wait_ns, path.step[waits], length[waits])
    func = trace.tasks["func"][path.rows]
    return _by_function(trace, func, run_ns, wait_ns, window_ns=window_ns)


def _static_functions(
    trace: Trace, found: Nodes, static: StaticPath, window_ns: int
) -> tuple[PathFunction, ...]:
    func = trace.tasks["func"][found.last[static.path]]
    run_ns = found.end[static.path] - found.start[static.path]
    return _by_function(trace, func, run_ns, np.zeros_like(run_ns), window_ns=window_ns)


def _causes(trace: Trace, found: Nodes, path: ObservedPath) -> tuple[PathCause, ...]:
    """Waits by what they were for; a data edge through a barrier is called `through`."""
    length = path.end_ns - path.start_ns
    waits = np.isin(
        path.kind, [SEGMENTS.index(name) for name in ("switch", "scheduler", "idle", "launch")]
    )
    wait_ns = np.zeros(len(path.rows), np.int64)
    np.add.at(wait_ns, path.step[waits], length[waits])
    kinds = _edge_kinds(found, path)
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


def _edge_kinds(found: Nodes, path: ObservedPath) -> Array:
    """Of each step the word of the edge it waited for, or that it is none, or through others."""
    node = found.of_row[path.rows]
    pair = found.gate[node] * len(found) + node
    known = found.pred * len(found) + found.succ
    if not len(known):
        return np.full(len(node), _NO_EDGE, np.int64)
    at = np.minimum(np.searchsorted(known, pair), len(known) - 1)
    kinds = np.where(known[at] == pair, found.edge_kind[at], _THROUGH)
    return np.where(path.causes == DATA, kinds, _NO_EDGE)


def _kind_name(trace: Trace, code: int) -> str:
    if code == _NO_EDGE:
        return ""
    return "through" if code == _THROUGH else trace.word(code) or "edge"
