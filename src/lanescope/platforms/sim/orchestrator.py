"""The orchestrator: submits the tasks in order, and ends scopes."""

from __future__ import annotations

from collections import defaultdict

from lanescope.device.layouts import constant
from lanescope.platforms.sim.kernel import Steps
from lanescope.platforms.sim.machine import SimMachine
from lanescope.platforms.sim.truth import TruePhase
from lanescope.platforms.sim.window import Window
from lanescope.trace.flags import Feature


class Orchestrator:
    """The controller that submits. The record of a submit includes the wait for a place."""

    def __init__(self, machine: SimMachine) -> None:
        self._machine = machine
        self._kinds = {
            name: constant(f"LS_ORCHESTRATOR_{name.upper()}") for name in ("submit", "scope_end")
        }
        self._records = bool(machine.setup.features & Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES)
        self._lane = machine.device.phases_of("orchestrator", 0)
        self._submit = self._kinds["submit"]
        self._owed_ps = 0
        self.ended_ps = 0

    def run(self) -> Steps:
        """Submit all tasks, and end scopes where they end."""
        machine, kernel = self._machine, self._machine.kernel
        costs, window = machine.chip.orchestrator, machine.window
        ends = scope_ends(machine)
        for task, fan_in in enumerate(machine.fan_in):
            if task in ends:
                yield from self._end_scopes(ends[task])
            start, owed = kernel.now_ps + self._owed_ps, self._owed_ps
            self._owed_ps = 0
            if window is not None and not window.submit(task):
                yield from self._wait_for_place(window, task)
                owed = max(start - kernel.now_ps, 0)
            held_up, machine.held_up_ps = machine.held_up_ps, 0
            yield owed + costs.submit_ps + fan_in * costs.submit_edge_ps + held_up
            machine.submitted(task)
            if (
                self._records
                and not self._kept_back(start, task)
                and (not self._recorded("submit", start, task))
            ):
                yield from self._wait("submit", start, task)
        yield from self._end_scopes(ends[len(machine.fan_in)])
        if self._owed_ps:
            yield self._owed_ps
        self.ended_ps = kernel.now_ps

    def _wait_for_place(self, window: Window, task: int) -> Steps:
        """Wait until the window has a place for the task."""
        machine = self._machine
        machine.orchestrator_waits = True
        while not window.submit(task):
            machine.wake()
            yield window.freed
        machine.orchestrator_waits = False

    def _end_scopes(self, scopes: list[int]) -> Steps:
        """End these scopes, one after the other."""
        machine, kernel = self._machine, self._machine.kernel
        for scope in scopes:
            first, end = machine.scopes[scope]
            start = kernel.now_ps + self._owed_ps
            owed, self._owed_ps = self._owed_ps, 0
            yield owed + machine.chip.orchestrator.scope_end_ps * (end - first)
            if machine.window is not None:
                machine.window.end_scope(scope)
            if self._records and not self._recorded("scope_end", start, end - 1):
                yield from self._wait("scope_end", start, end - 1)

    def _kept_back(self, start: int, task: int) -> bool:
        """Keep back the record of a submit, if there is room and the truth is not kept."""
        machine, lane = self._machine, self._lane
        if lane.room < 2 or machine.truth is not None:
            return False
        lane.room -= 1
        lane.held.append(
            lane.pack(start, machine.kernel.now_ps, task, task & 0xFFFFFFFF, self._submit)
        )
        self._owed_ps = machine.costs.orchestrator_phase_ps
        return True

    def _recorded(self, kind: str, start: int, task: int, end: int | None = None) -> bool:
        """Write a record of what ends now, or ended at `end`; say whether it had a buffer."""
        machine, now = self._machine, self._machine.kernel.now_ps
        end = now if end is None else end
        if not self._lane.add(now, start, end, task, task & 0xFFFFFFFF, self._kinds[kind]):
            return False
        if machine.truth is not None:
            machine.truth.phases.append(TruePhase("orchestrator", 0, kind, start, end, 0, 0, task))
        self._owed_ps = machine.costs.orchestrator_phase_ps
        if machine.device.switched:
            self._owed_ps += machine.costs.rotate_ps
        return True

    def _wait(self, kind: str, start: int, task: int) -> Steps:
        """Wait for the host until the record is written."""
        end = self._machine.kernel.now_ps
        while True:
            yield self._machine.host_gave
            if self._recorded(kind, start, task, end):
                return


def scope_ends(machine: SimMachine) -> defaultdict[int, list[int]]:
    """Return the scopes that end before each task, inner scopes first."""
    ends: defaultdict[int, list[int]] = defaultdict(list)
    for number, (_, end) in enumerate(machine.scopes):
        ends[end].append(number)
    return ends
