"""Buffers from a spool and a region, taken apart into one array of records per lane."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.native import library


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What arrived, by lane."""

    records: tuple[Array, ...]
    """One array of ls_<kind> per lane, in recorded order."""
    buffers: Array
    """Of ls_buffer, sorted by lane, then sequence number."""
    visit: Array
    """Of each buffer, in which visit of the host it was taken."""

    def counts(self) -> Array:
        return np.array([len(records) for records in self.records], np.int64)


class NotBuffers(ValueError):
    """A payload is not a row of buffers; `offset` is where it goes wrong."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"byte {offset} of the payload begins no buffer")
        self.offset = offset


class Gatherer:
    """Takes payloads one by one, checks and counts them, and takes them apart in the end."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._payloads: list[tuple[Array, int]] = []
        self.buffers = 0
        self.records = np.zeros(len(head.lanes), np.uint64)
        self.next = np.zeros(len(head.lanes), np.uint64)
        """Per lane: the sequence number after its last buffer."""

    def add(self, payload: Array) -> int:
        """Returns its buffers; where it holds something else, NotBuffers, and nothing is added."""
        records, following = np.zeros_like(self.records), self.next.copy()
        found = library().ls_count_buffers(
            payload.ctypes.data,
            len(payload),
            self._head.lanes.ctypes.data,
            len(self._head.lanes),
            records.ctypes.data,
            following.ctypes.data,
        )
        if found < 0:
            raise NotBuffers(-1 - int(found))
        self._payloads.append((payload, self.buffers))
        self.buffers += int(found)
        self.records += records
        self.next = following
        return int(found)

    def gather(self) -> Gathered:
        """The records of every lane in one array."""
        head = self._head
        arrays = [
            np.empty(int(self.records[lane]), layout(f"ls_{KINDS[head.lanes['kind'][lane]]}"))
            for lane in range(len(head.lanes))
        ]
        targets = np.array([array.ctypes.data for array in arrays], np.uint64)
        filled = np.zeros(len(arrays), np.uint64)
        buffers = np.empty(self.buffers, layout("ls_buffer"))
        for payload, before in self._payloads:
            library().ls_unpack_buffers(
                payload.ctypes.data,
                len(payload),
                head.lanes.ctypes.data,
                len(head.lanes),
                targets.ctypes.data,
                filled.ctypes.data,
                buffers.ctypes.data + before * buffers.itemsize,
            )
        order = np.lexsort((buffers["sequence"], buffers["lane"]))
        firsts = np.array([before for _, before in self._payloads], np.int64)
        visit = np.searchsorted(firsts, order, side="right") - 1
        return Gathered(tuple(arrays), buffers[order], visit)


def gather(payloads: Iterable[Array], head: Head) -> Gathered:
    """The records of all payloads, by lane."""
    gatherer = Gatherer(head)
    for payload in payloads:
        gatherer.add(payload)
    return gatherer.gather()
