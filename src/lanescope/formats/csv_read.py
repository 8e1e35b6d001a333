"""Reads tables that lanescope exported as CSV: a folder of them, or one file.

The first line of a file tells which table it is. `meta.json` beside them says the rest.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from lanescope import __version__
from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.json_file import map_file
from lanescope.formats.look import FileLook
from lanescope.render.names import text_of_spreadsheet
from lanescope.trace import SCHEMA, Meta, Table, Trace, Words
from lanescope.trace.parquet import ReadTable, Text, numbers_of, text_of
from lanescope.trace.schema import TableSchema
from lanescope.trace.table import Array, constant

META = "meta"
_TYPES = {"i64": pa.int64(), "i32": pa.int32(), "f64": pa.float64(), "word": pa.string()}


def recognises(look: FileLook) -> str | None:
    """A CSV file whose first line has the columns of a table, or what a trace says of itself."""
    if look.path.name == "meta.json":
        keys = look.json.values if look.json is not None else {}
        return META if {"schema_version", "name", "tool", "origin"} <= keys.keys() else None
    first, _, _ = look.head.partition(b"\n")
    if not first.startswith(b'"'):
        return None
    try:
        names = next(csv.reader([first.decode()]), [])
    except (UnicodeDecodeError, csv.Error):
        return None
    return next((name for name, table in SCHEMA.items() if _is_head(table, names)), None)


def read(bundle: Bundle) -> Iterator[Trace]:
    """The tables of one trace."""
    words = Words()
    tables = {
        kind: _read(one, SCHEMA[kind]).table(words)
        for kind, one in bundle.files.items()
        if kind in SCHEMA
    }
    yield Trace(meta=_meta(bundle, tables), words=words.freeze(), **tables)


def _is_head(table: TableSchema, names: list[str]) -> bool:
    """Whether these are the columns of a table, all of them but those of later versions."""
    known = {column.name for column in table.columns}
    first = {column.name for column in table.columns if not column.since}
    return bool(names) and first <= set(names) <= known


def _read(one: Detected, schema: TableSchema) -> ReadTable:
    columns = {column.name: column for column in schema.columns}
    options = arrow_csv.ConvertOptions(
        column_types={name: _TYPES[column.type] for name, column in columns.items()},
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    parse = arrow_csv.ParseOptions(newlines_in_values=True)
    source = pa.BufferReader(pa.py_buffer(map_file(one.path)))
    try:
        table = arrow_csv.read_csv(source, convert_options=options, parse_options=parse)
    except pa.ArrowException as error:
        problem = f"is no exported table {schema.name} ({str(error).splitlines()[0][:200]})"
        raise InputError(one.path, f"{problem}; export the trace again") from error
    found: dict[str, Array | Text] = {}
    for name, column in columns.items():
        if name not in table.column_names:
            found[name] = constant(column.missing, len(table), column.dtype)
        elif column.type == "word":
            found[name] = text_of(_as_written(table[name]))
        else:
            found[name] = numbers_of(table[name], column)
    return ReadTable(schema, found)


def _as_written(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column without what csv_tables.py put before formulas."""
    quoted = pc.starts_with(column, "'")
    if not pc.any(quoted).as_py():
        return column.dictionary_encode()
    texts = [text and text_of_spreadsheet(text) for text in column.to_pylist()]
    return pa.chunked_array([pa.array(texts, pa.string())]).dictionary_encode()


def _meta(bundle: Bundle, tables: dict[str, Table]) -> Meta:
    """What meta.json says, under the name of the folder; without the file nothing is known."""
    file = bundle.files.get(META)
    if file is None or file.json is None:
        note = "The tables came without meta.json: level, clock and origin are not known."
        level = 1 if len(tables.get("tasks", ())) else 0
        return Meta(
            name=bundle.name,
            tool=f"lanescope {__version__}",
            origin="imported",
            sources=bundle.sources(),
            level=level,
            flags=level,
            notes=(*bundle.notes, note),
        )
    try:
        told = msgspec.json.decode(bytes(file.json.whole), type=Meta)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        problem = f"does not say what a trace says of itself ({str(error)[:200]})"
        raise InputError(file.path, f"{problem}; export the trace again") from error
    notes = (*told.notes, *bundle.notes)
    return msgspec.structs.replace(told, name=bundle.name, sources=bundle.sources(), notes=notes)
