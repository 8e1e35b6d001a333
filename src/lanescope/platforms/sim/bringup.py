"""A simulated core as a bring-up engineer sees it: registers, memory, and kernels to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanescope.chunks import Clocks
from lanescope.device import perfmon
from lanescope.device.perfmon import Buffer
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.costs import core_rates
from lanescope.platforms.sim.engine import ASSUMED, Behaviour, CachedMemory, TraceEngine
from lanescope.platforms.sim.inside import TaskInside
from lanescope.platforms.sim.picoseconds import PS_PER_NS, PS_PER_S
from lanescope.platforms.sim.stream import task_chunks
from lanescope.platforms.sim.timeline import alone
from lanescope.probe import Step
from lanescope.workloads.pipes import KIND_OF_PIPE, PIPES, PipeKernel, PipeOp

_BETWEEN_PS = 5_000 * PS_PER_NS
"""Time before and after each kernel."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What surrounds the engine."""

    owner_period: int = 0
    """Somebody else sets the base address before every n-th kernel; 0: nobody does."""
    can_invalidate: bool = True
    """Whether the caller can drop a buffer from its cache."""
    same_addresses: bool = False
    """Whether virtual addresses equal physical ones."""
    tells_physical: bool = True
    """Whether the caller learns physical addresses."""
    can_map: bool = True
    """Whether the caller can map a buffer for a stream of the engine's own."""


class SimulatedCore:
    """One core of a chip, with an engine of any behaviour; `lanescope probe` can probe it."""

    def __init__(
        self,
        chip: Chip,
        behaviour: Behaviour = ASSUMED,
        surroundings: Surroundings | None = None,
        *,
        kind: str = "aic",
    ) -> None:
        around = surroundings or Surroundings()
        self.clocks = Clocks(chip.kind_hz(kind), chip.clock.counter_hz)
        self.pipes = tuple(pipe for pipe in PIPES if KIND_OF_PIPE.get(pipe, kind) == kind)
        self.can_invalidate = around.can_invalidate
        self._rates, self._behaviour, self._around = core_rates(chip, kind), behaviour, around
        addresses = {"virtual": 0x20_8000_0000} if around.same_addresses else {}
        self._memory = CachedMemory(coherent=behaviour.coherent, **addresses)
        self._foreign = self._memory.allocate(1 << 16)
        self._engine = TraceEngine(self._memory, behaviour)
        self._now_ps = 1_234_567 * PS_PER_NS
        self._runs = 0

    def read(self, offset: int) -> int:
        """Read a 32-bit register of the core."""
        return self._engine.read(offset)

    def write(self, offset: int, value: int) -> None:
        """Write a 32-bit register of the core."""
        self._engine.write(offset, value)

    def counter(self) -> int:
        """Read the system counter."""
        return self._now_ps * self.clocks.counter_hz // PS_PER_S

    def run_kernel(self, steps: Sequence[Step]) -> None:
        """Run a kernel of these steps to its end."""
        self._runs += 1
        if self._around.owner_period and self._runs % self._around.owner_period == 0:
            self._engine.write(perfmon.BASE_L, self._foreign.virtual & perfmon.WORD)
            self._engine.write(perfmon.BASE_H, self._foreign.virtual >> 32)
        kernel = _one_after_the_other(steps)
        self._now_ps += _BETWEEN_PS
        timeline = alone(kernel, self._rates, self._now_ps)
        self._engine.make(
            task_chunks(
                TaskInside(kernel, self._rates, timeline),
                counter_hz=self.clocks.counter_hz,
                fixp_code=self._behaviour.fixp_code,
            )
        )
        self._now_ps = timeline.end_ps + _BETWEEN_PS

    def allocate(self, size: int) -> Buffer:
        """Allocate memory that nobody has read yet."""
        buffer = self._memory.allocate(size)
        return buffer if self._around.tells_physical else buffer._replace(physical=None)

    def map_for_engine(self, buffer: Buffer) -> int | None:
        """Map a buffer for the engine's own stream; None where the caller cannot."""
        return self._memory.map_for_engine(buffer) if self._around.can_map else None

    def fill(self, buffer: Buffer, data: bytes) -> None:
        """Write to memory past the caller's cache."""
        self._memory.fill(buffer, data)

    def peek(self, buffer: Buffer) -> bytes:
        """Read memory through the caller's cache."""
        return self._memory.read(buffer, 0, buffer.size)

    def invalidate(self, buffer: Buffer) -> None:
        """Drop a buffer from the caller's cache."""
        if not self.can_invalidate:
            raise ValueError("this core was made without an invalidate")
        self._memory.invalidate(buffer)


def _one_after_the_other(steps: Sequence[Step]) -> PipeKernel:
    """Return a kernel whose steps each wait for the one before."""
    ops = []
    for number, step in enumerate(steps):
        ops.append(
            PipeOp(
                step.pipe,
                cycles=step.cycles,
                waits=(number - 1,) if number else (),
                sets=(number,) if number + 1 < len(steps) else (),
                mark=step.mark,
            )
        )
    return PipeKernel("steps", tuple(ops))
