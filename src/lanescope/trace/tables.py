"""The tables of a trace and the meaning of every column: the one home of both.

`docs/trace-format.md` is generated from SCHEMA.
"""

from __future__ import annotations

from lanescope.trace.launch_tables import BLOCKS, LAUNCHES
from lanescope.trace.schema import Column, TableSchema
from lanescope.trace.stream_tables import COLLECTIVES, STEPS, WAITS


def _interval(what: str) -> tuple[Column, ...]:
    return (
        Column("start_ns", "i64", f"start of {what}, ns from the trace's base"),
        Column("end_ns", "i64", f"end of {what}, ns from the trace's base"),
        Column("start_cycles", "i64", "the same start as the device counted it"),
        Column("end_cycles", "i64", "the same end as the device counted it"),
    )


def _run() -> Column:
    doc = "which run it belongs to, see `runs`; null where the trace has one run only"
    return Column("run", "i32", doc, since="0.2.0")


def _launch(what: str) -> tuple[Column, ...]:
    return (
        Column(
            "launch",
            "i64",
            f"number of the call that launched {what}: tasks and the call's row in `phases` share "
            "it, and so do all tasks of one launched graph",
            since="0.2.0",
        ),
        Column(
            "op",
            "i64",
            f"number of the operator that {what} belongs to, where the source numbers operators",
            since="0.2.0",
        ),
        Column(
            "depth",
            "i32",
            f"how many others of its lane {what} lies in; null where the source does not nest",
            since="0.2.0",
        ),
    )


def _rank(what: str) -> Column:
    doc = f"rank of {what}; null where the trace has one rank only"
    return Column("rank", "i32", doc, since="0.2.0")


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
        _run(),
        Column(
            "id",
            "i64",
            "id of the task as its source writes it, where `task` is another number: in a trace "
            "of several runs, each of which numbers its tasks from 0",
            since="0.2.0",
        ),
        *_launch("the task"),
        Column(
            "pc",
            "i32",
            "number of the instruction in its program, from 0, where the task is one; it repeats "
            "in loops",
            since="0.2.0",
        ),
        Column("line", "i32", "line of the program's text, from 1, if known", since="0.2.0"),
    ),
)

PHASES = TableSchema(
    "phases",
    "One row per interval of a controller's loop, in recorded order, which is not time order: "
    "an inner phase is written before the one around it.",
    (
        Column(
            "lane",
            "word",
            "`scheduler`, `orchestrator`, `host`, `lifecycle` (how a controller starts and ends) "
            "or `device` (what the host knows of the device's time)",
        ),
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
        _run(),
        Column(
            "category",
            "word",
            "what sort of row of a host thread it is: `operator`, `call` (into the driver), "
            "`annotation`, `function`, `wait` or `overhead`",
            since="0.2.0",
        ),
        *_launch("the phase"),
        Column(
            "flow",
            "i64",
            "number that two phases share which an arrow joins, such as a forward operator and "
            "its backward one; the earlier one is the source",
            since="0.2.0",
        ),
    ),
)

MARKS = TableSchema(
    "marks",
    "One row per interval or instant on a pipe inside a core.",
    (
        Column("core", "i32", "core it happened on"),
        Column(
            "pipe",
            "word",
            "unit inside the core; `annotation` for a range that the user named, `instant` for a "
            "moment of a track",
        ),
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
        _run(),
    ),
)

EDGES = TableSchema(
    "edges",
    "One row per recorded dependency: `pred` must finish before `succ`. A pair may repeat, once "
    "per argument that causes it.",
    (
        Column("pred", "i64", "task id that comes first"),
        Column("succ", "i64", "task id that waits"),
        Column(
            "kind",
            "word",
            "why: `explicit`, `creator`, `tensormap`, `fanout`, `flow`, or `event` (a stream "
            "waited for an event of another one)",
        ),
        Column("arg", "i32", "argument of `succ` that causes it; -1 for explicit edges"),
        Column("flags", "i32", "bits, see below"),
    ),
)

CORES = TableSchema(
    "cores",
    "One row per core of the chip, in lane order, also those that ran nothing. Where the source "
    "knows streams or queues and not cores, one row per stream or queue. Host threads are never "
    "here; see `controllers`.",
    (
        Column("core", "i32", "core number"),
        Column("name", "word", "what to call it"),
        Column("kind", "word", "kind of core: `aic`, `aiv`, `sm`, `stream`, …"),
        Column("cluster", "i32", "group of cores it belongs to"),
        Column("controller", "i32", "scheduler thread that serves it"),
        _rank("the chip that it belongs to"),
        Column(
            "lane",
            "word",
            "kind of lane: `core`, `stream`, `queue`, `engine`, `communicator`, `unit` (takes the "
            "instructions of a program in order), `program` (only the whole run is known), or "
            "`track` where the source does not say what it is; null stands for `core`",
            since="0.2.0",
        ),
        Column("device", "i32", "number of the device it belongs to", since="0.2.0"),
        Column("queue", "i64", "the source's own number of the stream or queue", since="0.2.0"),
        Column("process", "i64", "number of the process that owns it", since="0.2.0"),
    ),
)

CONTROLLERS = TableSchema(
    "controllers",
    "One row per controller of which more is known than its number. A controller that phases "
    "name and that is not here is an ordinary thread of its lane kind.",
    (
        Column("lane", "word", "as in `phases`"),
        Column("controller", "i32", "controller thread within its lane kind"),
        Column("name", "word", "what to call it"),
        Column("kind", "word", "what it runs on, as its source calls it, or `host thread`"),
        Column("worker", "i32", "number of the worker it is, where a core is the controller"),
        Column("physical_core", "i32", "number of that core in the hardware"),
        _rank("the chip that it belongs to"),
    ),
    since="0.2.0",
)

RUNS = TableSchema(
    "runs",
    "One row per run that the trace holds: the same task graph, or another one, launched once on "
    "one rank. Empty where the source does not say which run it is.",
    (
        Column("run", "i32", "number of the run within the trace, from 0"),
        Column("epoch", "i64", "the source's own number of the run, which rises from run to run"),
        _rank("the chip that ran it"),
        Column("completeness", "word", "what the source says of it: are all records there?"),
        Column("start_ns", "i64", "first recorded moment of the run, ns from the trace's base"),
        Column("end_ns", "i64", "last recorded moment of the run"),
        Column("base_cycles", "i64", "the device's counter at `base_ns`"),
        Column("base_ns", "i64", "a moment of the run whose counter value is known"),
        Column(
            "clock",
            "word",
            "how the run was put on the trace's axis: `device` (same counter), `anchors`, "
            "`containment`, `start cycle`, `order` (only what came first is known)",
        ),
        Column(
            "slack_ns",
            "i64",
            "the run may lie later than drawn by up to this; 0 where all is on one clock",
        ),
    ),
    since="0.2.0",
)

FUNCTIONS = TableSchema(
    "functions",
    "One row per function that tasks refer to or that was declared.",
    (
        Column("func", "i32", "function id"),
        Column("name", "word", "its name; `func_N` where the source gives none"),
        Column(
            "work",
            "word",
            "what sort of work it does: `compute`, `communication`, `copy`, `fill`, `wait`; null "
            "where that is not known",
            since="0.2.0",
        ),
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
    table.name: table
    for table in (
        TASKS,
        PHASES,
        MARKS,
        COUNTERS,
        EDGES,
        CORES,
        FUNCTIONS,
        STALLS,
        CONTROLLERS,
        RUNS,
        STEPS,
        WAITS,
        COLLECTIVES,
        LAUNCHES,
        BLOCKS,
    )
}
