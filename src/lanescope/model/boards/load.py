"""Reads boards: a built-in one by its name, any other by the path of its YAML file.

A file has our form, where every value has its source, or PLENA's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from lanescope.errors import InputError, UsageError, did_you_mean
from lanescope.model.boards.board import Board, values
from lanescope.model.boards.plena_file import FileKey, is_plena, read_plena
from lanescope.model.data_file import Document, data_names, read_document
from lanescope.render.names import LINE_LIMIT, NAME_LIMIT, clean, clean_end

_PACKAGE = "lanescope.model.boards"
_FORMS = (
    "lanescope's form has name, summary, sources and memory, each value with its source; PLENA's "
    "has name, clock_mhz, memory and latency"
)


def board_names() -> tuple[str, ...]:
    """Names of the boards that come with lanescope, in order."""
    return data_names(_PACKAGE)


def load_board(name: str | Path | Board) -> Board:
    """Read a built-in board by its name, or a board's YAML file by its path."""
    return name if isinstance(name, Board) else open_board(name)[0]


def load_boards(names: Sequence[str | Path]) -> list[Board]:
    """Read several boards; files that give the same name are called by their own names."""
    boards = [load_board(name) for name in names]
    called = [board.name for board in boards]
    named = [_file_name(name) for name in names]
    for number, board in enumerate(boards):
        same = [n for n, other in enumerate(called) if other == board.name]
        if len({str(names[n]) for n in same}) > 1:
            alike = sum(named[n] == named[number] for n in same) > 1
            file = clean_end(str(names[number]), NAME_LIMIT) if alike else named[number]
            boards[number] = msgspec.structs.replace(board, name=file)
    return boards


def open_board(name: str | Path) -> tuple[Board, tuple[FileKey, ...]]:
    """A board, and the keys of its file where that has PLENA's form."""
    if str(name) in board_names():
        return _ours(read_document(files(_PACKAGE) / f"{name}.yaml")), ()
    path = Path(name)
    if path.suffix not in (".yaml", ".yml") and not path.exists():
        names = board_names()
        raise UsageError(
            f"no board {str(name)!r}; there are {', '.join(names)}, or name a board's YAML file"
            f"{did_you_mean(str(name), names)}"
        )
    document = read_document(path)
    content = document.content
    if not isinstance(content, dict):
        raise InputError(path, f"expected a board, found a {type(content).__name__}: {_FORMS}")
    memory = content.get("memory")
    given = isinstance(memory, dict) and any(isinstance(one, dict) for one in memory.values())
    if not given and is_plena(content):
        return read_plena(document)
    if not given and not {"summary", "sources"} & content.keys():
        keys = clean(", ".join(content), LINE_LIMIT // 10)
        raise InputError(path, f"expected a board, found the keys {keys}: {_FORMS}")
    return _ours(document), ()


def _file_name(name: str | Path) -> str:
    return clean_end(Path(name).name, NAME_LIMIT)


def _ours(document: Document) -> Board:
    """Read and check a file in our form: every value has a known source and is in its range."""
    board, file = document.convert(Board), document.file
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
