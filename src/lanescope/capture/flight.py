"""The flight recorder: what every lane of a region did last, and what it was at.

Reads the region alone, also while it is written, after a crash, and from another process. The last
buffers of a lane stay in its ring until they are needed again.
"""

from __future__ import annotations

import fcntl
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanescope.capture.directory import REGION
from lanescope.capture.flight_lanes import Finished, LaneEnd, lane_ends
from lanescope.capture.flight_open import Doing
from lanescope.capture.gather import Gatherer
from lanescope.capture.leftover import leftover_buffers
from lanescope.device.head import Array, Head
from lanescope.device.layouts import layout, now_place
from lanescope.device.region import Region, open_region
from lanescope.errors import InputError, UsageError

__all__ = ["Doing", "Finished", "Flight", "LaneEnd", "flight_of", "read_flight"]

_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Flight:
    """All lanes at one moment. Times are ns of the device."""

    lanes: tuple[LaneEnd, ...]
    now_ns: int
    """What `ago` counts from: this moment while the program runs, the newest time found after."""
    running: bool

    def ago_s(self, ns: int) -> float:
        return max(self.now_ns - ns, 0) / _S


def read_flight(path: Path, *, last: int = 1) -> Flight:
    """From a region's file, or the directory of a capture that holds one."""
    file = path / REGION if path.is_dir() else path
    if not file.exists():
        raise UsageError(
            f"{path}: expected the directory of a capture (NAME.capture) or the file of a region; "
            "a run that ended well leaves neither"
        )
    region = open_region(file)
    return flight_of(region, last=last, running=_is_locked(file))


def flight_of(region: Region, *, last: int = 1, running: bool = True) -> Flight:
    """From a mapped region."""
    if last < 1:
        raise UsageError(f"expected at least 1 record per lane, found {last}")
    head = region.fresh_head()
    now = _now_lines(region, head)
    lanes = lane_ends(_newest(region.memory, head, last), head, now, last=last)
    return Flight(lanes, _device_now(head) if running else _newest_moment(lanes), running)


def _newest(memory: Array, head: Head, last: int) -> Gatherer:
    """The buffers that hold each lane's last records, and the one before them."""
    opened = head.lanes["opened"].astype(np.int64)
    rooms = head.lanes["buffer_records"].astype(np.int64)
    wanted = np.minimum(2 + last // rooms, head.lanes["buffer_count"].astype(np.int64))
    first = np.minimum(opened - wanted, head.lanes["published"].astype(np.int64)).clip(min=0)
    payload, _ = leftover_buffers(
        memory, head, first
    )  # a buffer that changes meanwhile is left out
    gatherer = Gatherer(head)
    gatherer.add(payload)
    return gatherer


def _now_lines(region: Region, head: Head) -> Array:
    kind, lane = layout("ls_slice_now"), layout("ls_lane")
    start = int(head.header["lanes"])
    table = region.memory[start : start + head.lane_bytes].reshape(-1, lane.itemsize)
    lines = np.ascontiguousarray(table[:, now_place() : now_place() + kind.itemsize])
    now = lines.view(kind)[:, 0].copy()
    for name in ("task_begun", "mark_begun", "held_cycles", "held_ns"):
        now[name] &= np.uint64((1 << 62) - 1)  # more than that is damage
    return now


def _device_now(head: Head) -> int:
    """This moment on the device's clock, through the one moment that is known on both."""
    header = head.header
    hz = int(header["clock_hz"])
    passed = time.time_ns() - int(header["clock_unix_ns"])
    return int(header["clock_cycles"]) * _S // hz + passed


def _newest_moment(lanes: tuple[LaneEnd, ...]) -> int:
    moments = [0]
    for lane in lanes:
        moments += [each.end_ns for each in lane.last]
        moments += [each.begun_ns for each in (lane.task, lane.mark) if each]
        moments += [each for each in (lane.held_ns, lane.waits_ns) if each]
    return max(moments)


def _is_locked(file: Path) -> bool:
    """Whoever records into a region holds a lock on it."""
    try:
        with file.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:
        raise InputError(file, f"cannot be looked at ({error.strerror})") from error
    return False
