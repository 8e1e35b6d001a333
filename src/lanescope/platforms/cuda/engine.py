"""What runs a job: a GPU through its driver. Tests have an engine that is made of threads."""

from __future__ import annotations

from typing import Protocol

from lanescope.cuda import driver
from lanescope.cuda.clock import ClockAnchor, fit_clock
from lanescope.cuda.handle import Handle
from lanescope.cuda.kernel import DeviceMemory, ResidentKernel, find_gpu
from lanescope.device.layouts import constant
from lanescope.device.region import Region
from lanescope.platforms.cuda.arena import ArenaMemory
from lanescope.platforms.cuda.compile import kernel_code
from lanescope.platforms.cuda.machine import GpuMachine

KERNEL = "megakernel"


class JobEngine(Protocol):
    """Runs jobs on one machine, as often as one likes."""

    @property
    def name(self) -> str: ...

    @property
    def memory(self) -> ArenaMemory: ...

    def run(self, job_address: int) -> None:
        """Run the kernel to its end."""

    def reach(self, region: Region) -> int:
        """Let the device write into the region; return the region's address on the device."""

    def leave(self, region: Region) -> None:
        """Undo `reach`."""

    def handle(self, region: Region, region_address: int) -> Handle | None:
        """Return the handle for recording slices; None where the region has none."""

    def fit(self) -> ClockAnchor | None:
        """Measure the device's clock against the host's; None: both are the same."""


class GpuEngine:
    """The engine that is this machine's first GPU."""

    def __init__(self, machine: GpuMachine, *, slice_records: int | None = None) -> None:
        self._machine = machine
        gpu = find_gpu()
        self.name = gpu.name
        self.memory = DeviceMemory()
        code = kernel_code(gpu.arch, slice_records=slice_records)
        driver.use_context()
        self._kernel = ResidentKernel(code, KERNEL, gpu=gpu, shared_bytes=machine.shared_bytes())

    def run(self, job_address: int) -> None:
        """Run the kernel to its end."""
        driver.use_context()  # of the calling thread
        self._kernel.run(job_address, ctas=self._machine.ctas, threads=constant("LS_MEGA_THREADS"))

    def reach(self, region: Region) -> int:
        """Map the region into the GPU's memory; return its address there."""
        return driver.map_host(region.address, len(region.memory))

    def leave(self, region: Region) -> None:
        """Undo `reach`."""
        driver.unmap_host(region.address)

    def handle(self, region: Region, region_address: int) -> Handle | None:
        """Return the handle for recording slices; None where the region has none."""
        if not int(region.head.header["pipe_count"]):
            return None
        return Handle(region.head, region_address)

    def fit(self) -> ClockAnchor | None:
        """Measure the GPU's clock against the host's."""
        return fit_clock()

    def close(self) -> None:
        """Unload the kernel."""
        self._kernel.close()
