"""Implied edges against sets of all that a node reaches, on graphs for searches and sweeps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from lanescope.native.paths import Ordered, implied_edges, order_graph

Ends = npt.NDArray[np.int64]
PLENTY = 10**9


def ordered(count: int, ends: Ends, rng: np.random.Generator) -> Ordered:
    """The graph of these pairs, whose nodes are then renumbered at random."""
    ends = np.sort(ends, axis=0)
    names = rng.permutation(count)
    pred, succ = names[np.unique(ends[:, ends[0] != ends[1]], axis=1)]
    graph = order_graph(count, pred, succ)
    assert graph is not None
    return graph


def by_definition(graph: Ordered) -> list[bool]:
    """A set of nodes is a number with a bit per node."""
    first, target = graph.first.tolist(), graph.target.tolist()
    reach = [0] * len(graph)
    behind = [0] * len(graph)
    for node in reversed(graph.order.tolist()):
        after = target[first[node] : first[node + 1]]
        for succ in after:
            behind[node] |= reach[succ]
        reach[node] = behind[node]
        for succ in after:
            reach[node] |= 1 << succ
    return [
        bool(behind[node] >> succ & 1)
        for node in range(len(graph))
        for succ in target[first[node] : first[node + 1]]
    ]


def random_ends(rng: np.random.Generator) -> tuple[int, Ends]:
    count = int(rng.integers(2, 3000))
    return count, rng.integers(0, count, (2, int(rng.integers(1, 6 * count))))


def layers(rng: np.random.Generator) -> tuple[int, Ends]:
    """Edges over one to a few layers."""
    width, depth = int(rng.integers(1, 120)), int(rng.integers(3, 40))
    pred = rng.integers(0, width * depth, 4 * width * depth)
    layer = pred // width + rng.integers(1, int(rng.integers(2, 9)), len(pred))
    succ = layer * width + rng.integers(0, width, len(pred))
    return width * depth, np.array([pred, succ])[:, layer < depth]


def hubs(rng: np.random.Generator) -> tuple[int, Ends]:
    """One node before all others, one behind them: sweeps go both ways."""
    count, ends = layers(rng)
    inner, first, last = np.arange(1, count + 1), 0 * np.arange(count), np.arange(count) * 0
    return count + 2, np.hstack(
        [ends + 1, [first, inner], [inner, last + count + 1], [[0], [count + 1]]]
    )


@pytest.mark.parametrize("shape", [random_ends, layers, hubs])
@pytest.mark.parametrize("seed", range(6))
def test_implied_edges_are_those_of_the_definition(
    shape: Callable[[np.random.Generator], tuple[int, Ends]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    graph = ordered(*shape(rng), rng)
    truth = by_definition(graph)
    mask = implied_edges(graph, budget=PLENTY)
    assert mask is not None and mask.tolist() == truth
    for budget in (0, 1, *rng.integers(0, 300_000, 4).tolist()):
        less = implied_edges(graph, budget=budget)
        assert less is None or less.tolist() == truth


def test_a_budget_that_is_too_small_gives_no_answer() -> None:
    rng = np.random.default_rng(1)
    graph = ordered(2000, rng.integers(0, 2000, (2, 8000)), rng)
    assert implied_edges(graph, budget=10_000) is None
    # Searches take 136,480 steps, and the sweeps for what they leave open 22,754 more.
    assert implied_edges(graph, budget=150_000) is None
    assert implied_edges(graph, budget=160_000) is not None
    assert implied_edges(graph, budget=PLENTY) is not None


def test_edges_to_the_next_depth_take_no_steps() -> None:
    pred, succ = np.divmod(np.arange(100 * 100), 100)
    graph = order_graph(200, pred, succ + 100)
    assert graph is not None
    mask = implied_edges(graph, budget=0)
    assert mask is not None and not mask.any()


def test_a_graph_without_edges_or_nodes() -> None:
    none = np.empty(0, np.int64)
    for count in (0, 3):
        graph = order_graph(count, none, none)
        assert graph is not None
        mask = implied_edges(graph, budget=0)
        assert mask is not None and len(mask) == 0
