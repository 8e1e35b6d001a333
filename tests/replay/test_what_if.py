"""Predictions of replays against the simulator itself, and their intervals by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.analyze.simulated import changed, recorded_halved, simulated
from tests.replay.runs import hand_replica, replica, span_ns

from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.replay.changes import Change, scale_function
from lanescope.replay.readings.served import RangePs
from lanescope.replay.replica import replica_of
from lanescope.replay.what_if import (
    ChangePrediction,
    UnchangedRun,
    WhatIf,
    _crowded,
    _prediction,
    what_if,
)
from lanescope.workloads import WORKLOADS as BUILT_IN
from lanescope.workloads import build_workload

WORKLOADS = tuple(BUILT_IN)
UNCHANGED_LIMIT = 0.005
HALVED_LIMIT = 0.03


@pytest.mark.parametrize("chip", ["a2a3", "a5"])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_an_unchanged_replay_is_near_the_recording(workload: str, chip: str) -> None:
    answer = what_if(replica(workload, chip), [])
    assert abs(answer.honesty) <= UNCHANGED_LIMIT and answer.notes == ()


@pytest.mark.parametrize("workload", WORKLOADS)
def test_half_a_function_is_what_the_simulator_then_takes(workload: str) -> None:
    made, graph = replica(workload), build_workload(workload, {})
    ran = np.unique(made.trace.tasks["func"][made.units.rows]).tolist()
    changes = [Change(str(f), partial(scale_function, func=f, factor=0.5)) for f in ran]
    for func, prediction in zip(ran, what_if(made, changes).predictions, strict=True):
        again = recorded_halved(graph, load_chip("a2a3"), Recording(), func=func)
        truth, name = span_ns(again), graph.functions[func]
        assert abs(prediction.makespan_ns / truth - 1) <= HALVED_LIMIT, name
        assert prediction.low_ns <= truth <= prediction.high_ns, name


@pytest.mark.parametrize(("workload", "level"), [("fan", 3), ("random_dag", 2), ("chain", 2)])
def test_submits_and_phases_that_were_not_recorded_are_guessed(workload: str, level: int) -> None:
    answer = what_if(replica(workload, "a2a3", level), [])
    assert abs(answer.honesty) <= 0.01
    assert answer.notes[-1] == "submits were not recorded; their cost is guessed"


def test_an_orchestrator_that_waits_for_a_place_makes_the_answer_wide() -> None:
    """Its waits stay as recorded, so the prediction is too long; the interval and a note say so."""
    chip = changed(load_chip("a2a3"), "orchestrator", window_tasks=64)
    graph = build_workload("chain", {"tasks": "800"})
    made = replica_of(simulated(graph, chip))
    answer = what_if(made, [Change("half", partial(scale_function, func=0, factor=0.5))])
    assert answer.notes[0].startswith("the orchestrator was held up for ")
    truth = span_ns(recorded_halved(graph, chip, Recording(), func=0))
    (prediction,) = answer.predictions
    assert prediction.makespan_ns > 1.1 * truth
    assert prediction.low_ns <= truth <= prediction.high_ns


def test_a_prediction_is_the_recorded_makespan_times_the_ratio_of_two_replays() -> None:
    """580 ns were recorded and 500 are replayed; without B, 200 of the 500 are left. Lengths that
    are known to 1 % and the distance of the unchanged replay make the interval."""
    made = hand_replica()
    answer = what_if(made, [Change("no B", partial(scale_function, func=1, factor=0.0))])
    (prediction,) = answer.predictions
    assert (answer.recorded_ns, answer.replayed_ns, answer.notes) == (580, 500.0, ())
    assert answer.honesty == pytest.approx(500 / 580 - 1)
    assert prediction.makespan_ns == pytest.approx(580 * 200 / 500)
    assert prediction.change == pytest.approx(200 / 500 - 1)
    doubt = 1 - 500 / 580
    assert 580 * 0.4 * 0.97 * (1 - doubt) < prediction.low_ns < 580 * 0.4 * (1 - doubt)
    assert 580 * 0.4 * (1 + doubt) < prediction.high_ns < 580 * 0.4 * 1.03 * (1 + doubt)
    assert prediction.low_change == pytest.approx(prediction.low_ns / 580 - 1)
    assert prediction.high_change == pytest.approx(prediction.high_ns / 580 - 1)
    # The run itself, one value of `seen` and four jittered ones.
    assert prediction.replays == 6 and prediction.sure


def test_what_is_guessed_widens_the_interval() -> None:
    made = hand_replica()
    # The replayed makespan is the recorded one, so that only the guess is in doubt.
    exact = replace(made, window=replace(made.window, start_ns=170))
    unsure = replace(exact, calibration=replace(exact.calibration, missing=("submits",)))
    same = Change("same", lambda replica: replica)
    (sure,), (guessed,) = (what_if(one, [same]).predictions for one in (exact, unsure))
    assert sure.change == guessed.change == 0 and not sure.sure
    assert guessed.high_ns / sure.high_ns == pytest.approx(1.031 / 1.001)
    assert guessed.low_ns / sure.low_ns == pytest.approx(0.969 / 0.999)


def test_every_view_of_when_an_end_is_seen_is_replayed() -> None:
    made = hand_replica()
    open_ = replace(made, calibration=replace(made.calibration, seen_ps=RangePs(0, 40_000)))
    (prediction,) = what_if(open_, [Change("same", lambda replica: replica)]).predictions
    assert prediction.replays == 1 + 5 + 4
    # Three ends lie on the longest way; each may be seen 40 ns later.
    assert prediction.high_ns > 580 * (500 + 3 * 40) / 500


ROW = ChangePrediction("a", 90.0, 80.0, 110.0, -0.1, -0.2, 0.1, 7, True)


def test_an_answer_is_a_dict_of_plain_values() -> None:
    assert WhatIf(100, 101.0, 0.01, ("a note",), (ROW,)).to_dict() == {
        "recorded_ns": 100,
        "replayed_ns": 101.0,
        "honesty": 0.01,
        "notes": ["a note"],
        "predictions": [
            {
                "name": "a",
                "makespan_ns": 90.0,
                "low_ns": 80.0,
                "high_ns": 110.0,
                "change": -0.1,
                "low_change": -0.2,
                "high_change": 0.1,
                "replays": 7,
                "sure": True,
            }
        ],
        "values": "constant",
        "unseen": [],
        "off_processor": None,
        "unexplained": [],
        "refused": None,
        "ranking": [],
    }


NO_B = Change("no B", partial(scale_function, func=1, factor=0.0))


def test_a_replay_that_is_far_off_predicts_nothing_unless_it_is_wanted_anyway() -> None:
    """580 ns were recorded and 500 are replayed."""
    made = hand_replica()
    refused = what_if(made, [NO_B], anyway=False)
    assert refused.predictions == ()
    assert refused.refused == (
        "the replay takes 500.0 ns where 580 ns were recorded, -13.8 %, which is further off than "
        "the 10 % up to which it explains a run; --anyway predicts all the same"
    )
    wanted = what_if(made, [NO_B], anyway=True)
    assert (wanted.refused, len(wanted.predictions), len(wanted.unexplained)) == (None, 1, 3)
    assert (wanted.values, wanted.unseen, wanted.off_processor) == ("constant", (), None)
    near = replace(made, window=replace(made.window, start_ns=170))
    found = what_if(near, [NO_B], anyway=False)
    assert (found.refused, len(found.predictions), found.unexplained) == (None, 1, ())


def unchanged(*bases_ps: int, recorded_ns: int = 1_000, **more: Any) -> UnchangedRun:
    """Variants of a replica with these replayed makespans, of which two have likely costs."""
    calibration = SimpleNamespace(**{"missing": (), "likely": (1, 2)} | more)
    first = SimpleNamespace(calibration=calibration, held_up=0.0)
    return UnchangedRun(recorded_ns, [cast(Any, first)] * len(bases_ps), list(bases_ps))


def predicted(run: UnchangedRun, *changed_ps: int) -> ChangePrediction:
    return _prediction(NO_B, run, changed_ps)


def test_the_middle_of_likely_replays_is_the_prediction_and_all_are_the_interval() -> None:
    """The replays take 1,000 to 2,000 ns without the change, and 500 to 1,200 with it."""
    run = unchanged(1_000_000, 1_250_000, 2_000_000)
    found = predicted(run, 500_000, 1_000_000, 1_200_000)
    assert found == ChangePrediction(
        name="no B",
        makespan_ns=pytest.approx(650),
        low_ns=pytest.approx(1_000 * 0.25 * 0.999),
        high_ns=pytest.approx(1_000 * 1.2 * 1.001),
        change=pytest.approx(-0.35),
        low_change=pytest.approx(0.25 * 0.999 - 1),
        high_change=pytest.approx(1.2 * 1.001 - 1),
        replays=3,
        sure=True,
    )
    without = unchanged(1_000_000, 1_250_000, likely=())
    assert predicted(without, 500_000, 1_000_000).makespan_ns == pytest.approx(500)


@pytest.mark.parametrize(
    ("changed_ps", "sure"),
    [
        ((999_000, 500_000), True),
        ((999_100, 500_000), False),
        ((1_001_000, 1_500_000), True),
        ((1_000_900, 1_500_000), False),
        ((900_000, 1_100_000), False),
    ],
)
def test_a_change_is_sure_where_all_replays_differ_by_a_part_in_a_thousand(
    changed_ps: tuple[int, int], sure: bool
) -> None:
    assert predicted(unchanged(1_000_000, 1_000_000), *changed_ps).sure is sure


def test_an_orchestrator_that_was_held_up_lowers_the_lower_end() -> None:
    def low(held_up: float) -> float:
        run = unchanged(1_000_000)
        run.variants[0].held_up = held_up  # type: ignore[misc]
        return predicted(run, 1_000_000).low_ns

    assert (low(0.02), low(0.0)) == (pytest.approx(999), pytest.approx(999))
    assert (low(0.25), low(1.5)) == (pytest.approx(999 * 0.75), 0)


def test_doubt_is_the_distance_or_what_is_guessed() -> None:
    assert unchanged(1_050_000).doubt == pytest.approx(0.05)
    assert unchanged(950_000).doubt == pytest.approx(0.05)
    assert unchanged(1_000_000).doubt == pytest.approx(0.001)
    assert unchanged(1_000_000, missing=("a", "b")).doubt == pytest.approx(0.061)
    assert unchanged(900_000).replayed_ns == 900
    assert unchanged(900_000).honesty == pytest.approx(-0.1)


def test_runs_that_take_longer_in_company_are_named() -> None:
    crowding = cast(Any, SimpleNamespace(names=("A", "B")))
    assert _crowded(None) == ()
    assert _crowded(crowding) == (
        "runs of A, B take longer in company; by how much is fitted to the recording",
    )
