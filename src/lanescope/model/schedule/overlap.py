"""The overlapped schedule and the critical path, run instruction by instruction in C.

In-order issue, at most one instruction per cycle; each unit takes one at a time; transfers queue
and move beside the computing; a result is used when it is ready.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.cost.table import CostTable
from lanescope.model.expression import evaluate
from lanescope.model.isa.parse import Program
from lanescope.model.schedule.encode import NONE, encode_patterns, registers_of
from lanescope.native import library
from lanescope.native.assembly import NOTHING
from lanescope.native.structs import SCHEDULE_TRANSFER, Schedule

Array = npt.NDArray[Any]

MOST_INSTRUCTIONS = 50_000_000
"""More are not scheduled: the serial sum and the busy units need no schedule."""
WAITS = {
    "unit": "its unit was busy",
    "register": "a register or accumulator was not ready",
    "sram": "an SRAM range was not ready, or was still read",
    "slot": "too many transfers were under way",
}
"""What an instruction waited for, in the order of ls_wait in schedule.h, and as people read it."""


class Transfers(NamedTuple):
    """How transfers between the board's memory and the chip overlap."""

    outstanding: int = 2
    """Transfers that may be under way at once, 1 to 1024."""
    buffers: int = 1
    """2: a prefetch fills one buffer while the other one is read."""


class Overlapped(NamedTuple):
    """A schedule in order; times are in cycles."""

    cycles: int
    """From the first issue to the end of the last instruction."""
    critical_path: int
    """Length of the longest chain of results."""
    instructions: int
    waits: dict[str, int]
    """What the next instruction waited for, to cycles."""
    row_waits: Array
    """Per line of the text: cycles that its instructions waited."""
    row_critical: Array
    """Per line of the text: cycles on the critical path."""
    carriers: dict[str, int]
    """Register or memory to the cycles that those who write it take on the critical path."""
    row_of: Array
    """Per instruction in the order it ran: its line, counted from 0."""
    issue: Array | None = None
    """Per instruction: the cycle in which it came to the front."""
    start: Array | None = None
    """Per instruction: the cycle in which its unit took it."""
    transfer_nodes: Array | None = None
    """Per transfer: its number among the instructions; only where it was asked for."""


def overlap(
    program: Program,
    table: CostTable,
    transfers: Transfers,
    *,
    cycles: Array | None = None,
    times: bool = False,
) -> Overlapped:
    """Schedule a program; lines that are unknown or have no cost are left out.

    `cycles` are those of every executed transfer, in place of what the table says. With `times`
    the issue and start of every instruction are kept.
    """
    results: dict[str, Array] = {}
    if times:
        total = _instructions(program, table)
        results = {name: np.zeros(total, np.int64) for name in ("issue", "start")}
    if cycles is not None:
        results["transfers"] = np.zeros(len(cycles), SCHEDULE_TRANSFER)
    return _run(program, table, transfers, results=results, cycles=cycles)


def executed_transfers(program: Program, table: CostTable) -> Array:
    """Every transfer that runs, in order, with what its address is made of (ls_transfer)."""
    moves = np.array([form.opcode.transfer for form in program.isa.forms.values()] + [False])
    runs = moves[np.maximum(program.opcode, -1)] & table.known[program.which] & ~program.unknown
    found = np.zeros(int(program.repeats[runs].sum()), SCHEDULE_TRANSFER)
    if len(found):
        _run(program, table, Transfers(), results={"transfers": found})
    return found


def _instructions(program: Program, table: CostTable) -> int:
    """Number of instructions that run; too many are refused."""
    runs = table.known[program.which] & ~program.unknown
    total = int(program.repeats[runs].sum())
    # The end of a loop takes a step of the schedule also where it has no cost.
    ends = np.zeros(program.source_lines, bool)
    ends[program.loops.end] = True
    steps = float(np.sum(program.repeats[(runs | ends) & ~program.unknown], dtype=float))
    if max(total, steps) > MOST_INSTRUCTIONS:
        raise LanescopeError(
            f"{program.path}: expected at most {MOST_INSTRUCTIONS:,} instructions to schedule, "
            f"found {max(total, int(steps)):,}; leave --trace and --memory-model out"
        )
    return total


def _run(
    program: Program,
    table: CostTable,
    transfers: Transfers,
    *,
    results: dict[str, Array],
    cycles: Array | None = None,
) -> Overlapped:
    if not 1 <= transfers.outstanding <= 1024 or transfers.buffers not in (1, 2):
        raise UsageError("expected 1 to 1024 outstanding transfers and 1 or 2 buffers")
    total = _instructions(program, table)
    isa = program.isa
    registers = registers_of(isa)
    names = (*registers.names, *isa.file.memories)
    inputs = _inputs(program, table)
    if cycles is not None:
        inputs["transfer_cycles"] = cycles
    results = results | {
        "waits": np.zeros(len(WAITS), np.int64),
        "row_waits": np.zeros(program.source_lines, np.int64),
        "row_critical": np.zeros(program.source_lines, np.int64),
        "carriers": np.zeros(len(names), np.int64),
        "row_of": np.zeros(total, np.int32),
        "previous": np.zeros(total, np.int32),
        "carrier": np.zeros(total, np.int32),
    }
    call = Schedule(
        rows=program.source_lines,
        most=total,
        registers=len(names) - len(isa.file.memories),
        memories=len(isa.file.memories),
        units=len(isa.file.units),
        outstanding=transfers.outstanding,
        buffers=transfers.buffers,
        depth=int(program.loops.depth.max(initial=0)),
        scale=registers.first.get("scale", NONE),
        stride=registers.first.get("stride", NONE),
        most_transfers=len(results.get("transfers", ())),
        **{name: array.ctypes.data for name, array in (inputs | results).items()},
    )
    problem = library().ls_schedule_run(ctypes.addressof(call))
    if problem == -2:
        raise MemoryError
    assert problem == 0 and call.executed == total
    carried = zip(names, results["carriers"].tolist(), strict=True)
    return Overlapped(
        cycles=call.makespan,
        critical_path=call.critical_path,
        instructions=total,
        waits=dict(zip(WAITS, results["waits"].tolist(), strict=True)),
        row_waits=results["row_waits"],
        row_critical=results["row_critical"],
        carriers={name: cycles for name, cycles in carried if cycles},
        row_of=results["row_of"],
        issue=results.get("issue"),
        start=results.get("start"),
        transfer_nodes=results["transfers"]["node"] if "transfers" in results else None,
    )


def _inputs(program: Program, table: CostTable) -> dict[str, Array]:
    """The program as the C library takes it; an unknown line becomes one that does nothing."""
    return {
        "lines": encode_patterns(program, table),
        "which": np.where(program.unknown, NOTHING, program.which).astype(np.int32),
        "number": program.number,
        "granule": _granules(program, table),
    }


def _granules(program: Program, table: CostTable) -> Array:
    """Per memory of the ISA: addresses per granule; below 1 is refused."""
    sizes = []
    for name, size in program.isa.file.memories.items():
        sizes.append(evaluate(size, table.core.names))
        if not 1 <= sizes[-1] < 1 << 62:
            raise LanescopeError(
                f"the ISA {program.isa.name!r}: expected a granule of {name} of at least 1, "
                f"found {size} = {sizes[-1]}"
            )
    return np.array(sizes, np.int64)
