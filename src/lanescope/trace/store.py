"""A stored trace: the directory NAME.lanes/ with meta.json and one Parquet file per table.

    NAME.lanes/
      meta.json          written last inside a temporary directory, which is then renamed:
      tasks.parquet      a directory that has a meta.json is complete
      phases.parquet …
      checksums.json      sizes and checksums of the others, see `integrity.py`

On an object store, where nothing can be renamed, `upload.py` writes meta.json last.

Missing values are nulls and word columns are text in the files, so any Parquet reader can use
them without knowing lanescope.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec
import pyarrow.parquet as pq

from lanescope.errors import InputError, OutputError, UsageError
from lanescope.trace.arrow import arrow_table
from lanescope.trace.integrity import Checksums, changed_meta, read_checksums, write_checksums
from lanescope.trace.meta import Meta
from lanescope.trace.parquet import read_table
from lanescope.trace.places import Place, PlaceLike, place_of
from lanescope.trace.replacing import new_directory, replace_directory
from lanescope.trace.schema import SCHEMA_VERSION, TableSchema
from lanescope.trace.tables import SCHEMA
from lanescope.trace.trace import Trace, Words
from lanescope.trace.upgrade import with_typed_facts
from lanescope.trace.upload import upload

_Answer = TypeVar("_Answer")
_Put: TypeAlias = Callable[[Path, Callable[[Path], None]], Path]
_THREADS_HERE, _THREADS_ON_A_STORE = 2, 8
"""Tables at a time: here Arrow decodes without Python's lock, on a store each request waits."""
_ROWS_PER_GROUP = 1 << 22


def save(trace: Trace, path: PlaceLike) -> Path | Place:
    """Store a trace; on this machine `path` is afterwards the whole new trace, or what it was.

    Args:
        trace: the trace to store.
        path: the directory to write, NAME.lanes, or a URL such as s3://bucket/NAME.lanes; a trace
            that is there is replaced. On a store there is no trace while it is replaced.

    Returns:
        The directory that was written; a Place where it is on a store.

    Raises:
        OutputError: the directory cannot be written, or it exists and is no trace.

    Examples:
        >>> import lanescope
        >>> trace = lanescope.load("run.lanes")
        >>> lanescope.save(trace, "copy.lanes").name
        'copy.lanes'
    """
    return _save(trace, place_of(path), replace_directory)


def save_new(trace: Trace, path: PlaceLike) -> Path | Place:
    """Store a trace where nothing is yet, as `save` does; on this machine nothing is replaced.

    Raises:
        OutputError: the directory cannot be written, or something is there.
    """
    return _save(trace, place_of(path), new_directory)


def _save(trace: Trace, place: Place, put: _Put) -> Path | Place:
    target = place.local
    if target is None:
        _save_to_store(trace, place)
        return place
    if target.exists() and not (target / "meta.json").is_file():
        raise OutputError(
            f"{target} exists and is no lanescope trace, so it was left alone; "
            "choose another place with -o"
        )
    return put(target, lambda folder: _write(trace, folder))


def _save_to_store(trace: Trace, target: Place) -> None:
    try:
        with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
            _write(trace, Path(folder))
            upload(Path(folder), target)
    except OSError as error:
        raise OutputError(
            f"{target} could not be written, because this machine's folder for temporary files "
            f"could not ({error.strerror or error}); free some space, or set TMPDIR"
        ) from error


def load(path: PlaceLike, *, tables: Collection[str] | None = None) -> Trace:
    """Read a stored trace into memory.

    Args:
        path: the directory NAME.lanes, a URL such as s3://bucket/NAME.lanes, or a file system of
            pyarrow's with a path in it.
        tables: read only these, such as ("collectives", "steps"); the others are empty.

    Returns:
        The trace; `trace.tasks["start_ns"]` is a numpy column, `trace.tasks.to_pandas()` a frame.

    Raises:
        InputError: there is no trace, it has another schema version, a file is damaged, or the
            store does not answer.
        UsageError: there is no table of that name, or the URL is of a kind that is not known.

    Examples:
        >>> import lanescope
        >>> trace = lanescope.load("run.lanes")
        >>> trace.meta.level
        4
        >>> len(lanescope.load("run.lanes", tables=("functions",)).tasks)
        0
    """
    wanted = wanted_tables(tables)
    folder = place_of(path)
    # The writer goes the other way: a trace that is replaced on a store does not match this.
    checksums = read_checksums(folder)
    meta = read_meta(folder, checksums)
    read = of_each_table(folder, wanted, lambda schema: read_table(folder, schema, checksums))
    words = Words()
    columns = {name: read[name].table(words) for name in wanted}
    return Trace(meta=meta, words=words.freeze(), **columns)


