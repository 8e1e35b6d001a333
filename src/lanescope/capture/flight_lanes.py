"""Each lane's last records and open work, taken from its newest buffers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lanescope.capture.gather import Gathered, Gatherer
from lanescope.capture.knots import Anchors, device_ns, nominal_rate
from lanescope.capture.phases import phase_names
from lanescope.capture.slices import (
    MARK_NAMES,
    PIPE_NAMES,
    LaneSlices,
    lane_slices,
    slice_cycles,
    slice_lanes,
    slice_name,
    timed,
)
from lanescope.device.head import KINDS, Array, Head
from lanescope.device.layouts import constant

_NO_TASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Finished:
    """A task, mark or phase that has ended."""

    what: str
    """`task`, `mark` or `phase`."""
    name: str
    task: int | None
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Doing:
    """A task or mark that has begun and not ended."""

    name: str
    task: int | None
    begun_ns: int


@dataclass(frozen=True, slots=True)
class LaneEnd:
    """Where a lane was."""

    name: str
    """`core 3`, `core 3 load`, `scheduler 0`."""
    unit: int | None
    """The physical core."""
    held_ns: int | None
    """Since when a kernel has the lane; None: none has it, or that is not known."""
    task: Doing | None
    mark: Doing | None
    waits_ns: int | None
    """Since when it waits for a free buffer."""
    last: tuple[Finished, ...]
    """The newest first."""
    recorded: int
    dropped: int


@dataclass(frozen=True, slots=True)
class _Open:
    unit: int | None = None
    held_ns: int | None = None
    task: Doing | None = None
    mark: Doing | None = None


_LONG_STEP = 1 << 16
"""Cycles to within which the begin of a slice of more than 2^32 cycles is known."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ended:
    """Marks that have ended: each began less than `within` cycles before `begun`."""

    number: Array
    begun: Array
    within: Array

    @staticmethod
    def together(parts: list[_Ended]) -> _Ended:
        return _Ended(
            np.concatenate([part.number for part in parts]),
            np.concatenate([part.begun for part in parts]),
            np.concatenate([part.within for part in parts]),
        )

    def holds(self, number: int, begun: int) -> bool:
        before = self.begun - begun
        return bool(np.any((self.number == number) & (before >= 0) & (before < self.within)))


def lane_ends(newest: Gatherer, head: Head, now: Array, *, last: int) -> tuple[LaneEnd, ...]:
    """One per lane of tasks, slices and phases; `now` has an ls_slice_now per lane."""
    gathered = newest.gather()
    slices = {lane: lane_slices(gathered, lane) for lane in slice_lanes(head)}
    ended = _ended_marks(list(slices.values()), head)
    rate = nominal_rate(Anchors.of([each.clocks for each in slices.values()])) if slices else 0.0
    found = []
    for lane in range(len(head.lanes)):
        kind = KINDS[head.lanes["kind"][lane]]
        if kind == "slice":
            records = _slices(slices[lane], head, rate, last)
            own = ended[int(head.lanes["owner"][lane])]
            opened = _open_work(slices[lane], head, now[lane], ended=own, rate=rate)
        elif kind in _RECORDS:
            records, opened = _RECORDS[kind](gathered, lane, head)[-last:], _Open()
        else:
            continue
        found.append(_lane_end(lane, head, records, opened))
    return tuple(found)


def _lane_end(lane: int, head: Head, records: list[Finished], opened: _Open) -> LaneEnd:
    row = head.lanes[lane]
    waits = int(row["wait_start"]) if not int(row["wait_end"]) else 0
    return LaneEnd(
        name=_lane_name(lane, head),
        unit=opened.unit,
        held_ns=opened.held_ns,
        task=opened.task,
        mark=opened.mark,
        waits_ns=_ns(waits, head) if waits else None,
        last=tuple(reversed(records)),
        recorded=int(row["recorded"]),
        dropped=int(row["dropped"]),
    )


def _lane_name(lane: int, head: Head) -> str:
    if KINDS[head.lanes["kind"][lane]] != "slice" or int(head.header["pipe_count"]) == 1:
        return head.lane_name(lane)
    pipe = int(head.lanes["pipe"][lane])
    return f"core {head.lanes['owner'][lane]} {slice_name(head, PIPE_NAMES + pipe, 'pipe', pipe)}"


def _slices(lane: LaneSlices, head: Head, rate: float, last: int) -> list[Finished]:
    times = timed(lane, rate)
    rows = np.flatnonzero(times.is_task | times.is_mark)[-last:]
    return [
        Finished(
            what="task" if times.is_task[row] else "mark",
            name=_name(head, int(times.id[row]), mark=bool(times.is_mark[row])),
            task=_task(int(lane.slices["task"][row])),
            start_ns=int(times.start[row]),
            end_ns=int(times.end[row]),
        )
        for row in rows.tolist()
    ]


