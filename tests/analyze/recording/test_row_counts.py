"""What was captured, counted over some rows at a time: as over all rows at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.analyze.recording.captured import Capture, CoreTally, Tally, capture
from lanescope.analyze.recording.row_counts import RowCounts
from lanescope.trace.schema import TaskFlag

ROWS = {"edges": 3, "marks": 2, "counters": 1}
MIX = int(TaskFlag.MIX)


def counted(
    tasks: list[Row],
    cores: list[Row],
    *,
    ids: tuple[int, int] | None,
    used: set[int],
    each: int = 2,
) -> Capture:
    """The answer over so many task rows at a time."""
    trace = make_trace(tasks=tasks, cores=cores, phases=[phase("submit", 0, 1, lane="host")])
    counts = RowCounts(ids)
    for first in range(0, len(tasks), each):
        counts.add_tasks(trace.tasks.rows(np.arange(first, min(first + each, len(tasks)))))
    counts.add_phases(trace.phases)
    small = replace(trace, **{name: getattr(make_trace(), name) for name in ("tasks", "phases")})
    return counts.result(small, ROWS, used)


TASKS = [
    task(0, 0, 1, 2, 3, 4, task=10, flags=MIX, blocks=1),
    task(1, 0, 1, 2, 3, 4, task=10, flags=MIX, blocks=1),
    task(0, 0, 1, 2, 3, 4, task=12, flags=0, blocks=2),
    task(0, 0, None, None, None, 4, task=13, flags=0, blocks=1),
    {"kind": "alloc", "task": 11, "flags": 0, "blocks": 1},
    {"kind": "alloc", "flags": 0, "blocks": 1},
]
CORES = [{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aiv"}, {"core": 2, "kind": "aiv"}]


@pytest.mark.parametrize("each", [1, 2, 6])
def test_rows_are_counted_once_however_they_come(each: int) -> None:
    found = counted(TASKS, CORES, ids=(10, 13), used={0, 1}, each=each)
    whole = capture(make_trace(tasks=TASKS, cores=CORES))
    assert found == replace(
        whole,
        phases=(Tally("host", 1),),
        edges=3,
        edge_pairs=None,
        marks=2,
        counters=1,
    )
    assert (found.runs, found.tasks, found.mix_tasks, found.spmd_tasks) == (3, 2, 1, 1)
    assert found.nodes == (Tally("alloc", 2),)


@pytest.mark.parametrize(
    ("cores", "used", "tallies"),
    [
        (CORES, {0, 5, 6}, (("aic", 1, 1), ("aiv", 2, 0), ("(unknown)", 2, 2))),
        ([{"core": 0}, {"core": 1}], {1, 5}, (("(unknown)", 3, 2),)),
        ([{"core": 0}], set(), (("(unknown)", 1, 0),)),
        ([], {3, 4}, (("(unknown)", 2, 2),)),
        ([], set(), ()),
    ],
)
def test_cores_that_only_rows_name_are_of_unknown_kind(
    cores: list[Row], used: set[int], tallies: tuple[tuple[Any, ...], ...]
) -> None:
    found = counted([], cores, ids=None, used=used)
    assert found.cores == tuple(CoreTally(*tally) for tally in tallies)


def test_ids_that_are_not_known_or_spread_too_far_are_not_counted() -> None:
    limit = 1 << 29
    for ids, tasks, mix in (((10, 13), 2, 1), ((10, limit + 10), None, 0), (None, None, 0)):
        found = counted(TASKS, CORES, ids=ids, used={0, 1})
        assert (found.runs, found.tasks, found.mix_tasks) == (3, tasks, mix)
    none = counted([], CORES, ids=(0, limit - 1), used=set())
    assert (none.tasks, none.mix_tasks, none.spmd_tasks) == (0, 0, 0)


def test_without_edges_there_are_no_pairs() -> None:
    trace = make_trace()
    assert RowCounts(None).result(trace, {**ROWS, "edges": 0}, set()).edge_pairs == 0
