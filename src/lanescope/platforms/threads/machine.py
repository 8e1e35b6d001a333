"""A machine of threads: its cores, its schedulers, and how it runs a task graph."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from lanescope.device.layouts import constant
from lanescope.errors import LanescopeError, UsageError
from lanescope.native import Array, require_threads
from lanescope.platforms.limits import check_pre_dispatch, check_schedulers
from lanescope.platforms.threads.job import ThreadsJob, pack_graph, pack_kinds
from lanescope.render.cells import many_text
from lanescope.workloads import TaskGraph, WorkKind

_COUNT = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class ThreadMachine:
    """Threads that act as an accelerator. Scheduler c % schedulers serves core c."""

    cores: tuple[str, ...]
    """The kind of each core, for example ("aic", "aiv", "aiv")."""
    schedulers: int = 1
    pre_dispatch: int = 1
    """How many tasks a core may hold beside the one it runs."""
    pin: bool = False
    """Whether each thread is tied to one processor."""

    def __post_init__(self) -> None:
        require_threads()
        if not self.cores:
            raise UsageError("a machine needs at least one core")
        check_schedulers(self.schedulers, len(self.cores), "core")
        check_pre_dispatch(self.pre_dispatch)


def parse_cores(text: str) -> tuple[str, ...]:
    """Return the kind of each core from a text such as "aic=1,aiv=2"."""
    cores: list[str] = []
    for part in text.split(","):
        kind, equals, count = (piece.strip() for piece in part.partition("="))
        if not kind or not equals or not _COUNT.fullmatch(count):
            raise UsageError(
                f"cores are written KIND=COUNT, for example aic=1,aiv=2; {part.strip()!r} is not"
            )
        if kind in cores:
            raise UsageError(f"the cores {text!r} name the kind {kind!r} twice")
        if len(cores) + int(count) > constant("LS_MOST_OWNERS"):
            raise UsageError(f"the cores {text!r} are more than {constant('LS_MOST_OWNERS')}")
        cores += [kind] * int(count)
    return tuple(cores)


@dataclass(frozen=True)
class RunResult:
    """Times and counts of one run."""

    start_cycles: int
    """The clock before the first task was submitted."""
    end_cycles: int
    """The clock after the last completion was seen."""
    makespan_ns: int
    tasks_done: int
    tasks_per_core: tuple[int, ...]
    scheduler_busy_ns: tuple[int, ...] = ()
    """Time that each scheduler spent in rounds that did something; empty where not asked for."""


def run_graph(
    graph: TaskGraph,
    machine: ThreadMachine,
    *,
    clock_hz: int,
    region_address: int = 0,
    func_in_task: bool = False,
    callback: int | None = None,
    cancel: Array | None = None,
    time_schedulers: bool = False,
) -> RunResult:
    """Run the graph to its end, or until `cancel` (one uint64) is set to 1.

    With a `region_address` the machine records into that region, and somebody must drain it
    meanwhile. `clock_hz` is the rate of the C library's clock. `callback` is the address of a C
    function, see threads.h.
    """
    graph.check()
    _check_fit(graph, machine, callback)
    job = ThreadsJob()
    pack_graph(job, graph)
    pack_kinds(job, graph, machine.cores)
    job.set(
        {
            "region": region_address,
            "scheduler_count": machine.schedulers,
            "pre_dispatch": machine.pre_dispatch,
            "pin": machine.pin,
            "func_in_task": func_in_task,
            "callback": callback or 0,
            "clock_hz": clock_hz,
        }
    )
    if cancel is not None:
        job.point("cancel", _cancel_word(cancel))
    tasks_done = np.zeros(len(machine.cores), np.uint64)
    job.point("core_tasks_done", tasks_done)
    busy = np.zeros(machine.schedulers if time_schedulers else 0, np.uint64)
    if time_schedulers:
        job.point("scheduler_busy_cycles", busy)
    _raise_problem(job.run(), graph, machine)
    start, end = job.output("start_cycles"), job.output("end_cycles")
    return RunResult(
        start_cycles=start,
        end_cycles=end,
        makespan_ns=_to_ns(end - start, clock_hz),
        tasks_done=job.output("tasks_done"),
        tasks_per_core=tuple(tasks_done.tolist()),
        scheduler_busy_ns=tuple(_to_ns(cycles, clock_hz) for cycles in busy.tolist()),
    )


def _to_ns(cycles: int, clock_hz: int) -> int:
    return cycles * 10**9 // clock_hz


def _cancel_word(cancel: Array) -> Array:
    """Return the word that cancels a run; refuse anything but one uint64."""
    if cancel.dtype != np.uint64 or cancel.size != 1:
        raise UsageError(f"cancel must be one uint64, not {cancel.size} of {cancel.dtype}")
    return cancel


def _check_fit(graph: TaskGraph, machine: ThreadMachine, callback: int | None) -> None:
    """Refuse tasks that no core of the machine can run."""
    needed = {graph.kinds[code] for code in np.unique(graph.kind)}
    lacking = [kind for kind in graph.kinds if kind in needed - set(machine.cores)]
    if lacking:
        has = ", ".join(f"{kind}={n}" for kind, n in Counter(machine.cores).items())
        raise UsageError(
            f"{graph.name} needs cores of kind {', '.join(lacking)}; the machine has {has}"
        )
    if np.any(graph.work == WorkKind.PIPES) or not graph.is_plain:
        raise UsageError(
            f"{graph.name} has tasks made of pipe operations, of several cores or of none, which "
            "only simulated chips run; choose one with --platform"
        )
    if callback is None and np.any(graph.work == WorkKind.CALLBACK):
        raise UsageError(f"{graph.name} has tasks that call a function, but none was given")
    most = constant("LS_MOST_MATMUL_ROWS")
    rows = graph.amount[graph.work == WorkKind.MATMUL]
    if len(rows) and rows.max() > most:
        raise UsageError(f"a task of {graph.name} multiplies {rows.max()} rows; {most} is the most")


def _raise_problem(code: int, graph: TaskGraph, machine: ThreadMachine) -> None:
    """Raise the error that a code of enum ls_threads_problem stands for."""
    if code == constant("LS_THREADS_OK"):
        return
    if code == constant("LS_THREADS_NO_MEMORY"):
        raise MemoryError(f"no memory to run {graph.name}")
    if code == constant("LS_THREADS_BAD_REGION"):
        raise UsageError(
            "the region was made for another machine than "
            f"{many_text(len(machine.cores), 'core')}, "
            f"{many_text(machine.schedulers, 'scheduler')} and pre-dispatch {machine.pre_dispatch}"
        )
    if code == constant("LS_THREADS_NO_THREAD"):
        raise LanescopeError(
            f"the system could not start {len(machine.cores) + machine.schedulers + 1} threads; "
            "use fewer cores"
        )
    if code == constant("LS_THREADS_STUCK"):
        raise LanescopeError(f"{graph.name} can never finish: its edges form a cycle")
    raise LanescopeError(f"the thread platform refused to run {graph.name} (code {code})")
