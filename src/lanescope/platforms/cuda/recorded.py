"""Runs a graph on a GPU, records it as a Trace, and checks what it computed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from lanescope.capture import CaptureSession, SessionNote, create_session
from lanescope.capture.slices import MARK_NAMES, PIPE_NAMES
from lanescope.cuda.clock import ClockAnchor
from lanescope.cuda.host import anchor, host_clock
from lanescope.cuda.recorder import DEVICE_HZ
from lanescope.device.head import Core
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import constant, layout
from lanescope.device.region import Region, RegionConfig
from lanescope.errors import LanescopeError
from lanescope.platforms.beside import run_beside
from lanescope.platforms.cuda.engine import JobEngine
from lanescope.platforms.cuda.job import JobResult, MegakernelJob, RecordingTarget
from lanescope.platforms.cuda.machine import CORE_KIND, GpuMachine
from lanescope.platforms.cuda.program import Check, GpuProgram
from lanescope.platforms.recording import Recording, features_of, plan_of, recorded_region
from lanescope.trace import Trace
from lanescope.trace.meta import RecordingFacts
from lanescope.trace.pipes import BUSY, ROLES
from lanescope.trace.schema import MISSING
from lanescope.workloads.graph import TaskGraph


@dataclass(frozen=True, slots=True)
class GpuOutcome:
    """One run. Without recording there is no trace; after an interrupt there is no check."""

    result: JobResult
    trace: Trace | None
    check: Check | None
    region_bytes: int = 0
    spool_bytes: int = 0


@dataclass(frozen=True, slots=True)
class GpuCapture:
    """One run that was recorded: the stopped session, and what the kernel left behind."""

    session: CaptureSession
    result: JobResult
    check: Check | None
    first: ClockAnchor | None
    """The device's clock against the host's, before the run."""


@dataclass(frozen=True, slots=True)
class GpuSetup:
    """What runs, and where."""

    engine: JobEngine
    machine: GpuMachine
    program: GpuProgram


def run_plain(graph: TaskGraph, setup: GpuSetup) -> GpuOutcome:
    """Run without recording; no region is made."""
    result, check = _run(graph, setup, RecordingTarget())
    return GpuOutcome(result, None, check)


def run_recorded(
    graph: TaskGraph, setup: GpuSetup, recording: Recording, *, directory: Path
) -> GpuOutcome:
    """Run and record. `directory` holds the capture; the GPU must be able to write there."""
    if not features_of(recording):
        return run_plain(graph, setup)
    done = record(graph, setup, recording, directory=directory)
    trace = _trace(done, setup.engine.fit())
    size = int(done.session.region.head.header["region_bytes"])
    return GpuOutcome(done.result, trace, done.check, size, done.session.spool_bytes)


def record(
    graph: TaskGraph, setup: GpuSetup, recording: Recording, *, directory: Path
) -> GpuCapture:
    """Run and record, at level 1 or more, without making a trace of it."""
    config = region_config(graph, setup.machine, recording)
    note = SessionNote(graph.name, setup.engine.name)
    plan = plan_of(graph).with_meta(queues=(CORE_KIND,))
    session = create_session(directory, config, note=note, plan=plan)
    first = setup.engine.fit()
    if first is not None:
        anchor(session.region, first)
    try:
        with session, _reached(setup.engine, session.region) as recorder:
            recorder = replace(recorder, first_token=recording.first_token)
            result, check = _run(graph, setup, recorder)
            place_cores(session.region, result.units)
            session.region.mark_stopped()
    except LanescopeError:
        if session.records == 0:
            session.discard()
        raise
    return GpuCapture(session, result, check, first)


@contextmanager
def _reached(engine: JobEngine, region: Region) -> Iterator[RecordingTarget]:
    """Let the device write into the region for as long as the block runs."""
    address = engine.reach(region)
    handle = engine.handle(region, address)
    try:
        yield RecordingTarget(address, handle.address if handle else 0)
    finally:
        with suppress(LanescopeError):  # a kernel that failed took the context along
            if handle is not None:
                handle.close()
            engine.leave(region)


def region_config(graph: TaskGraph, machine: GpuMachine, recording: Recording) -> RegionConfig:
    """Return the region that this run needs; its times are ns of the GPU's clock."""
    cores = tuple(
        Core(CORE_KIND, controller=number % machine.schedulers) for number in range(machine.workers)
    )
    config = recorded_region(
        graph,
        recording,
        cores=cores,
        schedulers=machine.schedulers,
        orchestrators=1,
        pre_dispatch=machine.pre_dispatch,
        clock_hz=DEVICE_HZ,
        own_clock=False,
    )
    if not recording.core_swimlane:
        return config
    records = dict.fromkeys(KINDS, recording.buffer_records)
    records["slice"] += constant("LS_SLICE_CLOCK_RECORDS")
    names = dict(enumerate(graph.functions))
    marks = dict.fromkeys((MARK_NAMES + func for func in names), BUSY)
    pipes = {PIPE_NAMES + number: role for number, role in enumerate(ROLES)}
    return replace(
        config,
        pipes=len(ROLES),
        pipes_beside=True,
        buffer_records=records,
        functions=names | marks | pipes,
    )


def _run(
    graph: TaskGraph, setup: GpuSetup, recorder: RecordingTarget
) -> tuple[JobResult, Check | None]:
    job = MegakernelJob(setup.engine.memory, graph, setup.program, setup.machine, recorder=recorder)
    try:
        run_beside(lambda: setup.engine.run(job.address), job.cancel)
        result = job.result()
        return result, None if result.interrupted else job.check()
    finally:
        with suppress(LanescopeError):  # as above
            job.close()


def place_cores(region: Region, units: tuple[int, ...]) -> None:
    """Write into the region, as each core's cluster, the SM that it ran on."""
    entry, at = layout("ls_core_entry"), int(region.head.header["cores"])
    table = region.memory[at : at + len(units) * entry.itemsize].view(entry)
    table["cluster"] = units


def _trace(done: GpuCapture, last: ClockAnchor | None) -> Trace:
    result, first = done.result, done.first
    trace = done.session.reconcile()
    meta = trace.meta
    facts = meta.recording or RecordingFacts()
    facts = msgspec.structs.replace(
        facts,
        clock_step_ns=result.clock_step_ns,
        clock_error_ns=max(result.clock_error_ns, facts.clock_error_ns or 0),
        bank_cores=result.bank_cores,
    )
    facts = _with_submits(facts, trace, result.submits_ns)
    notes = meta.notes
    if result.interrupted:
        notes += ("The run was interrupted; tasks not dispatched by then never ran.",)
    clock = host_clock(meta, first, last) if first is not None else meta.host_clock
    return trace.with_meta(recording=facts, notes=notes, host_clock=clock)


def _with_submits(
    facts: RecordingFacts, trace: Trace, submits_ns: tuple[int, int] | None
) -> RecordingFacts:
    """Say when tasks were submitted, which the kernel knows at every level."""
    dispatch, base = trace.tasks["dispatch_ns"], trace.meta.base_cycles
    dispatch = dispatch[dispatch != MISSING]
    if submits_ns is None or base is None or not len(dispatch):
        return facts
    begun, submitted = submits_ns  # on the clock of the base, whose cycles are ns
    first = base + trace.meta.base_shift_ns + int(dispatch.min())
    return msgspec.structs.replace(
        facts, submit_lead_ns=first - begun, submitting_ns=submitted - begun
    )
