"""What the controllers do: an orchestrator that submits, schedulers that complete and dispatch.

A controller's time is added up, and the kernel is asked once for all of it before anything happens
that others can see: records carry their own times, so nothing is lost by that. What a record of a
phase costs is owed (`_owed_ps`) and paid with the next step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

from lanescope.device.layouts import constant
from lanescope.platforms.sim.cores import Cores
from lanescope.platforms.sim.kernel import Steps, Wanted
from lanescope.platforms.sim.machine import Machine, SimCore
from lanescope.platforms.sim.truth import TruePhase
from lanescope.trace.flags import Feature
from lanescope.workloads.graph import NodeKind

_NO_TASK = (1 << 64) - 1
_DEPTHS = 3
_DEEPEST = 32767


_SILENT = {NodeKind.DUMMY: "dummy", NodeKind.SKIPPED: "predicated_skip"}
"""the phase in which a node that no core runs is done"""


def clusters(cores: list[SimCore], kinds: tuple[str, ...]) -> list[tuple[SimCore, list[SimCore]]]:
    """Each cube core with the vector cores of its cluster."""
    return [
        (cube, [c for c in cores if c.cluster == cube.cluster and kinds[c.number] == "aiv"])
        for cube in cores
        if kinds[cube.number] == "aic"
    ]


class Orchestrator:
    """Submits the tasks in order; can be slower than everything else."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._kind = constant("LS_ORCHESTRATOR_SUBMIT")
        self.ended_ps = 0

    def run(self) -> Steps:
        machine, kernel = self._machine, self._machine.kernel
        costs, record_ps = machine.chip.orchestrator, machine.costs.orchestrator_phase_ps
        records = bool(machine.setup.features & Feature.CHIP_SWIMLANE_ORCHESTRATOR_PHASES)
        owed = 0
        for task, fan_in in enumerate(machine.fan_in):
            start = kernel.now_ps + owed
            yield owed + costs.submit_ps + fan_in * costs.submit_edge_ps
            end = kernel.now_ps
            machine.arrived(task)
            if records:
                fields = (start, end, task, task & 0xFFFFFFFF, self._kind)
                while not machine.device.orchestrator_phase(0, kernel.now_ps, *fields):
                    yield machine.host_gave
                if machine.truth is not None:
                    machine.truth.phases.append(
                        TruePhase("orchestrator", 0, "submit", start, end, 0, 0, task)
                    )
                owed = record_ps + (machine.costs.rotate_ps if machine.device.switched else 0)
        if owed:
            yield owed
        self.ended_ps = kernel.now_ps


