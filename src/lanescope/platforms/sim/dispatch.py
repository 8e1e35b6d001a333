"""How a scheduler gives tasks to its cores: one by one, to a cluster, early, and all at once.

A scheduler sees its cores as they are at the kernel's time. Tasks are sent at the scheduler's own
time, which is ahead of it.
"""

from __future__ import annotations

from lanescope.platforms.sim.cores import CoreEvents
from lanescope.platforms.sim.machine import SimCore, SimMachine
from lanescope.platforms.sim.phases import CODES, Phases

_DISPATCH, _EARLY = CODES["dispatch"], CODES["early_dispatch"]
_DRAIN, _PREPARE, _PUBLISH = CODES["drain"], CODES["drain_prepare"], CODES["drain_publish"]

_NOBODY: frozenset[SimCore] = frozenset()


def clusters(cores: list[SimCore], kinds: tuple[str, ...]) -> list[tuple[SimCore, list[SimCore]]]:
    """Return each cube core with the vector cores of its cluster."""
    return [
        (cube, [c for c in cores if c.cluster == cube.cluster and kinds[c.number] == "aiv"])
        for cube in cores
        if kinds[cube.number] == "aic"
    ]


def _other_than(refused: frozenset[SimCore], room: dict[SimCore, None]) -> SimCore:
    """Return the first core with room that was not refused."""
    return next(core for core in room if core not in refused)


class Dispatcher:
    """The cores of one scheduler, grouped by how many tasks they hold."""

    def __init__(
        self, machine: SimMachine, cores: CoreEvents, phases: Phases, *, number: int
    ) -> None:
        self._machine = machine
        self._device = machine.device
        self._core_events = cores
        self._phases = phases
        self._number = number
        self._costs = machine.chip.scheduler
        own = [core for core in machine.cores if core.controller == number]
        self._clusters = clusters(own, machine.chip.core_kinds())
        self.holding = 0
        """How many cores hold a task."""
        self._count = machine.room[number]
        self._room: list[list[dict[SimCore, None]]] = [
            [{} for _ in range(machine.setup.pre_dispatch + 1)] for _ in machine.graph.kinds
        ]
        for core in own:
            if core.kind >= 0:
                self._room[core.kind][0][core] = None
                self._count[core.kind] += 1

    def move(self, core: SimCore, outstanding: int) -> None:
        """Note how many tasks the core now holds; a full core is in no group."""
        before, core.outstanding = core.outstanding, outstanding
        if not before:
            self.holding += 1
        elif not outstanding:
            self.holding -= 1
        kind = core.kind
        if kind < 0:
            return
        room = self._room[kind]
        if before < len(room):
            del room[before][core]
            if outstanding >= len(room):
                self._count[kind] -= 1
                return
        else:
            self._count[kind] += 1
        room[outstanding][core] = None

    def dispatch(self) -> None:
        """Give ready tasks to cores with room."""
        machine, phases, costs = self._machine, self._phases, self._costs
        start, before = phases.time_ps, phases.depths()
        time, hits = self._dispatch_mixed(start) if machine.mixed else (start, 0)
        misses = 0
        each_ps = costs.pop_ps + costs.dispatch_ps
        for kind, queue in enumerate(machine.ready):
            if not self._count[kind]:
                continue
            for room in self._room[kind] if not machine.mixed else self._room[kind][:1]:
                refused = _NOBODY
                while queue and len(room) > len(refused):
                    core = next(iter(room)) if not refused else _other_than(refused, room)
                    if not self._device.give(core.number, time, time + each_ps):
                        refused |= {core}
                        continue
                    time += each_ps
                    self._send(core, queue.popleft(), time)
                    hits += 1
            if not queue and self._count[kind]:
                misses += 1
                time += costs.pop_ps
        if hits:
            phases.time_ps = time
            phases.add(_DISPATCH, start, before, tasks=hits, hits=hits, misses=misses)

    def _dispatch_mixed(self, time_ps: int) -> tuple[int, int]:
        """Give tasks to a cube core and its partners, where all of them are idle.

        Returns the time afterwards, and how many tasks were given.
        """
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
                self._device.dispatch(core.number, time_ps)
                self._send(core, task, time_ps)
            hits += 1
        return time_ps, hits

    def dispatch_early(self) -> None:
        """Give tasks whose inputs are still being made to idle cores, where they wait."""
        machine, phases, costs = self._machine, self._phases, self._costs
        start, before, hits = phases.time_ps, phases.depths(), 0
        each_ps = costs.pop_ps + costs.dispatch_ps
        for kind, queue in enumerate(machine.early_ready):
            for core in list(self._room[kind][0]):
                machine.drop_ready(queue)
                if not queue:
                    break
                if not self._device.give(core.number, phases.time_ps, phases.time_ps + each_ps):
                    continue
                phases.time_ps += each_ps
                machine.staged[queue[0]] = core
                self._core_events.gated.add(queue[0])
                self._send(core, queue.popleft(), phases.time_ps)
                hits += 1
        if hits:
            phases.add(_EARLY, start, before, tasks=hits)

    def drain(self, everyone: list[Dispatcher]) -> None:
        """Start all blocks of a task at once, if that many cores are idle.

        Meanwhile no scheduler gives any other task to a core.
        """
        machine, phases, costs = self._machine, self._phases, self._costs
        if machine.draining:
            return
        task = machine.together[0]
        kind, blocks = machine.kind[task], machine.blocks[task]
        idle = [(owner, core) for owner in everyone for core in owner._room[kind][0]][:blocks]
        start, before = phases.time_ps, phases.depths()
        if len(idle) < blocks:
            return
        if not all(self._device.admit(core.number, start) for _, core in idle):
            return
        machine.draining = True
        phases.time_ps += costs.pop_ps + blocks * costs.dispatch_ps
        phases.add(_PREPARE, start, before, tasks=blocks)
        publish = phases.time_ps
        for owner, core in idle:
            phases.time_ps += costs.publish_ps
            self._device.dispatch(core.number, phases.time_ps)
            owner._send(core, task, phases.time_ps)
        machine.kernel.call_after(phases.time_ps - machine.kernel.now_ps, self._drained)
        phases.add(_PUBLISH, publish, before, tasks=blocks)
        phases.add(_DRAIN, start, before, tasks=blocks)

    def _drained(self, _: None) -> None:
        """All blocks were given out: the schedulers go on."""
        machine = self._machine
        machine.together.popleft()
        machine.draining = False
        machine.wake()

    def _send(self, core: SimCore, task: int, time_ps: int) -> None:
        """Send a task to a core, and tell everybody who must know."""
        machine = self._machine
        token = (machine.setup.first_token + core.dispatched) & 0xFFFFFFFF
        core.dispatched += 1
        core.sent.append(time_ps)
        self.move(core, core.outstanding + 1)
        self._core_events.send(core, task, token, time_ps)
        if machine.perfmon is not None:
            machine.perfmon.sent(core, task, token)
        if machine.computation is not None and task not in machine.staged:
            machine.computation.dispatched(task, time_ps)
        if machine.unplaced is not None:
            machine.placed(task)
