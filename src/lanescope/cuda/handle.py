"""The block of device memory that kernels record with: constants, and each lane's state."""

from __future__ import annotations

import numpy as np

from lanescope.cuda import driver
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, layout
from lanescope.trace.flags import Feature


class Handle:
    """In device memory from here to `close`; `address` is what kernels get."""

    def __init__(self, head: Head, region_address: int) -> None:
        lanes_end = _lanes_end(len(slice_lanes(head)))
        self.address = driver.allocate(lanes_end + _bin_bytes(head))
        driver.write_device(self.address, handle_block(head, region_address, self.address))

    def refused(self) -> int:
        """How often a kernel asked for a lane that is not there, or that another one had open."""
        kind = layout("ls_handle")
        data = driver.read_device(self.address, kind.itemsize)
        return int(np.frombuffer(data, kind)["refused"][0])

    def close(self) -> None:
        driver.free(self.address)


def slice_lanes(head: Head) -> Array:
    """Numbers of the lanes that kernels write through a handle: they follow each other."""
    found: Array = np.flatnonzero(head.lanes["kind"] == KINDS.index("slice"))
    return found


def handle_block(head: Head, region_address: int, own_address: int) -> bytes:
    """The bytes of an ls_handle and its lanes, before any kernel."""
    kind, lane_kind = layout("ls_handle"), layout("ls_handle_lane")
    numbers = slice_lanes(head)
    block = np.zeros(_lanes_end(len(numbers)), np.uint8)
    handle = block[: kind.itemsize].view(kind)
    lane = head.lanes[numbers[0]]
    before = int(numbers[0]) * int(lane["buffer_count"]) * int(lane["buffer_stride"])
    handle["region"] = region_address
    handle["lanes"] = head.header["lanes"]
    # Kernels count buffers from lane 0 on, as if all lanes were of this kind.
    handle["buffers"] = (int(lane["buffers"]) - before) % (1 << 64)
    handle["buffer_stride"] = lane["buffer_stride"]
    handle["host_lost_ns"] = head.header["host_lost_cycles"]
    handle["core_count"] = head.header["core_count"]
    handle["pipe_count"] = head.header["pipe_count"]
    handle["buffer_records"] = lane["buffer_records"] - constant("LS_SLICE_CLOCK_RECORDS")
    handle["buffer_count"] = lane["buffer_count"]
    handle["on_full"] = head.header["on_full"]
    handle["marks"] = int(bool(int(head.header["flags"]) & Feature.CORE_SWIMLANE))
    handle["bin"] = own_address + len(block)
    lanes = block[kind.itemsize :].view(lane_kind)
    lanes["index"] = numbers
    lanes["handle"] = own_address
    return block.tobytes()


def _lanes_end(count: int) -> int:
    return layout("ls_handle").itemsize + count * layout("ls_handle_lane").itemsize


def _bin_bytes(head: Head) -> int:
    """Room for what a buffer of slices holds."""
    slices = head.lanes[head.lanes["kind"] == KINDS.index("slice")]
    return int(slices["buffer_records"][0]) * layout("ls_slice").itemsize
