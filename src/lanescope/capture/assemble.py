"""Makes the Trace of everything that arrived from a region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from lanescope import __version__
from lanescope.capture.bursts import with_bursts
from lanescope.capture.counters import counter_columns, counter_names
from lanescope.capture.gather import Gathered
from lanescope.capture.ledger import LaneCounts, build_ledger
from lanescope.capture.phases import phase_columns, unusable_phases
from lanescope.capture.slices import (
    MARK_NAMES,
    SliceRecords,
    UnitClocks,
    are_beside,
    in_their_tasks,
    read_slices,
)
from lanescope.capture.stalls import stall_columns
from lanescope.capture.stamps import StampWindow, TimeAxis, stamp_window
from lanescope.capture.tasks import has_lifecycle, join_tasks, side
from lanescope.capture.waiting_buffers import waiting_columns
from lanescope.device.head import ON_FULL, PROTOCOLS, Array, Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant
from lanescope.trace import MISSING, MISSING32, NO_WORD, HostClock, Meta, Table, Trace, Words
from lanescope.trace.flags import Feature, level_flags
from lanescope.trace.meta import BufferSize, RecordingFacts
from lanescope.trace.schema import TaskFlag
from lanescope.trace.task_rows import TIMES, TaskRows

Columns = dict[str, Array]
_MOST_NAMED = 8
"""How many lanes a note names."""


@dataclass(frozen=True, slots=True, eq=False)
class CaptureContents:
    """What was read from the directory of a capture: the input of `assemble`."""

    head: Head
    gathered: Gathered
    counts: LaneCounts
    """The device's final counters."""
    plan: Trace | None = None
    """The task graph as it was handed to the platform: nodes, edges, functions, queue names."""
    name: str = "run"
    chip: str = ""


def assemble(capture: CaptureContents) -> Trace:
    """Return the trace: records are joined and counted, and all times are on one axis."""
    words = Words(capture.plan.words if capture.plan is not None else ())
    slices = read_slices(capture.gathered, capture.head, words)
    if slices is not None:
        capture = replace(capture, head=slices.head, gathered=slices.gathered)
    head, gathered = capture.head, capture.gathered
    own_tasks = slices is not None and not are_beside(head)
    cores = slices.tasks if slices and own_tasks else side(gathered, head, "core_task")
    names = counter_names(capture.plan, constant("LS_PMU_COUNTERS"))
    window = stamp_window(head)
    lifecycle = has_lifecycle(head, capture.counts)
    joined = join_tasks(gathered, head, cores, window=window, lifecycle=lifecycle)
    counters, rows = counter_columns(gathered, head, joined, names=names, words=words)
    phases = phase_columns(gathered, head, words)
    stalls = stall_columns(gathered, head, capture.counts, words)
    axis = TimeAxis(window, int(head.header["clock_hz"]), _base(rows, phases, window))
    columns = {
        "tasks": _tasks(rows, capture, words, axis),
        "phases": _concatenated([axis.timed(part) for part in phases]),
        "stalls": axis.timed(stalls),
        "counters": _counters(counters, waiting_columns(gathered, head, words, window), axis),
        "marks": axis.timed(_marks(slices, rows, head)) if slices is not None else {},
        "edges": _edges(capture.plan, slices.flows if slices is not None else {}),
        "cores": _cores(head, words),
        "functions": _functions(capture, rows, words),
    }
    wrong = unusable_phases(gathered, head, window)
    trace = Trace(
        meta=_meta(capture, rows, axis.base, clocks=slices.clocks if slices is not None else None),
        words=words.freeze(),
        **{name: Table.build(name, own) for name, own in columns.items()},
    ).with_meta(ledger=build_ledger(gathered, head, rows, capture.counts, wrong))
    trace = trace.with_meta(notes=(*trace.meta.notes, *_time_notes(rows, wrong, head)))
    if trace.meta.level > 1 and not lifecycle and not len(trace.phases):
        trace = _of_cores_alone(trace)
    return with_bursts(trace, gathered, head, _planned_recording(capture.plan).core_hz)


def _marks(slices: SliceRecords, rows: TaskRows, head: Head) -> Columns:
    """Return the marks of the slices.

    Core records have another clock. Beside them a mark that sticks out of its task a little is cut.
    """
    if not are_beside(head):
        return slices.marks
    return in_their_tasks(slices.marks, rows, 2 * slices.clocks.clock_error_ns)


def _base(rows: TaskRows, phases: list[Columns], window: StampWindow) -> int:
    """Return the earliest time of a complete task row or of a phase, in cycles.

    This moment is 0 ns in the trace.
    """
    good = rows.flags == 0
    times = [rows.times[name][good] for name in ("dispatch", "start")]
    for part in phases:
        start = part["start_cycles"]
        times.append(start[~window.unusable(start, part["end_cycles"])])
    known = [column[column != MISSING] for column in times]
    return min((int(column.min()) for column in known if len(column)), default=0)


def _counters(samples: Columns, waiting: Columns, axis: TimeAxis) -> Columns:
    """Return the counters that were sampled for tasks, then the series of waiting buffers."""
    if not waiting:
        return samples
    series = {**waiting, "time_ns": axis.ns(waiting["time_cycles"])}
    del series["time_cycles"]
    return _concatenated([samples, series], table="counters")


