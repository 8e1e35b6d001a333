"""How often a pair of nodes counts: once, or as often as schedulers told successors."""

from __future__ import annotations

import pytest
from tests.analyze.hand import make_trace, phase, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.replay.readings.edges import edges_of
from lanescope.results import plain
from lanescope.trace.schema import EdgeFlag


def pairs(told: int, **flags: int) -> object:
    """Task 7 comes before 8 for two reasons, and before 9 for one; edges to unknown tasks do not
    count. `told` successors were told in two phases."""
    edge = {"pred": 7, "succ": 8}
    trace = make_trace(
        tasks=[task(0, 0, 1, 2, 3, 4, task=number) for number in (7, 8, 9)],
        edges=[edge, {"pred": 7, "succ": 9}, {**edge, **flags}, {"pred": 7, "succ": 99}],
        phases=[phase("resolve", 0, 1, tasks=told - 1), phase("resolve", 0, 1, tasks=1)],
    )
    return plain(edges_of(trace, nodes(trace)))


def test_a_pair_counts_once() -> None:
    assert pairs(told=2) == {"pred": [0, 0], "succ": [1, 2]}


def test_a_pair_counts_as_often_as_its_successor_was_told() -> None:
    assert pairs(told=3) == {"pred": [0, 0, 0], "succ": [1, 2, 1]}


@pytest.mark.parametrize("told", [2, 3])
def test_an_edge_on_a_cycle_does_not_count(told: int) -> None:
    assert pairs(told, flags=int(EdgeFlag.CYCLIC)) == {"pred": [0, 0], "succ": [1, 2]}
