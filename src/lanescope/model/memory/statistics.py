"""What a memory did: the same counts for every memory model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from lanescope.model.memory.access import PS_PER_S


@dataclass
class Statistics:
    """Counts of one memory; it adds to them as it is accessed."""

    model: str
    timing: str
    """Name of what times the memory."""
    policy: str | None = None
    capacity_bytes: int | None = None
    link_bytes_per_s: int | None = None
    accesses: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    unlisted_bytes: int = 0
    """Bytes at addresses that no region of the manifest holds; they count as resident."""
    hits: int = 0
    """Touches of a unit that moved nothing over the link."""
    swaps: int = 0
    """Touches of a unit that loaded it."""
    swapped_bytes: int = 0
    """Bytes that swaps loaded."""
    streamed_bytes: int = 0
    """Bytes that came over the link past the memory."""
    written_back_bytes: int = 0
    """Bytes that went back to the host."""
    resident_bytes: int = 0
    """Bytes in the memory after the last access."""
    link_ps: int = 0
    memory_ps: int = 0
    total_ps: int = 0

    def to_dict(self, elapsed_ps: int) -> dict[str, Any]:
        """Every count, and the share of the elapsed time in which link and memory were busy."""
        return {
            **asdict(self),
            "elapsed_ps": elapsed_ps,
            "link_utilisation": _share(self.link_ps, elapsed_ps),
            "memory_utilisation": _share(self.memory_ps, elapsed_ps),
            "bytes_per_s": _share((self.read_bytes + self.written_bytes) * PS_PER_S, elapsed_ps),
        }

    def lines(self, elapsed_ps: int) -> list[str]:
        """Every count as lines of text."""
        shares = self.to_dict(elapsed_ps)
        head = f"memory model {self.model} ({self.timing}"
        head += f", {self.policy}" if self.policy else ""
        head += f", {self.capacity_bytes:,} bytes" if self.capacity_bytes is not None else ""
        head += f", link {self.link_bytes_per_s:,} bytes/s" if self.link_bytes_per_s else ""
        return [
            head + ")",
            f"  read {self.read_bytes:,} bytes, written {self.written_bytes:,} bytes in "
            f"{self.accesses:,} accesses; {shares['bytes_per_s'] / 1e9:,.3f} GB/s",
            f"  hits {self.hits:,}, swaps {self.swaps:,} ({self.swapped_bytes:,} bytes), "
            f"streamed {self.streamed_bytes:,} bytes, written back "
            f"{self.written_back_bytes:,} bytes",
            f"  memory {self.memory_ps / 1000:,.0f} ns ({shares['memory_utilisation']:.1%}), "
            f"link {self.link_ps / 1000:,.0f} ns ({shares['link_utilisation']:.1%})",
        ]


def _share(part: int, whole: int) -> float:
    return part / whole if whole > 0 else 0.0
