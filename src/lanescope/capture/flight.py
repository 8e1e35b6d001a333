"""The flight recorder: what every lane of a region did last, and what it was doing.

It reads nothing but the region: while it is written, after a crash, or from another process. The
last buffers of a lane stay in its ring until the lane needs them again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanescope.capture.directory import REGION, sole_capture
from lanescope.capture.flight_lanes import Finished, LaneEnd, lane_ends
from lanescope.capture.flight_open import Doing
from lanescope.capture.gather import Gatherer
from lanescope.capture.leftover import leftover_buffers
from lanescope.device.head import Array, Head
from lanescope.device.layouts import layout, now_place
from lanescope.device.region import Region, is_in_use, open_region
from lanescope.errors import UsageError
from lanescope.results import Result

__all__ = ["Doing", "Finished", "Flight", "LaneEnd", "flight_of", "read_flight"]

_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Flight(Result):
    """What all lanes were doing at one moment. Times are ns of the device's clock."""

    lanes: tuple[LaneEnd, ...]
    now_ns: int
    """The moment that `ago_s` counts from: the present while a program records, and after that the
    newest time in the region."""
    running: bool
    """Whether a program records into the region."""

    def ago_s(self, ns: int) -> float:
        """Return how long before `now_ns` a time was, in seconds; 0 for a later time."""
        return max(self.now_ns - ns, 0) / _S


def read_flight(path: Path, *, last: int = 1) -> Flight:
    """Read the file of a region, or the directory of a capture that holds one.

    `last` is how many finished records of each lane to return.

    Raises:
        UsageError: there is no such file, or `last` is below 1.
        InputError: the file is no region.
    """
    file = sole_capture(path) / REGION if path.is_dir() else path
    if not file.exists():
        raise UsageError(
            f"{path}: expected the directory of a capture (NAME.capture) or the file of a region; "
            "a run that ended well leaves neither"
        )
    region = open_region(file)
    return flight_of(region, last=last, running=is_in_use(file))


def flight_of(region: Region, *, last: int = 1, running: bool = True) -> Flight:
    """Read a mapped region; `last` is how many finished records of each lane to return."""
    if last < 1:
        raise UsageError(f"expected at least 1 record per lane, found {last}")
    head = region.fresh_head()
    now = _now_lines(region, head)
    lanes = lane_ends(_newest(region.memory, head, last), head, now, last=last)
    return Flight(lanes, _device_now(head) if running else _newest_moment(lanes), running)


def _newest(memory: Array, head: Head, last: int) -> Gatherer:
    """Gather the buffers that hold the last records of each lane, and the buffer before them."""
    opened = head.lanes["opened"].astype(np.int64)
    rooms = head.lanes["buffer_records"].astype(np.int64)
    wanted = np.minimum(2 + last // rooms, head.lanes["buffer_count"].astype(np.int64))
    first = np.minimum(opened - wanted, head.lanes["published"].astype(np.int64)).clip(min=0)
    # A buffer that changes meanwhile is left out; the list of problems names it.
    gatherer = Gatherer(head)
    gatherer.add(leftover_buffers(memory, head, first).payload)
    return gatherer


def _now_lines(region: Region, head: Head) -> Array:
    """Return the ls_slice_now of each lane: what it is doing."""
    kind, lane = layout("ls_slice_now"), layout("ls_lane")
    start = int(head.header["lanes"])
    table = region.memory[start : start + head.lane_bytes].reshape(-1, lane.itemsize)
    lines = np.ascontiguousarray(table[:, now_place() : now_place() + kind.itemsize])
    now = lines.view(kind)[:, 0].copy()
    for name in ("task_begun", "mark_begun", "held_cycles", "held_ns"):
        now[name] &= np.uint64((1 << 62) - 1)  # more than that is damage
    return now


def _device_now(head: Head) -> int:
    """Return the present as ns of the device's clock.

    The header of the region has one moment on both clocks.
    """
    header = head.header
    hz = int(header["clock_hz"])
    passed = time.time_ns() - int(header["clock_unix_ns"])
    return int(header["clock_cycles"]) * _S // hz + passed


def _newest_moment(lanes: tuple[LaneEnd, ...]) -> int:
    """Return the newest time that any lane has, in ns."""
    moments = [0]
    for lane in lanes:
        moments += [each.end_ns for each in lane.last]
        moments += [each.begun_ns for each in (lane.task, lane.mark) if each]
        moments += [each for each in (lane.held_ns, lane.waits_ns) if each]
    return max(moments)
