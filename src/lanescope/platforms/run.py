"""Runs a workload on a platform: real threads, a GPU, or a simulated chip."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from lanescope.dump.manifest import Totals
from lanescope.dump.write import DumpRequest
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.cuda.machine import GpuRequest
from lanescope.platforms.cuda.program import Check
from lanescope.platforms.cuda.run import run_on_gpu
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, built_in_chips, load_chip
from lanescope.platforms.sim.dumped import simulate_dumped
from lanescope.platforms.sim.kernel import PS_PER_NS
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.platforms.threads.machine import ThreadMachine, parse_cores
from lanescope.platforms.threads.recorded import run_recorded
from lanescope.trace import Trace
from lanescope.workloads import build_workload
from lanescope.workloads.graph import TaskGraph

DEFAULT_CORES = "aic=1,aiv=2"
REAL = ("threads", "cuda")
"""Platforms that run tasks for real, not simulated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a run gave, on whichever platform; without recording there is no trace."""

    trace: Trace | None
    makespan_ns: int
    tasks_per_core: tuple[int, ...]
    tasks_done: int
    region_bytes: int
    spool_bytes: int
    interrupted: bool = False
    orchestrator_ns: int | None = None
    """Until everything was submitted; simulated chips only."""
    scheduler_ns: int | None = None
    """Until the last scheduler had nothing left to do; simulated chips only."""
    tensors: Totals | None = None
    """What was dumped; None where it was not asked for."""
    check: Check | None = None
    """What was computed against a reference; GPUs only."""
    capture: Path | None = None
    """Where the capture lies, if not where it was asked for."""


def is_simulated(platform: str) -> bool:
    """Refuses a platform that does not exist."""
    if platform in REAL:
        return False
    if platform in built_in_chips() or Path(platform).exists():
        return True
    known = ", ".join((*REAL, *built_in_chips()))
    raise UsageError(f"expected a platform ({known}, or a chip's file), found {platform!r}")


def run_on(
    platform: str,
    graph: TaskGraph,
    recording: Recording,
    *,
    directory: Path,
    machine: ThreadMachine | None = None,
    gpu: GpuRequest | None = None,
    pre_dispatch: int = 1,
    dump: DumpRequest | None = None,
) -> RunOutcome:
    """Run and record; `machine` is for threads, `gpu` for cuda, a chip's is in its file."""
    if is_simulated(platform):
        return _simulated(
            graph,
            load_chip(platform),
            recording,
            dump=dump,
            directory=directory,
            pre_dispatch=pre_dispatch,
        )
    _refuse_what_only_chips_have(platform, recording, dump)
    if platform == "cuda":
        wanted = gpu or GpuRequest(pre_dispatch=pre_dispatch)
        return _on_gpu(graph, wanted, recording)
    if recording.core_swimlane:
        raise UsageError(
            "the threads have no trace engines, so nothing shows what happens inside a task; use "
            "--platform a5 or cuda, or leave out --core-swimlane"
        )
    chosen = machine or ThreadMachine(cores=parse_cores(DEFAULT_CORES), pre_dispatch=pre_dispatch)
    done = run_recorded(graph, chosen, recording, directory=directory)
    return RunOutcome(
        trace=done.trace,
        makespan_ns=done.result.makespan_ns,
        tasks_per_core=done.result.tasks_per_core,
        tasks_done=done.result.tasks_done,
        region_bytes=done.region_bytes,
        spool_bytes=done.spool_bytes,
        interrupted=done.interrupted,
    )


def _refuse_what_only_chips_have(
    platform: str, recording: Recording, dump: DumpRequest | None
) -> None:
    who, why = {
        "threads": ("the threads have", "threads run tasks without their arrays"),
        "cuda": ("the cuda platform has", "on cuda their values are compared and not kept"),
    }[platform]
    if dump is not None:
        raise UsageError(
            f"only simulated chips dump tensors; {why}, so leave out --dump-tensors or choose "
            "another --platform"
        )
    if recording.pmu is not None and recording.pmu is not False:
        raise UsageError(
            f"{who} no performance counters to record; PMU events are counted on "
            f"simulated chips ({', '.join(built_in_chips())}, or a chip's file)"
        )


def _on_gpu(graph: TaskGraph, wanted: GpuRequest, recording: Recording) -> RunOutcome:
    done, capture = run_on_gpu(graph, wanted, recording)
    return RunOutcome(
        trace=done.trace,
        makespan_ns=done.result.makespan_ns,
        tasks_per_core=done.result.tasks_per_core,
        tasks_done=done.result.tasks_done,
        region_bytes=done.region_bytes,
        spool_bytes=done.spool_bytes,
        interrupted=done.result.interrupted,
        check=done.check,
        capture=capture,
    )


def _simulated(
    graph: TaskGraph,
    chip: Chip,
    recording: Recording,
    *,
    dump: DumpRequest | None,
    directory: Path,
    pre_dispatch: int,
) -> RunOutcome:
    totals = None
    if dump is None:
        done = simulate_recorded(
            graph, chip, recording, directory=directory, pre_dispatch=pre_dispatch
        )
    else:
        done, totals = simulate_dumped(
            graph, chip, recording, request=dump, directory=directory, pre_dispatch=pre_dispatch
        )
    return RunOutcome(
        trace=done.trace,
        makespan_ns=done.result.makespan_ps // PS_PER_NS,
        tasks_per_core=done.result.tasks_per_core,
        tasks_done=len(graph),
        region_bytes=done.region_bytes,
        spool_bytes=done.spool_bytes,
        orchestrator_ns=done.result.orchestrator_ps // PS_PER_NS,
        scheduler_ns=max(done.result.scheduler_ps) // PS_PER_NS,
        tensors=totals,
    )


def run(
    workload: str | TaskGraph,
    *,
    platform: str = "a2a3",
    chip_swimlane: int | bool = True,
    machine: ThreadMachine | None = None,
    gpu: GpuRequest | None = None,
    pre_dispatch: int = 1,
    settings: dict[str, Any] | None = None,
    dump_tensors: str | PathLike[str] | DumpRequest | None = None,
    **recording: Any,
) -> Trace:
    """Run a built-in workload, or a graph of your own, and return what was recorded.

    `platform` is a simulated chip, a chip's file, `threads` or `cuda`; `settings` are the
    workload's, the other keywords those of `Recording`: `pmu=2` counts hardware events per task,
    `core_swimlane=True` shows what pipes do inside tasks. `dump_tensors` is a folder for what tasks
    read and wrote, or a DumpRequest, which can say more.
    """
    if isinstance(workload, str):
        texts = {name: str(value) for name, value in (settings or {}).items()}
        workload = build_workload(workload, texts)
    dump = dump_tensors
    if dump is not None and not isinstance(dump, DumpRequest):
        dump = DumpRequest(folder=Path(dump))
    options = Recording(chip_swimlane=chip_swimlane, **recording)
    with tempfile.TemporaryDirectory(prefix="lanescope-") as folder:
        outcome = run_on(
            platform,
            workload,
            options,
            directory=Path(folder) / "run.capture",
            machine=machine,
            gpu=gpu,
            pre_dispatch=pre_dispatch,
            dump=dump,
        )
    if outcome.capture is not None:
        shutil.rmtree(outcome.capture)
    if outcome.check is not None and outcome.check.problem:
        raise LanescopeError(outcome.check.problem)
    if outcome.trace is None:
        raise UsageError("level 0 records nothing, so there is no trace to return")
    return outcome.trace
