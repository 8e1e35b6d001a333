"""What a lane of slices has begun and not ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.capture.knots import device_ns
from lanescope.capture.slice_records import LaneRecords, slice_cycles
from lanescope.capture.slices import MARK_NAMES, slice_name
from lanescope.device.head import Array, Head
from lanescope.device.layouts import constant
from lanescope.results import Result


@dataclass(frozen=True, slots=True)
class Doing(Result):
    """A task or mark that has begun and not ended."""

    name: str
    task: int | None
    """Number of the task that it is or belongs to; None where there is none."""
    begun_ns: int
    """When it began, in ns of the device's clock."""


@dataclass(frozen=True, slots=True)
class OpenWork:
    """What a lane is doing: the fields of LaneEnd that its records do not tell."""

    unit: int | None = None
    held_ns: int | None = None
    task: Doing | None = None
    mark: Doing | None = None


_LONG_STEP = 1 << 16
"""How exactly the begin of a slice of more than 2^32 cycles is known, in cycles."""


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """Marks that have ended. Each began less than `within` cycles before `begun`."""

    number: Array
    begun: Array
    """Value of the core's counter, in cycles."""
    within: Array

    @staticmethod
    def together(parts: list[Ended]) -> Ended:
        """Return the marks of all parts."""
        return Ended(
            np.concatenate([part.number for part in parts]),
            np.concatenate([part.begun for part in parts]),
            np.concatenate([part.within for part in parts]),
        )

    def holds(self, number: int, begun: int) -> bool:
        """Say whether the mark of this number that began at this counter value has ended."""
        before = self.begun - begun
        return bool(np.any((self.number == number) & (before >= 0) & (before < self.within)))


def task_name(head: Head, number: int) -> str:
    """Return the name of a function, or `func_3` where it has none."""
    return slice_name(head, number, "func", number)


def mark_name(head: Head, number: int) -> str:
    """Return the name of a mark, or `mark_3` where it has none."""
    return slice_name(head, MARK_NAMES + number, "mark", number)


def task_number(number: int) -> int | None:
    """Return the number of a task; None for the number that a slice without a task has."""
    return None if number == constant("LS_SLICE_NO_TASK") else number


def open_work(lane: LaneRecords, head: Head, now: Array, *, ended: Ended, rate: float) -> OpenWork:
    """Return what the lane's kernel has begun and not ended; nothing where no kernel has the lane.

    `now` is the lane's ls_slice_now, and `ended` has the marks of its core that have ended. `rate`
    is in ns per cycle.
    """
    held = int(now["held_cycles"])
    if not held:
        return OpenWork(unit=int(lane.clocks["unit"][-1]) if len(lane.clocks) else None)
    own = lane.clocks["start_cycles"].astype(np.int64) == held
    end, _ = slice_cycles(lane)
    marked = (lane.slices["what"] & np.uint32(constant("LS_SLICE_MARK"))) != 0
    done = int(end[own[lane.buffer] & ~marked].max(initial=0))
    begun, number = int(now["task_begun"]), int(now["mark"]) & constant("LS_SLICE_ID")
    mark_begun = int(now["mark_begun"])
    task = mark = None
    if begun and begun >= done:
        task = Doing(
            task_name(head, int(now["func"])),
            task_number(int(now["task"])),
            _moment(begun, lane, now, rate),
        )
    if mark_begun >= _known_since(lane, own) and not ended.holds(number, mark_begun):
        mark = Doing(
            mark_name(head, number),
            task_number(int(now["mark_task"])),
            _moment(mark_begun, lane, now, rate),
        )
    return OpenWork(int(now["unit"]), int(now["held_ns"]), task, mark)


def _known_since(lane: LaneRecords, own: Array) -> int:
    """Return the counter value since which every mark that the kernel ended is known.

    Older buffers may be gone. `own` says which clock blocks the kernel wrote.
    """
    if not own.any() or not own[0] or not len(lane.number) or int(lane.number[0]) == 0:
        return 1
    return int(lane.clocks["open_cycles"][0].astype(np.int64))


def ended_marks(lanes: list[LaneRecords], head: Head) -> dict[int, Ended]:
    """Return the marks that have ended, by core.

    A mark may end on another lane of its core than it began on.
    """
    parts: dict[int, list[Ended]] = {}
    for lane in lanes:
        what = lane.slices["what"]
        rows = (what & np.uint32(constant("LS_SLICE_MARK"))) != 0
        end, duration = slice_cycles(lane)
        number = (what & np.uint32(constant("LS_SLICE_ID"))).astype(np.int64)
        long = (what & np.uint32(constant("LS_SLICE_LONG"))) != 0
        own = Ended(number[rows], (end - duration)[rows], np.where(long, _LONG_STEP, 1)[rows])
        parts.setdefault(int(head.lanes["owner"][lane.lane]), []).append(own)
    return {core: Ended.together(each) for core, each in parts.items()}


def _moment(cycles: int, lane: LaneRecords, now: Array, rate: float) -> int:
    """Return a value of the lane's counter as ns of the device's clock."""
    if not len(lane.clocks) or int(lane.clocks["start_cycles"][-1]) != int(now["held_cycles"]):
        return int(now["held_ns"]) + round((cycles - int(now["held_cycles"])) * rate)
    buffer = np.array([len(lane.clocks) - 1])
    return int(device_ns(np.array([[cycles]]), lane.clocks, buffer, rate=rate)[0, 0])
