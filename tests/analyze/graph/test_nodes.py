"""The task graph as columns, whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, phase, task

from lanescope.analyze.graph.nodes import Nodes, nodes, places
from lanescope.trace import MISSING, Source
from lanescope.trace.schema import EdgeFlag

M = MISSING


def columns(graph: Nodes) -> dict[str, Any]:
    """Every field as plain values; the C library's form of the edges is left out."""
    return {name: value for name, value in graph.to_dict().items() if name != "ordered"}


def test_every_column_of_a_small_graph() -> None:
    """7 (two runs) → 8 (a barrier) → 9, 6 (lost) → 9, and a run without an id."""
    trace = make_trace(
        {"level": 4},
        tasks=[
            task(0, 2, 3, 4, 9, 10, task=7),
            task(1, 1, 3, 5, 12, 13, task=7),
            task(0, 20, 21, 22, 30, 31, task=9),
            task(1, None, None, 40, 41, None),
            {"kind": "dummy", "task": 8},
            task(0, None, None, None, None, None, task=6),
        ],
        edges=[
            {"pred": 8, "succ": 9, "kind": "creator"},
            {"pred": 7, "succ": 8, "kind": "explicit"},
            {"pred": 7, "succ": 8, "kind": "creator"},
            {"pred": 6, "succ": 9, "kind": "creator"},
            {"pred": 9, "succ": 99},
            {"pred": 9, "succ": 9},
            {"pred": 9, "succ": 7, "flags": int(EdgeFlag.CYCLIC)},
        ],
        phases=[
            phase("submit", 0, 1, lane="orchestrator", task=7),
            phase("submit", 2, 6, lane="orchestrator", task=9),
            phase("submit", 7, 8, lane="orchestrator", task=99),
        ],
    )
    creator, explicit = trace.code("creator"), trace.code("explicit")
    assert columns(nodes(trace)) == {
        "of_row": [1, 1, 3, 4, 2, 0],
        "ids": [6, 7, 8, 9, M],
        "start": [M, 4, M, 22, 40],
        "end": [M, 12, M, 30, 41],
        "dispatch": [M, 1, M, 20, M],
        "submit": [M, 1, M, 6, M],
        "submit_start": [M, 0, M, 2, M],
        "last": [-1, 1, -1, 2, 3],
        "silent": [False, False, True, False, False],
        "pred": [0, 1, 2],
        "succ": [3, 2, 3],
        "edge_kind": [creator, explicit, creator],
        "pairs": 6,
        "ready": [M, M, 12, 12, M],
        "gate": [-1, -1, 1, 1, -1],
        "doubtful": [False, False, False, True, False],
        "roots": [True, True, False, False, True],
        "graph_known": True,
    }
    assert repr(nodes(trace)) == "<Nodes: 5 nodes, 3 edges, graph known>"


def test_an_empty_trace_has_no_nodes() -> None:
    graph = nodes(make_trace())
    assert len(graph) == 0
    sizes = {len(value) for value in columns(graph).values() if isinstance(value, list)}
    assert (sizes, graph.pairs, graph.graph_known) == ({0}, 0, False)


def test_one_task_without_times_is_a_node_of_which_nothing_is_known() -> None:
    graph = nodes(make_trace(tasks=[task(0, None, None, None, None, None, task=3)]))
    assert (graph.ids.tolist(), graph.last.tolist(), graph.silent.tolist()) == ([3], [-1], [False])
    assert graph.start.tolist() == graph.end.tolist() == graph.ready.tolist() == [M]


@pytest.mark.parametrize(
    ("meta", "edges", "known"),
    [
        ({"level": 1}, [], False),
        ({"level": 2}, [], True),
        ({"level": 4, "origin": "imported"}, [], False),
        ({"level": 1, "origin": "imported"}, [{"pred": 1, "succ": 1}], True),
        (
            {"origin": "imported", "sources": (Source(path="d", format="deps", bytes=1),)},
            [],
            True,
        ),
    ],
)
def test_what_makes_the_graph_known(meta: Any, edges: Any, known: bool) -> None:
    graph = nodes(make_trace(meta, tasks=[task(0, 0, 0, 0, 1, 1, task=1)], edges=edges))
    assert (graph.graph_known, graph.roots.tolist()) == (known, [known])


def test_values_near_and_far_have_the_same_places() -> None:
    ids = np.array([3, 5, 9, M])
    for factor in (1, 10**12):
        known = np.where(ids == M, M, ids * factor)
        wanted = np.array([9, 4, 3, 10, 2]) * factor
        assert places(known, wanted).tolist() == [2, -1, 0, -1, -1]
    assert places(np.zeros(0, np.int64), np.array([1])).tolist() == [-1]


def test_edges_in_any_order_are_one_graph_and_a_pair_counts_once() -> None:
    """No row is before the first one: only neighbours tell that they are unsorted."""
    tasks = [task(0, 0, 0, k, k + 1, 9, task=k) for k in range(4)]
    pairs = [(0, 1), (2, 3), (1, 2), (2, 3), (0, 3)]
    graph = nodes(
        make_trace(tasks=tasks, edges=[{"pred": one, "succ": other} for one, other in pairs])
    )
    found = list(zip(graph.pred.tolist(), graph.succ.tolist(), strict=True))
    assert found == [(0, 1), (0, 3), (1, 2), (2, 3)]
