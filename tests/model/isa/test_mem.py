"""Programs of words: which files are some, and which instruction set their numbers choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.mem import WordText, _word, holds_words, read_words
from lanescope.model.isa.parse import Problem, parse

PLENA = load_isa("plena")
M_MM = "0x00004801"
TWO_MEANINGS = "0x00000C77"


def written(folder: Path, *tokens: str) -> Path:
    path = folder / "p.mem"
    path.write_text("\n".join(tokens))
    return path


@pytest.mark.parametrize(
    ("name", "text", "holds"),
    [
        ("p.mem", "", True),
        ("p.asm", "0x0000480F 1", True),
        ("p.asm", "\n  0x0000480f", True),
        ("p.asm", "", False),
        ("p.asm", "0x0000480", False),
        ("p.asm", "0x000048011", False),
        ("p.asm", "0x0000480G", False),
        ("p.asm", "0X00004801", False),
        ("p.asm", "M_MM 0, gp1", False),
    ],
)
def test_a_file_that_begins_with_a_word_holds_words(
    name: str, text: str, holds: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    assert holds_words(tmp_path / name) is holds


def test_a_file_that_is_not_there_holds_words_by_its_name_alone(tmp_path: Path) -> None:
    assert holds_words(tmp_path / "none.mem")
    assert not holds_words(tmp_path / "none.asm")


@pytest.mark.parametrize(
    ("token", "word"),
    [
        ("0", 0),
        ("fF", 255),
        ("0xFFFFFFFF", (1 << 32) - 1),
        ("0X10", 16),
        ("12345678", 0x12345678),
        ("123456789", None),
        ("0x", None),
        ("", None),
        ("0x0x1", None),
        ("1_0", None),
        ("g", None),
        ("0b1", 0xB1),
    ],
)
def test_a_word_has_up_to_eight_digits(token: str, word: int | None) -> None:
    assert _word(token) == word


@pytest.mark.parametrize("before", [[], [";"], [M_MM], [M_MM, M_MM, "?"]])
def test_a_number_with_two_meanings_is_found_behind_any_other_word(
    before: list[str], tmp_path: Path
) -> None:
    path = written(tmp_path, *before, TWO_MEANINGS)
    with pytest.raises(UsageError) as refused:
        read_words(path, None)
    place = f"{path}: word {len(before) + 1} is 0x00000C77, and the opcode 0x37 is V_TOPK in plena,"
    assert str(refused.value).startswith(place)


def test_words_become_lines_and_those_that_are_none_problems(tmp_path: Path) -> None:
    path = written(tmp_path, M_MM, "x" * 40, "x" * 41, "\x01", "0x39", "0x000000F0")
    found = read_words(path, PLENA)
    no_word = "expected a word of at most 8 hexadecimal digits"
    assert found == WordText(
        "M_MM 0, gp2, gp1\n?\n?\n?\n?\nC_LOOP_END gp3",
        PLENA,
        {
            2: f"word 2 is {'x' * 40}: {no_word}",
            3: f"word 3 is {'x' * 39}…: {no_word}",
            4: f"word 4 is '\\x01': {no_word}",
            5: "word 5 is 0x39: the opcode 0x39 is not in the ISA plena; it is S_SRLI_INT in "
            "plena-tilelang, X_MAMBA in plena-nemotron, C_ROUTE_BEGIN in plena-route-l, "
            "V_SOFTPLUS_V in plena-route-3d: give --isa",
        },
    )


def test_the_problems_of_words_replace_those_of_their_lines() -> None:
    text = WordText("?\nC_LOOP_END gp3", PLENA, {1: "no word"})
    found = text.explained(parse(text.text, PLENA)).problems
    assert found == (Problem(1, 1, "no word"), Problem(2, 1, found[1].text))
    assert found[1].text == "an end without a loop that it could end"


@pytest.mark.parametrize(
    ("operations", "isa"),
    [
        ({0: "INVALID_OPCODE", 1: "M_MM"}, "plena"),
        ({1: "M_MM", 0x39: "C_ROUTE_BEGIN", 0x3A: "C_ROUTE_LOOP_START", 0x3E: "L_MVIEW"}, None),
        ({1: "M_MM", 2: "V_OURS", 0x39: "S_SRLI_INT"}, "plena"),
        ({1: "V_OURS"}, "plena"),
    ],
)
def test_a_table_chooses_the_set_that_knows_all_its_names_or_those_in_use(
    operations: dict[int, str], isa: str | None, tmp_path: Path
) -> None:
    found = read_words(written(tmp_path, M_MM), None, operations).isa.name
    assert found == (isa or "plena-route-l")
