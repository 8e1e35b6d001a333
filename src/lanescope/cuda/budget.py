"""What a compiled kernel needs of an SM. Compare a build with one that has -DLS_RECORDING=0."""

from __future__ import annotations

from ctypes import byref, c_int, c_size_t
from dataclasses import dataclass

from lanescope.cuda import driver
from lanescope.results import Result

_SHARED_BYTES, _LOCAL_BYTES, _REGISTERS = 1, 3, 4  # CUfunction_attribute


@dataclass(frozen=True, slots=True)
class KernelBudget(Result):
    """What a kernel needs of an SM."""

    registers: int
    """Number of registers of a thread."""
    local_bytes: int
    """Local memory of a thread."""
    shared_bytes: int
    """Shared memory of a CTA that the kernel declares; what a launch adds is not in it."""
    blocks_per_unit: int
    """Number of CTAs that an SM can hold at a time."""


def kernel_budget(image: bytes, name: str, block: int, *, dynamic_bytes: int = 0) -> KernelBudget:
    """Return what a kernel needs of an SM of the current GPU.

    `image` is a cubin or PTX that holds the kernel. It is launched with `block` threads per CTA and
    `dynamic_bytes` of shared memory beside what it declares.
    """
    driver.use_context()
    module, function = driver.load_function(image, name)
    try:
        registers, local, shared, blocks = (c_int() for _ in range(4))
        for value, which in (
            (registers, _REGISTERS),
            (local, _LOCAL_BYTES),
            (shared, _SHARED_BYTES),
        ):
            driver.call("cuFuncGetAttribute", byref(value), which, function)
        driver.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            byref(blocks),
            function,
            c_int(block),
            c_size_t(dynamic_bytes),
        )
    finally:
        driver.unload(module)
    return KernelBudget(registers.value, local.value, shared.value, blocks.value)
