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
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from lanescope.errors import InputError, OutputError, UsageError
from lanescope.trace.filling import TraceWriter, writing
from lanescope.trace.integrity import Checksums, changed_meta, read_checksums
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
Put: TypeAlias = Callable[[Path, Callable[[Path], None]], Path]
"""`replace_directory` or `new_directory`."""
_THREADS_HERE, _THREADS_ON_A_STORE = 2, 8
"""Tables at a time: here Arrow decodes without Python's lock, on a store each request waits."""
_SMALL_BYTES = 4 << 20
"""Up to this size two threads take longer here: they hand Python's lock to each other."""


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
    return save_by(trace, path, replace_directory)


def save_new(trace: Trace, path: PlaceLike) -> Path | Place:
    """Store a trace where nothing is yet, as `save` does; on this machine nothing is replaced.

    Raises:
        OutputError: the directory cannot be written, or something is there.
    """
    return save_by(trace, path, new_directory)


def save_by(trace: Trace, path: PlaceLike, put: Put) -> Path | Place:
    """Store a trace as `save` or `save_new` does; `put` says which."""
    place = place_of(path)
    target = place.local
    if target is None:
        _save_to_store(trace, place)
        return place
    _require_free(target)
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
    read = of_each_table(
        wanted,
        lambda schema: read_table(folder, schema, checksums),
        threads=threads_for(folder, checksums),
    )
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


def threads_for(folder: Place, checksums: Checksums) -> int:
    """How many tables of a stored trace are best read at a time."""
    if folder.local is None:
        return _THREADS_ON_A_STORE
    size = sum(file.bytes for file in checksums.files.values())
    return 1 if 0 < size <= _SMALL_BYTES else _THREADS_HERE


def of_each_table(
    names: Iterable[str], read: Callable[[TableSchema], _Answer], *, threads: int
) -> dict[str, _Answer]:
    """Read several tables at a time; after a failure none is begun any more."""
    if threads == 1:
        return {name: read(SCHEMA[name]) for name in names}
    with ThreadPoolExecutor(threads) as pool:
        waiting = {name: pool.submit(read, SCHEMA[name]) for name in names}
        try:
            return {name: one.result() for name, one in waiting.items()}
        finally:
            pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class StoredTrace:
    """A trace that was stored on this machine: what can be said of it without reading it."""

    path: Path
    meta: Meta
    rows: Mapping[str, int]
    """Table to the number of its rows."""
    ran: int
    """Number of task rows that have both a start and an end."""


def stored_trace(trace: Trace, path: Path) -> StoredTrace:
    """Return what is said of a trace that was stored at a path of this machine."""
    rows = {name: len(trace.table(name)) for name in SCHEMA}
    return StoredTrace(path, trace.meta, rows, int(trace.ran().sum()))


def save_rows(
    path: Path, fill: Callable[[TraceWriter], Meta], put: Put = replace_directory
) -> StoredTrace:
    """Store a trace on this machine whose rows are made some at a time; memory need not hold them.

    `fill` adds the rows to the writer and returns what the trace says about itself. `put` is
    `replace_directory`, or `new_directory` where nothing may be replaced.

    Raises:
        OutputError: the directory cannot be written, or it exists and is no trace.
    """
    _require_free(path)
    written: list[StoredTrace] = []

    def write(folder: Path) -> None:
        with writing(folder) as writer:
            meta = fill(writer)
            writer.finish(meta)
        written.append(StoredTrace(path, meta, writer.rows, writer.ran))

    put(path, write)
    return written[0]


def _require_free(target: Path) -> None:
    if target.exists() and not (target / "meta.json").is_file():
        raise OutputError(
            f"{target} exists and is no lanescope trace, so it was left alone; "
            "choose another place with -o"
        )


def _write(trace: Trace, folder: Path) -> None:
    """Two tables at a time, because Arrow works without Python's lock; meta.json comes last."""
    with writing(folder) as writer:
        with ThreadPoolExecutor(_THREADS_HERE) as pool:
            for _ in pool.map(lambda name: writer.add_table(trace.table(name)), SCHEMA):
                pass
        writer.finish(trace.meta)


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
