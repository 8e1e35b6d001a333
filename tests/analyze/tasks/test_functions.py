"""Cost per function."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.tasks.functions import (
    FunctionCost,
    Functions,
    declared_functions,
    function_labels,
    functions,
    run_spreads,
)
from lanescope.analyze.tasks.spread import Mean, Spread
from lanescope.trace.schema import MISSING32

NAMES = [{"func": 3, "name": "QK"}, {"func": 4, "name": "SF"}, {"func": 9, "name": "unused"}]


def test_every_figure_of_a_small_capture() -> None:
    trace = make_trace(
        functions=NAMES,
        tasks=[
            task(0, 0, 4, 5, 15, 20, func=3),
            task(0, 20, 21, 25, 45, 50, func=3),
            task(1, 0, 1, 2, 102, 110, func=4),
        ],
    )
    qk = FunctionCost(
        func=3,
        name="QK",
        exec=Spread(2, 30, 10, 10, 20, 20),
        latency=Spread(2, 50, 20, 20, 30, 30),
        exec_share=30 / 50,
        head=Mean(2, 10),
        tail=Mean(2, 10),
        propagation=Mean(2, 5),
        setup=Mean(2, 5),
    )
    sf = FunctionCost(
        func=4,
        name="SF",
        exec=Spread(1, 100, 100, 100, 100, 100),
        latency=Spread(1, 110, 110, 110, 110, 110),
        exec_share=100 / 110,
        head=Mean(1, 2),
        tail=Mean(1, 8),
        propagation=Mean(1, 1),
        setup=Mean(1, 1),
    )
    total = FunctionCost(
        func=None,
        name="TOTAL",
        exec=Spread(3, 130, 10, 20, 100, 100),
        latency=Spread(3, 160, 20, 30, 110, 110),
        exec_share=130 / 160,
        head=Mean(3, 12),
        tail=Mean(3, 18),
        propagation=Mean(3, 6),
        setup=Mean(3, 6),
    )
    assert functions(trace) == Functions((sf, qk), total, 0, 0, 1)


def test_level_1_knows_no_latency_and_no_function() -> None:
    trace = make_trace(functions=NAMES, tasks=[task(0, None, 8, 10, 20, None)])
    row = FunctionCost(
        -1, "(unknown)", Spread(1, 10, 10, 10, 10, 10), None, None, None, None, None, Mean(1, 2)
    )
    result = functions(trace)
    assert result.rows == (row,)
    assert (result.without_exec, result.without_latency, result.never_ran) == (0, 1, None)


def test_rows_without_the_needed_times_are_left_out_and_counted() -> None:
    trace = make_trace(
        tasks=[
            task(0, 0, 1, 2, 12, 20, func=1),
            task(0, None, None, 30, 130, None, func=1),
            task(0, 5, None, None, None, 9, func=1),
            {"kind": "alloc", "task": 7},
        ],
    )
    result = functions(trace)
    (row,) = result.rows
    assert (result.without_exec, result.without_latency) == (1, 1)
    assert (row.name, row.exec.total_ns, row.exec_share) == ("func_1", 110, 10 / 20)


@pytest.mark.parametrize(
    ("count", "p50", "p99"), [(1, 1, 1), (2, 1, 2), (100, 50, 99), (101, 51, 100)]
)
def test_percentiles_are_nearest_rank(count: int, p50: int, p99: int) -> None:
    trace = make_trace(
        tasks=[task(0, None, None, 0, ns, None, func=0) for ns in range(count, 0, -1)]
    )
    cost = functions(trace).rows[0].exec
    assert (cost.p50_ns, cost.p99_ns) == (p50, p99)


def test_many_functions_give_the_same_as_few() -> None:
    tasks = [task(0, 0, 0, 0, 1 + ns % 7, 9, func=ns % 1500) for ns in range(4000)]
    many = {row.func: row for row in functions(make_trace(tasks=tasks)).rows}
    one = [row for row in tasks if row["func"] == 77]
    assert many[77] == functions(make_trace(tasks=one)).rows[0]
    assert len(many) == 1500


def test_means_divide_exact_sums() -> None:
    assert Mean(3, (1 << 70) + 1).mean_ns == ((1 << 70) + 1) / 3


def test_no_tasks_give_no_rows() -> None:
    assert functions(make_trace()) == Functions((), None, 0, 0, 0)


def test_the_share_of_the_latency_is_of_the_runs_that_have_one() -> None:
    """The second run has no dispatch: its 1000 ns are not held against the first one's 40."""
    trace = make_trace(
        functions=NAMES,
        tasks=[
            task(0, 0, None, 10, 20, 40, func=3),
            task(0, None, None, 50, 1050, None, func=3),
            task(1, None, None, 0, 7, None, func=4),
        ],
    )
    found = {row.name: (row.latency, row.exec_share) for row in functions(trace).rows}
    assert found == {"QK": (Spread(1, 40, 40, 40, 40, 40), 10 / 40), "SF": (None, None)}


