"""Reads boards: a built-in one by its name, any other by the path of its YAML file."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from lanescope.errors import InputError, UsageError
from lanescope.model.boards.board import Board, values
from lanescope.model.data_file import data_names, read_data

_PACKAGE = "lanescope.model.boards"


def board_names() -> tuple[str, ...]:
    """Names of the boards that come with lanescope, in order."""
    return data_names(_PACKAGE)


def load_board(name: str | Path) -> Board:
    """Read a built-in board by its name, or a board's YAML file by its path."""
    if str(name) in board_names():
        return _read(files(_PACKAGE) / f"{name}.yaml")
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return _read(path)
    names = ", ".join(board_names())
    raise UsageError(f"no board {str(name)!r}; there are {names}, or name a board's YAML file")


def _read(file: Path | Traversable) -> Board:
    """Read and check one file: every value has a known source and lies within its range."""
    board = read_data(file, Board)
    for place, given in values(board):
        if given.source not in board.sources:
            known = ", ".join(board.sources)
            raise InputError(
                str(file), f"{place}: expected a source ({known}), found {given.source!r}"
            )
        low = given.value if given.low is None else given.low
        high = given.value if given.high is None else given.high
        if not low <= given.value <= high:
            raise InputError(
                str(file),
                f"{place}: expected low ≤ value ≤ high, found {low}, {given.value}, {high}",
            )
    return _with_sources(board)


def _with_sources(board: Board) -> Board:
    """The same board; the source of each value is the text instead of its key."""
    sections: dict[str, dict[str, object]] = {}
    changes: dict[str, object] = {}
    for place, given in values(board):
        full = msgspec.structs.replace(given, source=board.sources[given.source])
        section, dot, key = place.partition(".")
        if dot:
            sections.setdefault(section, {})[key] = full
        else:
            changes[section] = full
    for section, fields in sections.items():
        changes[section] = msgspec.structs.replace(getattr(board, section), **fields)
    return msgspec.structs.replace(board, **changes)
