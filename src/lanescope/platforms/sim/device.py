"""The simulated device's recording: the real headers, writing into the real region.

Times come in picoseconds and are recorded as ticks of the chip's counter, rounded down. A call
that returns False found no buffer: the simulation waits until the host gave one back and calls
again. Without a region every call does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from lanescope.device.layouts import constant, packer
from lanescope.native import library
from lanescope.platforms.sim.kernel import PS_PER_S


class SimDevice:
    """All handles of one run; `published` is called with the time whenever a buffer waits for the
    host, and `switched` tells of the last call whether it published one.

    A run recorded at level 4 spends nearly half its time here, so times are converted in place.
    """

    def __init__(
        self, region_address: int, counter_hz: int, published: Callable[[int], None]
    ) -> None:
        native = library()
        common = gcd(counter_hz, PS_PER_S)
        self._ticks, self._per_ps = counter_hz // common, PS_PER_S // common
        self._published = published
        self.switched = False
        self._sim = native.ls_sim_open(region_address) if region_address else None
        if region_address and self._sim is None:
            raise MemoryError
        self._close, self._free = native.ls_sim_close, native.ls_sim_free
        self._admit, self._dispatch = native.ls_sim_admit, native.ls_sim_dispatch
        self._write_task, self._write_finish = native.ls_sim_task, native.ls_sim_finish
        self._write_sample = native.ls_sim_sample
        self._write_scheduler = native.ls_sim_scheduler_phase
        self._write_orchestrator = native.ls_sim_orchestrator_phase
        self._wait, self._news = constant("LS_SIM_WAIT"), constant("LS_SIM_PUBLISHED")
        self._task = packer("ls_sim_call", "ls_core_task").pack
        self._finish = packer("ls_sim_call", "ls_controller_task").pack
        self._sample = packer("ls_sim_call", "ls_pmu").pack
        self._scheduler_phase = packer("ls_sim_call", "ls_scheduler_phase").pack
        self._orchestrator_phase = packer("ls_sim_call", "ls_orchestrator_phase").pack

    def close(self) -> None:
        """After the last task: publish what is open."""
        if self._sim is not None:
            self._close(self._sim)
            self._free(self._sim)
            self._sim = None

    def admit(self, core: int, now_ps: int) -> bool:
        """May the next task be dispatched to this core?"""
        if self._sim is None:
            return True
        return bool(self._admit(self._sim, core, now_ps * self._ticks // self._per_ps))

    def dispatch(self, core: int, dispatch_ps: int) -> None:
        if self._sim is not None:
            self._dispatch(self._sim, core, dispatch_ps * self._ticks // self._per_ps)

    def task(self, core: int, now_ps: int, *fields: int) -> bool:
        """fields: receive_ps, start_ps, end_ps, task, token."""
        if self._sim is None:
            return True
        receive, start, end, task, token = fields
        ticks, per_ps = self._ticks, self._per_ps
        first = start * ticks // per_ps
        delay = first - receive * ticks // per_ps
        now = now_ps * ticks // per_ps
        call = self._task(self._sim, now, core, first, end * ticks // per_ps, task, token, delay)
        return self._done(self._write_task(call), now_ps)

    def finish(self, core: int, now_ps: int, *fields: int) -> bool:
        """fields: finish_ps, token, func, task."""
        if self._sim is None:
            return True
        finish, token, func, task = fields
        ticks, per_ps = self._ticks, self._per_ps
        now = now_ps * ticks // per_ps
        call = self._finish(self._sim, now, core, 0, finish * ticks // per_ps, token, func, task)
        return self._done(self._write_finish(call), now_ps)

    def sample(self, core: int, now_ps: int, *fields: int) -> bool:
        """fields: those of ls_pmu."""
        if self._sim is None:
            return True
        call = self._sample(self._sim, now_ps * self._ticks // self._per_ps, core, *fields)
        return self._done(self._write_sample(call), now_ps)

    def scheduler_phase(self, scheduler: int, now_ps: int, *fields: int) -> bool:
        """fields: start_ps, end_ps, then those of ls_scheduler_phase from `loop` on."""
        if self._sim is None:
            return True
        start, end, *rest = fields
        ticks, per_ps = self._ticks, self._per_ps
        now = now_ps * ticks // per_ps
        call = self._scheduler_phase(
            self._sim, now, scheduler, start * ticks // per_ps, end * ticks // per_ps, *rest
        )
        return self._done(self._write_scheduler(call), now_ps)

    def orchestrator_phase(self, orchestrator: int, now_ps: int, *fields: int) -> bool:
        """fields: start_ps, end_ps, task, submit, kind."""
        if self._sim is None:
            return True
        start, end, *rest = fields
        ticks, per_ps = self._ticks, self._per_ps
        now = now_ps * ticks // per_ps
        call = self._orchestrator_phase(
            self._sim, now, orchestrator, start * ticks // per_ps, end * ticks // per_ps, *rest
        )
        return self._done(self._write_orchestrator(call), now_ps)

    def _done(self, outcome: int, now_ps: int) -> bool:
        self.switched = outcome == self._news
        if self.switched:
            self._published(now_ps)
        return outcome != self._wait
