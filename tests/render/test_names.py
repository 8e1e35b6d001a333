"""The gate for texts that came from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.render.names import (
    FILE_NAME_LIMIT,
    clean,
    clean_end,
    file_name,
    has_long_key,
    printable,
    spreadsheet_text,
    text_of_spreadsheet,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("paged_attention", "paged_attention"),
        ("Läufe 7 (b).v2", "Läufe 7 (b).v2"),
        ("../../x", "__.._x"),
        ("/etc/x", "_etc_x"),
        (r"..\x", "__x"),
        (".hidden", "_hidden"),
        ("a\0b\x1b[2J\n", "a_b_[2J_"),
        ("\u202egnp.x", "_gnp.x"),
        ("\ud800x", "_x"),
        ("", "trace"),
        ("..", "trace"),
        ("///", "trace"),
    ],
)
def test_a_name_stays_in_its_folder(text: str, name: str) -> None:
    assert file_name(text) == name
    assert Path("folder", name).parent == Path("folder")


def test_a_long_name_is_cut_without_half_a_character() -> None:
    """File systems allow 255 bytes; endings and drafts have the rest."""
    assert FILE_NAME_LIMIT == 180
    assert file_name("a" * 10_000) == "a" * FILE_NAME_LIMIT
    assert file_name("a" + "€" * 1000) == "a" + "€" * ((FILE_NAME_LIMIT - 1) // 3)


def test_a_line_has_no_control_character() -> None:
    assert printable("a\x1b]0;x\x07\x9b\nb\u202e") == "a�]0;x�� b�"


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "'=x"])
def test_a_formula_becomes_text(text: str) -> None:
    assert spreadsheet_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "x=1", "'x", "1", " =x"])
def test_what_is_no_formula_stays(text: str) -> None:
    assert spreadsheet_text(text) == text
    assert text_of_spreadsheet(text) == text


@pytest.mark.parametrize("text", ["=1+1", "'=x", "x", "''"])
def test_a_cell_of_a_spreadsheet_is_the_text_again(text: str) -> None:
    assert text_of_spreadsheet(spreadsheet_text(text)) == text


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("abcd", "abcd", "abcd"),
        ("abcde", "abc…", "…cde"),
        (" a \n b ", "a b", "a b"),
        ("a" + 15 * " ", "a", "a"),  # four times the limit is looked at
        ("a" + 16 * " ", "a…", "…"),
        (15 * " " + "a", "a", "a"),
        (16 * " " + "a", "…", "…a"),
    ],
)
def test_a_long_text_is_cut_at_the_end_or_at_the_start(text: str, start: str, end: str) -> None:
    assert clean(text, 4) == start
    assert clean_end(text, 4) == end


def test_a_name_has_at_most_40_characters() -> None:
    assert clean("n" * 40) == "n" * 40
    assert clean("n" * 41) == "n" * 39 + "…"


def test_a_key_of_more_than_32_parts_is_long() -> None:
    assert not has_long_key(".".join("a" * 32) + " = 1")
    assert has_long_key(".".join("a" * 33) + " = 1")
    assert has_long_key("x = 1\n" + " . ".join(["'q'"] * 33) + " = 1")


def test_a_formula_that_nobody_made_a_text_stays() -> None:
    assert [text_of_spreadsheet(cell) for cell in ("=1+1", "x=1", "'x")] == ["=1+1", "x=1", "'x"]
