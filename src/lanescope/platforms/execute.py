"""Runs a task graph on one platform, with one setting of the recording."""

from __future__ import annotations

from pathlib import Path

from lanescope.dump.write import DumpRequest
from lanescope.errors import UsageError
from lanescope.platforms.cuda.machine import GpuRequest
from lanescope.platforms.cuda.run import run_on_gpu
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest, is_simulated
from lanescope.platforms.sim.chip import Chip, built_in_chips, load_chip
from lanescope.platforms.sim.dumped import simulate_dumped
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.platforms.threads.machine import ThreadMachine
from lanescope.platforms.threads.recorded import run_recorded
from lanescope.workloads.graph import TaskGraph


def execute(
    graph: TaskGraph,
    machine: MachineRequest,
    recording: Recording,
    *,
    directory: Path,
    dump: DumpRequest | None = None,
) -> RunOutcome:
    """Run the graph once and record it.

    `directory` holds the capture until its trace is saved; whoever saves the trace removes it.
    """
    platform = machine.platform
    if is_simulated(platform):
        return _on_chip(
            graph,
            load_chip(platform),
            recording,
            dump=dump,
            directory=directory,
            pre_dispatch=machine.pre_dispatch,
        )
    _refuse_what_only_chips_have(platform, recording, dump)
    if platform == "cuda":
        return _on_gpu(graph, machine.gpu(), recording)
    if recording.core_swimlane:
        raise UsageError(
            "the threads have no trace engines, so nothing shows what happens inside a task; use "
            "--platform a5 or cuda, or leave out --core-swimlane"
        )
    return _on_threads(graph, machine.threads(), recording, directory=directory)


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


def _on_threads(
    graph: TaskGraph, machine: ThreadMachine, recording: Recording, *, directory: Path
) -> RunOutcome:
    done = run_recorded(graph, machine, recording, directory=directory)
    return RunOutcome(
        trace=done.trace,
        makespan_ns=done.result.makespan_ns,
        tasks_per_core=done.result.tasks_per_core,
        tasks_done=done.result.tasks_done,
        region_bytes=done.region_bytes,
        spool_bytes=done.spool_bytes,
        interrupted=done.interrupted,
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


def _on_chip(
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
        orchestrator_ns=done.result.orchestrator_ps // PS_PER_NS if chip.orchestrators else None,
        scheduler_ns=max(done.result.scheduler_ps) // PS_PER_NS,
        tensors=totals,
    )
