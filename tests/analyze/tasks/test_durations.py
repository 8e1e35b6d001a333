"""Histograms of durations."""

from __future__ import annotations

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.tasks.durations import Histogram, durations
from lanescope.trace import Trace


def runs(func: int | None, *lengths: int) -> list[dict[str, object]]:
    more = {} if func is None else {"func": func}
    return [task(0, None, None, 5, 5 + length, None, **more) for length in lengths]


def traced(*rows: dict[str, object]) -> Trace:
    return make_trace(tasks=rows)


def test_durations_fall_into_quarters_of_a_factor_of_two() -> None:
    shape = durations(traced(*runs(4, 16, 18, 19, 32, 0)))[4]
    assert shape.first == 0
    assert {k: n for k, n in enumerate(shape.counts) if n} == {0: 1, 16: 3, 20: 1}
    assert (shape.edge_ns(0), shape.edge_ns(16), shape.edge_ns(20)) == (1.0, 16.0, 32.0)


def test_every_function_has_a_histogram_from_its_first_bin_on() -> None:
    assert durations(traced(*runs(7, 20, 20, 24), *runs(2, 1), *runs(None, 64))) == {
        7: Histogram(7, 17, (2, 1)),
        2: Histogram(2, 0, (1,)),
        -1: Histogram(-1, 24, (1,)),
    }


def test_edges_count_from_the_first_bin() -> None:
    shape = Histogram(1, 16, (1, 0, 2))
    assert (shape.edge_ns(0), shape.edge_ns(4)) == (16.0, 32.0)
    assert repr(shape) == "<Histogram of function 1: 3 tasks, 16.0 ns to 26.9 ns>"


def test_the_longest_duration_has_a_bin() -> None:
    shape = durations(traced(task(0, None, None, 0, (1 << 62) + 1, None, func=0)))[0]
    assert (shape.first, shape.counts) == (248, (1,))


@pytest.mark.parametrize("rows", [[], [task(0, 1, 2, None, None, 3, func=1)]])
def test_without_times_there_is_no_histogram(rows: list[dict[str, object]]) -> None:
    assert durations(traced(*rows)) == {}
