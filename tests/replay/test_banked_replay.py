"""Runs whose schedulers serve many cores in one step: as they were, and with half the work."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.replay.banked import BankedRun, makespan_ns, ran, traced

from lanescope.replay.changes import Change, scale_function, set_cores
from lanescope.replay.replica import replica_of
from lanescope.replay.what_if import what_if

HALF = Change("half", partial(scale_function, func=1, factor=0.5))


@pytest.mark.parametrize("schedulers", [1, 4])
@pytest.mark.parametrize("level", [4, 2])
def test_half_the_work_of_a_function_is_foreseen(schedulers: int, level: int) -> None:
    run = BankedRun(schedulers=schedulers)
    answer = what_if(replica_of(traced(run, level=level)), [HALF])
    assert abs(answer.honesty) < 0.03
    [foreseen] = answer.predictions
    truth = makespan_ns(ran(run, scale={1: 0.5}))
    assert truth < 0.96 * answer.recorded_ns
    assert abs(foreseen.makespan_ns / truth - 1) < 0.05
    assert foreseen.low_ns < truth < foreseen.high_ns


@pytest.mark.parametrize("schedulers", [1, 4])
@pytest.mark.parametrize("level", [2, 3])
def test_a_recording_that_tells_how_long_submits_took_is_as_good_as_their_records(
    schedulers: int, level: int
) -> None:
    run = BankedRun(schedulers=schedulers)
    recorded = replica_of(traced(run, level=4)).submits.at_ns()
    told = replica_of(traced(run, level=level, told=True))
    assert np.abs(told.submits.at_ns() - recorded).max() <= 1
    assert told.calibration.missing == ()
    assert told.submits.held_up_ps == 0
    guessed = replica_of(traced(run, level=level))
    assert guessed.calibration.missing == ("submits",)
    [foreseen] = what_if(told, [HALF]).predictions
    truth = makespan_ns(ran(run, scale={1: 0.5}))
    assert abs(foreseen.makespan_ns / truth - 1) < 0.05


def test_other_runs_are_explained_as_well() -> None:
    for seed in (3, 4, 5):
        replica = replica_of(traced(BankedRun(seed=seed, tasks=800, cores=60, schedulers=2)))
        assert replica.machine.bank_cores > 1
        assert abs(what_if(replica, []).honesty) < 0.03


def test_fewer_cores_are_replayed_in_banks() -> None:
    change = Change("60 cores", partial(set_cores, kind="sm", count=60))
    [foreseen] = what_if(replica_of(traced(BankedRun())), [change]).predictions
    truth = makespan_ns(ran(BankedRun(cores=60)))
    assert abs(foreseen.makespan_ns / truth - 1) < 0.05
