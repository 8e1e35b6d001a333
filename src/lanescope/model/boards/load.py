"""Finds and reads boards: the built-in ones by name, any other by the path of its YAML file."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from lanescope.errors import InputError, UsageError
from lanescope.model.boards.board import Board, values
from lanescope.model.data_file import read_data


def board_names() -> tuple[str, ...]:
    """Names of the boards that come with lanescope."""
    found = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in found if name.endswith(".yaml")))


def load_board(name: str | Path) -> Board:
    """A built-in board by its name, or a board's YAML file by its path."""
    if str(name) in board_names():
        return _read(_folder() / f"{name}.yaml")
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return _read(path)
    names = ", ".join(board_names())
    raise UsageError(f"no board {str(name)!r}; there are {names}, or name a board's YAML file")


def _folder() -> Traversable:
    return files("lanescope.model.boards")


def _read(file: Path | Traversable) -> Board:
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
    """The same board with each value carrying the text of its source."""
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
