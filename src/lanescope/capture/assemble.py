"""Makes the Trace of everything that arrived from a region.

Tasks are joined piece by piece, and every piece is handed on before the next one is read. So memory
is bounded by a piece, unless the region has slices or bursts, which are read whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from lanescope.capture.around_tasks import AroundTasks
from lanescope.capture.bursts import with_bursts
from lanescope.capture.carry import CarriedOver, carry_over
from lanescope.capture.counters import Samples, counter_names
from lanescope.capture.directory import UNNAMED, SessionNote
from lanescope.capture.edges import RecordedEdges
from lanescope.capture.facts import capture_meta, of_cores_alone, planned_recording, time_notes
from lanescope.capture.gather import Gathered
from lanescope.capture.host_log import HostEvents
from lanescope.capture.ledger import LaneCounts, build_ledger
from lanescope.capture.phases import PhaseFacts, phase_columns, phase_facts, phase_lanes
from lanescope.capture.pieces import NEVER, PIECE_RECORDS, TokenRecords
from lanescope.capture.slices import (
    MARK_NAMES,
    SliceRecords,
    are_beside,
    in_their_tasks,
    read_slices,
)
from lanescope.capture.stalls import stall_columns
from lanescope.capture.stamps import TimeAxis, stamp_window
from lanescope.capture.task_pieces import TaskPieces
from lanescope.capture.tasks import has_lifecycle
from lanescope.capture.totals import RowTotals
from lanescope.capture.waiting_buffers import waiting_columns
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.trace import MISSING, MISSING32, NO_WORD, Meta, Trace, Words
from lanescope.trace.filling import RowSink, TablesInMemory
from lanescope.trace.task_rows import TIMES, TaskRows

Columns = dict[str, Array]


class HandingOn:
    """Asks for the records that go on to the next part of the capture, and has them then."""

    def __init__(self, following: Array) -> None:
        """`following` are the sequence numbers after each lane's last buffer."""
        self.following = following
        self.carried: CarriedOver | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CaptureContents:
    """What was read from the directory of a capture: the input of `assemble`."""

    head: Head
    gathered: Gathered
    counts: LaneCounts
    """The device's final counters."""
    plan: Trace | None = None
    """The task graph as it was handed to the platform: nodes, edges, functions, queue names."""
    note: SessionNote = UNNAMED
    """The names of the run and of the chip, and what the program was asked for."""
    piece_records: int = PIECE_RECORDS
    """About how many records are joined at a time."""
    first_numbers: Mapping[int, int] = field(default_factory=dict)
    """Lane to the dispatch number before its first record, where that is not the region's."""
    base: int | None = None
    """The moment that is 0 ns, in cycles; None means the earliest one in the capture."""
    host: HostEvents | None = None
    """What the recorded program's host side noted; None where it noted nothing."""
    handing_on: HandingOn | None = None
    """In a part that is not the last one: what it hands on to the next."""

    @property
    def name(self) -> str:
        """The run's name."""
        return self.note.name

    def words(self) -> Words:
        """Return the pool of words that the trace of this capture begins with."""
        return Words(self.plan.words if self.plan is not None else ())


def needs_memory(head: Head) -> bool:
    """Whether the region has lanes that are read whole: slices, and bursts of trace engines."""
    return bool(np.isin(head.lanes["kind"], [KINDS.index("slice"), KINDS.index("burst")]).any())


def assemble(capture: CaptureContents) -> Trace:
    """Return the trace: records are joined and counted, and all times are on one axis."""
    tables = TablesInMemory(capture.words())
    trace = tables.trace(fill(capture, tables))
    core_hz = planned_recording(capture.plan).core_hz
    return with_bursts(trace, capture.gathered, capture.head, core_hz)


def fill(capture: CaptureContents, tables: RowSink) -> Meta:
    """Add the rows of all tables, and return what the trace says about itself.

    Bursts of trace engines are left out.
    """
    words = tables.words
    slices = None
    if needs_memory(capture.head):
        slices = read_slices(capture.gathered, capture.head, words)
    if slices is not None:
        capture = replace(capture, head=slices.head, gathered=slices.gathered)
    head, gathered = capture.head, capture.gathered
    window = stamp_window(head)
    lifecycle = has_lifecycle(head, capture.counts)
    records = TokenRecords(
        gathered,
        head,
        window,
        piece_records=capture.piece_records,
        first_numbers=capture.first_numbers,
    )
    if capture.handing_on is not None:
        following = capture.handing_on.following
        capture.handing_on.carried = carry_over(records, head, following, lifecycle=lifecycle)
    pieces = TaskPieces(
        records,
        head,
        window=window,
        lifecycle=lifecycle,
        cores=slices.tasks if slices is not None and not are_beside(head) else None,
        whole=slices is not None,
    )
    samples = Samples(records, head, counter_names(capture.plan, head), words=words)
    edges = RecordedEdges(gathered, head)
    phases = phase_facts(gathered, head, window, words)
    stalls = stall_columns(gathered, head, capture.counts, words)
    around = AroundTasks.of(slices, capture.host, head)
    earliest = min(pieces.earliest(), phases.earliest, around.earliest(window))
    axis = TimeAxis(window, int(head.header["clock_hz"]), _base(capture, earliest))
    totals = RowTotals(capture.plan)
    for piece in pieces.pieces:
        rows = pieces.rows(piece)
        totals.add(rows)
        edges.saw(rows.task)
        totals.add_whole(samples.match(piece, rows))
        tasks = _tasks(rows, capture.plan, words, axis)
        tables.add("tasks", {**tasks, **around.task_columns(rows)})
        if slices is not None:
            tables.add("marks", axis.timed(_marks(slices, rows, head)))
    tables.add("stalls", axis.timed(stalls))
    if capture.plan is not None:
        _add_planned(capture.plan, tables, totals.silent)
        edges.saw(capture.plan.tasks["task"])
    tables.add("tasks", edges.nodes(words))
    for columns in edges.columns(words):
        tables.add("edges", columns)
    _add_others(capture, tables, axis=axis, totals=totals, samples=samples)
    if slices is not None:
        tables.add("edges", slices.flows)
    around.add(tables, axis)
    clocks = slices.clocks if slices is not None else None
    meta = capture_meta(capture, totals, axis.base, clocks=clocks)
    meta = msgspec.structs.replace(meta, notes=(*meta.notes, *around.notes))
    return _accounted(meta, capture, totals, phases)


