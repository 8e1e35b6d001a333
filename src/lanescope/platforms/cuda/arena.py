"""Named arrays in one block of the device's memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from lanescope.native import Array

_ALIGNMENT = 256


class ArenaMemory(Protocol):
    """A device's memory, as far as it is needed here."""

    def allocate(self, size: int) -> int: ...

    def free(self, address: int) -> None: ...

    def write(self, address: int, data: Array) -> None: ...

    def read(self, address: int, out: Array) -> None: ...


class Arena:
    """Holds copies of the arrays from here to `close`."""

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
        return self._base + self._offsets[name]

    def write(self, name: str, array: Array) -> None:
        if array.nbytes:
            self._memory.write(self.address(name), np.ascontiguousarray(array))

    def read(self, name: str) -> Array:
        """The array as it is on the device now."""
        out = np.empty_like(self._arrays[name], order="C")
        if out.nbytes:
            self._memory.read(self.address(name), out)
        return out

    def close(self) -> None:
        self._memory.free(self._base)
