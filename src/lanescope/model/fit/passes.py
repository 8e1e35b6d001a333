"""Seconds of one pass over equal layers, with and without prefetch, cold at its start.

The first layers are resident, the next one in part. The host starts operations one after the
other and does not wait for them, so its time shows only where the board would be done sooner.
"""

from __future__ import annotations

from typing import NamedTuple

HIDDEN_SHARE = 0.5
"""Of two links in series, storage to host and host to board: the share of the faster one's time
that prefetch hides behind the slower one. Six published runs need 0.34 to 0.64."""
_SLOTS = 2
"""Layers that can wait in the memory: double buffering."""


class LayerPass(NamedTuple):
    """What one pass takes of each resource, in seconds."""

    link_s: float
    storage_s: float
    on_chip_s: float
    start_s: float
    layers: int
    resident_share: float


def serial_s(one: LayerPass) -> float:
    """Seconds without prefetch: storage, link and board one after the other, layer by layer."""
    copy = one.link_s + one.storage_s
    if one.layers == 0 or one.start_s == 0:
        return max(copy + one.on_chip_s, one.start_s)
    compute, start = one.on_chip_s / one.layers, one.start_s / one.layers
    done = 0.0
    for layer, missing in enumerate(_missing(one)):
        done = max(done + copy * missing + compute, (layer + 1) * start)
    return done


def prefetched_s(one: LayerPass) -> float:
    """Seconds with prefetch: a copy needs the link and one of two slots.

    A layer computes when its own copy and the layer before are done.
    """
    slow, fast = max(one.link_s, one.storage_s), min(one.link_s, one.storage_s)
    copy = slow + (1 - HIDDEN_SHARE) * fast
    if one.layers == 0 or copy == 0:
        return max(copy, one.on_chip_s, one.start_s)
    compute, start = one.on_chip_s / one.layers, one.start_s / one.layers
    link_free, done, turn = 0.0, 0.0, 0
    slot_free = [0.0] * _SLOTS
    for layer, missing in enumerate(_missing(one)):
        ready = 0.0
        if missing > 0:
            link_free = max(link_free, slot_free[turn]) + copy * missing
            ready = link_free
        done = max(max(done, ready) + compute, (layer + 1) * start)
        if missing > 0:
            slot_free[turn] = done
            turn = (turn + 1) % _SLOTS
    return max(done, link_free)


def _missing(one: LayerPass) -> list[float]:
    """Share of all copies that each layer needs; they add up to 1, or to 0 if all is resident."""
    kept = one.resident_share * one.layers
    missing = [min(1.0, max(0.0, layer + 1 - kept)) for layer in range(one.layers)]
    total = sum(missing)
    return [part / total if total > 0 else 0.0 for part in missing]
