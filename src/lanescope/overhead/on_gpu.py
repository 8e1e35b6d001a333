"""One run of one configuration on a GPU.

Its time is the kernel's own, at every level: on the GPU's clock, from before the first task is
submitted to when the last one is resolved. What the host does before and after is not in it.
"""

from __future__ import annotations

from pathlib import Path

from lanescope.errors import LanescopeError
from lanescope.overhead.sample import RunSample, sample_of
from lanescope.platforms.cuda.program import Check
from lanescope.platforms.cuda.recorded import GpuSetup, record, run_plain
from lanescope.platforms.recording import Recording
from lanescope.workloads.graph import TaskGraph


def measure_gpu(
    graph: TaskGraph, setup: GpuSetup, recording: Recording, *, directory: Path
) -> RunSample:
    """Run the graph once on a GPU. `directory` holds the capture and is then removed.

    Wrong numbers are an error, because then the run did other work than the ones beside it.
    """
    if recording.chip_swimlane == 0:
        plain = run_plain(graph, setup)
        _require_right(plain.check)
        return RunSample(plain.result.makespan_ns)
    done = record(graph, setup, recording, directory=directory)
    try:
        _require_right(done.check)
        return sample_of(done.session, done.result.makespan_ns, done.result.tasks_per_core)
    finally:
        done.session.discard()


def _require_right(check: Check | None) -> None:
    """Refuse a run with wrong numbers; one without a check was interrupted."""
    if check is None:
        raise KeyboardInterrupt
    if check.problem:
        raise LanescopeError(check.problem)
