"""The critical paths as the exporters and the viewer draw them."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.paths import SEGMENTS, observed_path, static_path
from lanescope.trace.highlight import Highlight
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace


def critical_rows(trace: Trace) -> Array | None:
    """Rows of the task table on the observed path; None when nothing ran."""
    window = makespan(trace).window
    path = None if window is None else observed_path(trace, nodes(trace), window)
    return None if path is None else path.rows


def critical_lanes(trace: Trace) -> Highlight | None:
    """The observed path with what it waited for, and the static one; None when nothing ran."""
    found, window = nodes(trace), makespan(trace).window
    path = None if window is None else observed_path(trace, found, window)
    if path is None:
        return None
    static = static_path(found).path if len(found.pred) else np.zeros(0, np.int64)
    tasks, functions = trace.tasks, trace.functions["func"].tolist()
    names = (*trace.text("functions", "name"), "run", *SEGMENTS)
    place = {func: number for number, func in enumerate(functions)}
    rows = np.concatenate([path.rows[path.step], found.last[static]])
    func = [place.get(func, len(functions)) for func in tasks["func"][rows].tolist()]
    kind = np.concatenate([path.kind, np.zeros(len(static), np.int64)])
    is_run = kind == SEGMENTS.index("run")
    return Highlight(
        title="critical path",
        lanes=("observed", "static")[: 2 if len(static) else 1],
        lane=np.repeat([0, 1], [len(path.kind), len(static)]),
        start_ns=np.concatenate([path.start_ns, found.start[static]]),
        end_ns=np.concatenate([path.end_ns, found.end[static]]),
        name=np.where(is_run, func, kind + len(functions) + 1),
        names=names,
        task=tasks["task"][rows],
    )
