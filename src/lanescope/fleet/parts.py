"""A fleet on disk: an index, and parts that are not in it yet.

    FLEET/
      index/traces.parquet, measures.parquet     everything, replaced as a whole
      parts/000007/traces.parquet, …             what came since, each written whole

A part is there or not, so a killed `fleet index` leaves all that it had written. The index says
which parts are in it: a part that could not be deleted in time does not count twice. Where several
of them know a trace, the youngest is right.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lanescope.errors import InputError, OutputError
from lanescope.fleet.tables import GONE, MEASURES, TRACES
from lanescope.trace.locks import lock_now
from lanescope.trace.places import local_path
from lanescope.trace.replacing import replace_directory

_PARTS_KEY = b"lanescope.fleet.parts"
_ROWS = 1 << 17
"""Rows that are in memory at a time while the index is written."""
_TEXTS = ["trace", "group", "name", "unit"]


@dataclass(frozen=True, slots=True)
class _Piece:
    """The index or a part, with the rows of `traces` for which it is the youngest."""

    folder: Path
    traces: pa.Table
    is_whole: bool
    """All of its rows are current."""

    def measures(self, *, groups: list[str] | None = None) -> Iterator[pa.Table]:
        """Its measures that are current, some rows at a time."""
        for batch in _batches(self.folder / "measures.parquet"):
            rows = pa.Table.from_batches([batch])
            if groups is not None:
                rows = rows.filter(pc.is_in(rows["group"], pa.array(groups)))
            if not self.is_whole:
                rows = rows.filter(pc.is_in(rows["trace"], self.traces["trace"].combine_chunks()))
            yield rows


class FleetFolder:
    """The folder of a fleet."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """The folder need not be there yet."""
        self.path = local_path(path)

    @property
    def exists(self) -> bool:
        """Whether anything was ever indexed here."""
        return (self.path / "index").is_dir() or (self.path / "parts").is_dir()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep others from writing meanwhile; raises OutputError where somebody does already."""
        if self.path.exists() and not self.exists and any(self.path.iterdir()):
            raise OutputError(
                f"{self.path} exists and is no index of a fleet, so it was left alone; "
                "choose another place with -o"
            )
        try:
            (self.path / "parts").mkdir(parents=True, exist_ok=True)
            with (self.path / "lock").open("wb") as lock:
                lock_now(lock.fileno())
                yield
        except BlockingIOError:
            raise OutputError(
                f"{self.path} is being written by another 'lanescope fleet index'; "
                "wait for its end, or choose another place with -o"
            ) from None
        except OSError as error:
            raise OutputError(
                f"{self.path} could not be written ({error.strerror or error}); "
                "free some space or choose another place with -o"
            ) from error

    def traces(self) -> pa.Table:
        """The table `traces`, without those that are gone."""
        return _joined(TRACES, [piece.traces for piece in self._pieces()])

    def measures(self, *, groups: list[str] | None = None) -> pa.Table:
        """The table `measures`; texts are dictionaries. With `groups`, only these."""
        pieces = [rows for piece in self._pieces() for rows in piece.measures(groups=groups)]
        return _joined(_dictionaries(MEASURES), pieces)

    def add(self, traces: pa.Table, measures: pa.Table) -> None:
        """Write a part; what cannot be written is an OutputError, and the fleet is as it was."""
        number = max((n for n, _ in self._part_folders()), default=self._last_in_index()) + 1
        replace_directory(
            self.path / "parts" / f"{number:06}",
            lambda folder: _write(folder, traces, iter([measures])),
        )

    def compact(self) -> None:
        """Put all parts into the index; their folders are deleted."""
        parts = self._part_folders()
        if not parts:
            return
        pieces = self._pieces()
        traces = _joined(TRACES, [piece.traces for piece in pieces])
        traces = traces.sort_by("trace").replace_schema_metadata({_PARTS_KEY: str(parts[-1][0])})
        measures = (rows for piece in pieces for rows in piece.measures())
        replace_directory(self.path / "index", lambda folder: _write(folder, traces, measures))
        for _, folder in parts:
            shutil.rmtree(folder, ignore_errors=True)

    def _part_folders(self) -> list[tuple[int, Path]]:
        """Parts that are not in the index, oldest first."""
        folder, last = self.path / "parts", self._last_in_index()
        inside = folder.iterdir() if folder.is_dir() else ()
        numbers = sorted(int(one.name) for one in inside if one.name.isdigit())
        return [(number, folder / f"{number:06}") for number in numbers if number > last]

    def _last_in_index(self) -> int:
        file = self.path / "index" / "traces.parquet"
        if not file.exists():
            return 0
        with _reading(file):
            return int((pq.read_schema(file).metadata or {}).get(_PARTS_KEY, b"0"))

    def _pieces(self) -> list[_Piece]:
        """The index and its parts, the oldest first, each with the traces that are still its."""
        index = self.path / "index"
        folders = [index] if index.is_dir() else []
        folders += [folder for _, folder in self._part_folders()]
        tables = [_read_traces(folder / "traces.parquet") for folder in folders]
        pieces: list[_Piece] = []
        younger: list[pa.Array] = []
        for folder, table in zip(reversed(folders), reversed(tables), strict=True):
            current = table.filter(pc.not_equal(table["status"], GONE))
            for one in younger:
                current = current.filter(pc.invert(pc.is_in(current["trace"], one)))
            pieces.append(_Piece(folder, current, len(current) == len(table)))
            younger.append(table["trace"].combine_chunks())
        return pieces[::-1]


def _write(folder: Path, traces: pa.Table, measures: Iterator[pa.Table]) -> None:
    pq.write_table(traces, folder / "traces.parquet", compression="zstd")
    with pq.ParquetWriter(folder / "measures.parquet", MEASURES, compression="zstd") as writer:
        for rows in measures:
            writer.write_table(rows.cast(MEASURES), row_group_size=_ROWS)


def _joined(schema: pa.Schema, tables: list[pa.Table]) -> pa.Table:
    """The tables as one, without `Schema.empty_table`: like `read_table` it imports pandas."""
    return pa.concat_tables([pa.Table.from_batches([], schema), *tables])


def _read_traces(file: Path) -> pa.Table:
    with _reading(file), pq.ParquetFile(file) as parquet:
        return parquet.read().cast(TRACES)


def _batches(file: Path) -> Iterator[Any]:
    with _reading(file), pq.ParquetFile(file, read_dictionary=_TEXTS) as parquet:
        yield from parquet.iter_batches(_ROWS, use_threads=False)


def _dictionaries(schema: pa.Schema) -> pa.Schema:
    coded = pa.dictionary(pa.int32(), pa.string())
    return pa.schema([(one.name, coded if one.name in _TEXTS else one.type) for one in schema])


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException, ValueError) as error:
        first = str(error).splitlines()[0]
        raise InputError(
            file, f"is damaged or missing ({first}); delete the fleet's folder and index again"
        ) from error
