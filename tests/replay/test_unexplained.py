"""Waits that a replay does not have, of the hand-made run: every one with its two lengths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.replay.runs import hand_replica

from lanescope.replay import unexplained
from lanescope.replay.unexplained import UnexplainedWait, unexplained_waits


def test_waits_begin_with_the_submit_or_the_last_predecessor() -> None:
    """Submits are 10 ns apart from 80 on. Of the recorded dispatches, task 1 waited for 10 ns from
    its submit, task 2 for 10 and task 3 for 10 from the end of task 1. Task 4 was dispatched
    before task 3 was finished. A replay without costs has no waits."""
    assert unexplained_waits(hand_replica()) == (
        UnexplainedWait(1, "A", 10, 0),
        UnexplainedWait(2, "A", 10, 0),
        UnexplainedWait(3, "B", 10, 0),
    )


def test_the_largest_differences_come_first_and_the_rest_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With submits that begin at 0, tasks 1 and 2 waited for 90 ns."""
    made = hand_replica()
    late = replace(made, submits=replace(made.submits, begin_ns=0))
    rows = (UnexplainedWait(1, "A", 90, 0), UnexplainedWait(2, "A", 90, 0))
    assert unexplained_waits(late) == (*rows, UnexplainedWait(3, "B", 10, 0))
    monkeypatch.setattr(unexplained, "_MOST", 2)
    assert unexplained_waits(late) == rows


def test_a_run_without_id_or_name_is_told_without() -> None:
    made = hand_replica()
    trace = replace(made.trace, functions=made.trace.functions.rows(np.array([1])))
    nodes = replace(made.nodes, ids=np.where(made.nodes.ids == 2, -5, made.nodes.ids))
    found = unexplained_waits(replace(made, trace=trace, nodes=nodes))
    assert [(one.task, one.function) for one in found] == [(1, ""), (-1, ""), (3, "B")]
