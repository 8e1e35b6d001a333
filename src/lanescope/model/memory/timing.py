"""Timing of the board's own memory, without banks: free, or a latency and a bandwidth.

`lanescope.model.dram.BankTiming` is the third one: banks, rows and refresh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lanescope.model.memory.access import PS_PER_S, Piece, total_bytes
from lanescope.model.memory.link import positive


class Timing(Protocol):
    """How long the memory takes; `name` says which model it is."""

    name: str

    def fresh(self) -> Timing:
        """The same memory before its first access."""
        ...

    def read_ps(self, pieces: Sequence[Piece], at_ps: int | None) -> int:
        """Time of one read that begins at `at_ps` (None: when the last access has ended)."""
        ...

    def write_ps(self, pieces: Sequence[Piece], at_ps: int | None) -> int: ...

    def stream_ps(self, size_bytes: int) -> int:
        """Time of a long run of bytes one after the other, as a swap writes them."""
        ...


class Service:
    """A fixed latency per access, then bytes at one rate."""

    def __init__(self, bytes_per_s: int, *, latency_ps: int = 0) -> None:
        self.bytes_per_s = positive("memory bandwidth (bytes/s)", bytes_per_s)
        self.latency_ps = latency_ps
        self.name = f"{bytes_per_s / 1e9:g} GB/s + {latency_ps / 1000:g} ns"

    def fresh(self) -> Service:
        return self

    def read_ps(self, pieces: Sequence[Piece], at_ps: int | None) -> int:
        return self.latency_ps + self.stream_ps(total_bytes(pieces))

    def write_ps(self, pieces: Sequence[Piece], at_ps: int | None) -> int:
        return self.read_ps(pieces, at_ps)

    def stream_ps(self, size_bytes: int) -> int:
        return -(-size_bytes * PS_PER_S // self.bytes_per_s)
