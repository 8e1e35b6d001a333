"""Writes a records file: one section after the other, in the shape of a generation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

import msgspec
import numpy as np

from lanescope.formats.simpler.host_write import host_sections
from lanescope.formats.simpler.lifecycle import KEY as LIFECYCLE
from lanescope.formats.simpler.lifecycle import PHASES
from lanescope.formats.simpler.phases_write import cycles, orchestrator_lanes, scheduler_lanes
from lanescope.formats.simpler.shapes import RecordsShape, WrittenRun, runtime_of
from lanescope.formats.simpler.streams_write import streams
from lanescope.trace import MISSING, MISSING32, Trace
from lanescope.trace.flags import export_version
from lanescope.trace.table import Array
from lanescope.trace.task_ids import unsigned

_NS_CLOCK_HZ = 1_000_000_000
_CHUNK = 1 << 16


def write_records(runs: list[WrittenRun], shape: RecordsShape, file: IO[bytes]) -> None:
    """Write the file; what all runs share is taken from the first one."""
    first = runs[0].trace
    level = first.meta.level
    hosted = host_sections(first)
    phases = any(len(run.trace.phases) for run in runs)
    head: dict[str, Any] = {
        shape.level_key: level,
        "version": export_version(level, has_phases=phases),
        "metadata": _metadata(first, shape) | hosted.pop("metadata", {}),
    }
    file.write(b"{")
    for key, value in head.items():
        file.write(b'"%s": %s,\n' % (key.encode(), msgspec.json.encode(value)))
    _array(file, "aicore_tasks", _core_rows(runs, shape))
    if shape.streams:
        _scheduler_sections(runs, shape, file)
    else:
        file.write(b",\n")
        _array(file, "aicpu_tasks", _controller_rows(runs, shape) if level >= 2 else ())
        if level >= 3:
            _lanes(file, "aicpu_scheduler_phases", scheduler_lanes(first))
    if level >= 4 and "host_orchestrator_phases" not in hosted:
        lanes = [list(lane) for lane in orchestrator_lanes(runs, epochs=shape.epochs)]
        if lanes or not shape.streams:
            _lanes(file, "aicpu_orchestrator_phases", lanes)
    for key, value in hosted.items():
        file.write(b',\n"%s": %s' % (key.encode(), msgspec.json.encode(value)))
    if shape.streams and (threads := _lifecycle(first)):
        file.write(b',\n"%s": %s' % (LIFECYCLE.encode(), msgspec.json.encode(threads)))
    file.write(b"}\n")


def _scheduler_sections(runs: list[WrittenRun], shape: RecordsShape, file: IO[bytes]) -> None:
    """`scheduler_tasks` from level 2 on, `scheduler_records` from level 3 on."""
    first = runs[0].trace
    version = {"schema_version": 1} if shape.schema_version else {}
    if first.meta.level >= 2:
        head = msgspec.json.encode(version | {"producer": _producer(first)}).decode()
        file.write(f',\n"scheduler_tasks": {head[:-1]},'.encode())
        _array(file, "records", _controller_rows(runs, shape))
        file.write(b"}")
    if first.meta.level >= 3:
        head = msgspec.json.encode(version).decode()[:-1]
        opening = f"{head}, " if version else head
        file.write(f',\n"scheduler_records": {opening}"streams": ['.encode())
        for number, stream in enumerate(streams(runs, shape, _producer(first))):
            file.write((b",\n" if number else b"\n") + msgspec.json.encode(stream))
        file.write(b"]}")


def _producer(trace: Trace) -> str:
    """Who schedules: cores do where a scheduler is one of them."""
    mine = trace.controllers["lane"] == trace.code("scheduler")
    return "aicore" if (trace.controllers["worker"][mine] != MISSING32).any() else "aicpu"


def _metadata(trace: Trace, shape: RecordsShape) -> dict[str, Any]:
    kinds = trace.text("cores", "kind")
    count = int(trace.cores["core"].max()) + 1
    types = [""] * count
    threads = [-1] * count
    for core, kind, thread in zip(
        trace.cores["core"].tolist(), kinds, trace.cores["controller"].tolist(), strict=True
    ):
        types[core] = kind
        threads[core] = thread if thread != MISSING32 else -1
    metadata: dict[str, Any] = {}
    if shape.epochs:
        metadata["runtime"] = runtime_of(trace)
        collection = trace.meta.extra.get("collection")
        if isinstance(collection, dict):
            metadata["collection"] = collection
    metadata |= {
        "clock_freq_hz": trace.meta.clock_hz or _NS_CLOCK_HZ,
        "num_cores": count,
        "core_types": types,
    }
    if trace.meta.level >= 3 and (not shape.streams or max(threads) >= 0):
        metadata["core_to_thread"] = threads
    if shape.epochs:
        metadata["lanescope"] = {
            "task_ids": trace.meta.task_ids,
            "has_runs": bool(len(trace.runs)),
            "has_setup": bool((trace.tasks["receive_ns"] != MISSING).any()),
        }
    return metadata


def _core_rows(runs: list[WrittenRun], shape: RecordsShape) -> Iterator[str]:
    for run in runs:
        trace, tasks = run.trace, run.trace.tasks
        start, end = cycles(trace, tasks, "start"), cycles(trace, tasks, "end")
        receive = cycles(trace, tasks, "receive")
        known = (start != MISSING) & (end != MISSING) & (tasks["task"] != MISSING)
        known &= tasks["core"] != MISSING32
        columns = [tasks["core"], tasks["task"], _tokens(trace), start, end]
        if shape.epochs or (shape.setup and (receive[known] != MISSING).any()):
            columns.append(np.where(receive == MISSING, 0, start - receive))
        if shape.epochs:
            columns.append(np.broadcast_to(run.epoch, len(tasks)))
        yield from _array_rows([column[known] for column in columns], ids=1)


def _controller_rows(runs: list[WrittenRun], shape: RecordsShape) -> Iterator[str]:
    for run in runs:
        trace, tasks = run.trace, run.trace.tasks
        dispatch, finish = cycles(trace, tasks, "dispatch"), cycles(trace, tasks, "finish")
        known = (dispatch != MISSING) & (finish != MISSING) & (tasks["core"] != MISSING32)
        columns = [tasks["core"], _tokens(trace), dispatch, finish]
        if shape.epochs:
            columns.append(np.broadcast_to(run.epoch, len(tasks)))
        yield from _array_rows([column[known] for column in columns])


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


def _array_rows(columns: list[Array], ids: int | None = None) -> Iterator[str]:
    """Rows as text; the column `ids` holds task ids, which have no sign in the file."""
    for first in range(0, len(columns[0]), _CHUNK):
        lists = [column[first : first + _CHUNK].tolist() for column in columns]
        if ids is not None and min(lists[ids], default=0) < 0:
            lists[ids] = [unsigned(task) for task in lists[ids]]
        yield ",\n".join(map(str, map(list, zip(*lists, strict=True))))


def _lifecycle(trace: Trace) -> list[dict[str, int]]:
    """One object of stamps per thread of the AICPU; 0 where a stamp is not there."""
    phases = trace.phases
    rows = np.flatnonzero(phases["lane"] == trace.code("lifecycle")).tolist()
    threads: dict[int, dict[str, int]] = {}
    for row in rows:
        number = int(phases["controller"][row])
        blank = {f"{stamp}_cycles": 0 for ends in PHASES.values() for stamp in ends}
        stamps = threads.setdefault(number, {"aicpu_thread_id": number, **blank})
        ends = PHASES.get(trace.word(int(phases["kind"][row])), ())
        for stamp, side in zip(ends, ("start", "end"), strict=False):
            stamps[f"{stamp}_cycles"] = max(int(phases[f"{side}_cycles"][row]), 0)
    return list(threads.values())


def _array(file: IO[bytes], key: str, chunks: Iterable[str]) -> None:
    file.write(b'"%s": ' % key.encode())
    _chunks(file, chunks)


def _lanes(file: IO[bytes], key: str, lanes: Iterable[Iterable[str]]) -> None:
    file.write(b',\n"%s": [' % key.encode())
    for number, lane in enumerate(lanes):
        file.write(b",\n" if number else b"\n")
        _chunks(file, lane)
    file.write(b"]")


def _chunks(file: IO[bytes], chunks: Iterable[str]) -> None:
    file.write(b"[")
    for number, chunk in enumerate(chunk for chunk in chunks if chunk):
        file.write(b",\n" if number else b"\n")
        file.write(chunk.encode())
    file.write(b"]")
