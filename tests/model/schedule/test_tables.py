"""Where the cycles go: tables of a small program, counted by hand."""

from __future__ import annotations

from tests.model.schedule.counted import predicted

from lanescope.model.schedule.detail import detail
from lanescope.model.schedule.tables import CycleShare, HotLine, LoopShare, OpcodeShare


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
