"""The driver's channels: which cores have one, how much they bring, and what a trace shows then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.driver import LEAST_SHARE, channels, covered_clusters, deliver
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.workloads import build_workload

A5 = load_chip("a5")


def test_the_published_cores_have_channels() -> None:
    assert covered_clusters(36) == (0, 9, 17, 18, 27, 35)
    assert covered_clusters(18) == (0, 9, 17)
    assert covered_clusters(1) == (0,)


def test_channels_are_numbered_by_group_and_sub_core() -> None:
    found = channels(A5)
    assert len(found) == 18
    assert [found[core] for core in (0, 36, 37, 9, 54, 55, 35, 106, 107)] == [
        *(11, 12, 13, 14, 15, 16, 26, 27, 28)
    ]
    assert 1 not in found and 38 not in found


def test_a_run_brings_between_a_tenth_and_all_of_what_its_channels_see() -> None:
    made = [1000] * 108
    totals = []
    for seed in range(200):
        delivery = deliver(A5, made, seed)
        assert delivery == deliver(A5, made, seed)
        assert delivery.records.keys() == channels(A5).keys()
        totals.append(sum(delivery.records.values()))
        assert 18 * 3 <= delivery.stop_s <= 18 * 4
    assert 18_000 * LEAST_SHARE - 18 <= min(totals) < 2500
    assert 16_000 < max(totals) <= 18_000
    assert 6 < max(totals) / min(totals) <= 726 / 75 + 0.1


def run(directory: Path, source: str) -> SimOutcome:
    graph = build_workload("matmul_add", {"rows": "9", "columns": "9"})
    recording = Recording(core_swimlane=True, core_source=source)
    return simulate_recorded(graph, A5, recording, directory=directory, keep_truth=True)


def test_a_trace_shows_few_cores_and_says_what_is_missing(tmp_path: Path) -> None:
    driver, perfmon = (run(tmp_path / s, s).trace for s in ("driver", "perfmon"))
    assert driver is not None and perfmon is not None
    assert set(np.unique(driver.marks["core"]).tolist()) <= set(channels(A5))
    assert 0 < len(driver.marks) < len(perfmon.marks)
    assert "a model of what is published about them" in driver.meta.notes[-1]
    entries = [entry for entry in driver.meta.ledger if entry.kind == "driver record"]
    assert sum(entry.total for entry in entries) == len(perfmon.marks)
    assert sum(entry.delivered for entry in entries) == len(driver.marks)
    assert all(entry.closes for entry in driver.meta.ledger)
    assert not {"burst", "engine chunk", "chunk", "mark"} & {
        entry.kind for entry in driver.meta.ledger
    }


def test_channels_cost_the_controllers_nothing(tmp_path: Path) -> None:
    graph = build_workload("matmul_add", {"rows": "2", "columns": "2"})
    off = simulate_recorded(
        graph, A5, Recording(), directory=tmp_path / "off", keep_truth=True
    ).result
    recording = Recording(core_swimlane=True, core_source="driver")
    chip = replace(A5, recording=replace(A5.recording, rotate_ps=0))
    on = simulate_recorded(graph, chip, recording, directory=tmp_path / "on", keep_truth=True)
    assert on.result.truth is not None and off.truth is not None
    assert on.result.truth.tasks == off.truth.tasks


def test_another_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^expected a core source \(perfmon, driver\), found 'x'"):
        run(tmp_path / "a", "x")
    assert list(tmp_path.iterdir()) == []
