"""The graphs that show what records cost, and how many records a unit of each waits for."""

from __future__ import annotations

import numpy as np
import pytest

from lanescope.overhead.probes import (
    GraphMaker,
    Probe,
    ProbedCores,
    chain_graphs,
    core_graphs,
    gate_graphs,
    probes,
    submit_graphs,
)
from lanescope.workloads.graph import WorkKind

SIZES = {"cores": (1, 2), "chain": (3, 4), "gate": (5, 6), "submits": (7, 8)}
BENCH = ProbedCores("aic", 2, 60_000, 10_000, SIZES)


def waits(probe: Probe) -> list[dict[str, float]]:
    """What a unit waits for, at the levels of the probe."""
    return [probe.waits(level) for level in probe.levels]


def test_each_probe_has_its_levels_and_sizes() -> None:
    found = probes(BENCH, "staging", phases_per_hop=2.5)
    assert [(one.name, one.levels, one.sizes) for one in found] == [
        ("cores", (0, 1), (1, 2)),
        ("chain", (0, 1, 2, 3), (3, 4)),
        ("gate", (3, 4), (5, 6)),
        ("submits", (0, 1), (7, 8)),
    ]


def test_a_unit_waits_for_one_kind_of_record_from_one_level_on() -> None:
    cores, _, gate, submits = probes(BENCH, "staging", phases_per_hop=2.5)
    assert waits(cores) == [{"core_task": 0.0}, {"core_task": 1.0}]
    assert waits(gate) == [{"orchestrator_phase": 0.0}, {"orchestrator_phase": 1.0}]
    assert waits(submits) == [{"staging_shared": 0.0}, {"staging_shared": 1.0}]


@pytest.mark.parametrize(
    ("protocol", "told_late", "moved"),
    [
        ("staging", 1.0, 1.0),
        ("controller-rotated", 1.0, 1.0),
        ("producer-rotated", 0.0, 0.0),
        ("after-finish", 0.0, 1.0),
    ],
)
def test_a_hop_waits_for_more_records_at_each_level(
    protocol: str, told_late: float, moved: float
) -> None:
    core = {"core_task": told_late, "core_moved": moved}
    chain = probes(BENCH, protocol, phases_per_hop=2.5)[1]
    assert waits(chain) == [
        {"core_task": 0.0, "core_moved": 0.0, "controller_task": 0.0, "scheduler_phase": 0.0},
        {**core, "controller_task": 0.0, "scheduler_phase": 0.0},
        {**core, "controller_task": 1.0, "scheduler_phase": 0.0},
        {**core, "controller_task": 1.0, "scheduler_phase": 2.5},
    ]


def test_submits_are_probed_with_staging_where_there_is_a_size_for_them() -> None:
    usual = ["cores", "chain", "gate"]
    others = ("controller-rotated", "producer-rotated", "after-finish")
    for protocol in others:
        assert [one.name for one in probes(BENCH, protocol, phases_per_hop=1)] == usual
    few = ProbedCores("aic", 2, 1, 1, {name: SIZES[name] for name in usual})
    assert [one.name for one in probes(few, "staging", phases_per_hop=1)] == usual


@pytest.mark.parametrize(
    ("maker", "name", "count", "low", "high", "pred", "succ"),
    [
        (core_graphs, "cores", 2000, 58_800, 61_200, [], []),
        (submit_graphs, "submits", 1000, 0, 1_000, [], []),
    ],
)
def test_tasks_of_a_probe_do_not_wait_for_each_other(
    maker: object, name: str, count: int, low: int, high: int, pred: list[int], succ: list[int]
) -> None:
    assert callable(maker)
    made: GraphMaker = maker(BENCH)
    graph = made(1000, 3)
    assert (graph.name, graph.functions, graph.kinds, len(graph)) == (
        name,
        (name,),
        ("aic",),
        count,
    )
    assert (graph.pred.tolist(), graph.succ.tolist()) == (pred, succ)
    assert graph.func.tolist() == graph.kind.tolist() == [0] * count
    assert graph.work.tolist() == [WorkKind.SPIN] * count
    spread = (high - low) / 50
    assert low <= graph.amount.min() < low + spread
    assert high - spread < graph.amount.max() <= high


def test_a_chain_goes_from_task_to_task() -> None:
    graph = chain_graphs(BENCH)(4, 1)
    assert (graph.name, graph.functions, graph.kinds) == ("chain", ("chain",), ("aic",))
    assert (graph.pred.tolist(), graph.succ.tolist()) == ([0, 1, 2], [1, 2, 3])


def test_at_a_gate_all_wait_for_the_last() -> None:
    graph = gate_graphs(BENCH)(4, 1)
    assert (graph.name, graph.functions, graph.kinds) == ("gate", ("gate",), ("aic",))
    assert (graph.pred.tolist(), graph.succ.tolist()) == ([3, 3, 3], [0, 1, 2])


@pytest.mark.parametrize("maker", [chain_graphs, gate_graphs])
def test_tasks_that_follow_each_other_take_one_to_three_times_the_short_length(
    maker: object,
) -> None:
    assert callable(maker)
    amount = maker(BENCH)(1000, 3).amount
    assert 10_000 <= amount.min() < 10_400 and 29_600 < amount.max() <= 30_000


@pytest.mark.parametrize("maker", [core_graphs, chain_graphs, gate_graphs, submit_graphs])
def test_the_seed_decides_the_lengths(maker: object) -> None:
    assert callable(maker)
    graph = maker(BENCH)
    assert np.array_equal(graph(9, 1).amount, graph(9, 1).amount)
    assert not np.array_equal(graph(9, 1).amount, graph(9, 2).amount)
