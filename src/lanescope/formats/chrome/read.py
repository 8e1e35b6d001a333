"""Reads Chrome Trace Event JSON of any tool.

A (pid, tid) becomes a core named after its thread. Its outermost bars become tasks, bars
inside them marks, flows edges, counters counters. Times are read as exact decimals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lanescope import __version__
from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.chrome.events import ChromeBars, Events, pair_bars, read_events
from lanescope.formats.json_file import storable
from lanescope.formats.look import FileLook
from lanescope.trace import LedgerEntry, Meta, Source, Table, Trace, Words
from lanescope.trace.table import Array

_LONGEST_NAME = 4096


@dataclass(slots=True)
class _Lanes:
    """Lanes in display order: by process sort index, pid, thread sort index, tid."""

    name: list[str]
    process: list[str]
    number: Array
    """lane code of the events to lane number here"""


def recognises(look: FileLook) -> str | None:
    """The file is an array of objects, or an object with `traceEvents`."""
    if look.shape == "array":
        return "chrome" if look.start[1:].lstrip()[:1] in (b"{", b"]", b"") else None
    return "chrome" if look.json is not None and "traceEvents" in look.json else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace."""
    yield read_chrome(bundle.main.path, name=bundle.name)


def read_chrome(path: Path, *, name: str) -> Trace:
    """Read a Chrome trace file into a trace called `name`."""
    events = read_events(path)
    for text in events.names:
        if len(text) > _LONGEST_NAME:
            problem = f"an event's name has {len(text)} characters, at most {_LONGEST_NAME}"
            raise InputError(path, f"{problem} are taken")
    bars, unmatched = pair_bars(events)
    starts = [times for times in (bars.start, events.time[events.phase == "C"]) if len(times)]
    base = min((int(times.min()) for times in starts), default=0)
    builder = _Builder(path, events, bars, _lanes(events, bars), base)
    total = len(bars.start) + unmatched
    return Trace(
        meta=Meta(
            name=name,
            tool=f"lanescope {__version__}",
            origin="imported",
            sources=(Source(storable(path), "chrome", events.size),),
            level=1,
            flags=1,
            ledger=(
                LedgerEntry("all lanes", "slice", total, len(bars.start), unmatched=unmatched),
            ),
            notes=tuple(_notes(events, unmatched)),
        ),
        tasks=builder.tasks(),
        marks=builder.marks(),
        edges=builder.edges(),
        counters=builder.counters(),
        cores=builder.cores(),
        functions=builder.functions(),
        words=builder.words.freeze(),
    )


def _notes(events: Events, unmatched: int) -> list[str]:
    notes = []
    other = sorted(set(events.phase.tolist()) - set("XBEbesftCM"))
    if other:
        count = int(np.isin(events.phase, other).sum())
        notes.append(f"{count} events of other kinds were passed over: {', '.join(other)}.")
    if unmatched:
        notes.append(f"{unmatched} slice begins or ends have no partner and are not shown.")
    return notes


def _lanes(events: Events, bars: ChromeBars) -> _Lanes:
    """Number every (pid, tid) that has a bar."""
    process, thread, process_order, thread_order = _metadata(events)
    keys = []
    for code in np.unique(bars.lane).tolist():
        pid, tid = events.lanes[code]
        order = (process_order.get(pid, 0), _natural(pid), thread_order.get((pid, tid), 0))
        keys.append((*order, _natural(tid), code))
    keys.sort()
    number = np.full(len(events.lanes) + 1, -1, np.int64)
    names, processes = [], []
    for n, key in enumerate(keys):
        pid, tid = events.lanes[key[-1]]
        number[key[-1]] = n
        names.append(thread.get((pid, tid), f"{pid}/{tid}"))
        processes.append(process.get(pid, "lane"))
    return _Lanes(names, processes, number)


def _natural(value: Any) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (1 << 62, str(value))


