"""Boards as files: the built-in ones, and how a wrong file is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanescope.errors import InputError, UsageError
from lanescope.model.boards import board_names, load_board, values

SMALL = """\
name: small
summary: "a board"
sources:
  sheet: "the data sheet"
memory:
  capacity_bytes: { value: 1024, basis: datasheet, source: sheet }
  peak_bytes_per_s: { value: 1000, low: 500, basis: datasheet, source: sheet }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "small.yaml"
    path.write_text(text)
    return path


def test_the_boards_that_come_along() -> None:
    assert board_names() == ("custom_a7", "h200", "nexys_a7", "nexys_video", "u55c", "v80")


@pytest.mark.parametrize("name", board_names())
def test_every_value_carries_its_basis_and_the_text_of_its_source(name: str) -> None:
    board = load_board(name)
    assert board.name == name
    found = dict(values(board))
    assert {"memory.capacity_bytes", "memory.peak_bytes_per_s"} <= set(found)
    assert all(len(given.source) > 8 for given in found.values())
    assert {given.basis for given in found.values()} <= {"measured", "datasheet", "published"}


def test_the_nexys_a7_says_that_it_describes_another_board() -> None:
    (note,) = load_board("nexys_a7").notes
    assert "Nexys A7 has an XC7A100T or XC7A50T" in note
    assert "Nexys Video" in load_board("nexys_a7").summary


def test_values_that_nobody_stated_are_absent() -> None:
    board = load_board("u55c")
    assert (board.clock, board.latency, board.memory.effective_bytes_per_s) == (None, None, None)


def test_a_file_is_a_board_too(tmp_path: Path) -> None:
    board = load_board(written(tmp_path, SMALL))
    assert board.memory.capacity_bytes.value == 1024
    assert board.memory.capacity_bytes.source == "the data sheet"
    assert (board.memory.peak_bytes_per_s.low, board.memory.peak_bytes_per_s.high) == (500, None)


CAPACITY = "capacity_bytes: { value: 1024, basis: datasheet, source: sheet }"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (CAPACITY, "", "line 7, memory: object missing required field `capacity_bytes`"),
        ("capacity_bytes", "capacity_mb", "contains unknown field `capacity_mb`"),
        (
            CAPACITY,
            CAPACITY + "\n  width: 3",
            "line 7, memory: object contains unknown field `width`",
        ),
        (CAPACITY, CAPACITY + "\n  " + CAPACITY, "line 7 in memory: the key 'capacity_bytes' is"),
        ("value: 1024", "value: 0", "line 6, memory.capacity_bytes.value: expected `int` >= 1"),
        ("value: 1024", "value: -5", "line 6, memory.capacity_bytes.value: expected `int` >= 1"),
        ("value: 1024", "value: 1e3", "is text in YAML"),
        ("value: 1024", "value: big", "memory.capacity_bytes.value: expected `int`, got `str`"),
        ("value: 1024, ", "", "memory.capacity_bytes: object missing required field `value`"),
        ("source: sheet", "source: book", "expected a source (sheet), found 'book'"),
        ("low: 500", "low: 1500", "expected low ≤ value ≤ high, found 1500, 1000, 1000"),
        ("basis: datasheet", "basis: guess", "memory.capacity_bytes.basis: invalid enum value"),
        ("name: small", "name: [", "expected YAML, found"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(
    old: str, new: str, problem: str, tmp_path: Path
) -> None:
    path = written(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(problem)):
        load_board(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 200_000, "line 1: expected values at most 32 deep"),
        ("{a: " * 100_000, "line 1: expected values at most 32 deep"),
        ("- " * 100_000, "line 1: expected values at most 32 deep"),
        ("- 1\n- 2\n", "expected a board, found a list: lanescope's form has"),
        ("summary: !!python/object/apply:os.system [ls]\n", "line 1, summary: expected `str`"),
        ("name: !!timestamp soon\n", "line 1, name: expected a plain value"),
        ("\x00\x01", "expected YAML, found"),
        ("summary: 2020-01-01\n", "line 1, summary: expected `str`, got `date`"),
    ],
    ids=["lists", "maps", "blocks", "no map", "object", "tag", "binary", "date"],
)
def test_hostile_files_are_refused_in_a_sentence(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(problem)):
        load_board(written(tmp_path, text))


def test_an_unknown_name_lists_the_boards() -> None:
    with pytest.raises(UsageError, match="no board 'nexus'; there are custom_a7, h200"):
        load_board("nexus")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: small\nsummary: [a, }\n", "line 2, column 14: expected YAML, found: "),
        ("name: small\n\n  - a: [\n", "line 3, column 6: expected YAML, found: "),
        ("a: 'b\n", "line 2, column 1: expected YAML, found: "),
    ],
)
def test_text_that_is_no_yaml_has_its_line_and_column(
    text: str, problem: str, tmp_path: Path
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_board(path)
    assert str(caught.value).startswith(f"{path}: {problem}")