def wanted_tables(tables: Collection[str] | None) -> list[str]:
    """The tables that are asked for, all of them where that is None, in the schema's order."""
    unknown = sorted(set(tables or ()) - SCHEMA.keys())
    if unknown:
        raise UsageError(
            f"expected tables of {', '.join(SCHEMA)}, found {', '.join(map(repr, unknown))}"
        )
    return [name for name in SCHEMA if tables is None or name in tables]


def of_each_table(
    folder: Place, names: Iterable[str], read: Callable[[TableSchema], _Answer]
) -> dict[str, _Answer]:
    """Read several tables at a time; after a failure none is begun any more."""
    with ThreadPoolExecutor(_THREADS_HERE if folder.local else _THREADS_ON_A_STORE) as pool:
        waiting = {name: pool.submit(read, SCHEMA[name]) for name in names}
        try:
            return {name: one.result() for name, one in waiting.items()}
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _write(trace: Trace, folder: Path) -> None:
    """Two tables at a time, because Arrow works without Python's lock; meta.json comes last."""
    with ThreadPoolExecutor(_THREADS_HERE) as pool:
        for _ in pool.map(lambda name: _write_table(trace, folder, name), SCHEMA):
            pass
    encoded = msgspec.json.format(msgspec.json.encode(trace.meta), indent=2)
    (folder / "meta.json").write_bytes(encoded + b"\n")
    write_checksums(folder, {name: len(trace.table(name)) for name in SCHEMA})


def _write_table(trace: Trace, folder: Path, name: str) -> None:
    """Whole numbers are stored as differences: times rise, so that is smaller and faster."""
    columns = SCHEMA[name].columns
    pq.write_table(
        arrow_table(trace.table(name)),
        folder / f"{name}.parquet",
        row_group_size=_ROWS_PER_GROUP,
        use_dictionary=[c.name for c in columns if c.type == "word"],
        column_encoding={
            c.name: "DELTA_BINARY_PACKED" for c in columns if c.type in ("i64", "i32")
        },
        compression="lz4",
        write_page_checksum=True,
    )


def read_meta(path: PlaceLike, checksums: Checksums | None = None) -> Meta:
    """A stored trace's meta.json; what is wrong with it is an InputError."""
    folder = place_of(path)
    checksums = read_checksums(folder) if checksums is None else checksums
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
        opening = msgspec.json.decode(text, type=_Opening)
        if opening.schema_version != SCHEMA_VERSION:
            raise InputError(
                file,
                f"has trace schema version {opening.schema_version}, this lanescope reads version "
                f"{SCHEMA_VERSION}; use the lanescope that wrote it, or import the source again",
            )
        meta = msgspec.json.decode(text, type=Meta)
        meta = meta if opening.is_typed else with_typed_facts(meta)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(file, f"is damaged ({error}); import the source again") from error
    changed = changed_meta(checksums, text)
    if changed and changed not in meta.notes:
        return msgspec.structs.replace(meta, notes=(*meta.notes, changed))
    return meta


class _Opening(msgspec.Struct):
    """What tells which version of lanescope wrote a meta.json."""

    schema_version: int
    recording: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_typed(self) -> bool:
        """0.1.0 had no `recording` and no `work`; later versions write both, also as null."""
        return self.recording is not msgspec.UNSET


def _no_trace(folder: Place) -> str:
    if folder.local is None:
        return "no such trace; a stored trace is a folder NAME.lanes with a meta.json"
    if not folder.exists():
        return "no such trace; a stored trace is a directory NAME.lanes"
    return "is no lanescope trace (it has no meta.json); use 'lanescope import' on other files"
