"""The static path is a floor: no simulated run and no replay is shorter, whatever the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analyze.simulated import a2a3, free, simulated
from tests.replay.runs import span_ns

from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.graph.paths import static_path
from lanescope.replay.replayed_trace import replayed_trace
from lanescope.replay.replica import replay, replica_of
from lanescope.trace import Trace
from lanescope.workloads.builder import GraphBuilder
from lanescope.workloads.graph import TaskGraph

EXAMPLES = settings(deadline=None, derandomize=True, database=None)
FREE = ("orchestrator", "scheduler", "link", "core", "recording")
SHAPES: tuple[dict[str, Any], ...] = (
    {"kind": "aiv"},
    {"kind": "aic"},
    {"kind": "aiv", "early": True},
    {"kind": "aiv", "blocks": 3},
    {"kind": "aiv", "blocks": 19},
    {"kind": "aiv", "blocks": 2, "together": True},
    {"kind": "aic", "blocks": 5, "partners": 2},
)


@st.composite
def graphs(draw: st.DrawFn) -> TaskGraph:
    """A few tasks of one or many blocks, each after some of those before it."""
    builder = GraphBuilder("drawn")
    for number in range(draw(st.integers(1, 8))):
        shape = draw(st.integers(0, len(SHAPES) - 1))
        before = draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set()
        builder.task(
            f"shape {shape}",
            after=sorted(before),
            spin_ns=draw(st.sampled_from((1_000, 5_000))),
            **SHAPES[shape],
        )
    return builder.graph()


def floor_ns(trace: Trace) -> int:
    return static_path(trace, nodes(trace)).length_ns


@settings(EXAMPLES, max_examples=30)
@given(graphs(), st.integers(1, 3))
def test_no_run_is_shorter_than_the_static_path(graph: TaskGraph, clusters: int) -> None:
    """Neither the run itself, nor one whose controllers take no time."""
    chip = replace(a2a3(), clusters=clusters)
    trace = simulated(graph, chip)
    floor = floor_ns(trace)
    assert 0 < floor <= span_ns(trace)
    assert floor <= span_ns(simulated(graph, free(chip, *FREE)))


@settings(EXAMPLES, max_examples=6)
@given(graphs(), st.integers(1, 3))
def test_no_replay_is_shorter_than_the_static_path(graph: TaskGraph, clusters: int) -> None:
    trace = simulated(graph, replace(a2a3(), clusters=clusters))
    replica = replica_of(trace)
    again = replay(replica)
    assert floor_ns(trace) <= again.makespan_ps / 1000
    copy = replayed_trace(replica, again, name="again", note="a replay")
    # Each of its times is rounded down to whole nanoseconds.
    assert abs(floor_ns(copy) - floor_ns(trace)) <= len(graph)
