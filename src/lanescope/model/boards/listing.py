"""`lanescope.list_boards` and its neighbours: the boards there are, one in full, one checked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lanescope.model.boards.board import Given, values
from lanescope.model.boards.lint import Finding, lint
from lanescope.model.boards.load import board_names, load_board, open_board
from lanescope.model.boards.plena_file import FileKey
from lanescope.render.names import clean, printable
from lanescope.results import Result

_WIDTH = 100
_VALUE_WIDTH = 25


@dataclass(frozen=True)
class BoardSummary(Result):
    """One board in a list of boards."""

    name: str
    summary: str
    capacity_bytes: int
    peak_bytes_per_s: int


@dataclass(frozen=True)
class BoardSheet(Result):
    """One board with every value that is known of it."""

    name: str
    summary: str
    notes: tuple[str, ...]
    values: dict[str, Given[Any]] = field(repr=False)
    """Dotted name, like `memory.capacity_bytes`, to the value with its basis and source."""
    file_keys: tuple[FileKey, ...] = field(default=(), repr=False)
    """Where the file has PLENA's form: every key of it, and what it became."""

    def to_dict(self) -> dict[str, Any]:
        """Every value with what is known of it: no key of a value is None."""
        known = {place: _known(given) for place, given in self.values.items()}
        plain = super().to_dict() | {"values": known}
        return plain if self.file_keys else {k: v for k, v in plain.items() if k != "file_keys"}

    def text(self) -> str:
        """All values as plain text, each with its basis and its source; it ends in a newline."""
        return "\n".join(_sheet_lines(self)) + "\n"


@dataclass(frozen=True)
class BoardCheck(Result):
    """What contradicts itself in the file of a board."""

    name: str
    findings: tuple[Finding, ...]

    def text(self) -> str:
        """One line per finding, as plain text; it ends in a newline."""
        name = printable(self.name)
        lines = [
            f"{name}: {one.place}: {printable(one.text)} [{one.check}]" for one in self.findings
        ]
        return "\n".join(lines or [f"{name}: nothing contradicts itself"]) + "\n"


def list_boards() -> tuple[BoardSummary, ...]:
    """Lists the boards that come with lanescope.

    Returns:
        One row per board: name, summary, capacity in bytes and peak bandwidth in bytes/s.

    Examples:
        >>> [board.name for board in lanescope.list_boards()]
        ['custom_a7', 'h200', 'nexys_a7', 'nexys_video', 'u55c', 'v80']
    """
    boards = [load_board(name) for name in board_names()]
    return tuple(
        BoardSummary(
            board.name,
            board.summary,
            board.memory.capacity_bytes.value,
            board.memory.peak_bytes_per_s.value,
        )
        for board in boards
    )


def show_board(name: str | Path) -> BoardSheet:
    """Shows every value of one board, with its basis and its source.

    Args:
        name: Name of a board, or the path of a board's YAML file.

    Returns:
        The board; `.values` by dotted name, `.file_keys` where the file has PLENA's own form,
        `.text()` for people.

    Raises:
        UsageError: There is no such board.
        InputError: The file is no board.

    Examples:
        >>> lanescope.show_board("v80").values["clock.core_hz"].basis
        'published'
    """
    board, keys = open_board(name)
    return BoardSheet(board.name, board.summary, board.notes, dict(values(board)), keys)


def check_board(name: str | Path) -> BoardCheck:
    """Checks a board against physics: width × rate, unit mistakes, parts that do not exist.

    Args:
        name: Name of a board, or the path of a board's YAML file.

    Returns:
        The findings; there are none where nothing contradicts itself.

    Raises:
        UsageError: There is no such board.
        InputError: The file is no board.

    Examples:
        >>> lanescope.check_board("v80").findings
        ()
    """
    board = load_board(name)
    return BoardCheck(board.name, tuple(lint(board)))


def _known(given: Given[Any]) -> dict[str, Any]:
    fields = msgspec.structs.asdict(given)
    return {key: item for key, item in fields.items() if item is not None}


def _sheet_lines(sheet: BoardSheet) -> Iterator[str]:
    yield f"{printable(sheet.name)}: {printable(sheet.summary)}"
    for note in sheet.notes:
        yield from _wrapped(note, "  ")
    sources = {given.source for given in sheet.values.values()}
    one = sources.pop() if len(sources) == 1 else None
    if one is not None:
        yield from _wrapped(f"every value: {one}", "  ")
    section = None
    for place, given in sheet.values.items():
        head, _, key = place.rpartition(".")
        if head != section:
            section = head
            yield f"\n[{section}]" if section else ""
        yield f"  {key or place:<36} {_amount(given):>{_VALUE_WIDTH}}  {given.basis}"
        yield from _wrapped(_because(given, said=one), "      ")
    if sheet.file_keys:
        yield "\n[keys of the file, and what each became]"
    for row in sheet.file_keys:
        value = clean(str(row.value), _VALUE_WIDTH)
        yield f"  {row.key:<36} {value:>{_VALUE_WIDTH}}  {row.becomes or 'not used'}"
        yield from _wrapped(row.note or "", "      ")


def _because(given: Given[Any], said: str | None) -> str:
    """Source and note of a value; without the source where it was said for all."""
    if given.source == said:
        return given.note or ""
    return given.source + (f" ({given.note})" if given.note else "")


def _amount(given: Given[Any]) -> str:
    """The value, with its range where it has one."""
    if isinstance(given.value, str):
        return printable(given.value)
    text = f"{given.value:,}"
    if given.low is not None or given.high is not None:
        low = given.value if given.low is None else given.low
        high = given.value if given.high is None else given.high
        text += f" ({low:,} to {high:,})"
    return text


def _wrapped(text: str, indent: str) -> Iterator[str]:
    for line in textwrap.wrap(printable(text), _WIDTH - len(indent), break_on_hyphens=False):
        yield indent + line
