"""Reads all loops of a program at once, where nothing is wrong with any of them.

A program may have thousands of loops. Where something is wrong, loops.py follows them one by one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.model.isa.loops import MOST_DEPTH, MOST_REPEATS, Loops, LoopTable

Array = npt.NDArray[Any]


class LoopLines(NamedTuple):
    """The starts and ends of loops, in the order of the text."""

    row: Array
    starts: Array
    """Whether it is a start."""
    register: Array
    turns: Array
    """Of a start: how often the loop turns."""


def regular_loops(lines: LoopLines, total: int) -> Loops | None:
    """The loops of a program of `total` lines; None where anything is wrong with one of them."""
    after = np.cumsum(np.where(lines.starts, 1, -1))
    depth = np.where(lines.starts, after, after + 1)
    if len(after) and (after[-1] != 0 or after.min() < 0 or depth.max() > MOST_DEPTH):
        return None
    # Of one depth, starts and ends take turns.
    pairs = np.argsort(depth, kind="stable").reshape(-1, 2)
    first, last = pairs[np.argsort(pairs[:, 0])].T
    turns = lines.turns[first]
    if (lines.register[first] != lines.register[last]).any() or (turns < 1).any():
        return None
    parent, entered = _around(depth[first], turns)
    if (entered.astype(float) * turns >= MOST_REPEATS).any():
        return None
    repeats = np.empty(len(after) + 1, np.int64)
    repeats[0], repeats[first + 1], repeats[last + 1] = 1, entered * turns, entered
    lengths = np.diff(lines.row + 1, prepend=0, append=total)
    row = lines.row.astype(np.int64)
    table = LoopTable(row[first], row[last], turns, parent, depth[first], entered)
    return Loops(table, np.repeat(repeats, lengths), np.zeros(total, bool), ())


def _around(depth: Array, turns: Array) -> tuple[Array, Array]:
    """Per loop the number of the one around it, and how often it is entered, at most 2^53."""
    parent, entered = np.full(len(depth), -1), np.ones(len(depth), np.int64)
    outer = np.flatnonzero(depth == 1)
    for level in range(2, int(depth.max(initial=0)) + 1):
        inner = np.flatnonzero(depth == level)
        parent[inner] = around = outer[np.searchsorted(outer, inner) - 1]
        runs = np.minimum(entered[around].astype(float) * turns[around], MOST_REPEATS)
        entered[inner] = runs.astype(np.int64)
        outer = inner
    return parent, entered
