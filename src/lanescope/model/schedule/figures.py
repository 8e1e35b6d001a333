"""Computes a prediction: sums without a schedule, and the schedule where one is wanted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lanescope.errors import InputError, LanescopeError
from lanescope.model.cost.core import CoreSetup
from lanescope.model.cost.source import CostSource
from lanescope.model.cost.table import CostTable, cost_table
from lanescope.model.isa.parse import Problem, Program
from lanescope.model.schedule.overlap import MOST_INSTRUCTIONS, Transfers, overlap
from lanescope.model.schedule.prediction import Prediction, Traffic, Unknown
from lanescope.model.schedule.tables import LineCosts, line_costs

ISSUE = "issue"
"""The front end as a unit: one instruction per cycle."""
_MOST_CYCLES = 1 << 62


def predict_known(
    program: Program, source: CostSource, core: CoreSetup, *, transfers: Transfers | None = None
) -> Prediction:
    """Predict all four figures of what is known; `unknown` says what they leave out.

    A program of more than MOST_INSTRUCTIONS instructions is not scheduled.
    """
    serial = predict_serial(program, source, core)
    transfers = transfers or Transfers()
    if serial.instructions > MOST_INSTRUCTIONS:
        return replace(serial, transfers=transfers)
    return replace(
        serial, transfers=transfers, overlapped=overlap(program, serial.table, transfers)
    )


def predict_serial(program: Program, source: CostSource, core: CoreSetup) -> Prediction:
    """Predict the figures that need no schedule: the serial sum and the busy units."""
    table = cost_table(source, core, program)
    # In floating point first: whole numbers of 64 bits would wrap around.
    if float(program.repeats.astype(float) @ table.done[program.which]) > _MOST_CYCLES:
        raise LanescopeError(f"{program.path}: more than 2^62 cycles; no figure would be exact")
    costs = line_costs(program, table)
    return Prediction(
        program=program,
        table=table,
        line_costs=costs,
        transfers=Transfers(),
        instructions=int(costs.instructions.sum()),
        serial=int(costs.cycles.sum()),
        busy=_busy(program, table, costs),
        traffic=_traffic(program, table, costs),
        unknown=_unknown(program, table),
    )


def refuse_unknown(prediction: Prediction) -> None:
    """Raise an InputError where the program has problems or opcodes without a cost."""
    problems = prediction.unknown.problems
    if problems:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InputError(
            prediction.program.path,
            f"line {first.line}, column {first.column}: {first.text}{more}; "
            "no total is given: correct the program, or say --ignore-unknown",
        )


def _busy(program: Program, table: CostTable, costs: LineCosts) -> dict[str, int]:
    """Cycles that each unit needs for its own instructions: no overlap can be faster."""
    units = program.isa.file.units
    forms = list(program.isa.forms.values())
    unit_of = np.array([units.index(form.opcode.unit) for form in forms], np.int64)
    runs = costs.instructions > 0
    intervals = costs.instructions[runs] * table.interval[program.which[runs]]
    sums = np.zeros(len(units), np.int64)
    np.add.at(sums, unit_of[program.opcode[runs]], intervals)
    started = costs.instructions[runs][table.done[program.which[runs]] > 0]
    return dict(zip(units, sums.tolist(), strict=True)) | {ISSUE: int(started.sum())}


def _traffic(program: Program, table: CostTable, costs: LineCosts) -> Traffic:
    """Bytes and operations of all instructions that run."""
    counts: dict[str, int] = {}
    names = program.isa.names
    runs = costs.instructions > 0
    sums = np.zeros(len(names), np.int64)
    np.add.at(sums, program.opcode[runs], costs.instructions[runs])
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
    """The lines without a meaning or a cost, and why."""
    unpriced = (program.opcode >= 0) & ~table.known[program.which]
    problems = list(program.problems)
    for name, reason in table.missing.items():
        rows = np.flatnonzero(program.opcode == program.isa.forms[name].number).tolist()
        problems += [Problem(row + 1, int(program.column[row]), reason) for row in rows]
    left_out = program.unknown | unpriced
    instruction = program.opcode != -1
    return Unknown(
        tuple(sorted(problems)),
        int((left_out & instruction).sum()),
        int(program.repeats[left_out & instruction].sum()),
    )
