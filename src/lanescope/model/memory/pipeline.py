"""Time of one pass that copies the next layers while one computes, with a few slots.

A copy needs the link and a free slot. A layer computes when its own copy and the layer before are
done. The pass starts cold.
"""

from __future__ import annotations

from collections.abc import Sequence

SLOTS = 2
"""Layers that can wait in the memory: double buffering."""


def pipelined_s(
    copies_s: Sequence[float], computes_s: Sequence[float], *, slots: int = SLOTS
) -> float:
    """Seconds of one pass; a layer with a copy of 0 s is resident and needs no slot."""
    link_free = 0.0
    done = 0.0
    slot_free = [0.0] * slots
    turn = 0
    for copy_s, compute_s in zip(copies_s, computes_s, strict=True):
        ready = 0.0
        if copy_s > 0:
            link_free = max(link_free, slot_free[turn]) + copy_s
            ready = link_free
        done = max(done, ready) + compute_s
        if copy_s > 0:
            slot_free[turn] = done
            turn = (turn + 1) % slots
    return max(done, link_free)
