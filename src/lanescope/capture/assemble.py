"""From everything that arrived to the Trace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lanescope import __version__
from lanescope.capture.bursts import with_bursts
from lanescope.capture.counters import counter_columns, counter_names
from lanescope.capture.gather import Gathered
from lanescope.capture.ledger import build_ledger
from lanescope.capture.phases import phase_columns
from lanescope.capture.slices import (
    MARK_NAMES,
    SliceRecords,
    are_beside,
    in_their_tasks,
    read_slices,
)
from lanescope.capture.stalls import stall_columns
from lanescope.capture.tasks import join_tasks, side
from lanescope.capture.waiting_buffers import waiting_columns
from lanescope.device.head import ON_FULL, PROTOCOLS, Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant
from lanescope.errors import LanescopeError
from lanescope.trace import MISSING, MISSING32, NO_WORD, HostClock, Meta, Table, Trace, Words
from lanescope.trace.clock import cycles_to_ns
from lanescope.trace.flags import Feature, level_flags
from lanescope.trace.schema import TaskFlag
from lanescope.trace.task_rows import TIMES, TaskRows

Columns = dict[str, Array]


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """What a capture brought home."""

    head: Head
    gathered: Gathered
    lanes: Array | None
    """The device's final counters; None where they are lost."""
    plan: Trace | None = None
    """The task graph as it was handed to the platform: nodes, edges, functions, queue names."""
    name: str = "run"
    chip: str = ""


def assemble(capture: Capture) -> Trace:
    """Join, account, and lay everything on one time axis."""
    words = Words(capture.plan.words if capture.plan is not None else ())
    slices = read_slices(capture.gathered, capture.head, words)
    if slices is not None:
        capture = replace(capture, head=slices.head, gathered=slices.gathered)
    head, gathered = capture.head, capture.gathered
    own_tasks = slices is not None and not are_beside(head)
    cores = slices.tasks if slices and own_tasks else side(gathered, head, "core_task")
    names = counter_names(capture.plan, constant("LS_PMU_COUNTERS"))
    counters, rows = counter_columns(
        gathered, head, join_tasks(gathered, head, cores), names=names, words=words
    )
    phases = phase_columns(gathered, head, words)
    stalls = stall_columns(gathered, head, capture.lanes, words)
    base = _base(rows, phases)
    hz = int(head.header["clock_hz"])
    try:
        columns = {
            "tasks": _tasks(rows, capture, words, base),
            "phases": _concatenated([_timed(part, hz, base) for part in phases]),
            "stalls": _timed(stalls, hz, base),
            "counters": _counters(counters, waiting_columns(gathered, head, words), hz, base),
            "marks": _timed(_marks(slices, rows, head), hz, base) if slices is not None else {},
            "edges": _edges(capture.plan, slices.flows if slices is not None else {}),
            "cores": _cores(head, words),
            "functions": _functions(capture, rows, words),
        }
    except OverflowError as error:
        raise LanescopeError(f"a recorded time cannot be right: {error}") from error
    trace = Trace(
        meta=_meta(capture, rows, base, slices.facts if slices is not None else {}),
        words=words.freeze(),
        **{name: Table.build(name, own) for name, own in columns.items()},
    ).with_meta(ledger=build_ledger(gathered, head, rows, capture.lanes))
    return with_bursts(trace, gathered, head, _core_hz(capture.plan))


def _marks(slices: SliceRecords, rows: TaskRows, head: Head) -> Columns:
    """Marks of slices; beside records with another clock they are given some room."""
    if not are_beside(head):
        return slices.marks
    return in_their_tasks(slices.marks, rows, 2 * int(slices.facts["clock_error_ns"]))


def _base(rows: TaskRows, phases: list[Columns]) -> int:
    """The earliest moment of a row that lacks nothing, or of a phase."""
    good = rows.flags == 0
    times = [rows.times[name][good] for name in ("dispatch", "start")]
    times += [part["start_cycles"] for part in phases]
    known = [column[column != MISSING] for column in times]
    return min((int(column.min()) for column in known if len(column)), default=0)


def _timed(columns: Columns, hz: int, base: int) -> Columns:
    added = {
        f"{side}_ns": cycles_to_ns(columns[f"{side}_cycles"], hz, base)
        for side in ("start", "end")
        if f"{side}_cycles" in columns
    }
    return {**columns, **added}


def _counters(samples: Columns, waiting: Columns, hz: int, base: int) -> Columns:
    """The samples of tasks, then the series of waiting buffers."""
    if not waiting:
        return samples
    series = {**waiting, "time_ns": cycles_to_ns(waiting["time_cycles"], hz, base)}
    del series["time_cycles"]
    return _concatenated([samples, series], table="counters")


def _tasks(rows: TaskRows, capture: Capture, words: Words, base: int) -> Columns:
    hz = int(capture.head.header["clock_hz"])
    columns: Columns = {
        "task": rows.task,
        "kind": np.full(len(rows.task), words.code("run"), np.int32),
        "core": rows.key.core.astype(np.int32),
        "token": rows.key.token,
        "func": rows.func,
        "flags": rows.flags,
        **_planned(rows, capture.plan),
    }
    for name in TIMES:
        cycles = rows.times[name]
        columns[f"{name}_cycles"] = cycles
        columns[f"{name}_ns"] = cycles_to_ns(np.where(rows.usable, cycles, MISSING), hz, base)
    return _with_nodes(columns, capture.plan)


