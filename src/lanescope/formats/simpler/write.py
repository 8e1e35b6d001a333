"""Writes a run as the newest generation of the runtime's own files: records, deps, names, PMU.

Lossless for what that format can say. It cannot say: which of two vector functions ran, why a
record has no partner, marks, stalls. A trace without cycles is written at 1 GHz.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from lanescope.errors import UsageError
from lanescope.formats.exporter import ExportOptions
from lanescope.formats.output import atomic_output
from lanescope.formats.simpler.deps_write import write_deps
from lanescope.formats.simpler.host_write import host_lines, host_sections
from lanescope.formats.simpler.pmu_write import pmu_counters, write_pmu
from lanescope.formats.written import FilesExport
from lanescope.trace import MISSING, MISSING32, Table, Trace
from lanescope.trace.flags import EXPORT_VERSIONS
from lanescope.trace.store import replace_directory
from lanescope.trace.table import Array

RECORDS = "chip_swimlane_records.json"
HOST_PHASES = "host_phase_records.jsonl"
PMU = "pmu.csv"
_NS_CLOCK_HZ = 1_000_000_000
_CHUNK = 1 << 16


def write(trace: Trace, path: Path, options: ExportOptions) -> FilesExport:
    """The exporter's entry: see `write_run`."""
    return write_run(trace, path)


def write_run(trace: Trace, path: Path) -> FilesExport:
    """Write a folder with every file of the run, or only the records file to a path in .json."""
    _require_times(trace)
    if path.name.endswith((".json", ".json.gz")):
        with atomic_output(path) as file:
            _write_records(trace, file)
        return FilesExport(output=str(path), format="simpler", files=(path.name,))
    names: list[str] = []

    def fill(folder: Path) -> None:
        with (folder / RECORDS).open("wb") as file:
            _write_records(trace, file)
        if len(trace.edges) or (trace.tasks["func"] != MISSING32).any():
            with (folder / "deps.json").open("wb") as file:
                write_deps(trace, file)
        (folder / f"name_map_{path.name}.json").write_bytes(_name_map(trace))
        if host := host_lines(trace):
            (folder / HOST_PHASES).write_bytes(host)
        if counters := pmu_counters(trace):
            with (folder / PMU).open("wb") as file:
                write_pmu(trace, counters, file)
        names.extend(sorted(p.name for p in folder.iterdir()))

    _require_own(path)
    replace_directory(path, fill)
    return FilesExport(output=str(path), format="simpler", files=tuple(names))


def _require_own(path: Path) -> None:
    """Refuse a folder that is no older export.

    A folder is replaced as a whole, and the runtime's own files must never be.
    """
    if path.is_dir():
        held = {file.name for file in path.iterdir()}
        written = {RECORDS, HOST_PHASES, PMU, "deps.json", f"name_map_{path.name}.json"}
        if not held or (held <= written and RECORDS in held and _is_own(path / RECORDS)):
            return
    if path.exists():
        raise UsageError(f"{path} exists and is no exported run; choose another place with -o")


def _is_own(records: Path) -> bool:
    """Whether lanescope wrote the file: the runtime writes no version behind the level."""
    with records.open("rb") as file:
        return b'"version":' in file.read(64)


def _require_times(trace: Trace) -> None:
    if trace.meta.level < 1 or not len(trace.cores):
        raise UsageError(
            f"{trace.meta.name} has no task times (level {trace.meta.level}), and a records file "
            "is about nothing else"
        )


def _write_records(trace: Trace, file: IO[bytes]) -> None:
    level = trace.meta.level
    head: dict[str, Any] = {
        "chip_swimlane_level": level,
        "version": EXPORT_VERSIONS[level],
        "metadata": _metadata(trace),
    }
    hosted = host_sections(trace)
    head["metadata"] |= hosted.pop("metadata", {})
    file.write(b"{")
    for key, value in head.items():
        file.write(b'"%s": %s,\n' % (key.encode(), msgspec.json.encode(value)))
    _write_array(file, "aicore_tasks", _core_rows(trace))
    file.write(b",\n")
    _write_array(file, "aicpu_tasks", _controller_rows(trace) if level >= 2 else iter(()))
    if level >= 3:
        file.write(b",\n")
        _write_lanes(file, "aicpu_scheduler_phases", _scheduler_lanes(trace))
    if level >= 4 and "host_orchestrator_phases" not in hosted:
        file.write(b",\n")
        _write_lanes(file, "aicpu_orchestrator_phases", _orchestrator_lanes(trace))
    for key, value in hosted.items():
        file.write(b',\n"%s": %s' % (key.encode(), msgspec.json.encode(value)))
    file.write(b"}\n")


def _metadata(trace: Trace) -> dict[str, Any]:
    kinds = trace.text("cores", "kind")
    count = int(trace.cores["core"].max()) + 1
    types = [""] * count
    threads = [-1] * count
    for core, kind, thread in zip(
        trace.cores["core"].tolist(), kinds, trace.cores["controller"].tolist(), strict=True
    ):
        types[core] = kind
        threads[core] = thread if thread != MISSING32 else -1
    metadata = {
        "clock_freq_hz": trace.meta.clock_hz or _NS_CLOCK_HZ,
        "num_cores": count,
        "core_types": types,
    }
    if trace.meta.level >= 3:
        metadata["core_to_thread"] = threads
    return metadata


def _cycles(trace: Trace, table: Table, name: str) -> Array:
    """The recorded cycles; without a device clock, ns from the trace's first moment plus 1."""
    if trace.meta.clock_hz is not None:
        return table[f"{name}_cycles"]
    ns = table[f"{name}_ns"]
    return np.where(ns == MISSING, MISSING, ns + 1 - min(0, _first_ns(trace)))


