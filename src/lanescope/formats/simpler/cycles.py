"""Reads records files in cycles (generation 6 and later): two task streams, phases, host side."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_cells import Cell, identity, integer
from lanescope.formats.json_file import JsonFile, Label
from lanescope.formats.json_rows import LONGEST_WORD, Rows, TextSpan, read_array_rows, row_width
from lanescope.formats.simpler.collection import Collection, Exported, collected
from lanescope.formats.simpler.generation import Generation
from lanescope.formats.simpler.host import read_host
from lanescope.formats.simpler.lifecycle import read_lifecycle
from lanescope.formats.simpler.phases import orchestrator_phases, scheduler_phases
from lanescope.formats.simpler.records import (
    MAX_CORE,
    ControllerFacts,
    ControllerRows,
    CoreRows,
    PhaseList,
    Records,
    Thread,
    captured,
    require_cores,
    require_tokens,
)
from lanescope.formats.simpler.scheduler_tasks import KEY as NEW_KEY
from lanescope.formats.simpler.scheduler_tasks import scheduler_tasks
from lanescope.formats.simpler.streams import Streams, read_streams
from lanescope.trace import MISSING
from lanescope.trace.table import constant
from lanescope.trace.task_ids import TaskIds

_CORE_CELLS = (
    integer("core_id"),
    identity("task_token_raw"),
    integer("reg_task_id"),
    integer("start_cycles"),
    integer("end_cycles"),
    integer("receive_to_start_cycles"),
    integer("run_epoch"),
)
_CONTROLLER_CELLS = (
    integer("core_id"),
    integer("reg_task_id"),
    integer("dispatch_cycles"),
    integer("finish_cycles"),
    integer("run_epoch"),
)
_RUNTIMES = {
    "tensormap_and_ringbuffer": TaskIds.RING,
    "host_build_graph": TaskIds.SPACE,
}
"""The runtimes, and the form of their task ids since September 2026."""
OLD_KEY = "aicpu_tasks"
MAX_CLOCK_HZ = 10**12


class Metadata(msgspec.Struct):
    """The part of `metadata` that every level has."""

    clock_freq_hz: int
    num_cores: int | None = None
    core_types: list[Annotated[str, msgspec.Meta(max_length=LONGEST_WORD)]] | None = None
    core_to_thread: list[Thread] | None = None
    runtime: Label | None = None
    collection: Collection | None = None
    lanescope: Exported | None = None


class _Section(NamedTuple):
    """The controllers' rows, the key they are under, and who wrote them."""

    rows: TextSpan
    key: str
    producer: str


def read_cycles(file: JsonFile, generation: Generation) -> Records:
    """Read a records file of generation 6 or later."""
    assert generation.level is not None
    metadata = _metadata(file)
    kinds = _core_kinds(file, metadata)
    exported = metadata.lanescope or Exported()
    with ThreadPoolExecutor(1) as beside:
        coming = beside.submit(_read_phases, file)
        cores = _core_rows(file, kinds, exported)
        section = _scheduler_section(file, generation.level)
        controllers = None
        if section is not None:
            controllers = _controller_rows(file, kinds, section, exported)
        streams, phases, threads = coming.result()
    has_setup = bool((cores.receive != MISSING).any())
    runtime = metadata.runtime or streams.runtime
    ledger, notes = collected(metadata.collection)
    return Records(
        path=file.path,
        generation="G7" if generation.name == "G6" and has_setup else generation.name,
        level=generation.level,
        clock_hz=metadata.clock_freq_hz,
        cores=cores,
        controllers=controllers,
        core_kinds=kinds,
        core_controller=dict(enumerate(metadata.core_to_thread or [])),
        phases=[_without_run(phases, exported) for phases in phases],
        host=read_host(file),
        task_ids=_task_ids(metadata, runtime),
        scheduler_key=OLD_KEY if section is None else section.key,
        producer="" if section is None else section.producer,
        controller_facts=(*streams.facts, *threads),
        ledger=(*streams.ledger, *ledger),
        epoch=metadata.collection.run_epoch if metadata.collection else None,
        verdict=metadata.collection.verdict if metadata.collection else "",
        notes=[*streams.notes, *notes, *_contradictions(section, streams, runtime)],
        extra=_extra(metadata, runtime),
    )


def _read_phases(
    file: JsonFile,
) -> tuple[Streams, list[PhaseList], tuple[ControllerFacts, ...]]:
    """What the controllers recorded of themselves."""
    with ThreadPoolExecutor(1) as beside:
        submits = beside.submit(orchestrator_phases, file, in_cycles=True)
        streams = read_streams(file)
        lifecycle, threads = read_lifecycle(file)
        phases = [*scheduler_phases(file, in_cycles=True), *streams.phases]
        return streams, [*phases, *submits.result(), *lifecycle], threads


def _without_run(phases: PhaseList, exported: Exported) -> PhaseList:
    return phases if exported.has_runs else replace(phases, epoch=None)


