"""The graph in figures: by hand, against brute force, and against what deps.json itself says."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyze.hand import make_trace, task

from lanescope.analyze.graph.listing import GraphListing, list_graph
from lanescope.analyze.graph.nodes import nodes
from lanescope.formats import import_paths
from lanescope.trace import Source, Trace
from lanescope.trace.schema import EdgeFlag
from lanescope.trace.task_names import task_text

ROOT = Path(__file__).parents[3]
DATA = ROOT / "../shared/data/chip-swimlane"
RUNS = [ROOT / "examples" / "small_run", *(path.parent for path in sorted(DATA.rglob("deps.json")))]
Pair = tuple[int, int]


def edge(pred: int, succ: int, kind: str = "explicit", **more: Any) -> dict[str, Any]:
    return {"pred": pred, "succ": succ, "kind": kind, "flags": 0, **more}


def small() -> Trace:
    """1 to 4 in a line, 5 beside it, 6 alone, and edges that are none."""
    return make_trace(
        {"sources": (Source(path="run/deps.json", format="deps", bytes=1),)},
        functions=[{"func": 0, "name": "QK"}, {"func": 1, "name": "SF"}],
        tasks=[
            task(0, 0, 1, 2, 4, 5, task=1, func=0),
            task(0, 5, 6, 7, 8, 9, task=2, func=0),
            task(1, 5, 6, 8, 9, 9, task=2, func=1),
            task(0, 9, 9, 12, 14, 15, task=4, func=1),
            task(0, 20, 21, 22, 24, 25, task=6, func=1),
            {"kind": "dummy", "task": 3},
            {"kind": "outside", "task": 5},
            {"kind": "node", "task": 7},
            {"kind": "node", "task": 8},
        ],
        edges=[
            edge(1, 2), edge(1, 2, "creator"), edge(2, 3), edge(3, 4),
            edge(1, 4, "tensormap"), edge(1, 4, "creator"), edge(1, 3), edge(5, 4),
            edge(2, 2), edge(1, 99), edge(99, 1),
            edge(7, 8, flags=int(EdgeFlag.CYCLIC)), edge(8, 7, flags=int(EdgeFlag.CYCLIC)),
        ],
    )  # fmt: skip


def test_every_figure_of_a_small_graph() -> None:
    found = list_graph(small()).to_dict()
    lists = {name: found.pop(name) for name in ("by_fan_out", "by_fan_in", "by_depth")}
    assert found == {
        "nodes": 8,
        "kinds": [
            {"kind": "run", "count": 4},
            {"kind": "node", "count": 2},
            {"kind": "dummy", "count": 1},
            {"kind": "outside", "count": 1},
        ],
        "ran": 4,
        "edge_rows": 13,
        "edge_pairs": 11,
        "missing": 2,
        "self_edges": 1,
        "cyclic": 2,
        "edges": 6,
        "between_runs": 2,
        "outside": 1,
        "unrun": 3,
        "sources": 5,
        "sinks": 4,
        "isolated": 3,
        "depth": 4,
        "widest": 5,
        "widest_depth": 1,
        "fan_in": {"total": 6, "mean": 0.75, "largest": 3},
        "fan_out": {"total": 6, "mean": 0.75, "largest": 3},
        "adds_up": True,
        "implied": 2,
        "implied_creator": 1,
        "step_limit": 200_000_000,
        "dependency_files": ["run/deps.json"],
    }
    assert [(row["task"], row["fan_out"]) for row in lists["by_fan_out"]] == [
        (1, 3), (5, 1), (2, 1), (3, 1),
    ]  # fmt: skip
    assert [(row["task"], row["fan_in"]) for row in lists["by_fan_in"]] == [(4, 3), (3, 2), (2, 1)]
    assert [(row["task"], row["depth"]) for row in lists["by_depth"]] == [(4, 4), (3, 3), (2, 2)]
    assert lists["by_depth"][2] == {
        "task": 2,
        "label": "2",
        "function": "QK, SF",
        "kind": "run",
        "fan_in": 1,
        "fan_out": 1,
        "depth": 2,
        "start_ns": 7,
    }
    assert lists["by_depth"][1]["start_ns"] is None


def test_a_wrong_sum_is_seen() -> None:
    trace = small()
    graph = nodes(trace)
    lost = replace(graph, pred=graph.pred[1:], succ=graph.succ[1:])
    assert list_graph(trace, graph).adds_up
    assert not list_graph(trace, lost).adds_up
    assert not list_graph(trace, replace(graph, pairs=graph.pairs + 1)).adds_up


def test_a_cycle_that_nobody_marked_is_left_out() -> None:
    tasks = [{"kind": "node", "task": number} for number in range(4)]
    edges = [edge(0, 1), edge(1, 2), edge(2, 1), edge(2, 3)]
    found = list_graph(make_trace(tasks=tasks, edges=edges))
    assert (found.edges, found.cyclic, found.adds_up) == (2, 2, True)


def test_a_pair_that_one_of_its_rows_calls_cyclic_is_an_edge_of_the_graph() -> None:
    tasks = [{"kind": "node", "task": number} for number in range(2)]
    marked = edge(0, 1, flags=int(EdgeFlag.CYCLIC))
    found = list_graph(make_trace(tasks=tasks, edges=[marked, edge(0, 1, "creator")]))
    assert (found.edges, found.cyclic, found.adds_up) == (1, 0, True)


def test_an_empty_trace_has_a_listing() -> None:
    found = list_graph(make_trace())
    assert (found.nodes, found.depth, found.widest, found.implied) == (0, 0, 0, 0)
    assert (found.widest_depth, found.fan_in.mean, found.adds_up) == (None, None, True)


def test_implied_edges_that_would_take_too_long_are_not_counted() -> None:
    found = list_graph(small(), step_limit=1)
    assert (found.implied, found.implied_creator, found.step_limit) == (None, None, 1)


def test_lists_end_at_the_top() -> None:
    count = 30
    tasks = [{"kind": "node", "task": number} for number in range(count)]
    edges = [edge(pred, count - 1) for pred in range(count - 1)]
    found = list_graph(make_trace(tasks=tasks, edges=edges), top=3)
    assert [row.task for row in found.by_fan_out] == [0, 1, 2]
    assert [row.task for row in found.by_fan_in] == [count - 1]


def test_a_task_is_called_by_its_id() -> None:
    assert task_text(make_trace(), (1 << 62) + 1) == "4611686018427387905"


def by_definition(pairs: set[Pair], tasks: set[int]) -> dict[str, Any]:
    """Depth, fans and implied edges as they are defined, without any of our code."""
    after: dict[int, set[int]] = {one: set() for one in tasks}
    before: dict[int, set[int]] = {one: set() for one in tasks}
    for pred, succ in pairs:
        after[pred].add(succ)
        before[succ].add(pred)
    depth: dict[int, int] = {}
    waiting = {one: len(before[one]) for one in tasks}
    ready = [one for one in tasks if not waiting[one]]
    order = []
    while ready:
        one = ready.pop()
        order.append(one)
        depth[one] = 1 + max((depth[pred] for pred in before[one]), default=0)
        for succ in after[one]:
            waiting[succ] -= 1
            if not waiting[succ]:
                ready.append(succ)
    reach: dict[int, set[int]] = {}
    for one in reversed(order):
        reach[one] = after[one].union(*(reach[succ] for succ in after[one]))
    implied = {
        (pred, succ)
        for pred, succ in pairs
        if any(succ in reach[other] for other in after[pred] if other != succ)
    }
    widths = Counter(depth.values())
    return {
        "fan_in": max((len(one) for one in before.values()), default=0),
        "fan_out": max((len(one) for one in after.values()), default=0),
        "depth": max(depth.values(), default=0),
        "widest": max(widths.values(), default=0),
        "sources": sum(not one for one in before.values()),
        "sinks": sum(not one for one in after.values()),
        "isolated": sum(not before[one] and not after[one] for one in tasks),
        "implied": implied,
    }


def compare(found: GraphListing, truth: dict[str, Any]) -> None:
    assert found.adds_up
    assert (found.fan_in.largest, found.fan_out.largest) == (truth["fan_in"], truth["fan_out"])
    for name in ("depth", "widest", "sources", "sinks", "isolated"):
        assert getattr(found, name) == truth[name], name
    assert found.implied == len(truth["implied"])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, bool]]]:
    """Edges from lower to higher numbers, some repeated, some of them creator edges."""
    count = draw(st.integers(2, 40))
    number = st.integers(0, count - 1)
    rows = draw(st.lists(st.tuples(number, number, st.booleans()), max_size=120))
    return count, [(min(a, b), max(a, b), made) for a, b, made in rows if a != b]


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(graphs())
def test_any_graph_has_the_figures_of_the_definition(
    graph: tuple[int, list[tuple[int, int, bool]]],
) -> None:
    count, rows = graph
    ids = [(7 * number) % 41 for number in range(count)]
    tasks = [{"kind": "node", "task": one} for one in ids]
    edges = [edge(ids[a], ids[b], "creator" if made else "explicit") for a, b, made in rows]
    found = list_graph(make_trace(tasks=tasks, edges=edges))
    pairs = {(ids[a], ids[b]) for a, b, _ in rows}
    made = {(ids[a], ids[b]) for a, b, made in rows if made}
    truth = by_definition(pairs, set(ids))
    compare(found, truth)
    assert (found.edge_rows, found.edge_pairs) == (len(rows), len(pairs))
    assert found.implied_creator == len(truth["implied"] & made)


@pytest.mark.parametrize("folder", RUNS, ids=lambda path: "/".join(path.parts[-3:]))
def test_real_runs_have_the_figures_of_their_deps_json(folder: Path) -> None:
    raw = json.loads((folder / "deps.json").read_text())
    rows = [(int(row["pred"]), int(row["succ"]), row.get("source")) for row in raw["edges"]]
    pairs = {(pred, succ) for pred, succ, _ in rows}
    (trace,) = import_paths([folder])
    tasks = {number for number in trace.tasks["task"].tolist() if number >= 0}
    named = {int(row["task_id"]) for row in raw.get("tasks", [])}
    assert named | {one for pair in pairs for one in pair} <= tasks
    found, truth = list_graph(trace), by_definition(pairs, tasks)
    assert (found.edge_rows, found.edge_pairs, found.edges) == (len(rows), len(pairs), len(pairs))
    compare(found, truth)
    made = {(pred, succ) for pred, succ, source in rows if source == "creator"}
    assert found.implied_creator == len(truth["implied"] & made)


@pytest.mark.parametrize(
    "printed",
    sorted(DATA.rglob("report_deps_viewer_reduced.txt")),
    ids=lambda path: "/".join(path.parts[-4:-1]),
)
def test_the_peer_leaves_out_what_is_implied_and_not_a_creator_edge(printed: Path) -> None:
    removed, pairs = re.findall(r"removed (\d+) redundant edge\(s\) of (\d+)", printed.read_text())[
        0
    ]
    (trace,) = import_paths([printed.parent])
    found = list_graph(trace)
    assert found.implied is not None and found.implied_creator is not None
    assert found.implied - found.implied_creator == int(removed)
    assert found.edge_pairs == int(pairs)
