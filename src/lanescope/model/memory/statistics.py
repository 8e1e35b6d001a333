"""What a memory did: the same counts for every memory model, an outer one's behind its inner's."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from lanescope.model.memory.access import PS_PER_S

CHUNK = 64
"""Bytes of one request to the memory: PLENA_Simulator transactional_emulator/src/dma.rs."""


@dataclass
class HostStatistics:
    """Counts of what lies between a memory and the host."""

    policy: str
    link_bytes_per_s: int
    capacity_bytes: int | None = None
    unlisted_bytes: int = 0
    """Bytes at addresses that no region of the manifest holds; they count as resident."""
    weight_reads: int = 0
    """Reads of 64 bytes, of what may move: weights, or what the model swaps."""
    weight_bytes: int = 0
    activation_reads: int = 0
    """Reads of 64 bytes, of everything else."""
    activation_bytes: int = 0
    hits: int = 0
    """Touches of a unit that moved nothing over the link."""
    swaps: int = 0
    """Touches of a unit that loaded it."""
    swapped_bytes: int = 0
    """Bytes that swaps loaded."""
    swap_ps: int = 0
    """Time of the swaps."""
    streamed_bytes: int = 0
    """Bytes that came over the link past the memory."""
    written_back_bytes: int = 0
    """Bytes that went back to the host."""
    resident_bytes: int = 0
    """Bytes of what may move that are in the memory after the last access."""
    link_ps: int = 0

    def lines(self, model: str, elapsed_ps: int) -> list[str]:
        """Every count as lines of text."""
        head = f"{model} ({self.policy}"
        head += f", {self.capacity_bytes:,} bytes" if self.capacity_bytes is not None else ""
        return [
            f"{head}, link {self.link_bytes_per_s:,} bytes/s): weight reads "
            f"{self.weight_reads:,} ({self.weight_bytes:,} bytes), activation reads "
            f"{self.activation_reads:,} ({self.activation_bytes:,} bytes)",
            f"  swaps {self.swaps:,} ({self.swapped_bytes:,} bytes, {self.swap_ps / 1000:,.0f} ns),"
            f" hits {self.hits:,}, streamed {self.streamed_bytes:,} bytes, written back "
            f"{self.written_back_bytes:,} bytes; resident at the end {self.resident_bytes:,} bytes",
            f"  link {self.link_ps / 1000:,.0f} ns ({_share(self.link_ps, elapsed_ps):.1%})",
        ]


@dataclass
class Statistics:
    """Counts of one memory; it adds to them as it is accessed."""

    model: str
    timing: str
    """Name of what times the memory."""
    accesses: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    memory_ps: int = 0
    """Time of the memory itself."""
    total_ps: int = 0
    """Time of all accesses, swaps and the link included."""
    host: HostStatistics | None = None
    """The outer part of a model in which something comes from the host."""

    def to_dict(self, elapsed_ps: int) -> dict[str, Any]:
        """Every count, and shares of the elapsed time."""
        moved = self.read_bytes + self.written_bytes
        host = None
        if self.host is not None:
            busy = _share(self.host.link_ps, elapsed_ps)
            host = {**asdict(self.host), "link_utilisation": busy}
        return {
            **asdict(self),
            "host": host,
            "elapsed_ps": elapsed_ps,
            "memory_utilisation": _share(self.memory_ps, elapsed_ps),
            "bytes_per_s": _share(moved * PS_PER_S, elapsed_ps),
        }

    def lines(self, elapsed_ps: int) -> list[str]:
        """Every count as lines of text, the host's behind the memory's own."""
        shares = self.to_dict(elapsed_ps)
        lines = [
            f"memory ({self.timing}): read {self.read_bytes:,} bytes, written "
            f"{self.written_bytes:,} bytes in {self.accesses:,} accesses, "
            f"{shares['bytes_per_s'] / 1e9:,.3f} GB/s; busy {self.memory_ps / 1000:,.0f} ns "
            f"({shares['memory_utilisation']:.1%})"
        ]
        return lines if self.host is None else lines + self.host.lines(self.model, elapsed_ps)


def _share(part: int, whole: int) -> float:
    return part / whole if whole > 0 else 0.0
