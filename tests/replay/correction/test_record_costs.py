"""Where the costs of records come from, and which of them a run paid."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.analyze.hand import entry, make_trace, phase, task
from tests.replay.runs import recorded

from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.replay.correction.record_costs import (
    Cost,
    CostFile,
    RecordCosts,
    costs_for,
    costs_paid,
    known_costs,
    read_costs,
    records_of,
)
from lanescope.trace import LedgerEntry
from lanescope.trace.flags import Feature
from lanescope.trace.meta import RecordingFacts


def costs_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "costs.json"
    path.write_text(text)
    return path


ONE = (
    '{"platform": "threads", "protocol": "staging", "basis": "fitted", '
    '"costs": {"core_task": {"ns": 2, "low_ns": %s, "high_ns": 3}}}'
)
FITTED = RecordCosts(
    platform="threads", protocol="staging", basis="fitted", costs={"core_task": Cost(2.0, 1.0, 3.0)}
)


@pytest.mark.parametrize("schema", ["", '"schema": "urn:lanescope:bench-fit:1", '])
def test_a_file_of_costs_is_read(schema: str, tmp_path: Path) -> None:
    path = costs_file(tmp_path, f'{{{schema}"fits": [{ONE % 1}]}}')
    assert read_costs(path) == CostFile(fits=(FITTED,))


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


def test_an_interval_below_0_is_cut_there() -> None:
    costs = RecordCosts(platform="", protocol="", basis="", costs={"burst": Cost(1.0, -2.0, 4.0)})
    edges = {edge: costs.at(edge) for edge in ("ns", "low_ns", "high_ns")}
    assert edges == {"ns": {"burst": 1.0}, "low_ns": {"burst": 0.0}, "high_ns": {"burst": 4.0}}


# ---- of which run --------------------------------------------------------------------------------


def test_a_run_may_know_its_costs() -> None:
    facts = RecordingFacts(protocol="staging", record_costs_ns={"core_task": 87.9})
    trace = make_trace({"chip": "a5", "recording": facts})
    assert known_costs(trace) == RecordCosts(
        platform="a5",
        protocol="staging",
        basis="known",
        costs={"core_task": Cost(87.9, 87.9, 87.9)},
        note="parameters of the simulated chip",
    )
    assert costs_for(trace, None) == known_costs(trace)


def test_a_run_whose_records_are_free_knows_that() -> None:
    costs = known_costs(make_trace({"recording": RecordingFacts(record_costs_ns={})}))
    assert costs is not None and costs.costs == {}


def test_a_run_that_does_not_know_its_costs_needs_a_file(tmp_path: Path) -> None:
    for facts in (None, RecordingFacts()):
        trace = make_trace({"recording": facts})
        assert known_costs(trace) is None
        with pytest.raises(LanescopeError, match="does not know what recording cost it"):
            costs_for(trace, None)
        # It does not say its protocol either: one set of costs is taken, of two nobody knows which.
        path = costs_file(tmp_path, '{"fits": [' + ONE % 1 + "]}")
        assert costs_for(trace, path) == FITTED
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


def test_only_what_was_recorded_was_paid_for() -> None:
    cost = Cost(1.0, 1.0, 1.0)
    kinds = ("core_task", "controller_task", "pmu_core", "burst")
    every = RecordCosts(platform="", protocol="", basis="", costs=dict.fromkeys(kinds, cost))
    flags = Feature.CHIP_SWIMLANE_CORE_TIMING | Feature.PMU
    paid = costs_paid(make_trace({"flags": int(flags)}), every)
    assert paid.costs == {"core_task": cost, "pmu_core": cost}


def test_records_are_counted_where_they_were_written() -> None:
    trace = make_trace(
        {
            "ledger": (
                entry("core 0", 9, 9),
                LedgerEntry(lane="core 0", kind="burst", total=4, delivered=3, dropped=1),
                LedgerEntry(lane="core 1", kind="burst", total=2, delivered=2),
            )
        },
        tasks=[task(0, 0, 1, 2, 3, 4), task(1, 0, 1, 2, 3, 4), {"task": 5, "kind": "dummy"}],
        phases=[
            *(phase("complete", 0, 1), phase("dispatch", 1, 2), phase("resolve", 0, 1)),
            phase("submit", 0, 1, lane="orchestrator"),
        ],
    )
    kinds = ("core_task", "pmu_core", "scheduler_phase", "orchestrator_phase", "burst")
    assert [records_of(trace, kind) for kind in kinds] == [2, 2, 3, 1, 6]
