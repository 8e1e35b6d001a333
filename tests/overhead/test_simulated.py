"""Rounds of a simulated benchmark: changed a little, the same for the same seed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lanescope.device.head import PROTOCOLS
from lanescope.errors import LanescopeError
from lanescope.overhead import jittered, measure_simulated
from lanescope.overhead.sample import RunSample
from lanescope.overhead.simulated import JITTER
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.setup import SimSetup
from lanescope.workloads import build_workload
from lanescope.workloads.spread import LengthSpread

GRAPH = build_workload("random_dag", {"tasks": "60", "min_spin_ns": "0", "max_spin_ns": "100000"})
EDGELESS = build_workload("random_dag", {"tasks": "40", "edges_per_task": "0"})


def small_chip() -> Chip:
    return replace(load_chip("a2a3"), clusters=2)


def test_the_same_seed_stretches_every_task_the_same_way() -> None:
    assert np.array_equal(jittered(GRAPH, 7).amount, jittered(GRAPH, 7).amount)
    assert not np.array_equal(jittered(GRAPH, 7).amount, jittered(GRAPH, 8).amount)


@pytest.mark.parametrize("seed", range(10))
def test_a_task_changes_by_at_most_its_part_and_half_a_nanosecond(seed: int) -> None:
    changed = jittered(GRAPH, seed).amount
    assert (np.abs(changed - GRAPH.amount) <= JITTER * GRAPH.amount + 0.5).all()
    assert (changed > GRAPH.amount).any()
    assert (changed < GRAPH.amount).any()


def test_where_lengths_vary_each_round_draws_them() -> None:
    spread = LengthSpread(sigma_ns=100)
    varied = replace(GRAPH, spreads=(spread,) * len(GRAPH.functions))
    first, again, other = (jittered(varied, 7, number) for number in (0, 0, 1))
    assert np.array_equal(first.amount, GRAPH.amount)
    assert first.unit_ps is not None and other.unit_ps is not None
    assert np.array_equal(first.unit_ps, again.unit_ps)
    assert not np.array_equal(first.unit_ps, other.unit_ps)


def test_only_the_amounts_change() -> None:
    changed = jittered(GRAPH, 3)
    assert (changed.name, changed.functions, changed.kinds) == (
        GRAPH.name,
        GRAPH.functions,
        GRAPH.kinds,
    )
    for column in ("func", "kind", "work", "pred", "succ"):
        assert np.array_equal(getattr(changed, column), getattr(GRAPH, column))
    assert changed.amount.dtype == GRAPH.amount.dtype


def test_level_zero_records_nothing_and_makes_no_directory(tmp_path: Path) -> None:
    found = measure_simulated(
        EDGELESS,
        small_chip(),
        Recording(chip_swimlane=0),
        pre_dispatch=1,
        directory=tmp_path / "run",
    )
    assert found.makespan_ns > 0
    assert found.orchestrator_ns == 40 * 7362 // 10
    assert (found.records, found.dropped, found.stalls, found.blocked_ns) == (0, 0, 0, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_record_is_counted_and_the_directory_is_gone(protocol: str, tmp_path: Path) -> None:
    recording = Recording(chip_swimlane=2, protocol=protocol, buffer_records=2, buffers=2)
    found = measure_simulated(
        EDGELESS, small_chip(), recording, pre_dispatch=1, directory=tmp_path / "run"
    )
    assert (found.records, found.dropped) == (80, 0)
    assert list(tmp_path.iterdir()) == []


def test_records_dropped_and_arrived_make_up_all_tasks(tmp_path: Path) -> None:
    recording = Recording(chip_swimlane=1, on_full="drop", buffer_records=1, buffers=1)
    found = measure_simulated(
        EDGELESS, small_chip(), recording, pre_dispatch=1, directory=tmp_path / "run"
    )
    assert found.dropped > 0
    assert found.records + found.dropped == 40


def test_a_measurement_that_fails_leaves_no_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LanescopeError("it stopped")

    monkeypatch.setattr("lanescope.overhead.simulated.simulate", fail)
    with pytest.raises(LanescopeError, match="it stopped"):
        measure_simulated(
            EDGELESS, small_chip(), Recording(), pre_dispatch=1, directory=tmp_path / "run"
        )
    assert list(tmp_path.iterdir()) == []


def test_the_makespan_is_that_of_the_slowest_scheduler_in_whole_nanoseconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = SimpleNamespace(scheduler_ps=(5_999, 7_999, 100), orchestrator_ps=3_999)
    asked: list[SimSetup] = []

    def simulated(graph: object, setup: SimSetup) -> SimpleNamespace:
        asked.append(setup)
        return result

    monkeypatch.setattr("lanescope.overhead.simulated.simulate", simulated)
    off = Recording(chip_swimlane=0, protocol="staging")
    found = measure_simulated(EDGELESS, small_chip(), off, pre_dispatch=2, directory=tmp_path)
    assert found == RunSample(7, orchestrator_ns=3)
    (setup,) = asked
    assert (setup.protocol, setup.pre_dispatch, bool(setup.features)) == (
        "producer-rotated",
        2,
        False,
    )


def test_a_recorded_run_has_the_times_of_the_simulation_not_of_the_session(tmp_path: Path) -> None:
    chip = small_chip()
    plain, recorded = (
        measure_simulated(
            EDGELESS, chip, Recording(chip_swimlane=level), pre_dispatch=1, directory=tmp_path / "r"
        )
        for level in (0, 1)
    )
    assert recorded.makespan_ns > plain.makespan_ns / 2 > 0
    assert recorded.orchestrator_ns is not None and plain.orchestrator_ns is not None
    assert recorded.orchestrator_ns >= plain.orchestrator_ns


def test_lengths_are_the_same_wherever_they_are_drawn() -> None:
    """Each within 2 % of a second."""
    long = replace(GRAPH, amount=np.full(len(GRAPH), 10**9))
    drawn = jittered(long, 7, 1).amount.tolist()[:4]
    assert drawn == [1_010_805_638, 984_477_090, 987_563_909, 986_398_210]
