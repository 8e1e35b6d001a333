"""What the threads of the host did at every moment: the innermost row of a thread counts.

Annotations are left out: they say where in the program a thread is, not what it does. A thread
waits in a row of the category `wait`, in a call whose name says that it synchronises, and in a call
that the table `waits` names; a query never waits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.native.nesting import Nesting, nest
from lanescope.trace.lanes import controller_names
from lanescope.trace.numbering import different, find
from lanescope.trace.schema import MISSING
from lanescope.trace.table import Array
from lanescope.trace.trace import Trace

HOST = "host"
_ANNOTATION, _WAIT = "annotation", "wait"
_SYNCHRONISES, _QUERY = "synchronize", "query"


@dataclass(frozen=True, slots=True)
class HostLane:
    """A thread of the host that did something."""

    number: int
    """Its number in the trace."""
    name: str
    rows: slice
    """Its rows in `HostTime`."""
    pieces: slice
    """Its pieces in `HostTime.nesting`."""
    start_ns: int
    """Start of its first row."""


@dataclass(frozen=True, slots=True, eq=False)
class HostTime:
    """Rows of host threads, sorted by thread, then start, then the longest first."""

    row: Array
    """Row in the trace's phases."""
    name: Array
    """Code of the row's name."""
    start: Array
    end: Array
    waiting: Array
    """Mask of the rows in which the thread waits for a device."""
    nesting: Nesting
    threads: tuple[HostLane, ...]

    def thread(self, number: int) -> HostLane | None:
        """The thread of this number; None where it has no row."""
        return next((one for one in self.threads if one.number == number), None)


def host_time(trace: Trace) -> HostTime:
    """Collect what the host's threads did."""
    phases = trace.phases
    mine = phases["lane"] == trace.code(HOST)
    mine &= (phases["start_ns"] != MISSING) & (phases["end_ns"] >= phases["start_ns"])
    mine &= phases["category"] != trace.code(_ANNOTATION)
    rows = np.flatnonzero(mine)
    thread, start, end = (phases[name][rows] for name in ("controller", "start_ns", "end_ns"))
    order = _order(thread, start, end)
    if order is not None:
        rows, thread, start, end = rows[order], thread[order], start[order], end[order]
    name = phases["kind"][rows]
    nesting = nest(thread, start, end)
    return HostTime(
        row=rows,
        name=name,
        start=start,
        end=end,
        waiting=_waiting(trace, rows, name),
        nesting=nesting,
        threads=_threads(trace, thread, start, nesting),
    )


def _order(thread: Array, start: Array, end: Array) -> Array | None:
    """The order that sorts the rows; None where they are sorted."""
    same = thread[1:] == thread[:-1]
    later = (start[1:] > start[:-1]) | ((start[1:] == start[:-1]) & (end[1:] <= end[:-1]))
    if ((thread[1:] > thread[:-1]) | (same & later)).all():
        return None
    return np.lexsort((-end, start, thread))


def _waiting(trace: Trace, rows: Array, name: Array) -> Array:
    """Mask of the rows in which a thread waits."""
    phases, waits = trace.phases, trace.waits
    codes = different(name)
    lower = [trace.word(code).lower() for code in codes.tolist()]
    asks = codes[[_QUERY in word for word in lower]]
    waiting = np.isin(name, codes[[_SYNCHRONISES in word for word in lower]])
    waiting |= phases["category"][rows] == trace.code(_WAIT)
    by_host = waits["kind"] != trace.code("stream waits event")
    launches = waits["launch"][by_host & (waits["launch"] != MISSING)]
    if len(launches):
        calls = np.flatnonzero(phases["launch"][rows] != MISSING)
        at = find(phases["launch"][rows[calls]], launches)
        waiting[calls[at[at >= 0]]] = True
    mask: Array = waiting & ~np.isin(name, asks)
    return mask


def _threads(trace: Trace, thread: Array, start: Array, nesting: Nesting) -> tuple[HostLane, ...]:
    names = controller_names(trace)
    first = np.flatnonzero(np.append(True, thread[1:] != thread[:-1])[: len(thread)]).tolist()
    bounds = [*first, len(thread)]
    pieces = np.searchsorted(nesting.piece_row, bounds).tolist()
    lane = trace.code(HOST)
    return tuple(
        HostLane(
            number=(number := int(thread[begin])),
            name=names.get((lane, number)) or f"host thread {number}",
            rows=slice(begin, bounds[k + 1]),
            pieces=slice(pieces[k], pieces[k + 1]),
            start_ns=int(start[begin]),
        )
        for k, begin in enumerate(first)
    )
