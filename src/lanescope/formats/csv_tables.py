"""Writes tables as CSV: a folder with one file per table, or one table into one file.

A text that a spreadsheet would take for a formula gets a ' before it; numbers are never text.
A whole folder also has what the trace says of itself, so that `csv_read.py` finds all of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO

import msgspec
import pyarrow as pa
import pyarrow.csv as csv

from lanescope.errors import UsageError
from lanescope.formats.exporter import ExportOptions
from lanescope.formats.output import atomic_output
from lanescope.formats.written import FilesExport
from lanescope.render.names import spreadsheet_text
from lanescope.trace import SCHEMA, Trace
from lanescope.trace.replacing import replace_directory

_META = "meta.json"


def write(trace: Trace, path: Path, options: ExportOptions) -> FilesExport:
    """The exporter's entry: see `write_csv`."""
    return write_csv(trace, path, table=options.values.get("table"))


def write_csv(trace: Trace, path: Path, *, table: str | None = None) -> FilesExport:
    """Write a folder of tables, or one table where the path ends in .csv, .csv.gz or .csv.zst.

    Missing values are empty cells. Without `table` a folder gets all tables, a file gets `tasks`.
    """
    if table is not None and table not in SCHEMA:
        raise UsageError(f"no table {table!r}; a trace has {', '.join(SCHEMA)}")
    if path.name.endswith((".csv", ".csv.gz", ".csv.zst")):
        with atomic_output(path) as file:
            _write(trace, table or "tasks", file)
        return FilesExport(output=str(path), format="csv", files=(path.name,))
    _require_own(path)
    tables = (table,) if table else tuple(SCHEMA)

    def fill(folder: Path) -> None:
        for name in tables:
            with (folder / f"{name}.csv").open("wb") as file:
                _write(trace, name, file)
        if table is None:
            (folder / _META).write_bytes(msgspec.json.encode(trace.meta) + b"\n")

    replace_directory(path, fill)
    files = (*(f"{name}.csv" for name in tables), *(() if table else (_META,)))
    return FilesExport(output=str(path), format="csv", files=files)


def _require_own(path: Path) -> None:
    """Refuse a folder that holds anything but exported tables: it is replaced as a whole."""
    tables = {_META, *(f"{name}.csv" for name in SCHEMA)}
    if path.is_dir() and {file.name for file in path.iterdir()} <= tables:
        return
    if path.exists():
        raise UsageError(f"{path} exists and is no exported table folder; choose another with -o")


def _write(trace: Trace, name: str, file: IO[bytes]) -> None:
    table = trace.table(name).to_arrow()
    for index, column in enumerate(table.schema):
        if pa.types.is_string(column.type):
            table = table.set_column(index, column.name, _harmless(table[column.name]))
    csv.write_csv(table, file)


def _harmless(column: pa.ChunkedArray) -> pa.Array:
    """A text column without formulas; csv_read.py makes the texts of it again."""
    encoded = column.combine_chunks().dictionary_encode()
    words = [spreadsheet_text(word) for word in encoded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(words, pa.string()))
