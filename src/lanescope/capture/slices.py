"""Slices, the compact records of cores with a clock of their own, made into tasks and marks.

A slice holds bits of its core's counter; the clock block in front of each buffer lays the counter
over the device's clock. `ls_slice` in kinds.h draws the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lanescope.capture.flows import flow_edges, flow_ends
from lanescope.capture.gather import Gathered
from lanescope.capture.knots import Anchors, bend_ns, device_ns, nominal_rate, step_ns
from lanescope.capture.tasks import Side
from lanescope.device.head import Array, Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, layout
from lanescope.trace.join import TaskKey
from lanescope.trace.schema import MISSING
from lanescope.trace.task_rows import TaskRows
from lanescope.trace.trace import Words

Columns = dict[str, Array]

MARK_NAMES, PIPE_NAMES = 1 << 16, 2 << 16
"""Where the names of marks and pipes begin in the region's table of names; functions begin at 0."""


@dataclass(frozen=True, slots=True, eq=False)
class LaneSlices:
    """One lane's slices in recorded order, without the clock blocks."""

    lane: int
    slices: Array
    clocks: Array
    """Of ls_slice_clock, one per buffer."""
    buffer: Array
    """Which buffer each slice was in."""
    number: Array
    """The lane's own count of each slice, those it had to drop counted, too."""


@dataclass(frozen=True, slots=True, eq=False)
class SliceRecords:
    """What the slices of a capture say."""

    gathered: Gathered
    """As it came, with the clock blocks taken out."""
    head: Head
    """With the unit that each core was on as its cluster."""
    tasks: Side
    marks: Columns
    flows: Columns
    """Edges between the tasks that sent and those that received."""
    facts: dict[str, Any]
    """For the trace's meta: how the clocks were laid over each other."""


def read_slices(gathered: Gathered, head: Head, words: Words) -> SliceRecords | None:
    """None where the region has no slices."""
    lanes = [lane_slices(gathered, lane) for lane in slice_lanes(head)]
    if not lanes:
        return None
    anchors = Anchors.of([lane.clocks for lane in lanes])
    rate = nominal_rate(anchors)
    tasks, marks, ends = [], [], []
    for lane in lanes:
        times = timed(lane, rate)
        tasks.append(_tasks(times, lane, head))
        marks.append(_marks(times, lane, head, words))
        ends.append(flow_ends(lane.slices, times.end))
    step = step_ns(anchors)
    error = 2 * step + bend_ns([lane.clocks for lane in lanes], step)
    return SliceRecords(
        gathered=_without_clocks(gathered, lanes),
        head=replace(head, cores=_placed(head, lanes)),
        tasks=_below(tasks),
        marks={name: np.concatenate([part[name] for part in marks]) for name in marks[0]},
        flows=flow_edges(ends, words, error_ns=error),
        facts={
            "unit_clock_hz": round(1e9 / rate),
            "clock_step_ns": step,
            "clock_error_ns": error,
        },
    )


def are_beside(head: Head) -> bool:
    """The slices are marks only: what the cores ran is in records of its own."""
    return bool(np.any(head.lanes["kind"] == KINDS.index("core_task")))


def in_their_tasks(marks: Columns, rows: TaskRows, room_ns: int) -> Columns:
    """Marks beside core records, each with its task's token; where two clocks make one stick out of
    its task by no more than `room_ns`, it is cut there."""
    order = np.argsort(rows.task, kind="stable")
    if not len(order) or not len(marks["task"]):
        return marks
    at = order[np.searchsorted(rows.task, marks["task"], sorter=order).clip(max=len(order) - 1)]
    start, end = rows.times["start"][at], rows.times["end"][at]
    same_run = (rows.task[at] == marks["task"]) & (rows.key.core[at] == marks["core"])
    known = same_run & (start != MISSING)
    late, early = marks["end_cycles"] - end, start - marks["start_cycles"]
    return {
        **marks,
        "token": np.where(known, rows.key.token[at], MISSING),
        "start_cycles": np.where(
            known & (early > 0) & (early <= room_ns),
            np.minimum(start, marks["end_cycles"]),
            marks["start_cycles"],
        ),
        "end_cycles": np.where(
            known & (late > 0) & (late <= room_ns),
            np.maximum(end, marks["start_cycles"]),
            marks["end_cycles"],
        ),
    }


