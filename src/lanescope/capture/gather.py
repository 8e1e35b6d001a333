"""Buffers from a spool and a region, taken apart into one array of records per lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.device.head import KINDS, Array, Head
from lanescope.device.layouts import layout
from lanescope.native import library


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What arrived, by lane."""

    records: tuple[Array, ...]
    """One array of ls_<kind> per lane, in recorded order."""
    buffers: Array
    """Of ls_buffer, sorted by lane, then sequence number."""

    def counts(self) -> Array:
        return np.array([len(records) for records in self.records], np.int64)


class NotBuffers(ValueError):
    """A payload is not a row of buffers; `offset` is where it goes wrong."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"byte {offset} of the payload begins no buffer")
        self.offset = offset


def count_buffers(payload: Array, head: Head, records: Array) -> int:
    """Add the payload's records to `records` (uint64 per lane); returns its buffers."""
    found = library().ls_count_buffers(
        payload.ctypes.data,
        len(payload),
        head.lanes.ctypes.data,
        len(head.lanes),
        records.ctypes.data,
    )
    if found < 0:
        raise NotBuffers(-1 - int(found))
    return int(found)


def gather(payloads: Sequence[Array], head: Head) -> Gathered:
    """Put the records of every lane together; all payloads have passed `count_buffers`."""
    lane_count = len(head.lanes)
    totals = np.zeros(lane_count, np.uint64)
    buffer_count = sum(count_buffers(payload, head, totals) for payload in payloads)
    arrays = [
        np.empty(int(totals[lane]), layout(f"ls_{KINDS[head.lanes['kind'][lane]]}"))
        for lane in range(lane_count)
    ]
    targets = np.array([array.ctypes.data for array in arrays], np.uint64)
    filled = np.zeros(lane_count, np.uint64)
    buffers = np.empty(buffer_count, layout("ls_buffer"))
    at = 0
    for payload in payloads:
        library().ls_unpack_buffers(
            payload.ctypes.data,
            len(payload),
            head.lanes.ctypes.data,
            lane_count,
            targets.ctypes.data,
            filled.ctypes.data,
            buffers.ctypes.data + at * buffers.itemsize,
        )
        at += count_buffers(payload, head, np.zeros(lane_count, np.uint64))
    order = np.lexsort((buffers["sequence"], buffers["lane"]))
    return Gathered(tuple(arrays), buffers[order])
