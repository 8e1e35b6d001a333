"""Rows of tables by mask and by group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.trace import Table
from lanescope.trace.numbering import is_rising
from lanescope.trace.rows import Rows
from lanescope.trace.table import Array


def only(table: Table, mask: Array) -> Table:
    """The rows of the mask; the table itself where that is all of them."""
    return table if mask.all() else table.rows(mask)


def groups(code: Array) -> Iterator[tuple[int, Rows]]:
    """Each different code with the rows that have it, in rising order of the codes."""
    if not len(code):
        return
    begins = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    if is_rising(code[begins]):
        stops = [*begins[1:].tolist(), len(code)]
        yield from zip(code[begins].tolist(), map(slice, begins.tolist(), stops), strict=True)
        return
    order = np.argsort(code, kind="stable")
    codes, starts = np.unique(code[order], return_index=True)
    yield from zip(codes.tolist(), np.split(order, starts[1:]), strict=True)
