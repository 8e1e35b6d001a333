"""Where the cycles go: tables of a small program, counted by hand."""

from __future__ import annotations

import pytest

from lanescope.errors import InputError
from lanescope.model.boards import load_board
from lanescope.model.cost.machine import make_machine
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.detail import detail, difference, peer_cycles
from lanescope.model.schedule.predict import Prediction, predict, predict_known
from lanescope.model.schedule.tables import HotLine, LoopShare, OpcodeShare, Share

PLENA = load_isa("plena")
VIDEO = make_machine(load_board("nexys_video"), None)
TEXT = """\
S_LUI_INT gp1, 1
; region product
C_LOOP_START gp2, 2
C_LOOP_START gp3, 3
M_MM 0, gp1, gp0
C_LOOP_END gp3
C_LOOP_END gp2
; region norm
V_RED_SUM f1, gp0
V_RED_SUM f0, gp0
"""


def run(text: str = TEXT, source: str = "emulator") -> Prediction:
    return predict(parse(text, PLENA), load_cost_source(source), VIDEO)


def test_every_table_sums_to_the_serial_figure() -> None:
    found = run()
    tables = detail(found, 100)
    # 1 + 1 + 2 + 6 × 72 + 6 + 2 + 30; the sum into f0 is free in the emulator.
    assert found.serial == 1 + 1 + 2 + 6 * 72 + 6 + 2 + 30
    for rows in (tables.opcodes, tables.categories, tables.types, tables.regions, tables.sections):
        assert sum(row.cycles for row in rows) == found.serial
        assert sum(row.instructions for row in rows) == found.instructions == 20


def test_opcodes_with_what_each_costs() -> None:
    opcodes = detail(run(), 0).opcodes
    assert opcodes[0] == OpcodeShare("M_MM", 6, 72, 72, 432, "published")
    assert opcodes[1] == OpcodeShare("V_RED_SUM", 2, 0, 30, 30, "published")


def test_regions_loops_and_lines() -> None:
    tables = detail(run(), 2)
    assert tables.regions == [
        Share("product", 17, 443),
        Share("norm", 2, 30),
        Share("(outside)", 1, 1),
    ]
    assert tables.loops == [
        LoopShare(3, 7, 2, 1, 1, 17, 443),
        LoopShare(4, 6, 3, 2, 2, 14, 440),
    ]
    assert tables.lines == [
        HotLine(5, "M_MM 0, gp1, gp0", 6, 432),
        HotLine(9, "V_RED_SUM f1, gp0", 1, 30),
    ]


def test_the_busiest_unit_bounds_it() -> None:
    found = run()
    assert found.busy == {
        "matrix": 432,
        "vector": 30,
        "scalar_fp": 0,
        "scalar_int": 1,
        "control": 11,
        "memory": 0,
        "issue": 19,
    }
    assert found.overlapped is not None
    assert found.bound_by() == ("matrix", 432 / found.overlapped.cycles)


def test_the_peers_figures_stand_beside_ours() -> None:
    assert peer_cycles(run()) == {"peer": 504, "peer-charged": 504}


def test_roofline() -> None:
    """1 prefetch of 8192 bytes and 2 products of 2 × 4 × 4 × 64; 2048 operations in 72 cycles."""
    text = "H_PREFETCH_M gp0, gp0, a0, 1, 0\nM_MM 0, gp0, gp0\nM_MM 0, gp0, gp0\n"
    found = run(text)
    assert found.traffic == (8192, 64 * 72, 4096)
    roofline = found.roofline()
    assert roofline is not None
    assert roofline.intensity == 0.5
    assert roofline.peak_flop_per_s == pytest.approx(2048 / 72 * 1e8)
    assert roofline.ridge == pytest.approx(2048 / 72 * 1e8 / 1e9)
    assert roofline.side == "memory"
    assert roofline.attainable_flop_per_s == pytest.approx(0.5e9)
    # The products wait for the tile: 820 + 2 × 72 cycles at 100 MHz.
    assert roofline.reached_flop_per_s == pytest.approx(4096 / 964 * 1e8)
    assert run("M_MM 0, gp0, gp0").roofline() is None


def test_a_program_with_problems_has_no_total_unless_asked() -> None:
    program = parse("S_LUI_INT gp1, 1\nV_FOO gp1\n  C_LOOP_END gp1\n", PLENA)
    source = load_cost_source("peer")
    with pytest.raises(InputError) as refused:
        predict(program, source, VIDEO)
    assert str(refused.value) == (
        "program: line 2, column 1: unknown opcode V_FOO (and 1 more); "
        "no total is given: correct the program, or say --ignore-unknown"
    )
    found = predict_known(program, source, VIDEO)
    assert (found.serial, found.unknown.lines, found.unknown.instructions) == (1, 2, 2)


def test_difference_of_two_programs() -> None:
    shorter = TEXT.replace("C_LOOP_START gp3, 3", "C_LOOP_START gp3, 2")
    found = difference(run(), run(shorter))
    assert found["figures"]["serial"] == -2 * 72 - 2
    assert found["opcodes"] == [
        {"name": "M_MM", "instructions": [6, 4], "cycles": [432, 288]},
        {"name": "C_LOOP_END", "instructions": [8, 6], "cycles": [8, 6]},
    ]
    assert found["regions"] == [{"name": "product", "instructions": [17, 13], "cycles": [443, 297]}]
    assert found["busy"]["matrix"] == -144
    same = difference(run(), run())
    assert (same["opcodes"], same["figures"]["overlapped"]) == ([], 0)
