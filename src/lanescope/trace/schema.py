"""The tables of a trace and the meaning of every column: the one home of both.

`docs/trace-format.md` is generated from SCHEMA. Changing a column's meaning or type moves
SCHEMA_VERSION; adding a column that readers may ignore does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

SCHEMA_VERSION = 1

MISSING = int(np.iinfo(np.int64).min)
"""Stands for "not known" in an int64 column. Stored as null."""
MISSING32 = int(np.iinfo(np.int32).min)
"""Stands for "not known" in an int32 column. Stored as null."""
NO_WORD = -1
"""Stands for "no text" in a text column. Stored as null."""


class TaskFlag(IntFlag):
    """Bits of `tasks.flags`."""

    NO_CORE_RECORD = 1
    """The core's record is absent or carries no time: start and end are null."""
    NO_CONTROLLER_RECORD = 2
    """The level records dispatch and finish, but this row's controller record is absent."""
    DUPLICATE_TOKEN = 4
    """Another row carries the same (core, token); neither was joined."""
    BACKWARDS = 8
    """The record ends before it starts; its times are null, the cycles are as found."""
    MIX = 16
    """The task runs on more than one kind of core."""
    FUNCTION_AMBIGUOUS = 32
    """The source does not say which of the task's functions ran here; the first one is shown."""
    EARLY_DISPATCH = 64
    """The controller may dispatch the task before its predecessors have finished."""
    MANUAL_SCOPE = 128
    """Submitted in a scope whose dependencies the program states by hand."""
    TOGETHER = 256
    """All blocks of the task start at the same time, once enough cores are idle."""
    AWAITS_ENGINE = 512
    """An engine beside the cores works on after the kernel; the task is done when the engine is."""
    WILD_TIME = 1024
    """A time is zero or far outside the run; the row's times are null, the cycles are as found."""


