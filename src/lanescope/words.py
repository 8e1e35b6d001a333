"""One word per concept, for code, command line and documentation: docs/words.md is made from it.

Run `python -m lanescope.words`. A test compares the page, the columns of the schema and the names
of classes with this table.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word, its one meaning, and where it stands."""

    name: str
    meaning: str
    columns: tuple[str, ...] = ()
    """Columns of the trace's tables that hold it: TABLE.COLUMN, `*` for every table."""
    ascend: str = ""
    """What the Ascend world calls it."""
    cuda: str = ""
    """What the CUDA world calls it."""
    instead_of: tuple[str, ...] = ()
    """Words that no class of ours uses for it."""


MACHINE = (
    Word("chip", "One device with all its cores and controllers.", ascend="NPU", cuda="GPU"),
    Word(
        "core",
        "What runs tasks, one at a time. It has a kind.",
        ("*.core",),
        "AICore",
        "SM or CTA",
        instead_of=("Processor",),
    ),
    Word("aic", "Kind of core: an Ascend chip's cube core. It multiplies matrices.", (), "AIC"),
    Word(
        "aiv",
        "Kind of core: the vector core of an Ascend chip. It works element by element.",
        (),
        "AIV",
    ),
    Word("sm", "Kind of core: a streaming multiprocessor of a GPU.", (), "", "SM"),
    Word(
        "cluster",
        "Cores that belong together on the chip, such as one aic and two aiv.",
        ("cores.cluster",),
    ),
    Word(
        "controller",
        "A thread that schedules or orchestrates.",
        ("*.controller",),
        "AICPU thread",
        "scheduler CTA or host thread",
    ),
    Word("scheduler", "A controller that gives ready tasks to cores and sees them finish."),
    Word("orchestrator", "A controller that submits tasks and says what they depend on."),
    Word(
        "role",
        "The part that something plays beside others: a phase is outer, inner, idle or marker; "
        "a warp loads, computes or stores.",
    ),
    Word(
        "pipe",
        "A part of a core that works by itself: scalar, vector, cube, mte1, mte2, mte3, fixp; on "
        "a GPU the role of a warp.",
        ("marks.pipe",),
        "pipe",
        "warp role",
    ),
    Word(
        "worker",
        "Number of a core among those that work, where the source counts them apart from cores.",
        ("controllers.worker",),
    ),
    Word("physical core", "Number of a core in the hardware.", ("*.physical_core",)),
    Word("unit", "What executes instructions on a board: matrix, vector, scalar, memory."),
    Word("engine", "Hardware beside the cores that works by itself, such as a copy engine."),
    Word(
        "stream",
        "A lane of a device that runs what was launched on it in order, and that no one core owns.",
        ("waits.on_core",),
        "stream",
        "stream",
    ),
    Word("track", "A lane whose source does not say what it is."),
    Word("device", "One accelerator of a machine, by number.", ("*.device",)),
    Word("process", "A program that runs on the host, by number.", ("*.process",)),
    Word(
        "host thread",
        "A thread of the program on the host; it launches and waits. It is never a core.",
    ),
    Word("board", "An accelerator that is described by a file, to predict what runs on it."),
)
WORK = (
    Word(
        "task",
        "One node of the task graph. Its rows are its runs on cores.",
        ("*.task", "phases.tasks"),
        "task",
        "task",
    ),
    Word("instruction", "A step of a board's program, by number.", ("tasks.pc", "tasks.line")),
    Word(
        "run",
        "One execution: of a task on a core, which is a row of `tasks`, or of a whole program, "
        "which is a row of `runs`.",
        ("*.run",),
    ),
    Word(
        "launch",
        "A call of the host that gives work to a device. Its number joins the call with the tasks.",
        ("*.launch", "waits.on_launch", "launches.call"),
        "connection_id",
        "correlation id",
    ),
    Word(
        "operator",
        "A step of the user's program, such as a matrix product of a framework, by number.",
        ("*.op",),
        "",
        "External id of the profiler",
    ),
    Word(
        "work",
        "What a function does: it computes, communicates, copies, fills memory or waits.",
        ("functions.work",),
    ),
    Word("flow", "Number of an arrow between two phases.", ("phases.flow",)),
    Word("depth", "How many others something lies in, on its lane.", ("*.depth",)),
    Word("category", "The sort of a host thread's phase.", ("phases.category",)),
    Word("step", "One round of the program's outer loop, as the program marks it.", ("*.step",)),
    Word(
        "collective",
        "An operation in which several ranks take part, such as an all-reduce.",
        (
            "collectives.sequence",
            "collectives.matched",
            "collectives.bytes",
            "collectives.bytes_out",
            "collectives.type",
            "collectives.source",
            "collectives.target",
        ),
        "HCCL operation",
        "NCCL operation",
    ),
    Word(
        "group",
        "Ranks that communicate with each other, by name.",
        ("collectives.group", "collectives.peers", "collectives.size"),
        "communication group",
        "process group, communicator",
    ),
    Word("rank", "One of several chips that work on one job, by number.", ("*.rank",)),
    Word("epoch", "The source's own number of a run of a program.", ("runs.epoch",), "run_epoch"),
    Word(
        "completeness",
        "What the source says about a run: are all its records there?",
        ("runs.completeness",),
        "verdict",
    ),
    Word(
        "slack",
        "How much later something may be than it is drawn or needed: a run on a common clock, a "
        "task that is not on the critical path.",
        ("runs.slack_ns",),
    ),
    Word("base", "A moment from which times are counted.", ("runs.base_*",)),
    Word(
        "clock", "What tells the time of a producer, and how clocks are related.", ("runs.clock",)
    ),
    Word("id", "Number of a task as its source writes it.", ("tasks.id",), "task_token_raw"),
    Word(
        "block",
        "One of the equal parts of a task that runs on several cores.",
        ("tasks.block", "tasks.blocks", "launches.blocks"),
        "block",
        "CTA of a launch",
    ),
    Word(
        "token",
        "Number of a dispatch on one core. It joins the core's record with the controller's.",
        ("*.token",),
        "reg_task_id",
    ),
    Word(
        "function",
        "The code that a task runs, by number and name.",
        ("*.func",),
        "kernel",
        "kernel",
    ),
    Word(
        "edge",
        "Task `pred` must finish before task `succ` starts.",
        ("edges.pred", "edges.succ", "edges.arg"),
        "fanout, deps",
    ),
    Word(
        "kind",
        "Which sort of its table a row is: of core, of task, of phase, of edge.",
        ("*.kind",),
    ),
    Word("dispatch", "The controller gives a task to a core.", ("tasks.dispatch_*",)),
    Word("receive", "The core sees the task.", ("tasks.receive_*",)),
    Word("start", "The first moment of an interval.", ("*.start_*",)),
    Word("end", "The last moment of an interval.", ("*.end_*",)),
    Word("finish", "The controller sees that the core is done with a task.", ("tasks.finish_*",)),
    Word("submit", "The orchestrator hands a task over to the schedulers.", ("phases.submit",)),
    Word(
        "queue",
        "Where ready tasks wait for a core of their kind. Some devices run what is in a queue "
        "themselves; then the queue is a lane.",
        ("phases.queue*", "phases.pop_hit", "phases.pop_miss", "cores.queue"),
    ),
)
RECORDS = (
    Word(
        "level",
        "How much is recorded, 0 to 4: nothing, task times, dispatch and finish, scheduler phases, "
        "orchestrator phases. Nothing else is called a level.",
        (),
        "chip_swimlane_level",
    ),
    Word("feature", "One bit of the flag word: one thing that can be recorded."),
    Word(
        "record",
        "The bytes that a producer writes for one event.",
        ("stalls.records",),
        "record",
    ),
    Word("producer", "A core or a controller that writes records."),
    Word(
        "lane",
        "The row of one producer: its records in memory, its bars on the screen. The column `lane` "
        "says which kind of producer: core, scheduler, orchestrator, host, …",
        ("*.lane",),
    ),
    Word(
        "phase",
        "One interval of a controller's loop.",
        ("phases.loop", "phases.bytes"),
        "scheduler or orchestrator phase",
    ),
    Word(
        "mark",
        "One interval or moment on a pipe inside a core.",
        ("marks.mark",),
        "mark_stamp, STATE",
        "in-kernel mark",
    ),
    Word(
        "counter",
        "A value that hardware or the runtime counted, for a task or at a time.",
        ("counters.value", "counters.time_ns", "counters.order", "counters.site"),
        "PMU",
    ),
    Word("stall", "Time that recording itself made a producer wait.", ("stalls.cause",)),
    Word("flags", "Bits that say what is special about a row.", ("*.flags",)),
    Word("name", "What people call something; it may repeat.", ("*.name",)),
    Word(
        "region",
        "The memory that device and host both see: head, lanes, buffers.",
        (),
        "GM, shared memory",
        "mapped memory",
    ),
    Word(
        "buffer", "Room for a number of records of one lane. A lane has several and rotates them."
    ),
    Word("spool", "The file into which the host writes buffers while the device runs."),
    Word("capture", "The folder of a recording while it runs: region, spool, plan."),
    Word(
        "ledger",
        "The account of every record: delivered, dropped, unmatched or unknown, per lane and kind.",
        (),
        "reconcile_counters",
    ),
    Word("chunk", "Four or eight bytes of the stream that a core's trace engine writes."),
)
ANSWERS = (
    Word("trace", "One run in tables: what every producer makes and every reader takes."),
    Word("analysis", "One question to a trace, with its answer, sections and JSON."),
    Word("finding", "One thing that a check found: its kind, how many, and the cause."),
    Word("makespan", "From the first dispatch to the last finish."),
    Word("window", "The time that a report speaks of: makespan and observed times together."),
    Word("verdict", "Where the time of the cores went: running, or the reason why not."),
    Word(
        "wait",
        "Time in which a core did not run, with one reason. A row of `waits` is a wait that the "
        "source recorded.",
        ("waits.on_task",),
    ),
    Word("critical path", "The chain of runs and waits that decides how long the run took."),
    Word("suspect", "A core or function that is slower than its like."),
    Word("replica", "A recorded run as something that can run again."),
    Word("replay", "A replica, run once."),
    Word("peer", "Another project's tool whose figures we give as it gives them, to compare."),
    Word("view", "A group of lanes in an exported file."),
    Word(
        "bar",
        "A rectangle that is drawn on a lane. Perfetto calls it a slice.",
        instead_of=("Slices", "Rectangle"),
    ),
    Word("series", "A value over time that is drawn as a curve.", instead_of=("Levels",)),
    Word("section", "A part of a page: facts, sentences and one table."),
    Word("fleet", "Many traces and jobs, seen through an index of their measures."),
    Word("measure", "One figure of a trace, by group and name, such as its makespan."),
)
GROUPS = {
    "The machine": MACHINE,
    "What it does": WORK,
    "What is recorded": RECORDS,
    "What is said about it": ANSWERS,
}
WORDS = tuple(word for group in GROUPS.values() for word in group)

_INTRO = """# Words

One word per concept, in code, options, files and documentation. This page is written by
`python -m lanescope.words` from `src/lanescope/words.py`; a test keeps it current and compares it
with the columns of a trace and the names of classes.

Ascend's words are those of the simpler runtime (github.com/hw-native-sys/simpler), CUDA's those of
NVIDIA's programming guide.

Units stand in names: `_ns` nanoseconds, `_ps` picoseconds, `_cycles` ticks of the device's counter,
`_bytes`, `_hz`, `_per_s`.
"""


def words_page() -> str:
    """The page docs/words.md."""
    parts = [_INTRO]
    for title, words in GROUPS.items():
        parts.append(f"## {title}\n\n| word | meaning | Ascend | CUDA |\n|---|---|---|---|")
        parts += [
            f"| {word.name} | {word.meaning} | {word.ascend} | {word.cuda} |" for word in words
        ]
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(words_page())
