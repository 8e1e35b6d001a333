"""Builds of PLENA: what a number means in each, and files that extend another."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError, UsageError
from lanescope.model.isa.isa import isa_names, load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.isa.variants import meanings, unknown_opcode

MINE = """\
name: mine
extends: plena
summary: "one more"
sources: ["this test"]
without: [V_TOPK]
changes: { V_MAX_VF: { code: 0x3A } }
opcodes:
  V_NEW: { code: 0x37, operands: "rd=gp", unit: vector, category: vector, reads: [rd] }
"""


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (0x31, {"plena": "V_PS_V", "plena-tilelang": "C_BREAK", "plena-older-main": "V_SHIFT_V"}),
        (0x32, {"plena": "V_SHFT_V", "plena-route-l": "V_SHFT_V", "plena-older-main": "C_BREAK"}),
        (0x34, {"plena": "C_BREAK", "plena-tilelang": ""}),
        (0x35, {"plena": "V_MAX_VF", "plena-tilelang": "S_MAP_FP_V", "plena-decode": "CONV_2D",
                "plena-vlmamba": "H_PREFETCH_R_V", "plena-ooo": "MHMM"}),
        (0x36, {"plena": "V_MIN_VF", "plena-tilelang": "S_SLL_INT", "plena-vlmamba": "H_STORE_R_V",
                "plena-ooo": "MHTMM"}),
        (0x37, {"plena": "V_TOPK", "plena-tilelang": "S_SLLI_INT", "plena-ooo": "MHMM_WO"}),
        (0x38, {"plena": "", "plena-comp-main": "C_SET_TOPK_REG", "plena-tilelang": "S_SRL_INT",
                "plena-route-l": "C_SET_TOPK_REG", "plena-state-engine": "C_SET_TOPK_REG"}),
        (0x39, {"plena-route-l": "C_ROUTE_BEGIN", "plena-state-engine": "", "plena-lview": "",
                "plena-tilelang": "S_SRLI_INT", "plena-nemotron": "X_MAMBA",
                "plena-route-3d": "V_SOFTPLUS_V"}),
        (0x3A, {"plena-route-l": "C_ROUTE_LOOP_START", "plena-tilelang": "S_DIV_INT",
                "plena-route-3d": "S_MAP_FP_V"}),
        (0x3B, {"plena-route-l": "C_ROUTE_LOOP_END", "plena-tilelang": "S_REM_INT",
                "plena-route-3d": "V_FMA_VF"}),
        (0x3C, {"plena-route-l": "V_ROUTE_MUL", "plena-tilelang": "M_TMM_A",
                "plena-route-3d": "V_ROUTE_MUL"}),
        (0x3D, {"plena-route-l": "V_SOFTPLUS_V", "plena-state-engine": "X_STATE",
                "plena-route-3d": "C_ROUTE_BEGIN"}),
        (0x3E, {"plena-route-l": "S_MAP_FP_V", "plena-state-engine": ""}),
        (0x3F, {"plena-route-l": "L_MVIEW", "plena-lview": "L_MVIEW",
                "plena-state-engine": "L_SCATTER_M"}),
    ],
)  # fmt: skip
def test_what_a_number_means_in_each_build(code: int, names: dict[str, str]) -> None:
    found = {isa: name for name, sets in meanings(code).items() for isa in sets}
    assert {isa: found[isa] for isa in names} == names


def test_the_old_numbers_mean_one_thing() -> None:
    assert all(len(meanings(code)) == 1 for code in range(0x31))


def test_every_build_says_where_it_comes_from() -> None:
    for name in isa_names():
        isa = load_isa(name)
        assert isa.name == name and isa.family[-1] == "plena"
        assert len(isa.file.sources) >= len(isa.family)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("L_TILE_CFG", "L_TILE_CFG is not in the ISA plena; plena-route-l has it: give --isa "
         "plena-route-l"),
        ("C_ROUTE_BEGIN", "C_ROUTE_BEGIN is not in the ISA plena; plena-route-l and plena-route-3d "
         "have it: say which with --isa"),
        ("C_NOBODY", "unknown opcode C_NOBODY"),
        ("x", "unknown opcode x"),
    ],
)  # fmt: skip
def test_a_mnemonic_of_another_build_names_it(name: str, sentence: str) -> None:
    assert unknown_opcode(name, load_isa("plena")) == sentence
    (problem,) = parse(f"{name} gp1", load_isa("plena")).problems
    assert problem.text == sentence


def test_a_file_says_only_what_differs(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(MINE)
    (tmp_path / "next.yaml").write_text(
        'name: next\nextends: mine.yaml\nsummary: "two"\nsources: ["this test"]\n'
    )
    isa = load_isa(tmp_path / "next.yaml")
    assert isa.family == ("next", "mine", "plena")
    assert "V_TOPK" not in isa.forms
    assert (isa.forms["V_MAX_VF"].opcode.code, isa.forms["V_NEW"].opcode.code) == (0x3A, 0x37)
    assert isa.forms["V_MAX_VF"].operands == load_isa("plena").forms["V_MAX_VF"].operands


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("without: [V_TOPK]", "without: [V_NONE]", "'plena' has no opcode 'V_NONE' to change"),
        ("V_MAX_VF: {", "V_MAXI_VF: {", "'plena' has no opcode 'V_MAXI_VF' to change"),
        ("code: 0x37", "code: 64", "opcodes.V_NEW: expected a code of 0 to 63, found 64"),
        ("code: 0x37", "code: -1", "opcodes.V_NEW: expected a code of 0 to 63, found -1"),
        ("extends: plena", "extends: bad.yaml", "extends 'bad.yaml', which extends this one"),
        ("extends: plena", "extends: gone.yaml", "expected a YAML file, found none there"),
        ("extends: plena\n", "", "expected comments, or extends, found neither"),
        ("extends: plena", "extends: [plena]", "expected `str"),
        ("reads: [rd]", 'uses: { X: "X_{no}" }', "opcodes.V_NEW: 'X_{no}' names no operand 'no'"),
        ("reads: [rd]", "by: X", "opcodes.V_NEW: by 'X', which is not among the names that it"),
        ("reads: [rd]", "counts: { name: n, least: 1, most: 4 }", "counts without a loop's start"),
        (
            'operands: "rd=gp"',
            'operands: "rd=gp? imm=imm?", loop: start, counts: { name: n, least: 1, most: N }',
            "opcodes.V_NEW: 'N' needs N, which is not known",
        ),
        (
            'operands: "rd=gp"',
            'operands: "rd=gp? imm=imm?", loop: start, counts: { name: n, least: 2, most: 1 }',
            "opcodes.V_NEW: counts with a most below the least",
        ),
    ],
)
def test_a_wrong_extension_is_refused(old: str, new: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(MINE.replace(old, new, 1))
    with pytest.raises(InputError) as refused:
        load_isa(tmp_path / "bad.yaml")
    assert problem in str(refused.value)


def test_an_unknown_build_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="no ISA 'plena-x'; there are plena, plena-comp-main, "):
        load_isa("plena-x")