class Scheduler:
    """One scheduler thread and the cores it serves."""

    def __init__(self, machine: Machine, cores: Cores, number: int) -> None:
        self._machine = machine
        self._kernel = machine.kernel
        self._device = machine.device
        self._core_events = cores
        self._number = number
        self._costs = machine.chip.scheduler
        self._link_ps = machine.chip.link.dispatch_latency_ps
        self._records = bool(machine.setup.features & Feature.CHIP_SWIMLANE_PHASE_BUFFERS)
        self._own = [core for core in machine.cores if core.controller == number]
        self._loop = 0
        self._holding = 0
        """cores that have a task"""
        self._owed_ps = 0
        self._room: list[list[dict[SimCore, None]]] = [
            [{} for _ in range(machine.setup.pre_dispatch + 1)] for _ in machine.graph.kinds
        ]
        for core in self._own:
            if core.kind >= 0:
                self._room[core.kind][0][core] = None
                machine.room[number][core.kind] += 1
        self._codes = {
            kind: constant(f"LS_PHASE_{kind.upper()}")
            for kind in ("complete", "dispatch", "resolve", "dummy", "predicated_skip")
        }
        self._clusters = clusters(self._own, machine.chip.core_kinds())
        none: deque[int] = deque()
        self._queues = [*machine.depths, *[none] * (_DEPTHS - len(machine.depths))]
        self.ended_ps = 0

    def run(self) -> Steps:
        machine, kernel = self._machine, self._kernel
        mine = machine.finished[self._number]
        while True:
            worked = bool(mine)
            if mine:
                yield from self._complete()
            if machine.silent:
                worked = True
                yield from self._settle()
            if machine.mixed or any(machine.ready):
                worked |= yield from self._dispatch()
            self._loop += 1
            if worked:
                continue
            if self._owed_ps:
                yield from self._pay()
                continue
            if machine.over:
                break
            since = kernel.now_ps
            round_ps = max(self._costs.loop_ps + self._poll_ps(), 1)
            yield machine.signals[self._number]
            # It went round and round meanwhile, and sees the news in the next whole round.
            rounds, inside = divmod(kernel.now_ps - since, round_ps)
            self._loop += rounds
            if inside:
                yield round_ps - inside
        self.ended_ps = kernel.now_ps

    def _pay(self, more_ps: int = 0) -> Steps:
        """Let the time pass that is owed, and more."""
        due, self._owed_ps = self._owed_ps + more_ps, 0
        yield due

    # ---- complete, and inside it resolve -----------------------------------------------------

    def _poll_ps(self) -> int:
        """It looks at the cores that it gave something to do."""
        return self._costs.poll_core_ps * self._holding

    def _complete(self) -> Steps:
        machine, kernel = self._machine, self._kernel
        start, before = kernel.now_ps + self._owed_ps, self._depths()
        time, self._owed_ps = start + self._poll_ps(), 0
        batch = list(machine.finished[self._number])
        machine.finished[self._number].clear()
        done: list[int] = []
        for core, task, token, _ in batch:
            finish = time = time + self._costs.complete_ps
            func = machine.func[task]
            while not self._device.finish(core.number, time, finish, token, func, task):
                if time > kernel.now_ps:
                    yield time - kernel.now_ps  # the host may come meanwhile: ask again
                    continue
                yield machine.host_gave
                time = kernel.now_ps
            time += machine.costs.task_ps + self._switch_ps()
            if machine.pmu is not None:
                time = yield from machine.pmu.record(core, task, token, time_ps=time)
            self._left(core)
            machine.parts[task] -= 1
            if machine.parts[task] == 0:
                done.append(task)
            if machine.truth is not None:
                machine.truth.tasks.append(
                    self._core_events.true_task(core.number, token, task, finish)
                )
        yield time - kernel.now_ps
        yield from self._end_tasks(done)
        yield from self._phase("complete", start, before, tasks=len(batch))

    def _settle(self) -> Steps:
        """Nodes that no core runs are done as soon as it is their turn."""
        machine, kernel = self._machine, self._kernel
        batch = list(machine.silent)
        machine.silent.clear()
        for node, kind in _SILENT.items():
            tasks = [task for task in batch if machine.nodes[task] == node]
            if not tasks:
                continue
            start, before = kernel.now_ps + self._owed_ps, self._depths()
            yield from self._pay(len(tasks) * self._costs.pop_ps)
            yield from self._end_tasks(tasks)
            yield from self._phase(kind, start, before, tasks=len(tasks))

    def _end_tasks(self, tasks: list[int]) -> Steps:
        machine = self._machine
        yield from self._resolve(tasks)
        machine.done += len(tasks)
        if machine.over:
            machine.wake()

    def _resolve(self, tasks: list[int]) -> Steps:
        machine, kernel = self._machine, self._kernel
        found: list[int] = []
        for task in tasks:
            found += machine.successors_of(task)
        if not found:
            return
        start, before = kernel.now_ps, self._depths()
        yield len(found) * self._costs.resolve_edge_ps
        for successor in found:
            machine.arrived(successor)
        yield from self._phase("resolve", start, before, tasks=len(found))

    def _left(self, core: SimCore) -> None:
        self._move(core, core.outstanding - 1)

    def _move(self, core: SimCore, outstanding: int) -> None:
        """Note how many tasks the core holds; the full ones have no room."""
        before, core.outstanding = core.outstanding, outstanding
        self._holding += (outstanding > 0) - (before > 0)
        if core.kind < 0:
            return
        room = self._room[core.kind]
        count = self._machine.room[self._number]
        if before < len(room):
            del room[before][core]
            count[core.kind] -= 1
        if outstanding < len(room):
            room[outstanding][core] = None
            count[core.kind] += 1

    # ---- dispatch ----------------------------------------------------------------------------

    def _dispatch(self) -> Generator[Wanted, Any, bool]:
        """Returns whether it gave a core a task."""
        machine, kernel, costs = self._machine, self._kernel, self._costs
        start, before = kernel.now_ps + self._owed_ps, self._depths()
        time, hits = self._dispatch_mixed(start) if machine.mixed else (start, 0)
        misses = 0
        for kind, queue in enumerate(machine.ready):
            for room in self._room[kind] if not machine.mixed else self._room[kind][:1]:
                if not queue:
                    break
                for core in list(room):
                    if not queue:
                        break
                    if not self._device.admit(core.number, time):
                        continue
                    time += costs.pop_ps + costs.dispatch_ps
                    self._give(core, queue.popleft(), time)
                    hits += 1
            if not queue and any(self._room[kind]):
                misses += 1
                time += costs.pop_ps
        if not hits:
            return False
        self._owed_ps = 0
        yield time - kernel.now_ps
        yield from self._phase("dispatch", start, before, tasks=hits, pops=(hits, misses))
        return True

    def _dispatch_mixed(self, time_ps: int) -> tuple[int, int]:
        """Tasks for a cube core and its partners, where all of these are idle; the time after it
        and how many."""
        machine, hits = self._machine, 0
        for cube, vectors in self._clusters:
            if not machine.mixed:
                break
            needed = [cube, *vectors[: machine.partners[machine.mixed[0]]]]
            if any(core.outstanding for core in needed):
                continue
            if not all(self._device.admit(core.number, time_ps) for core in needed):
                continue
            task = machine.mixed.popleft()
            time_ps += self._costs.pop_ps
            for core in needed:
                time_ps += self._costs.dispatch_ps
                self._give(core, task, time_ps)
            hits += 1
        return time_ps, hits

    def _give(self, core: SimCore, task: int, time_ps: int) -> None:
        token = (self._machine.setup.first_token + core.dispatched) & 0xFFFFFFFF
        core.dispatched += 1
        self._device.dispatch(core.number, time_ps)
        self._move(core, core.outstanding + 1)
        delay = time_ps - self._kernel.now_ps + self._link_ps
        self._kernel.call_after(delay, self._core_events.arrive, (core, task, token, time_ps))

    # ---- phases ------------------------------------------------------------------------------

    def _depths(self) -> tuple[int, ...]:
        if not self._records:
            return ()
        first, second, third = self._queues
        found = (len(first), len(second), len(third))
        return found if max(found) <= _DEEPEST else tuple(min(n, _DEEPEST) for n in found)

    def _phase(
        self,
        kind: str,
        start: int,
        before: tuple[int, ...],
        *,
        tasks: int,
        pops: tuple[int, int] = (0, 0),
    ) -> Steps:
        if not self._records:
            return
        machine, kernel = self._machine, self._kernel
        end = kernel.now_ps + self._owed_ps
        loop = self._loop & 0xFFFFFFFF
        fields = (start, end, loop, self._codes[kind], tasks, *pops, *before, *self._depths())
        while not self._device.scheduler_phase(self._number, end, *fields, _NO_TASK):
            if self._owed_ps:
                yield from self._pay()  # the host may come meanwhile: ask again
                continue
            yield machine.host_gave
            end = kernel.now_ps
        if machine.truth is not None:
            machine.truth.phases.append(
                TruePhase("scheduler", self._number, kind, start, fields[1], self._loop, tasks, -1)
            )
        self._owed_ps += machine.costs.scheduler_phase_ps + self._switch_ps()

    def _switch_ps(self) -> int:
        """What it cost to hand over a buffer, if the last record filled one."""
        return self._machine.costs.rotate_ps if self._device.switched else 0
