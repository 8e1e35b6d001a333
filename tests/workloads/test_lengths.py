"""Lengths that vary: what is drawn, by which seed, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lanescope import run
from lanescope.errors import UsageError
from lanescope.trace import Meta, Table, Trace, Words
from lanescope.trace.schema import MISSING
from lanescope.workloads import GraphBuilder, TaskGraph, WorkKind
from lanescope.workloads.graph import NodeKind
from lanescope.workloads.lengths import (
    Draw,
    _bell,
    _lengths,
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


# ---- limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["seed", "round"])
def test_a_seed_and_a_round_go_from_0_to_the_largest_whole_number(field: str) -> None:
    most = 2**63 - 1
    assert [getattr(Draw(**{field: value}), field) for value in (0, most)] == [0, most]
    assert Draw() == Draw(0, 0)
    for value in (-1, most + 1):
        with pytest.raises(UsageError) as refused:
            Draw(**{field: value})
        assert str(refused.value) == f"expected a {field} from 0 to {most}, found {value}"


@pytest.mark.parametrize(
    ("spread", "found"),
    [
        ({"sigma_ns": 10**12}, None),
        ({"sample_ns": (0, 10**12)}, None),
        ({"sigma_ns": 10**12 + 1}, "1000000000001"),
        ({"sample_ns": (5, 10**12 + 1)}, "1000000000001"),
        ({"sample_ns": (-1,)}, "-1"),
    ],
)
def test_a_spread_goes_from_0_to_a_thousand_seconds(
    spread: dict[str, object], found: str | None
) -> None:
    made = LengthSpread(**spread)  # type: ignore[arg-type]
    if found is None:
        made.check("A")
        return
    with pytest.raises(UsageError) as refused:
        made.check("A")
    assert str(refused.value) == (
        f"the spread of function A: expected ns from 0 to 1,000,000,000,000, found {found}"
    )


@pytest.mark.parametrize("basis", ["published", "measured", "fitted", "assumed"])
def test_every_basis_there_is_passes(basis: str) -> None:
    LengthSpread(sigma_ns=1, basis=basis).check("A")


def test_a_spread_is_assumed_and_has_a_sigma_in_whole_picoseconds() -> None:
    assert LengthSpread() == LengthSpread(sigma_ns=0.0, sample_ns=(), basis="assumed", source="")
    assert [LengthSpread(sigma_ns=ns).sigma_ps for ns in (0.0014, 0.0016, 2.5)] == [1, 2, 2500]


@pytest.mark.parametrize(
    ("lengths", "sigma"),
    [([], 0.0), ([5], 0.0), ([1, 2, 3, 4, 100], 1.4826), ([10, 20], 1.4826 * 5)],
)
def test_a_robust_sigma_is_a_multiple_of_the_median_distance(
    lengths: list[int], sigma: float
) -> None:
    assert robust_sigma_ns(lengths) == pytest.approx(sigma, rel=1e-12)


# ---- what is drawn ---------------------------------------------------------------------------


def mixed() -> TaskGraph:
    builder = GraphBuilder("mixed")
    builder.task("A", kind="aic", spin_ns=1000, blocks=2, partners=1)
    builder.task("A", work=WorkKind.COPY, amount=3)
    builder.task("B", spin_ns=7)
    builder.task("A", node=NodeKind.DUMMY)
    builder.task("A", kind="aic", spin_ns=2000)
    return builder.graph()


def test_only_nodes_that_run_have_units_one_per_block_and_core() -> None:
    assert units_of(mixed()).tolist() == [4, 1, 1, 0, 1]
    left_out = replace(mixed(), nodes=None, blocks=None, partners=None)
    assert (units_of(left_out).tolist(), units_of(left_out).dtype) == ([1] * 5, np.int64)
    assert units_of(replace(mixed(), blocks=None)).tolist() == [2, 1, 1, 0, 1]


def test_a_sample_takes_the_place_of_every_stated_length_of_its_function_only() -> None:
    graph = replace(mixed(), spreads=(LengthSpread(sample_ns=(40,)), None))
    found = drawn(graph, Draw(5))
    assert found.unit_ps is not None
    assert found.unit_ps.tolist() == [40_000] * 4 + [0, 7_000, 40_000]
    assert found.unit_ps.dtype == np.int64
    assert (found.amount.tolist(), found.spreads) == (graph.amount.tolist(), graph.spreads)


def test_a_function_varies_where_it_has_a_spread_and_a_task_of_a_stated_length() -> None:
    spread = LengthSpread(sigma_ns=1)
    builder = GraphBuilder("g")
    builder.task("fixed", spin_ns=1)
    builder.task("copied", work=WorkKind.COPY, amount=1)
    builder.task("varied", spin_ns=1)
    graph = replace(builder.graph(), spreads=(None, spread, spread))
    assert varying_functions(graph) == {"varied": spread}
    assert varying_functions(replace(graph, spreads=(None, spread))) == {}


def test_the_bell_curve_is_even_and_never_beyond_six() -> None:
    least, most = np.zeros((1, 6), np.uint64), np.full((1, 6), 2**64 - 1, np.uint64)
    assert _bell(least)[0] == pytest.approx(-6, abs=1e-8)
    assert _bell(most)[0] == pytest.approx(6, abs=1e-8)
    assert _bell(least)[0] == -_bell(most)[0]
    high = np.array([[1 << 63, 0, 0, 0, 0, 0]], np.uint64)
    low = np.array([[0, 1 << 31, 0, 0, 0, 0]], np.uint64)
    assert _bell(high)[0] == _bell(low)[0] == pytest.approx(-5.5, abs=1e-8)


def test_lengths_are_whole_picoseconds_around_the_stated_one() -> None:
    raw = np.array([[1 << 63, 0, 0, 0, 0, 0], [0] * 6], np.uint64)
    found = _lengths(LengthSpread(sigma_ns=0.1), np.array([1_000, 500]), raw)
    assert found.tolist() == [1_000 - 550, 0]
    sampled = _lengths(LengthSpread(sample_ns=(3, 4)), np.array([9, 9]), raw + np.uint64(1))
    assert sampled.tolist() == [4_000, 4_000]


def test_recorded_lengths_leave_out_runs_without_a_start_or_an_end() -> None:
    words = Words()
    functions = {"func": np.array([4, 7], np.int32), "name": words.codes(["A", "B"])}
    tasks = {
        "task": np.arange(5),
        "func": np.array([4, 7, 4, 4, 4], np.int32),
        "start_ns": np.array([10, 10, MISSING, 10, 40]),
        "end_ns": np.array([13, 15, 20, MISSING, 49]),
    }
    trace = Trace(
        meta=Meta(name="t", tool="a test", origin="measured"),
        words=words.freeze(),
        tasks=Table.build("tasks", tasks),
        functions=Table.build("functions", functions),
    )
    assert (recorded_ns(trace, "A"), recorded_ns(trace, "B")) == ((3, 9), (5,))
    none = replace(trace, functions=Table.build("functions", {}))
    with pytest.raises(UsageError) as refused:
        recorded_ns(none, "A")
    assert str(refused.value) == (
        "t has no run of function 'A' with a start and an end; it has: no functions"
    )