class EdgeFlag(IntFlag):
    """Bits of `edges.flags`."""

    WAIT = 1
    """The successor waits for the predecessor."""
    RETAIN = 2
    """The successor keeps the predecessor's output alive."""
    CYCLIC = 4
    """The edge is part of a cycle or between two cycles; such edges are kept only on request."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; its type is i64, i32, f64 or word.

    A word is text: a code into `Trace.words` in memory, a string in the files.
    """

    name: str
    type: str
    doc: str

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of the column's values."""
        return _DTYPES[self.type]

    @property
    def missing(self) -> float | int:
        """The value that stands for "not known"."""
        return _MISSING[self.type]

    def is_missing(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Mask of the values of this column that are not known."""
        mask: npt.NDArray[np.bool_] = (
            np.isnan(values) if self.type == "f64" else values == self.missing
        )
        return mask


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table: its name, its meaning, and its columns in the order in which they are stored."""

    name: str
    doc: str
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column:
        """The column of this name; a KeyError names the table where it has none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name!r} has no column {name!r}")


_DTYPES: dict[str, np.dtype[Any]] = {
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "f64": np.dtype(np.float64),
    "word": np.dtype(np.int32),
}
_MISSING: dict[str, float | int] = {
    "i64": MISSING,
    "i32": MISSING32,
    "f64": float("nan"),
    "word": NO_WORD,
}


def _interval(what: str) -> tuple[Column, ...]:
    return (
        Column("start_ns", "i64", f"start of {what}, ns from the trace's base"),
        Column("end_ns", "i64", f"end of {what}, ns from the trace's base"),
        Column("start_cycles", "i64", "the same start as the device counted it"),
        Column("end_cycles", "i64", "the same end as the device counted it"),
    )


TASKS = TableSchema(
    "tasks",
    "One row per kernel invocation on one core, sorted by core, then token. Nodes of the task "
    "graph that never ran on a core follow, with `core` null: they keep the graph whole.",
    (
        Column("task", "i64", "id in the task graph; rows of one SPMD or MIX task share it"),
        Column(
            "kind",
            "word",
            "`run` (on a core), `alloc` (memory only), `dummy` (a barrier), `skipped` "
            "(predicate was false), `node` (declared, no record of it), `outside` (an edge "
            "names it, nothing else does)",
        ),
        Column("core", "i32", "core it ran on"),
        Column(
            "token", "i64", "per-core dispatch number; joins the core's and controller's record"
        ),
        Column("func", "i32", "function id, see `functions`"),
        Column("block", "i32", "index of the block within an SPMD task"),
        Column(
            "blocks", "i32", "number of blocks the task was declared with; 1 where it is not SPMD"
        ),
        Column("flags", "i32", "bits, see below"),
        Column("dispatch_ns", "i64", "controller wrote the task to the core"),
        Column("receive_ns", "i64", "core saw the task"),
        Column("start_ns", "i64", "kernel started"),
        Column("end_ns", "i64", "kernel ended"),
        Column("finish_ns", "i64", "controller saw the end"),
        Column("dispatch_cycles", "i64", "dispatch as the device counted it"),
        Column("receive_cycles", "i64", "receive as the device counted it"),
        Column("start_cycles", "i64", "start as the device counted it"),
        Column("end_cycles", "i64", "end as the device counted it"),
        Column("finish_cycles", "i64", "finish as the device counted it"),
    ),
)

PHASES = TableSchema(
    "phases",
    "One row per interval of a controller's loop, in recorded order, which is not time order: "
    "an inner phase is written before the one around it.",
    (
        Column("lane", "word", "`scheduler`, `orchestrator` or `host`"),
        Column("controller", "i32", "controller thread within its lane kind"),
        Column("kind", "word", "what the controller did: complete, dispatch, resolve, submit, …"),
        *_interval("the phase"),
        Column("loop", "i64", "iteration of the controller's loop"),
        Column("tasks", "i32", "tasks handled in this phase"),
        Column("pop_hit", "i32", "ready-queue pops that found a task (dispatch)"),
        Column("pop_miss", "i32", "ready-queue pops that found none (dispatch)"),
        Column("task", "i64", "the task it was about, where it was about one"),
        Column("submit", "i32", "submission number (orchestrator)"),
        Column("bytes", "i64", "bytes moved or reserved (host)"),
        Column("queue0_start", "i32", "depth of ready queue 0 (`meta.queues`) at the start"),
        Column("queue1_start", "i32", "depth of ready queue 1 at the start"),
        Column("queue2_start", "i32", "depth of ready queue 2 at the start"),
        Column("queue0_end", "i32", "depth of ready queue 0 at the end"),
        Column("queue1_end", "i32", "depth of ready queue 1 at the end"),
        Column("queue2_end", "i32", "depth of ready queue 2 at the end"),
    ),
)

MARKS = TableSchema(
    "marks",
    "One row per interval or instant on a pipe inside a core.",
    (
        Column("core", "i32", "core it happened on"),
        Column("pipe", "word", "unit inside the core, or nesting depth for imported slices"),
        Column(
            "name",
            "word",
            "what it was; `busy` means that the pipe worked, and then start or end is null where "
            "the recording has only the other",
        ),
        Column("mark", "i32", "the mark's number as the kernel wrote it"),
        Column("task", "i64", "task it belongs to; null when it belongs to none"),
        Column("token", "i64", "token of that task's row on this core"),
        *_interval("the mark"),
    ),
)

TOTAL_CYCLES = "pmu_total_cycles"
"""The counter that is in every group of hardware events: core clock cycles of the task."""

COUNTERS = TableSchema(
    "counters",
    "One row per value: a hardware counter sampled for a task, or a value sampled over time.",
    (
        Column("name", "word", "which counter"),
        Column("value", "f64", "its value; whole numbers are exact to 2^53"),
        Column("task", "i64", "task it was sampled for"),
        Column("core", "i32", "core it was sampled on"),
        Column("token", "i64", "token of that task's row on this core"),
        Column("time_ns", "i64", "when, ns from the trace's base, if known"),
        Column("order", "i64", "position in the source, for a value without a time"),
        Column("site", "word", "place in the user's program it belongs to"),
    ),
)

EDGES = TableSchema(
    "edges",
    "One row per recorded dependency: `pred` must finish before `succ`. A pair may repeat, once "
    "per argument that causes it.",
    (
        Column("pred", "i64", "task id that comes first"),
        Column("succ", "i64", "task id that waits"),
        Column("kind", "word", "why: `explicit`, `creator`, `tensormap`, `fanout`, `flow`"),
        Column("arg", "i32", "argument of `succ` that causes it; -1 for explicit edges"),
        Column("flags", "i32", "bits, see below"),
    ),
)

CORES = TableSchema(
    "cores",
    "One row per core of the chip, in lane order, also those that ran nothing.",
    (
        Column("core", "i32", "core number"),
        Column("name", "word", "what to call it"),
        Column("kind", "word", "kind of core: `aic`, `aiv`, `sm`, `lane`, …"),
        Column("cluster", "i32", "group of cores it belongs to"),
        Column("controller", "i32", "scheduler thread that serves it"),
    ),
)

FUNCTIONS = TableSchema(
    "functions",
    "One row per function that tasks refer to or that was declared.",
    (
        Column("func", "i32", "function id"),
        Column("name", "word", "its name; `func_N` where the source gives none"),
    ),
)

STALLS = TableSchema(
    "stalls",
    "One row per time that recording itself made a producer wait.",
    (
        Column("lane", "word", "`core`, `scheduler` or `orchestrator`"),
        Column("core", "i32", "core that waited"),
        Column("controller", "i32", "controller that waited"),
        Column("cause", "word", "what it waited for"),
        *_interval("the wait"),
        Column("records", "i64", "records dropped when the wait was given up"),
    ),
)

SCHEMA: dict[str, TableSchema] = {
    table.name: table for table in (TASKS, PHASES, MARKS, COUNTERS, EDGES, CORES, FUNCTIONS, STALLS)
}
