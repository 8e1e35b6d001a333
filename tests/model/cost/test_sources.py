"""The cost sources against the files they come from, and where they differ, by hand."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.model.cost.plena_data import DATA, needs_data

from lanescope.errors import UsageError
from lanescope.model.boards import load_board
from lanescope.model.cost.core import CoreSetup, core_setup
from lanescope.model.cost.settings import read_settings
from lanescope.model.cost.source import cost_source_names, load_cost_source
from lanescope.model.cost.table import (
    MissingFigure,
    OpcodeCost,
    cost_table,
    opcode_cost,
    outside_domain,
)
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.isa.variants import known_opcodes

PLENA = load_isa("plena")
VIDEO = core_setup(load_board("nexys_video"), None)


def cost(source: str, opcode: str, core: CoreSetup = VIDEO) -> OpcodeCost:
    routed = {"EXPERTS": 32, "TOPK": 4} if opcode == "V_TOPK" else None
    found = opcode_cost(load_cost_source(source), core, PLENA.forms[opcode], routed)
    assert isinstance(found, OpcodeCost), found
    return found


def test_every_source_says_where_it_comes_from() -> None:
    assert cost_source_names() == ("emulator", "peer", "peer-charged", "rtl")
    for name in cost_source_names():
        source = load_cost_source(name)
        assert "PLENA_Simulator" in source.source
        listed = {key.partition(".")[0] if key[-1].isdigit() else key for key in source.costs}
        assert set(PLENA.forms) <= listed | set(source.absent) <= known_opcodes()
        assert not set(source.costs) & set(source.absent)
        if name != "rtl":
            assert listed | set(source.absent) == known_opcodes()


@needs_data
@pytest.mark.parametrize("model", ["main:nexys_a7", "main:v80", "pr58:nexys_a7"])
def test_the_peers_whole_table(model: str) -> None:
    tables = json.loads((DATA / "opcode_cost_table_mlen64.json").read_text())
    core = core_setup(load_board(model.partition(":")[2]), None)
    source = "peer" if model.startswith("main") else "peer-charged"
    assert {name: cost(source, name, core).done for name in PLENA.forms} == tables[model]


@pytest.mark.parametrize(
    ("opcode", "emulator", "peer"),
    [
        ("M_MM", 72, 72),
        ("M_BMV", 9, 72),
        ("M_BTMV", 9, 72),
        ("M_MV", 64, 72),
        ("M_TMV", 64, 72),
        ("V_MAX_VF", 4, 1),
        ("V_MIN_VF", 4, 1),
        ("V_TOPK", 4 * 32, 1),
        ("S_MAP_V_FP", 128, 64),
        ("V_SHFT_V", 7, 7),
    ],
)
def test_where_the_emulator_differs_from_the_profiler(
    opcode: str, emulator: int, peer: int
) -> None:
    """Nexys Video: overhead 8, MLEN = VLEN = 64, vector max 4."""
    assert (cost("emulator", opcode).done, cost("peer", opcode).done) == (emulator, peer)


@pytest.mark.parametrize("line", ["S_ADD_FP f0, f1, f2", "V_RED_SUM f0, gp1", "V_RED_MAX f0, gp1"])
def test_the_emulator_charges_nothing_into_f0(line: str) -> None:
    other = line.replace(" f0,", " f3,")
    program = parse(f"{line}\n{other}\n", PLENA)
    done = cost_table(load_cost_source("emulator"), VIDEO, program).done
    free, paid = done[program.which].tolist()
    assert (free, paid > 0) == (0, True)
    both = cost_table(load_cost_source("peer"), VIDEO, program).done[program.which].tolist()
    assert both == [paid, paid]


def test_a_transfer_costs_its_bytes_at_the_boards_bandwidth() -> None:
    """64 rows of one chunk of elements and one of scales; 1 GB/s at 100 MHz is 10 bytes a cycle."""
    moved = cost("emulator", "H_PREFETCH_M")
    assert (moved.traffic_bytes, moved.useful_bytes) == (64 * 128, 64 * 72)
    assert moved.done == 820
    moved = cost("rtl", "H_PREFETCH_V")
    assert (moved.traffic_bytes, moved.useful_bytes, moved.done) == (4 * 128, 4 * 72, 52)
    assert cost("emulator", "H_STORE_V").traffic_bytes == 2 * 4 * 128
    assert [cost("peer", name).done for name in ("H_PREFETCH_M", "H_STORE_V")] == [0, 0]
    assert [cost("peer-charged", name).done for name in ("H_PREFETCH_M", "H_STORE_V")] == [400, 25]


def test_a_larger_tile_moves_more_bytes() -> None:
    """The board's constant of 400 cycles does not know that; MLEN 256 moves 16 tiles of 64."""
    core = core_setup(load_board("nexys_video"), None, {"MLEN": 256})
    moved = cost("emulator", "H_PREFETCH_M", core)
    assert moved.traffic_bytes == 256 * (256 + 64)
    assert moved.done == 8192
    assert cost("peer-charged", "H_PREFETCH_M", core).done == 400


