"""Performance counters in a run: every core's registers, who reads them and when, the records.

If the controller reads them, no core may hold a task in advance: the next task would count on top
of the last one. If the core reads them, it does so before it reports the task's end, and stores
them in a slot that the token decides. The controller then writes the slot's record. What all that
takes is the machine's affair (`given.machine_costs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import memmove

from lanescope.device.layouts import constant, packer
from lanescope.device.registers import CounterBlock, read_sample, start_counting
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.sim.chip import Chip
from lanescope.platforms.sim.counting import counted, cycles_of, total_cycles
from lanescope.platforms.sim.inside import Insides
from lanescope.platforms.sim.pmu_file import counter_unit, read_group
from lanescope.platforms.sim.setup import PmuChoice, SimRun
from lanescope.platforms.sim.timeline import Timeline
from lanescope.platforms.sim.truth import TrueCounters

SINGLE_ISSUE = (
    "The controller reads a core's counters between two tasks, so no core held a task in advance: "
    "times do not compare with those of a run without counters."
)


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
    """The performance counters of a run's cores."""

    def __init__(self, run: SimRun, choice: PmuChoice) -> None:
        chip = run.setup.chip
        assert chip.pmu is not None
        self._registers = choice.unit.registers
        self._run, self._group, self._insides = run, choice.group, Insides(run)
        count = len(self._registers.counters)
        self._blocks = [CounterBlock(self._registers) for _ in run.core_kinds]
        for block in self._blocks:
            start_counting(block, self._registers, choice.group.ids(count))
        self._absent = (0,) * (constant("LS_PMU_COUNTERS") - count)
        self._by_core = choice.by_core
        self._reading_ps = self._registers.reads_per_task * chip.pmu.register_read_ps
        self._slot_mask = 1 if run.setup.pre_dispatch < 2 else 3
        self._answers: dict[tuple[int, int], tuple[Mapping[int, int], int]] = {}
        """(function, kind of core) to the events and cycles of every undisturbed run."""
        self._slots: dict[tuple[int, int], tuple[int, list[int]]] = {}
        """(core, slot) to token and sample; only where the core reads."""
        self._pack = packer("ls_pmu").pack

    def ended(self, core: int, task: tuple[int, ...], shared: Timeline | None) -> int:
        """Count what a task (number, token, start, length) did that has ended on the core.

        Returns how long the core now takes to read its counters, in ps.
        """
        number, token, *_ = task
        events, cycles = self._answer(core, task, shared)
        block = self._blocks[core]
        block.count(events, cycles)
        if self._run.truth is not None:
            true = TrueCounters(core, token, number, cycles, dict(events))
            self._run.truth.counters.append(true)
        if not self._by_core:
            return 0
        slot = core, token & self._slot_mask
        self._slots[slot] = token, read_sample(block, self._registers)
        return self._reading_ps

    def _answer(
        self, core: int, task: tuple[int, ...], shared: Timeline | None
    ) -> tuple[Mapping[int, int], int]:
        """Return a task's events and cycles; undisturbed runs of a kernel all have the same."""
        number, _, begin_ps, length_ps = task
        span_ps = begin_ps, length_ps
        if shared is not None:
            inside = self._insides.of(core, number, span_ps, shared=shared)
            return counted(inside, self._group), total_cycles(inside)
        if not self._insides.runs_kernel(core, number):
            return {}, cycles_of(self._run.rates[core], length_ps)
        key = self._run.func[number], self._run.core_kinds[core]
        if key not in self._answers:
            inside = self._insides.of(core, number, span_ps)
            self._answers[key] = counted(inside, self._group), total_cycles(inside)
        return self._answers[key]

    def sample(self, core: int, task: int, token: int, found: int) -> None:
        """Write the counters of a task that its controller saw end to the address `found`."""
        total, *counters = self._committed(core, token)
        fields = (task, self._run.func[task], token, total, *counters, *self._absent)
        record = self._pack(*fields)
        memmove(found, record, len(record))

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
