"""What a scheduler records of its own work: one phase after the other, on its own time.

A controller's time may be ahead of the kernel's: records carry their own times, so the kernel is
asked to catch up only before others can see an effect, or before the controller looks at something
that others change.
"""

from __future__ import annotations

from collections import deque

from lanescope.device.layouts import constant
from lanescope.platforms.sim.kernel import Steps
from lanescope.platforms.sim.machine import SimMachine
from lanescope.platforms.sim.truth import TruePhase
from lanescope.trace.flags import Feature

NO_TASK = (1 << 64) - 1
_DEPTHS = 3
_DEEPEST = 32767
_KINDS = (
    *("complete", "resolve", "dispatch", "release", "async_poll", "early_dispatch"),
    *("dummy", "dummy_task", "predicated_skip"),
    *("drain", "drain_prepare", "drain_publish"),
)
CODES = {kind: constant(f"LS_PHASE_{kind.upper()}") for kind in _KINDS}
_NAMES = {code: kind for kind, code in CODES.items()}

Depths = tuple[int, int, int]


class Phases:
    """A scheduler's time, and the records of what it spent it on."""

    def __init__(self, machine: SimMachine, number: int) -> None:
        self._machine = machine
        self._device = machine.device
        self._lane = machine.device.phases_of("scheduler", number)
        self._number = number
        self._records = bool(machine.setup.features & Feature.CHIP_SWIMLANE_PHASE_BUFFERS)
        none: deque[int] = deque()
        self._queues = [*machine.depths, *[none] * (_DEPTHS - len(machine.depths))]
        self._cost_ps = machine.costs.scheduler_phase_ps
        self.time_ps = 0
        """the scheduler's own time; the kernel's is never later while it works"""
        self.loop = 0
        self._must_tell = machine.truth is not None
        self.stuck: deque[tuple[int, ...]] = deque()
        """records that found no buffer; nothing else is done until they are written"""

    def depths(self) -> Depths:
        """How full the ready queues are; all 0 where nobody asks."""
        if not self._records:
            return (0, 0, 0)
        first, second, third = self._queues
        return (len(first), len(second), len(third))

    def add(
        self,
        code: int,
        start_ps: int,
        before: Depths,
        *,
        tasks: int,
        hits: int = 0,
        misses: int = 0,
        task: int = NO_TASK,
    ) -> None:
        """A phase from then until now; when it cannot be written, it is in `stuck`."""
        if not self._records:
            return
        end, lane = self.time_ps, self._lane
        one, two, three = before
        queue, other, last = self._queues
        first, second, third = len(queue), len(other), len(last)
        if one + two + three + first + second + third > _DEEPEST:
            one, two, three, first, second, third = (
                min(depth, _DEEPEST) for depth in (one, two, three, first, second, third)
            )
        rest = (self.loop & 0xFFFFFFFF, code, tasks, hits, misses, one, two, three)
        if lane.room > 1 and not self._must_tell:
            lane.held.append(lane.pack(start_ps, end, *rest, first, second, third, task))
            lane.room -= 1
            self.time_ps = end + self._cost_ps
            return
        fields = (start_ps, end, *rest, first, second, third, task)
        if self.stuck or not lane.add(end, *fields):
            self.stuck.append(fields)
        else:
            self._written(fields)

    def unstick(self) -> Steps:
        """Wait for the host until all is written."""
        machine, kernel = self._machine, self._machine.kernel
        while self.stuck:
            while not self._lane.add(self.time_ps, *self.stuck[0]):
                if self.time_ps > kernel.now_ps:
                    yield self.time_ps - kernel.now_ps  # the host may come meanwhile: ask again
                    continue
                yield machine.host_gave
                self.time_ps = kernel.now_ps
            self._written(self.stuck.popleft())

    def _written(self, fields: tuple[int, ...]) -> None:
        machine = self._machine
        if machine.truth is not None:
            start, end, loop, code, tasks, *_, task = fields
            machine.truth.phases.append(
                TruePhase(
                    *("scheduler", self._number, _NAMES[code], start, end, loop, tasks),
                    -1 if task == NO_TASK else task,
                )
            )
        self.time_ps += self._cost_ps
        if machine.device.switched:
            self.time_ps += machine.costs.rotate_ps
