"""Reads records files in microseconds (generations 1 to 5): one list of joined tasks."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.json_cells import integer, micros, span, word
from lanescope.formats.json_file import Count, JsonFile
from lanescope.formats.json_rows import Rows, read_object_rows
from lanescope.formats.simpler.generation import Generation
from lanescope.formats.simpler.phases import orchestrator_phases, scheduler_phases
from lanescope.formats.simpler.records import (
    Array,
    ControllerRows,
    CoreRows,
    PhaseList,
    Records,
    Thread,
    require_cores,
)
from lanescope.trace import MISSING

_CELLS = (
    integer("task_id"),
    integer("func_id", low=-1),
    integer("core_id"),
    word("core_type"),
    micros("start_time_us"),
    micros("end_time_us"),
    micros("dispatch_time_us", required=False),
    micros("finish_time_us", required=False),
    span("fanout", required=False),
)


Micros = Annotated[float, msgspec.Meta(ge=0, le=9e15)]
"""Fits in 64 bits of nanoseconds."""


class Summary(msgspec.Struct):
    """`aicpu_orchestrator` of generation 2: one interval, in microseconds."""

    start_time_us: Micros
    end_time_us: Micros
    submit_count: Count
    phase_us: dict[str, float] = {}


def read_micros(file: JsonFile, generation: Generation) -> Records:
    """Read a records file of generation 1 to 5."""
    if "tasks" not in file:
        raise InputError(file.path, "has no 'tasks'")
    rows = read_object_rows(file.values["tasks"], _CELLS, what="tasks")
    require_cores(file.path, "tasks", rows["core_id"], None)
    phases = scheduler_phases(file, in_cycles=False)
    submits = orchestrator_phases(file, in_cycles=False)
    name, level = _settle(generation, rows, bool(phases), bool(submits))
    phases += submits
    extra: dict[str, Any] = {}
    if "aicpu_orchestrator" in file:
        summary = file.decode("aicpu_orchestrator", Summary)
        phases.append(_summary_phase(summary))
        extra["orchestrator_phase_us"] = summary.phase_us
    threads = file.decode("core_to_thread", list[Thread]) if "core_to_thread" in file else []
    kinds = dict.fromkeys(range(len(threads)), "")
    kinds.update(_kinds_seen(rows))
    lost = rows["end_time_us"] == 0
    return Records(
        path=file.path,
        generation=name,
        level=level,
        clock_hz=None,
        cores=CoreRows(
            core=rows["core_id"],
            task=rows["task_id"],
            token=np.full(rows.count, MISSING),
            receive=np.full(rows.count, MISSING),
            start=np.where(lost, MISSING, rows["start_time_us"]),
            end=np.where(lost, MISSING, rows["end_time_us"]),
            func=rows["func_id"],
        ),
        controllers=None,
        joined=_controllers(rows) if level >= 2 else None,
        core_kinds=kinds,
        core_controller=dict(enumerate(threads)),
        phases=phases,
        fanout=_fanout(file, rows),
        extra=extra,
    )


def _settle(
    generation: Generation, rows: Rows, has_phases: bool, has_submits: bool
) -> tuple[str, int]:
    """Name and level of the generation; where no key holds the level, what the rows carry tells."""
    if generation.level is not None:
        return generation.name, generation.level
    if has_submits:
        return generation.name, 4
    if has_phases:
        return generation.name, 3
    times = rows["dispatch_time_us"]
    dispatched = bool(((times != MISSING) & (times != 0)).any())
    if generation.name == "G1 or G3":
        return ("G1", 2) if dispatched else ("G3", 1)
    return generation.name, 2 if dispatched else 1


def _kinds_seen(rows: Rows) -> dict[int, str]:
    names = rows.values["core_type"]
    cores, first = np.unique(rows["core_id"], return_index=True)
    codes = rows["core_type"][first].tolist()
    return {core: names[code] for core, code in zip(cores.tolist(), codes, strict=True)}


def _controllers(rows: Rows) -> ControllerRows:
    """The controllers' times, level 2 and above.

    A dispatch at 0 is the file's zero; only a finish of 0 means that nothing was captured.
    """
    finish = rows["finish_time_us"]
    lost = (finish == 0) | (finish == MISSING)
    return ControllerRows(
        core=rows["core_id"],
        token=np.full(rows.count, MISSING),
        dispatch=np.where(lost, MISSING, rows["dispatch_time_us"]),
        finish=np.where(lost, MISSING, finish),
    )


def _fanout(file: JsonFile, rows: Rows) -> tuple[Array, Array] | None:
    spans = rows["fanout"]
    if not (spans[:, 0] != MISSING).any():
        return None
    data = file.values["tasks"].data
    decoder = msgspec.json.Decoder(list[int])
    pred: list[int] = []
    succ: list[int] = []
    for row, (start, length) in enumerate(spans.tolist()):
        if start == MISSING:
            continue
        try:
            after = decoder.decode(data[start : start + length].data)
        except msgspec.DecodeError as error:
            raise InputError(file.path, f"tasks row {row}, 'fanout': {error}") from error
        pred += [int(rows["task_id"][row])] * len(after)
        succ += after
    if any(not 0 <= task < 1 << 63 for task in succ):
        raise InputError(file.path, "'fanout' names a task id that is no 63-bit number")
    return np.array(pred, np.int64), np.array(succ, np.int64)


def _summary_phase(summary: Summary) -> PhaseList:
    return PhaseList(
        lane="orchestrator",
        controller=0,
        kinds=np.zeros(1, np.int64),
        kind_names=["orchestrate"],
        start=np.array([round(summary.start_time_us * 1000)]),
        end=np.array([round(summary.end_time_us * 1000)]),
        columns={"tasks": np.array([min(summary.submit_count, 2**31 - 1)], np.int32)},
    )