def _planned(rows: TaskRows, plan: Trace | None) -> Columns:
    """What the plan knows of each row's task: its function, where no record names it, how many
    blocks it was declared with, and its flags."""
    if plan is None or not len(plan.tasks):
        return {}
    ids = plan.tasks["task"]
    order = np.argsort(ids, kind="stable")
    at = order[np.searchsorted(ids, rows.task, sorter=order).clip(max=len(ids) - 1)]
    found = ids[at] == rows.task
    unknown = np.int32(MISSING32)
    func = np.where(found, plan.tasks["func"][at], unknown)
    return {
        "func": np.where(rows.func == MISSING32, func, rows.func),
        "blocks": np.where(found, plan.tasks["blocks"][at], unknown),
        "flags": rows.flags | np.where(found, plan.tasks["flags"][at], np.int32(0)),
    }


def _with_nodes(columns: Columns, plan: Trace | None) -> Columns:
    """Nodes of the plan that no record tells of follow, without a core."""
    if plan is None:
        return columns
    silent = ~np.isin(plan.tasks["task"], columns["task"])
    names = ("task", "func", "kind", "blocks", "flags")
    return _concatenated(
        [columns, {name: plan.tasks[name][silent] for name in names}], table="tasks"
    )


def _concatenated(parts: list[Columns], table: str = "phases") -> Columns:
    if not parts:
        return {}
    tables = [Table.build(table, part) for part in parts]
    return {name: np.concatenate([t[name] for t in tables]) for name in tables[0].columns}


def _edges(plan: Trace | None, flows: Columns) -> Columns:
    """The plan's edges, then those that were recorded."""
    planned = [dict(plan.edges.columns)] if plan is not None else []
    return _concatenated([*planned, flows], table="edges")


def _cores(head: Head, words: Words) -> Columns:
    kinds = [core.kind for core in head.cores]
    names = [f"{kind or 'core'} {number}" for number, kind in enumerate(kinds)]
    return {
        "core": np.arange(len(kinds), dtype=np.int32),
        "name": words.codes(names),
        "kind": np.array([words.code(k) if k else NO_WORD for k in kinds], np.int32),
        "cluster": _known([core.cluster for core in head.cores]),
        "controller": _known([core.controller for core in head.cores]),
    }


def _known(values: list[int]) -> Array:
    return np.array([value if value >= 0 else MISSING32 for value in values], np.int32)


def _functions(capture: Capture, rows: TaskRows, words: Words) -> Columns:
    names = {func: name for func, name in capture.head.functions.items() if func < MARK_NAMES}
    if capture.plan is not None:
        table = capture.plan.functions
        planned = zip(table["func"].tolist(), table["name"].tolist(), strict=True)
        names |= {func: capture.plan.word(code) for func, code in planned}
    used = np.unique(rows.func[rows.func != MISSING32]).tolist()
    ordered = sorted(names.keys() | set(used))
    return {
        "func": np.array(ordered, np.int64).astype(np.int32),
        "name": words.codes([names.get(func, f"func_{func}") for func in ordered]),
    }


def _meta(capture: Capture, rows: TaskRows, base: int, facts: dict[str, Any]) -> Meta:
    header = capture.head.header
    flags = Feature(int(header["flags"]))
    level = max(n for n in range(5) if level_flags(n) & flags == level_flags(n))
    return Meta(
        name=capture.name,
        tool=f"lanescope {__version__}",
        origin="measured",
        chip=capture.chip,
        clock_hz=int(header["clock_hz"]),
        base_cycles=base,
        level=level,
        flags=int(flags),
        queues=capture.plan.meta.queues if capture.plan is not None else (),
        host_clock=_host_clock(header, base),
        notes=_row_notes(rows),
        extra={
            "protocol": PROTOCOLS[header["protocol"]],
            "on_full": ON_FULL[header["on_full"]],
            "pre_dispatch": int(header["pre_dispatch"]),
            "region_bytes": int(header["region_bytes"]),
            "buffers": _buffers(capture.head),
            **_from_plan(capture.plan),
            **facts,
        },
    )


def _buffers(head: Head) -> dict[str, list[int]]:
    """By kind of record: how many buffers each producer has, and how many records one holds."""
    return {
        KINDS[int(lane["kind"])]: [int(lane["buffer_count"]), int(lane["buffer_records"])]
        for lane in head.lanes
    }


def _core_hz(plan: Trace | None) -> dict[str, int]:
    """The clock of each kind of core, where the plan tells."""
    return dict(plan.meta.extra.get("core_hz", {})) if plan is not None else {}


def _from_plan(plan: Trace | None) -> dict[str, Any]:
    """The group of events that the counters are of, and the work of the functions, where the plan
    tells."""
    extra = plan.meta.extra if plan is not None else {}
    return {name: extra[name] for name in ("pmu_events", "work") if extra.get(name)}


def _row_notes(rows: TaskRows) -> tuple[str, ...]:
    twice = int(np.count_nonzero(rows.flags & TaskFlag.DUPLICATE_TOKEN))
    if not twice:
        return ()
    return (f"{twice} task rows share their (core, token) with another one and were not joined.",)


def _host_clock(header: np.void, base: int) -> HostClock | None:
    if int(header["clock_unix_ns"]) == 0:
        return None
    ahead = base - int(header["clock_cycles"])
    ns = ahead * 1_000_000_000 // int(header["clock_hz"])
    return HostClock(
        host_ns=int(header["clock_unix_ns"]) + ns,
        drift_ppb=0,
        error_ns=int(header["clock_error_ns"]),
        status="calibrated",
    )