def _without_clocks(gathered: Gathered, lanes: list[LaneSlices]) -> Gathered:
    """Records and the buffers' counts as if there were no clock blocks."""
    records, buffers = list(gathered.records), gathered.buffers.copy()
    for lane in lanes:
        records[lane.lane] = lane.slices
    room = np.uint32(constant("LS_SLICE_CLOCK_RECORDS"))
    own = np.isin(buffers["lane"], [lane.lane for lane in lanes])
    buffers["count"][own] -= np.minimum(buffers["count"][own], room)
    return replace(gathered, records=tuple(records), buffers=buffers)


def slice_lanes(head: Head) -> list[int]:
    found: list[int] = np.flatnonzero(head.lanes["kind"] == KINDS.index("slice")).tolist()
    return found


def lane_slices(gathered: Gathered, lane: int) -> LaneSlices:
    """Take the clock blocks out of a lane's records."""
    room = constant("LS_SLICE_CLOCK_RECORDS")
    first, last = np.searchsorted(gathered.buffers["lane"], [lane, lane + 1])
    buffers = gathered.buffers[first:last]
    records = gathered.records[lane]
    counts = buffers["count"].astype(np.int64)
    begins = np.cumsum(counts) - counts
    whole = counts >= room  # a buffer without its clock says nothing
    blocks = (begins[whole, None] + np.arange(room)).ravel()
    clocks = np.ascontiguousarray(records[blocks]).view(layout("ls_slice_clock"))
    of_buffer = np.repeat(np.where(whole, np.cumsum(whole) - 1, -1), counts)
    of_buffer[blocks] = -1
    kept = of_buffer >= 0
    before = (buffers["first"] + buffers["dropped"]).astype(np.int64)[whole]
    inside = np.arange(len(records)) - np.repeat(begins + room, counts)
    buffer = of_buffer[kept]
    return LaneSlices(lane, records[kept], clocks, buffer, before[buffer] + inside[kept])


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """Slices on the device's clock. The start of a flow's end means nothing."""

    start: Array
    end: Array
    is_task: Array
    is_mark: Array
    id: Array


END_BITS = 47
"""Bits of the counter that a slice's end has."""


def slice_cycles(lane: LaneSlices) -> tuple[Array, Array]:
    """End and duration of each slice as whole counter values.

    A buffer's first end is the one nearest to the moment at which it was opened; from then on ends
    never go back.
    """
    what = lane.slices["what"].astype(np.int64)
    end = lane.slices["end"].astype(np.int64) | (what >> 16 & 0x7FFF) << 32
    whole, half = 1 << END_BITS, 1 << (END_BITS - 1)
    steps = np.empty_like(end)
    steps[1:] = (end[1:] - end[:-1]) % whole
    first = np.flatnonzero(np.diff(lane.buffer, prepend=-1))
    opened = lane.clocks["open_cycles"].astype(np.int64)[lane.buffer[first]]
    base = opened + ((end[first] - opened + half) % whole - half)
    steps[first] = 0
    passed = np.cumsum(steps)
    which = np.cumsum(np.isin(np.arange(len(end)), first)) - 1
    ends = base[which] + passed - passed[first][which] if len(end) else end
    is_long = what & constant("LS_SLICE_LONG") != 0
    return ends, lane.slices["duration"].astype(np.int64) << (16 * is_long).astype(np.int64)


