"""Instructions as words: published ones, every opcode there and back, and words without meaning."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.model.cost.plena_data import DATA, needs_data
from tests.model.isa.encoding import encode, random_line

from lanescope.errors import InputError, UsageError
from lanescope.model.isa.isa import isa_names, load_isa
from lanescope.model.isa.lines import LineReader
from lanescope.model.isa.parse import Problem, parse
from lanescope.model.isa.reading import read_ends
from lanescope.model.isa.words import WordReader
from lanescope.model.predicting import predict

ROUTE_L = load_isa("plena-route-l")


@needs_data
def test_the_hand_made_program_of_words() -> None:
    expected = json.loads((DATA / "outputs" / "expected.json").read_text())["hand.mem"]
    reader = WordReader(ROUTE_L)
    texts = [reader.text(int(word, 16)) for word in expected["words"]]
    lines = parse((DATA / "outputs" / "hand.asm").read_text(), ROUTE_L)
    written = [lines.at(row) for row in range(lines.source_lines) if lines.opcode[row] >= 0]
    read = [LineReader(ROUTE_L).read(text.encode()) for text in texts]
    # A mask of 0 may be left out.
    assert [(a.form, a.values[: len(b.values)]) for a, b in zip(written, read, strict=True)] == [
        (b.form, b.values) for b in read
    ]
    assert len(texts) == expected["instructions"]


@needs_data
@pytest.mark.parametrize("source", ["emulator", "peer", "peer-charged"])
def test_words_and_text_are_predicted_alike(source: str) -> None:
    text, words = (
        predict(DATA / "outputs" / name, board="nexys_a7", isa="plena-route-l", cost_source=source)
        for name in ("hand.asm", "hand.mem")
    )
    assert (text.serial, text.busy, text.instructions) == (
        words.serial, words.busy, words.instructions
    )  # fmt: skip
    assert text.overlapped is not None and words.overlapped is not None
    assert text.overlapped.cycles == words.overlapped.cycles


@pytest.mark.parametrize(
    ("isa", "word", "text"),
    [
        ("plena", 0x00, None),
        # Expected by a test of the compiler: three route opcodes share 0x3D.
        ("plena-route-3d", 0x0004C87D, "C_ROUTE_BEGIN gp1, gp2, gp3, 1"),
        ("plena-route-3d", 0x0040003D, "C_ROUTE_LOOP_START"),
        ("plena-route-3d", 0x0080003D, "C_ROUTE_LOOP_END"),
        ("plena-route-3d", 0x000C153C, "V_ROUTE_MUL gp4, gp5, gp0, 3"),
        ("plena-route-l", 0x000C153C, "V_ROUTE_MUL gp4, gp5, gp0, 3"),
        # A product is a fused one with the highest bit of funct1.
        ("plena-route-l", 0x12 | 1 << 6 | 2 << 10 | 3 << 14, "V_MUL_VF gp1, gp2, f3"),
        ("plena-route-l", 0x12 | 1 << 6 | 2 << 10 | 3 << 14 | 8 << 22, "V_FMA_VF gp1, gp2, f3"),
        # Views: slot + 1 in funct1; a panel has 8 + slot; a write-out has its mark in bit 31.
        ("plena-route-l", 0x09 | 5 << 6 | 1 << 10 | 2 << 14 | 4 << 22, "M_BMV gp5, gp1, gp2, 3"),
        ("plena-route-l", 0x01 | 2 << 6 | 3 << 10 | 4 << 14 | 5 << 18 | 9 << 22,
         "M_MM_P gp2, gp3, gp4, gp5, 1"),
        ("plena-route-l", 0x06 | 4 << 6 | 5 << 14, "M_MM_WO gp4, gp0, 5"),
        ("plena-route-l", 0x06 | 4 << 6 | (1 << 17 | 0 << 15 | 5) << 14, "M_MM_WO gp4, gp0, 5, 0"),
        ("plena-route-l", 0x29 | 1 << 6 | 2 << 10 | 3 << 14 | 1 << 18 | 2 << 22 | 7 << 29,
         "H_PREFETCH_V.MV gp1, gp2, a3, 1, 2, 3"),
        ("plena-route-l", 0x3F | 4 << 6 | 5 << 10 | 6 << 14 | 1 << 18 | 3 << 22 | 2 << 26,
         "L_TILE_EXEC gp4, gp5, gp6, 1, 2"),
        ("plena-lview", 0x3F | 8 << 6 | 9 << 10 | 1 << 14 | 1 << 22, "L_MVIEW_FULL 1, gp8, gp9"),
        # The assembler puts the mask of an exponential where the machine does not read it.
        ("plena", 0x13 | 1 << 6 | 2 << 10 | 1 << 14, "V_EXP_V gp1, gp2"),
        ("plena", 0x13 | 1 << 6 | 2 << 10 | 1 << 18, "V_EXP_V gp1, gp2, 1"),
    ],
)  # fmt: skip
def test_words_that_others_publish(isa: str, word: int, text: str | None, tmp_path: Path) -> None:
    (tmp_path / "one.mem").write_text(f"{word:08x}\n")
    program = read_ends(tmp_path / "one.mem", isa=isa).low
    if text is None:
        assert [p.text for p in program.problems] == [
            f"word 1 is {word:08x}: the opcode 0x00 is not in the ISA plena"
        ]
    else:
        assert WordReader(load_isa(isa)).text(word) == text


def test_a_word_that_is_no_word_is_a_problem_of_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.mem").write_text("0x00004801\n;\n")
    problem = "word 2 is ;: expected a word of at most 8 hexadecimal digits"
    program = read_ends(tmp_path / "bad.mem", isa="plena").high
    assert program.problems == (Problem(2, 1, problem),)


@pytest.mark.parametrize("name", isa_names())
def test_every_opcode_there_and_back(name: str) -> None:
    isa, rng = load_isa(name), random.Random(16)
    reader = WordReader(isa)
    for form in isa.forms.values():
        for _ in range(20):
            text = random_line(form, isa, rng)
            assert reader.text(encode(text, isa)) == text


@needs_data
@pytest.mark.parametrize("name", ["fa_mha_m64_b4", "ffn_m64_b4", "direct_dllm1"])
def test_real_programs_as_words_are_predicted_alike(name: str, tmp_path: Path) -> None:
    isa, reader = load_isa("plena"), LineReader(load_isa("plena"))
    texts = (DATA / "programs" / f"{name}.asm").read_bytes().split(b"\n")
    words = [encode(raw.decode(), isa) for raw in texts if reader.read(raw).form]
    (tmp_path / "p.mem").write_text("\n".join(f"0x{word:08X}" for word in words))
    both = [
        predict(path, board="nexys_video", cost_source="emulator")
        for path in (DATA / "programs" / f"{name}.asm", tmp_path / "p.mem")
    ]
    assert both[0].serial == both[1].serial
    assert both[0].busy == both[1].busy
    assert both[0].overlapped is not None and both[1].overlapped is not None
    assert both[0].overlapped.cycles == both[1].overlapped.cycles
    assert both[1].program.source_lines == len(words)


@pytest.mark.parametrize(
    ("isa", "token", "problem"),
    [
        ("plena-route-l", "0x0000007A", "C_ROUTE_LOOP_START: it does not use the bits 0x00000040"),
        ("plena-route-l", "0x0040003A", "C_ROUTE_LOOP_START: it does not use the bits 0x00400000"),
        (
            "plena-route-l",
            "000c553c",
            "expected rs2 of 0 in bits 17 to 14, found 1",
        ),
        (
            "plena-route-l",
            "0x0010153C",
            "V_ROUTE_MUL: expected token of 0, 1, 2, 3 in bits 21 to 18",
        ),
        ("plena-route-l", "0x0000C938", "C_SET_TOPK_REG: expected target of 0, 1 in"),
        ("plena-route-l", "0x003951F9", "C_ROUTE_BEGIN: expected policy of 0, 1, 15 in bits 21"),
        ("plena", "0x00404801", "M_MM: it does not use the bits 0x00400000, which are set"),
        ("plena", "0x39", "the opcode 0x39 is not in the ISA plena; it is S_SRLI_INT in plena-til"),
        ("plena", "0x00024812", "V_MUL_VF: expected rs2 (f), found f9"),
        ("plena", ";", "word 2 is ;: expected a word of at most 8 hexadecimal digits"),
        ("plena", "0x123456789", "expected a word of at most 8 hexadecimal digits"),
        ("plena", "0x", "expected a word of at most 8 hexadecimal digits"),
        ("plena", "-1", "expected a word of at most 8 hexadecimal digits"),
        ("plena", "0x" + "0" * 100_000, "expected a word of at most 8 hexadecimal digits"),
    ],
)
def test_a_word_that_means_nothing_has_a_place(
    isa: str, token: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.mem").write_text(f"0x00004801 {token}\n0x00004801")
    program = read_ends(tmp_path / "bad.mem", isa=isa).high
    (found,) = program.problems
    assert found.line == 2
    assert problem in found.text
    assert len(found.text) < 400
    with pytest.raises(InputError, match="line 2, column"):
        predict(tmp_path / "bad.mem", isa=isa, board="nexys_a7")


def test_a_number_with_two_meanings_asks_which(tmp_path: Path) -> None:
    (tmp_path / "p.mem").write_text("0x00004801\n0x00000C77")
    with pytest.raises(UsageError) as refused:
        read_ends(tmp_path / "p.mem")
    assert str(refused.value) == (
        f"{tmp_path / 'p.mem'}: word 2 is 0x00000C77, and the opcode 0x37 is V_TOPK in plena, "
        "plena-comp-main, plena-nemotron, plena-state-engine, plena-lview, plena-route-l and "
        "plena-route-3d, S_SLLI_INT in plena-tilelang, MHMM_WO in plena-ooo: say which with --isa, "
        "or give its --operations"
    )
    for isa, opcode in (("plena", "V_TOPK"), ("plena-tilelang", "S_SLLI_INT")):
        line = read_ends(tmp_path / "p.mem", isa=isa).low.at(1)
        assert line.form is not None and line.form.name == opcode


def test_a_program_of_old_numbers_needs_no_name(tmp_path: Path) -> None:
    (tmp_path / "p.mem").write_text("00004801 0x000000f0 0X000008EF")
    program = read_ends(tmp_path / "p.mem").low
    assert [program.at(row).form.name for row in range(3)] == [  # type: ignore[union-attr]
        "M_MM", "C_LOOP_END", "C_LOOP_START",
    ]  # fmt: skip


def test_an_empty_program_of_words_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.mem").write_text(" \n")
    with pytest.raises(InputError, match="expected words in hexadecimal, found none"):
        read_ends(tmp_path / "p.mem")
    with pytest.raises(InputError, match="cannot be read"):
        read_ends(tmp_path / "none.mem")
