"""A capture while it is recorded: its last records as a trace, read from the files of the capture.

Nothing is asked of the drain, and nothing is written: whoever looks reads the spool's file from
another process. However long the recording, only its last WINDOW_BYTES are kept.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from lanescope.capture.assemble import CaptureContents, assemble
from lanescope.capture.directory import REGION, SPOOL, part_spool
from lanescope.capture.gather import Gathered, Gatherer, NotBuffers
from lanescope.capture.ledger import LaneCounts
from lanescope.capture.leftover import leftover_buffers
from lanescope.capture.parts import PartState, part_contents
from lanescope.capture.reading import read_names
from lanescope.capture.spool import FrameKind, FramePlace, OpenSpool, frame_places
from lanescope.device.head import Array, Head
from lanescope.device.region import open_region
from lanescope.trace import Table, Trace

WINDOW_BYTES = 8 << 20
"""How many bytes of records are kept: 130,000 to 260,000 records."""
_OPEN_BYTES = 32 << 20
"""Buffers that are not in a spool yet are shown where two of each lane have no more bytes."""
_COLLECTORS = 64
"""Most spools of one part: a capture has as many as threads that drain it."""


@dataclass(frozen=True, slots=True)
class LiveCounts:
    """How far a recording is."""

    recorded: int
    """Records that were made so far."""
    lost: int
    """Records that were lost so far."""


class _Tail:
    """The end of one spool: frames that were not seen yet."""

    def __init__(self, path: Path) -> None:
        self._file = OpenSpool(path)
        self._at = 0
        self.ended = False
        """Whether the spool has its last frame."""

    def fresh(self) -> list[FramePlace]:
        """Return where the new buffers are."""
        places, self._at = frame_places(self._file.number, self._at)
        self.ended |= any(place.kind == FrameKind.CLOSE for place in places)
        return [place for place in places if place.kind == FrameKind.BUFFERS]

    def read(self, place: FramePlace) -> Array:
        """Return the payload of a frame."""
        return np.frombuffer(os.pread(self._file.number, place.size, place.at), np.uint8)


class LiveCapture:
    """Follows the capture in a directory that has a region."""

    def __init__(self, directory: Path, suffix: str = "") -> None:
        """Open the region; `suffix` is added to the name of the trace.

        Raises:
            InputError: it is none, or not yet.
            OSError: it is gone.
        """
        self._region = open_region(directory / REGION)
        self._directory = directory
        self._suffix = suffix
        self._note, plan = read_names(directory)
        self._plan = None if plan is None else replace(plan, edges=Table.build("edges"))
        self._part = 1
        self._tails: dict[Path, _Tail] = {}
        self._payloads: deque[Array] = deque()
        self._bytes = 0
        self._made = 0
        self._base: int | None = None
        self.left_out = False
        """Whether older records are not kept any more."""

    @property
    def counts(self) -> LiveCounts:
        """How far the recording is, by the region's own counters."""
        lanes = self._region.lanes
        return LiveCounts(int(lanes["recorded"].sum()), int(lanes["dropped"].sum()))

    def look(self) -> bool:
        """Read what is new in the spools; return whether anything was recorded meanwhile."""
        self._open_new()
        made = int(self._region.lanes["recorded"].sum())
        found, self._made = made != self._made, made
        for path, tail in list(self._tails.items()):
            places = tail.fresh()
            found |= bool(places)
            self._keep(tail, places)
            own, following = (part_spool(self._directory, self._part + k) for k in (0, 1))
            if tail.ended and path == own and following.exists():
                del self._tails[path]
                self._part += 1
        return found

    def _open_new(self) -> None:
        first = part_spool(self._directory, self._part)
        more = [self._directory / f"{SPOOL}.{number}" for number in range(1, _COLLECTORS)]
        for path in [first, *more]:
            if path not in self._tails:
                try:
                    self._tails[path] = _Tail(path)
                except FileNotFoundError:
                    return

    def _keep(self, tail: _Tail, places: list[FramePlace]) -> None:
        """Keep the newest payloads; those that the window has no room for are not even read."""
        room, wanted = WINDOW_BYTES, list[FramePlace]()
        for place in reversed(places):
            if room <= 0:
                self.left_out = True
                break
            wanted.append(place)
            room -= place.size
        for place in reversed(wanted):
            payload = tail.read(place)
            self._payloads.append(payload)
            self._bytes += len(payload)
        while self._bytes - len(self._payloads[0] if self._payloads else b"") >= WINDOW_BYTES:
            self._bytes -= len(self._payloads.popleft())
            self.left_out = True

    def trace(self) -> Trace:
        """Return what the last records tell; 0 ns is the same moment every time.

        Tasks that have not run are left out, and so are edges.
        """
        head = self._region.fresh_head()
        gathered = self._gathered(head)
        contents = CaptureContents(
            head=head,
            gathered=gathered,
            counts=LaneCounts(head.lanes),
            plan=self._plan,
            note=msgspec.structs.replace(self._note, name=self._note.name + self._suffix),
            base=self._base,
        )
        part = part_contents(contents, _before(gathered, head), ends=False)
        trace = assemble(part.contents)
        if len(gathered.buffers) and trace.meta.base_cycles is not None:
            self._base = trace.meta.base_cycles
        return replace(trace, tasks=trace.tasks.rows(trace.ran()), edges=Table.build("edges"))

    def _gathered(self, head: Head) -> Gathered:
        """Return the buffers of the window, and those that are still filled."""
        gatherer = Gatherer(head)
        for payload in self._payloads:
            with suppress(NotBuffers):  # a damaged frame; the trace that is stored says so
                gatherer.add(payload)
        if 2 * int(head.lanes["buffer_stride"].sum()) <= _OPEN_BYTES:
            opened, published = head.lanes["opened"], head.lanes["published"]
            newest = np.minimum(opened - np.minimum(opened, 2), published)
            taken = np.maximum(newest, gatherer.next)
            with suppress(NotBuffers):
                gatherer.add(leftover_buffers(self._region.memory, head, taken).payload)
        return gatherer.gather()


def _before(gathered: Gathered, head: Head) -> PartState:
    """Return the state before the first buffer of each lane, as if the rest were a part."""
    state = PartState.at_start(head)
    lane, first = np.unique(gathered.buffers["lane"], return_index=True)
    state.lanes["recorded"][lane] = gathered.buffers["first"][first]
    state.lanes["dropped"][lane] = gathered.buffers["dropped"][first]
    return state
