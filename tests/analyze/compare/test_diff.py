"""Diffs: the stated rate of false alarms, real changes found, functions new and gone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import a2a3, simulated

from lanescope.analyze.compare.diff import RATE, diff
from lanescope.analyze.compare.diff_text import diff_text
from lanescope.analyze.compare.measures import Measures, measures
from lanescope.trace import Trace
from lanescope.workloads import build_workload

RUNS = 15


def sample(rng: np.random.Generator, *, factor: float = 1.0) -> list[Measures]:
    """Runs of twenty functions that vary by 1 %, one of them `factor` times as long."""
    found = []
    for _ in range(RUNS):
        means = 1000 * rng.normal(1, 0.01, 20)
        means[3] *= factor
        values = {("function", f"F{n}"): float(mean) for n, mean in enumerate(means)}
        values["run", "makespan"] = float(means.sum())
        found.append(Measures("run", values, {}, {}))
    return found


def test_identical_sides_differ_at_most_at_the_stated_rate() -> None:
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(300):
        rows = diff(sample(rng), sample(rng)).rows
        alarms += any(row.verdict in ("slower", "faster") for row in rows)
    # 300 trials at 5 %: 15 expected, 26 is three standard deviations more.
    assert RATE == 0.05 and alarms <= 26


def test_two_percent_more_of_one_function_is_found() -> None:
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(100):
        rows = diff(sample(rng), sample(rng, factor=1.02)).rows
        found += [row.name for row in rows if row.verdict == "slower"] == ["F3"]
    assert found >= 90


@cache
def jittered(seed: int, factor: float = 1.0) -> Measures:
    """A simulated run whose tasks vary by 2 %, with one function `factor` times as long."""
    graph = build_workload("paged_attention", {"batches": "48"})
    rng = np.random.default_rng(seed)
    amount = graph.amount * rng.uniform(0.98, 1.02, len(graph))
    amount = np.where(graph.func == graph.functions.index("PV"), amount * factor, amount)
    return measures(simulated(replace(graph, amount=amount.astype(np.int64)), a2a3(), level=3))


def test_a_simulated_change_of_two_percent_is_found_and_named() -> None:
    base = [jittered(seed) for seed in range(RUNS)]
    new = [jittered(100 + seed, 1.02) for seed in range(RUNS)]
    found = diff(base, new)
    slower = {row.name for row in found.rows if row.verdict == "slower" and row.group == "function"}
    assert slower == {"PV"}
    row = found.row("function", "PV")
    assert row is not None and row.low is not None and row.high is not None
    assert row.low < 0.02 < row.high and row.change == pytest.approx(0.02, abs=0.002)
    assert found.rows[0].verdict == "slower"


def trace(lengths: dict[str, list[int]]) -> Trace:
    tasks, now = [], 0
    for func, values in enumerate(lengths.values()):
        for value in values:
            tasks.append(task(0, now, now, now, now + value, now + value, func=func))
            now += value
    names = [{"func": func, "name": name} for func, name in enumerate(lengths)]
    return make_trace(
        {"level": 2}, cores=[{"core": 0, "name": "c", "kind": "aiv"}], functions=names, tasks=tasks
    )


def test_one_run_on_each_side_compares_functions_by_their_runs() -> None:
    base = measures(trace({"A": [100, 101, 99, 100], "B": [50] * 4, "OLD": [7]}))
    new = measures(trace({"A": [120, 121, 119, 120], "B": [50] * 4, "NEW": [9, 9]}))
    found = diff([base], [new])
    verdicts = {row.name: row.verdict for row in found.rows if row.group == "function"}
    assert verdicts == {"A": "slower", "B": "same", "OLD": "gone", "NEW": "new"}
    makespan = found.row("run", "makespan")
    assert makespan is not None
    assert (makespan.verdict, makespan.low) == ("unsure", None)
    assert makespan.change == pytest.approx((480 + 200 + 18) / (400 + 200 + 7) - 1)
    fresh = found.row("function", "NEW")
    assert fresh is not None and (fresh.base_runs, fresh.new_runs) == (0, 2)


def test_a_run_does_not_differ_from_itself() -> None:
    one = measures(simulated(build_workload("mixed", {}), a2a3()))
    assert {row.verdict for row in diff([one, one], [one, one, one]).rows} == {"same"}


def test_the_repr_counts_the_verdicts() -> None:
    one = measures(trace({"A": [100, 101], "OLD": [7]}))
    other = measures(trace({"A": [100, 101], "NEW": [7]}))
    assert repr(diff([one], [one])) == f"<Diff of 1 run and 1 run: {len(one.values)} same>"
    assert repr(diff([one], [other])) == "<Diff of 1 run and 1 run: 1 gone, 1 new, 21 same>"


def test_sides_without_measures_have_no_rows() -> None:
    empty = diff([Measures("a", {}, {}, {})], [Measures("b", {}, {}, {})])
    assert (empty.base, empty.new, empty.rows) == (("a",), ("b",), ())
    assert empty.row("run", "makespan") is None


def test_two_programs_that_have_no_function_in_common_are_said_to_be_different() -> None:
    runs = [
        Measures(
            name, {("function", f): 5.0 for f in functions} | {("run", "makespan"): 9.0}, {}, {}
        )
        for name, functions in (("a", "AB"), ("b", "CD"), ("c", "BC"))
    ]
    apart, near = diff(runs[:1], runs[1:2]), diff(runs[:1], runs[2:])
    assert (apart.unrelated, near.unrelated) == (True, False)
    assert apart.to_dict()["unrelated"] is True
    assert diff_text(apart).startswith(
        "! Read this first\n  These are different programs: no function of a is in b."
    )
    assert diff_text(near).startswith("Diff\n")
    assert not diff(runs[:1], runs[:1]).unrelated