def _first_ns(trace: Trace) -> int:
    columns = [trace.tasks[f"{n}_ns"] for n in ("dispatch", "receive", "start")]
    columns.append(trace.phases["start_ns"])
    lows = [int(c[c != MISSING].min()) for c in columns if (c != MISSING).any()]
    return min(lows, default=0)


def _tokens(trace: Trace) -> Array:
    """The recorded tokens; where the source had none, the order of starts on each core."""
    tasks = trace.tasks
    token = tasks["token"].copy()
    absent = token == MISSING
    if absent.any():
        order = np.lexsort((tasks["start_ns"], tasks["core"]))
        core = tasks["core"][order]
        first = np.flatnonzero(np.r_[True, core[1:] != core[:-1]])
        rank = np.arange(len(order)) - np.repeat(first, np.diff(np.r_[first, len(order)])) + 1
        ordinal = np.empty(len(order), np.int64)
        ordinal[order] = rank
        token[absent] = ordinal[absent]
    return token


def _core_rows(trace: Trace) -> Iterator[str]:
    tasks = trace.tasks
    start, end = _cycles(trace, tasks, "start"), _cycles(trace, tasks, "end")
    receive = _cycles(trace, tasks, "receive")
    known = (start != MISSING) & (end != MISSING) & (tasks["task"] != MISSING)
    known &= tasks["core"] != MISSING32
    columns = [tasks["core"], tasks["task"], _tokens(trace), start, end]
    if (receive[known] != MISSING).any():
        columns.append(np.where(receive == MISSING, 0, start - receive))
    return _array_rows([column[known] for column in columns])


def _controller_rows(trace: Trace) -> Iterator[str]:
    tasks = trace.tasks
    dispatch, finish = _cycles(trace, tasks, "dispatch"), _cycles(trace, tasks, "finish")
    known = (dispatch != MISSING) & (finish != MISSING) & (tasks["core"] != MISSING32)
    columns = (tasks["core"], _tokens(trace), dispatch, finish)
    return _array_rows([column[known] for column in columns])


def _array_rows(columns: list[Array]) -> Iterator[str]:
    for first in range(0, len(columns[0]), _CHUNK):
        lists = [column[first : first + _CHUNK].tolist() for column in columns]
        yield ",\n".join(map(str, map(list, zip(*lists, strict=True))))


def _scheduler_lanes(trace: Trace) -> Iterator[Iterator[str]]:
    phases = trace.phases
    mine = phases["lane"] == trace.code("scheduler")
    threads = int(phases["controller"][mine].max(initial=-1)) + 1
    for thread in range(threads):
        rows = np.flatnonzero(mine & (phases["controller"] == thread))
        yield _phase_rows(trace, rows, _SCHEDULER)


def _orchestrator_lanes(trace: Trace) -> Iterator[Iterator[str]]:
    phases = trace.phases
    mine = phases["lane"] == trace.code("orchestrator")
    for lane in range(int(phases["controller"][mine].max(initial=-1)) + 1):
        rows = np.flatnonzero(mine & (phases["controller"] == lane))
        yield _phase_rows(trace, rows, _ORCHESTRATOR)


_SCHEDULER = {
    "loop": "loop_iter",
    "tasks": "tasks_processed",
    "pop_hit": "pop_hit",
    "pop_miss": "pop_miss",
    "task": "task_id",
}
_ORCHESTRATOR = {"submit": "submit_idx", "task": "task_id"}


def _phase_rows(trace: Trace, rows: Array, keys: dict[str, str]) -> Iterator[str]:
    phases = trace.phases
    start, end = _cycles(trace, phases, "start"), _cycles(trace, phases, "end")
    for first in range(0, len(rows), _CHUNK):
        some = rows[first : first + _CHUNK]
        part = phases.rows(some)
        records = []
        for k, (a, b) in enumerate(zip(start[some].tolist(), end[some].tolist(), strict=True)):
            record: dict[str, Any] = {}
            kind = trace.word(int(part["kind"][k]))
            if keys is _SCHEDULER or kind != "submit":
                record["kind"] = kind
            record |= {"start_cycles": max(a, 0), "end_cycles": max(b, 0)}
            for column, key in keys.items():
                value = int(part[column][k])
                if value not in (MISSING, MISSING32):
                    record[key] = value
            for side in ("start", "end") if keys is _SCHEDULER else ():
                depths = [int(part[f"queue{q}_{side}"][k]) for q in range(3)]
                if MISSING32 not in depths:
                    record[f"shared_at_{side}"] = depths
            records.append(msgspec.json.encode(record).decode())
        yield ",\n".join(records)


def _write_array(file: IO[bytes], key: str, chunks: Iterable[str]) -> None:
    file.write(b'"%s": ' % key.encode())
    _write_chunks(file, chunks)


def _write_lanes(file: IO[bytes], key: str, lanes: Iterable[Iterable[str]]) -> None:
    file.write(b'"%s": [' % key.encode())
    for number, lane in enumerate(lanes):
        file.write(b",\n" if number else b"\n")
        _write_chunks(file, lane)
    file.write(b"]")


def _write_chunks(file: IO[bytes], chunks: Iterable[str]) -> None:
    file.write(b"[")
    for number, chunk in enumerate(chunks):
        file.write(b",\n" if number else b"\n")
        file.write(chunk.encode())
    file.write(b"]")


def _name_map(trace: Trace) -> bytes:
    names = zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    named = {str(func): name for func, name in names if name != f"func_{func}"}
    encoded = {"level": 2, "orchestrator_name": None, "callable_id_to_name": named}
    return msgspec.json.encode(encoded) + b"\n"
