"""The parser: operands, comments anywhere, and every problem with line and column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import Problem, parse, program_bytes, read_program

PLENA = load_isa("plena")


def test_the_set_has_55_opcodes_with_different_codes() -> None:
    codes = [opcode.code for opcode in PLENA.file.opcodes.values()]
    assert sorted(codes) == list(range(1, 56))


def test_an_instruction_with_its_operands() -> None:
    line = parse("  S_ADDI_INT gp3, gp0, -0x10 ", PLENA).at(0)
    assert line.form is not None
    assert (line.form.name, line.column) == ("S_ADDI_INT", 3)
    assert line.operand("rd") == ("gp", 3)
    assert line.operand("imm") == ("imm", -16)


@pytest.mark.parametrize("mark", [";", "//"])
def test_a_comment_may_follow_an_instruction(mark: str) -> None:
    line = parse(f"V_EXP_V gp1, gp2, 0{mark} e to the x", PLENA).at(0)
    assert line.form is not None and line.form.name == "V_EXP_V"
    assert line.comment == "e to the x"


def test_lines_without_an_instruction_are_no_problem() -> None:
    program = parse("\n; a comment\n   \n// another\n\t; region A\n", PLENA)
    assert program.opcode.tolist() == [-1] * 5
    assert program.problems == ()


def test_line_ends_of_other_systems() -> None:
    program = parse("S_LUI_INT gp1, 2\r\nS_LUI_INT gp1, 3\r\n", PLENA)
    assert program.problems == ()
    assert program.source_lines == 2


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("V_FOO gp1", 1, "unknown opcode V_FOO"),
        ("  v_add_vv gp1", 3, "unknown opcode v_add_vv"),
        ("label:", 1, "unknown opcode label:"),
        ("S_ADD_INT gp1, gp2", 1, "S_ADD_INT: expected rs2 (gp), found none"),
        ("S_ADD_INT gp1, f2, gp3", 16, "S_ADD_INT: expected rs1 (gp), found f2"),
        ("S_ADD_INT gp1, gp16, gp3", 16, "S_ADD_INT: expected rs1 (gp), found gp16"),
        ("S_ADDI_INT gp1, gp0, many", 22, "S_ADDI_INT: expected imm (imm), found many"),
        ("S_LUI_INT gp1, 2, 3", 19, "S_LUI_INT: expected 2 operands, found also 3"),
        ("C_LOOP_START gp1, eight", 19, "C_LOOP_START: expected imm (imm), found eight"),
        (f"S_LUI_INT gp1, {10**30}", 16, f"S_LUI_INT: expected imm (imm), found {10**30}"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, column: int, problem: str) -> None:
    program = parse(f"; first\n{text}\n", PLENA)
    assert program.problems == (Problem(2, column, problem),)
    assert program.unknown.tolist() == [False, True]


def test_every_problem_is_named_not_only_the_first() -> None:
    program = parse("V_FOO gp1\nS_LUI_INT gp1, 1\nV_FOO gp1\n", PLENA)
    assert [problem.line for problem in program.problems] == [1, 3]


def test_a_file_larger_than_any_program_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.asm"
    with path.open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(InputError) as refused:
        program_bytes(path)
    sentence = f"{path}: expected at most 1,073,741,824 bytes, found 1,073,741,825"
    assert str(refused.value) == sentence


def test_the_largest_program_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanescope.model.isa.parse._MOST_BYTES", 17)
    text = "S_LUI_INT gp1, 1\n"
    path = tmp_path / "p.asm"
    path.write_text(text)
    assert program_bytes(path) == text.encode()
    assert parse(text, PLENA).source_lines == 1
    with pytest.raises(InputError) as refused:
        parse(text + ";", PLENA)
    assert str(refused.value) == "program: expected at most 17 bytes, found 18"


@pytest.mark.parametrize(("text", "lines"), [("", "0 lines"), ("; a", "1 line"), ("\n\n", "2 l")])
def test_a_file_without_an_instruction_is_counted(text: str, lines: str, tmp_path: Path) -> None:
    path = tmp_path / "p.asm"
    path.write_text(text)
    with pytest.raises(InputError, match=f"expected a program, found no instruction in {lines}"):
        read_program(path, PLENA)


def test_a_register_is_read_up_to_the_last_of_its_file() -> None:
    assert parse("S_ADD_INT gp15, gp0, gp15", PLENA).problems == ()
    line = parse("V_ADD_VV gp1, gp2, gp3", PLENA).at(0)
    assert (line.operand("rs2"), line.operand("rmask")) == (("gp", 3), None)


def test_comments_of_lines_are_told_apart_once() -> None:
    program = parse("; a\nS_LUI_INT gp1, 1 ; b\n;  a\n;a", PLENA)
    found, which = program.comments(np.array([0, 1, 2, 3]))
    assert ([found[number] for number in which], len(found)) == (["a", "b", "a", "a"], 2)
