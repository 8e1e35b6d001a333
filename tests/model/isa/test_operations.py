"""Operation tables: whatever stands around their lines, and those that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError, UsageError
from lanescope.model.isa.operations import read_operations
from lanescope.model.isa.reading import read_ends

TABLE = """\
`ifndef OPERATION_SVH
typedef enum logic [3:0] { MV_IC = 4'h1, STALL_M = 4'h0 } M_OP;
/* M_OLD = 6'h02,
   still a comment */
typedef enum logic [OPCODE_WIDTH - 1:0] {
    INVALID_OPCODE = 6'h00,
    M_MM           = 6'h01,   // M_XX = 6'h05
    S_ADDI_INT=6'd34,
    V_TOPK = 6'b11_1001
} CUSTOM_ISA_OPCODE;
"""


def test_a_table_between_other_things(tmp_path: Path) -> None:
    (tmp_path / "operation.svh").write_text(TABLE)
    assert read_operations(tmp_path / "operation.svh") == {
        0: "INVALID_OPCODE", 1: "M_MM", 34: "S_ADDI_INT", 57: "V_TOPK",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected lines like NAME = 6'h01, found none"),
        ("M_MM = 4'h1", "expected lines like NAME = 6'h01, found none"),
        ("M_MM = 6'h1,\nM_TMM = 6'h01", "line 2: 0x01 is M_TMM and M_MM: keep one"),
        ("M_MM = 6'h1,\nM_MM = 6'h02", "expected one number of M_MM, found two"),
        ("\nM_MM = 6'h40", "line 2: expected a number of six bits, found 6'h40"),
        ("M_MM = 6'hzz", "line 1: expected a number of six bits, found 6'hzz"),
        ("M_MM = 6'b2", "line 1: expected a number of six bits, found 6'b2"),
    ],
)
def test_a_wrong_table_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "operation.svh").write_text(text)
    with pytest.raises(InputError) as refused:
        read_operations(tmp_path / "operation.svh")
    assert problem in str(refused.value)


def test_the_table_says_what_a_number_means(tmp_path: Path) -> None:
    """0x39 is V_TOPK in no build of ours, and 0x37 is in none of the table."""
    (tmp_path / "operation.svh").write_text(TABLE)
    (tmp_path / "p.mem").write_text(f"{0x39 | 1 << 6 | 2 << 10 | 3 << 14 | 1 << 18:08x} 00000077")
    program = read_ends(tmp_path / "p.mem", operations=tmp_path / "operation.svh").low
    line = program.at(0)
    assert line.form is not None
    assert (line.form.name, line.values) == ("V_TOPK", (1, 2, 3, 1))
    (problem,) = program.problems
    assert "the opcode 0x37 is not in the operation table" in problem.text


def test_the_names_of_a_table_choose_the_build(tmp_path: Path) -> None:
    (tmp_path / "operation.svh").write_text("C_ROUTE_BEGIN = 6'h39, L_MVIEW = 6'h3E,")
    (tmp_path / "p.mem").write_text(f"{0x3E | 8 << 6 | 9 << 10 | 1 << 14 | 1 << 22:08x}")
    program = read_ends(tmp_path / "p.mem", operations=tmp_path / "operation.svh").low
    assert program.isa.name == "plena-route-l"
    assert program.at(0).form is program.isa.forms["L_TILE_CFG"]


def test_names_that_no_build_knows_are_problems(tmp_path: Path) -> None:
    (tmp_path / "operation.svh").write_text("M_MM = 6'h01, V_OURS = 6'h30,")
    (tmp_path / "p.mem").write_text("00004801 00000030 0000003f")
    program = read_ends(tmp_path / "p.mem", operations=tmp_path / "operation.svh").low
    assert [problem.text.partition(": ")[2] for problem in program.problems] == [
        "V_OURS of the opcode 0x30 is not in the ISA plena",
        "the opcode 0x3f is not in the operation table",
    ]


def test_a_table_is_for_words_only(tmp_path: Path) -> None:
    (tmp_path / "operation.svh").write_text(TABLE)
    (tmp_path / "p.asm").write_text("M_MM 0, gp1, gp2\n")
    with pytest.raises(UsageError, match=r"--operations is for programs of words \(.mem\), but"):
        read_ends(tmp_path / "p.asm", operations=tmp_path / "operation.svh")
