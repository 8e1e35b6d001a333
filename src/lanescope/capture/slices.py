"""Makes tasks and marks of slices, the compact records of cores that have a clock of their own.

A slice holds some bits of its core's counter. The clock block at the front of each buffer says how
this counter runs against the device's clock. `ls_slice` in kinds.h draws the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lanescope.capture.flows import flow_edges, flow_ends
from lanescope.capture.gather import Gathered
from lanescope.capture.knots import (
    ClockReadings,
    bend_ns,
    device_ns,
    nominal_rate,
    step_ns,
    stretch_edges,
)
from lanescope.capture.openings import LanePlace, Openings, around, lane_openings, units
from lanescope.capture.pieces import Side
from lanescope.capture.slice_records import LaneRecords, lane_slices, slice_cycles
from lanescope.device.head import Array, Core, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, layout
from lanescope.trace.join import TaskKey
from lanescope.trace.schema import MISSING
from lanescope.trace.task_rows import TaskRows
from lanescope.trace.trace import Words

Columns = dict[str, Array]

MARK_NAMES, PIPE_NAMES = constant("LS_MARK_NAMES"), constant("LS_PIPE_NAMES")
"""First numbers of marks and of pipes in the region's table of names; functions begin at 0."""


class UnitClocks(NamedTuple):
    """How the cores' counters run against the device's clock, which all cores share."""

    unit_clock_hz: int
    """Mean rate of the cores' counters, in Hz."""
    clock_step_ns: int
    """Step of the device's clock."""
    clock_error_ns: int
    """How far apart the times of two cores may be."""


@dataclass(frozen=True, slots=True, eq=False)
class SliceRecords:
    """What the slices of a capture say."""

    gathered: Gathered
    """The buffers of the capture, which count no clock blocks."""
    head: Head
    """The region's head; the cluster of each core is the unit that it was on."""
    tasks: Side
    marks: Columns
    flows: Columns
    """Edges between the tasks that sent and those that received."""
    clocks: UnitClocks
    openings: Openings
    """When kernels took lanes, and for which launch."""


def read_slices(gathered: Gathered, head: Head, words: Words) -> SliceRecords | None:
    """Return what the slices say; None where the region has no lanes of slices."""
    lanes = [lane_slices(gathered, lane) for lane in slice_lanes(head)]
    if not lanes:
        return None
    readings = ClockReadings.of([lane.clocks for lane in lanes])
    rate = nominal_rate(readings)
    tasks, marks, ends, openings = [], [], [], []
    for lane in lanes:
        times = timed(lane, rate)
        tasks.append(_tasks(times, lane, head))
        marks.append(_marks(times, lane, head, words))
        ends.append(flow_ends(lane.slices, times.end))
        openings.append(_openings(times, lane, head))
    step = step_ns(readings)
    error = 2 * step + bend_ns([lane.clocks for lane in lanes], step)
    return SliceRecords(
        gathered=_without_clocks(gathered, lanes),
        head=replace(head, cores=_placed(head, lanes)),
        tasks=_below(tasks),
        marks={name: np.concatenate([part[name] for part in marks]) for name in marks[0]},
        flows=flow_edges(ends, words, error_ns=error),
        clocks=UnitClocks(round(1e9 / rate), step, error),
        openings=Openings.below_each_other(openings),
    )


def are_beside(head: Head) -> bool:
    """Say whether slices stand beside core records.

    Then slices are marks only, and the core records tell which tasks ran.
    """
    return bool(np.any(head.lanes["kind"] == KINDS.index("core_task")))


def in_their_tasks(marks: Columns, rows: TaskRows, room_ns: int) -> Columns:
    """Return the marks that stand beside core records, each with the token of its task.

    Marks and core records have different clocks, so a mark may stick out of its task. It is cut
    where that is no more than `room_ns`.
    """
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


def _without_clocks(gathered: Gathered, lanes: list[LaneRecords]) -> Gathered:
    """Return the counts of the buffers as if there were no clock blocks and no moments."""
    buffers = gathered.buffers.copy()
    for lane in lanes:
        first, last = np.searchsorted(buffers["lane"], [lane.lane, lane.lane + 1])
        buffers["count"][first:last] -= lane.apart
    return replace(gathered, buffers=buffers)


