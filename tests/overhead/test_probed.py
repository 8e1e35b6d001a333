"""Where probes run: how long a run counts, how much room it has, and what it leaves behind."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.device.region import Region, clock_hz, create_region
from lanescope.errors import LanescopeError
from lanescope.overhead import probed
from lanescope.overhead.probed import SimProbed, ThreadProbed, _whole
from lanescope.overhead.probes import ProbedCores
from lanescope.overhead.sample import RunSample
from lanescope.platforms.recording import Recording
from lanescope.platforms.sim.chip import load_chip
from lanescope.platforms.threads.machine import ThreadMachine
from lanescope.workloads import build_workload

GRAPH = build_workload(
    "chain",
    {"tasks": "4", "spin_ns": "0"},
)


@pytest.mark.parametrize(
    ("protocol", "buffers"), [("after-finish", 2), ("staging", 1), ("producer-rotated", 1)]
)
def test_a_protocol_that_rotates_after_a_task_has_a_second_buffer(
    protocol: str, buffers: int
) -> None:
    """A full buffer waits for a task of the next one."""
    found = _whole(2, protocol, records=77)
    assert (found.chip_swimlane, found.protocol) == (2, protocol)
    assert (found.buffer_records, found.buffers) == (77, buffers)


def test_a_chip_is_probed_on_the_cores_that_it_has_fewest_of(tmp_path: Path) -> None:
    chip = load_chip("a2a3")
    platform = SimProbed(chip, tmp_path)
    sizes = {"cores": (6, 24), "chain": (150, 600), "gate": (200, 800), "submits": (200, 800)}
    fewest = chip.core_kinds().count("aic")
    assert 0 < fewest < chip.core_kinds().count("aiv")
    assert platform.bench == ProbedCores("aic", fewest, 60_000, 10_000, sizes)
    assert platform.name == "a2a3"


@pytest.mark.parametrize(
    ("schedulers", "orchestrator", "longer"), [(5, 7, 7.0), (9, 7, 9.0), (5, None, 5.0)]
)
def test_the_longer_of_schedulers_and_orchestrator_is_a_chips_makespan(
    schedulers: int,
    orchestrator: int | None,
    longer: float,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    asked: list[Any] = []

    def measured(graph: Any, chip: Any, recording: Recording, **named: Any) -> RunSample:
        asked.append((chip.name, recording, named))
        return RunSample(schedulers, orchestrator_ns=orchestrator)

    monkeypatch.setattr(probed, "measure_simulated", measured)
    assert SimProbed(load_chip("a5"), tmp_path).makespan_ns(GRAPH, 3, "after-finish") == longer
    named = {"pre_dispatch": 1, "directory": tmp_path / "probe.capture"}
    assert asked == [("a5", _whole(3, "after-finish", records=4096), named)]


def test_what_threads_are_probed_with(tmp_path: Path) -> None:
    platform = ThreadProbed(tmp_path)
    sizes = {"cores": (200, 1000), "chain": (200, 1000), "gate": (2000, 10000)}
    assert platform.bench == ProbedCores("aiv", 1, 2_000, 1_000, sizes)
    assert platform.machine == ThreadMachine(cores=("aiv",), schedulers=1, pre_dispatch=1)
    assert (platform.name, platform.repeats) == ("threads", 3)


def test_the_shortest_of_three_runs_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    times = iter([7, 5, 6, 1])
    given: list[dict[str, Any]] = []

    def ran(graph: Any, machine: Any, **named: Any) -> SimpleNamespace:
        given.append(named)
        return SimpleNamespace(makespan_ns=next(times))

    monkeypatch.setattr(probed, "run_graph", ran)
    assert ThreadProbed(tmp_path).makespan_ns(GRAPH, 0, "off") == 5.0
    assert given == [{"clock_hz": clock_hz()}] * 3


@pytest.mark.parametrize("dropped", [0, 1])
def test_the_region_of_a_probe_is_closed_and_removed_whatever_became_of_it(
    dropped: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A recording has room for all records: four of each task, and one."""
    regions: list[Region] = []
    closed: list[Region] = []
    close = Region.close

    def made(path: Path, config: Any) -> Region:
        regions.append(create_region(path, config))
        return regions[-1]

    def closing(region: Region) -> None:
        closed.append(region)
        close(region)

    def ran(graph: Any, machine: Any, *, region_address: int, clock_hz: int) -> SimpleNamespace:
        assert region_address == regions[-1].address
        regions[-1].lanes["dropped"][0] = dropped
        return SimpleNamespace(makespan_ns=4)

    monkeypatch.setattr(probed, "create_region", made)
    monkeypatch.setattr(probed, "run_graph", ran)
    monkeypatch.setattr(Region, "close", closing)
    platform = ThreadProbed(tmp_path)
    if dropped:
        with pytest.raises(LanescopeError) as refused:
            platform.makespan_ns(GRAPH, 1, "staging")
        assert str(refused.value) == "a probe lost records; this is a defect of the benchmark"
    else:
        assert platform.makespan_ns(GRAPH, 1, "staging") == 4.0
    assert closed == regions and len(closed) == (1 if dropped else 3)
    assert list(tmp_path.iterdir()) == []
    assert set(regions[0].head.lanes["buffer_records"].tolist()) == {4 * len(GRAPH) + 1}


@pytest.mark.parametrize("kind", ["chip", "threads"])
def test_one_run_is_recorded_and_its_folder_removed(kind: str, tmp_path: Path) -> None:
    platform: SimProbed | ThreadProbed = ThreadProbed(tmp_path)
    if kind == "chip":
        platform = SimProbed(load_chip("a2a3"), tmp_path)
    trace = platform.trace(GRAPH, 3, "staging")
    assert (len(trace.tasks), trace.meta.name) == (len(GRAPH), GRAPH.name)
    assert len(trace.phases) > 0
    assert list(tmp_path.iterdir()) == []
