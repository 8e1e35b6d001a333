"""The emulator's view of a memory: a link in whole nanoseconds, and a memory that costs nothing.

Only its recorded times are compared with these; the model itself is exact.
"""

from __future__ import annotations

from lanescope.model.memory.access import PS_PER_S, Pieces


class TickedLink:
    """Charges every chunk in whole ticks, rounded down: 64 bytes and 1 ns in the emulator.

    A link faster than chunk / tick (64 GB/s) costs nothing.
    """

    def __init__(self, bytes_per_s: int, *, chunk_bytes: int = 64, tick_ps: int = 1000) -> None:
        self.bytes_per_s = bytes_per_s
        self._chunk_bytes = chunk_bytes
        self._tick_ps = tick_ps

    def fresh(self) -> TickedLink:
        """The link itself: it remembers nothing."""
        return self

    def charge_ps(self, size_bytes: int) -> int:
        """Picoseconds that so many bytes take."""
        whole, rest = divmod(size_bytes, self._chunk_bytes)
        return whole * self._ticked_ps(self._chunk_bytes) + self._ticked_ps(rest)

    def _ticked_ps(self, size_bytes: int) -> int:
        ticks = size_bytes * PS_PER_S // (self.bytes_per_s * self._tick_ps)
        return ticks * self._tick_ps


class Untimed:
    """A memory that costs nothing: compute and link remain."""

    name = "untimed"

    def fresh(self) -> Untimed:
        """The memory itself: it remembers nothing."""
        return self

    def read_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """0 ps for any read."""
        return 0

    def write_ps(self, pieces: Pieces, at_ps: int | None) -> int:
        """0 ps for any write."""
        return 0

    def stream_ps(self, size_bytes: int) -> int:
        """0 ps for any number of bytes."""
        return 0
