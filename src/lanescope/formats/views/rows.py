"""Rows of tables by mask, by value and by group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.trace import Table
from lanescope.trace.table import Array


def only(table: Table, mask: Array) -> Table:
    return table if mask.all() else table.rows(mask)


def find(values: Array, wanted: Array) -> Array:
    """Where each wanted value first occurs in `values`, or -1."""
    if not len(values):
        return np.full(len(wanted), -1)
    least, most = int(values.min()), int(values.max())
    if most - least < 4 * len(values):
        place = np.full(most - least + 1, -1)
        place[values[::-1] - least] = np.arange(len(values))[::-1]
        inside = (wanted >= least) & (wanted <= most)
        return np.where(inside, place[np.where(inside, wanted, least) - least], -1)
    order = np.argsort(values, kind="stable")
    at = np.searchsorted(values[order], wanted)
    found = order[np.minimum(at, len(values) - 1)]
    return np.where(values[found] == wanted, found, -1)


def groups(code: Array) -> Iterator[tuple[int, Array]]:
    """Each different code with its rows, in the order of the codes."""
    if not len(code):
        return
    order = np.argsort(code, kind="stable")
    codes, starts = np.unique(code[order], return_index=True)
    yield from zip(codes.tolist(), np.split(order, starts[1:]), strict=True)
