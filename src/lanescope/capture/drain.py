"""The drain: takes published buffers from a region, spools them, and gives them back.

`Drain.tick` is one round. `DrainThread` repeats it while the device runs. One call into C copies
all buffers of a round, so the cost of Python does not grow with their number.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lanescope.capture.bringing import Bringer
from lanescope.capture.spool import FrameKind, SpoolWriter
from lanescope.device.head import Array, Head
from lanescope.device.layouts import layout
from lanescope.device.transport import Transport, word_offset
from lanescope.errors import LanescopeError, OutputError, TransportError
from lanescope.native import library

ROOM = 4 << 20
"""Most bytes that are taken in one round, unless one buffer is larger."""
_SHORTEST_S, _LONGEST_S = 20e-6, 4e-3
"""Pause between two rounds, in seconds."""
_STUCK_S = 10.0
"""A round that takes longer than this, in seconds, hangs: producers should not wait for it."""
_PROBLEMS = ("", "a published buffer has another one's header", "its counter ran backwards")
"""What is wrong with a buffer, by the number in ls_drained."""


class DamagedLane(LanescopeError):
    """What the device wrote into a lane makes no sense, so the lane is not drained any more."""


class Drain:
    """The host at a region: it takes buffers and knows how many it took from each lane."""

    def __init__(
        self, transport: Transport, head: Head, spool: SpoolWriter, *, lanes: range | None = None
    ) -> None:
        """Drain `lanes`, where others drain the rest; None means all lanes."""
        own = range(len(head.lanes)) if lanes is None else lanes
        self._transport = transport
        self._head = head
        self._constants = head.lanes.copy()
        self._constants["refused"] = 0
        self.spool = spool
        """The spool that takes the buffers now."""
        self._next: tuple[SpoolWriter, Callable[[], bytes]] | None = None
        self._own = own
        self._lanes_at = int(head.header["lanes"])
        largest = int(head.lanes["buffer_stride"].max(initial=0))
        self._out = np.empty(max(ROOM, largest), np.uint8)
        self._result = np.zeros(1, layout("ls_drained"))
        self._spooled = head.lanes["released"].copy()  # not 0 where another host came before
        self.taken = self._spooled.copy()
        """By lane: number of buffers taken so far."""
        image = int(transport.image.ctypes.data)
        self._image_lanes = image + self._lanes_at
        self._bringer = Bringer(transport, head, own, len(self._out)) if transport.copies else None
        brought = self._image_lanes if self._bringer is None else self._bringer.lanes.ctypes.data
        self._arguments: tuple[int, ...] = (
            image,
            int(brought),
            int(self._constants.ctypes.data),
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
        self.damage: list[DamagedLane] = []
        """The lanes that are not drained any more."""

    def tick(self) -> int:
        """Spool the published buffers and give them back; return their number.

        A lane with a wrong counter or a wrong buffer is refused: it is not drained any more, and
        its producer waits for nobody. All others are drained as before.

        Raises:
            OutputError: the spool could not be written; the buffers stay in the region.
        """
        if self._next is not None:
            self._switch()
        buffers = self._round()
        while self._result[0]["problem"]:
            self._refuse()
            buffers += self._round()
        return buffers

    def go_on_in(self, spool: SpoolWriter, closing: Callable[[], bytes]) -> None:
        """Have the next round begin with another spool; any thread may ask for it.

        The old spool then gets its last frame, which is what `closing` returns, and is closed.
        """
        self._next = spool, closing

    def _switch(self) -> None:
        assert self._next is not None
        old, (self.spool, closing) = self.spool, self._next
        self._next = None
        try:
            if not self.discards:
                old.append(FrameKind.CLOSE, closing())
        finally:
            old.close()

    def close(self) -> None:
        """Give up the room for buffers. From now on a round takes none."""
        *before, _, result = self._arguments
        self._arguments = (*before, 0, result)
        self._out = np.empty(0, np.uint8)

    def _round(self) -> int:
        transport, result = self._transport, self._result[0]
        if self._bringer is not None:
            self._bringer.bring(self._spooled, self._constants["refused"])
        transport.fence()
        self.taken[:] = self._spooled
        library().ls_drain_some(*self._arguments)
        if result["buffers"]:
            self._keep(self._out[: int(result["bytes"])])
            self._give_back()
        return int(result["buffers"])

    def _refuse(self) -> None:
        """Drain the lane of the last problem no more, and tell its producer."""
        index = int(self._result[0]["lane"])
        self.damage.append(DamagedLane(_problem(self._head, self._result[0])))
        self._constants["refused"][index] = 1
        at = self._word_of(index, "refused")
        self._transport.image[at : at + 8].view(np.uint64)[0] = 1
        if self._transport.copies:
            self._transport.write(at)

    def _word_of(self, lane: int, word: str) -> int:
        """Return where a word of a lane is in the region, in bytes."""
        return self._lanes_at + lane * layout("ls_lane").itemsize + word_offset("ls_lane", word)

    @property
    def fullest(self) -> int:
        """How full the fullest ring was in the last round, in percent."""
        own = int(self._result["fullest"][0])
        return own if self._bringer is None else max(own, self._bringer.fullest)

    def _keep(self, payload: Array) -> None:
        """Spool buffers, unless they are discarded."""
        if self.discards:
            return
        self.spool.append(FrameKind.BUFFERS, payload.data)
        self.buffers += int(self._result[0]["buffers"])
        self.records += int(self._result[0]["records"])

    def _give_back(self) -> None:
        """Tell the device that it may use the taken buffers again."""
        changed = np.flatnonzero(self.taken != self._spooled)
        self._transport.fence()
        library().ls_release(
            self._image_lanes + self._own.start * layout("ls_lane").itemsize,
            len(self._own),
            self._arguments[5] + self._own.start * self.taken.itemsize,
        )
        if self._transport.copies:
            words = (self._word_of(index, "released") for index in changed.tolist())
            self._transport.write(*words)
        self._spooled[:] = self.taken


class DrainThread:
    """A thread that drains a region until it is told to stop, and then takes what is left."""

    def __init__(self, drain: Drain) -> None:
        self.drain = drain
        self.error: LanescopeError | None = None
        """The first failure of the spool or of the transport."""
        self.lost = False
        """Whether the region cannot be reached any more."""
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
        while not (self._stop.is_set() or self.lost):
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

        A full disk must not stop the recorded program, so buffers are discarded from then on.
        """
        if self.lost:
            return 0
        try:
            return self.drain.tick()
        except TransportError as error:
            self.lost, self.error = True, self.error or error
        except OutputError as error:
            self._give_up(error)
        except (OSError, MemoryError) as error:
            problem = f"a round of draining failed ({error or 'no memory'})"
            self._give_up(OutputError(f"{problem}; what was taken before is kept"))
        return 0

    def _give_up(self, error: OutputError) -> None:
        self.error = self.error or error
        self.drain.discards = True


def _problem(head: Head, result: Any) -> str:
    lane = int(result["lane"])
    kind = int(head.lanes["kind"][lane])
    return (
        f"lane {lane} ({head.lane_name(lane)}, kind {kind}) is damaged, buffer "
        f"{result['sequence']}: {_PROBLEMS[result['problem']]}; what was taken before is kept"
    )


def counters(image: Array, head: Head) -> Array:
    """Return a copy of the lane table with the counters as they are now (ls_lane)."""
    start = int(head.header["lanes"])
    return image[start : start + head.lane_bytes].copy().view(layout("ls_lane"))
