"""The handle: a block of device memory that kernels record with. It has the state of each lane.

What kernels get is its address, with the number of their launch in the upper 16 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from lanescope.cuda import driver
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, layout
from lanescope.errors import LanescopeError, UsageError
from lanescope.trace.flags import Feature


class Handles:
    """A handle for each of the kernels that run at once; each has cores of its own, in a row."""

    def __init__(self, head: Head, region_address: int, grids: Sequence[int]) -> None:
        ranges = (range(*pair) for pair in pairwise(accumulate(grids, initial=0)))
        self._each: list[Handle] = []
        try:
            for cores in ranges:
                self._each.append(Handle(head, region_address, cores=cores))
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._each)

    def __getitem__(self, grid: int) -> Handle:
        if not 0 <= grid < len(self._each):
            raise UsageError(
                f"expected a grid from 0 to {len(self._each) - 1}, found {grid}; record(cores=(…)) "
                "has a number for each"
            )
        return self._each[grid]

    def refused(self) -> int:
        """Return how often kernels asked for a lane that did not exist or was in use."""
        return sum(each.refused() for each in self._each)

    def close(self) -> None:
        """Free the device memory."""
        for each in self._each:
            each.close()


class Handle:
    """A handle in device memory, until `close`; `address` is the argument of the kernels.

    It is for all cores, or for `cores`; no two handles of a region may have the same core.
    """

    def __init__(self, head: Head, region_address: int, *, cores: range | None = None) -> None:
        lanes_end = _lanes_end(len(slice_lanes(head, cores)))
        self.address = driver.allocate(lanes_end + _bin_bytes(head))
        try:
            if self.address >> constant("LS_LAUNCH_SHIFT"):
                raise LanescopeError(
                    f"the GPU's memory is at {self.address:#x}, and a handle has room for "
                    f"addresses of {constant('LS_LAUNCH_SHIFT')} bits; lanescope cannot record on "
                    "this GPU"
                )
            block = handle_block(head, region_address, self.address, cores=cores)
            driver.write_device(self.address, block)
        except BaseException:
            self.close()
            raise

    def of_launch(self, number: int) -> int:
        """Return the argument of the kernels of a launch; 0 is the number of none."""
        return number << constant("LS_LAUNCH_SHIFT") | self.address

    def refused(self) -> int:
        """Return how often a kernel asked for a lane that did not exist or was in use."""
        kind = layout("ls_handle")
        data = driver.read_device(self.address, kind.itemsize)
        return int(np.frombuffer(data, kind)["refused"][0])

    def close(self) -> None:
        """Free the device memory."""
        driver.free(self.address)


def grid_sizes(cores: int | Sequence[int]) -> tuple[int, ...]:
    """Return the largest numbers of CTAs of the kernels that run at once.

    Raises:
        UsageError: there is none, or one is less than 1.
    """
    grids = tuple(cores) if isinstance(cores, Sequence) else (cores,)
    if min(grids, default=0) < 1:
        raise UsageError(f"expected numbers of CTAs from 1 on for cores, found {cores!r}")
    return grids


def slice_lanes(head: Head, cores: range | None = None) -> Array:
    """Return the numbers of the lanes that kernels write through a handle; they are consecutive."""
    lanes: Array = np.flatnonzero(head.lanes["kind"] == KINDS.index("slice"))
    if cores is None:
        return lanes
    pipes = int(head.header["pipe_count"])
    return lanes[cores.start * pipes : cores.stop * pipes]


def handle_block(
    head: Head, region_address: int, own_address: int, *, cores: range | None = None
) -> bytes:
    """Return the bytes of an ls_handle and its lanes, as they are before the first kernel."""
    kind, lane_kind = layout("ls_handle"), layout("ls_handle_lane")
    numbers = slice_lanes(head, cores)
    block = np.zeros(_lanes_end(len(numbers)), np.uint8)
    handle = block[: kind.itemsize].view(kind)
    lane = head.lanes[numbers[0]]
    handle["buffer_stride"] = lane["buffer_stride"]
    handle["host_lost_ns"] = head.header["host_lost_cycles"]
    handle["core_count"] = head.header["core_count"] if cores is None else len(cores)
    handle["pipe_count"] = head.header["pipe_count"]
    handle["buffer_records"] = lane["buffer_records"] - constant("LS_SLICE_CLOCK_RECORDS")
    handle["buffer_count"] = lane["buffer_count"]
    handle["on_full"] = head.header["on_full"]
    handle["marks"] = int(bool(int(head.header["flags"]) & Feature.CORE_SWIMLANE))
    handle["bin"] = own_address + len(block)
    lanes = block[kind.itemsize :].view(lane_kind)
    lanes["next.lane"] = numbers
    lanes["handle"] = own_address
    table = region_address + int(head.header["lanes"])
    lanes["lane"] = table + numbers * layout("ls_lane").itemsize
    lanes["ring"] = np.uint64(region_address) + head.lanes["buffers"][numbers]
    return block.tobytes()


def _lanes_end(count: int) -> int:
    """Return the size of an ls_handle with its lanes, in bytes."""
    return layout("ls_handle").itemsize + count * layout("ls_handle_lane").itemsize


def _bin_bytes(head: Head) -> int:
    """Return the size of the room for slices that are thrown away, in bytes: one buffer."""
    slices = head.lanes[head.lanes["kind"] == KINDS.index("slice")]
    return int(slices["buffer_records"][0]) * layout("ls_slice").itemsize
