"""What a core waited for before a task, and the shares of the window that come of it."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace, task

from lanescope.analyze.before_start import before_start
from lanescope.trace.numbering import numbered, places
from lanescope.analyze.wait_shares import wait_shares
from lanescope.trace import Trace


def two_cores(**more: object) -> Trace:
    """Task 2 on core 1 waits for task 1, is dispatched late and starts later still."""
    tasks = [
        task(0, 0, 5, 10, 100, 110, task=1),
        task(1, 150, 160, 180, 300, 310, task=2),
        task(1, 305, 306, 320, 400, 410, task=3),
    ]
    edges = [{"pred": 1, "succ": 2}, {"pred": 2, "succ": 3}]
    cores = [{"core": 0, "kind": "aic"}, {"core": 1, "kind": "aic"}, {"core": 2, "kind": "aiv"}]
    return make_trace(tasks=tasks, cores=cores, **{"edges": edges, **more})  # type: ignore[arg-type]


def test_idle_time_is_cut_at_the_predecessors_finish_and_at_dispatch() -> None:
    found = before_start(two_cores())
    assert found.row.tolist() == [0, 1, 2]
    assert found.data_ns.tolist() == [0, 110, 5]
    assert found.scheduler_ns.tolist() == [0, 40, 0]
    assert found.switch_ns.tolist() == [10, 30, 15]
    assert found.unknown_ns.tolist() == [0, 0, 0]


def test_without_edges_the_time_before_dispatch_is_not_known() -> None:
    found = before_start(two_cores(edges=[]))
    assert found.unknown_ns.tolist() == [0, 150, 5]
    assert found.scheduler_ns.tolist() == [0, 0, 0]
    assert found.switch_ns.tolist() == [10, 30, 15]


def test_a_predecessor_outside_the_trace_does_not_make_a_task_ready() -> None:
    found = before_start(two_cores(edges=[{"pred": 99, "succ": 2}]))
    assert found.unknown_ns.tolist() == [0, 150, 0]
    assert found.data_ns.tolist() == [0, 0, 0]


def test_without_dispatch_times_the_rest_is_not_known() -> None:
    tasks = [
        task(0, None, None, 10, 100, None, task=1),
        task(1, None, None, 180, 300, None, task=2),
    ]
    found = before_start(make_trace(tasks=tasks, edges=[{"pred": 1, "succ": 2}]))
    assert found.data_ns.tolist() == [0, 90]
    assert found.unknown_ns.tolist() == [0, 80]
    assert found.switch_ns.tolist() == [0, 0]


def test_shares_tile_the_window_of_every_core() -> None:
    aic, aiv = wait_shares(two_cores())
    assert aic.total_ns == 2 * 410
    assert aic.part_ns == {
        "running": 90 + 120 + 80,
        "data": 115,
        "scheduler": 40,
        "switch": 55,
        "unknown": 0,
        "done": 310 + 10,
    }
    assert sum(aic.part_ns.values()) == aic.total_ns
    assert (aiv.part_ns["done"], aiv.total_ns) == (410, 410)


def test_a_trace_without_tasks_has_no_shares() -> None:
    assert wait_shares(make_trace()) == ()
    assert len(before_start(make_trace()).row) == 0


def test_ids_near_and_far_are_numbered_alike() -> None:
    near = np.array([7, 3, 9, 3])
    for values in (near, near * 10**15):
        ids, place = numbered(values)
        assert ids[place].tolist() == values.tolist()
        assert places(ids, values).tolist() == place.tolist()
        assert places(ids, values + 1).tolist() == [-1] * 4
