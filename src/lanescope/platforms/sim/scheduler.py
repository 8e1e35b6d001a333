"""A scheduler thread: it sees tasks end, tells their successors, and gives cores the next tasks.

One round looks at everything once. The scheduler's time runs ahead of the kernel's time (see
`phases`) until the round is over, or until others can see an effect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

from lanescope.platforms.sim.cores import CoreEvents
from lanescope.platforms.sim.dispatch import Dispatcher
from lanescope.platforms.sim.kernel import Steps, Wait
from lanescope.platforms.sim.machine import SimCore, SimMachine
from lanescope.platforms.sim.phases import CODES, Depths, Phases
from lanescope.workloads.graph import NodeKind

_COMPLETE, _RESOLVE, _DUMMY = CODES["complete"], CODES["resolve"], CODES["dummy"]
_RELEASE, _ASYNC_POLL = CODES["release"], CODES["async_poll"]
_MARKERS = {NodeKind.DUMMY: CODES["dummy_task"], NodeKind.SKIPPED: CODES["predicated_skip"]}
"""Kind of a node that no core runs to the code of its phase, which is a point in time."""


class Scheduler:
    """One scheduler thread and the cores that it serves."""

    def __init__(self, machine: SimMachine, cores: CoreEvents, number: int) -> None:
        self._machine = machine
        self._kernel = machine.kernel
        self._device = machine.device
        self._core_events = cores
        self._number = number
        self._costs = machine.chip.scheduler
        self._phases = Phases(machine, number)
        self.dispatcher = Dispatcher(machine, cores, self._phases, number=number)
        self._awaited = 0
        """How many tasks have left their core and wait for an engine."""
        self._engine_done: deque[int] = deque()
        """Tasks whose engine has ended."""
        self._unreleased: list[int] = []
        """Finished tasks whose places in the window are not given back yet."""
        self.ended_ps = 0

    def run(self, everyone: list[Dispatcher]) -> Steps:
        """Work in rounds until all tasks are done; `everyone` are all schedulers' dispatchers."""
        machine, kernel, phases = self._machine, self._kernel, self._phases
        mine, rounds = machine.finished[self._number], machine.rounds[self._number]
        release_tasks = self._costs.release_tasks
        while True:
            if phases.time_ps > kernel.now_ps:
                yield phases.time_ps - kernel.now_ps
            phases.time_ps = kernel.now_ps
            if mine:
                yield from self._complete()
            if self._engine_done or machine.silent:
                yield from self._end_others()
            self._hand_out(everyone)
            if self._unreleased and (
                len(self._unreleased) >= release_tasks or self._somebody_waits()
            ):
                self._release()
            if phases.stuck:
                yield from phases.unstick()
            phases.loop += 1
            if mine or self._engine_done or machine.silent:
                continue
            if machine.over and not self._unreleased:
                break
            # Whatever comes next fires `rounds`; it is seen after the present work is over.
            phases.loop += yield rounds.of(self._round_ps(), phases.time_ps)
        yield from self._end()

    def _end(self) -> Steps:
        """Stop the trace engines, and let the kernel's time catch up."""
        perfmon, kernel, phases = self._machine.perfmon, self._kernel, self._phases
        if perfmon is not None:
            time_ps = max(phases.time_ps, kernel.now_ps)
            phases.time_ps = yield from perfmon.stop(self._number, time_ps=time_ps)
        if phases.time_ps > kernel.now_ps:
            yield phases.time_ps - kernel.now_ps
        self.ended_ps = kernel.now_ps

    def _hand_out(self, everyone: list[Dispatcher]) -> None:
        """Give tasks to cores; while blocks must start together, nothing else is given out."""
        machine = self._machine
        if machine.together:
            self.dispatcher.drain(everyone)
            return
        if machine.mixed or any(machine.ready):
            self.dispatcher.dispatch()
        if machine.unplaced is not None and any(machine.early_ready):
            self.dispatcher.dispatch_early()

    def _round_ps(self) -> int:
        """Return how long a round without news takes.

        It looks at the cores that hold a task, and at the engines that it waits for.
        """
        costs = self._costs
        looks_ps = costs.poll_core_ps * self.dispatcher.holding
        return costs.loop_ps + looks_ps + costs.poll_engine_ps * self._awaited

    # ---- complete, and inside it resolve -----------------------------------------------------

    def _complete(self) -> Steps:
        """See the tasks that have ended, record them, and tell their successors."""
        machine, phases = self._machine, self._phases
        start, before = phases.time_ps, phases.depths()
        time = start + self._costs.poll_core_ps * self.dispatcher.holding
        batch = machine.finished[self._number]
        done: list[int] = []
        parts, costs, device = machine.parts, machine.costs, self._device
        count = len(batch)
        for _ in range(count):
            core, task, token = batch.popleft()
            finish = time = time + self._costs.complete_ps
            fields = (core.sent.popleft(), finish, task, token, machine.func[task])
            if not device.finish(core.number, time, *fields):
                time = yield from self._finish_later(core.number, time, fields)
            time += costs.task_ps
            if device.switched:
                time += costs.rotate_ps
            machine.held_up_ps += costs.shared_ps
            if machine.reads_hardware:
                time = yield from self._read_hardware(core, task, token, time_ps=time)
            self.dispatcher.move(core, core.outstanding - 1)
            parts[task] -= 1
            if parts[task] == 0:
                done.append(task)
            if machine.truth is not None:
                machine.truth.tasks.append(
                    self._core_events.true_task(core.number, token, task, finish)
                )
        phases.time_ps = time
        if machine.wait_ps is not None:
            done = self._without_awaited(done)
        if done:
            yield from self._end_tasks(done, before)
        phases.add(_COMPLETE, start, before, tasks=count)
        if phases.stuck:
            yield from phases.unstick()

    def _read_hardware(
        self, core: SimCore, task: int, token: int, *, time_ps: int
    ) -> Generator[Wait, Any, int]:
        """Read counters and trace engine of the core that finished; return the time then."""
        machine = self._machine
        if machine.pmu is not None:
            time_ps = yield from machine.pmu.record(core, task, token, time_ps=time_ps)
        if machine.perfmon is not None:
            time_ps = yield from machine.perfmon.drain(core, time_ps=time_ps)
        return time_ps

    def _finish_later(
        self, core: int, time_ps: int, fields: tuple[int, ...]
    ) -> Generator[Wait, Any, int]:
        """Wait for the host until the record is written; return the time then."""
        kernel = self._kernel
        while not self._device.finish(core, time_ps, *fields):
            if time_ps > kernel.now_ps:
                yield time_ps - kernel.now_ps  # the host may come meanwhile, so ask again
                continue
            yield self._machine.host_gave
            time_ps = kernel.now_ps
        return time_ps

    def _without_awaited(self, tasks: list[int]) -> list[int]:
        """Return the tasks that are done; of the others, an engine reports the end later."""
        wait_ps = self._machine.wait_ps
        assert wait_ps is not None
        for task in tasks:
            if wait_ps[task]:
                self._awaited += 1
                ready = self._phases.time_ps + wait_ps[task]
                self._kernel.call_after(ready - self._kernel.now_ps, self._engine_ended, task)
        return [task for task in tasks if not wait_ps[task]]

    def _end_others(self) -> Steps:
        """End what no core ends: engines' work, and nodes that no core runs."""
        if self._engine_done:
            yield from self._poll_engines()
        if self._machine.silent:
            yield from self._settle()

    def _engine_ended(self, task: int) -> None:
        """An engine has ended its work on a task."""
        self._engine_done.append(task)
        self._machine.rounds[self._number].fire()

    def _poll_engines(self) -> Steps:
        """See which engines have ended, and tell the successors of their tasks."""
        phases = self._phases
        start, before = phases.time_ps, phases.depths()
        tasks = list(self._engine_done)
        self._engine_done.clear()
        phases.time_ps += self._costs.poll_engine_ps * self._awaited
        self._awaited -= len(tasks)
        yield from self._end_tasks(tasks, before)
        phases.add(_ASYNC_POLL, start, before, tasks=len(tasks))
        if phases.stuck:
            yield from phases.unstick()

    def _settle(self) -> Steps:
        """End the nodes that no core runs: they are done as soon as it is their turn."""
        machine, phases = self._machine, self._phases
        start, before = phases.time_ps, phases.depths()
        tasks = list(machine.silent)
        machine.silent.clear()
        for task in tasks:
            phases.time_ps += self._costs.pop_ps
            code = _MARKERS[NodeKind(machine.nodes[task])]
            phases.add(code, phases.time_ps, phases.depths(), tasks=1, task=task)
        yield from self._end_tasks(tasks, before)
        phases.add(_DUMMY, start, before, tasks=len(tasks))
        if phases.stuck:
            yield from phases.unstick()

    def _end_tasks(self, tasks: list[int], before: Depths) -> Steps:
        """Tell the successors of these tasks; others see the effect when all are told.

        `before` are the depths of the ready queues at the beginning.
        """
        machine, kernel, phases = self._machine, self._kernel, self._phases
        self._unreleased += tasks
        if machine.computation is not None:
            for task in tasks:
                if machine.nodes[task] == NodeKind.RUN:
                    machine.computation.finished(task, phases.time_ps)
        successors: list[int] = []
        for task in tasks:
            successors += machine.successors_of(task)
        start = phases.time_ps
        phases.time_ps += len(successors) * self._costs.resolve_edge_ps
        if successors or machine.done + len(tasks) == len(machine.func):
            yield phases.time_ps - kernel.now_ps
        remaining = machine.remaining
        for successor in successors:
            remaining[successor] -= 1
            if not remaining[successor]:
                machine.became_ready(successor)
        if successors:
            phases.add(_RESOLVE, start, before, tasks=len(successors))
            if phases.stuck:
                yield from phases.unstick()
        machine.ended(len(tasks))

    # ---- release -----------------------------------------------------------------------------

    def _somebody_waits(self) -> bool:
        """Say whether the orchestrator waits for places, or only the releases are left to do."""
        return self._machine.over or self._machine.orchestrator_waits

    def _release(self) -> None:
        """Give back the places of finished tasks."""
        machine, phases = self._machine, self._phases
        start, before = phases.time_ps, phases.depths()
        tasks, self._unreleased = self._unreleased, []
        phases.time_ps += len(tasks) * self._costs.release_ps
        if machine.window is not None:
            self._kernel.call_after(
                phases.time_ps - self._kernel.now_ps, self._release_places, tasks
            )
        phases.add(_RELEASE, start, before, tasks=len(tasks))

    def _release_places(self, tasks: list[int]) -> None:
        window = self._machine.window
        assert window is not None
        window.release(tasks)
