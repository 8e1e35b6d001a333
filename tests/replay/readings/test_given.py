"""Runs as their schedulers saw them, of the hand-made run."""

from __future__ import annotations

import numpy as np
from tests.analyze.hand import make_trace, task
from tests.replay.runs import hand_run

from lanescope.analyze.graph.nodes import nodes
from lanescope.replay.readings.given import GivenRuns, given_runs
from lanescope.replay.readings.machine import machine_of
from lanescope.trace import MISSING32, Trace


def columns(runs: GivenRuns) -> dict[str, list[int]]:
    return {name: getattr(runs, name).tolist() for name in runs.__slots__}


def of(trace: Trace, *submit_ns: int) -> GivenRuns:
    return given_runs(trace, nodes(trace), machine_of(trace), submit_ns=np.array(submit_ns))


def test_runs_come_in_the_order_of_their_dispatches() -> None:
    """Task 1 is ready when it is submitted, task 3 when task 1 is finished, and task 4 no later
    than it was dispatched. Task 5 ran on no core."""
    found = of(hand_run(), 80, 90, 100, 110, 120)
    assert columns(found) == {
        "row": [2, 3, 0, 1],
        "node": [0, 1, 2, 3],
        "core": [1, 2, 0, 0],
        "kind": [1, 1, 0, 0],
        "scheduler": [0, 1, 0, 0],
        "told": [False, False, True, True],
        "ready_ns": [80, 90, 320, 440],
        "dispatch_ns": [90, 100, 330, 440],
        "end_ns": [300, 210, 440, 650],
        "finish_ns": [320, 230, 460, 670],
    }
    some = found.rows(np.array([True, False, False, True]))
    assert (some.row.tolist(), some.ready_ns.tolist()) == ([2, 1], [80, 440])


def test_a_task_that_is_submitted_late_was_not_told() -> None:
    """The last predecessor is finished at 320: who is submitted then was told, a ns later not."""
    found = [of(hand_run(), 80, 90, at, 110, 120) for at in (320, 321)]
    assert [(one.told[2], one.ready_ns[2]) for one in found] == [(True, 320), (False, 321)]


def test_runs_without_dispatch_finish_or_core_are_left_out() -> None:
    trace = make_trace(
        tasks=[
            task(0, 1, 2, 3, 4, 5, task=1),
            task(0, None, 2, 3, 4, 5, task=2),
            task(0, 1, 2, 3, 4, None, task=3),
            task(MISSING32, 1, 2, 3, 4, 5, task=4),
            task(0, 0, 2, None, None, 5, task=5),
        ],
        cores=[{"core": 0, "kind": "aic", "controller": 0}],
    )
    assert of(trace, 0, 0, 0, 0, 0).row.tolist() == [0]
