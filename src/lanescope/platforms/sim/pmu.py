"""Performance counters in a run: every core's registers, who reads them and when, the records.

If the controller reads them, no core may hold a task in advance: the next task would count on top
of the last one. If the core reads them, it does so before it reports the task's end, and stores
them in a slot that the token decides. The controller then writes the slot's record.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lanescope.device.layouts import constant
from lanescope.device.registers import CounterBlock, read_sample, start_counting
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.counting import counted, cycles_of, total_cycles
from lanescope.platforms.sim.inside import Insides
from lanescope.platforms.sim.kernel import Wait
from lanescope.platforms.sim.pmu_file import CounterUnit, EventGroup, counter_unit, read_group
from lanescope.platforms.sim.timeline import Timeline
from lanescope.platforms.sim.truth import TrueCounters

if TYPE_CHECKING:
    from lanescope.platforms.sim.machine import SimCore, SimMachine


SINGLE_ISSUE = (
    "The controller reads a core's counters between two tasks, so no core held a task in advance: "
    "times do not compare with those of a run without counters."
)


@dataclass(frozen=True, slots=True)
class PmuChoice:
    """The counters of a run, and the group of events that they count."""

    unit: CounterUnit
    group: EventGroup

    @property
    def by_core(self) -> bool:
        """Whether the core reads its own counters, and not its controller."""
        return self.unit.reader == "core"

    def names(self) -> list[str]:
        """Return the name of each counter's event; empty: it counts nothing."""
        return self.group.names(len(self.unit.registers.counters))

    def held_in_advance(self, asked: int) -> int:
        """Return how many tasks a core may hold beside the one it runs."""
        return asked if self.by_core else 0


def choose(chip: Chip, value: object) -> PmuChoice | None:
    """Return the counters that a run asks for by a group; None or False asks for none."""
    if value is None or value is False:
        return None
    if chip.pmu is None:
        raise UsageError(
            f"{chip.name} has no performance counters: its file has no section [pmu]; "
            'add one, or start it with a first line like base = "a2a3"'
        )
    unit = counter_unit(chip.pmu.block)
    return PmuChoice(unit, read_group(unit, value))


class Pmu:
    """The performance counters of a machine's cores."""

    def __init__(self, machine: SimMachine, choice: PmuChoice) -> None:
        assert machine.chip.pmu is not None
        costs, self._registers = machine.chip.pmu, choice.unit.registers
        self._machine, self._group = machine, choice.group
        self._insides = Insides(machine)
        self._lengths_ps = machine.duration_ps
        count = len(self._registers.counters)
        self._blocks = [CounterBlock(self._registers) for _ in machine.cores]
        for block in self._blocks:
            start_counting(block, self._registers, choice.group.ids(count))
        self._absent = (0,) * (constant("LS_PMU_COUNTERS") - count)
        self._by_core = choice.by_core
        self._reading_ps = self._registers.reads_per_task * costs.register_read_ps
        self._record_ps = costs.record_ps
        self._slot_mask = 1 if machine.setup.pre_dispatch < 2 else 3
        self._answers: dict[tuple[int, int], tuple[Mapping[int, int], int]] = {}
        """(function, kind of core) to the events and cycles of every undisturbed run."""
        self._slots: dict[tuple[int, int], tuple[int, list[int]]] = {}
        """(core, slot) to token and sample; only where the core reads."""

    def ended(self, core: SimCore, task: tuple[int, int, int], shared: Timeline | None) -> int:
        """Count what a task (its number, token and start) did that has ended on the core.

        Returns how long the core now takes to read its counters, in ps.
        """
        number, token, _ = task
        events, cycles = self._answer(core, task, shared)
        block = self._blocks[core.number]
        block.count(events, cycles)
        if self._machine.truth is not None:
            true = TrueCounters(core.number, token, number, cycles, dict(events))
            self._machine.truth.counters.append(true)
        if not self._by_core:
            return 0
        slot = core.number, token & self._slot_mask
        self._slots[slot] = token, read_sample(block, self._registers)
        return self._reading_ps

    def _answer(
        self, core: SimCore, task: tuple[int, int, int], shared: Timeline | None
    ) -> tuple[Mapping[int, int], int]:
        """Return a task's events and cycles; undisturbed runs of a kernel all have the same."""
        number, _, begin_ps = task
        if shared is not None:
            inside = self._insides.of(core, number, begin_ps, shared=shared)
            return counted(inside, self._group), total_cycles(inside)
        if not self._insides.runs_kernel(core, number):
            return {}, cycles_of(self._insides.rates[core.number], self._lengths_ps[number])
        key = self._machine.func[number], core.kind
        if key not in self._answers:
            inside = self._insides.of(core, number, begin_ps)
            self._answers[key] = counted(inside, self._group), total_cycles(inside)
        return self._answers[key]

    def record(
        self, core: SimCore, task: int, token: int, *, time_ps: int
    ) -> Generator[Wait, Any, int]:
        """Record the counters of a task that its controller saw end; return its time then."""
        machine = self._machine
        kernel, device = machine.kernel, machine.device
        total, *counters = self._committed(core.number, token)
        time_ps += 0 if self._by_core else self._reading_ps
        fields = (task, machine.func[task], token, total, *counters, *self._absent)
        while not device.sample(core.number, time_ps, *fields):
            if time_ps > kernel.now_ps:
                yield time_ps - kernel.now_ps  # the host may come meanwhile, so ask again
                continue
            yield machine.host_gave
            time_ps = kernel.now_ps
        return time_ps + self._record_ps + (machine.costs.rotate_ps if device.switched else 0)

    def _committed(self, core: int, token: int) -> list[int]:
        """Return a task's counters, from the registers or from the core's slot."""
        if not self._by_core:
            return read_sample(self._blocks[core], self._registers)
        stored, sample = self._slots.pop((core, token & self._slot_mask))
        if stored != token:
            raise LanescopeError(
                f"core {core} overwrote the counters of dispatch {token} with those of {stored}; "
                "this is a defect of the simulator"
            )
        return sample
