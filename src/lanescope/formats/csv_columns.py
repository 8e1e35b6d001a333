"""Reads CSV files into columns, with pyarrow: no Python object per row, numbers as printed.

Blanks around a value do not count. An empty cell and `N/A` are missing values.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from lanescope.errors import InputError
from lanescope.formats.json_file import map_file
from lanescope.render.cells import many_text
from lanescope.trace import MISSING
from lanescope.trace.table import Array

ABSENT = ("", "N/A", "n/a", "NULL", "null", "nan", "-")
"""Texts that stand for a value that is not there."""

_LONGEST_HEADER = 1 << 16
_MOST_COLUMNS = 4096
_DECIMAL = pa.decimal128(37, 18)
"""19 digits before the point, 18 behind it; the sum of two has 38 digits, which still fits."""
_TOO_FINE = r"^([^.eE]*\.[0-9]{18})[0-9]+$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_WHOLE = r"^[+-]?[0-9]+(\.0*)?$"
_NO_ROWS = ("Empty CSV file", "Could not skip initial")
"""How pyarrow's messages begin for a file that ends with the names of its columns."""
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class CsvColumns:
    """The columns of a CSV file as text without blanks around it; null where it is missing."""

    path: Path
    rows: int
    columns: dict[str, pa.Array]
    first_line: int
    """Line of the file that row 0 stands on."""

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def texts(self, name: str) -> tuple[Array, list[str]]:
        """A code per row and the different texts; -1 where the text is missing."""
        encoded = self.columns[name].dictionary_encode()
        codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        return codes.astype(np.int64), encoded.dictionary.to_pylist()

    def integers(self, name: str) -> Array:
        """Whole numbers; MISSING where there is none."""
        column = self._checked(name, _WHOLE, "a whole number")
        column = pc.replace_substring_regex(column, r"\.0*$|^\+", "")
        try:
            values = column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise self._too_large(name) from None
        return np.asarray(pc.fill_null(values, MISSING))

    def numbers(self, name: str) -> Array:
        """Numbers as float64; NaN where there is none."""
        column = self._checked(name, _NUMBER, "a number")
        values = pc.replace_substring_regex(column, r"^\+", "").cast(pa.float64())
        return np.asarray(pc.fill_null(values, np.nan))

    def has_number(self, name: str) -> bool:
        """Whether any value of a column is a number."""
        return bool(pc.any(pc.match_substring_regex(self.columns[name], _NUMBER)).as_py())

    def decimals(self, name: str) -> pa.Array:
        """Numbers as exact decimals, cut off behind the 18th digit after the point."""
        column = self._checked(name, _NUMBER, "a number")
        column = pc.replace_substring_regex(column, _TOO_FINE, r"\1")
        try:
            return column.cast(_DECIMAL)
        except pa.ArrowInvalid:
            raise self._too_large(name) from None

    def line(self, row: int) -> str:
        """Where a row stands, for a message."""
        return f"line {self.first_line + row}"

    def _checked(self, name: str, pattern: str, expected: str) -> pa.Array:
        column = self.columns[name]
        good = pc.fill_null(pc.match_substring_regex(column, pattern), True)
        row = pc.index(good, False).as_py()
        if row >= 0:
            found = column[row].as_py()[:_SHOWN]
            where = f"{self.line(row)}, {name!r}"
            raise InputError(self.path, f"{where}: {expected} was expected, found {found!r}")
        return column

    def _too_large(self, name: str) -> InputError:
        return InputError(self.path, f"{name!r} has a number with more digits than a time has")


def thousandths(values: pa.Array) -> Array:
    """Decimals times 1000, rounded to whole numbers, halves to even; MISSING where null."""
    rounded = pc.round(values, ndigits=3, round_mode="half_to_even")
    whole = pa.concat_arrays([rounded.cast(pa.decimal128(rounded.type.precision, 3))])
    # The bytes of a decimal128 are a 128-bit whole number, which counts thousandths here.
    parts = np.frombuffer(whole.buffers()[1] or b"", np.int64).reshape(-1, 2)
    parts = parts[whole.offset : whole.offset + len(whole)]
    fits = parts[:, 1] == parts[:, 0] >> 63
    known = np.asarray(whole.is_valid())
    return np.where(known & fits, parts[:, 0], MISSING)


def header(head: bytes, *, skip: int = 0) -> list[str]:
    """Names of the columns, from the first bytes of a CSV file; `skip` lines stand above them."""
    lines = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").splitlines()
    if len(lines) <= skip:
        return []
    return [name.strip() for name in next(csv.reader([lines[skip]]), [])]


def read_columns(path: Path, wanted: Iterable[str] | None = None, *, skip: int = 0) -> CsvColumns:
    """Read columns of a CSV file, also a packed one.

    Args:
        path: The file.
        wanted: Names of the columns to read; those the file lacks are passed over. None: all.
        skip: Lines above the names.

    Raises:
        InputError: The file is empty or a row has another number of cells than the names.
    """
    whole = map_file(path)
    names = header(bytes(whole[:_LONGEST_HEADER]), skip=skip)
    if not 0 < len(names) <= _MOST_COLUMNS:
        raise InputError(path, f"names of columns were expected in line {skip + 1}, found none")
    place: dict[str, str] = {}
    for k, name in enumerate(names):
        place.setdefault(name, f"{k}")
    chosen = [name for name in place if wanted is None or name in set(wanted)]
    table = _table(path, whole, [f"{k}" for k in range(len(names))], skip, place, chosen)
    columns = {name: _trimmed(table.column(place[name])) for name in chosen}
    return CsvColumns(path, table.num_rows, columns, skip + 2)


def _table(
    path: Path, whole: Array, names: list[str], skip: int, place: dict[str, str], chosen: list[str]
) -> pa.Table:
    places = [place[name] for name in chosen]
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(whole)),
            arrow_csv.ReadOptions(column_names=names, skip_rows=skip + 1, use_threads=False),
            arrow_csv.ParseOptions(ignore_empty_lines=True),
            arrow_csv.ConvertOptions(
                include_columns=places,
                column_types=dict.fromkeys(places, pa.string()),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        if str(error).startswith(_NO_ROWS):
            return pa.table({name: pa.array([], pa.string()) for name in places})
        raise InputError(path, f"is not the CSV file that it should be: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    text = str(error).removeprefix("CSV parse error: ")
    no_text = re.match(r"In CSV column #(\d+): (?:Row #(\d+): )?.*invalid UTF8", text)
    if no_text is not None:
        where = f"line {no_text[2]}, " if no_text[2] else ""
        return f"{where}cell {int(no_text[1]) + 1} is no UTF-8 text"
    found = re.match(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", text)
    if found is None:
        return text.splitlines()[0][:120]
    where = f"line {found[1]} has" if found[1] else "a line has"
    cells = many_text(int(found[3]), "cell")
    return f"{where} {cells} instead of {found[2]}; it may be cut off there"


def _trimmed(column: pa.ChunkedArray) -> pa.Array:
    text = pc.utf8_trim_whitespace(column.combine_chunks())
    return pc.if_else(pc.is_in(text, pa.array(ABSENT)), pa.scalar(None, pa.string()), text)


def require(columns: CsvColumns, names: Sequence[str], what: str) -> None:
    """Refuse a file that lacks a column."""
    missing = [name for name in names if name not in columns]
    if missing:
        listed = ", ".join(map(repr, missing))
        raise InputError(columns.path, f"has no column {listed}, which {what} has")
