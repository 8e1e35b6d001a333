"""Runs a graph on real threads and records it as a Trace."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lanescope.capture import CaptureSession, SessionNote, create_session
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.region import RegionConfig, clock_hz
from lanescope.errors import LanescopeError
from lanescope.platforms.beside import run_beside
from lanescope.platforms.recording import Recording, plan_of, recorded_region
from lanescope.platforms.threads.machine import RunResult, ThreadMachine, run_graph
from lanescope.trace import Trace
from lanescope.trace.meta import RecordingFacts
from lanescope.workloads.graph import TaskGraph


@dataclass(frozen=True, slots=True)
class ThreadsOutcome:
    """One run: its times, and its trace unless nothing was recorded."""

    result: RunResult
    trace: Trace | None
    region_bytes: int
    spool_bytes: int
    interrupted: bool


def run_recorded(
    graph: TaskGraph, machine: ThreadMachine, recording: Recording, *, directory: Path
) -> ThreadsOutcome:
    """Run the graph and record it; `directory` holds the capture until its trace is saved."""
    features = level_features(recording.chip_swimlane)
    if not features:
        result, interrupted = _run(graph, machine, 0)
        return ThreadsOutcome(result, None, 0, 0, interrupted)
    config = region_config(graph, machine, recording)
    note, plan = SessionNote(graph.name, "threads"), with_host(plan_of(graph), machine)
    session = create_session(directory, config, note=note, plan=plan)
    try:
        with session:
            result, interrupted = _run(graph, machine, session.region.address)
            session.region.mark_stopped()
    except LanescopeError:
        if session.records == 0:
            session.discard()
        raise
    return ThreadsOutcome(
        result,
        _reconciled(session, interrupted),
        session.region.head.header["region_bytes"].item(),
        session.spool_bytes,
        interrupted,
    )


def with_host(plan: Trace, machine: ThreadMachine) -> Trace:
    """Return the plan with what is known of the host: its processors, and who else wants them."""
    facts = RecordingFacts(
        threads=len(machine.cores) + machine.schedulers + 1,
        processors=len(os.sched_getaffinity(0)),
        load=round(os.getloadavg()[0], 2),
    )
    return plan.with_meta(recording=facts)


def region_config(graph: TaskGraph, machine: ThreadMachine, recording: Recording) -> RegionConfig:
    """Return the region that this run needs."""
    cores = tuple(
        Core(kind, controller=number % machine.schedulers)
        for number, kind in enumerate(machine.cores)
    )
    return recorded_region(
        graph,
        recording,
        cores=cores,
        schedulers=machine.schedulers,
        orchestrators=1,
        pre_dispatch=machine.pre_dispatch,
    )


def _run(graph: TaskGraph, machine: ThreadMachine, region_address: int) -> tuple[RunResult, bool]:
    """Run the graph; say whether an interrupt cancelled it. Dispatched tasks then still finish."""
    cancel = np.zeros(1, np.uint64)

    def work() -> RunResult:
        return run_graph(
            graph, machine, region_address=region_address, clock_hz=clock_hz(), cancel=cancel
        )

    result = run_beside(work, lambda: cancel.fill(1))
    return result, bool(cancel[0])


def _reconciled(session: CaptureSession, interrupted: bool) -> Trace:
    """Return the session's trace, with a note where the run was interrupted."""
    trace = session.reconcile()
    if interrupted:
        note = "The run was interrupted; tasks not dispatched by then never ran."
        return trace.with_meta(notes=(*trace.meta.notes, note))
    return trace
