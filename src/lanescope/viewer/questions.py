"""Answers for a page that does not hold its trace whole: neighbours of a task."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.analyze.columns.core_kinds import on_core
from lanescope.trace import Trace
from lanescope.trace.table import Array
from lanescope.trace.trace_ids import source_ids
from lanescope.viewer.bars import PageBars

_MOST = 400
"""At most so many neighbours are listed; their whole number is told beside the list."""
_THROUGH = 10_000
"""At most so many nodes without a bar are passed through."""


def neighbours(trace: Trace, bars: PageBars, row: int) -> dict[str, Any]:
    """The bars of the tasks before and after the task of this row.

    Nodes of the graph that did not run are passed through.
    """
    task = int(trace.tasks["task"][row])
    return {
        "before": _told(trace, bars, _reached(trace, task, ("succ", "pred"))),
        "after": _told(trace, bars, _reached(trace, task, ("pred", "succ"))),
    }


def _reached(trace: Trace, task: int, ends: tuple[str, str]) -> Array:
    """The rows of the nearest tasks that ran, in the direction from `ends[0]` to `ends[1]`."""
    here, there = (trace.edges[end] for end in ends)
    ran = trace.ran()
    wave, seen, rows = np.array([task]), {task}, []
    while len(wave) and len(seen) < _THROUGH:
        reached = np.setdiff1d(np.unique(there[np.isin(here, wave)]), list(seen))
        seen.update(reached.tolist())
        runs = np.flatnonzero(np.isin(trace.tasks["task"], reached) & ran & on_core(trace))
        rows.append(runs)
        wave = np.setdiff1d(reached, trace.tasks["task"][runs])
    return np.concatenate(rows) if rows else np.zeros(0, np.int64)


def _told(trace: Trace, bars: PageBars, rows: Array) -> dict[str, Any]:
    """How many bars these rows have, and the first ones."""
    place = np.flatnonzero(np.isin(bars.row, rows))
    return {
        "count": len(place),
        "bars": [one_bar(trace, bars, k) for k in place[:_MOST].tolist()],
    }


def one_bar(trace: Trace, bars: PageBars, place: int) -> dict[str, Any]:
    """A task as the page draws it; its id is text, because it may be beyond 2^53."""
    start, end = int(bars.start_ns[place]), int(bars.end_ns[place])
    row = int(bars.row[place])
    return {
        "lane": int(bars.lane[place]),
        "start": start,
        "length": end - start,
        "name": int(bars.name[place]),
        "row": row,
        "task": str(int(source_ids(trace, trace.tasks["task"][row : row + 1])[0])),
    }
