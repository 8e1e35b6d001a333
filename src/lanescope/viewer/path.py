"""The critical path as a lane of the page: a bar per run and per wait, in order of time."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.analyze.graph.path_bars import PathBars
from lanescope.trace import MISSING, Trace
from lanescope.trace.lanes import Lanes
from lanescope.trace.table import Array
from lanescope.viewer.bars import PageBars, function_places

PATH_LANE: dict[str, Any] = {
    "name": "critical path",
    "kind": "path",
    "group": "Critical path",
    "core": None,
    "lost": 0,
}
"""What the page knows of the lane. It is the last one, so that it moves no other lane's number."""


def path_table(trace: Trace, lanes: Lanes, path: PathBars, *, place: int) -> PageBars:
    """The bars of the path on lane `place`.

    The name of a run is that of its function; the names of waits come behind those of functions and
    of the one that is not known. `on` and `from` are lane and start of the task that runs, or that
    is waited for.
    """
    known = path.row >= 0
    tasks = trace.tasks
    row = np.where(known, path.row, 0)

    def of_task(column: Array) -> Array:
        return _where(known, column[row])

    more = {
        "what": path.what,
        "cause": _where(path.cause >= 0, path.cause),
        "on": of_task(lanes.of_core(tasks["core"])),
        "from": of_task(tasks["start_ns"]),
        "function": _where(known, function_places(trace, tasks["func"][row])),
        "row": _where(known, path.row),
    }
    return PageBars(
        np.full(len(path), place, np.int32),
        path.start_ns,
        path.end_ns,
        np.where(path.runs, more["function"], len(trace.functions) + 1 + path.what),
        np.arange(len(path)),
        lambda rows: {name: values[rows] for name, values in more.items()},
    )


def _where(known: Array, values: Array) -> Array:
    """The values as int64, MISSING where not known; narrower integers have no room for it."""
    return np.where(known, values.astype(np.int64), MISSING)
