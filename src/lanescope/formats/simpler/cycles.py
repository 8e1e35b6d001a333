"""Reads records files in cycles (generations 6 to 8): two task streams, phases, host side."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_file import JsonFile
from lanescope.formats.json_rows import LONGEST_WORD, integer, read_array_rows
from lanescope.formats.simpler.generation import Generation
from lanescope.formats.simpler.host import read_host
from lanescope.formats.simpler.phases import orchestrator_phases, scheduler_phases
from lanescope.formats.simpler.records import (
    MAX_CORE,
    ControllerRows,
    CoreRows,
    Records,
    Thread,
    captured,
    require_cores,
    require_tokens,
)
from lanescope.trace import MISSING

_CORE_CELLS = (
    integer("core_id"),
    integer("task_token_raw"),
    integer("reg_task_id"),
    integer("start_cycles"),
    integer("end_cycles"),
    integer("receive_to_start_cycles", required=False),
)
_CONTROLLER_CELLS = (
    integer("core_id"),
    integer("reg_task_id"),
    integer("dispatch_cycles"),
    integer("finish_cycles"),
)


MAX_CLOCK_HZ = 10**12


class Metadata(msgspec.Struct):
    """The part of `metadata` that every level has."""

    clock_freq_hz: int
    num_cores: int | None = None
    core_types: list[Annotated[str, msgspec.Meta(max_length=LONGEST_WORD)]] | None = None
    core_to_thread: list[Thread] | None = None


def read_cycles(file: JsonFile, generation: Generation) -> Records:
    """Read a records file of generation 6, 7 or 8."""
    assert generation.level is not None
    metadata = _metadata(file)
    kinds = _core_kinds(file, metadata)
    cores = _core_rows(file, kinds)
    controllers = _controller_rows(file, kinds) if generation.level >= 2 else None
    has_setup = bool((cores.receive != MISSING).any())
    name = "G7" if generation.name == "G6" and has_setup else generation.name
    return Records(
        path=file.path,
        generation=name,
        level=generation.level,
        clock_hz=metadata.clock_freq_hz,
        cores=cores,
        controllers=controllers,
        core_kinds=kinds,
        core_controller=dict(enumerate(metadata.core_to_thread or [])),
        phases=[
            *scheduler_phases(file, in_cycles=True),
            *orchestrator_phases(file, in_cycles=True),
        ],
        host=read_host(file),
    )


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


def _core_rows(file: JsonFile, kinds: dict[int, str]) -> CoreRows:
    key = "aicore_tasks"
    if key not in file:
        raise InputError(file.path, f"has no {key!r}")
    rows = read_array_rows(file.values[key], _CORE_CELLS, what=key)
    require_cores(file.path, key, rows["core_id"], kinds)
    require_tokens(file.path, key, rows["reg_task_id"])
    start = captured(rows["start_cycles"])
    setup = rows["receive_to_start_cycles"]
    known = (setup != MISSING) & (start != MISSING)
    early = known & (setup > start)
    if early.any():
        row = int(np.argmax(early))
        problem = f"{key} row {row}: received {int(setup[row])} cycles before its start, "
        raise InputError(file.path, problem + f"but the counter is only at {int(start[row])}")
    return CoreRows(
        core=rows["core_id"],
        task=rows["task_token_raw"],
        token=rows["reg_task_id"],
        receive=captured(np.where(known, start - setup, MISSING)),
        start=start,
        end=captured(rows["end_cycles"]),
    )


def _controller_rows(file: JsonFile, kinds: dict[int, str]) -> ControllerRows:
    key = "aicpu_tasks"
    if key not in file:
        raise InputError(file.path, f"has no {key!r}, which every level above 1 writes")
    rows = read_array_rows(file.values[key], _CONTROLLER_CELLS, what=key)
    require_cores(file.path, key, rows["core_id"], kinds)
    require_tokens(file.path, key, rows["reg_task_id"])
    return ControllerRows(
        core=rows["core_id"],
        token=rows["reg_task_id"],
        dispatch=captured(rows["dispatch_cycles"]),
        finish=captured(rows["finish_cycles"]),
    )
