"""Levels over time as lanes: ready-queue depths and counters with times, thinned for drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.table import Array

_MOST_POINTS = 8192
_MOST_LANES = 64
_MOST_SORTED = 4_000_000
_CHUNK = 1 << 20
_STEPS = 1_000_000
"""Values that are not whole are sent in this many steps of the largest one."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A level that keeps each value until the next one; `bin_ns` is 0 where no point was left
    out, otherwise each point is the largest value of a bin of that length."""

    name: str
    time_ns: Array
    value: Array
    scale: float
    bin_ns: int


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels that are shown, and how many more there are."""

    shown: tuple[Level, ...]
    left_out: int


def levels_of(trace: Trace) -> Levels:
    """The queues first, then the counters by name and core, up to a number that can be read."""
    found = [*_queues(trace), *(_thin(*level) for level in _counters(trace))]
    return Levels(tuple(found[:_MOST_LANES]), max(len(found) - _MOST_LANES, 0))


def _queues(trace: Trace) -> Iterator[Level]:
    """Samples are sorted where there are not too many."""
    phases = trace.phases
    many = 2 * len(phases) > _MOST_SORTED
    for number, name in enumerate(trace.meta.queues[:3]):
        level = (_binned_queue if many else _sorted_queue)(phases, number, f"ready {name}")
        phases.forget(f"queue{number}_start", f"queue{number}_end")
        if level is not None:
            yield level


def _sorted_queue(phases: Table, number: int, name: str) -> Level | None:
    columns = (f"queue{number}_start", f"queue{number}_end")
    time = np.column_stack((phases["start_ns"], phases["end_ns"])).ravel()
    depth = np.column_stack([phases[column] for column in columns]).ravel()
    known = (depth != MISSING32) & (time != MISSING)
    time, depth = time[known], depth[known]
    if not depth.any():
        return None
    order = np.argsort(time, kind="stable")
    return _thin(name, time[order], depth[order].astype(np.float64))


def _binned_queue(phases: Table, number: int, name: str) -> Level | None:
    """The largest sample of every bin that has one; those of one bin are mostly neighbours."""
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
    return Level(name, first + used * bin_ns, most[used], 1.0, bin_ns)


def _raise_bins(most: Array, place: Array, depth: Array) -> None:
    """Bins that have a larger value now get it."""
    if len(place):
        begins = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
        largest = np.maximum.reduceat(depth, begins).astype(np.int64)
        np.maximum.at(most, np.clip(place[begins], 0, len(most) - 1), largest)


def _counters(trace: Trace) -> Iterator[tuple[str, Array, Array]]:
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


def _thin(name: str, time: Array, value: Array) -> Level:
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
    return Level(name, time, np.round(value / scale).astype(np.int64), scale, bin_ns)
