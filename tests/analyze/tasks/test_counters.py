"""Counters per function: means, shares of the cycles, and what is left out."""

from __future__ import annotations

from tests.analyze.hand import Row, make_trace, task

from lanescope.analyze.tasks.counters import CounterMean, counters
from lanescope.reports import build_report


def value(name: str, amount: float, token: int, **more: int) -> Row:
    return {"name": name, "value": amount, "core": 0, "token": token, "task": token, **more}


TASKS = [
    task(0, 0, 1, 2, 3, 4, token=1, func=5),
    task(0, 5, 6, 7, 8, 9, token=2, func=5),
    task(0, 10, 11, 12, 13, 14, token=3, func=6),
]
FUNCTIONS = [{"func": 5, "name": "QK"}, {"func": 6, "name": "PV"}]


def test_means_and_shares_per_function() -> None:
    trace = make_trace(
        tasks=TASKS,
        functions=FUNCTIONS,
        counters=[
            *(value("pmu_total_cycles", 100 * token, token) for token in (1, 2, 3)),
            *(value("cube_busy_cycles", 60 * token, token) for token in (1, 2, 3)),
            *(value("main_read_req", 4, token) for token in (1, 2, 3)),
            *(value("icache_miss", 0, token) for token in (1, 2, 3)),
        ],
    )
    found = counters(trace)
    assert found.silent == ("icache_miss",)
    assert found.rows == (
        CounterMean(5, "QK", "pmu_total_cycles", 2, 300.0, None),
        CounterMean(5, "QK", "cube_busy_cycles", 2, 180.0, 0.6),
        CounterMean(5, "QK", "main_read_req", 2, 8.0, None),
        CounterMean(6, "PV", "pmu_total_cycles", 1, 300.0, None),
        CounterMean(6, "PV", "cube_busy_cycles", 1, 180.0, 0.6),
        CounterMean(6, "PV", "main_read_req", 1, 4.0, None),
    )
    assert [row.mean for row in found.rows[:3]] == [150.0, 90.0, 4.0]
    text = build_report(trace).text()
    assert "Counters per function" in text
    assert "0 in every run: icache_miss." in text


def test_values_of_no_run_take_no_part() -> None:
    trace = make_trace(
        tasks=TASKS,
        functions=FUNCTIONS,
        counters=[
            {"name": "heap", "value": 7.0, "order": 1},
            {"name": "vec_busy_cycles", "value": 7.0, "core": 0, "task": 9},
        ],
    )
    assert (counters(trace).rows, counters(trace).silent) == ((), ())
    assert "Counters per function" not in build_report(trace).text()


def test_a_run_of_an_unknown_function_is_said_to_be_one() -> None:
    trace = make_trace(tasks=TASKS, functions=[], counters=[value("x_busy", 7.0, 4)])
    assert counters(trace).rows == (CounterMean(None, "(unknown)", "x_busy", 1, 7.0, None),)
