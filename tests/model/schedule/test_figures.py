"""Figures without and with a schedule, and programs that get no total."""

from __future__ import annotations

import msgspec
import pytest
from tests.model.schedule.counted import PLENA, TEXT, VIDEO, predicted

from lanescope.errors import InputError
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.figures import predict_known, predict_serial, refuse_unknown
from lanescope.model.schedule.overlap import Transfers


def test_the_sums_need_no_schedule() -> None:
    serial = predict_serial(parse(TEXT, PLENA), load_cost_source("emulator"), VIDEO)
    scheduled = predicted()
    assert serial.overlapped is None
    assert (serial.serial, serial.busy) == (scheduled.serial, scheduled.busy)
    assert serial.best == serial.serial


def test_the_schedule_keeps_how_transfers_overlap() -> None:
    transfers = Transfers(4, 2)
    source = load_cost_source("emulator")
    prediction = predict_known(parse(TEXT, PLENA), source, VIDEO, transfers=transfers)
    assert prediction.transfers == transfers


def test_a_program_with_problems_has_no_total_unless_asked() -> None:
    program = parse("S_LUI_INT gp1, 1\nV_FOO gp1\n  C_LOOP_END gp1\n", PLENA)
    prediction = predict_known(program, load_cost_source("peer"), VIDEO)
    unknown = prediction.unknown
    assert (prediction.serial, unknown.lines, unknown.instructions) == (1, 2, 2)
    with pytest.raises(InputError) as refused:
        refuse_unknown(prediction)
    assert str(refused.value) == (
        "program: line 2, column 1: unknown opcode V_FOO (and 1 more); "
        "no total is given: correct the program, or say --ignore-unknown"
    )


def test_a_line_that_the_costs_do_not_know_is_in_no_total() -> None:
    source = load_cost_source("emulator")
    costs = {name: cost for name, cost in source.costs.items() if name != "M_MM"}
    without = msgspec.structs.replace(source, costs=costs)
    unknown = predict_known(parse(TEXT, PLENA), without, VIDEO).unknown
    assert (unknown.lines, unknown.instructions) == (1, 6)
    assert [(problem.line, problem.column) for problem in unknown.problems] == [(5, 1)]