@needs_data
def test_the_rtl_costs_are_those_of_its_file() -> None:
    file = json.loads((DATA / "calibration" / "rtl_opcode_timing_v1.json").read_text())
    vector, scalar, matrix = file["vector"], file["scalar"], file["matrix"]["mxfp"]
    for shape in matrix["measured_shapes"]:
        core = core_setup(None, None, {"MLEN": shape["mlen"], "BLEN": shape["blen"]})
        assert cost("rtl", "M_MM", core).done == shape["gemm_done_cycles"]
        assert cost("rtl", "M_MM", core).interval == shape["gemm_ii_cycles"]
        assert cost("rtl", "M_MM_WO", core).done == shape["writeout_busy_cycles"]
    for opcode, key in {
        "V_ADD_VV": "add_vv",
        "V_ADD_VF": "add_vf",
        "V_SUB_VV": "sub_vv",
        "V_SUB_VF": "sub_vf",
        "V_MUL_VV": "mul_vv",
        "V_MUL_VF": "mul_vf",
        "V_EXP_V": "exp",
        "V_RECI_V": "reciprocal",
    }.items():
        found = cost("rtl", opcode)
        assert found.done == found.ready == vector[f"{key}_cycles"]
        assert found.interval == vector["initiation_interval_cycles"]
    for opcode, key in {
        "S_ADD_FP": "fp_add",
        "S_SUB_FP": "fp_sub",
        "S_MUL_FP": "fp_mul",
        "S_EXP_FP": "fp_exp",
        "S_RECI_FP": "fp_reciprocal",
        "S_SQRT_FP": "fp_sqrt",
    }.items():
        found = cost("rtl", opcode)
        assert found.ready == scalar[f"{key}_ready_cycles"]
        assert found.done == scalar[f"{key}_done_cycles"]
    levels = 6
    for opcode, key in {"V_RED_SUM": "reduce_sum", "V_RED_MAX": "reduce_max"}.items():
        base, level = vector[f"{key}_base_cycles"], vector[f"{key}_per_level_cycles"]
        assert cost("rtl", opcode).done == base + level * levels
    mapped = cost("rtl", "S_MAP_V_FP")
    assert mapped.ready == 64 + scalar["map_vector_ready_fixed_cycles"]
    assert mapped.done == 64 + scalar["map_vector_done_fixed_cycles"]
    assert cost("rtl", "M_MV").done == 64 + matrix["gemv_load_fixed_cycles"]
    assert cost("rtl", "S_MAX_FP") == cost("rtl", "S_MAX_FP")._replace(done=10, basis="assumed")


def test_sizes_nobody_measured_are_named() -> None:
    wide = core_setup(load_board("nexys_video"), None, {"MLEN": 256})
    assert outside_domain(load_cost_source("rtl"), VIDEO) == []
    assert outside_domain(load_cost_source("rtl"), wide) == [
        "MLEN 256 (measured from 16 to 64)",
        "VLEN 256 (measured from 8 to 64)",
    ]
    assert outside_domain(load_cost_source("peer"), wide) == []


def test_what_a_source_does_not_know_is_said() -> None:
    found = opcode_cost(load_cost_source("rtl"), VIDEO, PLENA.forms["M_BTMM"])
    assert found == "rtl has no cost for M_BTMM: broadcast is not implemented in the measured RTL"


def test_a_machine_without_the_figure_is_refused() -> None:
    with pytest.raises(MissingFigure, match="vector_add, which no board or settings state"):
        cost("peer", "V_ADD_VV", core_setup(None, None))
    with pytest.raises(MissingFigure, match="give --clock-mhz"):
        cost("rtl", "H_PREFETCH_V", core_setup(load_board("u55c"), None))
    with pytest.raises(MissingFigure, match="give --board"):
        cost("rtl", "H_PREFETCH_V", core_setup(None, None))


def test_a_cost_for_an_opcode_that_does_not_exist_is_refused() -> None:
    source = load_cost_source("peer")
    wrong = msgspec.structs.replace(source, costs={**source.costs, "M_MMM": 3})
    with pytest.raises(UsageError, match="has a cost for 'M_MMM', which the ISA 'plena' does not"):
        cost_table(wrong, VIDEO, parse("S_LUI_INT gp1, 1", PLENA))


def test_an_unknown_source_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="no cost source 'rumour'; there are emulator, peer"):
        load_cost_source("rumour")


@needs_data
def test_settings_give_sizes_and_both_columns() -> None:
    path = DATA / "programs" / "clm60m_1L_m256_b64_s256.settings.toml"
    fast, slow = read_settings(path, dc_en=1), read_settings(path, dc_en=0)
    assert (fast.sizes["MLEN"], fast.sizes["VLEN"], fast.sizes["BLEN"]) == (256, 256, 64)
    assert (fast.latencies["vector_exp"], slow.latencies["vector_exp"]) == (1, 6)
    assert (fast.sizes["ELEMENT_BITS"], fast.sizes["SCALE_BITS"], fast.sizes["BLOCK"]) == (8, 8, 8)
