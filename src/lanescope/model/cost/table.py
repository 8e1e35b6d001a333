"""The costs of a program's lines on a core: cycles, bytes and operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.cost.core import CoreSetup
from lanescope.model.cost.source import CostSource, OpcodeTiming, is_builtin
from lanescope.model.expression import FormulaError, MissingName, evaluate
from lanescope.model.isa.isa import Form, Isa
from lanescope.model.isa.parse import Program
from lanescope.model.isa.variants import known_opcodes

Array = npt.NDArray[Any]

_MOST_CYCLES = 1 << 40


class MissingFigure(UsageError):
    """A cost needs a figure that the core does not have."""


class OpcodeCost(NamedTuple):
    """What one instruction of an opcode costs; times are cycles from its issue."""

    done: int
    """Until the unit is idle."""
    ready: int
    """Until the result can be used."""
    interval: int
    """Until the unit takes the next instruction."""
    traffic_bytes: int = 0
    useful_bytes: int = 0
    flop: int = 0
    basis: str = "published"


class CostTable(NamedTuple):
    """The costs of the opcodes that a program uses, and the same per pattern of its lines."""

    source: CostSource
    core: CoreSetup
    costs: Mapping[str, OpcodeCost]
    missing: Mapping[str, str]
    """Opcode to the sentence on why it has no cost."""
    done: Array
    """Cycles per pattern; 0 where there is no instruction or no cost."""
    ready: Array
    interval: Array
    known: Array
    """Per pattern: whether it is an instruction with a cost."""


def cost_table(source: CostSource, core: CoreSetup, program: Program) -> CostTable:
    """Look up the cost of every opcode that the program uses."""
    isa = program.isa
    if source.isa not in isa.family:
        raise UsageError(
            f"the cost source {source.name!r} is for the ISA {source.isa!r}, not {isa.name!r}"
        )
    _refuse_strange(source, isa)
    opcodes = program.patterns["opcode"]
    used = [isa.names[number] for number in np.flatnonzero(np.bincount(opcodes[opcodes >= 0]))]
    costs: dict[str, OpcodeCost] = {}
    missing: dict[str, str] = {}
    own: dict[int, OpcodeCost] = {}
    for name in sorted(used):
        found = _costs_of(source, core, program, form=isa.forms[name])
        wrong = [cost for cost in found.values() if isinstance(cost, str)]
        if wrong:
            missing[name] = wrong[0]
            continue
        priced = {number: cost for number, cost in found.items() if isinstance(cost, OpcodeCost)}
        costs[name] = min(priced.values(), key=lambda cost: cost.interval)
        own |= {number: cost for number, cost in priced.items() if number is not None}
    free = OpcodeCost(0, 0, 0)
    of_opcode = [costs.get(name, free) for name in isa.names]
    done = _per_pattern(program, [cost.done for cost in of_opcode])
    ready = _per_pattern(program, [cost.ready for cost in of_opcode])
    interval = _per_pattern(program, [cost.interval for cost in of_opcode])
    for number, cost in own.items():
        done[number], ready[number], interval[number] = cost.done, cost.ready, cost.interval
    for values in (done, ready, interval):
        values[_into_zero(source, program)] = 0
    known = _per_pattern(program, [int(name in costs) for name in isa.names]).astype(bool)
    return CostTable(source, core, costs, missing, done, ready, interval, known)


def _refuse_strange(source: CostSource, isa: Isa) -> None:
    """Refuse a cost of an opcode that no instruction set has; OPCODE.NUMBER is one kind of it."""
    if is_builtin(source):
        return
    listed = [*source.costs, *source.absent]
    strange = [name for name in listed if not {name, name.rpartition(".")[0]} & set(isa.forms)]
    unknown = [name for name in strange if not {name, name.rpartition(".")[0]} & known_opcodes()]
    if unknown:
        raise UsageError(
            f"the cost source {source.name!r} has a cost for {unknown[0]!r}, which the ISA "
            f"{isa.name!r} does not have; correct its name"
        )


def _costs_of(
    source: CostSource, core: CoreSetup, program: Program, *, form: Form
) -> dict[int | None, OpcodeCost | str]:
    """Cost of each pattern of an opcode that has names of its own; of the others as None."""
    if not form.opcode.uses:
        return {None: opcode_cost(source, core, form)}
    numbers = np.flatnonzero(program.patterns["opcode"] == form.number).tolist()
    own: dict[int | None, OpcodeCost | str] = {
        number: opcode_cost(source, core, form, program.names[number])
        for number in numbers
        if number in program.names
    }
    return own if len(own) == len(numbers) else own | {None: opcode_cost(source, core, form)}


def _per_pattern(program: Program, values: list[int]) -> Array:
    """The value of its opcode for every pattern; 0 where there is no opcode."""
    table = np.array([*values, 0], np.int64)
    found: Array = table[np.maximum(program.patterns["opcode"], -1)]
    return found


def _into_zero(source: CostSource, program: Program) -> Array:
    """Whether a pattern costs nothing because its destination is a zero register."""
    isa = program.isa
    free = [isa.forms[name].number for name in source.free_into_zero]
    zeros = [file.zero for file in isa.file.registers.values()]
    zero_of = np.array([-1, -1, *(-1 if zero is None else zero for zero in zeros)], np.int64)
    first = zero_of[program.kind(0)]
    into: Array = (first >= 0) & (program.patterns["values"][:, 0] == first)
    return into & np.isin(program.patterns["opcode"], free)


def outside_domain(source: CostSource, core: CoreSetup) -> list[str]:
    """Sizes of the core for which the source has no measurement, in words each."""
    return [
        f"{name} {core.names[name]} (measured from {low} to {high})"
        for name, (low, high) in source.domain.items()
        if not low <= core.names[name] <= high
    ]


def opcode_cost(
    source: CostSource,
    core: CoreSetup,
    form: Form,
    own: Mapping[str, int | None] | None = None,
) -> OpcodeCost | str:
    """Cost of one opcode on a core, or a sentence on why it has none.

    `own` are the names whose values a line of the program gives.
    """
    given = own or {}
    known = core.names_of(profiler=source.latency_profile)
    names = {name: value for name, value in known.items() if name not in given}
    names |= {name: value for name, value in given.items() if value is not None}
    listed = form.name if form.opcode.by is None else f"{form.name}.{names.get(form.opcode.by)}"
    timing = source.costs.get(listed, source.costs.get(form.name))
    if timing is None:
        reason = source.absent.get(form.name, "the source does not list it")
        return f"{source.name} has no cost for {listed}: {reason}"
    if not isinstance(timing, OpcodeTiming):
        timing = OpcodeTiming(done=timing)
    try:
        traffic = evaluate(form.opcode.traffic_bytes, names)
        names |= transfer_cycles(core, traffic)
        done = evaluate(timing.done, names)
        ready = done if timing.ready is None else evaluate(timing.ready, names)
        interval = done if timing.interval is None else evaluate(timing.interval, names)
        useful = evaluate(form.opcode.useful_bytes, names)
        flop = evaluate(form.opcode.flop, names)
    except MissingName as error:
        if error.name in form.opcode.uses:
            return (
                f"{form.name} costs {timing.done} cycles in {source.name}, and the program does "
                f"not say what {error.name} is: give --bind {error.name}=N"
            )
        raise MissingFigure(f"{form.name} needs {_wanted(core, error.name)}") from error
    except FormulaError as error:
        return f"{form.name}: {error}"
    for name, cycles in (("done", done), ("ready", ready), ("interval", interval)):
        if not 0 <= cycles <= _MOST_CYCLES:
            problem = f"{name!r} of {form.name} is {cycles} cycles, expected 0 to 2^40; correct it"
            raise LanescopeError(f"{source.name}: {problem}")
    idle = max(done, ready, interval)
    return OpcodeCost(idle, ready, interval, traffic, useful, flop, timing.basis)


def transfer_cycles(core: CoreSetup, bytes_: int) -> dict[str, int]:
    """`TRANSFER`: whole cycles that so many bytes take; empty where a rate is not known."""
    if core.clock_hz is None or core.bandwidth is None:
        return {}
    return {"TRANSFER": -(-bytes_ * core.clock_hz // core.bandwidth.value)}


def _wanted(core: CoreSetup, name: str) -> str:
    """What a cost needs, and where the user can give it."""
    board = core.board
    if name == "TRANSFER" and board is None:
        return "a memory bandwidth and a clock: give --board, or a cost source that needs none"
    if name == "TRANSFER" and board is not None:
        return f"a clock, which the board {board.name} does not state: give --clock-mhz"
    where = f"the board {board.name} does not state" if board else "no board or settings state"
    return f"{name}, which {where}: give --settings FILE"
