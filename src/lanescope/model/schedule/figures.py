"""The prediction: four figures of one program with one cost source, and what bounds it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lanescope.errors import InputError, LanescopeError
from lanescope.model.cost.machine import Machine
from lanescope.model.cost.source import CostSource
from lanescope.model.cost.table import CostTable, cost_table
from lanescope.model.isa.parse import Problem, Program
from lanescope.model.schedule.overlap import MOST_INSTRUCTIONS, Overlapped, Transfers, overlap
from lanescope.model.schedule.tables import Rows, rows_of

ISSUE = "issue"
"""The front end as a unit: one instruction per cycle."""
DEPENDENCIES = "dependencies"
_SAME = 0.01
_MOST_CYCLES = 1 << 62


class Traffic(NamedTuple):
    """Bytes between the board's memory and the chip."""

    traffic_bytes: int
    useful_bytes: int
    flop: int


class Roofline(NamedTuple):
    """Where the program stands: rates in operations per second, intensity in them per byte."""

    intensity: float
    peak_flop_per_s: float
    bandwidth_bytes_per_s: int
    ridge: float
    """Intensity from which on the arithmetic can be the limit."""
    attainable_flop_per_s: float
    reached_flop_per_s: float

    @property
    def side(self) -> str:
        return "memory" if self.intensity < self.ridge else "compute"


class Unknown(NamedTuple):
    """What a total leaves out."""

    problems: tuple[Problem, ...]
    lines: int
    """Lines of the text that are left out."""
    instructions: int
    """How often these would run, where that is known at all."""


class Prediction(NamedTuple):
    """One program on one machine with one cost source. Cycles are whole."""

    program: Program
    table: CostTable
    rows: Rows
    transfers: Transfers
    instructions: int
    serial: int
    busy: dict[str, int]
    traffic: Traffic
    unknown: Unknown
    overlapped: Overlapped | None

    @property
    def machine(self) -> Machine:
        return self.table.machine

    @property
    def best(self) -> int:
        """The overlapped figure, or the serial one where nothing was scheduled."""
        return self.serial if self.overlapped is None else self.overlapped.cycles

    def time_ns(self, cycles: int) -> float | None:
        clock = self.machine.clock_hz
        return None if clock is None else cycles * 1e9 / clock

    def bound_by(self) -> tuple[str, float]:
        """The unit, or dependencies, that alone takes the largest share of the best figure.

        A chain that is hardly longer than a unit is busy runs on that unit: the unit is named.
        """
        name, cycles = max(self.busy.items(), key=lambda item: item[1])
        if self.overlapped is not None:
            chain = self.overlapped.critical_path
            if chain > cycles * (1 + _SAME):
                name, cycles = DEPENDENCIES, chain
        return name, cycles / self.best if self.best else 0.0

    def roofline(self) -> Roofline | None:
        """None where bytes, clock or bandwidth are missing."""
        machine, traffic = self.machine, self.traffic
        rates = [cost.flop / cost.interval for cost in self.table.costs.values() if cost.interval]
        if machine.clock_hz is None or machine.bandwidth is None or not traffic.traffic_bytes:
            return None
        peak = max(rates, default=0.0) * machine.clock_hz
        bandwidth = machine.bandwidth.value
        intensity = traffic.flop / traffic.traffic_bytes
        time_s = self.best / machine.clock_hz
        return Roofline(
            intensity,
            peak,
            bandwidth,
            peak / bandwidth,
            min(peak, intensity * bandwidth),
            traffic.flop / time_s if time_s else 0.0,
        )


def predict(
    program: Program, source: CostSource, machine: Machine, *, transfers: Transfers | None = None
) -> Prediction:
    """All four figures; problems of the program are an InputError."""
    found = predict_known(program, source, machine, transfers=transfers)
    refuse_unknown(found)
    return found


def predict_known(
    program: Program, source: CostSource, machine: Machine, *, transfers: Transfers | None = None
) -> Prediction:
    """All four figures of what is known; `unknown` says what they leave out.

    Nothing is scheduled where there are more instructions than MOST_INSTRUCTIONS.
    """
    found = predict_serial(program, source, machine)
    transfers = transfers or Transfers()
    if found.instructions > MOST_INSTRUCTIONS:
        return found._replace(transfers=transfers)
    return found._replace(transfers=transfers, overlapped=overlap(program, found.table, transfers))


def predict_serial(program: Program, source: CostSource, machine: Machine) -> Prediction:
    """The figures that need no schedule."""
    table = cost_table(source, machine, program)
    # In floating point first: whole numbers of 64 bits would wrap around.
    if float(program.repeats.astype(float) @ table.done[program.which]) > _MOST_CYCLES:
        raise LanescopeError(f"{program.path}: more than 2^62 cycles; no figure would be exact")
    rows = rows_of(program, table)
    return Prediction(
        program=program,
        table=table,
        rows=rows,
        transfers=Transfers(),
        instructions=int(rows.instructions.sum()),
        serial=int(rows.cycles.sum()),
        busy=_busy(program, table, rows),
        traffic=_traffic(program, table, rows),
        unknown=_unknown(program, table),
        overlapped=None,
    )


def refuse_unknown(prediction: Prediction) -> None:
    """An InputError where the program has problems or opcodes without a figure."""
    problems = prediction.unknown.problems
    if problems:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InputError(
            prediction.program.path,
            f"line {first.line}, column {first.column}: {first.text}{more}; "
            "no total is given: correct the program, or say --ignore-unknown",
        )


def _busy(program: Program, table: CostTable, rows: Rows) -> dict[str, int]:
    """Cycles that each unit alone needs: a bound that no overlap can beat."""
    units = program.isa.file.units
    forms = list(program.isa.forms.values())
    unit_of = np.array([units.index(form.opcode.unit) for form in forms], np.int64)
    runs = rows.instructions > 0
    intervals = rows.instructions[runs] * table.interval[program.which[runs]]
    sums = np.zeros(len(units), np.int64)
    np.add.at(sums, unit_of[program.opcode[runs]], intervals)
    started = rows.instructions[runs][table.done[program.which[runs]] > 0]
    return dict(zip(units, sums.tolist(), strict=True)) | {ISSUE: int(started.sum())}


def _traffic(program: Program, table: CostTable, rows: Rows) -> Traffic:
    counts: dict[str, int] = {}
    names = program.isa.names
    runs = rows.instructions > 0
    sums = np.zeros(len(names), np.int64)
    np.add.at(sums, program.opcode[runs], rows.instructions[runs])
    for number, count in enumerate(sums.tolist()):
        if count:
            counts[names[number]] = count
    return Traffic(
        *(
            sum(getattr(table.costs[name], field) * count for name, count in counts.items())
            for field in Traffic._fields
        )
    )


def _unknown(program: Program, table: CostTable) -> Unknown:
    unpriced = (program.opcode >= 0) & ~table.known[program.which]
    problems = list(program.problems)
    for name, reason in table.missing.items():
        rows = np.flatnonzero(program.opcode == program.isa.forms[name].number).tolist()
        problems += [Problem(row + 1, program.at(row).column, reason) for row in rows]
    left_out = program.unknown | unpriced
    instruction = program.opcode != -1
    return Unknown(
        tuple(sorted(problems)),
        int((left_out & instruction).sum()),
        int(program.repeats[left_out & instruction].sum()),
    )
