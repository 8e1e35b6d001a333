"""What a scheduler records of its own work: one phase after the other, at its own time.

A controller's time may be ahead of the kernel's time, because records carry their own times. The
kernel must catch up only in two cases: before others can see an effect, and before the controller
looks at something that others change.
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
"""How many tasks wait in each of the three ready queues."""


class Phases:
    """A scheduler's own time, and the records of its phases."""

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
        """The scheduler's own time; the kernel's time is never later while the scheduler works."""
        self.loop = 0
        """Number of the scheduler's present round."""
        self._must_tell = machine.truth is not None
        self.stuck: deque[tuple[int, ...]] = deque()
        """Records without a buffer; the scheduler does nothing else until they are written."""

    def depths(self) -> Depths:
        """Return how many tasks wait in the ready queues; all 0 where phases are not recorded."""
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
        """Record a phase from `start_ps` to the scheduler's time.

        A record without a buffer goes to `stuck`.
        """
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
        """Wait for the host until all stuck records are written."""
        machine, kernel = self._machine, self._machine.kernel
        while self.stuck:
            while not self._lane.add(self.time_ps, *self.stuck[0]):
                if self.time_ps > kernel.now_ps:
                    yield self.time_ps - kernel.now_ps  # the host may come meanwhile, so ask again
                    continue
                yield machine.host_gave
                self.time_ps = kernel.now_ps
            self._written(self.stuck.popleft())

    def _written(self, fields: tuple[int, ...]) -> None:
        """A record was written: keep the truth, and let the record's time pass."""
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
