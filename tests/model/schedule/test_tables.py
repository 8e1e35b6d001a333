"""Where the cycles go: tables of a small program, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.model.schedule.counted import predicted

from lanescope.model.schedule.detail import detail
from lanescope.model.schedule.tables import (
    CycleShare,
    HotLine,
    LoopShare,
    OpcodeShare,
    _largest,
    _sums,
    by_type,
)


def test_every_table_sums_to_the_serial_figure() -> None:
    prediction = predicted()
    tables = detail(prediction, 100)
    # 1 + 1 + 2 + 6 × 72 + 6 + 2 + 30; the sum into f0 is free in the emulator.
    assert prediction.serial == 1 + 1 + 2 + 6 * 72 + 6 + 2 + 30
    for rows in (tables.opcodes, tables.categories, tables.types, tables.regions, tables.sections):
        assert sum(row.cycles for row in rows) == prediction.serial
        assert sum(row.instructions for row in rows) == prediction.instructions == 20


def test_opcodes_with_what_each_costs() -> None:
    opcodes = detail(predicted(), 0).opcodes
    assert opcodes[0] == OpcodeShare("M_MM", 6, 72, 72, 432, "published")
    assert opcodes[1] == OpcodeShare("V_RED_SUM", 2, 0, 30, 30, "published")


def test_regions_loops_and_lines() -> None:
    tables = detail(predicted(), 2)
    assert tables.regions == [
        CycleShare("product", 17, 443),
        CycleShare("norm", 2, 30),
        CycleShare("(outside)", 1, 1),
    ]
    assert tables.loops == [
        LoopShare(3, 7, 2, 1, 1, 17, 443),
        LoopShare(4, 6, 3, 2, 2, 14, 440),
    ]
    assert tables.lines == [
        HotLine(5, "M_MM 0, gp1, gp0", 6, 432),
        HotLine(9, "V_RED_SUM f1, gp0", 1, 30),
    ]


def test_groups_stand_by_their_cycles_and_then_by_their_names() -> None:
    opcodes = [
        OpcodeShare(name, 1, cycles, cycles, cycles, "published")
        for name, cycles in (("C_x", 5), ("B_x", 5), ("A_x", 2), ("D_x", 3), ("D_y", 4))
    ]
    assert by_type(opcodes) == [
        CycleShare("D", 2, 7),
        *(CycleShare(name, 1, 5) for name in "BC"),
        CycleShare("A", 1, 2),
    ]


@pytest.mark.parametrize(
    ("most", "places"),
    [(0, []), (1, [1]), (2, [1, 2]), (3, [1, 2, 4]), (4, [1, 2, 4, 0]), (9, [1, 2, 4, 0, 3])],
)
def test_of_equal_lines_the_first_ones_are_the_hottest(most: int, places: list[int]) -> None:
    assert _largest(np.array([3, 5, 5, 1, 5]), most) == places


def test_lines_of_no_group_are_left_out_of_the_sums() -> None:
    large = (1 << 53) + 1
    assert _sums(np.array([1, -1, 0, 1]), np.array([large, 7, 2, 3]), 3) == [2, large + 3, 0]