def slice_lanes(head: Head) -> list[int]:
    """Return the numbers of the lanes that hold slices."""
    lanes: list[int] = np.flatnonzero(head.lanes["kind"] == KINDS.index("slice")).tolist()
    return lanes


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """The slices of one lane, with times in ns of the device's clock.

    A slice that is the end of a flow has no start; its value here means nothing.
    """

    start: Array
    end: Array
    is_task: Array
    is_mark: Array
    id: Array
    """Number of the function or of the mark."""


def timed(lane: LaneRecords, rate: float) -> Timed:
    """Return each slice with its times on the device's clock; `rate` is in ns per cycle."""
    what = lane.slices["what"]
    end, duration = slice_cycles(lane)
    both = device_ns(np.stack([end - duration, end]), lane.clocks, lane.buffer, rate=rate)
    marked = (what & np.uint32(constant("LS_SLICE_MARK"))) != 0
    number = (what & np.uint32(constant("LS_SLICE_ID"))).astype(np.int32)
    return Timed(
        start=both[0],
        end=both[1],
        is_task=~marked,
        is_mark=marked & (number < constant("LS_SLICE_MOMENT")),
        id=number,
    )


def _tasks(timed: Timed, lane: LaneRecords, head: Head) -> Side:
    """Return the tasks as core records; `task` holds the function, too."""
    chosen = timed.is_task
    rows = np.zeros(int(chosen.sum()), layout("ls_core_task"))
    func = timed.id[chosen].astype(np.uint64)
    shift = np.uint64(int(head.header["func_shift"]))
    rows["start"], rows["end"] = timed.start[chosen], timed.end[chosen]
    rows["task"] = func << shift | lane.slices["task"][chosen].astype(np.uint64)
    core = np.full(len(rows), _owner(head, lane), np.int64)
    return Side(rows, TaskKey(core, _token(lane, head)[chosen]), np.arange(len(rows)))


def _openings(timed: Timed, lane: LaneRecords, head: Head) -> Openings:
    """Return the openings of a lane."""
    pipe, pipes = int(head.lanes["pipe"][lane.lane]), int(head.header["pipe_count"])
    place = LanePlace(_owner(head, lane), pipe, pipes)
    own = lane_openings(place, lane.clocks, lane.buffer, lane.number)
    begin = np.searchsorted(lane.buffer, stretch_edges(lane.clocks)[:-1])
    start = np.where(timed.is_task | timed.is_mark, timed.start, timed.end)
    return around(own, begin, start, timed.end)


def _owner(head: Head, lane: LaneRecords) -> int:
    return int(head.lanes["owner"][lane.lane])


def _token(lane: LaneRecords, head: Head) -> Array:
    """Return a number for each slice that no other slice of its core has.

    Within a lane the numbers are in recorded order.
    """
    token: Array = lane.number * int(head.header["pipe_count"]) + int(head.lanes["pipe"][lane.lane])
    return token


def _marks(timed: Timed, lane: LaneRecords, head: Head, words: Words) -> Columns:
    """Return the marks, each with the task of its lane in which it lies."""
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
        index = around[after]  # the task that the lane recorded next after the mark
        inside = (timed.start[index] <= start) & (end <= timed.end[index])
        task = lane.slices["task"][index].astype(np.int64)
        columns["task"] = np.where(inside, task, MISSING)
        columns["token"] = np.where(inside, _token(lane, head)[index], MISSING)
    return columns


def _mark_names(ids: Array, head: Head, words: Words) -> Array:
    known, place = np.unique(ids, return_inverse=True)
    names = [slice_name(head, MARK_NAMES + number, "mark", number) for number in known.tolist()]
    codes: Array = np.array(words.codes(names), np.int32)
    return codes[place]


def slice_name(head: Head, number: int, what: str, own: int) -> str:
    """Return the name of `number` in the table of names, or such as `pipe_3` without one."""
    return head.functions.get(number, f"{what}_{own}")


def _below(parts: list[Side]) -> Side:
    """Return the rows of all parts, one part after another."""
    rows = np.concatenate([part.rows for part in parts])
    key = TaskKey.below_each_other([part.key for part in parts])
    return Side(rows, key, np.arange(len(rows)))


def _placed(head: Head, lanes: list[LaneRecords]) -> tuple[Core, ...]:
    """Return the core table; the cluster of a core is the unit that it was on last."""
    cores = list(head.cores)
    for lane in lanes:
        if len(lane.clocks):
            owner = _owner(head, lane)
            cores[owner] = replace(cores[owner], cluster=int(units(lane.clocks[-1:])[0]))
    return tuple(cores)
