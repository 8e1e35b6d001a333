"""The way from one task to another, as graph.js finds it in a page that holds its trace."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from lanescope.trace import Trace
from lanescope.trace.table import Array
from lanescope.viewer.bars import PageBars
from lanescope.viewer.questions import one_bar

_EDGES = 2_000_000
"""At most so many edges are looked at."""
_LISTED = 400
"""At most so many tasks of a path are listed."""

_Edges = dict[int, list[int]]


def path(trace: Trace, bars: PageBars, rows: tuple[int, int]) -> dict[str, Any]:
    """The tasks from the first row to the second.

    At each step back it is the predecessor that ended last, of those that the first task leads to;
    nodes that did not run are passed through. Only what ran between the two tasks is looked at. The
    count is 0 where no way leads there, None where too many edges lie between.
    """
    task_of = trace.tasks["task"][bars.row]
    source, target = (int(trace.tasks["task"][row]) for row in rows)
    drawn = bars.lane >= 0
    since = int(bars.start_ns[(task_of == source) & drawn].min())
    until = int(bars.end_ns[(task_of == target) & drawn].max())
    near = drawn & (bars.start_ns <= until) & (bars.end_ns >= since)
    kept = _between(trace, near=task_of[near], ran=task_of[drawn])
    if int(kept.sum()) > _EDGES:
        return {"count": None, "bars": []}
    pred, succ = trace.edges["pred"][kept], trace.edges["succ"][kept]
    forward, backward = _grouped(pred, succ), _grouped(succ, pred)
    ends = _last_runs(bars, task_of, np.append(pred, (source, target)))
    places = _walked_back((source, target), forward, backward, ends)
    listed = [one_bar(trace, bars, place) for place in places[:_LISTED]]
    return {"count": len(places), "bars": listed}


def _between(trace: Trace, *, near: Array, ran: Array) -> Array:
    """The edges of which both ends ran in the time between the two tasks, or did not run."""
    pred, succ = (
        np.isin(trace.edges[end], near) | ~np.isin(trace.edges[end], ran)
        for end in ("pred", "succ")
    )
    kept: Array = pred & succ
    return kept


def _grouped(keys: Array, values: Array) -> _Edges:
    found: _Edges = defaultdict(list)
    for key, value in zip(keys.tolist(), values.tolist(), strict=True):
        found[key].append(value)
    return found


def _last_runs(bars: PageBars, task_of: Array, tasks: Array) -> dict[int, tuple[int, int]]:
    """Of each task that ran: the negative end and the place of the bar that ended last."""
    place = np.flatnonzero(np.isin(task_of, tasks) & (bars.lane >= 0))
    found: dict[int, tuple[int, int]] = {}
    of, end = task_of[place].tolist(), bars.end_ns[place].tolist()
    for task, ended, at in zip(of, end, place.tolist(), strict=True):
        found[task] = min((-ended, at), found.get(task, (-ended, at)))
    return found


def _walked_back(
    ways: tuple[int, int], forward: _Edges, backward: _Edges, ends: dict[int, tuple[int, int]]
) -> list[int]:
    """The places of the bars on the path; none where there is no way."""
    source, target = ways
    within, on = {source}, [source]
    while on:
        fresh = [task for task in forward.get(on.pop(), ()) if task not in within]
        within.update(fresh)
        on += fresh
    found: list[int] = []
    used: set[int] = set()
    task = target
    while task != source:
        used.add(task)
        found.append(ends[task][1])
        before = [one for one in _ran_before(task, backward, within, ends) if one[2] not in used]
        if not before:
            return []
        task = min(before)[2]
    return [ends[source][1], *found[::-1]]


def _ran_before(
    task: int, backward: _Edges, within: set[int], ends: dict[int, tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """Negative end, place and id of the predecessors that ran, through nodes that did not."""
    met, on, found = {task}, [task], []
    while on:
        for before in backward.get(on.pop(), ()):
            if before in met or before not in within:
                continue
            met.add(before)
            if before in ends:
                found.append((*ends[before], before))
            else:
                on.append(before)
    return found
