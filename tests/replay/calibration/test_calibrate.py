"""Costs from the records alone: by hand without phases, and of a simulated chip with them."""

from __future__ import annotations

import pytest
from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import a2a3, simulated
from tests.replay.runs import hand_run

from lanescope.analyze.graph.nodes import nodes
from lanescope.native.replay import Costs
from lanescope.replay.calibration.calibrate import Calibration, calibrate
from lanescope.replay.readings.served import RangePs
from lanescope.trace import Trace
from lanescope.workloads import build_workload


def calibrated(trace: Trace) -> Calibration:
    return calibrate(trace, nodes(trace))


def test_without_phases_dispatches_and_finishes_tell() -> None:
    """Tasks take 10 ns to their cores and 20 ns until their end is seen. From the finish of task 2
    to the dispatch of task 3 it is 10 ns, through the barrier; so a dispatch takes no longer. Half
    of the 20 ns is taken to be the completion."""
    assert calibrated(hand_run()) == Calibration(
        costs=Costs(
            dispatch_latency=10_000,
            dispatch=10_000,
            complete=10_000,
            finish_latency=10_000,
            loop=1_000,
        ),
        seen_ps=RangePs(10_000, 10_000),
        missing=("scheduler phases",),
    )


def test_dispatches_that_lie_close_bound_what_one_takes() -> None:
    """Without edges nothing but the 4 ns between two dispatches of a controller tells, and the 3 ns
    between two finishes. Ends are seen after 20 or 24 ns: a round takes 4 ns."""
    trace = make_trace(
        {"origin": "imported"},
        tasks=[
            task(0, 100, 110, 110, 200, 220, task=1),
            task(1, 104, 114, 114, 199, 223, task=2),
        ],
    )
    costs = calibrated(trace).costs
    shortest = 20 + 0.01 * 4
    assert costs == Costs(
        dispatch_latency=10_000,
        dispatch=4_000,
        complete=3_000,
        finish_latency=round((shortest - 3) * 1000),
        loop=round(2 * (22 - shortest) * 1000),
    )


def test_a_task_that_a_core_holds_tells_how_soon_it_goes_on() -> None:
    """The second task was dispatched long before the first one ended: 3 ns from end to receive.
    The third one was dispatched 5 ns before the end and is still under way then."""
    trace = make_trace(
        tasks=[
            task(0, 100, 110, 110, 200, 220, task=1),
            task(0, 150, 203, 203, 300, 320, task=2),
            task(0, 295, 305, 305, 400, 420, task=3),
        ]
    )
    costs = calibrated(trace).costs
    assert (costs.dispatch_latency, costs.core_record) == (10_000, 3_000)


def test_a_core_that_waited_for_a_buffer_tells_nothing() -> None:
    trace = make_trace(
        tasks=[
            task(0, 100, 110, 110, 200, 220, task=1),
            task(0, 150, 290, 290, 300, 320, task=2),
        ],
        stalls=[{"lane": "core", "core": 0, "start_ns": 200, "end_ns": 280}],
    )
    assert calibrated(trace).costs.core_record == 0


def test_without_dispatch_and_finish_nothing_is_known() -> None:
    trace = make_trace({"level": 1}, tasks=[task(0, None, 1, 2, 3, None, task=1)])
    assert calibrated(trace) == Calibration(
        costs=Costs(), seen_ps=RangePs(0, 0), missing=("dispatch and finish",)
    )


def test_phases_tell_the_costs_of_a_simulated_chip() -> None:
    """A counter of 1 GHz. Links are known to a round, everything else to 2 % or 1 ns."""
    chip = a2a3()
    answer = calibrated(simulated(build_workload("paged_attention", {}), chip))
    scheduler, recording = chip.scheduler, chip.recording
    for name, truth in (
        *(("loop", scheduler.loop_ps), ("poll_core", scheduler.poll_core_ps)),
        *(("complete", scheduler.complete_ps), ("task_record", recording.controller_record_ps)),
        *(
            ("resolve_edge", scheduler.resolve_edge_ps),
            ("scheduler_phase", recording.scheduler_phase_ps),
        ),
        *(("pop", scheduler.pop_ps), ("dispatch", scheduler.dispatch_ps)),
        *(("dispatch_latency", chip.link.dispatch_latency_ps), ("release", scheduler.release_ps)),
    ):
        assert getattr(answer.costs, name) == pytest.approx(truth, rel=0.02, abs=1000), name
    low, high = answer.seen_ps
    assert low <= chip.link.finish_latency_ps + 1000 and chip.link.finish_latency_ps <= high
    assert (answer.missing, answer.likely) == ((), ())


def test_one_task_tells_no_dispatch() -> None:
    """Its end is seen after 20 ns, half of which is taken to be the completion."""
    trace = make_trace(tasks=[task(0, 100, 110, 110, 200, 220, task=1)])
    assert calibrated(trace).costs == Costs(
        dispatch_latency=10_000, complete=10_000, finish_latency=10_000, loop=1_000
    )