def _task_ids(metadata: Metadata, runtime: str) -> str:
    """A file that lanescope wrote says which form its ids have; others say which runtime it was."""
    if metadata.lanescope is not None:
        return metadata.lanescope.task_ids
    return _RUNTIMES.get(runtime, TaskIds.PLAIN)


def _contradictions(section: _Section | None, streams: Streams, runtime: str) -> list[str]:
    notes = []
    producer = "" if section is None else section.producer
    if producer and streams.producers - {producer}:
        notes.append(
            f"scheduler_tasks was written by {producer}, but a stream of scheduler_records by "
            f"{', '.join(sorted(streams.producers - {producer}))}."
        )
    if runtime and runtime not in _RUNTIMES:
        notes.append(f"The runtime {runtime!r} is not known: task ids are shown as plain numbers.")
    return notes


def _extra(metadata: Metadata, runtime: str) -> dict[str, Any]:
    extra: dict[str, Any] = {"runtime": runtime} if runtime else {}
    if metadata.collection is not None:
        extra["collection"] = msgspec.to_builtins(metadata.collection)
    return extra


def _metadata(file: JsonFile) -> Metadata:
    if "metadata" not in file:
        raise InputError(file.path, "has no 'metadata', so neither clock nor cores are known")
    metadata = file.decode("metadata", Metadata)
    clock_hz = metadata.clock_freq_hz
    if not 1 <= clock_hz <= MAX_CLOCK_HZ:
        problem = f"'clock_freq_hz' is {clock_hz}, expected 1 to {MAX_CLOCK_HZ}"
        raise InputError(file.path, problem)
    return metadata


def _core_kinds(file: JsonFile, metadata: Metadata) -> dict[int, str]:
    types = metadata.core_types
    count = metadata.num_cores if metadata.num_cores is not None else len(types or [])
    if not 0 <= count <= MAX_CORE:
        raise InputError(file.path, f"declares {count} cores, expected 0 to {MAX_CORE}")
    if types is not None and count != len(types):
        problem = f"'num_cores' is {count} but 'core_types' lists {len(types)}"
        raise InputError(file.path, problem)
    return dict(enumerate(types if types is not None else [""] * count))


def _core_rows(file: JsonFile, kinds: dict[int, str], exported: Exported) -> CoreRows:
    key = "aicore_tasks"
    if key not in file:
        raise InputError(file.path, f"has no {key!r}")
    rows = _rows(file.values[key], _CORE_CELLS, key, narrowest=5)
    require_cores(file.path, key, rows["core_id"], kinds)
    require_tokens(file.path, key, rows["reg_task_id"])
    start = captured(rows["start_cycles"])
    setup = rows.columns.get("receive_to_start_cycles") if exported.has_setup else None
    receive = constant(MISSING, rows.count, np.int64)
    if setup is not None:
        known = start != MISSING
        early = setup > start
        early &= known
        if early.any():
            row = int(np.argmax(early))
            problem = f"{key} row {row}: received {int(setup[row])} cycles before its start, "
            raise InputError(file.path, problem + f"but the counter is only at {int(start[row])}")
        received = start - setup
        receive = captured(received if known.all() else np.where(known, received, MISSING))
    return CoreRows(
        core=rows["core_id"],
        task=rows["task_token_raw"],
        token=rows["reg_task_id"],
        receive=receive,
        start=start,
        end=captured(rows["end_cycles"]),
        epoch=rows.columns.get("run_epoch") if exported.has_runs else None,
    )


def _scheduler_section(file: JsonFile, level: int) -> _Section | None:
    """The controllers' rows; None at level 1."""
    if OLD_KEY in file and NEW_KEY in file:
        problem = f"has both {NEW_KEY!r} and {OLD_KEY!r}, which no version of the runtime writes"
        raise InputError(file.path, f"{problem}; capture the run again")
    if level < 2:
        return None
    if OLD_KEY in file:
        return _Section(file.values[OLD_KEY], OLD_KEY, "")
    section = scheduler_tasks(file)
    if section is None:
        problem = f"has neither {NEW_KEY!r} nor {OLD_KEY!r}, one of which every level above 1 has"
        raise InputError(file.path, problem)
    return _Section(section.rows, NEW_KEY, section.producer)


def _controller_rows(
    file: JsonFile, kinds: dict[int, str], section: _Section, exported: Exported
) -> ControllerRows:
    span, key, _ = section
    rows = _rows(span, _CONTROLLER_CELLS, key, narrowest=4)
    require_cores(file.path, key, rows["core_id"], kinds)
    require_tokens(file.path, key, rows["reg_task_id"])
    return ControllerRows(
        core=rows["core_id"],
        token=rows["reg_task_id"],
        dispatch=captured(rows["dispatch_cycles"]),
        finish=captured(rows["finish_cycles"]),
        epoch=rows.columns.get("run_epoch") if exported.has_runs else None,
    )


def _rows(span: TextSpan, cells: tuple[Cell, ...], what: str, *, narrowest: int) -> Rows:
    """Rows of as many cells as the first one has; another number further down is an error."""
    width = row_width(span)
    return read_array_rows(span, cells[: max(width or 0, narrowest)], what=what)
