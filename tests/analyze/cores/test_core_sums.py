"""Use of cores, added up over chunks of rows."""

from __future__ import annotations

import numpy as np

from lanescope.analyze.cores.core_sums import CoreSums
from lanescope.trace import Meta, Table, Trace

EMPTY = Trace(meta=Meta(name="a", tool="test", origin="measured"))


def rows(*runs: tuple[int, int, int]) -> Table:
    """Task rows: core, start and end in ns."""
    columns = np.array(runs, np.int64).reshape(-1, 3).T
    names = ("core", "start_ns", "end_ns")
    return Table.build("tasks", dict(zip(names, columns, strict=True)))


def test_time_that_rows_of_several_chunks_cover_counts_once() -> None:
    sums = CoreSums()
    sums.add(rows((0, 0, 10), (0, 20, 30)))
    sums.add(rows())
    sums.add(rows((0, 5, 25), (1, 100, 110)))
    sums.add(rows((1, 90, 105)))
    [kind] = sums.result(EMPTY).kinds
    assert (kind.busy_ns, kind.tasks, kind.used) == (30 + 20, 5, 2)
    assert sums.out_of_order == 0


def test_a_core_that_comes_again_is_not_known_any_more() -> None:
    sums = CoreSums()
    sums.add(rows((0, 0, 10)))
    sums.add(rows((1, 0, 10)))
    sums.add(rows((0, 5, 15)))
    [kind] = sums.result(EMPTY).kinds
    assert (kind.busy_ns, sums.out_of_order) == (10 + 10 + 5, 1)
