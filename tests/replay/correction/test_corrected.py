"""Figures without the profiler's cost, against simulated runs in which recording is free."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.analyze.hand import make_trace, task
from tests.analyze.simulated import free, simulated

from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.native.replay import Costs
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.run import simulate_recorded
from lanescope.replay.correction.corrected import MAKESPAN, Corrected, Figure, corrected
from lanescope.replay.correction.record_costs import (
    Cost,
    CostFile,
    RecordCosts,
    costs_for,
    known_costs,
    read_costs,
)
from lanescope.replay.correction.unrecorded import unrecorded
from lanescope.replay.replica import model
from lanescope.trace import Trace
from lanescope.trace.meta import RecordingFacts
from lanescope.workloads import WORKLOADS, build_workload

CHIPS = ("a2a3", "a5")
OUTSIDE = {("paged_attention", "a5")}
"""The truth lies outside the makespan's interval: it is at the end of what unrecorded runs take
whose tasks differ by up to 2 % (see docs/overhead.md)."""
FAR = {"mixed": 0.07}
"""Most that the corrected makespan may be off; early tasks and waits for engines decide `mixed`."""
USUAL = 0.03


@cache
def recorded(workload: str, chip: str) -> Trace:
    return simulated(build_workload(workload, {}), load_chip(chip))


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


def only(found: Corrected, name: str) -> Figure:
    (figure,) = (one for one in found.figures if one.name == name)
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
    assert abs(figure.corrected / real - 1) <= FAR.get(workload, USUAL)
    if (workload, chip) not in OUTSIDE:
        assert figure.low <= real <= figure.high


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


def test_every_cost_is_taken_back_where_it_was_paid() -> None:
    found = model(recorded("fan", "a5"))
    found = replace(found, costs=Costs(free=500, seen=80, record=100, phase=90, resolve=7))
    cost_ns = {"core_task": 0.4, "controller_task": 0.06, "scheduler_phase": 0.2}
    less = unrecorded(found, cost_ns)
    assert less.costs == Costs(free=100, seen=80, record=40, phase=0, resolve=7)
    assert np.array_equal(less.submit_cost_ps, found.submit_cost_ps)
    staging = RecordingFacts(protocol="staging")
    staged = replace(found, trace=found.trace.with_meta(recording=staging))
    less = unrecorded(staged, {**cost_ns, "core_task": 0.03, "core_moved": 0.03})
    assert less.costs == Costs(free=470, seen=50, record=10, phase=0, resolve=7)


def test_submits_lose_the_records_between_them() -> None:
    found = model(recorded("fan", "a5"))
    less = unrecorded(found, {"orchestrator_phase": 87.9})
    apart = found.submit_cost_ps - less.submit_cost_ps
    # The first submit has no record before it; all others have one.
    assert apart[0] == 0 and set(apart[1:].tolist()) == {87_900}


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


# ---- where costs come from -------------------------------------------------------------------


def costs_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "costs.json"
    path.write_text(text)
    return path


ONE = (
    '{"platform": "threads", "protocol": "staging", "basis": "fitted", '
    '"costs": {"core_task": {"ns": 2, "low_ns": %s, "high_ns": 3}}}'
)


def test_a_file_of_costs_is_read(tmp_path: Path) -> None:
    found = read_costs(costs_file(tmp_path, '{"fits": [' + ONE % 1 + "]}"))
    assert isinstance(found, CostFile)
    assert found.fits[0].costs == {"core_task": Cost(2.0, 1.0, 3.0)}
    assert found.fits[0].at("high_ns") == {"core_task": 3.0}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "expected costs as 'lanescope bench --fit --save' writes them, found: "),
        ('{"fits": [{}]}', "expected costs as 'lanescope bench --fit --save' writes them, found: "),
        ('{"fits": [' + ONE % 9 + "]}", "staging core_task: expected low_ns <= ns <= high_ns"),
        ('{"fits": [' + (ONE % 1).replace("core_task", "tea") + "]}", "found 'tea'"),
        ('{"costs_version": 7, "fits": []}', "expected costs of version 1, found 7"),
    ],
)
def test_a_file_that_is_no_file_of_costs_is_refused(
    text: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        read_costs(costs_file(tmp_path, text))
    assert problem in str(error.value)


def test_a_run_that_does_not_know_its_costs_needs_a_file(tmp_path: Path) -> None:
    trace = make_trace({"level": 2}, tasks=[task(0, 0, 1, 2, 3, 4, task=1)])
    with pytest.raises(LanescopeError, match="does not know what recording cost it"):
        costs_for(trace, None)
    # It does not say its protocol either: one set of costs is taken, of two nobody knows which.
    path = costs_file(tmp_path, '{"fits": [' + ONE % 1 + "]}")
    assert costs_for(trace, path).protocol == "staging"
    path = costs_file(tmp_path, '{"fits": [' + ONE % 1 + ", " + ONE % 1 + "]}")
    with pytest.raises(UsageError, match="found staging, staging"):
        costs_for(trace, path)


def test_costs_of_another_protocol_are_refused(tmp_path: Path) -> None:
    path = costs_file(tmp_path, '{"fits": [' + ONE % 1 + "]}")
    with pytest.raises(
        UsageError,
        match="costs for producer-rotated, which the trace was recorded with, found staging",
    ):
        costs_for(recorded("fan", "a5"), path)
