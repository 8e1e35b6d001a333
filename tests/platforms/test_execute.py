"""One run on one platform: what each of them refuses, and the figures that it gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lanescope.dump.write import DumpRequest
from lanescope.errors import UsageError
from lanescope.platforms.execute import execute
from lanescope.platforms.outcome import RunOutcome
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.workloads import GraphBuilder, TaskGraph, build_workload


def pair() -> TaskGraph:
    builder = GraphBuilder("pair")
    first = builder.task("A", kind="aiv", spin_ns=2000)
    builder.task("A", kind="aiv", after=[first], spin_ns=1000)
    return builder.graph()


def ran(
    tmp_path: Path, platform: str, dump: DumpRequest | None = None, **options: Any
) -> RunOutcome:
    folder = tmp_path / "run.capture"
    machine = MachineRequest(platform=platform)
    return execute(pair(), machine, Recording(**options), directory=folder, dump=dump)


CHIPS = "simulated chips (a2a3, a2a3-hbg, a5, or a chip's file)"


@pytest.mark.parametrize(
    ("platform", "options", "sentence"),
    [
        (
            *("threads", {"pmu": 2}),
            "the threads have no performance counters to record; PMU events are counted on "
            f"{CHIPS}",
        ),
        (
            *("cuda", {"pmu": True}),
            "the cuda platform has no performance counters to record; PMU events are counted on "
            f"{CHIPS}",
        ),
        (
            *("threads", {"core_swimlane": True}),
            "the threads have no trace engines, so nothing shows what happens inside a task; use "
            "--platform a5 or cuda, or leave out --core-swimlane",
        ),
    ],
)
def test_what_a_platform_has_not_is_refused(
    tmp_path: Path, platform: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        ran(tmp_path, platform, **options)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("platform", "why"),
    [
        ("threads", "threads run tasks without their arrays"),
        ("cuda", "on cuda their values are compared and not kept"),
    ],
)
def test_only_simulated_chips_dump_tensors(tmp_path: Path, platform: str, why: str) -> None:
    with pytest.raises(UsageError) as refused:
        ran(tmp_path, platform, dump=DumpRequest(folder=tmp_path / "dump"))
    assert str(refused.value) == (
        f"only simulated chips dump tensors; {why}, so leave out --dump-tensors or choose another "
        "--platform"
    )


def test_threads_without_counters_run_and_give_their_figures(tmp_path: Path) -> None:
    done = ran(tmp_path, "threads", pmu=False, chip_swimlane=1)
    assert done.trace is not None
    assert (done.tasks_done, sum(done.tasks_per_core), len(done.tasks_per_core)) == (2, 2, 3)
    assert done.makespan_ns >= 3000
    assert done.region_bytes == (tmp_path / "run.capture" / "region").stat().st_size
    assert done.spool_bytes == (tmp_path / "run.capture" / "spool").stat().st_size
    assert (done.interrupted, done.orchestrator_ns, done.scheduler_ns) == (False, None, None)
    assert (done.tensors, done.check, done.capture) == (None, None, None)


def test_a_chip_says_when_its_controllers_were_done_in_whole_ns(tmp_path: Path) -> None:
    done = ran(tmp_path, "a5", chip_swimlane=0)
    assert done.trace is None
    assert (done.tasks_done, sum(done.tasks_per_core)) == (2, 2)
    assert done.orchestrator_ns is not None and done.scheduler_ns is not None
    assert 0 < done.orchestrator_ns < 3000 < done.scheduler_ns == done.makespan_ns < 20_000
    assert (done.region_bytes, done.spool_bytes, done.interrupted) == (0, 0, False)


def test_a_chip_without_an_orchestrator_has_no_time_of_one(tmp_path: Path) -> None:
    done = ran(tmp_path, "a2a3-hbg", chip_swimlane=0)
    assert done.orchestrator_ns is None
    assert done.scheduler_ns == done.makespan_ns > 3000


def test_a_dump_is_counted(tmp_path: Path) -> None:
    graph = build_workload("vector", {"tiles": "1", "elements": "8"})
    done = execute(
        graph,
        MachineRequest(platform="a5"),
        Recording(chip_swimlane=1),
        directory=tmp_path / "run.capture",
        dump=DumpRequest(folder=tmp_path / "dump"),
    )
    assert done.tensors is not None
    assert (done.tasks_done, done.tensors.problem) == (2, "")
