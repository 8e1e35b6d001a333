"""Bars of the page: which rows have one, in which order, and what is known of each."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.analyze.cores.gaps import Intervals
from lanescope.trace import MISSING, Trace
from lanescope.viewer.bars import PageBars, all_bars, function_places, halves
from lanescope.viewer.lanes import lanes_of
from lanescope.viewer.waits import Waits


def bars_of(trace: Trace, waits: Waits | None = None) -> dict[str, PageBars]:
    return all_bars(trace, lanes_of(trace), waits or Waits())


def drawn(bars: PageBars) -> list[tuple[int, int, int, int]]:
    columns = (bars.lane, bars.start_ns, bars.end_ns, bars.row)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def ran(core: int, start: int | None, end: int | None, **more: object) -> Row:
    return task(core, None, None, start, end, None, **more)


def test_tasks_that_ran_are_bars_lane_by_lane_in_order_of_time() -> None:
    trace = make_trace(tasks=[ran(1, 5, 9), ran(0, 20, 30), ran(0, 1, None), ran(0, 2, 4)])
    assert drawn(bars_of(trace)["tasks"]) == [(0, 2, 4, 3), (0, 20, 30, 1), (1, 5, 9, 0)]


def test_a_bar_that_ends_before_it_starts_is_an_instant() -> None:
    trace = make_trace(phases=[phase("dispatch", 10, 4)])
    assert drawn(bars_of(trace)["phases"]) == [(0, 10, 10, 0)]


def test_a_mark_without_an_end_is_an_instant() -> None:
    trace = make_trace(marks=[{"core": 0, "pipe": "cube", "start_ns": 7}, {"core": 0, "end_ns": 9}])
    assert drawn(bars_of(trace)["marks"]) == [(1, 7, 7, 0)]


def test_stalls_lie_on_the_lane_of_the_producer_that_waited() -> None:
    times = {"start_ns": 1, "end_ns": 2}
    stalls = [{"lane": "core", "core": 4, **times}, {"lane": "host", "controller": 0, **times}]
    assert drawn(bars_of(make_trace(stalls=stalls))["stalls"]) == [(1, 1, 2, 0), (0, 1, 2, 1)]


def test_lost_time_is_a_bar_where_it_has_a_length() -> None:
    lost = Intervals(np.array([0, 0]), np.array([3, 8]), np.array([6, 8]))
    bars = bars_of(make_trace(cores=[{"core": 0}]), Waits(lost=lost))["lost"]
    assert drawn(bars) == [(0, 3, 6, 0)]


def test_the_times_of_a_task_are_told_as_distances_from_its_bar() -> None:
    trace = make_trace(
        tasks=[task(0, 4, None, 10, 20, 27, task=(1 << 32) + 5, token=3, func=0, flags=0)]
    )
    more = {name: values.tolist() for name, values in bars_of(trace)["tasks"].more.items()}
    assert more == {
        "row": [0],
        "task_high": [1],
        "task_low": [5],
        "token": [3],
        "dispatch": [6],
        "receive": [MISSING],
        "finish": [7],
        "flags": [0],
    }


def test_a_function_is_a_place_in_the_functions_table() -> None:
    trace = make_trace(functions=[{"func": 9, "name": "a"}, {"func": 2, "name": "b"}])
    func = np.array([2, 9, 4], np.int32)
    assert function_places(trace, func).tolist() == [1, 0, 2]
    assert function_places(make_trace(), func).tolist() == [0, 0, 0]


def test_ids_are_two_halves_and_no_column_where_none_is_known() -> None:
    both = halves("task", np.array([(7 << 32) + 2, MISSING]))
    assert {name: half.tolist() for name, half in both.items()} == {
        "task_high": [7, MISSING],
        "task_low": [2, MISSING],
    }
    assert halves("task", np.array([MISSING])) == {}


def test_blocks_are_told_where_a_task_has_another_than_the_first() -> None:
    def blocks(number: int) -> dict[str, list[int]]:
        trace = make_trace(tasks=[ran(0, 0, 5, block=number, blocks=2)])
        more = bars_of(trace)["tasks"].more
        return {name: more[name].tolist() for name in ("block", "blocks") if name in more}

    assert blocks(0) == {}
    assert blocks(1) == {"block": [1], "blocks": [2]}


def test_bars_of_one_lane_are_put_in_order_of_start_and_the_longer_first() -> None:
    spans = [(20, 30), (2, 4), (2, 9), (40, 41), (2, 4)]
    trace = make_trace(tasks=[ran(0, *span) for span in spans])
    assert drawn(bars_of(trace)["tasks"]) == [
        (0, 2, 9, 2),
        (0, 2, 4, 1),
        (0, 2, 4, 4),
        (0, 20, 30, 0),
        (0, 40, 41, 3),
    ]


def test_tasks_and_phases_of_several_runs_tell_theirs() -> None:
    def runs(count: int) -> list[list[int] | None]:
        trace = make_trace(
            tasks=[ran(0, 1, 2, run=7)],
            phases=[phase("poll", 3, 4, run=7), phase("poll", 5, 6)],
            runs=[{"run": 9}, {"run": 7}][:count],
        )
        found = (bars_of(trace)[kind].more.get("run") for kind in ("tasks", "phases"))
        return [None if run is None else run.tolist() for run in found]

    assert (runs(1), runs(2)) == ([None, None], [[1], [1, MISSING]])


def test_bars_of_a_whole_table_in_order_are_its_columns() -> None:
    """There may be millions; a bar less, or another order, takes a copy."""
    rows = [phase("poll", 3, 4), phase("poll", 5, 6)]
    for phases, shared in ((rows, True), ([*rows, phase("poll", 7, MISSING)], False)):
        trace = make_trace(phases=phases)
        found = bars_of(trace)["phases"]
        assert (found.start_ns.tolist(), found.end_ns.tolist()) == ([3, 5], [4, 6])
        assert np.shares_memory(found.start_ns, trace.phases["start_ns"]) == shared
