"""Finds the buffers in the payloads of a spool and a region, and reads their records on demand.

A payload may lie in a file, of which only what is asked for is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from lanescope.capture.spool import SpooledBytes
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.native import library

CHUNK = 1 << 18
"""About how many records are read at a time where a lane is read from its beginning to its end."""


Payload: TypeAlias = Array | SpooledBytes
"""Buffers one after the other, in memory or in a file."""


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """The buffers that arrived, sorted by lane, then sequence number."""

    buffers: Array
    """Their headers (ls_buffer)."""
    visit: Array
    """By buffer: the number of the host's visit in which it was taken, which is its payload's."""
    records_at: Array
    """By buffer: the byte of its payload at which its records begin."""
    payloads: Sequence[Payload]
    kinds: Array
    """By lane: its kind of record."""
    carried: int = 0
    """How many of the first payloads come from an earlier part of the capture."""

    @property
    def records(self) -> LaneRecordArrays:
        """All records of a lane by its number, in recorded order; they are read each time."""
        return LaneRecordArrays(self)

    def counts(self) -> Array:
        """Return how many records of each lane arrived."""
        counts = np.zeros(len(self.kinds), np.int64)
        np.add.at(counts, self.buffers["lane"], self.buffers["count"].astype(np.int64))
        return counts

    def of_lane(self, lane: int) -> range:
        """Return the places of a lane's buffers."""
        first, last = np.searchsorted(self.buffers["lane"], [lane, lane + 1]).tolist()
        return range(first, last)

    def chunks(self, lane: int) -> Iterator[range]:
        """Yield the places of a lane's buffers, some at a time: about CHUNK records."""
        own = self.of_lane(lane)
        if not len(own):
            return
        passed = np.cumsum(self.buffers["count"][own.start : own.stop].astype(np.int64))
        cuts = np.flatnonzero(np.diff(passed // CHUNK)) + 1
        edges = [own.start, *(own.start + cuts).tolist(), own.stop]
        for first, last in pairwise(edges):
            yield range(first, last)

    def read(self, places: range) -> Array:
        """Return the records of buffers of one lane, in recorded order."""
        kind = layout(f"ls_{KINDS[self.kinds[self.buffers['lane'][places.start]]]}")
        own = slice(places.start, places.stop)
        sizes = self.buffers["count"][own].astype(np.int64) * kind.itemsize
        out = np.empty(int(sizes.sum()), np.uint8)
        begin = 0
        for end, at, visit in zip(
            np.cumsum(sizes).tolist(),
            self.records_at[own].tolist(),
            self.visit[own].tolist(),
            strict=True,
        ):
            _copy(self.payloads[visit], at, out[begin:end])
            begin = end
        return out.view(kind)

    def last_records(self, places: Array) -> Array:
        """Return the last record of each of these buffers of one lane; none of them is empty."""
        kind = layout(f"ls_{KINDS[self.kinds[self.buffers['lane'][places[0]]]]}")
        out = np.empty(len(places), kind)
        rows = out.view(np.uint8).reshape(len(places), kind.itemsize)
        after = self.buffers["count"][places].astype(np.int64) * kind.itemsize
        ends = (self.records_at[places].astype(np.int64) + after).tolist()
        for row, (end, visit) in enumerate(zip(ends, self.visit[places].tolist(), strict=True)):
            _copy(self.payloads[visit], end - kind.itemsize, rows[row])
        return out


def _copy(payload: Payload, at: int, target: Array) -> None:
    """Copy the bytes of a payload from `at` on."""
    if isinstance(payload, SpooledBytes):
        payload.read_into(target.data, at)
    else:
        target[:] = payload[at : at + len(target)]


@dataclass(frozen=True, slots=True, eq=False)
class LaneRecordArrays(Sequence[Array]):
    """One array of ls_<kind> per lane, which is read when it is asked for."""

    _gathered: Gathered

    def __len__(self) -> int:
        return len(self._gathered.kinds)

    def __getitem__(self, lane: int) -> Array:  # type: ignore[override]
        """Return all records of a lane in recorded order."""
        kinds = self._gathered.kinds
        if not 0 <= lane < len(kinds):
            raise IndexError(lane)
        places = self._gathered.of_lane(lane)
        if not len(places):
            return np.empty(0, layout(f"ls_{KINDS[kinds[lane]]}"))
        return self._gathered.read(places)


class NotBuffers(ValueError):
    """A payload holds something else than buffers, from byte `offset` on."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"byte {offset} of the payload begins no buffer")
        self.offset = offset


class Gatherer:
    """Collects payloads, whose buffers it checks, counts and lists."""

    def __init__(self, head: Head, following: Array | None = None) -> None:
        """`following` are the sequence numbers with which the lanes go on; without it, 0."""
        self._head = head
        self.carried = 0
        """How many of the first payloads come from an earlier part of the capture."""
        self._payloads: list[Payload] = []
        self._headers: list[Array] = []
        self._records_at: list[Array] = []
        self.buffers = 0
        """Number of buffers in all payloads."""
        self.next = np.zeros(len(head.lanes), np.uint64) if following is None else following.copy()
        """By lane: the sequence number that follows its last buffer."""

    def add(self, payload: Array, stored: SpooledBytes | None = None) -> int:
        """Add a payload; return the number of its buffers.

        Where the payload is `stored` in a file, its records are read from there when they are
        needed, and the payload itself is not kept.

        Raises:
            NotBuffers: the payload holds something else; nothing of it is added.
        """
        lanes, following = self._head.lanes, self.next.copy()
        given = (payload.ctypes.data, len(payload), lanes.ctypes.data, len(lanes))
        records = np.zeros(len(lanes), np.uint64)
        buffers = int(
            library().ls_count_buffers(*given, records.ctypes.data, following.ctypes.data)
        )
        if buffers < 0:
            raise NotBuffers(-1 - buffers)
        headers, at = np.empty(buffers, layout("ls_buffer")), np.empty(buffers, np.uint64)
        library().ls_list_buffers(*given, headers.ctypes.data, at.ctypes.data)
        self._payloads.append(payload if stored is None else stored)
        self._headers.append(headers)
        self._records_at.append(at)
        self.buffers += buffers
        self.next = following
        return buffers

    def gather(self) -> Gathered:
        """Return the buffers of all payloads."""
        headers = np.concatenate([np.empty(0, layout("ls_buffer")), *self._headers])
        at = np.concatenate([np.empty(0, np.uint64), *self._records_at])
        visit = np.repeat(np.arange(len(self._headers)), [len(part) for part in self._headers])
        order = np.lexsort((headers["sequence"], headers["lane"]))
        return Gathered(
            buffers=headers[order],
            visit=visit[order].astype(np.int64),
            records_at=at[order],
            payloads=tuple(self._payloads),
            kinds=self._head.lanes["kind"].copy(),
            carried=self.carried,
        )


def gather(payloads: Iterable[Array], head: Head) -> Gathered:
    """Return the buffers of all payloads."""
    gatherer = Gatherer(head)
    for payload in payloads:
        gatherer.add(payload)
    return gatherer.gather()