def timed(lane: LaneSlices, rate: float) -> Timed:
    """Start and end of each slice on the device's clock."""
    what = lane.slices["what"]
    end, duration = slice_cycles(lane)
    both = device_ns(np.stack([end - duration, end]), lane.clocks, lane.buffer, rate=rate)
    marked = (what & np.uint32(constant("LS_SLICE_MARK"))) != 0
    number = (what & np.uint32(constant("LS_SLICE_ID"))).astype(np.int32)
    return Timed(
        start=both[0],
        end=both[1],
        is_task=~marked,
        is_mark=marked & (number < constant("LS_SLICE_SEND")),
        id=number,
    )


def _tasks(timed: Timed, lane: LaneSlices, head: Head) -> Side:
    """The tasks as the core records they would have been."""
    chosen = timed.is_task
    rows = np.zeros(int(chosen.sum()), layout("ls_core_task"))
    func = timed.id[chosen].astype(np.uint64)
    shift = np.uint64(int(head.header["func_shift"]))
    rows["start"], rows["end"] = timed.start[chosen], timed.end[chosen]
    rows["task"] = func << shift | lane.slices["task"][chosen].astype(np.uint64)
    core = np.full(len(rows), _owner(head, lane), np.int64)
    return Side(rows, TaskKey(core, _token(lane, head)[chosen]))


def _owner(head: Head, lane: LaneSlices) -> int:
    return int(head.lanes["owner"][lane.lane])


def _token(lane: LaneSlices, head: Head) -> Array:
    """Numbers that no two slices of a core share, in recorded order within a lane."""
    token: Array = lane.number * int(head.header["pipe_count"]) + int(head.lanes["pipe"][lane.lane])
    return token


def _marks(timed: Timed, lane: LaneSlices, head: Head, words: Words) -> Columns:
    """The marks, each with the task of its lane that it lies in."""
    chosen = timed.is_mark
    start, end = timed.start[chosen], timed.end[chosen]
    around = np.flatnonzero(timed.is_task)
    after = np.searchsorted(around, np.flatnonzero(chosen)).clip(max=max(len(around) - 1, 0))
    pipe, core = int(head.lanes["pipe"][lane.lane]), _owner(head, lane)
    columns: Columns = {
        "core": np.full(len(start), core, np.int32),
        "pipe": np.full(len(start), words.code(slice_name(head, PIPE_NAMES + pipe, "pipe", pipe))),
        "name": _mark_names(timed.id[chosen], head, words),
        "mark": timed.id[chosen],
        "start_cycles": start,
        "end_cycles": end,
        "task": np.full(len(start), MISSING),
        "token": np.full(len(start), MISSING),
    }
    if are_beside(head):
        columns["task"] = lane.slices["task"][chosen].astype(np.int64)
    elif len(around):
        index = around[after]  # the next task that the lane recorded
        inside = (timed.start[index] <= start) & (end <= timed.end[index])
        task = lane.slices["task"][index].astype(np.int64)
        columns["task"] = np.where(inside, task, MISSING)
        columns["token"] = np.where(inside, _token(lane, head)[index], MISSING)
    return columns


def _mark_names(ids: Array, head: Head, words: Words) -> Array:
    known, place = np.unique(ids, return_inverse=True)
    names = [slice_name(head, MARK_NAMES + number, "mark", number) for number in known.tolist()]
    codes: Array = np.array(words.codes(names), np.int32)
    return codes[place] if len(ids) else np.empty(0, np.int32)


def slice_name(head: Head, number: int, what: str, own: int) -> str:
    return head.functions.get(number, f"{what}_{own}")


def _below(parts: list[Side]) -> Side:
    return Side(
        np.concatenate([part.rows for part in parts]),
        TaskKey.below_each_other([part.key for part in parts]),
    )


def _placed(head: Head, lanes: list[LaneSlices]) -> tuple[Core, ...]:
    """The core table with the unit that each core was on last."""
    cores = list(head.cores)
    for lane in lanes:
        if len(lane.clocks):
            owner = _owner(head, lane)
            cores[owner] = replace(cores[owner], cluster=int(lane.clocks["unit"][-1]))
    return tuple(cores)
