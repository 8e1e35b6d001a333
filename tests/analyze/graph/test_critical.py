"""Critical paths against brute force on small graphs, and by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyze.hand import make_trace, phase, task
from tests.analyze.simulated import a2a3, simulated

from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.graph.critical import CAUSES, critical
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.paths import SEGMENTS, observed_path, static_path
from lanescope.native.paths import implied_edges
from lanescope.trace import Trace
from lanescope.workloads import WORKLOADS, build_workload

EXAMPLES = settings(max_examples=150, deadline=None, derandomize=True, database=None)
CORES = [{"core": core, "kind": "aiv"} for core in range(3)]


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Runs and barriers with edges from lower to higher numbers; numbers are shuffled ids."""
    count = draw(st.integers(1, 9))
    ids = draw(st.permutations(range(100, 100 + count)))
    tasks: list[dict[str, Any]] = []
    free = [0, 0, 0]
    for number in range(count):
        if draw(st.integers(0, 4)) == 0:
            tasks.append({"kind": "dummy", "task": ids[number]})
            continue
        core = draw(st.integers(0, 2))
        dispatch = draw(st.integers(0, 30))
        start = max(dispatch, free[core]) + draw(st.integers(0, 3))
        end = free[core] = start + draw(st.integers(1, 9))
        finish = end + draw(st.integers(0, 4))
        tasks.append(task(core, dispatch, start, start, end, finish, task=ids[number], func=0))
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = [
        {"pred": ids[min(pair)], "succ": ids[max(pair)], "kind": "explicit"}
        for pair in draw(st.lists(pairs, max_size=16))
        if pair[0] != pair[1]
    ]
    runs = [one for one in tasks if one["kind"] == "run"]
    submits = [
        phase("submit", 0, draw(st.integers(0, 12)), lane="orchestrator", task=one["task"])
        for one in runs
        if draw(st.booleans())
    ]
    return make_trace({"level": 4}, cores=CORES, tasks=tasks, edges=edges, phases=submits)


def graph_of(trace: Trace) -> tuple[dict[int, int], dict[int, set[int]]]:
    """Length of each task, and its successors."""
    tasks = trace.tasks
    ran = trace.ran()
    spans = np.where(ran, tasks["end_ns"] - np.where(ran, tasks["start_ns"], 0), 0)
    lengths = dict(zip(tasks["task"].tolist(), np.where(ran, spans, 0).tolist(), strict=True))
    after: dict[int, set[int]] = {one: set() for one in lengths}
    for pred, succ in zip(trace.edges["pred"].tolist(), trace.edges["succ"].tolist(), strict=True):
        after[pred].add(succ)
    return lengths, after


def kept(trace: Trace) -> dict[int, set[int]]:
    """Successors by the edges that the run kept: none starts before what it waits for is done."""
    tasks, (_, after) = trace.tasks, graph_of(trace)
    start, end = (
        dict(zip(tasks["task"].tolist(), tasks[name].tolist(), strict=True))
        for name in ("start_ns", "end_ns")
    )
    ran = dict(zip(tasks["task"].tolist(), trace.ran().tolist(), strict=True))

    def done(name: int) -> int:
        before = [done(pred) for pred, succs in after.items() if name in succs]
        return end[name] if ran[name] else max(before, default=0)

    return {
        pred: {succ for succ in succs if not ran[succ] or done(pred) <= start[succ]}
        for pred, succs in after.items()
    }


@EXAMPLES
@given(traces())
def test_the_static_path_is_the_longest_of_all(trace: Trace) -> None:
    (lengths, _), after = graph_of(trace), kept(trace)

    def paths(node: int) -> list[list[int]]:
        return [[node]] + [[node, *rest] for succ in after[node] for rest in paths(succ)]

    every = [path for node in lengths for path in paths(node)]
    longest = {
        node: max(sum(lengths[n] for n in path) for path in every if node in path)
        for node in lengths
    }
    found = nodes(trace)
    static = static_path(trace, found)
    assert static.length_ns == max(longest.values())
    ids = found.ids.tolist()
    slack = dict(zip(ids, static.slack.tolist(), strict=True))
    assert slack == {node: static.length_ns - longest[node] for node in ids}
    names = [ids[node] for node in static.path.tolist()]
    assert [lengths[name] for name in names] == static.least_ns.tolist()
    assert sum(static.least_ns.tolist()) == static.length_ns
    window = makespan(trace).window
    assert window is None or static.length_ns <= window.length_ns


