"""Answers for a page that does not hold its trace whole: neighbours of a task, over some hops."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.trace import Trace
from lanescope.trace.table import Array
from lanescope.trace.trace_ids import source_ids
from lanescope.viewer.bars import PageBars

_MOST = 400
"""At most so many bars are listed; their whole number is told beside the list."""
_OUTLIERS = 3
"""So many of the longest and of the shortest bars are told."""
_THROUGH = 10_000
"""Where so many tasks were met, no further ones are followed."""
_HOPS = 20
"""Neighbours are at most so many hops away."""


def neighbours(trace: Trace, bars: PageBars, row: int, hops: int = 1) -> dict[str, Any]:
    """The bars of the tasks up to `hops` before and after the task of this row.

    Nodes of the graph that did not run are passed through. Of a bar `hop` is how far it is, and
    `via` the place in the list of the bar that led there, -1 for the task itself.
    """
    task, hops = int(trace.tasks["task"][row]), min(max(hops, 1), _HOPS)
    return {
        "before": _side(trace, bars, task, (trace.edges["succ"], trace.edges["pred"], hops)),
        "after": _side(trace, bars, task, (trace.edges["pred"], trace.edges["succ"], hops)),
    }


def _side(
    trace: Trace, bars: PageBars, task: int, walk: tuple[Array, Array, int]
) -> dict[str, Any]:
    """The bars on one side; `walk` is from where edges lead, whereto, and how many hops."""
    task_of = trace.tasks["task"][bars.row]
    seen, first, listed, count, fan = {task}, {task: -1}, [], 0, 0
    wave: list[int] = [task]
    for hop in range(1, walk[2] + 1):
        via, places = _hop(wave, seen, walk[:2], (task_of, bars.lane))
        fan = len(via) if hop == 1 else fan
        for place in places.tolist():
            here = int(task_of[place])
            first.setdefault(here, count)
            if count < _MOST:
                more = {"hop": hop, "via": first[via[here]]}
                listed.append(one_bar(trace, bars, place) | more)
            count += 1
        wave = list(via)
        if not wave:
            break
    return {"count": count, "fan": fan, "cut": len(seen) >= _THROUGH, "bars": listed}


def _hop(
    wave: list[int], seen: set[int], edges: tuple[Array, Array], drawn: tuple[Array, Array]
) -> tuple[dict[int, int], Array]:
    """The next tasks that ran, each with the task of the wave that led there, and their bars.

    Where several lead there by as many edges, the one with the least number counts.
    """
    here, there = edges
    task_of, lane = drawn
    via: dict[int, int] = {}
    bars = np.zeros(0, np.int64)
    on = {task: task for task in wave}
    while on and len(seen) < _THROUGH:
        used = np.isin(here, np.array(list(on), np.int64))
        reached: dict[int, int] = {}
        for one, other in zip(here[used].tolist(), there[used].tolist(), strict=True):
            if other not in seen:
                reached[other] = min(on[one], reached.get(other, on[one]))
        seen.update(reached)
        ran = np.flatnonzero(np.isin(task_of, np.array(list(reached), np.int64)) & (lane >= 0))
        bars = np.append(bars, ran)
        runs = set(task_of[ran].tolist())
        via |= {task: origin for task, origin in reached.items() if task in runs}
        on = {task: origin for task, origin in reached.items() if task not in runs}
    return via, np.sort(bars)


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
        "task": str(int(source_ids(trace, trace.tasks["task"][[row]])[0])),
    }


def outliers(trace: Trace, bars: PageBars, name: int) -> dict[str, Any]:
    """The longest and the shortest bars of a function; the earliest first among equal ones."""
    place = np.flatnonzero((bars.name == name) & (bars.lane >= 0))
    length = bars.end_ns[place] - bars.start_ns[place]
    found = {}
    for word, sign in (("longest", -1), ("shortest", 1)):
        rank = sign * length
        if len(rank) > _OUTLIERS:
            limit = np.partition(rank, _OUTLIERS - 1)[_OUTLIERS - 1]
            near = np.flatnonzero(rank <= limit)
        else:
            near = np.arange(len(rank))
        order = np.lexsort((bars.lane[place[near]], bars.start_ns[place[near]], rank[near]))
        chosen = place[near[order[:_OUTLIERS]]]
        found[word] = [one_bar(trace, bars, k) for k in chosen.tolist()]
    return found
