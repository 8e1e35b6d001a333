"""The simulated device's recording: the real headers, writing into the real region.

Times come in picoseconds and are recorded as ticks of the chip's counter, rounded down. A call
that returns False found no buffer: the simulation waits until the host gave one back and calls
again. Without a region every call does nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from lanescope.device.layouts import constant, packer
from lanescope.native import library
from lanescope.platforms.sim.kernel import PS_PER_S


class SimDevice:
    """All handles of one run; `published` is called whenever a buffer waits for the host."""

    def __init__(self, region_address: int, counter_hz: int, published: Callable[[], None]) -> None:
        native = library()
        self._hz = counter_hz
        self._published = published
        self.on = region_address != 0
        self._sim = native.ls_sim_open(region_address) if self.on else None
        if self.on and self._sim is None:
            raise MemoryError
        self._native = native
        self._wait, self._news = constant("LS_SIM_WAIT"), constant("LS_SIM_PUBLISHED")
        self._task = packer("ls_core_task").pack
        self._finish = packer("ls_controller_task").pack
        self._scheduler_phase = packer("ls_scheduler_phase").pack
        self._orchestrator_phase = packer("ls_orchestrator_phase").pack

    def cycles(self, time_ps: int) -> int:
        return time_ps * self._hz // PS_PER_S

    def close(self) -> None:
        """After the last task: publish what is open."""
        if self._sim is not None:
            self._native.ls_sim_close(self._sim)
            self._native.ls_sim_free(self._sim)
            self._sim = None

    def admit(self, core: int, now_ps: int) -> bool:
        """May the next task be dispatched to this core?"""
        if self._sim is None:
            return True
        return bool(self._native.ls_sim_admit(self._sim, core, self.cycles(now_ps)))

    def dispatch(self, core: int, dispatch_ps: int) -> None:
        if self._sim is not None:
            self._native.ls_sim_dispatch(self._sim, core, self.cycles(dispatch_ps))

    def task(self, core: int, now_ps: int, *fields: int) -> bool:
        """fields: receive_ps, start_ps, end_ps, task, token."""
        if self._sim is None:
            return True
        receive, start, end, task, token = fields
        hz = self._hz
        first = start * hz // PS_PER_S
        record = self._task(
            first, end * hz // PS_PER_S, task, token, first - receive * hz // PS_PER_S
        )
        now = now_ps * hz // PS_PER_S
        return self._done(self._native.ls_sim_task(self._sim, core, now, record))

    def finish(self, core: int, now_ps: int, *fields: int) -> bool:
        """fields: finish_ps, token, func, task."""
        if self._sim is None:
            return True
        finish, token, func, task = fields
        record = self._finish(0, self.cycles(finish), token, func, task)
        now = self.cycles(now_ps)
        return self._done(self._native.ls_sim_finish(self._sim, core, now, record))

    def scheduler_phase(self, scheduler: int, now_ps: int, *fields: int) -> bool:
        """fields: start_ps, end_ps, then those of ls_scheduler_phase from `loop` on."""
        if self._sim is None:
            return True
        hz = self._hz
        record = self._scheduler_phase(
            fields[0] * hz // PS_PER_S, fields[1] * hz // PS_PER_S, *fields[2:]
        )
        now = now_ps * hz // PS_PER_S
        return self._done(self._native.ls_sim_scheduler_phase(self._sim, scheduler, now, record))

    def orchestrator_phase(self, orchestrator: int, now_ps: int, *fields: int) -> bool:
        """fields: start_ps, end_ps, task, submit, kind."""
        if self._sim is None:
            return True
        start, end, *rest = fields
        record = self._orchestrator_phase(self.cycles(start), self.cycles(end), *rest)
        now = self.cycles(now_ps)
        return self._done(
            self._native.ls_sim_orchestrator_phase(self._sim, orchestrator, now, record)
        )

    def _done(self, outcome: int) -> bool:
        if outcome == self._wait:
            return False
        if outcome == self._news:
            self._published()
        return True
