"""A cost source applied to a program on a machine: cycles, bytes and operations per line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.cost.machine import Machine
from lanescope.model.cost.source import CostSource, Timing
from lanescope.model.expression import FormulaError, MissingName, evaluate
from lanescope.model.isa.isa import Form
from lanescope.model.isa.parse import Program

Array = npt.NDArray[Any]

_MOST_CYCLES = 1 << 40


class MissingFigure(UsageError):
    """The machine lacks a figure that a cost needs."""


class Cost(NamedTuple):
    """One opcode's cycles, bytes and operations."""

    done: int
    ready: int
    interval: int
    traffic_bytes: int = 0
    useful_bytes: int = 0
    flop: int = 0
    basis: str = "published"


class CostTable(NamedTuple):
    """Per opcode its cost, or why there is none; and the arrays over a program's distinct lines."""

    source: CostSource
    machine: Machine
    costs: Mapping[str, Cost]
    missing: Mapping[str, str]
    done: Array
    """Cycles per distinct line; 0 where there is no instruction or no figure."""
    ready: Array
    interval: Array
    known: Array
    """Whether the distinct line is an instruction with a figure."""


def cost_table(source: CostSource, machine: Machine, program: Program) -> CostTable:
    """The costs of every opcode that the program uses."""
    isa = program.isa
    if source.isa != isa.name:
        raise UsageError(
            f"the cost source {source.name!r} is for the ISA {source.isa!r}, not {isa.name!r}"
        )
    strange = [name for name in (*source.costs, *source.absent) if name not in isa.forms]
    if strange:
        raise UsageError(
            f"the cost source {source.name!r} has a cost for {strange[0]!r}, which the ISA "
            f"{isa.name!r} does not have; correct its name"
        )
    used = {isa.names[number] for number in np.unique(program.opcode).tolist() if number >= 0}
    costs: dict[str, Cost] = {}
    missing: dict[str, str] = {}
    for name in sorted(used):
        found = opcode_cost(source, machine, isa.forms[name])
        if isinstance(found, Cost):
            costs[name] = found
        else:
            missing[name] = found
    free = Cost(0, 0, 0)
    of_opcode = [costs.get(name, free) for name in isa.names]
    done = _per_line(program, [cost.done for cost in of_opcode])
    ready = _per_line(program, [cost.ready for cost in of_opcode])
    interval = _per_line(program, [cost.interval for cost in of_opcode])
    for values in (done, ready, interval):
        values[_into_zero(source, program)] = 0
    known = _per_line(program, [int(name in costs) for name in isa.names]).astype(bool)
    return CostTable(source, machine, costs, missing, done, ready, interval, known)


def _per_line(program: Program, values: list[int]) -> Array:
    """A value per opcode, spread over the program's distinct lines; 0 where there is no opcode."""
    table = np.array([*values, 0], np.int64)
    return table[np.maximum(program.numbers, -1)]


def _into_zero(source: CostSource, program: Program) -> list[int]:
    """Distinct lines that cost nothing because their destination is always zero."""
    isa = program.isa
    free = [isa.forms[name].number for name in source.free_into_zero]
    zeros = {(name, file.zero) for name, file in isa.file.registers.items()}
    lines = program.lines
    return [
        number
        for number in np.flatnonzero(np.isin(program.numbers, free)).tolist()
        if (lines[number].kinds[0], lines[number].values[0]) in zeros
    ]


def outside_domain(source: CostSource, machine: Machine) -> list[str]:
    """Sizes of the machine for which the source has no measurement, in words."""
    return [
        f"{name} {machine.names[name]} (measured from {low} to {high})"
        for name, (low, high) in source.domain.items()
        if not low <= machine.names[name] <= high
    ]


def opcode_cost(source: CostSource, machine: Machine, form: Form) -> Cost | str:
    """The opcode's cost, or a sentence on why there is none."""
    if form.name not in source.costs:
        reason = source.absent.get(form.name, "the source does not list it")
        return f"{source.name} has no cost for {form.name}: {reason}"
    timing = source.costs[form.name]
    if not isinstance(timing, Timing):
        timing = Timing(done=timing)
    try:
        traffic = evaluate(form.opcode.traffic_bytes, machine.names)
        names = machine.names | transfer_cycles(machine, traffic)
        done = evaluate(timing.done, names)
        ready = done if timing.ready is None else evaluate(timing.ready, names)
        interval = done if timing.interval is None else evaluate(timing.interval, names)
        useful = evaluate(form.opcode.useful_bytes, names)
        flop = evaluate(form.opcode.flop, names)
    except MissingName as error:
        raise MissingFigure(f"{form.name} needs {_wanted(machine, error.name)}") from error
    except FormulaError as error:
        return f"{form.name}: {error}"
    done = max(done, ready, interval)
    if not 0 <= min(ready, interval) <= done <= _MOST_CYCLES:
        raise LanescopeError(f"{source.name}: {form.name} costs {done} cycles, which cannot be")
    return Cost(done, ready, interval, traffic, useful, flop, timing.basis)


def transfer_cycles(machine: Machine, bytes_: int) -> dict[str, int]:
    """TRANSFER: whole cycles that so many bytes take; empty where the rates are not known."""
    if machine.clock_hz is None or machine.bandwidth is None:
        return {}
    return {"TRANSFER": -(-bytes_ * machine.clock_hz // machine.bandwidth.value)}


def _wanted(machine: Machine, name: str) -> str:
    board = machine.board
    if name == "TRANSFER" and board is None:
        return "a memory bandwidth and a clock: give --board, or a cost source that needs none"
    if name == "TRANSFER" and board is not None:
        return f"a clock, which the board {board.name} does not state: give --clock-mhz"
    where = f"the board {board.name} does not state" if board else "no board or settings state"
    return f"{name}, which {where}: give --settings FILE"
