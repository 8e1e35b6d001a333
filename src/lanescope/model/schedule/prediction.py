"""The prediction: four figures of one program on one core with one cost source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from lanescope.render.page import Section
    from lanescope.trace import Trace

TOP = 12
"""Rows that a table of the page has, and hottest lines that `to_dict` names."""
DEPENDENCIES = "dependencies"
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
    bandwidth_bytes_per_s: int
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
    """The transfers on another memory, where one was asked for."""

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

    def time_ns(self, cycles: int) -> float | None:
        """Nanoseconds of so many cycles; None where the core has no clock."""
        clock = self.core.clock_hz
        return None if clock is None else cycles * 1e9 / clock

    def bound_by(self) -> Bound:
        """The unit, or the dependencies, that alone takes the largest share of the best figure.

        Dependencies must be 1 % above the busiest unit: a shorter chain runs on that unit.
        """
        name, cycles = max(self.busy.items(), key=lambda item: item[1])
        if self.overlapped is not None:
            chain = self.overlapped.critical_path
            if chain > cycles * (1 + _SAME):
                name, cycles = DEPENDENCIES, chain
        return Bound(name, cycles / self.best if self.best else 0.0)

    def roofline(self) -> ProgramRoofline | None:
        """The roofline; None where bytes, clock or bandwidth are missing."""
        core, traffic = self.core, self.traffic
        rates = [cost.flop / cost.interval for cost in self.table.costs.values() if cost.interval]
        if core.clock_hz is None or core.bandwidth is None or not traffic.traffic_bytes:
            return None
        peak = max(rates, default=0.0) * core.clock_hz
        bandwidth = core.bandwidth.value
        intensity = traffic.flop / traffic.traffic_bytes
        time_s = self.best / core.clock_hz
        return ProgramRoofline(
            intensity,
            peak,
            bandwidth,
            peak / bandwidth,
            min(peak, intensity * bandwidth),
            traffic.flop / time_s if time_s else 0.0,
        )

    def to_dict(self, *, top: int = TOP) -> dict[str, Any]:
        """Every figure and table; of the hottest lines the first `top`."""
        from lanescope.model.schedule.detail import prediction_dict

        return prediction_dict(self, top)

    def page(self, *, top: int = TOP) -> list[Section]:
        """The report in sections; a table has at most `top` rows."""
        from lanescope.model.schedule.compare import memory_sections
        from lanescope.model.schedule.page import prediction_page

        return [*prediction_page(self, top), *memory_sections([self])]

    def text(self, *, top: int = TOP) -> str:
        """The report as plain text; a table has at most `top` rows."""
        from lanescope.render.plain import render_sections

        return render_sections(self.page(top=top))

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
