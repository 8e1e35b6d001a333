"""Costs of opcodes and of the patterns of a program, and what has none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import CoreSetup, core_setup
from lanescope.model.cost.source import CostSource, OpcodeTiming, load_cost_source
from lanescope.model.cost.table import (
    MissingFigure,
    OpcodeCost,
    cost_table,
    opcode_cost,
    outside_domain,
    transfer_cycles,
)
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse

PLENA = load_isa("plena")
VIDEO = core_setup(load_board("nexys_video"), None)
M_MM = PLENA.forms["M_MM"]
FLOP = 2 * 4 * 4 * 64


def source(**changes: Any) -> CostSource:
    return msgspec.structs.replace(load_cost_source("peer"), name="mine", **changes)


def one(cost: str | int | OpcodeTiming) -> OpcodeCost | str:
    return opcode_cost(source(costs={"M_MM": cost}), VIDEO, M_MM)


def test_what_a_timing_leaves_out_is_when_it_is_done() -> None:
    assert one(5) == OpcodeCost(5, 5, 5, 0, 0, FLOP, "published")
    assert one(OpcodeTiming(done="BLEN", ready=3, interval=2, basis="assumed")) == OpcodeCost(
        4, 3, 2, 0, 0, FLOP, "assumed"
    )


@pytest.mark.parametrize(("ready", "interval", "done"), [(9, 2, 9), (2, 9, 9), (1, 1, 5)])
def test_a_unit_is_idle_when_all_is_done(ready: int, interval: int, done: int) -> None:
    found = one(OpcodeTiming(done=5, ready=ready, interval=interval))
    assert found == OpcodeCost(done, ready, interval, 0, 0, FLOP)


@pytest.mark.parametrize(
    ("timing", "field"),
    [
        (OpcodeTiming(done=-1), "'done' of M_MM is -1"),
        (OpcodeTiming(done=-1, ready=3, interval=2), "'done' of M_MM is -1"),
        (OpcodeTiming(done=1, ready=-2), "'ready' of M_MM is -2"),
        (OpcodeTiming(done=1, interval=-1), "'interval' of M_MM is -1"),
        (OpcodeTiming(done=(1 << 40) + 1), "'done' of M_MM is 1099511627777"),
        (OpcodeTiming(done=1, ready=(1 << 40) + 1), "'ready' of M_MM is 1099511627777"),
    ],
)
def test_a_cost_that_cannot_be_is_refused(timing: OpcodeTiming, field: str) -> None:
    with pytest.raises(LanescopeError) as refused:
        one(timing)
    assert str(refused.value) == f"mine: {field} cycles, expected 0 to 2^40; correct it"


def test_the_least_and_the_most_of_a_cost() -> None:
    assert one(0) == OpcodeCost(0, 0, 0, 0, 0, FLOP)
    assert one(1 << 40) == OpcodeCost(1 << 40, 1 << 40, 1 << 40, 0, 0, FLOP)


def test_a_formula_that_has_no_value_is_a_sentence() -> None:
    assert one("BLEN // 0") == "M_MM: 'BLEN // 0' divides by zero"
    missing = source(costs={}, absent={"M_MM": "nobody measured it"})
    assert opcode_cost(missing, VIDEO, M_MM) == "mine has no cost for M_MM: nobody measured it"
    assert opcode_cost(source(costs={}), VIDEO, M_MM) == (
        "mine has no cost for M_MM: the source does not list it"
    )


@pytest.mark.parametrize(
    ("core", "name", "sentence"),
    [
        (core_setup(None, None), "x", "x, which no board or settings state: give --settings FILE"),
        (VIDEO, "x", "x, which the board nexys_video does not state: give --settings FILE"),
        (
            core_setup(None, None),
            "TRANSFER",
            "a memory bandwidth and a clock: give --board, or a cost source that needs none",
        ),
        (
            core_setup(load_board("u55c"), None),
            "TRANSFER",
            "a clock, which the board u55c does not state: give --clock-mhz",
        ),
    ],
)
def test_a_figure_that_the_core_lacks_says_where_to_give_it(
    core: CoreSetup, name: str, sentence: str
) -> None:
    with pytest.raises(MissingFigure) as refused:
        opcode_cost(source(costs={"M_MM": name}), core, M_MM)
    assert str(refused.value) == f"M_MM needs {sentence}"


def test_a_transfer_takes_whole_cycles_where_a_rate_is_known() -> None:
    """1 GB/s at 100 MHz: 10 bytes a cycle."""
    assert [transfer_cycles(VIDEO, size) for size in (0, 1, 10, 11)] == [
        {"TRANSFER": cycles} for cycles in (0, 1, 1, 2)
    ]
    assert transfer_cycles(core_setup(None, None), 10) == {}
    assert transfer_cycles(core_setup(load_board("u55c"), None), 10) == {}


def test_both_ends_of_a_measured_range_are_measured() -> None:
    given = source(domain={"MLEN": (64, 65), "BLEN": (5, 9), "HLEN": (1, 15)})
    assert outside_domain(given, VIDEO) == [
        "BLEN 4 (measured from 5 to 9)",
        "HLEN 16 (measured from 1 to 15)",
    ]
    assert outside_domain(source(domain={"MLEN": (1, 64)}), VIDEO) == []


def test_a_table_has_the_costs_of_the_opcodes_that_a_program_uses() -> None:
    timing = OpcodeTiming(done=5, ready=3, interval=2)
    given = source(costs={"M_MM": timing, "V_EXP_V": 7}, absent={"S_LUI_INT": "unknown"})
    program = parse("M_MM 0, gp1, gp2\n; none\nS_LUI_INT gp1, 1\nM_MM 0, gp3, gp2\n", PLENA)
    table = cost_table(given, VIDEO, program)
    assert (dict(table.costs), dict(table.missing)) == (
        {"M_MM": OpcodeCost(5, 3, 2, 0, 0, FLOP)},
        {"S_LUI_INT": "mine has no cost for S_LUI_INT: unknown"},
    )
    columns = (table.done, table.ready, table.interval, table.known)
    assert [values[program.which].tolist() for values in columns] == [
        [5, 0, 0, 5],
        [3, 0, 0, 3],
        [2, 0, 0, 2],
        [True, False, False, True],
    ]


def test_a_source_of_another_set_and_a_cost_of_no_opcode_are_refused() -> None:
    program = parse("S_LUI_INT gp1, 1", PLENA)
    with pytest.raises(UsageError) as refused:
        cost_table(source(isa="other"), VIDEO, program)
    assert str(refused.value) == "the cost source 'mine' is for the ISA 'other', not 'plena'"
    for wrong in ({"costs": {"S_LUI_INT": 1, "M_OURS": 2}}, {"absent": {"M_OURS": "why"}}):
        with pytest.raises(UsageError) as strange:
            cost_table(source(**wrong), VIDEO, program)
        assert str(strange.value) == (
            "the cost source 'mine' has a cost for 'M_OURS', which the ISA 'plena' does not have; "
            "correct its name"
        )


def test_a_cost_of_another_builds_opcode_or_of_one_kind_of_it_is_no_mistake() -> None:
    program = parse("S_LUI_INT gp1, 1", PLENA)
    given = source(costs={"S_LUI_INT": 1, "C_ROUTE_BEGIN": 2, "M_MM.3": 4})
    assert dict(cost_table(given, VIDEO, program).costs) == {"S_LUI_INT": OpcodeCost(1, 1, 1)}
