"""Runs that take longer in company, as they do when they share a memory: by how much, and a replay
that keeps to it.

Where `suspects` sees such a function, a line is fitted: the length of its runs over the mean number
of runs that go on meanwhile. A change of the company then changes their lengths by the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from lanescope.analyze.cores.suspects import Company, suspects
from lanescope.replay.readings.served import PS
from lanescope.replay.replica import Replayed, Replica, replay
from lanescope.trace.table import Array

_ROUNDS = 4
"""So often are lengths and company brought nearer to each other, each time by half."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Crowding:
    """How the lengths of a run's crowded functions depend on company."""

    lines: Mapping[int, tuple[float, float]]
    """Function to the length of a run in no company and what one more run adds, in ns."""
    names: tuple[str, ...]
    func: Array
    """By unit: its function."""
    company: Array
    """By unit: its company in the unchanged replay."""


def crowding_of(replica: Replica) -> Crowding | None:
    """The crowding of a run; None where no function takes longer in company."""
    found = suspects(replica.trace, replica.window).crowded
    if not found:
        return None
    tasks, rows = replica.trace.tasks, replica.units.rows
    start, end, func = (tasks[name][rows] for name in ("start_ns", "end_ns", "func"))
    company, lines = _company(start, end), {}
    for one in found:
        mine = func == one.func
        more, alone = np.polyfit(company[mine], (end - start)[mine], 1)
        lines[one.func] = (float(alone), max(float(more), 0.0))
    units = replay(replica).units
    return Crowding(
        lines=lines,
        names=tuple(one.name for one in found),
        func=func,
        company=_company(units["start"] // PS, units["end"] // PS),
    )


def replay_crowded(changed: Replica, crowding: Crowding | None) -> Replayed:
    """Replay a changed run; crowded functions take as long as their new company makes them."""
    found = replay(changed)
    if crowding is None:
        return found
    stated_ps = changed.units.lengths_ps
    lengths_ps = stated_ps.astype(np.float64)
    for _ in range(_ROUNDS):
        now = _company(found.units["start"] // PS, found.units["end"] // PS)
        wanted = stated_ps * _longer(crowding, now)
        lengths_ps = (lengths_ps + wanted) / 2
        units = replace(changed.units, lengths_ps=lengths_ps.astype(np.int64))
        found = replay(replace(changed, units=units))
    return found


def _longer(crowding: Crowding, company: Array) -> Array:
    """By unit: how many times as long it takes in this company as in that of the unchanged run."""
    times = np.ones(len(company))
    for func, (alone, more) in crowding.lines.items():
        mine = crowding.func == func
        now, before = (alone + more * at[mine] for at in (company, crowding.company))
        times[mine] = np.maximum(now, 1) / np.maximum(before, 1)
    return times


def _company(start_ns: Array, end_ns: Array) -> Array:
    """By run: the mean number of runs that go on while it does; 0 for one without length."""
    company, took = np.zeros(len(start_ns)), end_ns > start_ns
    company[took] = Company(start_ns, end_ns).mean(start_ns[took], end_ns[took])
    return company
