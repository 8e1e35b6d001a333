"""Figures without the profiler's cost, against simulated runs in which recording is free."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.analyze.simulated import free, simulated
from tests.replay.runs import hand_run, recorded

from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.replay.correction.corrected import MAKESPAN, Corrected, Removed, corrected
from lanescope.replay.correction.figure import Figure
from lanescope.replay.correction.record_costs import Cost, RecordCosts, costs_for, known_costs
from lanescope.trace import Trace
from lanescope.workloads import WORKLOADS, build_workload

CHIPS = ("a2a3", "a5")
OUTSIDE = {("paged_attention", "a5")}
"""The truth lies outside the makespan's interval: it is at the end of what unrecorded runs take
whose tasks differ by up to 2 % (see docs/overhead.md)."""
USUAL = 0.03
"""Most that the corrected makespan may be off."""


@cache
def truth(workload: str, chip: str) -> Trace:
    """Everything is recorded and nothing of it takes time."""
    return simulated(build_workload(workload, {}), free(load_chip(chip), "recording"))


@cache
def without_profiler(workload: str, chip: str) -> Corrected:
    trace = recorded(workload, chip)
    return corrected(trace, costs_for(trace, None))


@cache
def true_figures(workload: str, chip: str) -> dict[tuple[str, str], float]:
    trace = truth(workload, chip)
    costs = known_costs(trace)
    assert costs is not None and costs.costs == {}
    return {(one.name, one.of): one.recorded for one in corrected(trace, costs).figures}


def only(answer: Corrected, name: str) -> Figure:
    (figure,) = (one for one in answer.figures if one.name == name)
    return figure


@pytest.mark.parametrize("chip", CHIPS)
def test_a_run_whose_records_are_free_is_the_unrecorded_run(chip: str, tmp_path: Path) -> None:
    graph, machine = build_workload("paged_attention", {}), load_chip(chip)
    off = Recording(chip_swimlane=0)
    unrecorded_run = simulate_recorded(graph, machine, off, directory=tmp_path / "off").result
    on, chip_free = Recording(), free(machine, "recording")
    free_run = simulate_recorded(graph, chip_free, on, directory=tmp_path / "on").result
    assert free_run.makespan_ps == unrecorded_run.makespan_ps


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_makespan_without_the_profiler_is_the_unrecorded_one(workload: str, chip: str) -> None:
    figure = only(without_profiler(workload, chip), MAKESPAN)
    real = true_figures(workload, chip)[MAKESPAN, ""]
    assert abs(figure.corrected / real - 1) <= USUAL
    assert (figure.low <= real <= figure.high) == ((workload, chip) not in OUTSIDE)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_orchestrators_runs_and_phases_come_close(workload: str, chip: str) -> None:
    real = true_figures(workload, chip)
    for one in without_profiler(workload, chip).figures:
        if one.name in ("first to last submit", "start to end"):
            assert one.low <= real[one.name, one.of] <= one.high, (one.name, one.of)
        if one.name == "time in phases":  # other batches: see docs/overhead.md
            assert abs(one.corrected / real[one.name, one.of] - 1) <= 0.04


def test_recording_made_more_difference_than_the_correction_leaves() -> None:
    """The correction is worth something: over all workloads it brings the makespan nearer."""
    before, after = [], []
    for workload in WORKLOADS:
        figure = only(without_profiler(workload, "a2a3"), MAKESPAN)
        real = true_figures(workload, "a2a3")[MAKESPAN, ""]
        before.append(abs(figure.recorded / real - 1))
        after.append(abs(figure.corrected / real - 1))
    assert np.median(after) < np.median(before) / 4


def test_uncertain_costs_widen_the_interval() -> None:
    trace = recorded("fan", "a2a3")
    sure = costs_for(trace, None)
    wide = {kind: Cost(one.ns, one.ns / 2, one.ns * 2) for kind, one in sure.costs.items()}
    unsure = RecordCosts(platform="a2a3", protocol="", basis="fitted", costs=wide)
    narrow, broad = (only(corrected(trace, one), MAKESPAN) for one in (sure, unsure))
    assert broad.corrected == pytest.approx(narrow.corrected)
    assert broad.low < narrow.low and narrow.high < broad.high


@pytest.mark.parametrize(
    ("chip", "more"), [("a2a3", {"pmu": 2}), ("a5", {"pmu": 2}), ("a5", {"core_swimlane": True})]
)
@pytest.mark.parametrize("workload", ["chain", "decode_layer", "spmd_mix", "vector"])
def test_counters_and_marks_are_taken_back_too(
    workload: str, chip: str, more: dict[str, int]
) -> None:
    trace = simulated(build_workload(workload, {}), load_chip(chip), **more)
    figure = only(corrected(trace, costs_for(trace, None)), MAKESPAN)
    real = true_figures(workload, chip)[MAKESPAN, ""]
    assert figure.recorded / real > 1.05
    assert figure.low <= real <= figure.high
    assert abs(figure.corrected / real - 1) <= 0.035


def test_what_is_not_removed_is_said() -> None:
    graph, chip = build_workload("vector", {"tiles": "4"}), load_chip("a5")
    trace = simulated(graph, chip, pmu=True)
    costs = {"core_task": Cost(500.0, 490.0, 510.0)}
    other = RecordCosts(platform="a2a3", protocol="", basis="fitted", costs=costs)
    assert corrected(trace, other).notes == (
        "what hardware counters cost is not known and stays in",
        "the costs are of a2a3, the run is of a5",
    )
    assert corrected(trace, costs_for(trace, None)).notes == ()


def test_lower_levels_pay_for_less() -> None:
    graph, chip = build_workload("fan", {"width": "50"}), load_chip("a5")
    kinds = {}
    for level in (2, 3, 4):
        trace = simulated(graph, chip, level=level)
        kinds[level] = [row.kind for row in corrected(trace, costs_for(trace, None)).removed]
    assert kinds[2] == ["core_task", "controller_task"]
    assert kinds[3] == [*kinds[2], "scheduler_phase"]
    assert kinds[4] == [*kinds[3], "orchestrator_phase"]


def test_without_costs_the_figures_are_the_recorded_ones() -> None:
    """The hand-made run: 580 ns, an aic core that is busy for 300 of them, two aiv cores that are
    busy for 300 together."""
    none = RecordCosts(platform="", protocol="", basis="known", costs={})
    answer = corrected(hand_run(), none)
    assert (answer.costs, answer.removed) == (none, ())
    assert [(one.name, one.of, one.recorded) for one in answer.figures] == [
        ("makespan", "", 580.0),
        ("utilisation", "aic", 300 / 580),
        ("idle core time", "aic", 280.0),
        ("utilisation", "aiv", 300 / 1160),
        ("idle core time", "aiv", 860.0),
        ("dispatch to start", "mean of all runs", 10.0),
        ("end to finish", "mean of all runs", 20.0),
        ("start to end", "A", 150.0),
        ("start to end", "B", 150.0),
    ]
    for one in answer.figures:
        assert one.corrected == pytest.approx(one.recorded)
        assert one.low < one.recorded < one.high
    assert answer.notes == (
        "scheduler phases were not recorded; their cost is guessed",
        "submits were not recorded; their cost is guessed",
    )


def test_an_answer_is_a_dict_of_plain_values() -> None:
    cost = Cost(4.0, 3.0, 5.0)
    costs = RecordCosts(platform="a5", protocol="", basis="fitted", costs={"burst": cost})
    figure = Figure("makespan", "", 10.0, 9.0, 8.0, 11.0)
    removed = Removed("burst", 2, cost, 8.0, "the scheduler")
    answer = Corrected(costs, (removed,), (figure,), honesty=0.01, notes=("a note",))
    plain_cost = {"ns": 4.0, "low_ns": 3.0, "high_ns": 5.0}
    assert answer.to_dict() == {
        "costs": {
            "platform": "a5",
            "protocol": "",
            "basis": "fitted",
            "costs": {"burst": plain_cost},
            "note": "",
        },
        "removed": [
            {
                "kind": "burst",
                "records": 2,
                "cost": plain_cost,
                "total_ns": 8.0,
                "paid_by": "the scheduler",
            }
        ],
        "figures": [
            {
                "name": "makespan",
                "of": "",
                "recorded": 10.0,
                "corrected": 9.0,
                "low": 8.0,
                "high": 11.0,
                "is_share": False,
            }
        ],
        "honesty": 0.01,
        "notes": ["a note"],
    }
