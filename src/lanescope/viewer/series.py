"""Series of the page: depths of ready queues and counters with times, thinned for drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.table import Array

_MOST_POINTS = 8192
_MOST_SERIES = 64
_MOST_SORTED = 4_000_000
_CHUNK = 1 << 20
_STEPS = 1_000_000
"""Values that are not whole are sent in this many steps of the largest one."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A value over time, sorted by time. It keeps each value until the next one."""

    name: str
    time_ns: Array
    value: Array
    """In steps of `scale`, whole numbers."""
    scale: float
    bin_ns: int
    """0 where no point was left out; else each point is the largest value of a bin this long."""


@dataclass(frozen=True, slots=True)
class ShownSeries:
    """The series that are shown."""

    shown: tuple[Series, ...]
    left_out: int
    """How many more the trace has."""


def series_of(trace: Trace) -> ShownSeries:
    """The queues first, then the counters by name and core; at most as many as can be read."""
    every = [*_queues(trace), *(_thin(*counter) for counter in _counters(trace))]
    return ShownSeries(tuple(every[:_MOST_SERIES]), max(len(every) - _MOST_SERIES, 0))


def _queues(trace: Trace) -> Iterator[Series]:
    """The depth of each ready queue, sampled where phases start and end.

    Samples are sorted where there are not too many, else binned.
    """
    phases = trace.phases
    many = 2 * len(phases) > _MOST_SORTED
    for number, name in enumerate(trace.meta.queues[:3]):
        depth = (_binned_queue if many else _sorted_queue)(phases, number, f"ready {name}")
        phases.forget(f"queue{number}_start", f"queue{number}_end")
        if depth is not None:
            yield depth


def _sorted_queue(phases: Table, number: int, name: str) -> Series | None:
    """From all samples in order of time; None where the queue was always empty."""
    columns = (f"queue{number}_start", f"queue{number}_end")
    time = np.column_stack((phases["start_ns"], phases["end_ns"])).ravel()
    depth = np.column_stack([phases[column] for column in columns]).ravel()
    known = (depth != MISSING32) & (time != MISSING)
    time, depth = time[known], depth[known]
    if not depth.any():
        return None
    order = np.argsort(time, kind="stable")
    return _thin(name, time[order], depth[order].astype(np.float64))


def _binned_queue(phases: Table, number: int, name: str) -> Series | None:
    """From the largest sample of every bin that has one; None where the queue was always empty."""
    first = int(phases["start_ns"].min(where=phases["start_ns"] != MISSING, initial=-MISSING - 1))
    bin_ns = max(-(-(int(phases["end_ns"].max()) - first + 1) // _MOST_POINTS), 1)
    most = np.full(_MOST_POINTS, MISSING)
    for side in ("start", "end"):
        depth, time = phases[f"queue{number}_{side}"], phases[f"{side}_ns"]
        for begin in range(0, len(time), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            known = (depth[part] != MISSING32) & (time[part] != MISSING)
            _raise_bins(most, (time[part][known] - first) // bin_ns, depth[part][known])
    used = np.flatnonzero(most != MISSING)
    if not most[used].any():
        return None
    return Series(name, first + used * bin_ns, most[used], 1.0, bin_ns)


def _raise_bins(most: Array, place: Array, depth: Array) -> None:
    """Raise the bins at these places to the depths; places of one bin are mostly neighbours."""
    if len(place):
        begins = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
        largest = np.maximum.reduceat(depth, begins).astype(np.int64)
        np.maximum.at(most, np.clip(place[begins], 0, len(most) - 1), largest)


def _counters(trace: Trace) -> Iterator[tuple[str, Array, Array]]:
    """Name, times and values of every counter with times, by name and core."""
    table = trace.counters
    timed = table.rows((table["time_ns"] != MISSING) & np.isfinite(table["value"]))
    pairs = np.column_stack((timed["name"], timed["core"]))
    used, group = np.unique(pairs, axis=0, return_inverse=True)
    for number, (word, core) in enumerate(used.tolist()):
        rows = np.flatnonzero(group.ravel() == number)
        rows = rows[np.argsort(timed["time_ns"][rows], kind="stable")]
        name = trace.word(word) or "counter"
        label = name if core == MISSING32 else f"{name} core {core}"
        yield label, timed["time_ns"][rows], timed["value"][rows]


def _thin(name: str, time: Array, value: Array) -> Series:
    """The series of these samples, without repeated values, binned where they are too many."""
    changed = np.append(True, value[1:] != value[:-1])
    time, value = time[changed], value[changed]
    bin_ns = 0
    if len(time) > _MOST_POINTS:
        bin_ns = -(-(int(time[-1]) - int(time[0]) + 1) // _MOST_POINTS)
        place = (time - time[0]) // bin_ns
        first = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
        time, value = time[0] + place[first] * bin_ns, np.maximum.reduceat(value, first)
    scale = 1.0
    if (value != np.floor(value)).any() or np.abs(value).max(initial=0) >= 2**53:
        scale = float(np.abs(value).max()) / _STEPS or 1.0
    return Series(name, time, np.round(value / scale).astype(np.int64), scale, bin_ns)
