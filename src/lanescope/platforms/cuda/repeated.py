"""Many runs of one graph on this machine's GPU, with one kernel that is loaded once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from lanescope.cuda.host import own_folder
from lanescope.cuda.kernel import find_gpu
from lanescope.errors import UsageError
from lanescope.platforms.cuda.engine import GpuEngine
from lanescope.platforms.cuda.machine import GpuRequest
from lanescope.platforms.cuda.programs import program_of
from lanescope.platforms.cuda.recorded import GpuSetup
from lanescope.workloads.graph import TaskGraph

PROTOCOL = "producer-rotated"


def require_protocol(protocol: str) -> None:
    """Refuse a protocol that a GPU does not have."""
    if protocol != PROTOCOL:
        raise UsageError(
            f"the workers of a GPU rotate their own buffers ({PROTOCOL}): across the bus the "
            f"schedulers would wait for every record of {protocol}"
        )


class ReadyGpu(NamedTuple):
    """A GPU with the kernel and the graph's program, and a folder in which it can write."""

    setup: GpuSetup
    folder: Path


@contextmanager
def ready_gpu(graph: TaskGraph, wanted: GpuRequest) -> Iterator[ReadyGpu]:
    """Compile and load the kernel, for as long as the block runs; the folder is removed then."""
    machine = wanted.machine(find_gpu().multiprocessors)
    program = program_of(graph)
    engine = GpuEngine(machine)
    folder = own_folder()
    try:
        yield ReadyGpu(GpuSetup(engine, machine, program), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    engine.close()  # not after an error: a kernel that failed took the context along
