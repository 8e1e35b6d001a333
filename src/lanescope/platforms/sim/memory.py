"""The chip's memory: one queue for the transfers of all cores, first come, first served.

Times are kept in units of 1/bytes_per_s ps, in which a byte takes exactly PS_PER_S units. So
nothing is rounded inside, and the bytes in any interval never exceed the bandwidth. Only the end
that a core sees is rounded up to whole picoseconds.
"""

from __future__ import annotations

from lanescope.errors import UsageError
from lanescope.platforms.sim.kernel import PS_PER_S, Kernel


class SharedMemory:
    """Serves one transfer at a time, at full bandwidth, while any waits."""

    def __init__(self, kernel: Kernel, bytes_per_s: int | None) -> None:
        if bytes_per_s is not None and bytes_per_s <= 0:
            raise UsageError(
                f"a memory's bandwidth must be positive, or None for no limit, found {bytes_per_s}"
            )
        self.kernel = kernel
        self.bytes_per_s = bytes_per_s
        self.bytes_served = 0
        self._free = 0

    def take(self, size: int) -> int:
        """Queue a transfer now; return the time in ps when its last byte has passed."""
        self.bytes_served += size
        now_ps = self.kernel.now_ps
        if self.bytes_per_s is None:
            return now_ps
        now = now_ps * self.bytes_per_s
        self._free = max(now, self._free) + size * PS_PER_S
        return -(-self._free // self.bytes_per_s)