@EXAMPLES
@given(traces())
def test_implied_edges_are_those_with_a_longer_way(trace: Trace) -> None:
    _, after = graph_of(trace)

    @cache
    def reach(node: int) -> frozenset[int]:
        return frozenset(after[node]).union(*(reach(succ) for succ in after[node]))

    implied = {
        (pred, succ)
        for pred, succs in after.items()
        for succ in succs
        if any(succ in reach(other) for other in succs - {succ})
    }
    graph = nodes(trace)
    mask = implied_edges(graph.ordered, budget=10**6)
    assert mask is not None
    source = np.repeat(np.arange(len(graph)), np.diff(graph.ordered.first))
    pairs = zip(graph.ids[source[mask]], graph.ids[graph.ordered.target[mask]], strict=True)
    assert {(int(pred), int(succ)) for pred, succ in pairs} == implied


def walked(trace: Trace) -> list[tuple[int, str]]:
    """Task rows and causes, by the definition: before each start, whatever came last."""
    tasks = trace.tasks
    rows = np.flatnonzero(trace.ran()).tolist()
    number, start, end = (tasks[name].tolist() for name in ("task", "start_ns", "end_ns"))
    row_of = {number[row]: row for row in rows}
    _, after = graph_of(trace)

    def sources(name: int) -> set[int]:
        """Rows that ran before it, through tasks that did not."""
        before = {pred for pred, succs in after.items() if name in succs}
        return set().union(*({row_of[p]} if p in row_of else sources(p) for p in before), set())

    sent = dict(zip(trace.phases["task"].tolist(), trace.phases["end_ns"].tolist(), strict=True))
    row: int | None = max(rows, key=lambda r: (tasks["finish_ns"][r], -r))
    path = []
    while row is not None:
        now = start[row]
        # The latest producer only: when it ended after the start, the edge was not waited for.
        data = max(((end[r], r) for r in sources(number[row])), default=None, key=lambda x: x[0])
        came = [(end[data[1]], 2, "data", data[1])] if data and data[0] <= now else []
        same = [r for r in rows if tasks["core"][r] == tasks["core"][row] and start[r] < now]
        came += [(end[r], 0, "core", r) for r in same if end[r] <= now]
        if number[row] in sent and sent[number[row]] <= now:
            came.append((sent[number[row]], 0.5, "submit", None))
        best = max(came, key=lambda x: (x[0], x[1] if x[2] != "submit" else -1), default=None)
        path.append((row, best[2] if best else "first"))
        row = best[3] if best else None
    return path[::-1]


@EXAMPLES
@given(traces())
def test_the_observed_path_tiles_the_window(trace: Trace) -> None:
    found, window = nodes(trace), makespan(trace).window
    if window is None:
        return
    path = observed_path(trace, found, window)
    assert path is not None
    assert path.start_ns[0] == window.start_ns and path.end_ns[-1] == window.end_ns
    assert (path.start_ns[1:] == path.end_ns[:-1]).all()
    result = critical(trace, found, window)
    assert sum(result.segments.values()) == window.length_ns
    runs = int((trace.tasks["end_ns"] - trace.tasks["start_ns"])[path.rows].sum())
    assert result.segments["run"] == runs


