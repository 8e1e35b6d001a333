"""The critical paths in the form that the exporters draw."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.paths import SEGMENTS, observed_path, static_path
from lanescope.trace.highlight import Highlight
from lanescope.trace.numbering import find
from lanescope.trace.run_parts import longest_run
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary


def critical_lanes(trace: Trace) -> Highlight | None:
    """A lane with the segments of the observed path, and one with the static path.

    None when nothing ran, and where the lanes are no cores. A trace without edges has no lane for
    the static path. Of a trace of several runs these are the paths of the longest one.
    """
    if vocabulary(trace).family != "cores":
        return None
    trace = longest_run(trace)
    graph, window = nodes(trace), makespan(trace).window
    path = None if window is None else observed_path(trace, graph, window)
    if path is None:
        return None
    static = static_path(trace, graph).path if len(graph.pred) else np.zeros(0, np.int64)
    tasks, functions = trace.tasks, trace.functions["func"]
    names = (*trace.text("functions", "name"), "run", *SEGMENTS)
    rows = np.concatenate([path.rows[path.step], graph.last[static]])
    place = find(functions, tasks["func"][rows])
    func = np.where(place >= 0, place, len(functions))
    kind = np.concatenate([path.kind, np.zeros(len(static), np.int64)])
    is_run = kind == SEGMENTS.index("run")
    return Highlight(
        title="critical path",
        lanes=("observed", "static")[: 2 if len(static) else 1],
        lane=np.repeat([0, 1], [len(path.kind), len(static)]),
        start_ns=np.concatenate([path.start_ns, graph.start[static]]),
        end_ns=np.concatenate([path.end_ns, graph.end[static]]),
        name=np.where(is_run, func, kind + len(functions) + 1),
        names=names,
        task=tasks["task"][rows],
    )
