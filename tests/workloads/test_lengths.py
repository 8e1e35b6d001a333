"""Lengths that vary: what is drawn, by which seed, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanescope import run
from lanescope.errors import UsageError
from lanescope.workloads import GraphBuilder, TaskGraph
from lanescope.workloads.lengths import (
    Draw,
    drawn,
    recorded_ns,
    robust_sigma_ns,
    units_of,
    varying_functions,
)
from lanescope.workloads.matmul_add import matmul_add
from lanescope.workloads.spread import LengthSpread


def many(**spread: object) -> TaskGraph:
    """4,000 tasks A of 1000 ns that vary as said, and as many B that do not."""
    builder = GraphBuilder("many")
    if spread:
        builder.vary("A", **spread)  # type: ignore[arg-type]
    for _ in range(4000):
        builder.task("A", spin_ns=1000)
        builder.task("B", spin_ns=500)
    return builder.graph()


def lengths_ns(graph: TaskGraph, function: str) -> np.ndarray:
    assert graph.unit_ps is not None
    return graph.unit_ps[graph.func == graph.functions.index(function)] / 1000


def test_without_a_spread_nothing_is_drawn() -> None:
    graph = many()
    assert drawn(graph, Draw(7)) is graph
    assert (graph.unit_ps, varying_functions(graph)) == (None, {})


def test_a_bell_curve_has_the_stated_mean_and_sigma_and_leaves_other_functions_alone() -> None:
    graph = drawn(many(sigma_ns=100), Draw())
    found = lengths_ns(graph, "A")
    assert found.mean() == pytest.approx(1000, abs=5)
    assert found.std() == pytest.approx(100, rel=0.04)
    assert robust_sigma_ns(found) == pytest.approx(100, rel=0.06)
    assert 0.02 < np.mean(np.abs(found - 1000) > 200) < 0.07
    assert set(lengths_ns(graph, "B")) == {500}


def test_a_recorded_sample_gives_its_own_lengths_equally_often() -> None:
    found = lengths_ns(drawn(many(sample_ns=[700, 800, 4600]), Draw()), "A")
    values, counts = np.unique(found, return_counts=True)
    assert values.tolist() == [700, 800, 4600]
    assert counts == pytest.approx([1333] * 3, rel=0.1)


def test_seed_and_round_decide_and_nothing_else() -> None:
    graph = many(sigma_ns=100)
    first = drawn(graph, Draw(3, 1))
    assert np.array_equal(drawn(graph, Draw(3, 1)).unit_ps, first.unit_ps)
    for other in (Draw(3, 2), Draw(4, 1)):
        assert not np.array_equal(drawn(graph, other).unit_ps, first.unit_ps)


def test_a_seed_gives_these_lengths_on_every_machine() -> None:
    graph = drawn(many(sigma_ns=100), Draw(1))
    assert lengths_ns(graph, "A")[:4].tolist() == [1049.466, 929.079, 1074.288, 1019.709]


def test_no_length_is_below_zero() -> None:
    found = lengths_ns(drawn(many(sigma_ns=900), Draw()), "A")
    assert found.min() == 0 and found.max() > 2500


def test_every_block_and_every_partner_has_a_length_of_its_own() -> None:
    builder = GraphBuilder("wide")
    builder.vary("M", sigma_ns=10)
    builder.task("M", kind="aic", blocks=3, partners=2, spin_ns=1000)
    builder.task("M", kind="aic", spin_ns=1000)
    graph = drawn(builder.graph(), Draw())
    assert units_of(graph).tolist() == [9, 1]
    assert graph.unit_ps is not None and len(set(graph.unit_ps.tolist())) == 10


def test_a_robust_sigma_hardly_sees_a_long_tail() -> None:
    usual = np.random.default_rng(0).normal(1000, 100, 2000)
    tailed = np.concatenate([usual, np.full(38, 4600)])
    assert robust_sigma_ns(tailed) == pytest.approx(robust_sigma_ns(usual), rel=0.05)
    assert tailed.std() > 4 * robust_sigma_ns(tailed)
    assert robust_sigma_ns([]) == 0


@pytest.mark.parametrize(
    ("spread", "problem"),
    [
        ({}, "expected either sigma_ns or sample_ns, found neither"),
        ({"sigma_ns": 1, "sample_ns": [2]}, "expected either sigma_ns or sample_ns, found both"),
        ({"sigma_ns": -1}, "expected ns from 0 to 1,000,000,000,000, found -1"),
        ({"sample_ns": [3, -4]}, "expected ns from 0 to 1,000,000,000,000, found -4"),
        (
            {"sigma_ns": 1, "basis": "guessed"},
            "expected a basis (published, measured, fitted, assumed), found 'guessed'",
        ),
    ],
)
def test_a_spread_that_cannot_be_drawn_is_refused(spread: dict[str, object], problem: str) -> None:
    with pytest.raises(UsageError) as refused:
        GraphBuilder("g").vary("A", **spread)  # type: ignore[arg-type]
    assert str(refused.value) == f"the spread of function A: {problem}"


def test_a_kernel_says_its_length_itself() -> None:
    graph = replace(matmul_add(rows=1, columns=1), spreads=(LengthSpread(sigma_ns=1),))
    with pytest.raises(UsageError) as refused:
        graph.check()
    assert str(refused.value) == (
        "function matmul of matmul_add has a spread and a kernel; the kernel says how long its "
        "tasks take"
    )


def test_a_seed_out_of_range_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        Draw(-1)
    assert str(refused.value) == "expected a seed from 0 to 9223372036854775807, found -1"


def test_recorded_lengths_come_from_a_trace_and_are_drawn_again() -> None:
    trace = run(many(sigma_ns=200), seed=3, chip_swimlane=1)
    lengths = recorded_ns(trace, "A")
    assert len(lengths) == 4000 and set(recorded_ns(trace, "B")) == {500}
    again = lengths_ns(drawn(many(sample_ns=lengths), Draw(9)), "A")
    assert set(again) <= set(lengths)
    assert np.median(again) == pytest.approx(np.median(lengths), rel=0.02)
    with pytest.raises(UsageError) as refused:
        recorded_ns(trace, "C")
    assert str(refused.value) == (
        "many has no run of function 'C' with a start and an end; it has: A, B"
    )