def test_the_observed_path_by_hand() -> None:
    """Task 3 waits for 1 through a barrier, 4 waits for the core that 3 ran on."""
    trace = make_trace(
        {"level": 4},
        cores=CORES,
        functions=[{"func": 0, "name": "A"}, {"func": 1, "name": "B"}],
        tasks=[
            task(0, 4, 5, 6, 20, 21, task=1, func=0),
            task(1, 25, 28, 30, 40, 44, task=3, func=1),
            task(1, 35, 42, 43, 50, 55, task=4, func=0),
            {"kind": "dummy", "task": 2},
        ],
        edges=[{"pred": 1, "succ": 2, "kind": "explicit"}, {"pred": 2, "succ": 3}],
        phases=[
            phase("submit", 0, 4, lane="orchestrator", task=1),
            phase("submit", 4, 9, lane="orchestrator", task=4),
        ],
    )
    found = critical(trace)
    # 4..6 switch, 6..20 run 1, 20..25 scheduler, 25..30 switch, 30..40 run 3, 40..43 switch
    # (task 4 was there already), 43..50 run 4, 50..55 finish.
    assert found.segments == {
        **dict.fromkeys(SEGMENTS, 0),
        "run": 31,
        "scheduler": 5,
        "switch": 10,
        "finish": 5,
    }
    assert [(f.name, f.runs, f.run_ns, f.wait_ns) for f in found.functions] == [
        ("A", 2, 21, 5),
        ("B", 1, 10, 10),
    ]
    assert [(c.cause, c.kind, c.steps, c.wait_ns) for c in found.causes] == [
        ("data", "through", 1, 10),
        ("core", "", 1, 3),
        ("submit", "", 1, 2),
    ]
    assert (found.static_ns, found.static_tasks, found.implied) == (24, 2, 0)


def test_the_walk_follows_what_came_last() -> None:
    @EXAMPLES
    @given(traces())
    def check(trace: Trace) -> None:
        window = makespan(trace).window
        if window is None:
            return
        path = observed_path(trace, nodes(trace), window)
        assert path is not None
        found = zip(path.rows.tolist(), (CAUSES[cause] for cause in path.causes), strict=True)
        assert list(found) == walked(trace)

    check()


def test_a_run_does_not_wait_for_one_that_began_with_it() -> None:
    """Two runs of no length at one moment of one core: neither waited for the other."""
    trace = make_trace(
        {"level": 2},
        cores=CORES,
        tasks=[task(0, 4, 5, 6, 6, 7, task=1), task(0, 4, 5, 6, 6, 8, task=2)],
        edges=[{"pred": 1, "succ": 2}],
    )
    window = makespan(trace).window
    assert window is not None
    path = observed_path(trace, nodes(trace), window)
    assert path is not None
    assert [
        (int(row), CAUSES[cause]) for row, cause in zip(path.rows, path.causes, strict=True)
    ] == [(1, "first")]


def test_edges_on_a_cycle_are_left_out() -> None:
    trace = make_trace(
        {"level": 2},
        cores=CORES,
        tasks=[task(0, n, n, n, n + 1, n + 1, task=n) for n in range(3)],
        edges=[{"pred": 0, "succ": 1}, {"pred": 1, "succ": 0}, {"pred": 1, "succ": 2}],
    )
    found = nodes(trace)
    assert list(zip(found.pred.tolist(), found.succ.tolist(), strict=True)) == [(1, 2)]
    assert critical(trace).static_ns == 2


def test_every_simulated_workload_is_tiled() -> None:
    for name in WORKLOADS:
        trace = simulated(build_workload(name, {}), a2a3())
        found = critical(trace)
        assert found.window is not None
        assert sum(found.segments.values()) == found.window.length_ns, name
        assert 0 < found.static_ns <= found.window.length_ns, name


def test_waits_for_data_are_told_by_the_kind_of_their_edge() -> None:
    """Five runs in a row, each on another core than the one before; the last through a barrier."""
    starts = [0, 11, 23, 36, 50]
    trace = make_trace(
        {"level": 2},
        cores=CORES,
        tasks=[
            *(task(n % 3, at, at, at, at + 10, at + 10, task=n) for n, at in enumerate(starts)),
            {"kind": "dummy", "task": 9},
        ],
        edges=[
            {"pred": 0, "succ": 1, "kind": "creator"},
            {"pred": 1, "succ": 2, "kind": "explicit"},
            {"pred": 2, "succ": 3},
            {"pred": 3, "succ": 9, "kind": "explicit"},
            {"pred": 9, "succ": 4, "kind": "explicit"},
        ],
    )
    found = [(c.cause, c.kind, c.steps, c.wait_ns) for c in critical(trace).causes]
    assert found == [
        ("data", "through", 1, 4),
        ("data", "edge", 1, 3),
        ("data", "explicit", 1, 2),
        ("data", "creator", 1, 1),
        ("first", "", 1, 0),
    ]
