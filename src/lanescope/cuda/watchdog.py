"""Notices when kernels have taken lanes and write no record any more."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable

import numpy as np

from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout, now_place
from lanescope.device.region import Region


class Watchdog:
    """A thread that calls `hung` once, when no kernel has written a record for `limit_s` seconds.

    `hung` gets the seconds that have passed.
    """

    def __init__(self, region: Region, limit_s: float, hung: Callable[[float], None]) -> None:
        self._region = region
        self._limit_s = limit_s
        self._hung = hung
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="lanescope-watchdog")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        seen, since = 0, time.monotonic()
        while not self._stop.wait(self._limit_s / 8):
            current, now = movement(self._region), time.monotonic()
            if current != seen or not current:
                seen, since = current, now
            elif now - since >= self._limit_s:
                self._hung(now - since)
                return


def movement(region: Region) -> int:
    """Return a number that changes with every record; 0 where no kernel has a lane."""
    head = region.head
    start, lane = int(head.header["lanes"]), layout("ls_lane")
    table = region.memory[start : start + head.lane_bytes].copy()
    now, size = layout("ls_slice_now"), now_place()
    lines = table.reshape(-1, lane.itemsize)[:, size : size + now.itemsize]
    held = np.ascontiguousarray(lines).view(now)["held_cycles"][:, 0] != 0
    lanes, checksum = table.view(lane), zlib.crc32(table.data)
    held &= lanes["kind"] == KINDS.index("slice")
    if not held.any():
        return 0
    for index in np.flatnonzero(held & (lanes["opened"] > 0)).tolist():
        row = lanes[index]
        slot = (int(row["opened"]) - 1) % int(row["buffer_count"])
        at = int(row["buffers"]) + slot * int(row["buffer_stride"])
        checksum = zlib.crc32(region.memory[at : at + int(row["buffer_stride"])].data, checksum)
    return checksum or 1
