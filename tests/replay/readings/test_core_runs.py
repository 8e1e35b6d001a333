"""The task rows that ran on a core, each with its node and its core's kind."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.replay.readings.core_runs import core_runs
from lanescope.replay.readings.machine import machine_of
from lanescope.results import plain


def test_rows_without_a_core_or_times_are_left_out() -> None:
    trace = make_trace(
        {"queues": ("b", "a")},
        tasks=[
            task(3, 0, 1, 2, 3, 4, task=9),
            {"task": 5, "kind": "dummy"},
            task(7, 0, 1, 2, 3, 4, task=5),
            task(3, 0, 1, None, 3, 4, task=9),
        ],
        cores=[{"core": 3, "kind": "a"}, {"core": 7, "kind": "b"}],
    )
    runs = core_runs(trace, nodes(trace), machine_of(trace))
    assert plain(runs) == {"rows": [0, 2], "node": [1, 0], "kind": [1, 0], "cluster": [1, 2]}
