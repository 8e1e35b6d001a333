"""What a page asks a server about a trace that it does not hold whole: neighbours and matches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from lanescope.analyze.columns.core_kinds import on_core
from lanescope.trace import MISSING, Trace
from lanescope.trace.table import Array
from lanescope.viewer.slices import Slices

_MOST = 400
"""Neighbours that are told; how many there are in all is told beside them."""
_THROUGH = 10_000
"""Nodes without a slice that are walked through, at most."""


def neighbours(trace: Trace, slices: Slices, row: int) -> dict[str, Any]:
    """Slices of the tasks before and after this row; nodes that did not run are passed through."""
    task = int(trace.tasks["task"][row])
    return {
        "before": _told(trace, slices, _reached(trace, task, ("succ", "pred"))),
        "after": _told(trace, slices, _reached(trace, task, ("pred", "succ"))),
    }


def _reached(trace: Trace, task: int, ends: tuple[str, str]) -> Array:
    """Rows of the nearest tasks that ran, in one direction."""
    here, there = (trace.edges[end] for end in ends)
    ran = trace.ran()
    wave, seen, rows = np.array([task]), {task}, []
    while len(wave) and len(seen) < _THROUGH:
        reached = np.setdiff1d(np.unique(there[np.isin(here, wave)]), list(seen))
        seen.update(reached.tolist())
        found = np.flatnonzero(np.isin(trace.tasks["task"], reached) & ran & on_core(trace))
        rows.append(found)
        wave = np.setdiff1d(reached, trace.tasks["task"][found])
    return np.concatenate(rows) if rows else np.zeros(0, np.int64)


def _told(trace: Trace, slices: Slices, rows: Array) -> dict[str, Any]:
    place = np.flatnonzero(np.isin(slices.row, rows))
    return {
        "count": len(place),
        "slices": [one_slice(trace, slices, k) for k in place[:_MOST].tolist()],
    }


def one_slice(trace: Trace, slices: Slices, place: int) -> dict[str, Any]:
    """A task as the page draws it; its id as text, because it may be beyond 2^53."""
    start, end = int(slices.start_ns[place]), int(slices.end_ns[place])
    row = int(slices.row[place])
    return {
        "lane": int(slices.lane[place]),
        "start": start,
        "length": end - start,
        "name": int(slices.name[place]),
        "row": row,
        "task": str(int(trace.tasks["task"][row])),
    }


def match(trace: Trace, slices: Slices, wanted: dict[str, Any]) -> dict[str, Any]:
    """How many tasks match, and the next one after (or before) a moment, around the end.

    `names` and `lanes` are lists of numbers, `task` an id, `least` and `most` lengths in ns.
    """
    mask = np.ones(len(slices), bool)
    if wanted.get("names") is not None:
        mask &= np.isin(slices.name, wanted["names"])
    if wanted.get("lanes") is not None:
        mask &= np.isin(slices.lane, wanted["lanes"])
    if wanted.get("task") is not None:
        mask &= (trace.tasks["task"] == int(wanted["task"]))[slices.row]
    length = slices.end_ns - slices.start_ns
    mask &= (length >= wanted.get("least", 0)) & (length <= wanted.get("most", -MISSING - 1))
    found = np.flatnonzero(mask)
    if not len(found):
        return {"count": 0, "slice": None}
    return {"count": len(found), "slice": one_slice(trace, slices, _next(slices, found, wanted))}


def _next(slices: Slices, found: Array, wanted: dict[str, Any]) -> int:
    start, row = slices.start_ns[found], slices.row[found]
    order = np.lexsort((row, start))
    keys = list(zip(start[order].tolist(), row[order].tolist(), strict=True))
    here = (wanted.get("start", MISSING), wanted.get("row", -1))
    step = bisect_left(keys, here) - 1 if wanted.get("backwards") else bisect_right(keys, here)
    return int(found[order[step % len(found)]])
