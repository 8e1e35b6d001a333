"""What a compiled kernel takes of an SM; compare it with and without -DLS_RECORDING=0."""

from __future__ import annotations

from ctypes import byref, c_int, c_size_t
from dataclasses import dataclass

from lanescope.cuda import driver

_SHARED_BYTES, _LOCAL_BYTES, _REGISTERS = 1, 3, 4  # CUfunction_attribute


@dataclass(frozen=True, slots=True)
class Budget:
    """Per thread, except `shared_bytes`, which is per CTA."""

    registers: int
    local_bytes: int
    shared_bytes: int
    """Declared in the kernel; what a launch adds is not in it."""
    blocks_per_unit: int
    """CTAs that an SM can hold at a time."""


def kernel_budget(image: bytes, name: str, block: int, *, dynamic_bytes: int = 0) -> Budget:
    """Of a kernel in a cubin or PTX, launched with `block` threads per CTA on the current GPU."""
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
    return Budget(registers.value, local.value, shared.value, blocks.value)
