"""A kernel whose CTAs are all resident at once, and device memory, both through the driver."""

from __future__ import annotations

from ctypes import addressof, byref, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lanescope.cuda import driver
from lanescope.errors import UsageError

_MULTIPROCESSORS, _MAJOR, _MINOR = 16, 75, 76  # CUdevice_attribute
_SHARED_PER_MULTIPROCESSOR, _COOPERATIVE, _SHARED_PER_BLOCK = 81, 95, 97
_DYNAMIC_SHARED = 8  # CUfunction_attribute
_NON_BLOCKING = 1  # cuStreamCreate
_RESERVED_BYTES = 1024
"""Shared memory of every CTA that the system keeps for itself (CUDA programming guide, 9.0)."""


@dataclass(frozen=True, slots=True)
class Properties:
    """What a launch must know of the GPU. Sizes are in bytes."""

    name: str
    multiprocessors: int
    major: int
    minor: int
    shared_per_multiprocessor: int
    shared_per_block: int
    cooperative: bool

    @property
    def arch(self) -> str:
        """The architecture as compilers call it: `sm_90`."""
        return f"sm_{self.major}{self.minor}"


def find_gpu() -> Properties:
    """Return the properties of the first GPU; no context is needed."""
    from ctypes import create_string_buffer

    device, name = c_int(), create_string_buffer(128)
    driver.call("cuDeviceGet", byref(device), 0)
    driver.call("cuDeviceGetName", name, 128, device)

    def attribute(number: int) -> int:
        value = c_int()
        driver.call("cuDeviceGetAttribute", byref(value), number, device)
        return value.value

    return Properties(
        name=name.value.decode(errors="replace"),
        multiprocessors=attribute(_MULTIPROCESSORS),
        major=attribute(_MAJOR),
        minor=attribute(_MINOR),
        shared_per_multiprocessor=attribute(_SHARED_PER_MULTIPROCESSOR),
        shared_per_block=attribute(_SHARED_PER_BLOCK),
        cooperative=bool(attribute(_COOPERATIVE)),
    )


class DeviceMemory:
    """The memory of the GPU, by address."""

    def allocate(self, size: int) -> int:
        """Return the address of `size` new bytes."""
        return driver.allocate(size)

    def free(self, address: int) -> None:
        """Free what `allocate` returned."""
        driver.free(address)

    def write(self, address: int, data: npt.NDArray[np.generic]) -> None:
        """Copy an array to the GPU."""
        size = c_size_t(data.nbytes)
        driver.call("cuMemcpyHtoD_v2", c_uint64(address), c_void_p(data.ctypes.data), size)

    def read(self, address: int, out: npt.NDArray[np.generic]) -> None:
        """Fill an array from the GPU."""
        size = c_size_t(out.nbytes)
        driver.call("cuMemcpyDtoH_v2", c_void_p(out.ctypes.data), c_uint64(address), size)


class ResidentKernel:
    """A kernel of which an SM holds one CTA at a time.

    Each CTA asks for half of an SM's shared memory or more.
    """

    def __init__(self, code: bytes, name: str, *, gpu: Properties, shared_bytes: int) -> None:
        self._gpu = gpu
        self._module, self._function = c_void_p(), c_void_p()
        driver.call("cuModuleLoadData", byref(self._module), code)
        driver.call("cuModuleGetFunction", byref(self._function), self._module, name.encode())
        self.shared_bytes = max(shared_bytes, gpu.shared_per_multiprocessor // 2)
        room = gpu.shared_per_block - _RESERVED_BYTES
        if self.shared_bytes > room or not gpu.cooperative:
            raise UsageError(
                f"the kernel needs {self.shared_bytes:,} bytes of shared memory per CTA and "
                f"cooperative launches; {gpu.name} has {room:,} bytes and "
                f"{'has' if gpu.cooperative else 'lacks'} such launches"
            )
        driver.call("cuFuncSetAttribute", self._function, _DYNAMIC_SHARED, c_int(self.shared_bytes))

    def resident_ctas(self, threads: int) -> int:
        """Return how many CTAs with so many threads the GPU holds at once."""
        count = c_int()
        driver.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            byref(count),
            self._function,
            c_int(threads),
            c_size_t(self.shared_bytes),
        )
        return count.value * self._gpu.multiprocessors

    def run(self, argument: int, *, ctas: int, threads: int) -> None:
        """Launch the kernel and wait for its end. The calling thread needs the context.

        Raises:
            UsageError: the GPU does not hold so many CTAs at once.
        """
        if ctas > self.resident_ctas(threads):
            raise UsageError(
                f"{self._gpu.name} holds {self.resident_ctas(threads)} CTAs of this kernel at "
                f"once, not {ctas}"
            )
        stream, value = c_void_p(), c_uint64(argument)
        driver.call("cuStreamCreate", byref(stream), _NON_BLOCKING)
        try:
            driver.call(
                "cuLaunchCooperativeKernel",
                self._function,
                *map(c_uint, (ctas, 1, 1, threads, 1, 1, self.shared_bytes)),
                stream,
                (c_void_p * 1)(addressof(value)),
            )
            driver.call("cuStreamSynchronize", stream)
        finally:
            driver.call("cuStreamDestroy_v2", stream)

    def close(self) -> None:
        """Unload the kernel."""
        driver.unload(self._module)