def _metadata(
    events: Events,
) -> tuple[dict[Any, str], dict[Any, str], dict[Any, int], dict[Any, int]]:
    process: dict[Any, str] = {}
    thread: dict[Any, str] = {}
    process_order: dict[Any, int] = {}
    thread_order: dict[Any, int] = {}
    for row in np.flatnonzero(events.phase == "M").tolist():
        pid, tid = events.lanes[int(events.lane[row])]
        args = events.arguments(row)
        match events.names[int(events.name[row])], args:
            case "process_name", {"name": str(name)}:
                process[pid] = name[:_LONGEST_NAME]
            case "thread_name", {"name": str(name)}:
                thread[pid, tid] = name[:_LONGEST_NAME]
            case "process_sort_index", {"sort_index": int(order)}:
                process_order[pid] = order
            case "thread_sort_index", {"sort_index": int(order)}:
                thread_order[pid, tid] = order
    return process, thread, process_order, thread_order


@dataclass(slots=True)
class _Builder:
    """Makes the tables. Bars are sorted by lane, then start, then the longest first.

    `outer` marks the bars that lie in no other bar: these become tasks.
    """

    path: Path
    events: Events
    bars: ChromeBars
    lanes: _Lanes
    base: int
    words: Words = field(default_factory=Words)
    lane: Array = field(init=False)
    outer: Array = field(init=False)
    owner: Array = field(init=False)
    """per bar: the number of the outer bar it lies in, or itself"""

    def __post_init__(self) -> None:
        lane = self.lanes.number[self.bars.lane]
        order = np.lexsort((-self.bars.end, self.bars.start, lane))
        self.bars = self.bars.rows(order)
        self.lane = lane[order]
        self.outer = _outermost(self.lane, self.bars.start, self.bars.end)
        self.owner = np.cumsum(self.outer) - 1

    def tasks(self) -> Table:
        """One row per outermost bar."""
        at = np.flatnonzero(self.outer)
        count = len(at)
        return Table.build(
            "tasks",
            {
                "task": np.arange(count),
                "kind": np.full(count, self.words.code("run"), np.int32),
                "core": self.lane[at].astype(np.int32),
                "token": _count_in_lane(self.lane[at]),
                "func": self._func()[at],
                "flags": np.zeros(count, np.int32),
                "start_ns": self.bars.start[at] - self.base,
                "end_ns": self.bars.end[at] - self.base,
            },
        )

    def marks(self) -> Table:
        """One row per bar inside another; `task` is the outermost bar around it."""
        at = np.flatnonzero(~self.outer)
        names = self.words.codes(self.events.names)
        return Table.build(
            "marks",
            {
                "core": self.lane[at].astype(np.int32),
                "pipe": np.full(len(at), self.words.code("nested"), np.int32),
                "name": names[self.bars.name[at]] if len(at) else np.empty(0, np.int32),
                "task": self.owner[at],
                "token": _count_in_lane(self.lane[self.outer])[self.owner[at]],
                "start_ns": self.bars.start[at] - self.base,
                "end_ns": self.bars.end[at] - self.base,
            },
        )

    def functions(self) -> Table:
        """One row per different name of an outermost bar."""
        used = np.unique(self.bars.name[self.outer])
        names = [self.events.names[code] for code in used.tolist()]
        func = np.arange(len(used), dtype=np.int32)
        return Table.build("functions", {"func": func, "name": self.words.codes(names)})

    def cores(self) -> Table:
        """One row per lane; the kind is the name of its process."""
        return Table.build(
            "cores",
            {
                "core": np.arange(len(self.lanes.name), dtype=np.int32),
                "name": self.words.codes(self.lanes.name),
                "kind": self.words.codes(self.lanes.process),
            },
        )

    def edges(self) -> Table:
        """One edge per step of a flow, from task to task.

        A flow's events come in this order: its start, its steps by time, its end.
        """
        rows = np.flatnonzero(np.isin(self.events.phase, ["s", "t", "f"]))
        tasks = self._bound_tasks(rows)
        rows, tasks = rows[tasks >= 0], tasks[tasks >= 0]
        times = self.events.time[rows].tolist()
        flows: dict[Any, list[tuple[int, int, int]]] = {}
        for row, time, task in zip(rows.tolist(), times, tasks.tolist(), strict=True):
            rank = "stf".index(self.events.phase[row])
            key = (self.events.identity(row), int(self.events.name[row]))
            flows.setdefault(key, []).append((rank, time, task))
        pairs = []
        for steps in flows.values():
            ordered = [task for _, _, task in sorted(steps)]
            pairs += [(a, b) for a, b in pairwise(ordered) if a != b]
        ends = np.array(pairs, np.int64).reshape(-1, 2)
        kind = np.full(len(ends), self.words.code("flow"), np.int32)
        flags = np.zeros(len(ends), np.int32)
        columns: dict[str, Array] = {"pred": ends[:, 0], "succ": ends[:, 1]}
        return Table.build("edges", columns | {"kind": kind, "flags": flags})

    def _bound_tasks(self, rows: Array) -> Array:
        """The task that each flow event belongs to, -1 for none.

        That is the task around the event. A flow's end may belong to the next bar instead.
        """
        if not len(self.lane):
            return np.full(len(rows), -1)
        lane, time = self.lanes.number[self.events.lane[rows]], self.events.time[rows]
        moments = np.unique(np.concatenate([self.bars.start, time]))
        begins = self.lane * len(moments) + np.searchsorted(moments, self.bars.start)
        wanted = lane * len(moments) + np.searchsorted(moments, time)
        last = np.searchsorted(begins, wanted, side="right") - 1
        around = self.owner[np.maximum(last, 0)]
        end = self.bars.end[np.flatnonzero(self.outer)][around]
        inside = (last >= 0) & (self.lane[np.maximum(last, 0)] == lane) & (time <= end)
        coming = np.searchsorted(begins, wanted)
        following = np.minimum(coming, len(begins) - 1)
        has_next = (coming < len(begins)) & (self.lane[following] == lane)
        to_next = (self.events.phase[rows] == "f") & ~self.events.binds_enclosing(rows)
        task = np.where(inside, around, -1)
        return np.where(to_next, np.where(has_next, self.owner[following], -1), task)

    def counters(self) -> Table:
        """One row per numeric argument of a counter event."""
        names: list[str] = []
        values: list[float] = []
        times: list[int] = []
        for row in np.flatnonzero(self.events.phase == "C").tolist():
            name = self.events.names[int(self.events.name[row])]
            args = self.events.arguments(row)
            for key, value in args.items() if isinstance(args, dict) else ():
                if isinstance(value, int | float) and abs(value) < 1e300:
                    names.append(name if len(args) == 1 else f"{name}.{key}")
                    values.append(float(value))
                    times.append(int(self.events.time[row]) - self.base)
        return Table.build(
            "counters",
            {
                "name": self.words.codes(names),
                "value": np.array(values),
                "time_ns": np.array(times, np.int64),
            },
        )

    def _func(self) -> Array:
        used = np.unique(self.bars.name[self.outer])
        return np.searchsorted(used, self.bars.name).astype(np.int32)


def _outermost(lane: Array, start: Array, end: Array) -> Array:
    """True where a bar begins at or after the end of all earlier bars of its lane."""
    outer = np.ones(len(lane), bool)
    if not len(lane):
        return outer
    borders = np.flatnonzero(np.r_[True, lane[1:] != lane[:-1], True]).tolist()
    for first, last in pairwise(borders):
        reached = np.maximum.accumulate(end[first:last])
        outer[first + 1 : last] = start[first + 1 : last] >= reached[:-1]
    return outer


def _count_in_lane(lane: Array) -> Array:
    """Number the rows of each lane from 0; rows of a lane stand together."""
    if not len(lane):
        return np.empty(0, np.int64)
    first = np.flatnonzero(np.r_[True, lane[1:] != lane[:-1]])
    sizes = np.diff(np.r_[first, len(lane)])
    return np.arange(len(lane)) - np.repeat(first, sizes)