def _tasks(rows: TaskRows, capture: CaptureContents, words: Words, axis: TimeAxis) -> Columns:
    """Return the rows of tasks that were recorded, then those of the plan that were not."""
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
        columns[f"{name}_ns"] = axis.ns(np.where(rows.usable, cycles, MISSING))
    return _with_nodes(columns, capture.plan)


def _planned(rows: TaskRows, plan: Trace | None) -> Columns:
    """Return what the plan knows of the task of each row.

    This is the function, where no record names it, the number of blocks, and the flags.
    """
    if plan is None or not len(plan.tasks):
        return {}
    ids = plan.tasks["task"]
    order = np.argsort(ids, kind="stable")
    at = order[np.searchsorted(ids, rows.task, sorter=order).clip(max=len(ids) - 1)]
    is_planned = ids[at] == rows.task
    unknown = np.int32(MISSING32)
    func = np.where(is_planned, plan.tasks["func"][at], unknown)
    return {
        "func": np.where(rows.func == MISSING32, func, rows.func),
        "blocks": np.where(is_planned, plan.tasks["blocks"][at], unknown),
        "flags": rows.flags | np.where(is_planned, plan.tasks["flags"][at], np.int32(0)),
    }


def _with_nodes(columns: Columns, plan: Trace | None) -> Columns:
    """Append the tasks of the plan that have no record; they have no core."""
    if plan is None:
        return columns
    silent = ~np.isin(plan.tasks["task"], columns["task"])
    names = ("task", "func", "kind", "blocks", "flags")
    return _concatenated(
        [columns, {name: plan.tasks[name][silent] for name in names}], table="tasks"
    )


def _concatenated(parts: list[Columns], table: str = "phases") -> Columns:
    """Return the rows of all parts with every column of the table."""
    if not parts:
        return {}
    tables = [Table.build(table, part) for part in parts]
    return {name: np.concatenate([t[name] for t in tables]) for name in tables[0].columns}


def _edges(plan: Trace | None, flows: Columns) -> Columns:
    """Return the edges of the plan, then the recorded flows."""
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
    """Return the values as int32; MISSING32 replaces negative ones."""
    return np.array([value if value >= 0 else MISSING32 for value in values], np.int32)


def _functions(capture: CaptureContents, rows: TaskRows, words: Words) -> Columns:
    """Return the functions that the region or the plan names, and those that a task ran."""
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


def _meta(
    capture: CaptureContents, rows: TaskRows, base: int, *, clocks: UnitClocks | None
) -> Meta:
    header = capture.head.header
    flags = Feature(int(header["flags"]))
    level = _level(flags)
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
        recording=_recording(capture, clocks),
        work=capture.plan.meta.work if capture.plan is not None else None,
    )


def _level(flags: Feature) -> int:
    return max(n for n in range(5) if level_flags(n) & flags == level_flags(n))


def _of_cores_alone(trace: Trace) -> Trace:
    """Return the trace of a program without controllers, whatever level was asked for."""
    note = f"Level {trace.meta.level} was asked for, but the program recorded no controllers."
    level = _level(Feature(trace.meta.flags) & level_flags(1))
    return trace.with_meta(level=level, notes=(*trace.meta.notes, note))


def _recording(capture: CaptureContents, clocks: UnitClocks | None) -> RecordingFacts:
    """Return what the plan, the header of the region and the cores' clocks say of the recording."""
    header = capture.head.header
    facts = msgspec.structs.replace(
        _planned_recording(capture.plan),
        protocol=PROTOCOLS[header["protocol"]],
        on_full=ON_FULL[header["on_full"]],
        pre_dispatch=int(header["pre_dispatch"]),
        region_bytes=int(header["region_bytes"]),
        buffers=_buffers(capture.head),
    )
    return msgspec.structs.replace(facts, **clocks._asdict()) if clocks is not None else facts


def _planned_recording(plan: Trace | None) -> RecordingFacts:
    """Return what was known of the recording before the run began."""
    planned = plan.meta.recording if plan is not None else None
    return planned or RecordingFacts()


def _buffers(head: Head) -> dict[str, BufferSize]:
    """Return by kind of record how many buffers a lane has, and how many records a buffer holds."""
    return {
        KINDS[int(lane["kind"])]: BufferSize(
            count=int(lane["buffer_count"]), records=int(lane["buffer_records"])
        )
        for lane in head.lanes
    }


def _row_notes(rows: TaskRows) -> tuple[str, ...]:
    twice = int(np.count_nonzero(rows.flags & TaskFlag.DUPLICATE_TOKEN))
    if not twice:
        return ()
    return (f"{twice} task rows share their (core, token) with another one and were not joined.",)


def _time_notes(rows: TaskRows, wrong: Mapping[int, int], head: Head) -> tuple[str, ...]:
    """Say which tasks and phases have times that cannot be right, and where they are."""
    bad = ~rows.usable
    cores = ", ".join(f"core {core}" for core in np.unique(rows.key.core[bad])[:_MOST_NAMED])
    lanes = ", ".join(head.lane_name(lane) for lane in list(wrong)[:_MOST_NAMED])
    ending = (
        "have times that cannot be right (zero, far outside the run, or backwards), which are "
        "left out:"
    )
    notes = []
    if bad.any():
        notes.append(f"{int(bad.sum())} task rows {ending} {cores}.")
    if wrong:
        notes.append(f"{sum(wrong.values())} phases {ending} {lanes}.")
    return tuple(notes)


def _host_clock(header: np.void, base: int) -> HostClock | None:
    """Return the host's clock at `base` cycles; None where the region does not tell it."""
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
