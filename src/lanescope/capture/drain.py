"""The drain: takes published buffers from a region, spools them, and gives them back.

`Drain.tick` is one round. `DrainThread` repeats it while the device runs. One call into C copies
all buffers of a round, so the cost of Python does not grow with their number.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from lanescope.capture.spool import FrameKind, SpoolWriter
from lanescope.device.head import Array, Head
from lanescope.device.layouts import layout
from lanescope.device.transport import Transport
from lanescope.errors import LanescopeError, OutputError
from lanescope.native import library

ROOM = 4 << 20
"""Most bytes that are taken in one round, unless one buffer is larger."""
_SHORTEST_S, _LONGEST_S = 20e-6, 4e-3
"""Pause between two rounds, in seconds."""
_STUCK_S = 10.0
"""A round that takes longer than this, in seconds, hangs: producers should not wait for it."""
_PROBLEMS = ("", "a published buffer has another one's header", "its counter ran backwards")
"""What is wrong with a buffer, by the number in ls_drained."""


class DamagedRegion(LanescopeError):
    """What the device wrote into the region makes no sense, so draining stopped."""


class Drain:
    """The host at a region: it takes buffers and knows how many it took from each lane."""

    def __init__(
        self, transport: Transport, head: Head, spool: SpoolWriter, *, lanes: range | None = None
    ) -> None:
        """Drain `lanes`, where others drain the rest; None means all lanes."""
        own = range(len(head.lanes)) if lanes is None else lanes
        self._transport = transport
        self._head = head
        self._spool = spool
        self._own = own
        self._lanes_at = int(head.header["lanes"])
        largest = int(head.lanes["buffer_stride"].max(initial=0))
        self._out = np.empty(max(ROOM, largest), np.uint8)
        self._result = np.zeros(1, layout("ls_drained"))
        self._spooled = np.zeros(len(head.lanes), np.uint64)
        self.taken = np.zeros(len(head.lanes), np.uint64)
        """By lane: number of buffers taken so far."""
        image = int(transport.image.ctypes.data)
        self._arguments = (
            image,
            image + self._lanes_at,
            int(head.lanes.ctypes.data),
            own.start,
            own.stop,
            int(self.taken.ctypes.data),
            int(self._out.ctypes.data),
            len(self._out),
            int(self._result.ctypes.data),
        )
        self.buffers = 0
        """Number of buffers spooled so far."""
        self.records = 0
        """Number of records spooled so far."""
        self.discards = False
        """Whether buffers are given back unsaved. It is set after the spool failed."""

    def tick(self) -> int:
        """Spool the published buffers and give them back; return their number.

        Raises:
            DamagedRegion: a counter of a lane or the header of a buffer is wrong.
            OutputError: the spool could not be written; the buffers stay in the region.
        """
        transport, result = self._transport, self._result[0]
        transport.read(self._lanes_at, self._head.lane_bytes)
        transport.fence()
        if transport.copies:
            self._bring_buffers()
        self.taken[:] = self._spooled
        library().ls_drain_some(*self._arguments)
        if result["buffers"]:
            self._keep(self._out[: int(result["bytes"])])
            self._give_back()
        if result["problem"]:
            raise DamagedRegion(_problem(self._head, result))
        return int(result["buffers"])

    @property
    def fullest(self) -> int:
        """How full the fullest ring was in the last round, in percent."""
        return int(self._result["fullest"][0])

    def _keep(self, payload: Array) -> None:
        """Spool buffers, unless they are discarded."""
        if self.discards:
            return
        self._spool.append(FrameKind.BUFFERS, payload.data)
        self.buffers += int(self._result[0]["buffers"])
        self.records += int(self._result[0]["records"])

    def _give_back(self) -> None:
        """Tell the device that it may use the taken buffers again."""
        changed = np.flatnonzero(self.taken != self._spooled)
        self._transport.fence()
        library().ls_release(
            self._arguments[1] + self._own.start * layout("ls_lane").itemsize,
            len(self._own),
            self._arguments[5] + self._own.start * self.taken.itemsize,
        )
        if self._transport.copies:
            lane = layout("ls_lane")
            offset = lane.fields["released"][1]  # type: ignore[index]
            for index in changed.tolist():
                self._transport.write(self._lanes_at + index * lane.itemsize + offset, 8)
        self._spooled[:] = self.taken

    def _bring_buffers(self) -> None:
        """Copy every buffer that is published and not taken from the device into the image."""
        lanes = self._transport.image[self._lanes_at :][: self._head.lane_bytes]
        published = lanes.view(layout("ls_lane"))["published"]
        waiting = np.flatnonzero(published != self._spooled)
        for index in waiting[np.isin(waiting, self._own)].tolist():
            lane = self._head.lanes[index]
            first, count = int(self._spooled[index]), int(lane["buffer_count"])
            for sequence in range(first, min(int(published[index]), first + count)):
                offset = int(lane["buffers"]) + sequence % count * int(lane["buffer_stride"])
                self._transport.read(offset, int(lane["buffer_stride"]))
        self._transport.fence()


class DrainThread:
    """A thread that drains a region until it is told to stop, and then takes what is left."""

    def __init__(self, drain: Drain) -> None:
        self.drain = drain
        self.error: LanescopeError | None = None
        """What went wrong: a damaged region, or else the first failure of the spool."""
        self._ticked = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lanescope drain", daemon=True)

    @property
    def moves(self) -> bool:
        """Whether the thread lives, and has ended a round lately."""
        return self._thread.is_alive() and time.monotonic() - self._ticked < _STUCK_S

    def start(self) -> None:
        """Start the thread."""
        self._ticked = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Take all that is left, and end the thread. The device must have stopped before."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        else:
            self._take_all()

    def _run(self) -> None:
        """Drain so often that no ring gets half full, and no more often: each round costs time."""
        pause = _SHORTEST_S
        while not self._stop.is_set():
            self.tick()
            self._ticked = time.monotonic()
            fullest = self.drain.fullest
            if fullest >= 50:
                pause = _SHORTEST_S
                continue
            if fullest < 25:
                pause = min(2 * pause, _LONGEST_S)
            self._stop.wait(pause)
        self._take_all()

    def _take_all(self) -> None:
        while self.tick():
            pass

    def tick(self) -> int:
        """Do one round; return the number of buffers taken. An error is kept and not raised.

        A full disk must not stop the recorded program, so buffers are discarded from then on. A
        damaged region is not drained any more.
        """
        if isinstance(self.error, DamagedRegion):
            return 0
        try:
            return self.drain.tick()
        except DamagedRegion as error:
            self.error = error
        except OutputError as error:
            self.error = self.error or error
            self.drain.discards = True
        return 0


def _problem(head: Head, result: Any) -> str:
    lane = int(result["lane"])
    kind = int(head.lanes["kind"][lane])
    return (
        f"the region is damaged: lane {lane} ({head.lane_name(lane)}, kind {kind}), buffer "
        f"{result['sequence']}: {_PROBLEMS[result['problem']]}; what was taken before is kept"
    )


def counters(image: Array, head: Head) -> Array:
    """Return a copy of the lane table with the counters as they are now (ls_lane)."""
    start = int(head.header["lanes"])
    return image[start : start + head.lane_bytes].copy().view(layout("ls_lane"))
