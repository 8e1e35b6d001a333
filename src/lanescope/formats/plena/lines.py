"""JSON lines that the emulator writes and never flushes: whole lines, and what is cut off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_cells import Cell
from lanescope.formats.json_file import map_file
from lanescope.formats.json_rows import Rows, TextSpan, read_line_rows
from lanescope.formats.plena.run import EmulatedRun
from lanescope.trace.table import Array

MOST_PC = (1 << 31) - 1


@dataclass(frozen=True, slots=True, eq=False)
class WholeLines:
    """The complete lines of a file."""

    span: TextSpan
    last: bytes
    """The last complete line."""
    cut: bool
    """Whether a line behind them is cut off."""


def whole_lines(path: Path) -> WholeLines:
    """Map a file; a last line that is no whole JSON value is left out."""
    data = map_file(path)
    end = len(data)
    last = _last_line(data, end)
    cut = not _is_json(last)
    if cut:
        end -= len(last)
        last = _last_line(data, end)
    return WholeLines(TextSpan(path, data[:end], data), last, cut)


def _last_line(data: Array, end: int) -> bytes:
    """The bytes from the start of the last line that is not blank to `end`."""
    size = 1 << 12
    while True:
        tail = data[max(end - size, 0) : end].tobytes()
        begin = tail.rstrip().rfind(b"\n") + 1
        if begin or size >= end:
            return tail[begin:]
        size *= 16


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def read_lines(lines: WholeLines, cells: Sequence[Cell], run: EmulatedRun) -> Rows:
    """Read the lines into columns, one of which is `pc`; a cut line becomes a note of the run."""
    rows = read_line_rows(lines.span, cells, what="instructions")
    path = lines.span.path
    if not rows.count:
        raise InputError(path, "has no whole line: it was cut off while it was written or copied")
    if int(rows["pc"].max()) > MOST_PC:
        raise InputError(path, f"expected a pc of at most {MOST_PC:,}, found {rows['pc'].max():,}")
    if lines.cut:
        run.notes.append(
            "The last line of the file is cut off and was left out: the emulator never flushes it, "
            "so more may be missing."
        )
    return rows
