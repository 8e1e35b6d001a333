"""Timing of the board's own memory: what every timing can do, and one without banks.

`lanescope.model.dram.BankTiming` is the other one: banks, rows and refresh.
"""

from __future__ import annotations

from typing import Protocol

from lanescope.model.memory.access import PS_PER_S, Pieces, total_bytes
from lanescope.model.memory.link import positive


class Timing(Protocol):
    """How long a memory takes for its accesses; `name` says which model it is."""

    name: str

    def fresh(self) -> Timing:
        """The same memory before its first access."""
        ...

    def read_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """Picoseconds of a read that begins at `at_ps`; None: when the last access has ended."""
        ...

    def write_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """Picoseconds of a write that begins at `at_ps`; None: when the last access has ended."""
        ...

    def stream_ps(self, size_bytes: int) -> int:
        """Picoseconds of a long run of adjacent bytes, as a swap writes them."""
        ...


class Service:
    """A memory with a fixed latency per access and one rate for all bytes."""

    def __init__(self, bytes_per_s: int, *, latency_ps: int = 0) -> None:
        self.bytes_per_s = positive("memory bandwidth (bytes/s)", bytes_per_s)
        self.latency_ps = latency_ps
        self.name = f"{bytes_per_s / 1e9:g} GB/s + {latency_ps / 1000:g} ns"

    def fresh(self) -> Service:
        """The memory itself: it remembers nothing."""
        return self

    def read_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """Picoseconds of one read: the latency and the bytes."""
        return self.latency_ps + self.stream_ps(total_bytes(pieces))

    def write_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """Picoseconds of one write: as long as a read."""
        return self.read_ps(pieces, at_ps)

    def stream_ps(self, size_bytes: int) -> int:
        """Picoseconds of so many bytes at the rate, rounded up."""
        return -(-size_bytes * PS_PER_S // self.bytes_per_s)
