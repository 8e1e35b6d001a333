"""Runs a workload and records it: what `lanescope run` does, as Python functions."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from lanescope.device.flags import read_level
from lanescope.dump.write import TENSOR_LIMIT_BYTES, TOTAL_LIMIT_BYTES, DumpRequest
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.budget.choice import BudgetReport, outcome_of
from lanescope.platforms.budget.trials import choose_level
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, RunRequest
from lanescope.platforms.rounds import check_rounds, run_rounds, with_lengths, with_note
from lanescope.trace import Trace
from lanescope.workloads.catalogue import Workload, graph_of
from lanescope.workloads.graph import TaskGraph
from lanescope.workloads.lengths import Draw


def run(
    workload: Workload,
    *,
    settings: Mapping[str, Any] | None = None,
    platform: str = "a2a3",
    cores: str | None = None,
    schedulers: int | None = None,
    pre_dispatch: int = 1,
    pin: bool = False,
    chip_swimlane: int | str | bool = True,
    pmu: int | str | bool | None = None,
    core_swimlane: bool = False,
    core_source: str = "perfmon",
    protocol: str = "producer-rotated",
    on_full: str = "block",
    host_lost_s: float = 30.0,
    buffer_records: int = 1024,
    buffers: int = 8,
    dump_tensors: str | PathLike[str] | DumpRequest | None = None,
    dump_select: str = "",
    dump_limit: int = TENSOR_LIMIT_BYTES,
    dump_total: int = TOTAL_LIMIT_BYTES,
    budget: str | None = None,
    seed: int | None = None,
    rounds: int = 1,
) -> Trace:
    """Runs a workload, records what every core did, and returns the trace.

    Every keyword is the option of `lanescope run` of the same name. Nothing is written to disk
    but a tensor dump, where one is asked for; `lanescope.save` stores the trace.

    Args:
        workload: A built-in workload's name, a Python file `NAME.py` with a function `graph()`,
            a `GraphBuilder`, or a `TaskGraph`.
        settings: Parameters of a built-in workload or of a file, by name; the command line's
            `--set`.
        platform: Where it runs: a simulated chip (`a2a3`, `a2a3-hbg`, `a5`), a chip's TOML file,
            `threads` or `cuda`.
        cores: Cores of each kind: "aic=1,aiv=2" for threads, "sm=8" for cuda. A simulated chip's
            cores stand in its file.
        schedulers: Scheduler threads or CTAs; threads and cuda only. None means one.
        pre_dispatch: How many tasks a core may hold beside the one it runs: 0, 1 or 2.
        pin: Tie each thread to one processor; threads only.
        chip_swimlane: How much is recorded, from level 1 to 4; True means 4. Level 0 records
            nothing and is refused here.
        pmu: Group of hardware events that is counted per task, by number or name; True means
            group 2. Simulated chips only.
        core_swimlane: Also record what the pipes inside each core do. Simulated chips with trace
            engines (`a5`), and cuda.
        core_source: Where that comes from: `perfmon` (trace engines that the controllers drain) or
            `driver` (a model of the driver's channels).
        protocol: Who moves a core's records: `staging`, `controller-rotated`,
            `producer-rotated` or `after-finish`.
        on_full: What a producer does without a free buffer: `block` waits, `drop` drops the record
            and counts it.
        host_lost_s: A waiting producer gives up and drops when the host shows no sign of life for
            this many seconds.
        buffer_records: Records in one buffer.
        buffers: Buffers of each lane.
        dump_tensors: Folder for the values that tasks read and wrote; simulated chips only. A
            `DumpRequest` holds the folder and the three options below.
        dump_select: Which tensors: functions, tasks and `inputs` or `outputs`, such as
            "add,17,20-30,outputs". Empty means all.
        dump_limit: Bytes of one tensor that are kept; a longer one is truncated.
        dump_total: Bytes of the whole dump; what does not fit is dropped and counted.
        budget: The most that recording may cost, such as "2%,64MB": a share of the makespan,
            memory, or both. The level and the buffers above are then the most that is chosen.
        seed: Decides the lengths that vary (`GraphBuilder.vary`); simulated chips only. None
            means 0.
        rounds: How many runs, each with lengths of its own; the trace is that of the median
            makespan.

    Returns:
        The trace of the run.

    Raises:
        UsageError: An option is wrong, does not fit the platform, or nothing would be recorded.
        InputError: The workload's file or the chip's file cannot be used.
        LanescopeError: The run failed, or computed wrong values (cuda).

    Examples:
        >>> import lanescope
        >>> builder = lanescope.GraphBuilder("pair")
        >>> first = builder.task("load", kind="aiv", spin_ns=2000)
        >>> second = builder.task("add", kind="aiv", after=[first], spin_ns=1000)
        >>> trace = lanescope.run(builder, platform="a5", chip_swimlane=2)
        >>> len(trace.tasks)
        2
    """
    request = RunRequest(
        machine=MachineRequest(
            platform=platform,
            cores=cores,
            schedulers=schedulers,
            pre_dispatch=pre_dispatch,
            pin=pin,
        ),
        recording=Recording(
            chip_swimlane=read_level(chip_swimlane),
            pmu=None if pmu is False else pmu,
            core_swimlane=core_swimlane,
            core_source=core_source,
            protocol=protocol,
            on_full=on_full,
            host_lost_s=host_lost_s,
            buffer_records=buffer_records,
            buffers=buffers,
        ),
        dump=_dump_request(dump_tensors, select=dump_select, limit=dump_limit, total=dump_total),
        budget=budget,
        seed=seed,
        rounds=rounds,
    )
    request.machine.check()
    return _trace_of(graph_of(workload, settings), request)


def _dump_request(
    folder: str | PathLike[str] | DumpRequest | None, *, select: str, limit: int, total: int
) -> DumpRequest | None:
    if folder is None or isinstance(folder, DumpRequest):
        return folder
    return DumpRequest(
        folder=Path(folder), select=select, tensor_limit_bytes=limit, total_limit_bytes=total
    )


def _trace_of(graph: TaskGraph, request: RunRequest) -> Trace:
    """Run with a capture that is gone afterwards; refuse a run without a trace to return."""
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
        outcome = run_request(graph, request, directory=Path(folder) / "run.capture")
    if outcome.capture is not None:
        shutil.rmtree(outcome.capture)
    if outcome.check is not None and outcome.check.problem:
        raise LanescopeError(outcome.check.problem)
    if outcome.trace is None:
        raise UsageError("level 0 records nothing, so there is no trace to return")
    return outcome.trace


def run_request(graph: TaskGraph, request: RunRequest, *, directory: Path) -> RunOutcome:
    """Run the graph as requested, within the budget where there is one.

    `directory` holds the capture until its trace is saved; whoever saves the trace removes it.
    """
    machine, recording, seed = request.machine, request.recording, request.seed or 0
    machine.check()
    check_rounds(graph, request)
    choice = rounds = None
    draw = Draw(seed)
    if request.budget is not None:
        choice = choose_level(
            with_lengths(graph, machine, draw), machine, recording, budget=request.budget
        )
        recording = choice.recording
    if request.rounds > 1:
        rounds = run_rounds(graph, machine, recording, seed=seed, rounds=request.rounds)
        draw = Draw(seed, rounds.kept)
    one = with_lengths(graph, machine, draw)
    outcome = execute(one, machine, recording, directory=directory, dump=request.dump)
    if outcome.trace is not None and one.unit_ps is not None:
        outcome = replace(outcome, trace=with_note(outcome.trace, graph, draw, request.rounds))
    if choice is None:
        return replace(outcome, rounds=rounds)
    measured = outcome_of(choice, outcome.makespan_ns, outcome.region_bytes)
    return replace(outcome, rounds=rounds, budget=BudgetReport(choice, measured))
