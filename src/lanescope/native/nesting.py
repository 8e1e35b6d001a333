"""Rows that lie in each other: which is around which, and which is innermost when (lanes.c)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.native import Array, library


@dataclass(frozen=True, slots=True, eq=False)
class Nesting:
    """Rows of lanes, each with the row around it, and time cut at every change of the innermost."""

    parent: Array
    """By row: the row around it, -1 where there is none."""
    until: Array
    """By row: its end, or that of a row around it where that ends earlier."""
    own: Array
    """By row: ns in which it was the innermost."""
    piece_row: Array
    """By piece of time: the innermost row."""
    piece_start: Array
    piece_end: Array


def nest(lane: Array, start: Array, end: Array) -> Nesting:
    """Nest rows that are sorted by lane, then start, then the longest first."""
    count = len(start)
    columns: tuple[Array, ...] = (
        np.ascontiguousarray(lane, np.int32),
        np.ascontiguousarray(start, np.int64),
        np.ascontiguousarray(end, np.int64),
    )
    if len(columns[0]) != count or len(columns[2]) != count:
        raise ValueError("lane, start and end must have the same length")
    rows = [np.empty(count, np.int64) for _ in range(3)]
    pieces = [np.empty(2 * count, np.int64) for _ in range(3)]
    found = library().ls_nest(count, *(a.ctypes.data for a in (*columns, *rows, *pieces)))
    return Nesting(*rows, *(piece[:found].copy() for piece in pieces))
