"""How a simulated device records: through the real C headers, into a real region.

Times are picoseconds. The library records them as ticks of the chip's counter, rounded down. A call
that returns False had no buffer; the simulation calls again after the host has given one back.
Without a region every call does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import NamedTuple

from lanescope.chunks.layout import BURST_BYTES
from lanescope.device.layouts import constant, packer
from lanescope.native import library
from lanescope.platforms.sim.chip import Chip


class Written(NamedTuple):
    """Outcome of writing bursts."""

    bursts: int
    """Bursts that were written or dropped; the others wait for a buffer."""
    buffers: int
    """Buffers that were published."""


_MOST_HELD = 64
"""Records of a lane that are kept back at most."""


class SimDevice:
    """All lanes of one run.

    `published` is called with the time whenever a buffer waits for the host. `switched` says
    whether the last call published a buffer.
    """

    def __init__(
        self, region_address: int, chip: Chip, protocol: str, published: Callable[[int], None]
    ) -> None:
        native, cores = library(), range(len(chip.core_kinds()))
        self._published = published
        self.switched = False
        self._sim = native.ls_sim_open(region_address) if region_address else None
        if region_address and self._sim is None:
            raise MemoryError
        self._close, self._free = native.ls_sim_close, native.ls_sim_free
        self._admit, self._dispatch = native.ls_sim_admit, native.ls_sim_dispatch
        self._give = native.ls_sim_give
        self._write_finish = native.ls_sim_finish
        self._write_sample = native.ls_sim_sample
        self._write_bursts = native.ls_sim_bursts
        self._controllers: list[RecordLane] = []
        self.cores = [
            RecordLane(self, "ls_sim_task", "ls_sim_tasks", number=core) for core in cores
        ]
        self._rotates = protocol != "producer-rotated"
        """Whether controllers switch the cores' buffers; then the library needs every dispatch."""
        self._finished = [
            RecordLane(self, "ls_sim_finished", "ls_sim_finishes", number=core) for core in cores
        ]
        self._wait, self._news = constant("LS_SIM_WAIT"), constant("LS_SIM_PUBLISHED")
        self._finish = packer("ls_sim_call", "ls_controller_task").pack
        self._sample = packer("ls_sim_call", "ls_pmu").pack
        self._bursts = Struct(packer("ls_sim_call").format + "QQ").pack

    @property
    def is_off(self) -> bool:
        """Whether nothing is recorded."""
        return self._sim is None

    def close(self) -> None:
        """Publish the open buffers, after the last task."""
        if self._sim is not None:
            for lane in (*self.cores, *self._finished, *self._controllers):
                lane.flush()
            self._close(self._sim)
            self._free(self._sim)
            self._sim = None

    def admit(self, core: int, now_ps: int) -> bool:
        """Say whether the next task may be dispatched to this core."""
        if self._sim is None or not self._rotates:
            return True
        return bool(self._admit(self._sim, core, now_ps))

    def dispatch(self, core: int, dispatch_ps: int) -> None:
        """Note that a task is dispatched to this core."""
        if self._sim is not None and self._rotates:
            self._dispatch(self._sim, core, dispatch_ps)

    def give(self, core: int, now_ps: int, dispatch_ps: int) -> bool:
        """Dispatch to this core at `dispatch_ps` if that is allowed now; say whether it was."""
        if self._sim is None or not self._rotates:
            return True
        return bool(self._give(self._sim, core, now_ps, dispatch_ps))

    def task(self, core: int, now_ps: int, *fields: int) -> bool:
        """Write a core's record; fields: receive_ps, start_ps, end_ps, task, token."""
        return self._sim is None or self.cores[core].add(now_ps, *fields)

    def finish(self, core: int, now_ps: int, *fields: int) -> bool:
        """Write a controller's record of a task that it saw end.

        fields: dispatch_ps, finish_ps, task, token, func.
        """
        if self._sim is None:
            return True
        if not self._rotates:
            return self._finished[core].add(now_ps, *fields)
        _, finish, task, token, func = fields
        call = self._finish(self._sim, now_ps, core, 0, finish, token, func, task)
        outcome = self._write_finish(call)
        if outcome:
            return self._done(outcome, now_ps)
        self.switched = False
        return True

    def sample(self, core: int, now_ps: int, *fields: int) -> bool:
        """Write a record of counters; fields: those of ls_pmu."""
        if self._sim is None:
            return True
        call = self._sample(self._sim, now_ps, core, *fields)
        return self._done(self._write_sample(call), now_ps)

    def bursts(self, core: int, now_ps: int, counts: tuple[int, int], data: bytes) -> Written:
        """Write whole bursts of a core's trace engine.

        `counts` are the chunks that the engine made, and those that were taken, so far.
        """
        count = len(data) // BURST_BYTES
        if self._sim is None:
            return Written(count, 0)
        outcome = self._write_bursts(self._bursts(self._sim, now_ps, core, *counts) + data, count)
        if outcome >> 32:
            self._published(now_ps)
        return Written(outcome & 0xFFFFFFFF, outcome >> 32)

    def phases_of(self, role: str, number: int) -> RecordLane:
        """Return the lane for a controller's phases; role: `scheduler` or `orchestrator`."""
        lane = RecordLane(self, f"ls_{role}_phase", f"ls_sim_{role}_phases", number=number)
        self._controllers.append(lane)
        return lane

    def write(
        self,
        call: Callable[[bytes, int], int],
        owner: tuple[Callable[..., bytes], int],
        records: list[bytes],
        now_ps: int,
    ) -> int:
        """Write records of one lane.

        Returns twice the room that is left, plus 1 where a buffer was published; negative: there
        is no buffer.
        """
        head, number = owner
        first = head(self._sim, now_ps, number)
        outcome = call(first + b"".join(records), len(records))
        return outcome if self._done(outcome if outcome < 0 else outcome & 1, now_ps) else -1

    def _done(self, outcome: int, now_ps: int) -> bool:
        """Tell the host of a published buffer; say whether the record had a buffer."""
        self.switched = outcome == self._news
        if self.switched:
            self._published(now_ps)
        return outcome != self._wait


class RecordLane:
    """The records of one core's tasks or of one controller's phases.

    A few records are kept back while the open buffer has room, and written together, because a
    native call takes longer than a record. Where speed matters, a caller packs a record itself and
    appends it to `held`, if `room` is more than 1.
    """

    def __init__(self, device: SimDevice, record: str, write: str, *, number: int) -> None:
        self._device = device
        self._number = number
        self._native = getattr(library(), write)
        self._head = packer("ls_sim_call").pack
        self.pack = packer(record).pack
        self.room = 0
        """One more than the number of records that may still be kept back."""
        self.held: list[bytes] = []

    def add(self, now_ps: int, *fields: int) -> bool:
        """Write or keep back one record; fields: the record's, with times in ps."""
        record = self.pack(*fields)
        if self.room > 1:
            self.room -= 1
            self.held.append(record)
            self._device.switched = False
            return True
        return self.write(record, now_ps)

    def write(self, record: bytes, now_ps: int) -> bool:
        """Write this record after those that were kept back; False: there is no buffer."""
        return self._device.is_off or self._write_all([*self.held, record], now_ps)

    def flush(self) -> None:
        """Write what was kept back."""
        if self.held:
            self._write_all(self.held, 0)

    def _write_all(self, records: list[bytes], now_ps: int) -> bool:
        room = self._device.write(self._native, (self._head, self._number), records, now_ps)
        if room < 0:
            return False
        self.held = []
        self.room = min(room >> 1, _MOST_HELD)
        return True
