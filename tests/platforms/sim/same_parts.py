"""What many cases have in common: protocols, small chips, small buffers."""

from __future__ import annotations

from typing import Any

PROTOCOLS = ("producer-rotated", "controller-rotated", "staging")
LATE = 2**32 - 3
"""A first token that overflows soon."""
NARROW = {"memory.hbm_bytes_per_s": 60_000_000_000}
"""A memory that cores share and wait for."""
SLOW = {"recording.host_latency_ns": 300_000}
"""A host that comes late."""
Fields = dict[str, Any]
"""Fields of a `SameCase`."""


def few(clusters: int = 2, schedulers: int = 2, **more: Any) -> dict[str, Any]:
    """Return the changes that make a small chip: cores are scarce, and buffers fill."""
    return {"chip.clusters": clusters, "chip.schedulers": schedulers, **more}


def tiny(records: int, buffers: int, **more: Any) -> dict[str, Any]:
    """Return a recording with few and small buffers."""
    return {"buffer_records": records, "buffers": buffers, **more}
