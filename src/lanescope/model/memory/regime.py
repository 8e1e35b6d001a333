"""The regime of a model on a memory: does all of it fit, the weights only, or not even they."""

from __future__ import annotations

from lanescope.model.manifest.manifest import Footprint
from lanescope.model.memory.link import positive


def choose_regime(footprint: Footprint, capacity_bytes: int) -> str:
    """`resident` if all fits, `kv-swap` if the weights fit, else `weight-stream`."""
    positive("capacity (bytes)", capacity_bytes)
    if footprint.total <= capacity_bytes:
        return "resident"
    if footprint.weight <= capacity_bytes:
        return "kv-swap"
    return "weight-stream"
