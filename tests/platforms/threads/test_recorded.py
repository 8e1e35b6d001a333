"""A run on threads and its trace: what was recorded, and what is known of the host."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lanescope.device.head import Core
from lanescope.device.layouts import constant
from lanescope.device.region import open_region
from lanescope.errors import LanescopeError, UsageError
from lanescope.platforms.recording import Recording, plan_of
from lanescope.platforms.threads import recorded
from lanescope.platforms.threads.machine import RunResult, ThreadMachine
from lanescope.platforms.threads.recorded import region_config, run_recorded, with_host
from lanescope.workloads import TaskGraph, build_workload

MACHINE = ThreadMachine(cores=("aic", "aiv", "aiv"), schedulers=1)
GRAPH = build_workload("chain", {"tasks": "20", "spin_ns": "100", "kind": "aiv"})


def test_level_0_runs_the_graph_and_records_nothing(tmp_path: Path) -> None:
    found = run_recorded(GRAPH, MACHINE, Recording(chip_swimlane=0), directory=tmp_path / "run")
    assert (found.trace, found.region_bytes, found.spool_bytes) == (None, 0, 0)
    assert not found.interrupted
    assert sum(found.result.tasks_per_core) == 20
    assert found.result.makespan_ns >= 20 * 100
    assert list(tmp_path.iterdir()) == []


def test_a_recorded_run_has_every_task_and_says_what_it_ran_on(tmp_path: Path) -> None:
    found = run_recorded(GRAPH, MACHINE, Recording(), directory=tmp_path / "run")
    assert found.trace is not None
    facts = found.trace.meta.recording
    assert facts is not None
    assert (facts.threads, facts.processors) == (5, len(os.sched_getaffinity(0)))
    assert sorted(found.trace.tasks["task"].tolist()) == list(range(20))
    assert sum(found.result.tasks_per_core) == 20
    assert (found.interrupted, found.trace.meta.level) == (False, 4)
    assert found.spool_bytes == (tmp_path / "run" / "spool").stat().st_size
    assert found.region_bytes == (tmp_path / "run" / "region").stat().st_size


def test_the_region_says_that_the_run_has_stopped(tmp_path: Path) -> None:
    run_recorded(GRAPH, MACHINE, Recording(chip_swimlane=1), directory=tmp_path / "run")
    region = open_region(tmp_path / "run" / "region")
    assert region.state == constant("LS_STOPPED")
    assert region.head.header["region_bytes"] == (tmp_path / "run" / "region").stat().st_size


def test_a_region_has_a_place_for_every_core_and_controller() -> None:
    machine = ThreadMachine(("aic", "aiv", "aiv"), schedulers=2, pre_dispatch=0)
    config = region_config(GRAPH, machine, Recording(chip_swimlane=4))
    assert config.cores == (
        Core("aic", controller=0),
        Core("aiv", controller=1),
        Core("aiv", controller=0),
    )
    assert (config.schedulers, config.orchestrators, config.pre_dispatch) == (2, 1, 0)


def test_the_plan_says_what_else_the_host_had_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (1.2345, 9.0, 8.0))
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 7}, raising=False)
    machine = ThreadMachine(("aic", "aiv"), schedulers=2)
    facts = with_host(plan_of(GRAPH), machine).meta.recording
    assert facts is not None
    assert (facts.threads, facts.processors, facts.load) == (5, 3, 1.23)


def test_an_interrupted_run_is_recorded_as_far_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(work: Callable[[], RunResult], cancel: Callable[[], None]) -> RunResult:
        cancel()
        return work()

    monkeypatch.setattr(recorded, "run_beside", interrupted)
    found = run_recorded(GRAPH, MACHINE, Recording(), directory=tmp_path / "run")
    assert found.interrupted and found.trace is not None
    assert found.result.tasks_done < 20
    assert found.trace.meta.notes[-1] == (
        "The run was interrupted; tasks not dispatched by then never ran."
    )
    off = run_recorded(GRAPH, MACHINE, Recording(chip_swimlane=0), directory=tmp_path / "off")
    assert off.interrupted


def test_a_run_that_fails_leaves_nothing_behind_unless_something_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = ThreadMachine(("aic",))
    with pytest.raises(UsageError, match=r"^chain needs cores of kind aiv; the machine has aic=1$"):
        run_recorded(GRAPH, lacking, Recording(), directory=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    real = recorded._run

    def fails(graph: TaskGraph, machine: ThreadMachine, address: int) -> tuple[RunResult, bool]:
        real(graph, machine, address)
        raise LanescopeError("afterwards")

    monkeypatch.setattr(recorded, "_run", fails)
    with pytest.raises(LanescopeError, match="afterwards"):
        run_recorded(GRAPH, MACHINE, Recording(), directory=tmp_path / "run")
    assert (tmp_path / "run" / "region").exists()
