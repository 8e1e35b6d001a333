"""Boards in a list, one in full, one checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.model.boards.lint import Finding
from lanescope.model.boards.listing import BoardCheck, check_board, list_boards, show_board
from lanescope.model.boards.plena_file import FileKey

BOARD = """\
name: mine
summary: a board by hand
sources: {sheet: a data sheet}
notes: [made up]
memory:
  capacity_bytes: {value: 1024, basis: assumed, source: sheet}
  peak_bytes_per_s: {value: 1000, low: 900, basis: datasheet, source: sheet, note: at 20 °C}
"""


@pytest.fixture
def board(tmp_path: Path) -> Path:
    file = tmp_path / "mine.yaml"
    file.write_text(BOARD)
    return file


def test_the_list_has_capacity_and_bandwidth_of_every_board() -> None:
    boards = {board.name: board for board in list_boards()}
    assert sorted(boards) == ["custom_a7", "h200", "nexys_a7", "nexys_video", "u55c", "v80"]
    assert boards["nexys_video"].to_dict() == {
        "name": "nexys_video",
        "summary": boards["nexys_video"].summary,
        "capacity_bytes": 512 << 20,
        "peak_bytes_per_s": 1_600_000_000,
    }


def test_a_board_in_full_has_no_key_that_is_not_known(board: Path) -> None:
    assert show_board(board).to_dict() == {
        "name": "mine",
        "summary": "a board by hand",
        "notes": ["made up"],
        "values": {
            "memory.capacity_bytes": {"value": 1024, "basis": "assumed", "source": "a data sheet"},
            "memory.peak_bytes_per_s": {
                "value": 1000,
                "basis": "datasheet",
                "source": "a data sheet",
                "low": 900,
                "note": "at 20 °C",
            },
        },
    }


def test_its_text_has_value_range_basis_and_source(board: Path) -> None:
    assert show_board(board).text() == (
        "mine: a board by hand\n"
        "  made up\n"
        "  every value: a data sheet\n"
        "\n"
        "[memory]\n"
        "  capacity_bytes                                           1,024  assumed\n"
        "  peak_bytes_per_s                          1,000 (900 to 1,000)  datasheet\n"
        "      at 20 °C\n"
    )


def test_a_sound_board_has_no_findings(board: Path) -> None:
    checked = check_board(board)
    assert checked == BoardCheck("mine", ())
    assert checked.text() == "mine: nothing contradicts itself\n"


def test_a_finding_is_one_line() -> None:
    checked = BoardCheck("mine", (Finding("name/part", "part", "another part"),))
    assert checked.text() == "mine: part: another part [name/part]\n"
    assert checked.to_dict()["findings"] == [
        {"check": "name/part", "place": "part", "text": "another part"}
    ]


def test_a_board_that_is_not_there_is_refused() -> None:
    for ask in (show_board, check_board):
        with pytest.raises(UsageError, match="no board 'nexus'; there are custom_a7"):
            ask("nexus")


def test_one_source_of_all_values_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "kit.yaml"
    memory = "capacity_bytes: 1000\n  peak_bandwidth_gbps: 1.6\n  matrix_sram_depth: 3"
    path.write_text(f"name: kit\nclock_mhz: 100\nmemory:\n  {memory}\n")
    values, _ = show_board(path).text().split("[keys of the file")
    assert values.count("kit.yaml") == 3
    assert "\n  every value: published by kit.yaml\n" in values
    assert "      rows of MLEN, not tiles\n" in values


def test_sources_that_differ_stand_below_their_values_before_the_note(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    two = BOARD.replace("{sheet: a data sheet}", "{sheet: a data sheet, us: by hand}")
    path.write_text(two.replace("assumed, source: sheet", "assumed, source: us"))
    assert show_board(path).text().splitlines()[2:] == [
        "",
        "[memory]",
        "  capacity_bytes                                           1,024  assumed",
        "      by hand",
        "  peak_bytes_per_s                          1,000 (900 to 1,000)  datasheet",
        "      a data sheet (at 20 °C)",
    ]


def test_a_line_has_at_most_a_hundred_characters(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    longest, longer = "y" * 94, "z" * 95
    path.write_text(BOARD.replace("at 20 °C", f"{longest} {longer}"))
    assert show_board(path).text().splitlines()[-3:] == [
        f"      {longest}",
        f"      {longer[:94]}",
        "      z",
    ]


def test_keys_of_a_file_say_what_each_became(board: Path) -> None:
    keys = (FileKey("A", 1, "memory.chips"), FileKey("B", "x", None, "nobody reads it"))
    text = replace(show_board(board), file_keys=keys).text()
    assert text.split("at 20 °C\n")[1] == (
        "\n[keys of the file, and what each became]\n"
        f"  {'A':<36}{'1':>26}  memory.chips\n"
        f"  {'B':<36}{'x':>26}  not used\n"
        "      nobody reads it\n"
    )
