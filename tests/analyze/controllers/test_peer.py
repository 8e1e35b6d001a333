"""Overhead as the peer's tools define it, by hand; `tests/reports` compares with their output."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analyze.hand import make_trace, task

from lanescope.analyze.controllers.peer import PeerKind, PeerOverhead, Quantiles, peer_overhead
from lanescope.analyze.graph.nodes import nodes
from lanescope.trace import Trace

CORES = [{"core": 0, "kind": "aiv"}, {"core": 1, "kind": "aiv"}, {"core": 2, "kind": "aic"}]


def overhead(trace: Trace) -> PeerOverhead | None:
    return peer_overhead(trace, nodes(trace))


def test_every_figure_of_three_tasks() -> None:
    """Task 2 is dispatched while 1 runs on its core; task 3 is ready from 10 to 15."""
    trace = make_trace(
        {"level": 2},
        cores=CORES,
        tasks=[
            task(0, 0, 1, 2, 10, 12, task=1),
            task(0, 5, 13, 14, 20, 21, task=2),
            task(1, 15, 15, 16, 20, 22, task=3),
        ],
        edges=[{"pred": 1, "succ": 3}],
    )
    peer = overhead(trace)
    assert peer == PeerOverhead(
        window_ns=18,
        kinds=(
            PeerKind(
                kind="aiv",
                cores=2,
                overhead_ns=5,
                switches=1,
                switch_ns=4,
                least_switch_ns=0,
                most_switch_ns=4,
                switch_in_overhead_ns=4,
            ),
        ),
        all_overhead_ns=5,
        has_overhead_ns=5,
        head=Quantiles(3, (1, 1, 2, 4, 4, 4, 4), 4, 7),
        tail=Quantiles(3, (1, 1, 2, 2, 2, 2, 2), 2, 5),
    )
    assert peer.switch_bounds_ns == (0, 0)
    assert repr(peer) == "<PeerOverhead: has overhead 27.8% of 18 ns>"


def test_a_barrier_hands_nothing_on() -> None:
    """Without the barrier, task 3 would be ready from 10 on; with it, from its dispatch on."""
    tasks: list[dict[str, Any]] = [
        task(0, 0, 0, 0, 10, 10, task=1),
        task(1, 20, 20, 20, 30, 30, task=3),
    ]
    direct = make_trace({"level": 2}, cores=CORES, tasks=tasks, edges=[{"pred": 1, "succ": 3}])
    through = make_trace(
        {"level": 2},
        cores=CORES,
        tasks=[*tasks, {"kind": "dummy", "task": 2}],
        edges=[{"pred": 1, "succ": 2}, {"pred": 2, "succ": 3}],
    )
    found = [overhead(trace) for trace in (direct, through)]
    assert [None if peer is None else peer.has_overhead_ns for peer in found] == [10, 0]


def test_one_task_has_no_overhead() -> None:
    peer = overhead(make_trace({"level": 2}, cores=CORES, tasks=[task(2, 0, 1, 3, 8, 9, task=1)]))
    assert peer == PeerOverhead(
        window_ns=5,
        kinds=(PeerKind("aic", 1, 0, 0, 0, 0, 0, 0),),
        all_overhead_ns=0,
        has_overhead_ns=0,
        head=Quantiles(1, (3,) * 7, 3, 3),
        tail=Quantiles(1, (1,) * 7, 1, 1),
    )


@pytest.mark.parametrize(
    ("level", "tasks"),
    [
        (2, []),
        (2, [task(0, None, 1, 2, 3, None, task=1)]),
        (1, [task(0, 0, 1, 2, 3, 4, task=1)]),
    ],
    ids=["no tasks", "no dispatch", "no graph"],
)
def test_a_trace_that_cannot_tell_has_none(level: int, tasks: list[dict[str, Any]]) -> None:
    assert overhead(make_trace({"level": level}, cores=CORES, tasks=tasks)) is None
