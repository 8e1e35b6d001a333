"""The simulated device's recording: the real headers, writing into the real region.

Times are picoseconds; the library records them as ticks of the chip's counter, rounded down. A call
that returns False found no buffer: the simulation waits until the host gave one back and calls
again. Without a region every call does nothing.
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
    """How many bursts are done with, the others wait for a buffer; and buffers published."""

    bursts: int
    buffers: int


_MOST_HELD = 64


class SimDevice:
    """All handles of one run; `published` is called with the time whenever a buffer waits for the
    host, and `switched` tells of the last call whether it published one.
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
        """whether dispatches matter to the cores' buffers; otherwise they are told with the end"""
        self._finished = [
            RecordLane(self, "ls_sim_finished", "ls_sim_finishes", number=core) for core in cores
        ]
        self._wait, self._news = constant("LS_SIM_WAIT"), constant("LS_SIM_PUBLISHED")
        self._finish = packer("ls_sim_call", "ls_controller_task").pack
        self._sample = packer("ls_sim_call", "ls_pmu").pack
        self._bursts = Struct(packer("ls_sim_call").format + "QQ").pack

    @property
    def is_off(self) -> bool:
        return self._sim is None

    def close(self) -> None:
        """After the last task: publish what is open."""
        if self._sim is not None:
            for lane in (*self.cores, *self._finished, *self._controllers):
                lane.flush()
            self._close(self._sim)
            self._free(self._sim)
            self._sim = None

    def admit(self, core: int, now_ps: int) -> bool:
        """May the next task be dispatched to this core?"""
        if self._sim is None or not self._rotates:
            return True
        return bool(self._admit(self._sim, core, now_ps))

    def dispatch(self, core: int, dispatch_ps: int) -> None:
        if self._sim is not None and self._rotates:
            self._dispatch(self._sim, core, dispatch_ps)

    def give(self, core: int, now_ps: int, dispatch_ps: int) -> bool:
        """Admit now, and dispatch then if that may be."""
        if self._sim is None or not self._rotates:
            return True
        return bool(self._give(self._sim, core, now_ps, dispatch_ps))

    def task(self, core: int, now_ps: int, *fields: int) -> bool:
        """fields: receive_ps, start_ps, end_ps, task, token."""
        return self._sim is None or self.cores[core].add(now_ps, *fields)

    def finish(self, core: int, now_ps: int, *fields: int) -> bool:
        """The controller has seen a task end; fields: dispatch_ps, finish_ps, task, token, func."""
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
        """fields: those of ls_pmu."""
        if self._sim is None:
            return True
        call = self._sample(self._sim, now_ps, core, *fields)
        return self._done(self._write_sample(call), now_ps)

    def bursts(self, core: int, now_ps: int, counts: tuple[int, int], data: bytes) -> Written:
        """Whole bursts of a core's trace engine, and how many chunks it made and wrote so far."""
        count = len(data) // BURST_BYTES
        if self._sim is None:
            return Written(count, 0)
        found = self._write_bursts(self._bursts(self._sim, now_ps, core, *counts) + data, count)
        if found >> 32:
            self._published(now_ps)
        return Written(found & 0xFFFFFFFF, found >> 32)

    def phases_of(self, role: str, number: int) -> RecordLane:
        """Where the phases of a controller go; role: scheduler or orchestrator."""
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
        """Records of one lane in a row; negative: there is no buffer."""
        head, number = owner
        first = head(self._sim, now_ps, number)
        found = call(first + b"".join(records), len(records))
        return found if self._done(found if found < 0 else found & 1, now_ps) else -1

    def _done(self, outcome: int, now_ps: int) -> bool:
        self.switched = outcome == self._news
        if self.switched:
            self._published(now_ps)
        return outcome != self._wait


class RecordLane:
    """One core's tasks or one controller's phases. Records are kept back while the open buffer has
    room, a few at most, and written together: a native call costs more than a record.

    Who writes most may pack a record and put it into `held` where `room` is more than 1.
    """

    def __init__(self, device: SimDevice, record: str, write: str, *, number: int) -> None:
        self._device = device
        self._number = number
        self._native = getattr(library(), write)
        self._head = packer("ls_sim_call").pack
        self.pack = packer(record).pack
        self.room = 0
        """how many more may be kept back, and one"""
        self.held: list[bytes] = []

    def add(self, now_ps: int, *fields: int) -> bool:
        """fields: the record's, with times in ps."""
        record = self.pack(*fields)
        if self.room > 1:
            self.room -= 1
            self.held.append(record)
            self._device.switched = False
            return True
        return self.write(record, now_ps)

    def write(self, record: bytes, now_ps: int) -> bool:
        """What was kept back and this; False: there is no buffer, so nothing is kept back."""
        return self._device.is_off or self._write_all([*self.held, record], now_ps)

    def flush(self) -> None:
        if self.held:
            self._write_all(self.held, 0)

    def _write_all(self, records: list[bytes], now_ps: int) -> bool:
        found = self._device.write(self._native, (self._head, self._number), records, now_ps)
        if found < 0:
            return False
        self.held = []
        self.room = min(found >> 1, _MOST_HELD)
        return True
