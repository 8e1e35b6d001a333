"""The gate for texts that came from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.render.names import FILE_NAME_LIMIT, file_name, printable, spreadsheet_text


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
