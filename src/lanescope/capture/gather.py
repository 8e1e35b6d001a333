"""Takes the buffers of a spool and a region apart into one array of records per lane."""

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
    """The records that arrived, by lane, and the headers of their buffers."""

    records: tuple[Array, ...]
    """One array of ls_<kind> per lane, in recorded order."""
    buffers: Array
    """Headers of the buffers (ls_buffer), sorted by lane, then sequence number."""
    visit: Array
    """By buffer: the number of the host's visit in which it was taken."""

    def counts(self) -> Array:
        """Return how many records of each lane arrived."""
        return np.array([len(records) for records in self.records], np.int64)


class NotBuffers(ValueError):
    """A payload holds something else than buffers, from byte `offset` on."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"byte {offset} of the payload begins no buffer")
        self.offset = offset


class Gatherer:
    """Collects payloads, whose buffers it checks and counts; `gather` takes them apart."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._payloads: list[tuple[Array, int]] = []
        self.buffers = 0
        """Number of buffers in all payloads."""
        self.records = np.zeros(len(head.lanes), np.uint64)
        """By lane: number of its records."""
        self.next = np.zeros(len(head.lanes), np.uint64)
        """By lane: the sequence number that follows its last buffer."""

    def add(self, payload: Array) -> int:
        """Add a payload; return the number of its buffers.

        Raises:
            NotBuffers: the payload holds something else; nothing of it is added.
        """
        records, following = np.zeros_like(self.records), self.next.copy()
        buffers = library().ls_count_buffers(
            payload.ctypes.data,
            len(payload),
            self._head.lanes.ctypes.data,
            len(self._head.lanes),
            records.ctypes.data,
            following.ctypes.data,
        )
        if buffers < 0:
            raise NotBuffers(-1 - int(buffers))
        self._payloads.append((payload, self.buffers))
        self.buffers += int(buffers)
        self.records += records
        self.next = following
        return int(buffers)

    def gather(self) -> Gathered:
        """Return the records of all payloads, one array per lane."""
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
    """Return the records of all payloads, one array per lane."""
    gatherer = Gatherer(head)
    for payload in payloads:
        gatherer.add(payload)
    return gatherer.gather()
