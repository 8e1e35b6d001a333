"""The prediction: four figures of one program on one core with one cost source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from lanescope.model.cost.core import CoreSetup
from lanescope.model.cost.table import CostTable
from lanescope.model.isa.parse import Problem, Program
from lanescope.model.schedule.overlap import Overlapped, Transfers
from lanescope.model.schedule.tables import LineCosts
from lanescope.results import Result

if TYPE_CHECKING:
    from lanescope.model.memory.program import MemoryRun
    from lanescope.model.schedule.compare import Comparison
    from lanescope.model.schedule.difference import PredictionDifference
    from lanescope.model.schedule.interval import CountInterval
    from lanescope.render.page import Section
    from lanescope.trace import Trace

Array = npt.NDArray[Any]

TOP = 12
"""Rows that a table of the page has, and hottest lines that `to_dict` names."""
SHORT_TOP = 3
"""Rows of a table on the short page."""
DEPENDENCIES = "dependencies"
LINK = "link"
"""The link to the host, as what bounds a program."""
_SAME = 0.01


class Traffic(NamedTuple):
    """What a program moves between the board's memory and the chip, and computes."""

    traffic_bytes: int
    """Bytes on the memory bus."""
    useful_bytes: int
    """Of these, the bytes that were asked for."""
    flop: int


class ProgramRoofline(NamedTuple):
    """Where a program stands under its roofline."""

    intensity: float
    """Operations per byte."""
    peak_flop_per_s: float
    bandwidth_bytes_per_s: float
    ridge: float
    """Operations per byte from which on the arithmetic can be the limit."""
    attainable_flop_per_s: float
    reached_flop_per_s: float

    @property
    def side(self) -> str:
        """What limits the program at best: `memory` or `compute`."""
        return "memory" if self.intensity < self.ridge else "compute"


class Unknown(NamedTuple):
    """What a total leaves out."""

    problems: tuple[Problem, ...]
    lines: int
    """Lines of the text that are left out."""
    instructions: int
    """How often these lines would run, where that is known at all."""


