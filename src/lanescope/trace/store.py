"""A trace on disk: the directory NAME.lanes/ with meta.json and one Parquet file per table.

    NAME.lanes/
      meta.json          written last inside a temporary directory, which is then renamed:
      tasks.parquet      a directory that has a meta.json is complete
      phases.parquet …

Missing values are nulls and word columns are text in the files, so any Parquet reader can use
them without knowing lanescope.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lanescope.errors import InputError, OutputError
from lanescope.trace.meta import Meta
from lanescope.trace.schema import NO_WORD, SCHEMA, SCHEMA_VERSION, Column, TableSchema
from lanescope.trace.table import Array, Table, constant
from lanescope.trace.trace import Trace, Words

_ROWS_PER_GROUP = 1 << 22
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h


def save(trace: Trace, path: str | os.PathLike[str]) -> Path:
    """Write atomically: afterwards `path` is the whole new trace, or what it was before."""
    target = Path(path)
    if target.exists() and not (target / "meta.json").is_file():
        raise OutputError(
            f"{target} exists and is no lanescope trace, so it was left alone; "
            "choose another place with -o"
        )
    return replace_directory(target, lambda folder: _write(trace, folder))


def replace_directory(target: Path, write: Callable[[Path], None]) -> Path:
    """Let `write` fill a temporary directory, then put it at `target`, whole or not at all."""
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        prefix = f".{target.name}.{os.getpid()}."
        temporary = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        write(temporary)
        temporary.chmod(0o777 & ~_umask())
        _put(temporary, target)
    except OSError as error:
        raise OutputError(
            f"{target} could not be written ({error.strerror or error}); "
            "free some space or choose another place with -o"
        ) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
    return target


def _sweep(target: Path) -> None:
    """Remove what a killed writer of the same target left; its process id is in the name."""
    prefix = f".{target.name}."
    for left in target.parent.iterdir():
        owner = left.name.removeprefix(prefix).partition(".")[0]
        if left.name.startswith(prefix) and owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def load(path: str | os.PathLike[str]) -> Trace:
    """Read a stored trace; another schema version, a missing or a foreign file is an InputError."""
    folder = Path(path)
    meta = read_meta(folder)
    with ThreadPoolExecutor(2) as pool:
        read = {name: pool.submit(_read_table, folder, schema) for name, schema in SCHEMA.items()}
    words = Words()
    tables = {name: read[name].result().table(words) for name in SCHEMA}
    return Trace(meta=meta, words=words.freeze(), **tables)


def _write(trace: Trace, folder: Path) -> None:
    """The tables side by side (Arrow works without Python's lock), meta.json when all are done."""
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda name: _write_table(trace, folder, name), SCHEMA):
            pass
    encoded = msgspec.json.format(msgspec.json.encode(trace.meta), indent=2)
    with (folder / "meta.json").open("wb") as file:
        file.write(encoded + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _write_table(trace: Trace, folder: Path, name: str) -> None:
    """Whole numbers as differences: times rise, so that is smaller and faster than packing."""
    columns = SCHEMA[name].columns
    pq.write_table(
        trace.table(name).to_arrow(),
        folder / f"{name}.parquet",
        row_group_size=_ROWS_PER_GROUP,
        use_dictionary=[c.name for c in columns if c.type == "word"],
        column_encoding={
            c.name: "DELTA_BINARY_PACKED" for c in columns if c.type in ("i64", "i32")
        },
        compression="lz4",
    )


def _put(temporary: Path, target: Path) -> None:
    """Put the new directory in place; an old one is swapped out in one step where Linux can."""
    if not target.exists():
        temporary.rename(target)
    elif not _exchange(temporary, target):
        old = temporary.with_name(f"{temporary.name}.old")
        target.rename(old)
        try:
            temporary.rename(target)
        except OSError:
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two directories atomically with renameat2(2); False where that is not to be had."""
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is None:
        return False
    paths = [os.fsencode(path.absolute()) for path in (one, other)]
    done: int = renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE)
    return done == 0


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_meta(folder: Path) -> Meta:
    file = folder / "meta.json"
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        raise InputError(folder, _no_trace(folder)) from None
    except NotADirectoryError:
        raise InputError(folder, _no_trace(folder)) from None
    except OSError as error:
        raise InputError(file, f"cannot be read ({error.strerror})") from error
    try:
        version = msgspec.json.decode(text, type=_Version).schema_version
        if version != SCHEMA_VERSION:
            raise InputError(
                file,
                f"has trace schema version {version}, this lanescope reads version "
                f"{SCHEMA_VERSION}; use the lanescope that wrote it, or import the source again",
            )
        return msgspec.json.decode(text, type=Meta)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(file, f"is damaged ({error}); import the source again") from error


class _Version(msgspec.Struct):
    schema_version: int


def _no_trace(folder: Path) -> str:
    if not folder.exists():
        return "no such trace; a stored trace is a directory NAME.lanes"
    return "is no lanescope trace (it has no meta.json); use 'lanescope import' on other files"


class Text(NamedTuple):
    """A text column: codes into `texts`, -1 where there is none."""

    codes: Array
    texts: list[str]

    def column(self, words: Words) -> Array:
        pool = np.append(words.codes(self.texts), np.int32(NO_WORD))
        column: Array = pool[self.codes]
        return column


@dataclass(frozen=True, slots=True)
class _Read:
    """A table's columns as they were read; texts still have codes of their own."""

    schema: TableSchema
    columns: dict[str, Array | Text]

    def table(self, words: Words) -> Table:
        columns = {
            name: column.column(words) if isinstance(column, Text) else column
            for name, column in self.columns.items()
        }
        return Table.build(self.schema.name, columns)


def _read_table(folder: Path, schema: TableSchema) -> _Read:
    """Column by column, so that Arrow's memory for one serves the next."""
    file = folder / f"{schema.name}.parquet"
    with opened(file, schema) as parquet:
        empty = all_null(parquet.metadata)
        return _Read(
            schema,
            {
                c.name: constant(c.missing, parquet.metadata.num_rows, c.dtype)
                if c.name in empty
                else read_column(file, parquet, c)
                for c in schema.columns
            },
        )


@contextmanager
def opened(file: Path, schema: TableSchema) -> Iterator[Any]:
    """A table's file; what is wrong with it is an InputError."""
    text = [c.name for c in schema.columns if c.type == "word"]
    try:
        with pq.ParquetFile(file, read_dictionary=text, memory_map=True) as parquet:
            _require_columns(file, schema, parquet.schema_arrow.names)
            yield parquet
    except FileNotFoundError:
        raise InputError(file, "is missing from the trace; import the source again") from None
    except (OSError, pa.ArrowException) as error:
        first = str(error).splitlines()[0]
        raise InputError(file, f"is damaged ({first}); import the source again") from error


def read_column(file: Path, parquet: Any, column: Column) -> Array | Text:
    values = parquet.read([column.name], use_threads=False)[column.name]
    try:
        return _text(values) if column.type == "word" else _numbers(values, column)
    except (pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        problem = f"column {column.name!r} is not of type {column.type} ({error})"
        raise InputError(file, f"{problem}; import the source again") from error


def _require_columns(file: Path, schema: TableSchema, found: list[str]) -> None:
    for column in schema.columns:
        if column.name not in found:
            raise InputError(file, f"has no column {column.name!r}; import the source again")


def all_null(metadata: Any) -> set[str]:
    """Columns that hold nothing, by the file's own statistics: they need not be read."""
    nulls: dict[str, int] = {}
    for group in range(metadata.num_row_groups):
        part = metadata.row_group(group)
        for index in range(part.num_columns):
            column = part.column(index)
            statistics = column.statistics
            if statistics is not None and statistics.has_null_count:
                name = column.path_in_schema
                nulls[name] = nulls.get(name, 0) + statistics.null_count
    rows = metadata.num_rows
    return {name for name, count in nulls.items() if rows and count == rows}


def _text(values: Any) -> Text:
    values = values.unify_dictionaries().combine_chunks()
    codes = values.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Text(codes, values.dictionary.to_pylist())


def _numbers(values: Any, column: Column) -> Array:
    if values.null_count:
        values = values.fill_null(column.missing)
    numbers: Array = values.to_numpy().astype(column.dtype, copy=False, casting="same_kind")
    return numbers
