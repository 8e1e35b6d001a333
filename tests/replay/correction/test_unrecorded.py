"""Every cost of a record is taken back where it was paid, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.replay.runs import hand_replica, replica

from lanescope.native.replay import Costs
from lanescope.replay.calibration.calibrate import Calibration
from lanescope.replay.correction.record_costs import PAID
from lanescope.replay.correction.unrecorded import _between, unrecorded
from lanescope.replay.readings.buffers import Buffers, HostTimes
from lanescope.replay.readings.served import RangePs
from lanescope.replay.replica import Replica
from lanescope.trace import MISSING, LedgerEntry
from lanescope.trace.meta import RecordingFacts

COSTS = Costs(
    core_record=500, finish_latency=80, task_record=100, scheduler_phase=90, resolve_edge=7
)


def recorded_with(protocol: str = "", **meta: object) -> Replica:
    made = hand_replica()
    facts = RecordingFacts(protocol=protocol, unrecorded_pre_dispatch=2)
    return replace(
        made,
        trace=made.trace.with_meta(recording=facts, **meta),
        costs=COSTS,
        calibration=Calibration(costs=COSTS, seen_ps=RangePs(20, 120)),
    )


@pytest.mark.parametrize("protocol", ["", "producer-rotated"])
def test_a_core_that_tells_first_keeps_only_itself_waiting(protocol: str) -> None:
    less = unrecorded(recorded_with(protocol), {"core_task": 0.4})
    assert less.costs == replace(COSTS, core_record=100)
    assert less.calibration.seen_ps == (20, 120)


def test_a_core_that_tells_later_keeps_its_scheduler_waiting() -> None:
    less = unrecorded(recorded_with("staging"), {"core_task": 0.03, "core_moved": 0.09})
    assert less.costs == replace(COSTS, core_record=470, finish_latency=50, task_record=10)
    assert less.calibration.seen_ps == (0, 90)


def test_schedulers_pay_for_tasks_and_phases() -> None:
    less = unrecorded(recorded_with(), {"controller_task": 0.06, "scheduler_phase": 0.2})
    # More than was measured is not taken back.
    assert less.costs == replace(COSTS, task_record=40, scheduler_phase=0)


def test_reading_counters_lets_a_core_tell_later() -> None:
    made = recorded_with("producer-rotated")
    less = unrecorded(made, {"pmu_core": 0.05, "pmu_controller": 0.01})
    assert less.costs == replace(COSTS, core_record=450, finish_latency=30, task_record=90)
    assert (made.machine.pre_dispatch, less.machine.pre_dispatch) == (0, 2)


def test_bursts_are_paid_for_by_their_mean_number() -> None:
    bursts = LedgerEntry(lane="core 0", kind="burst", total=6, delivered=6)
    less = unrecorded(recorded_with(ledger=(bursts,)), {"burst": 0.02, "engine_drain": 0.005})
    # Six bursts of four runs.
    assert less.costs == replace(COSTS, task_record=100 - 30 - 5)
    assert less.machine.pre_dispatch == 0


def test_who_records_nothing_fills_no_buffer() -> None:
    made = recorded_with()
    four = np.full(4, 4, np.int32)
    buffers = Buffers(count=four, records=four, rotate_ps=5, host_ps=HostTimes(1, 2, 3))
    less = unrecorded(replace(made, buffers=buffers), {"core_task": 0.1, "scheduler_phase": 0.1})
    assert less.buffers.records.tolist() == [0, 4, 0, 4]
    assert less.buffers.count.tolist() == [4, 4, 4, 4]


def test_submits_lose_the_records_between_them() -> None:
    made = replica("fan", "a5")
    less = unrecorded(made, {"orchestrator_phase": 87.9})
    apart = made.submits.cost_ps - less.submits.cost_ps
    # The first submit has no record before it; all others have one.
    assert apart[0] == 0 and set(apart[1:].tolist()) == {87_900}


def test_guessed_submits_stay_as_they_are() -> None:
    made = recorded_with()
    less = unrecorded(made, {"orchestrator_phase": 1.0, "staging_shared": 1.0})
    assert less.submits is made.submits


def test_copies_hold_the_orchestrator_up() -> None:
    """Two tasks finish between the last two submits."""
    made = recorded_with("staging")
    submit = np.array([90, 100, 110, 120, 330])
    made = replace(made, nodes=replace(made.nodes, submit=submit))
    less = unrecorded(made, {"staging_shared": 2.5})
    assert less.submits.cost_ps.tolist() == [0, 10_000, 10_000, 10_000, 10_000 - 2 * 2500]


def test_a_moment_counts_from_the_submit_at_it_to_the_next() -> None:
    moments = np.array([25, MISSING, 5, 10, 20, 19])
    assert _between(np.array([10, 20, 25]), moments).tolist() == [1, 2, 1]
    assert _between(np.array([30]), moments).tolist() == [5]


def test_no_time_becomes_negative() -> None:
    less = unrecorded(recorded_with("staging"), dict.fromkeys(PAID, 9.0))
    zero = replace(COSTS, core_record=0, finish_latency=0, task_record=0, scheduler_phase=0)
    assert (less.costs, less.calibration.seen_ps) == (zero, (0, 0))
    assert (less.submits.cost_ps >= 0).all()


def test_bursts_that_cost_nothing_take_nothing_back() -> None:
    bursts = LedgerEntry(lane="core 0", kind="burst", total=6, delivered=6)
    less = unrecorded(recorded_with(ledger=(bursts,)), {"engine_drain": 0.005})
    assert less.costs == replace(COSTS, task_record=95)
