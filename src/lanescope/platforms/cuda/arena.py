"""Arrays with names in one block of the device's memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from lanescope.native import Array

_ALIGNMENT = 256


class ArenaMemory(Protocol):
    """The memory of a device: what an arena needs of it."""

    def allocate(self, size: int) -> int: ...

    def free(self, address: int) -> None: ...

    def write(self, address: int, data: Array) -> None: ...

    def read(self, address: int, out: Array) -> None: ...


class Arena:
    """Copies of arrays in the device's memory, until `close`."""

    def __init__(self, memory: ArenaMemory, arrays: Mapping[str, Array]) -> None:
        self._memory = memory
        self._arrays = dict(arrays)
        self._offsets: dict[str, int] = {}
        size = 0
        for name, array in self._arrays.items():
            self._offsets[name] = size
            size += -(-max(array.nbytes, 1) // _ALIGNMENT) * _ALIGNMENT
        self._base = memory.allocate(size)
        for name, array in self._arrays.items():
            self.write(name, array)

    def address(self, name: str) -> int:
        """Return the device's address of an array."""
        return self._base + self._offsets[name]

    def write(self, name: str, array: Array) -> None:
        """Copy new values over an array of the arena."""
        if array.nbytes:
            self._memory.write(self.address(name), np.ascontiguousarray(array))

    def read(self, name: str) -> Array:
        """Return the present values of an array on the device."""
        out = np.empty_like(self._arrays[name], order="C")
        if out.nbytes:
            self._memory.read(self.address(name), out)
        return out

    def close(self) -> None:
        """Free the device's memory."""
        self._memory.free(self._base)
