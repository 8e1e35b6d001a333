"""Submits of an orchestrator that waits for nobody, as the recording tells them."""

from __future__ import annotations

import pytest
from tests.analyze.hand import Row, make_trace, phase, task

from lanescope.analyze.graph.nodes import nodes
from lanescope.native.replay import Costs
from lanescope.replay.readings.submits import submits_of
from lanescope.replay.readings.told_submits import told_submits
from lanescope.trace import Trace
from lanescope.trace.meta import RecordingFacts

TOLD = RecordingFacts(submit_lead_ns=30, submitting_ns=100)


def run(number: int, dispatch: int) -> Row:
    return task(number, dispatch, dispatch, dispatch, dispatch + 5, dispatch + 6, task=number)


def traced(*dispatches: int, facts: RecordingFacts | None = TOLD) -> Trace:
    rows = [run(number, at) for number, at in enumerate(dispatches)]
    return make_trace({"level": 2, "recording": facts}, tasks=rows)


def test_submits_are_even_from_before_the_first_dispatch_on() -> None:
    trace = traced(130, 200, 300, 400)
    told = told_submits(trace, nodes(trace))
    assert told is not None
    assert (told.at_ns.tolist(), told.begin_ns) == ([125, 150, 175, 200], 100)
    submits = submits_of(trace, nodes(trace), Costs(), pre_dispatch=0)
    assert submits.cost_ps.tolist() == [25_000] * 4
    assert (submits.begin_ns, submits.held_up_ps) == (100, 0)


def test_no_task_is_submitted_after_its_dispatch_or_that_of_a_later_one() -> None:
    trace = traced(130, 300, 140, 400)
    told = told_submits(trace, nodes(trace))
    assert told is not None
    assert told.at_ns.tolist() == [125, 140, 140, 200]


@pytest.mark.parametrize(
    "facts",
    [None, RecordingFacts(), RecordingFacts(submitting_ns=1), RecordingFacts(submit_lead_ns=1)],
)
def test_a_recording_that_says_less_tells_nothing(facts: RecordingFacts | None) -> None:
    trace = traced(130, 200, facts=facts)
    assert told_submits(trace, nodes(trace)) is None


def test_recorded_submits_are_taken_before_what_is_told() -> None:
    """And a late one was not held up by anybody."""
    ends = (110, 120, 190)
    trace = make_trace(
        {"recording": TOLD},
        tasks=[run(number, 200) for number in range(3)],
        phases=[
            phase("submit", end - 5, end, lane="orchestrator", task=number)
            for number, end in enumerate(ends)
        ],
    )
    submits = submits_of(trace, nodes(trace), Costs(), pre_dispatch=0)
    assert submits.at_ns().tolist() == [110, 120, 190]
    assert submits.held_up_ps == 0
    guessed = submits_of(trace.with_meta(recording=None), nodes(trace), Costs(), pre_dispatch=0)
    assert guessed.held_up_ps > 0
