"""Pairs begins of slices with their ends: on each track the last begin is paired first."""

from __future__ import annotations

import numpy as np

from lanescope.trace.table import Array


def pair_ends(track: Array, begins: Array) -> tuple[Array, Array]:
    """Rows of begins and rows of their ends.

    Args:
        track: The track of each row; rows are in the order of time.
        begins: Whether a row begins a slice; else it ends one.

    With +1 at begins and -1 at ends, the steps between two levels go up and down in turn: a step
    up and the next step down between the same levels are a slice.
    """
    if not len(track):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    order = np.argsort(track, kind="stable")
    track, up = track[order], begins[order]
    level = np.cumsum(np.where(up, 1, -1))
    step = level + np.where(up, 0, 1)  # Both sides of a step have the number of its upper level.
    by_step = np.lexsort((np.arange(len(step)), step, track))
    first, second = by_step[:-1], by_step[1:]
    pairs = up[first] & ~up[second]
    pairs &= (step[first] == step[second]) & (track[first] == track[second])
    return order[first[pairs]], order[second[pairs]]
