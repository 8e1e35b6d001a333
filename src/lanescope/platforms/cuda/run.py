"""`lanescope run --platform cuda`: a run on this machine's GPU, as the user asked for it."""

from __future__ import annotations

from pathlib import Path

from lanescope.cuda.host import own_folder
from lanescope.cuda.kernel import find_gpu
from lanescope.errors import LanescopeError
from lanescope.platforms.cuda.compile import find_compiler
from lanescope.platforms.cuda.engine import GpuEngine
from lanescope.platforms.cuda.machine import GpuRequest
from lanescope.platforms.cuda.programs import program_of
from lanescope.platforms.cuda.recorded import GpuOutcome, GpuSetup, run_recorded
from lanescope.platforms.cuda.repeated import require_protocol
from lanescope.platforms.recording import Recording
from lanescope.workloads.graph import TaskGraph


def run_on_gpu(
    graph: TaskGraph, wanted: GpuRequest, recording: Recording
) -> tuple[GpuOutcome, Path | None]:
    """Run the graph; also return the folder in memory that holds the capture, if there is one."""
    require_protocol(recording.protocol)
    machine = wanted.machine(find_gpu().multiprocessors)
    program = program_of(graph)
    slices = recording.buffer_records if recording.core_swimlane else None
    engine = GpuEngine(machine, slice_records=slices)
    folder = own_folder()
    directory = folder / f"{graph.name}.capture"
    try:
        setup = GpuSetup(engine, machine, program)
        outcome = run_recorded(graph, setup, recording, directory=directory)
    except LanescopeError as error:
        if not directory.exists():
            folder.rmdir()
            raise
        raise LanescopeError(f"{error}; what was recorded is in {directory}") from error
    engine.close()
    if outcome.trace is None:
        folder.rmdir()
        return outcome, None
    return outcome, folder


def describe() -> str:
    """Say which GPU and which compiler this machine has, or what is missing."""
    try:
        gpu = find_gpu()
        compiler = find_compiler()
    except LanescopeError as error:
        return f"not here: {error}"
    return (
        f"real: {gpu.name}, {gpu.multiprocessors} SMs of compute capability "
        f"{gpu.major}.{gpu.minor}, kernels compiled by {compiler.name}"
    )
