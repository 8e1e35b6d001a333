"""Costs and effects of the opcodes of PLENA's builds, by hand from their sources.

Nexys A7: add 2, mul 5, exp 6, max 4, overhead 0, MLEN = VLEN = 64, BLEN 4.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError, UsageError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import CoreSetup, core_setup
from lanescope.model.cost.settings import read_settings
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.binding import read_bindings
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.isa.reading import read_ends
from lanescope.model.predicting import predict
from lanescope.model.schedule.figures import predict_known, predict_serial
from lanescope.model.schedule.prediction import Prediction

A7 = core_setup(load_board("nexys_a7"), None)
ROUTE_L = load_isa("plena-route-l")


def serial(text: str, source: str, *, isa: str = "plena-route-l", core: CoreSetup = A7) -> int:
    found = predict_serial(parse(text, load_isa(isa)), load_cost_source(source), core)
    assert found.unknown.problems == ()
    return found.serial


def schedule(text: str) -> Prediction:
    return predict_known(parse(text, ROUTE_L), load_cost_source("emulator"), A7)


@pytest.mark.parametrize(
    ("line", "isa", "emulator", "peer", "charged"),
    [
        ("V_TOPK gp1, gp2, gp3, 0", "plena", 4 * 32, 1, 1),
        ("V_TOPK gp1, gp2, gp3, 1", "plena", 4 * 128, 1, 1),
        ("C_SET_TOPK_REG gp1", "plena-comp-main", 1, 1, 1),
        ("C_SET_TOPK_REG gp1, 1", "plena-route-l", 1, 1, 1),
        ("C_ROUTE_BEGIN gp7, gp4, gp5, 0", "plena-route-l", 1, 1, 1),
        ("V_ROUTE_MUL gp4, gp5, gp0, 3", "plena-route-l", 5, 1, 1),
        ("V_SOFTPLUS_V gp1, gp2, 0", "plena-route-l", 13, 1, 1),
        ("S_MAP_FP_V gp1, gp2, 8", "plena-route-l", 128, 1, 1),
        ("S_MAP_FP_V gp1, gp2, 8", "plena-tilelang", 128, 1, 1),
        ("V_FMA_VF gp1, gp2, f1, 0", "plena-route-l", 5, 1, 1),
        ("V_ADD_VV.MV gp1, gp2, gp3, 0, 6", "plena-route-l", 2 + 2, 2, 2),
        ("L_CFG gp1, gp2, 0, 1", "plena-route-l", 1, 0, 0),
        ("L_TILE_CFG 1, gp8, gp9", "plena-route-l", 1, 0, 0),
        ("L_TILE_CCFG 1, gp8, gp9", "plena-route-l", 1, 0, 0),
        ("L_MVIEW_FULL 1, gp8, gp9", "plena-lview", 1, 0, 0),
        ("S_SLLI_INT gp1, gp2, 6", "plena-tilelang", 1, 1, 1),
        ("M_TMM_A 0, gp1, gp2", "plena-tilelang", 64, 1, 1),
        ("V_SHIFT_V gp1, gp2, gp3", "plena-older-main", 5, 1, 5),
        ("H_PREFETCH_R_V gp1, gp2, a1, 1, 0", "plena-vlmamba", 52, 0, 25),
        ("H_STORE_R_V gp1, gp2, a1, 1, 0", "plena-vlmamba", 103, 0, 25),
        ("M_MM 0, gp1, gp2", "plena-route-l", 64, 64, 64),
    ],
)
def test_what_an_opcode_costs(line: str, isa: str, emulator: int, peer: int, charged: int) -> None:
    costs = [serial(line, name, isa=isa) for name in ("emulator", "peer", "peer-charged")]
    assert costs == [emulator, peer, charged]


def shaped(rows: int, columns: int, tiles: int) -> str:
    """Lines that put the shape of a view into gp8."""
    word = rows - 1 | columns - 1 << 12 | tiles - 1 << 24
    return f"S_LUI_INT gp8, {word >> 12}\nS_ADDI_INT gp8, gp8, {word & 0xFFF}\n"


@pytest.mark.parametrize(
    ("primitive", "cycles"),
    [
        # 4 tiles of 16 columns make a packet of 64: 8 rows, 2 packets each.
        ("0", 8 * 2 * (4 + 2 * 5 + 2)),
        ("2", 8 * 2 * (4 + 5 + 2)),
        # One read and one write per packet, two reads per line: 32 lines of 16, 2 packets.
        ("1", 2 * (2 + 32 * (2 + 5 + 2))),
        # The other axis: 16 lines of 32 values, two tiles a packet.
        ("1, 1", 4 * (2 + 16 * (2 + 5 + 2))),
        ("1, 2", 2 * (2 + 32 * (2 + 5 + 2))),
    ],
)
def test_a_whole_view_costs_what_its_shape_says(primitive: str, cycles: int) -> None:
    views = shaped(8, 16, 8) + "L_TILE_CFG 0, gp8, gp9\n"
    views += shaped(32, 16, 8) + "L_TILE_CFG 1, gp8, gp9\n"
    before = serial(views, "emulator")
    text = views + f"L_TILE_EXEC gp1, gp2, gp3, {primitive}\n"
    assert serial(text, "emulator") - before == cycles
    assert serial(text, "peer") == 4


def test_one_line_costs_what_the_view_was_when_it_ran() -> None:
    run = "L_TILE_EXEC gp1, gp2, gp3, 0\n"
    cost = 4 + 2 * 5 + 2
    config = "L_TILE_CFG 0, gp8, gp9\nL_TILE_CFG 1, gp8, gp9\n"
    text = shaped(8, 64, 1) + config + run + shaped(2, 64, 1) + config + run
    assert serial(text, "emulator") == 2 * (2 + 2) + (8 + 2) * cost


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("V_TOPK gp1, gp2, gp3, 15", "V_TOPK costs vector_max*EXPERTS cycles in emulator, and the "
         "program does not say what EXPERTS is: give --bind EXPERTS=N"),
        ("V_TOPK gp1, gp2, gp3, 7", "does not say what EXPERTS is"),
        ("S_LD_INT gp6, gp0, 0\nC_SET_TOPK_REG gp6\nV_TOPK gp1, gp2, gp3, 15", "what EXPERTS is"),
        ("L_TILE_EXEC gp1, gp2, gp3, 0", "what ROWS is"),
        ("L_TILE_EXEC gp1, gp2, gp3, 9", "emulator has no cost for L_TILE_EXEC.9: of its "
         "primitives only 0, 1 and 2 have a cost among the sources"),
        ("M_MM 0, gp1, gp2, 1", "what VIEW_SERVICE is: give --bind VIEW_SERVICE=N"),
        ("M_MM_P gp1, gp2, gp3, gp4, 1", "emulator has no cost for M_MM_P"),
        # The register changes from turn to turn.
        ("C_LOOP_START gp2, 4\nV_TOPK gp1, gp2, gp3, 15\nC_SET_TOPK_REG gp2\nC_LOOP_END gp2",
         "what EXPERTS is"),
    ],
)  # fmt: skip
def test_a_cost_that_nobody_can_say_is_refused_by_name(
    text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "p.asm").write_text(text)
    with pytest.raises(InputError) as refused:
        predict(tmp_path / "p.asm", board="nexys_a7", isa="plena-route-l", cost_source="emulator")
    assert reason in str(refused.value)
    found = predict(tmp_path / "p.asm", board="nexys_a7", isa="plena-route-l", cost_source="peer")
    assert found.unknown.lines == 0


def test_what_a_program_does_not_say_can_be_bound(tmp_path: Path) -> None:
    (tmp_path / "p.asm").write_text("V_TOPK gp1, gp2, gp3, 15\nM_MM 0, gp1, gp2, 1\n")
    options = {"board": "nexys_a7", "isa": "plena-route-l", "cost_source": "emulator"}
    found = predict(tmp_path / "p.asm", bind=["EXPERTS=96..128", "VIEW_SERVICE=3"], **options)
    assert found.serial == 4 * 128 + 64 + 3
    assert found.to_dict()["interval"]["cycles"]["serial"] == (4 * 96 + 67, 4 * 128 + 67)
    (tmp_path / "known.asm").write_text("V_TOPK gp1, gp2, gp3, 0\n")
    with pytest.raises(UsageError, match="leaves nothing to bind"):
        read_ends(tmp_path / "known.asm", bind={"EXPERTS": 4})
    assert read_bindings(None) == {}


@pytest.mark.parametrize(
    ("text", "cycles"),
    [("", 13), ("VECTOR_SOFTPLUS_CYCLES = { dc_lib_en = 3, dc_lib_dis = 17 }", 17)],
)
def test_a_settings_file_may_say_what_softplus_costs(
    text: str, cycles: int, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text(
        "[TRANSACTIONAL.CONFIG]\nDC_EN = { value = 0 }\n[TRANSACTIONAL.LATENCY]\n"
        f"VECTOR_EXP_CYCLES = {{ dc_lib_en = 1, dc_lib_dis = 6 }}\n{text}\n"
    )
    core = core_setup(None, read_settings(tmp_path / "settings.toml"))
    assert serial("V_SOFTPLUS_V gp1, gp2", "emulator", core=core) == cycles
    fast = core_setup(None, read_settings(tmp_path / "settings.toml", dc_en=1))
    assert serial("V_SOFTPLUS_V gp1, gp2", "emulator", core=fast) == (3 if text else 2)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        # What a map stores, a load reads: 128 + 1. Another slot: no chain.
        ("S_MAP_FP_V gp0, gp0, 8\nS_LD_FP f1, gp0, 9", 128 + 1),
        ("S_MAP_FP_V gp0, gp0, 8\nS_LD_FP f1, gp0, 7", 128),
        # A fused product reads its own row, a plain one does not.
        ("V_FMA_VF gp0, gp0, f1\nV_FMA_VF gp0, gp0, f1", 5 + 5),
        # Weights and indices of a routing go to the two scalar memories.
        ("V_TOPK gp0, gp0, gp0, 0\nS_LD_FP f1, gp0, 3", 128 + 1),
        ("V_TOPK gp0, gp0, gp0, 0\nS_LD_INT gp1, gp0, 3", 128 + 1),
        ("V_TOPK gp0, gp0, gp0, 0\nS_LD_INT gp1, gp0, 4", 128),
        ("V_TOPK gp0, gp0, gp0, 1\nS_LD_INT gp1, gp0, 4", 512 + 1),
        # A policy waits for its register, a view for its configuration.
        ("S_LD_INT gp6, gp0, 0\nC_SET_TOPK_REG gp6\nC_ROUTE_BEGIN gp7, gp1, gp2, 15", 3),
        ("S_LD_INT gp6, gp0, 0\nL_TILE_CFG 0, gp6, gp6\nV_ADD_VV.MV gp1, gp2, gp3, 0, 1", 2 + 3),
        # A weight of the current expert waits for the routing.
        ("C_ROUTE_BEGIN gp7, gp1, gp2, 0\nV_ROUTE_MUL gp4, gp5, gp0, 1", 1 + 5),
    ],
)
def test_what_new_opcodes_wait_for(text: str, path: int) -> None:
    found = schedule(text)
    assert found.unknown.problems == ()
    assert found.overlapped is not None
    assert found.overlapped.critical_path == path


def test_the_expert_of_a_route_is_no_known_address() -> None:
    """gp7 holds an expert: a row at that address may be any row."""
    text = "V_EXP_V gp3, gp3\nC_ROUTE_BEGIN gp7, gp1, gp2, 0\nV_EXP_V gp0, gp7"
    found = schedule("S_ADDI_INT gp3, gp0, 640\n" + text)
    assert found.overlapped is not None
    assert found.overlapped.critical_path == 1 + 6 + 6


@pytest.mark.parametrize(
    ("compute", "meets"),
    [
        ("S_SLLI_INT gp2, gp1, 6", True),
        ("S_SLLI_INT gp2, gp1, 5", False),
        ("S_ADDI_INT gp3, gp0, 6\nS_SLL_INT gp2, gp1, gp3", True),
        ("S_ADDI_INT gp3, gp0, 2560\nS_SRLI_INT gp2, gp3, 2", True),
        ("S_ADDI_INT gp3, gp0, 1280\nS_ADDI_INT gp4, gp0, 2\nS_DIV_INT gp2, gp3, gp4", True),
        ("S_ADDI_INT gp3, gp0, 1640\nS_ADDI_INT gp4, gp0, 1000\nS_REM_INT gp2, gp3, gp4", True),
        # Nobody knows what these leave: it may be any row.
        ("S_SLLI_INT gp2, gp1, 40", True),
        ("S_DIV_INT gp2, gp1, gp0", True),
    ],
)
def test_addresses_that_are_shifted_and_divided(compute: str, meets: bool) -> None:
    """gp1 is 10; a row at 640 is written before one at the computed address is read."""
    text = f"S_ADDI_INT gp5, gp0, 640\nV_EXP_V gp5, gp0\nS_ADDI_INT gp1, gp0, 10\n{compute}\n"
    program = parse(text + "V_EXP_V gp0, gp2", load_isa("plena-tilelang"))
    found = predict_known(program, load_cost_source("emulator"), A7)
    assert found.overlapped is not None
    assert (found.overlapped.critical_path == 1 + 6 + 6) == meets
