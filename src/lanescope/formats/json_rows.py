"""Reads arrays of rows in JSON text into numpy columns, with the C library.

Memory is the columns plus one chunk; Python never holds an object per row. Every error names the
file, the line and the byte.
"""

from __future__ import annotations

import ctypes
import mmap
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.formats.json_cells import Cell, CellType
from lanescope.native import PROBLEMS, library
from lanescope.native.structs import JsonColumn, JsonError, JsonPool
from lanescope.render.progress import reading
from lanescope.trace import MISSING

Array = npt.NDArray[Any]

_CHUNK_ROWS = 1 << 16
_SPARE = 1.02
"""Rows grow shorter or longer along a file; this much more room is asked for."""
LONGEST_WORD = 256
_LONGEST_ROW = 1 << 12
_WORTH_TELLING = 1 << 24
"""So many bytes take long enough that a person wants to see how far it is."""
_NAN = int(np.array(np.nan).view(np.int64))
_ARRAYS, _OBJECTS, _LINES, _OPEN = range(4)
"""Kinds of row: ls_json_row_kind in native/src/native.h."""
_FIRST_ROW = re.compile(rb"\s*\[\s*\[([^][{}]*)\]")


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns that were read, by the cell's key; those of nested cells by "key.inner key".

    `values[key][code]` decodes a text column; the code MISSING stands for an absent value.
    """

    count: int
    columns: dict[str, Array]
    values: dict[str, list[Any]]
    end: int = 0
    """Where the rows end in the piece, in bytes; more may follow."""

    def __getitem__(self, key: str) -> Array:
        return self.columns[key]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A piece of a JSON file: its bytes and where they begin in the file."""

    path: Path
    data: Array
    """uint8 view of the piece"""
    whole: Array
    """uint8 view of the file the piece is cut from"""

    @property
    def offset(self) -> int:
        """Where the piece begins in the file, in bytes."""
        return int(self.data.ctypes.data - self.whole.ctypes.data)


def read_array_rows(span: TextSpan, cells: Sequence[Cell], *, what: str) -> Rows:
    """Read rows that are arrays: cells by position; the last ones may be optional."""
    return _read(span, cells, what, row_kind=_ARRAYS)


def row_width(span: TextSpan) -> int | None:
    """How many cells the first of the rows that are arrays has; None where there is no such row."""
    head = bytes(span.data[:_LONGEST_ROW])
    first = _FIRST_ROW.match(head)
    return first[1].count(b",") + 1 if first is not None else None


def read_object_rows(span: TextSpan, cells: Sequence[Cell], *, what: str) -> Rows:
    """Read rows that are objects: cells by key; other keys are passed over."""
    return _read(span, cells, what, row_kind=_OBJECTS)


def read_open_rows(span: TextSpan, cells: Sequence[Cell], *, what: str) -> Rows:
    """Read rows that are objects, of an array that may end behind any of them without its ]."""
    return _read(span, cells, what, row_kind=_OPEN)


def read_line_rows(span: TextSpan, cells: Sequence[Cell], *, what: str) -> Rows:
    """Read rows that are objects, a line each: cells by key; other keys are passed over."""
    return _read(span, cells, what, row_kind=_LINES)


def release(span: TextSpan, *, upto: int = -1) -> None:
    """Give the pages read so far back to the system; a later read brings them back.

    Windows takes them by itself.
    """
    mapped = getattr(span.whole.base, "obj", None)
    if isinstance(mapped, mmap.mmap) and sys.platform != "win32":
        first = span.offset // mmap.PAGESIZE * mmap.PAGESIZE
        last = span.offset + (upto if upto >= 0 else len(span.data))
        mapped.madvise(mmap.MADV_DONTNEED, first, max(last - first, 1))


def _read(span: TextSpan, cells: Sequence[Cell], what: str, row_kind: int) -> Rows:
    if row_kind != _LINES and bytes(span.data[:4096]).lstrip()[:1] not in (b"[", b""):
        raise located(
            span, 0, f"an array was expected, found {show(span.data[:40].tobytes())}", what
        )
    room = _CHUNK_ROWS
    columns = [_Column(name, cell, len(span.data), room) for name, cell in _leaves(cells)]
    position = ctypes.c_int64(0)
    problem = JsonError()
    total = 0
    told = f"reading {what}" if len(span.data) > _WORTH_TELLING else ""
    with reading(told, len(span.data)) as advance:
        while position.value >= 0:
            before = position.value
            if total == room:
                room = _rows_expected(total, position.value, len(span.data))
                for column in columns:
                    column.grow(room)
            keep: list[Any] = []
            structs = _structs(cells, enumerate(columns), total, keep)
            count = library().ls_json_rows(
                span.data.ctypes.data,
                len(span.data),
                ctypes.byref(position),
                row_kind,
                structs,
                len(cells),
                min(_CHUNK_ROWS, room - total),
                ctypes.byref(problem),
            )
            if count < 0:
                problem.row += total
                raise _error(span, columns, what, problem)
            total += count
            release(span, upto=position.value)
            advance(max(position.value, before) - before)
    return Rows(
        total,
        {column.name: column.values(total) for column in columns},
        {column.name: column.decode(span, what) for column in columns if column.is_text},
        int(problem.at),
    )


def _leaves(cells: Iterable[Cell], prefix: str = "") -> Iterator[tuple[str, Cell]]:
    """The cells that have a column, with its name, in the order in which they are asked for."""
    for cell in cells:
        if cell.type == CellType.OBJECT:
            yield from _leaves(cell.inner, f"{prefix}{cell.key}.")
        else:
            yield prefix + cell.key, cell


