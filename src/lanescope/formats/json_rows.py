"""Reads arrays of rows in JSON text into numpy columns, with the C library.

Memory is the columns plus one chunk; Python never holds an object per row. Every error names the
file, the line and the byte.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from lanescope.errors import InputError
from lanescope.native import PROBLEMS, library
from lanescope.native.structs import JsonColumn, JsonError, JsonPool
from lanescope.trace import MISSING

Array = npt.NDArray[Any]

_CHUNK_ROWS = 1 << 16
_SPARE = 1.02
"""Rows grow shorter or longer along a file; this much more room is asked for."""
LONGEST_WORD = 256
_LONGEST_ROW = 1 << 12
_FIRST_ROW = re.compile(rb"\s*\[\s*\[([^][{}]*)\]")
_INT, _MICRO, _INTS, _TEXT, _SPAN, _ID = range(6)


@dataclass(frozen=True, slots=True)
class Cell:
    """How to read one column: its key (in array rows only its name), its type, its limits."""

    key: str
    type: int = _INT
    count: int = 1
    required: bool = True
    min: int = 0
    texts: int = 1 << 12
    """how many different texts a text column may have; a power of two"""
    word: bool = False
    """whether every text must be a short string"""


def integer(key: str, *, required: bool = True, low: int = 0) -> Cell:
    """A column of whole numbers, plain or quoted, not below `low`."""
    return Cell(key, _INT, required=required, min=low)


def identity(key: str, *, required: bool = True) -> Cell:
    """A column of 64-bit ids without sign, plain or quoted; `trace/task_ids.py` says how."""
    return Cell(key, _ID, required=required)


def micros(key: str, *, required: bool = True, low: int = 0) -> Cell:
    """A column of microseconds with decimals, read exactly into nanoseconds."""
    return Cell(key, _MICRO, required=required, min=low)


def integers(key: str, count: int, *, required: bool = True, low: int = 0) -> Cell:
    """A column of arrays of exactly `count` whole numbers."""
    return Cell(key, _INTS, count, required, low)


def text(key: str, *, required: bool = True, texts: int = 1 << 12) -> Cell:
    """A column of values with few different texts: a code per row, and the decoded values."""
    return Cell(key, _TEXT, required=required, texts=texts)


def word(key: str, *, required: bool = True) -> Cell:
    """A column of short strings out of a few, such as a kind."""
    return Cell(key, _TEXT, required=required, word=True)


def span(key: str, *, required: bool = True) -> Cell:
    """A column of any values: offset and length of the text within the piece that is read."""
    return Cell(key, _SPAN, 2, required)


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns that were read.

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
    return _read(span, cells, what, row_kind=0)


def row_width(span: TextSpan) -> int | None:
    """How many cells the first of the rows that are arrays has; None where there is no such row."""
    head = bytes(span.data[:_LONGEST_ROW])
    first = _FIRST_ROW.match(head)
    return first[1].count(b",") + 1 if first is not None else None


def read_object_rows(span: TextSpan, cells: Sequence[Cell], *, what: str) -> Rows:
    """Read rows that are objects: cells by key; other keys are passed over."""
    return _read(span, cells, what, row_kind=1)


def release(span: TextSpan, *, upto: int = -1) -> None:
    """Give the pages read so far back to the system; a later read brings them back."""
    mapped = getattr(span.whole.base, "obj", None)
    if isinstance(mapped, mmap.mmap):
        first = span.offset // mmap.PAGESIZE * mmap.PAGESIZE
        last = span.offset + (upto if upto >= 0 else len(span.data))
        mapped.madvise(mmap.MADV_DONTNEED, first, max(last - first, 1))


def _read(span: TextSpan, cells: Sequence[Cell], what: str, row_kind: int) -> Rows:
    if bytes(span.data[:4096]).lstrip()[:1] not in (b"[", b""):
        raise located(
            span, 0, f"an array was expected, found {show(span.data[:40].tobytes())}", what
        )
    pools = {cell.key: _Pool(cell, len(span.data)) for cell in cells if cell.type == _TEXT}
    room = _CHUNK_ROWS
    outs = [np.empty(room * cell.count, np.int64) for cell in cells]
    position = ctypes.c_int64(0)
    problem = JsonError()
    total = 0
    while position.value >= 0:
        if total == room:
            room = _rows_expected(total, position.value, len(span.data))
            outs = [_grown(out, room * cell.count) for cell, out in zip(cells, outs, strict=True)]
        columns = (JsonColumn * len(cells))(
            *(
                _column(cell, out[total * cell.count :], pools.get(cell.key))
                for cell, out in zip(cells, outs, strict=True)
            )
        )
        count = library().ls_json_rows(
            span.data.ctypes.data,
            len(span.data),
            ctypes.byref(position),
            row_kind,
            columns,
            len(cells),
            min(_CHUNK_ROWS, room - total),
            ctypes.byref(problem),
        )
        if count < 0:
            problem.row += total
            raise _error(span, cells, what, problem)
        total += count
        release(span, upto=position.value)
    joined = {}
    for cell, out in zip(cells, outs, strict=True):
        column = out[: total * cell.count]
        joined[cell.key] = column.reshape(total, cell.count) if cell.count > 1 else column
    words = {key: pool.decode(span, what) for key, pool in pools.items()}
    return Rows(total, joined, words, int(problem.at))


def _rows_expected(rows: int, done: int, size: int) -> int:
    """The number of rows if they go on as they began.

    It is at least one chunk more than there are.
    """
    return rows + max(_CHUNK_ROWS, int(rows / done * (size - done) * _SPARE))


def _grown(out: Array, size: int) -> Array:
    """The same column with room for `size` numbers; room that nobody writes to takes no memory."""
    larger = np.empty(size, np.int64)
    larger[: len(out)] = out
    return larger


class _Pool:
    """Memory for the different texts of one column; there are never more than bytes to read."""

    def __init__(self, cell: Cell, size: int) -> None:
        capacity = min(cell.texts, 1 << size.bit_length())
        self.cell = cell
        self.offset = np.zeros(capacity, np.int64)
        self.length = np.zeros(capacity, np.int64)
        self.slots = np.full(2 * capacity, -1, np.int32)
        self.struct = JsonPool(
            used=0,
            capacity=capacity,
            offset=self.offset.ctypes.data,
            length=self.length.ctypes.data,
            slots=self.slots.ctypes.data,
        )

    def decode(self, span: TextSpan, what: str) -> list[Any]:
        """Decode the texts in the order of their codes; words are checked."""
        values = []
        for k in range(self.struct.used):
            start = int(self.offset[k])
            raw = span.data[start : start + int(self.length[k])].tobytes()
            where = f"{what}, {self.cell.key!r}"
            try:
                value = msgspec.json.decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise located(span, start, f"is not valid JSON ({error})", where) from error
            if self.cell.word and not (isinstance(value, str) and len(value) <= LONGEST_WORD):
                problem = f"a string of at most {LONGEST_WORD} characters was expected"
                raise located(span, start, f"{problem}, found {show(raw)}", where)
            values.append(value)
        return values


def _column(cell: Cell, out: Array, pool: _Pool | None) -> JsonColumn:
    key = cell.key.encode()
    return JsonColumn(
        key=key,
        key_length=len(key),
        type=cell.type,
        count=cell.count,
        required=int(cell.required),
        pad=0,
        min=cell.min,
        missing=MISSING,
        out=out.ctypes.data,
        pool=ctypes.addressof(pool.struct) if pool else None,
    )


_SENTENCES = {
    "truncated": "the file ends inside this value; it was cut off while it was written or copied",
    "syntax": "this is not JSON",
    "not_row": "this is not a row of this format",
    "not_number": "a number was expected",
    "range": "the number does not fit in 64 bits",
    "too_small": "the number is too small",
    "no_column": "the row has no such column",
    "many_columns": "the row has more columns than this format has",
    "pool_full": "the column has more different texts than this format uses",
}


def _error(span: TextSpan, cells: Sequence[Cell], what: str, problem: JsonError) -> InputError:
    where = f"{what} row {problem.row}"
    sentence = _SENTENCES[PROBLEMS[problem.problem]]
    if problem.column >= 0:
        cell = cells[problem.column]
        where += f", {cell.key!r}"
        if PROBLEMS[problem.problem] == "not_number":
            sentence = _numbers_expected(cell)
        elif PROBLEMS[problem.problem] == "range" and cell.type == _ID:
            sentence = "this is no task id: its two upper bits are set, which no runtime does"
    actual = show(span.data[problem.at : problem.at + 40].tobytes())
    return located(span, int(problem.at), f"{sentence}, found {actual}", where)


def _numbers_expected(cell: Cell) -> str:
    if cell.type == _INTS:
        return f"an array of {cell.count} whole numbers was expected"
    return f"a {'number' if cell.type == _MICRO else 'whole number'} was expected"


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
