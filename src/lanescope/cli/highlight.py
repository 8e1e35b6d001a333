"""The critical paths as the exporters and the viewer draw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.formats.views import Highlight
    from lanescope.trace import Trace
    from lanescope.trace.table import Array


def critical_rows(trace: Trace) -> Array | None:
    """Rows of the task table on the observed path; None when nothing ran."""
    from lanescope.analyze.makespan import makespan
    from lanescope.analyze.nodes import nodes
    from lanescope.analyze.paths import observed_path

    window = makespan(trace).window
    path = None if window is None else observed_path(trace, nodes(trace), window)
    return None if path is None else path.rows


def critical_lanes(trace: Trace) -> Highlight | None:
    """The observed path with what it waited for, and the static one; None when nothing ran."""
    import numpy as np

    from lanescope.analyze.makespan import makespan
    from lanescope.analyze.nodes import nodes
    from lanescope.analyze.paths import SEGMENTS, observed_path, static_path
    from lanescope.formats.views import Highlight

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