@pytest.mark.parametrize("others", [0, 2000], ids=["few", "many"])
def test_lengths_by_function_with_minus_one_for_runs_of_none(others: int) -> None:
    tasks = [
        task(0, None, None, 0, 10, None, func=3),
        task(0, None, None, 10, 40, None, func=3),
        task(0, None, None, 50, 55, None),
        *(task(1, None, None, 0, 1, None, func=10 + n) for n in range(others)),
    ]
    found = run_spreads(make_trace(tasks=tasks))
    assert len(found) == 2 + others
    assert (found[-1], found[3]) == (Spread(1, 5, 5, 5, 5, 5), Spread(2, 40, 10, 10, 30, 30))
    assert list(found) == sorted(found)
    assert run_spreads(make_trace()) == {}


def test_three_functions_are_named_and_more_are_hinted_at() -> None:
    def shown(count: int) -> str:
        tasks = [task(0, None, None, 0, 10 - n, None, func=n) for n in range(count)]
        return repr(functions(make_trace(tasks=tasks)))

    names = "func_0, func_1, func_2"
    assert shown(3) == f"<Functions: 3 in 3 runs, 27 ns on the cores: {names}>"
    assert shown(4) == f"<Functions: 4 in 4 runs, 34 ns on the cores: {names}, …>"
    assert shown(1) == "<Functions: 1 in 1 run, 10 ns on the cores: func_0>"
    assert repr(functions(make_trace())) == "<Functions: none ran>"


def test_functions_that_cost_as_much_are_by_their_number() -> None:
    tasks = [task(0, None, None, 0, 10, None, func=func) for func in (9, 2, 4)]
    assert [row.func for row in functions(make_trace(tasks=tasks)).rows] == [2, 4, 9]


def test_a_latency_of_nothing_has_no_share() -> None:
    (row,) = functions(make_trace(tasks=[task(0, 5, 5, 5, 5, 5, func=1)])).rows
    assert row.latency == Spread(1, 0, 0, 0, 0, 0) and row.exec_share is None


def test_each_time_on_the_way_needs_both_its_ends() -> None:
    tasks = [
        task(0, 10, None, 15, 20, None, func=1),
        task(0, None, 30, 34, 40, 47, func=1),
        task(0, 50, 52, 55, 60, None, func=1),
    ]
    (row,) = functions(make_trace(tasks=tasks)).rows
    assert (row.head, row.tail) == (Mean(2, 10), Mean(1, 7))
    assert (row.propagation, row.setup, row.latency) == (Mean(1, 2), Mean(2, 7), None)


def test_a_cost_has_its_count_behind_its_name() -> None:
    (row,) = functions(make_trace(functions=NAMES, tasks=[task(0, 0, 1, 2, 5, 9, func=3)])).rows
    told = row.to_dict()
    assert list(told)[:4] == ["func", "name", "count", "exec"]
    assert (told["func"], told["name"], told["count"]) == (3, "QK", 1)
    assert repr(row) == "<FunctionCost of QK: 1 run, 3 ns on the cores, mean 3.0 ns>"


def test_labels_of_ids_with_and_without_a_name() -> None:
    trace = make_trace(functions=NAMES)
    found = function_labels(trace, np.array([4, MISSING32, 7]))
    assert [(one.func, one.name) for one in found] == [(4, "SF"), (-1, "(unknown)"), (7, "func_7")]
    assert declared_functions(trace) == {3, 4, 9}
