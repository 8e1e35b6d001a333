"""An export of Nsight Systems becomes a trace: one session, with all its processes and devices.

Tables exist only where there is data, and columns come and go with versions, so every table and
every column is asked for. Nothing but the start and end of a row is required.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.columns import Tables
from lanescope.formats.detect import Detected
from lanescope.formats.look import FileLook
from lanescope.formats.nsys.facts import session_facts, session_start
from lanescope.formats.nsys.host import NsysHost
from lanescope.formats.nsys.kinds import STRINGS, is_export, projection_file
from lanescope.formats.nsys.lanes import (
    LaunchKeys,
    NsysStreams,
    NsysThreads,
    process_of,
    process_ranks,
)
from lanescope.formats.nsys.projection import projected_recording
from lanescope.formats.nsys.waits import wait_rows
from lanescope.formats.nsys.work import GRAPHS, NsysWork, device_rows
from lanescope.formats.parquet_tables import ParquetTables
from lanescope.formats.sqlite_columns import MAGIC
from lanescope.formats.sqlite_tables import open_tables
from lanescope.formats.streams import CollectiveRows, DeviceRows, StreamRecording, stream_trace
from lanescope.formats.streams.kernels import kind_of_kernel
from lanescope.formats.streams.recording import WORK
from lanescope.render.cells import many_text
from lanescope.trace import MISSING, Trace
from lanescope.trace.table import Array


def recognises(look: FileLook) -> str | None:
    """A database with the tables of an export."""
    if look.path.suffix == ".nsys-rep":
        what = "is a report of Nsight Systems itself, which only its own tools read"
        do = f"nsys export --type sqlite {look.path.name}"
        raise InputError(look.path, f"{what}; export it with '{do}'")
    if not look.head.startswith(MAGIC):
        return None
    with open_tables(look.path) as tables:
        return "nsys" if is_export(tables.names) else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One export is one trace."""
    if bundle.folder is None:
        with open_tables(bundle.main.path) as database:
            yield _trace(database, bundle)
        return
    projection = projection_file(bundle.folder)
    if projection is not None:
        recording = projected_recording(bundle.folder)
        yield stream_trace(recording, _with_files(bundle, [projection], "nsys-jax"))
        return
    tables = ParquetTables(bundle.folder)
    yield _trace(tables, _with_files(bundle, list(tables.files.values()), "nsys"))


def _with_files(bundle: Bundle, paths: list[Path], kind: str) -> Bundle:
    files = {path.name: Detected(path, None, kind, bytes=path.stat().st_size) for path in paths}
    return replace(bundle, files=files)


def _trace(tables: Tables, bundle: Bundle) -> Trace:
    strings = _strings(tables)
    ranks = process_ranks(tables)
    work = NsysWork.of(tables)
    host = NsysHost.of(tables, strings)
    streams = NsysStreams.of(list(work.parts.values()), ranks)
    threads = NsysThreads.of([host.thread], tables, strings, ranks)
    launches = LaunchKeys.of(process_of(host.thread), *work.processes)
    rows = device_rows(tables, work, streams, launches, strings)
    host_rows = host.rows(threads, launches)
    rows.op = _operators(rows, host_rows.launch, host_rows.op)
    waits, odd = wait_rows(tables, streams, launches)
    epoch = session_start(tables)
    recording = StreamRecording(
        lanes=streams.lanes,
        threads=threads.threads,
        work=rows,
        host=host_rows,
        waits=waits,
        collectives=_collectives(rows),
        utc_ns=epoch[0],
        facts=session_facts(tables, streams, ranks, epoch),
    )
    return stream_trace(recording, bundle, notes=_notes(recording, work, host, odd))


def _strings(tables: Tables) -> dict[int, str]:
    rows = tables.read(STRINGS, ("id",), texts=("value",))
    values = rows.texts["value"]
    return {
        key: values.texts[code]
        for key, code in zip(rows["id"].tolist(), values.codes.tolist(), strict=True)
        if code >= 0
    }


def _operators(rows: DeviceRows, launch: Array | None, op: Array | None) -> Array:
    """The operator of each row of a device: that of the call that launched it."""
    assert rows.launch is not None and launch is not None and op is not None
    known = np.flatnonzero((launch != MISSING) & (op != MISSING))
    order = known[np.argsort(launch[known], kind="stable")]
    if not len(order):
        return np.full(len(rows.start), MISSING)
    at = np.minimum(np.searchsorted(launch[order], rows.launch), len(order) - 1)
    return np.where(launch[order][at] == rows.launch, op[order][at], MISSING)


def _collectives(rows: DeviceRows) -> CollectiveRows:
    """Kernels that communicate; neither their group nor their number is in an export."""
    assert rows.work is not None
    at = np.flatnonzero(rows.work == WORK.index("communication"))
    kinds = {code: kind_of_kernel(rows.names[code]) for code in np.unique(rows.name[at]).tolist()}
    return CollectiveRows(
        row=at, group=[""] * len(at), kind=[kinds[code] for code in rows.name[at].tolist()]
    )


def _notes(recording: StreamRecording, work: NsysWork, host: NsysHost, odd: int) -> list[str]:
    notes = []
    if host.open_ranges:
        ranges = many_text(host.open_ranges, "NVTX range")
        notes.append(f"Without an end, drawn to the last row: {ranges}.")
    if odd:
        notes.append(f"Left out: {many_text(odd, 'wait')} of unknown kind.")
    if count := work.parts[GRAPHS].count:
        notes.append(
            f"A whole CUDA graph is one row, {many_text(count, 'time')}; record with "
            "--cuda-graph-trace=node to see the kernels."
        )
    if recording.facts.get("epoch_error_ns"):
        seconds = recording.facts["epoch_error_ns"] / 1e9
        notes.append(
            f"The UTC may be {seconds:.1f} s too late: it is not documented whether times count "
            "from the start of the session or from the machine's own clock."
        )
    return notes
