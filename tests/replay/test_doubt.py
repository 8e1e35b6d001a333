"""What the records leave open, and what a replay leaves out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.analyze.hand import make_trace, phase
from tests.replay.runs import hand_replica

from lanescope.native.replay import EARLY, TOGETHER, Costs
from lanescope.replay.calibration.calibrate import Calibration
from lanescope.replay.doubt import left_out, variants_of
from lanescope.replay.readings.buffers import HostTimes
from lanescope.replay.readings.served import RangePs
from lanescope.replay.replica import Replica


def made_with(**calibration: Any) -> Replica:
    known = {"costs": Costs(), "seen_ps": RangePs(0, 0), **calibration}
    return replace(hand_replica(), calibration=Calibration(**known))


def test_the_replica_itself_is_the_first_variant() -> None:
    made = hand_replica()
    assert variants_of(made)[0] is made


def test_likely_costs_are_variants() -> None:
    likely = (Costs(finish_latency=1), Costs(finish_latency=2), Costs(finish_latency=3))
    variants = variants_of(replace(made_with(likely=likely), costs=likely[0]))
    assert [one.costs.finish_latency for one in variants] == [1, 2, 3, *[1] * 4]


def test_without_likely_costs_every_view_of_when_an_end_is_seen_is_one() -> None:
    variants = variants_of(made_with(seen_ps=RangePs(100, 180)))
    assert [one.costs.finish_latency for one in variants] == [0, 100, 120, 140, 160, 180, *[0] * 4]


def test_lengths_vary_by_one_percent_and_always_in_the_same_way() -> None:
    made = hand_replica()
    *_, first, second, third, fourth = variants_of(made)
    factors = [one.units.lengths_ps / made.units.lengths_ps for one in (first, second, third)]
    assert all(0.99 <= factor <= 1.01 for each in factors for factor in each)
    assert len({tuple(each) for each in factors}) == 3
    again = variants_of(made)[-1]
    assert again.units.lengths_ps.tolist() == fourth.units.lengths_ps.tolist()


def test_other_times_of_the_host_are_variants() -> None:
    made = hand_replica()
    buffers = replace(made.buffers, host_ps=HostTimes(low=5, usual=9, high=20))
    made = replace(made, buffers=buffers, costs=Costs(host_latency=9))
    assert [one.costs.host_latency for one in variants_of(made)] == [*[9] * 6, 5, 20]


# ---- what is left out ----------------------------------------------------------------------------


def test_a_run_that_is_replayed_whole_has_no_notes() -> None:
    assert left_out(hand_replica()) == ()


def test_what_was_not_recorded_is_guessed() -> None:
    assert left_out(made_with(missing=("scheduler phases", "submits"))) == (
        "scheduler phases were not recorded; their cost is guessed",
        "submits were not recorded; their cost is guessed",
    )


ODD = {
    "early_dispatch": "tasks that were put on cores early",
    "async_poll": "waits for engines beside the cores",
    "drain": "blocks that started together",
}


@pytest.mark.parametrize("kind", ODD)
def test_phases_whose_tasks_are_not_known_are_said(kind: str) -> None:
    made = replace(hand_replica(), trace=make_trace(phases=[phase(kind, 0, 10)]))
    said = f"{ODD[kind]} are replayed as ordinary tasks: the trace does not say which they are"
    assert left_out(made) == (said,)
    manner = np.full(5, EARLY | TOGETHER, np.int32)
    known = replace(
        made,
        shapes=replace(made.shapes, manner=manner),
        waits=replace(made.waits, wait_ps=np.ones(5, np.int64)),
    )
    assert left_out(known) == ()


@pytest.mark.parametrize(("kind", "other"), [("early_dispatch", TOGETHER), ("drain", EARLY)])
def test_tasks_of_another_manner_do_not_say_which_they_are(kind: str, other: int) -> None:
    made = replace(hand_replica(), trace=make_trace(phases=[phase(kind, 0, 10)]))
    made = replace(made, shapes=replace(made.shapes, manner=np.full(5, other, np.int32)))
    assert left_out(made) == (
        f"{ODD[kind]} are replayed as ordinary tasks: the trace does not say which they are",
    )


def test_an_orchestrator_that_was_held_up_is_said_from_2_percent_on() -> None:
    made = hand_replica()
    little = replace(made, submits=replace(made.submits, waited_ps=np.array([11_600])))
    assert left_out(little) == ()
    much = replace(made, submits=replace(made.submits, waited_ps=np.array([58_000])))
    (note,) = left_out(much)
    assert note.startswith("the orchestrator was held up for 10 % of the time, perhaps because")


def test_waits_for_buffers_that_nothing_is_known_of_are_said() -> None:
    made = hand_replica()
    stalled = make_trace(stalls=[{"lane": "core", "core": 0, "start_ns": 1, "end_ns": 2}])
    waited = replace(made, trace=stalled)
    assert left_out(waited) == ("waits for recording buffers are not replayed",)
    buffers = replace(made.buffers, records=np.full(4, 8, np.int32))
    assert left_out(replace(waited, buffers=buffers)) == ()