def _name(head: Head, number: int, *, mark: bool) -> str:
    return (
        slice_name(head, MARK_NAMES + number, "mark", number)
        if mark
        else slice_name(head, number, "func", number)
    )


def _task(number: int) -> int | None:
    return None if number == constant("LS_SLICE_NO_TASK") else number


def _open_work(lane: LaneSlices, head: Head, now: Array, *, ended: _Ended, rate: float) -> _Open:
    """What its kernel began and has not ended; nothing where no kernel has the lane."""
    held = int(now["held_cycles"])
    if not held:
        return _Open(unit=int(lane.clocks["unit"][-1]) if len(lane.clocks) else None)
    own = lane.clocks["start_cycles"].astype(np.int64) == held
    end, _ = slice_cycles(lane)
    marked = (lane.slices["what"] & np.uint32(constant("LS_SLICE_MARK"))) != 0
    done = int(end[own[lane.buffer] & ~marked].max(initial=0))
    begun, number = int(now["task_begun"]), int(now["mark"]) & constant("LS_SLICE_ID")
    mark_begun = int(now["mark_begun"])
    task = mark = None
    if begun and begun >= done:
        task = Doing(
            _name(head, int(now["func"]), mark=False),
            _task(int(now["task"])),
            _moment(begun, lane, now, rate),
        )
    if mark_begun and not ended.holds(number, mark_begun):
        mark = Doing(
            _name(head, number, mark=True),
            _task(int(now["mark_task"])),
            _moment(mark_begun, lane, now, rate),
        )
    return _Open(int(now["unit"]), int(now["held_ns"]), task, mark)


def _ended_marks(lanes: list[LaneSlices], head: Head) -> dict[int, _Ended]:
    """By core: a mark may end on another lane than it began on."""
    parts: dict[int, list[_Ended]] = {}
    for lane in lanes:
        what = lane.slices["what"]
        rows = (what & np.uint32(constant("LS_SLICE_MARK"))) != 0
        end, duration = slice_cycles(lane)
        number = (what & np.uint32(constant("LS_SLICE_ID"))).astype(np.int64)
        long = (what & np.uint32(constant("LS_SLICE_LONG"))) != 0
        own = _Ended(number[rows], (end - duration)[rows], np.where(long, _LONG_STEP, 1)[rows])
        parts.setdefault(int(head.lanes["owner"][lane.lane]), []).append(own)
    return {core: _Ended.together(each) for core, each in parts.items()}


def _moment(cycles: int, lane: LaneSlices, now: Array, rate: float) -> int:
    """A value of the counter as ns of the device."""
    if not len(lane.clocks) or int(lane.clocks["start_cycles"][-1]) != int(now["held_cycles"]):
        return int(now["held_ns"]) + round((cycles - int(now["held_cycles"])) * rate)
    buffer = np.array([len(lane.clocks) - 1])
    return int(device_ns(np.array([[cycles]]), lane.clocks, buffer, rate=rate)[0, 0])


def _core_tasks(gathered: Gathered, lane: int, head: Head) -> list[Finished]:
    shift = int(head.header["func_shift"])
    found = []
    for row in gathered.records[lane][-_MOST:].tolist():
        word, func = int(row[2]), ""
        if shift:
            func = head.functions.get(word >> shift, f"func_{word >> shift}")
            word &= (1 << shift) - 1
        found.append(Finished("task", func, word, _ns(row[0], head), _ns(row[1], head)))
    return found


def _phases(gathered: Gathered, lane: int, head: Head) -> list[Finished]:
    records = gathered.records[lane][-_MOST:]
    names = phase_names(KINDS[head.lanes["kind"][lane]])
    return [
        Finished(
            "phase",
            names.get(int(row["kind"]), f"kind_{row['kind']}"),
            None if int(row["task"]) == _NO_TASK else int(row["task"]),
            _ns(int(row["start"]), head),
            _ns(int(row["end"]), head),
        )
        for row in records
    ]


_MOST = 10_000
"""More records of a lane than anybody reads."""
_RECORDS: dict[str, Callable[[Gathered, int, Head], list[Finished]]] = {
    "core_task": _core_tasks,
    "scheduler_phase": _phases,
    "orchestrator_phase": _phases,
}


def _ns(cycles: int, head: Head) -> int:
    return int(cycles) * 1_000_000_000 // int(head.header["clock_hz"])
