"""One simulated run: its region, its plan, and what is told where it fails."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.dump.test_write import FullDisk

from lanescope.device.head import Core
from lanescope.device.layouts import constant
from lanescope.device.region import open_region
from lanescope.dump.write import DumpFile, DumpRequest
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim import dumped
from lanescope.platforms.sim import run as runs
from lanescope.platforms.sim.chip import Chip, load_chip
from lanescope.platforms.sim.costs import known_costs_ns
from lanescope.platforms.sim.dumped import simulate_dumped
from lanescope.platforms.sim.engine import ASSUMED
from lanescope.platforms.sim.picoseconds import PS_PER_NS
from lanescope.platforms.sim.pmu import SINGLE_ISSUE, choose
from lanescope.platforms.sim.run import _plan, region_config, simulate, simulate_recorded
from lanescope.platforms.sim.setup import SimSetup
from lanescope.trace.flags import Feature
from lanescope.trace.meta import RecordingFacts
from lanescope.workloads import GraphBuilder, TaskGraph, build_workload


def chip(name: str = "a2a3", **changes: Any) -> Chip:
    return replace(load_chip(name), **{"clusters": 3, "schedulers": 2, **changes})


def pair() -> TaskGraph:
    builder = GraphBuilder("pair")
    builder.task("A", kind="aiv", spin_ns=2000)
    builder.task("A", kind="aiv", after=[0], spin_ns=1000)
    return builder.graph()


def test_a_region_has_a_place_for_every_core_and_controller() -> None:
    setup = SimSetup(chip=chip(orchestrators=0), features=Feature(0), pre_dispatch=2)
    config = region_config(pair(), setup, Recording(chip_swimlane=2))
    assert config.cores == (
        *(Core("aic", cluster, cluster % 2) for cluster in range(3)),
        *(Core("aiv", cluster, cluster % 2) for cluster in (0, 0, 1, 1, 2, 2)),
    )
    assert (config.schedulers, config.orchestrators, config.pre_dispatch) == (2, 0, 2)
    assert (config.clock_hz, config.own_clock) == (chip().clock.counter_hz, False)


def test_a_plan_says_how_counters_and_engines_are_read() -> None:
    own = chip("a5")
    plain = _plan(pair(), SimSetup(chip=own, features=Feature(0))).meta
    assert (plain.recording, plain.work) == (RecordingFacts(), None)
    chosen = choose(own, 1)
    assert chosen is not None
    features = Feature.CORE_SWIMLANE | Feature.PMU
    meta = _plan(pair(), SimSetup(chip=own, features=features, pmu=chosen)).meta
    assert meta.recording is not None
    assert meta.recording.pmu_events == (1,)
    assert meta.recording.pmu_counters == tuple(chosen.names())
    assert meta.recording.core_hz == {"aic": own.clock.aic_hz, "aiv": own.clock.aiv_hz}


def test_a_recorded_run_says_what_its_records_cost_and_has_stopped(tmp_path: Path) -> None:
    own = chip()
    recording = Recording(chip_swimlane=2, protocol="staging")
    found = simulate_recorded(pair(), own, recording, directory=tmp_path / "run")
    assert found.trace is not None
    facts = found.trace.meta.recording
    features = Feature.CHIP_SWIMLANE_CORE_TIMING | Feature.CHIP_SWIMLANE_TASK_LIFECYCLE
    assert facts is not None and facts.unrecorded_pre_dispatch == 1
    assert facts.record_costs_ns == known_costs_ns(own, features, "staging")
    assert found.trace.meta.origin == "simulated"
    region = open_region(tmp_path / "run" / "region")
    assert region.state == constant("LS_STOPPED")
    assert region.head.header["pre_dispatch"] == 1
    assert found.region_bytes == (tmp_path / "run" / "region").stat().st_size
    assert found.spool_bytes == (tmp_path / "run" / "spool").stat().st_size


def test_level_0_makes_no_region(tmp_path: Path) -> None:
    found = simulate_recorded(pair(), chip(), Recording(chip_swimlane=0), directory=tmp_path / "r")
    assert (found.trace, found.region_bytes, found.spool_bytes) == (None, 0, 0)
    assert list(tmp_path.iterdir()) == []
    assert found.result == simulate(pair(), SimSetup(chip=chip(), features=Feature(0)))


@pytest.mark.parametrize(("pre_dispatch", "noted"), [(0, False), (1, True), (2, True)])
def test_counters_that_the_controller_reads_leave_no_task_in_advance(
    pre_dispatch: int, noted: bool, tmp_path: Path
) -> None:
    found = simulate_recorded(
        pair(), chip(), Recording(pmu=2), directory=tmp_path / "run", pre_dispatch=pre_dispatch
    )
    assert found.trace is not None
    assert (SINGLE_ISSUE in found.trace.meta.notes) is noted
    facts = found.trace.meta.recording
    assert facts is not None and facts.unrecorded_pre_dispatch == pre_dispatch


@pytest.mark.parametrize("run", [simulate_recorded, simulate_dumped])
def test_a_core_holds_one_task_in_advance_unless_told_otherwise(run: Any) -> None:
    assert inspect.signature(run).parameters["pre_dispatch"].default == 1
    usual = SimSetup(chip=chip(), features=Feature(0))
    assert (usual.pre_dispatch, usual.protocol, usual.first_token) == (1, "producer-rotated", 0)
    assert (usual.pmu, usual.engine) == (None, ASSUMED)


def test_a_result_is_that_of_the_slowest_controller() -> None:
    found = simulate(pair(), SimSetup(chip=chip(), features=Feature(0)))
    assert found.makespan_ps == max(found.scheduler_ps) > 3000 * PS_PER_NS
    assert len(found.scheduler_ps) == 2 and 0 < found.orchestrator_ps < found.makespan_ps
    assert sum(found.tasks_per_core) == 2
    assert (found.truth, found.engine_stop_ps) == (None, 0)
    built = simulate(pair(), SimSetup(chip=chip(orchestrators=0), features=Feature(0)))
    assert built.orchestrator_ps == 0


def test_a_run_that_stops_early_is_a_defect_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = runs.run_machine

    def stops(*given: Any) -> Any:
        return real(*given)._replace(answer=1, now_ps=77, done=1)

    monkeypatch.setattr(runs, "run_machine", stops)
    with pytest.raises(LanescopeError) as raised:
        simulate_recorded(pair(), chip(), Recording(), directory=tmp_path / "run")
    assert str(raised.value) == (
        "the simulation of pair stopped at 77 ps with 1 of 2 tasks done; this is a defect of the "
        "simulator"
    )
    assert list(tmp_path.iterdir()) == []


NO_ENGINE = (
    "a2a3 has no trace engine that lanescope can read: its file has no section [perfmon] (the a2a3 "
    "generation streams periodic counters instead of what its pipes do); use --platform a5, or "
    "leave out --core-swimlane"
)


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("a5", {"core_source": "x"}, "expected a core source (perfmon, driver), found 'x'"),
        ("a2a3", {"core_swimlane": True}, NO_ENGINE),
        ("a2a3", {"core_swimlane": True, "core_source": "driver"}, NO_ENGINE),
    ],
)
def test_what_the_cores_have_not_is_refused(
    name: str, options: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as refused:
        simulate_recorded(pair(), chip(name), Recording(**options), directory=tmp_path / "run")
    assert str(refused.value) == sentence
    assert list(tmp_path.iterdir()) == []


def test_a_source_without_a_core_swimlane_changes_nothing(tmp_path: Path) -> None:
    found = [
        simulate_recorded(
            pair(), chip("a5"), Recording(core_source=source), directory=tmp_path / source
        )
        for source in ("perfmon", "driver")
    ]
    assert found[0].result == found[1].result
    assert all(one.trace is not None and len(one.trace.marks) == 0 for one in found)


class SmallDisk(DumpFile):
    """A dump on a disk with room for 256 bytes."""

    def __enter__(self) -> DumpFile:
        file = super().__enter__()
        self._values = FullDisk(self._values, 256)  # type: ignore[assignment]
        return file


def test_a_dump_that_is_not_whole_is_noted_in_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = build_workload("vector", {"tiles": "2", "elements": "64"})
    notes = []
    for number, made in enumerate((DumpFile, SmallDisk)):
        monkeypatch.setattr(dumped, "DumpFile", made)
        request = DumpRequest(folder=tmp_path / f"dump{number}")
        outcome, totals = simulate_dumped(
            graph,
            chip(),
            Recording(chip_swimlane=1),
            request=request,
            directory=tmp_path / f"run{number}",
        )
        assert outcome.trace is not None
        assert outcome.trace.meta.flags & Feature.DUMP_TENSOR
        assert outcome.trace.meta.flags & Feature.CHIP_SWIMLANE_CORE_TIMING
        told = [note for note in outcome.trace.meta.notes if note.startswith("The tensor dump is")]
        notes.append((told, totals.problem))
    assert notes[0] == ([], "")
    assert notes[1][1] and notes[1][0] == [f"The tensor dump is not whole: {notes[1][1]}."]
