"""Patterns as records of numbers: their registers, ranges, and what is too much for a record."""

from __future__ import annotations

import pytest

from lanescope.errors import LanescopeError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.cost.table import cost_table
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.encode import NONE, Array, encode_patterns, registers_of

PLENA = load_isa("plena")
NUMBERS = registers_of(PLENA)


def encoded(line: str, **sizes: int) -> Array:
    """The record of one line's pattern."""
    program = parse(line, PLENA)
    core = core_setup(None, None, sizes)
    rows = encode_patterns(program, cost_table(load_cost_source("rtl"), core, program))
    return rows[program.which[0]]


def test_registers_are_numbered_file_by_file_and_states_behind_them() -> None:
    files = PLENA.file.registers
    names = [f"{name}{number}" for name, file in files.items() for number in range(file.count)]
    assert NUMBERS.names == (*names, *PLENA.file.state)
    assert {name: NUMBERS.names[number] for name, number in NUMBERS.first.items()} == {
        **{name: f"{name}0" for name in files},
        **{state: state for state in PLENA.file.state},
    }
    assert {NUMBERS.names[number] for number in NUMBERS.zeros} == {
        f"{name}{file.zero}" for name, file in files.items() if file.zero is not None
    }


def test_an_addition_of_a_number_knows_what_it_adds_to_and_where_it_writes() -> None:
    row = encoded("S_ADDI_INT gp3, gp5, 9")
    gp = NUMBERS.first["gp"]
    assert (row["left"], row["right"], row["target"]) == (gp + 5, NONE, gp + 3)
    assert (row["value"], row["kind"], row["transfer"]) == (2, 1, 0)
    assert row["reads"].tolist() == [gp + 5] + [NONE] * (len(row["reads"]) - 1)
    assert row["writes"].tolist() == [gp + 3] + [NONE] * (len(row["writes"]) - 1)


def test_a_zero_register_is_neither_waited_for_nor_written() -> None:
    row = encoded("S_ADDI_INT gp0, gp0, 9")
    assert (row["left"], row["target"]) == (NUMBERS.first["gp"], NONE)
    assert set(row["reads"].tolist()) == set(row["writes"].tolist()) == {NONE}


@pytest.mark.parametrize(
    ("line", "kind", "unit", "transfer"),
    [
        ("C_LOOP_START gp1, 3", 2, "control", 0),
        ("M_MM 0, gp1, gp2", 1, "matrix", 0),
        ("H_PREFETCH_V gp0, gp0, a0, 0, 0", 1, "memory", 1),
    ],
)
def test_a_record_has_its_kind_and_its_unit(line: str, kind: int, unit: str, transfer: int) -> None:
    program = parse(line, PLENA)
    core = core_setup(load_board("nexys_video"), None)
    rows = encode_patterns(program, cost_table(load_cost_source("peer"), core, program))
    row = rows[program.which[0]]
    assert (row["kind"], PLENA.file.units[row["unit"]], row["transfer"]) == (kind, unit, transfer)


def test_a_product_reads_a_tile_and_rows_of_a_block() -> None:
    row = encoded("M_MM 0, gp1, gp2", BLEN=8)
    gp, memories = NUMBERS.first["gp"], list(PLENA.file.memories)
    found = [
        (memories[one["memory"]], one["base"], one["step"], one["count"], one["part"])
        for one in row["loads"]
        if one["memory"] != NONE
    ]
    assert found == [
        ("matrix_sram", gp + 1, NONE, 1, 0),
        ("vector_sram", gp + 2, NONE, 8, 0),
    ]
    assert all(one["memory"] == NONE for one in row["stores"])


def test_a_write_out_has_a_step_and_clears_what_it_reads() -> None:
    row = encoded("M_MM_WO gp4, gp5, 3")
    gp = NUMBERS.first["gp"]
    first = row["stores"][0]
    assert (first["base"], first["step"], first["count"], first["part"]) == (gp + 4, gp + 5, 4, 1)
    assert row["clears"] == NUMBERS.first["acc_mm"]
    assert encoded("M_MM 0, gp1, gp2")["clears"] == NONE


def test_a_range_has_as_many_granules_as_a_memory_can_have() -> None:
    sizes = {"MLEN": 1 << 21}
    row = encoded("M_MM 0, gp1, gp2", BLEN=1 << 20, **sizes)
    assert row["loads"][1]["count"] == 1 << 20
    with pytest.raises(LanescopeError) as refused:
        encoded("M_MM 0, gp1, gp2", BLEN=(1 << 20) + 1, **sizes)
    assert str(refused.value) == (
        "a range of 1,048,577 granules of vector_sram is more than any memory has"
    )
