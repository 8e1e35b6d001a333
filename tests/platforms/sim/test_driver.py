"""The driver's channels: which cores have one, how much they bring, and what a trace shows then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lanescope.platforms.recording import Recording
from lanescope.platforms.sim import driver
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.sim.driver import (
    LEAST_SHARE,
    _chances,
    channels,
    covered_clusters,
    deliver,
    share_of_run,
    through_channels,
    without_drains,
)
from lanescope.platforms.sim.run import SimOutcome, simulate_recorded
from lanescope.trace import MISSING, LedgerEntry, Meta, Trace
from lanescope.trace.table import Table
from lanescope.trace.trace import Words
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


@pytest.mark.parametrize(
    ("clusters", "covered"),
    [
        (1, (0,)),
        (2, (0, 1)),
        (3, (0, 1, 2)),
        (18, (0, 9, 17)),
        (19, (0, 4, 8, 9, 15, 18)),
        (20, (0, 5, 9, 10, 15, 19)),
        (36, (0, 9, 17, 18, 27, 35)),
    ],
)
def test_few_clusters_have_channels(clusters: int, covered: tuple[int, ...]) -> None:
    assert covered_clusters(clusters) == covered


def test_a_cluster_has_three_channels_at_most() -> None:
    wide = replace(A5, clusters=2, aic_per_cluster=1, aiv_per_cluster=4)
    assert channels(wide) == {0: 11, 1: 14, 2: 12, 3: 13, 6: 15, 7: 16}


def test_a_seed_decides_what_channels_bring() -> None:
    small = replace(A5, clusters=1)
    made = [100, 200, 300]
    found = [deliver(small, made, seed) for seed in (0, 1)]
    for seed, delivery in enumerate(found):
        share = share_of_run(seed)
        assert LEAST_SHARE <= share <= 1
        assert delivery.records == {core: round(made[core] * share) for core in range(3)}
    assert found[0] != found[1]
    assert share_of_run(0) == LEAST_SHARE ** (1 - _chances(1, 0)[0])
    assert found[0].stop_s == sum(3 + wait for wait in _chances(3, 0, 1))
    assert _chances(3, 0)[0] == _chances(1, 0)[0]
    chances = _chances(2000, 5)
    assert 0 <= min(chances) < 0.01 < 0.99 < max(chances) < 1


def marked(core: list[int], start: list[int], end: list[int]) -> Trace:
    words = Words()
    word = words.code("w")
    columns = {
        "core": np.array(core, np.int32),
        "start_ns": np.array(start),
        "end_ns": np.array(end),
        **{name: np.full(len(core), word, np.int32) for name in ("pipe", "name")},
    }
    ledger = tuple(
        LedgerEntry("core 0", kind, 1, 1, 0, 0, "") for kind in ("mark", "core_task", "burst")
    )
    meta = Meta(name="t", tool="a test", origin="simulated", ledger=ledger, notes=("before",))
    return Trace(meta=meta, words=words.freeze(), marks=Table.build("marks", columns))


def test_the_first_marks_of_each_core_with_a_channel_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of them; a mark without a start counts by its end. Core 3 of 20 clusters has none."""
    monkeypatch.setattr(driver, "share_of_run", lambda *seed: 0.5)
    chip = replace(A5, clusters=20)
    trace = marked(core=[3, 0, 0, 0, 0], start=[1, 30, MISSING, 10, 40], end=[2, 31, 20, 11, 41])
    found = through_channels(trace, chip, 0)
    assert found.marks["end_ns"].tolist() == [20, 11]
    told = [entry for entry in found.meta.ledger if entry.kind == "driver record"]
    assert told == [
        LedgerEntry(
            *("core 0", "driver record", 4, 2, 2, 0, "2: came after the channel's one batch")
        ),
        LedgerEntry("core 3", "driver record", 1, 0, 1, 0, "1: the core has no channel"),
    ]
    assert [entry.kind for entry in found.meta.ledger[:-2]] == ["core_task"]
    assert found.meta.notes == ("before", driver.NOTE)


def test_engines_that_nobody_drains_cost_nothing_and_stay() -> None:
    found = without_drains(A5)
    assert found.perfmon is not None and A5.perfmon is not None
    assert (found.perfmon.drain_ps, found.perfmon.burst_ps) == (0, 0)
    assert found.perfmon.buffer_bytes == A5.perfmon.buffer_bytes
    assert found.recording == A5.recording
