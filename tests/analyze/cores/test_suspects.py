"""Crowded functions by hand, and that cores are asked for; `test_odd_cores.py` has the cores."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.cores.odd_cores import SlowCore
from lanescope.analyze.cores.suspects import Suspects, suspects
from lanescope.trace import Trace

NONE = Suspects((), (), ())


def run(core: int, start: int, length: int, func: int = 0) -> dict[str, Any]:
    return task(core, None, None, start, start + length, None, func=func)


def test_a_slow_core_is_a_suspect() -> None:
    """Three cores run for 100 ns, the fourth for 200."""
    tasks = [run(core, 200 * n, 200 if core == 3 else 100) for core in range(4) for n in range(4)]
    assert suspects(make_trace(tasks=tasks)) == Suspects(
        (SlowCore(3, "core 3", 4, 2.0, 400, 0.5),), (), ()
    )


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


def test_a_ratio_without_a_correlation_is_not_crowded() -> None:
    """Alone 10 ns, eight together 20 ns: a ratio of 2. But two together take 4 ns.

    The ranks of company and length are 4.5 and 20.5, 16.5 and 8.5, 28.5 and 28.5: their
    correlation is (8 · -12 · 4 + 8 · 12 · 12) / 2304 = 1/3.
    """
    alone = [run(0, 100 * n, 10) for n in range(8)]
    pairs = [run(core, 1000 + 100 * n, 4) for n in range(8) for core in range(2)]
    together = [run(core, 5000, 20) for core in range(8)]
    assert suspects(make_trace(tasks=[*alone, *pairs, *together])).crowded == ()


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