class Bound(NamedTuple):
    """What keeps a program from being faster."""

    name: str
    """A unit, or `dependencies`."""
    share: float
    """Its share of the best figure, 0 to 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Result):
    """One program on one core with one cost source. Cycles are whole numbers."""

    program: Program
    table: CostTable
    """What each line costs, and why some lines have no cost."""
    line_costs: LineCosts
    transfers: Transfers
    instructions: int
    """Instructions that run."""
    serial: int
    """Cycles if every instruction waits for the one before it."""
    busy: dict[str, int]
    """Cycles that each unit needs for its own instructions."""
    traffic: Traffic
    unknown: Unknown
    overlapped: Overlapped | None = None
    """The schedule with its cycles and its critical path; None where nothing was scheduled."""
    memory: MemoryRun | None = None
    """What the memory did: the board's own, or the one that was asked for."""
    chosen: str = ""
    """Why the costs come from this source, where nobody named one."""
    interval: CountInterval | None = None
    """What was taken for counts that are known at run time only; None where there are none."""

    @property
    def core(self) -> CoreSetup:
        """The core that the program runs on."""
        return self.table.core

    @property
    def name(self) -> str:
        """Name of the program's file."""
        return Path(self.program.path).name

    @property
    def board_name(self) -> str | None:
        """Name of the board; None without one."""
        return self.core.board.name if self.core.board else None

    @property
    def best(self) -> int:
        """Cycles of the schedule, or the serial sum where nothing was scheduled."""
        return self.serial if self.overlapped is None else self.overlapped.cycles

    @property
    def transfer_cycles(self) -> Array | None:
        """Cycles of every executed transfer, where a memory charged them."""
        charged = None if self.memory is None else self.memory.charged
        return None if charged is None else charged.cycles

    @property
    def elapsed_ps(self) -> int:
        """Picoseconds of the best figure; 0 where the core has no clock."""
        clock = self.core.clock_hz
        return 0 if clock is None else self.best * 10**12 // clock

    def time_ns(self, cycles: int) -> float | None:
        """Nanoseconds of so many cycles; None where the core has no clock."""
        clock = self.core.clock_hz
        return None if clock is None else cycles * 1e9 / clock

    def bound_by(self) -> Bound:
        """The unit, or the dependencies, that alone takes the largest share of the best figure.

        Dependencies must be 1 % above the busiest unit: a shorter chain runs on that unit.
        """
        name, cycles = max(self.busy.items(), key=lambda item: item[1])
        if name in self._transfer_units():
            name, cycles = self._link_or(name, cycles)
        if self.overlapped is not None:
            chain = self.overlapped.critical_path
            if chain > cycles * (1 + _SAME):
                name, cycles = DEPENDENCIES, chain
        return Bound(name, cycles / self.best if self.best else 0.0)

    def _transfer_units(self) -> set[str]:
        forms = self.program.isa.forms.values()
        return {form.opcode.unit for form in forms if form.opcode.transfer}

    def _link_or(self, name: str, cycles: int) -> tuple[str, int]:
        """The link to the host and its cycles, where it takes most of the transfers' time."""
        host = None if self.memory is None else self.memory.statistics.host
        clock = self.core.clock_hz
        if host is None or clock is None:
            return name, cycles
        link = host.link_ps * clock // 10**12
        return (LINK, link) if 2 * link > cycles else (name, cycles)

    def bandwidth(self) -> float | None:
        """Bytes/s at which the transfers of this program move; None where bytes cost no time.

        A memory model's own, if one charged them; else the board's.
        """
        clock, memory = self.core.clock_hz, self.memory
        if memory is not None and memory.charged is not None and clock is not None:
            cycles = int(memory.charged.cycles.sum())
            return self.traffic.traffic_bytes * clock / cycles if cycles else None
        given = self.core.bandwidth
        by_bytes = self.table.source.memory == "bytes"
        return float(given.value) if given is not None and by_bytes else None

    def roofline(self) -> ProgramRoofline | None:
        """The roofline; None where clock or bytes are missing, or bytes cost no time."""
        clock, traffic, bandwidth = self.core.clock_hz, self.traffic, self.bandwidth()
        if clock is None or bandwidth is None or not traffic.traffic_bytes:
            return None
        peak = self._peak_flop_per_cycle() * clock
        intensity = traffic.flop / traffic.traffic_bytes
        time_s = self.best / clock
        return ProgramRoofline(
            intensity,
            peak,
            bandwidth,
            peak / bandwidth,
            min(peak, intensity * bandwidth),
            traffic.flop / time_s if time_s else 0.0,
        )

    def _peak_flop_per_cycle(self) -> float:
        """Arithmetic of all units at once, each at its best instruction of this program."""
        best: dict[str, float] = {}
        for name, cost in self.table.costs.items():
            if cost.interval:
                unit = self.program.isa.forms[name].opcode.unit
                best[unit] = max(best.get(unit, 0.0), cost.flop / cost.interval)
        return sum(best.values())

    def to_dict(self, *, top: int = TOP) -> dict[str, Any]:
        """Every figure and table; of the hottest lines the first `top`."""
        from lanescope.model.schedule.detail import prediction_dict

        return prediction_dict(self, top)

    def page(self, *, top: int = TOP) -> list[Section]:
        """The report in sections; a table has at most `top` rows."""
        from lanescope.model.schedule.page import prediction_page

        return prediction_page(self, top)

    def text(self, *, top: int = TOP) -> str:
        """The report as plain text; a table has at most `top` rows."""
        from lanescope.render.plain import render_sections

        return render_sections(self.page(top=top))

    def short_page(self, *, top: int = SHORT_TOP) -> list[Section]:
        """The sections for one screen; a table has at most `top` rows."""
        from lanescope.model.schedule.page import short_page

        return short_page(self, top)

    def trace(self) -> Trace:
        """The schedule as a Trace: a lane per unit, a task per instruction.

        Raises:
            UsageError: The core has no clock, so cycles are no times.
        """
        from lanescope.model.schedule.trace import schedule_trace

        return schedule_trace(self)

    def compare(self, *others: Prediction) -> Comparison:
        """This prediction and others side by side, a row each."""
        from lanescope.model.schedule.compare import Comparison

        return Comparison((self, *others))

    def difference(self, other: Prediction) -> PredictionDifference:
        """What the other prediction has more than this one, by figure, opcode and section."""
        from lanescope.model.schedule.difference import difference

        return difference(self, other)

    def __repr__(self) -> str:
        """One line: a prediction holds every line of its program."""
        scheduled = "" if self.overlapped is None else f", {self.overlapped.cycles:,} overlapped"
        return (
            f"<Prediction of {self.name} on {self.board_name or 'no board'}, costs from "
            f"{self.table.source.name}: {self.serial:,} cycles serial{scheduled}>"
        )
