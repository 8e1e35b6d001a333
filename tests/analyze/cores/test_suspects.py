"""Slow cores and crowded functions, by hand; `test_verdict.py` has simulated ones."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.cores.suspects import SlowCore, Suspects, suspects
from lanescope.trace import Trace

NONE = Suspects((), ())


def run(core: int, start: int, length: int, func: int = 0) -> dict[str, Any]:
    return task(core, None, None, start, start + length, None, func=func)


def four_cores(runs: int, *, last_ns: int) -> Trace:
    """Runs of 100 ns on three cores, and of `last_ns` on the fourth, one after the other."""
    tasks, now = [], 0
    for core in range(4):
        for _ in range(runs):
            length = last_ns if core == 3 else 100
            tasks.append(run(core, now, length))
            now += length
    return make_trace(cores=[{"core": 3, "name": "third"}], tasks=tasks)


def test_a_core_that_takes_twice_as_long_is_slow() -> None:
    trace = four_cores(4, last_ns=200)
    assert suspects(trace) == Suspects((SlowCore(3, "third", 4, 2.0),), ())


@pytest.mark.parametrize(("runs", "last_ns"), [(3, 200), (4, 119)])
def test_few_runs_or_a_small_ratio_make_no_slow_core(runs: int, last_ns: int) -> None:
    assert suspects(four_cores(runs, last_ns=last_ns)) == NONE


def test_cores_that_all_differ_have_no_outlier() -> None:
    lengths = (60, 80, 100, 120, 140)
    tasks = [run(core, 1000 * n, ns) for core, ns in enumerate(lengths) for n in range(4)]
    assert suspects(make_trace(tasks=tasks)) == NONE


def test_cores_that_run_different_functions_are_not_compared() -> None:
    tasks = [
        run(core, 1000 * n, 100 * (core + 1), func=core) for core in range(4) for n in range(4)
    ]
    assert suspects(make_trace(tasks=tasks)) == NONE


def alone_and_together(together_ns: int, runs: int) -> Trace:
    """Half of the runs take 10 ns one after the other, the others start at once."""
    alone = [run(0, 10 * n, 10) for n in range(runs // 2)]
    together = [run(core, 1000, together_ns) for core in range(runs // 2)]
    return make_trace(functions=[{"func": 0, "name": "load"}], tasks=[*alone, *together])


def test_a_function_that_is_slower_in_company_is_crowded() -> None:
    (crowded,) = suspects(alone_and_together(20, 16)).crowded
    assert (crowded.func, crowded.name, crowded.runs, crowded.ratio) == (0, "load", 16, 2.0)
    assert crowded.correlation == pytest.approx(1)


def test_the_correlation_is_of_mean_ranks() -> None:
    """Eight runs alone, one of them long; eight together, one of them short.

    The short one has 8 in company, the seven beside it 7.5 on average, those alone 1: the ranks are
    16, 12 and 4.5, less their mean 7.5, 3.5 and -4. The lengths have the ranks 12.5 and 4.5.
    """
    alone = [run(0, 100 * n, 20 if n == 0 else 10) for n in range(8)]
    together = [run(core, 10_000, 10 if core == 0 else 20) for core in range(8)]
    (crowded,) = suspects(make_trace(tasks=[*alone, *together])).crowded
    assert (crowded.name, crowded.ratio) == ("func_0", 2.0)
    products = 7 * 4 * 4 - 4 * 4 + 7 * 3.5 * 4 - 7.5 * 4
    squares = (8 * 4**2 + 7 * 3.5**2 + 7.5**2) * (16 * 4**2)
    assert crowded.correlation == pytest.approx(products / squares**0.5)


@pytest.mark.parametrize(("together_ns", "runs"), [(12, 16), (20, 14), (10, 16)])
def test_a_small_ratio_or_few_runs_are_not_crowded(together_ns: int, runs: int) -> None:
    assert suspects(alone_and_together(together_ns, runs)) == NONE


@pytest.mark.parametrize(
    "tasks",
    [[], [run(0, 0, 5)], [task(0, None, None, None, None, None, func=0)], [run(0, 0, 0)] * 20],
    ids=["no task", "one task", "no times", "no length"],
)
def test_a_trace_with_nothing_to_compare_has_no_suspects(tasks: list[dict[str, Any]]) -> None:
    assert suspects(make_trace(tasks=tasks)) == NONE