def _base(capture: CaptureContents, earliest: int) -> int:
    """Return the moment that is 0 ns, in cycles; `earliest` is the first that was recorded."""
    if capture.base is not None:
        return capture.base
    return 0 if earliest == NEVER else earliest


def _add_planned(plan: Trace, tables: RowSink, silent: Array) -> None:
    """Add the tasks of the plan that have no record, and its edges."""
    names = ("task", "func", "kind", "blocks", "flags")
    tables.add("tasks", {name: plan.tasks[name][silent] for name in names})
    tables.add("edges", dict(plan.edges.columns))


def _add_others(
    capture: CaptureContents,
    tables: RowSink,
    *,
    axis: TimeAxis,
    totals: RowTotals,
    samples: Samples,
) -> None:
    """Add the rows of phases, counters, cores and functions."""
    head, gathered, words = capture.head, capture.gathered, tables.words
    for lane in phase_lanes(head):
        for places in gathered.chunks(lane):
            tables.add(
                "phases", axis.timed(phase_columns(gathered.read(places), lane, head, words))
            )
    for columns in samples.columns():
        tables.add("counters", columns)
    waiting = waiting_columns(gathered, head, words, axis.window)
    if waiting:
        waiting["time_ns"] = axis.ns(waiting.pop("time_cycles"))
        tables.add("counters", waiting)
    tables.add("cores", _cores(head, words))
    tables.add("functions", _functions(capture, totals.functions, words))


def _accounted(meta: Meta, capture: CaptureContents, totals: RowTotals, phases: PhaseFacts) -> Meta:
    """Add the ledger, and the notes on what is wrong with times and levels."""
    head, counts, wrong = capture.head, capture.counts, phases.unusable
    carried = capture.handing_on.carried if capture.handing_on is not None else None
    ledger = build_ledger(
        capture.gathered,
        head,
        counts,
        whole=totals.whole,
        wrong=wrong,
        carried=np.zeros(len(head.lanes), np.int64) if carried is None else carried.counts,
    )
    notes = (*meta.notes, *time_notes(totals, wrong, head))
    meta = msgspec.structs.replace(meta, ledger=ledger, notes=notes)
    if meta.level > 1 and not has_lifecycle(head, counts) and not phases.count:
        meta = of_cores_alone(meta)
    return meta


def _marks(slices: SliceRecords, rows: TaskRows, head: Head) -> Columns:
    """Return the marks of the slices.

    Core records have another clock. Beside them a mark that sticks out of its task a little is cut.
    """
    if not are_beside(head):
        return slices.marks
    return in_their_tasks(slices.marks, rows, 2 * slices.clocks.clock_error_ns)


def _tasks(rows: TaskRows, plan: Trace | None, words: Words, axis: TimeAxis) -> Columns:
    """Return the rows of tasks that were recorded."""
    columns: Columns = {
        "task": rows.task,
        "kind": np.full(len(rows.task), words.code("run"), np.int32),
        "core": rows.key.core.astype(np.int32),
        "token": rows.key.token,
        "func": rows.func,
        "flags": rows.flags,
        **_planned(rows, plan),
    }
    for name in TIMES:
        cycles = rows.times[name]
        columns[f"{name}_cycles"] = cycles
        columns[f"{name}_ns"] = axis.ns(np.where(rows.usable, cycles, MISSING))
    return columns


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


def _functions(capture: CaptureContents, used: set[int], words: Words) -> Columns:
    """Return the functions that the region or the plan names, and those that a task ran."""
    names = {func: name for func, name in capture.head.functions.items() if func < MARK_NAMES}
    if capture.plan is not None:
        table = capture.plan.functions
        planned = zip(table["func"].tolist(), table["name"].tolist(), strict=True)
        names |= {func: capture.plan.word(code) for func, code in planned}
    ordered = sorted(names.keys() | used)
    return {
        "func": np.array(ordered, np.int64).astype(np.int32),
        "name": words.codes([names.get(func, f"func_{func}") for func in ordered]),
    }
