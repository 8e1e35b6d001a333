"""Computes a prediction: sums without a schedule, and the schedule where one is wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np

from lanescope.errors import InputError, LanescopeError
from lanescope.model.cost.core import CoreSetup
from lanescope.model.cost.source import CostSource
from lanescope.model.cost.table import CostTable, cost_table
from lanescope.model.isa.parse import Problem, Program
from lanescope.model.memory.program import MemoryRun
from lanescope.model.schedule.overlap import MOST_INSTRUCTIONS, Transfers, overlap
from lanescope.model.schedule.prediction import Prediction, Traffic, Unknown
from lanescope.model.schedule.tables import LineCosts, charged_costs, line_costs

ISSUE = "issue"
"""The front end as a unit: one instruction per cycle."""
_MOST_CYCLES = 1 << 62


def predict_known(
    program: Program, source: CostSource, core: CoreSetup, *, transfers: Transfers | None = None
) -> Prediction:
    """Predict all four figures of what is known; `unknown` says what they leave out.

    Transfers cost what the source says; a program of more than MOST_INSTRUCTIONS instructions is
    not scheduled.
    """
    return scheduled(predict_serial(program, source, core), transfers or Transfers())


def scheduled(prediction: Prediction, transfers: Transfers) -> Prediction:
    """The same prediction with its schedule; more than MOST_INSTRUCTIONS are not scheduled."""
    prediction = replace(prediction, transfers=transfers)
    if prediction.instructions > MOST_INSTRUCTIONS:
        return prediction
    done = overlap(
        prediction.program, prediction.table, transfers, cycles=prediction.transfer_cycles
    )
    return replace(prediction, overlapped=done)


def with_memory(prediction: Prediction, memory: MemoryRun) -> Prediction:
    """The same sums with every transfer at what the memory took for it."""
    if memory.charged is None:
        return replace(prediction, memory=memory)
    # In floating point first: whole numbers of 64 bits would wrap around.
    if prediction.serial + np.sum(memory.charged.cycles, dtype=float) > _MOST_CYCLES:
        _refuse_long(prediction.program)
    costs = charged_costs(prediction.program, prediction.line_costs, memory.charged)
    return replace(
        prediction,
        line_costs=costs,
        serial=int(costs.cycles.sum()),
        busy=_busy(prediction.program, costs),
        memory=memory,
    )


def predict_serial(program: Program, source: CostSource, core: CoreSetup) -> Prediction:
    """Predict the figures that need no schedule: the serial sum and the busy units."""
    table = cost_table(source, core, program)
    # In floating point first: whole numbers of 64 bits would wrap around.
    if np.sum(program.repeats * table.done[program.which].astype(float)) > _MOST_CYCLES:
        _refuse_long(program)
    costs = line_costs(program, table)
    return Prediction(
        program=program,
        table=table,
        line_costs=costs,
        transfers=Transfers(),
        instructions=int(costs.instructions.sum()),
        serial=int(costs.cycles.sum()),
        busy=_busy(program, costs),
        traffic=_traffic(program, table, costs),
        unknown=_unknown(program, table),
    )


def _refuse_long(program: Program) -> NoReturn:
    raise LanescopeError(f"{program.path}: more than 2^62 cycles; no figure would be exact")


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


def _busy(program: Program, costs: LineCosts) -> dict[str, int]:
    """Cycles that each unit needs for its own instructions: no overlap can be faster."""
    units = program.isa.file.units
    forms = list(program.isa.forms.values())
    unit_of = np.array([units.index(form.opcode.unit) for form in forms], np.int64)
    runs = costs.instructions > 0
    sums = np.zeros(len(units), np.int64)
    np.add.at(sums, unit_of[program.opcode[runs]], costs.busy[runs])
    return dict(zip(units, sums.tolist(), strict=True)) | {ISSUE: int(costs.issued.sum())}


def _traffic(program: Program, table: CostTable, costs: LineCosts) -> Traffic:
    """Bytes and operations of all instructions that run.

    An instruction whose result is thrown away costs nothing, so its operations do not count.
    """
    names = program.isa.names
    counts = {}
    for field, of_line in (("bytes", costs.instructions), ("flop", costs.issued)):
        runs = of_line > 0
        sums = np.zeros(len(names), np.int64)
        np.add.at(sums, program.opcode[runs], of_line[runs])
        counts[field] = {names[n]: count for n, count in enumerate(sums.tolist()) if count}
    return Traffic(
        sum(table.costs[name].traffic_bytes * count for name, count in counts["bytes"].items()),
        sum(table.costs[name].useful_bytes * count for name, count in counts["bytes"].items()),
        sum(table.costs[name].flop * count for name, count in counts["flop"].items()),
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