def _structs(
    cells: Sequence[Cell], columns: Iterator[tuple[int, _Column]], row: int, keep: list[Any]
) -> ctypes.Array[JsonColumn]:
    """The cells as the C library reads them, from `row` on; `keep` holds what they point to."""
    structs = (JsonColumn * len(cells))()
    keep.append(structs)
    for place, (struct, cell) in enumerate(zip(structs, cells, strict=True)):
        struct.next = (place + 1) % len(cells)
        struct.key = cell.key.encode()
        struct.key_length = len(struct.key)
        struct.type = cell.type
        struct.count = cell.count
        struct.required = cell.required
        struct.lenient = cell.lenient
        struct.min = cell.min
        struct.seen = -1
        if cell.type == CellType.OBJECT:
            inner = _structs(cell.inner, columns, row, keep)
            struct.inner, struct.inner_count = ctypes.addressof(inner), len(inner)
            struct.number = -1
        else:
            struct.number, column = next(columns)
            struct.missing = column.missing
            struct.out = column.out[row * cell.count :].ctypes.data
            struct.pool = ctypes.addressof(column.pool)
    return structs


def _rows_expected(rows: int, done: int, size: int) -> int:
    """The number of rows if they go on as they began.

    It is at least one chunk more than there are.
    """
    return rows + max(_CHUNK_ROWS, int(rows / done * (size - done) * _SPARE))


class _Column:
    """Memory for one column, and for its different texts if it is one of texts."""

    def __init__(self, name: str, cell: Cell, size: int, room: int) -> None:
        self.name = name
        self.cell = cell
        self.is_text = cell.type in (CellType.TEXT, CellType.FIRST)
        self.missing = _NAN if cell.type == CellType.NUMBER else MISSING
        self.out = np.empty(room * cell.count, np.int64)
        capacity = min(cell.texts, 1 << size.bit_length()) if self.is_text else 0
        self.offset = np.zeros(capacity, np.int64)
        self.length = np.zeros(capacity, np.int64)
        self.slots = np.full(2 * capacity, -1, np.int32)
        self.pool = JsonPool(
            used=0,
            capacity=capacity,
            offset=self.offset.ctypes.data,
            length=self.length.ctypes.data,
            slots=self.slots.ctypes.data,
        )

    def grow(self, room: int) -> None:
        """Make room for so many rows; room that nobody writes to takes no memory."""
        larger = np.empty(room * self.cell.count, np.int64)
        larger[: len(self.out)] = self.out
        self.out = larger

    def values(self, rows: int) -> Array:
        """The column's numbers, a line of them per row where there are several."""
        column = self.out[: rows * self.cell.count]
        if self.cell.type == CellType.NUMBER:
            return column.view(np.float64)
        return column.reshape(rows, self.cell.count) if self.cell.count > 1 else column

    def decode(self, span: TextSpan, what: str) -> list[Any]:
        """Decode the texts in the order of their codes; words are checked."""
        values = []
        for k in range(self.pool.used):
            start = int(self.offset[k])
            raw = span.data[start : start + int(self.length[k])].tobytes()
            if self.cell.type == CellType.FIRST:
                values.append(raw[:LONGEST_WORD].decode("utf-8", "replace"))
                continue
            where = f"{what}, {self.name!r}"
            try:
                value = msgspec.json.decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise located(span, start, f"is not valid JSON ({error})", where) from error
            if self.cell.word and not (isinstance(value, str) and len(value) <= LONGEST_WORD):
                problem = f"a string of at most {LONGEST_WORD} characters was expected"
                raise located(span, start, f"{problem}, found {show(raw)}", where)
            values.append(value)
        return values


_SENTENCES = {
    "truncated": "the file ends inside this value; it was cut off while it was written or copied",
    "syntax": "this is not JSON",
    "not_row": "this is not a row of this format",
    "not_number": "a number was expected",
    "range": "the number does not fit in 64 bits",
    "too_small": "the number is too small",
    "no_column": "the row has no such column",
    "many_columns": "the row has more columns than this format has",
    "not_text": "a string was expected",
    "pool_full": "the column has more different texts than this format uses",
}


def _error(span: TextSpan, columns: Sequence[_Column], what: str, problem: JsonError) -> InputError:
    where = f"{what} row {problem.row}"
    sentence = _SENTENCES[PROBLEMS[problem.problem]]
    if problem.column >= 0:
        cell = columns[problem.column].cell
        where += f", {columns[problem.column].name!r}"
        if PROBLEMS[problem.problem] == "not_number":
            sentence = _numbers_expected(cell)
        elif PROBLEMS[problem.problem] == "range" and cell.type == CellType.ID:
            sentence = "this is no task id: its two upper bits are set, which no runtime does"
    actual = show(span.data[problem.at : problem.at + 40].tobytes())
    return located(span, int(problem.at), f"{sentence}, found {actual}", where)


def _numbers_expected(cell: Cell) -> str:
    if cell.type == CellType.INTS:
        return f"an array of {cell.count} whole numbers was expected"
    whole = "whole " if cell.type in (CellType.INT, CellType.ID) else ""
    return f"a {whole}number was expected"


def show(raw: bytes) -> str:
    """A few bytes of a file as they may stand in a message."""
    if not raw:
        return "the end of the file"
    return repr(raw[:32].decode("utf-8", "replace")) + ("…" if len(raw) > 32 else "")


def located(span: TextSpan, at: int, problem: str, where: str = "") -> InputError:
    """An InputError that names line and byte of the whole file."""
    byte = span.offset + at
    line = int(np.count_nonzero(span.whole[:byte] == ord("\n"))) + 1
    prefix = f"{where}: " if where else ""
    return InputError(span.path, f"{prefix}{problem} (line {line}, byte {byte})")
