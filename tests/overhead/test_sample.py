"""One measured run: what it gives, and that a ledger that does not close is seen."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lanescope.capture.spool import FrameKind, SpoolWriter
from lanescope.device.head import PROTOCOLS
from lanescope.device.region import create_region
from lanescope.errors import LanescopeError
from lanescope.overhead import sample
from lanescope.overhead.sample import (
    _payloads,
    _stalls,
    measure_threads,
    require_closed,
    sample_of,
)
from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.machine import ThreadMachine
from lanescope.platforms.threads.recorded import region_config
from lanescope.trace.schema import MISSING
from lanescope.workloads import build_workload

GRAPH = build_workload("chain", {"tasks": "40", "spin_ns": "0"})
MACHINE = ThreadMachine(cores=("aiv",))


def test_level_zero_records_nothing_and_makes_no_directory(tmp_path: Path) -> None:
    found = measure_threads(GRAPH, MACHINE, Recording(chip_swimlane=0), directory=tmp_path / "run")
    assert found.makespan_ns > 0
    assert (found.records, found.dropped, found.stalls, found.blocked_ns) == (0, 0, 0, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_record_is_counted_and_the_directory_is_gone(protocol: str, tmp_path: Path) -> None:
    recording = Recording(chip_swimlane=2, protocol=protocol)
    found = measure_threads(GRAPH, MACHINE, recording, directory=tmp_path / "run")
    assert (found.records, found.dropped) == (80, 0)
    assert list(tmp_path.iterdir()) == []


def test_records_dropped_and_arrived_make_up_all_tasks(tmp_path: Path) -> None:
    recording = Recording(chip_swimlane=1, on_full="drop", buffer_records=1, buffers=1)
    found = measure_threads(GRAPH, MACHINE, recording, directory=tmp_path / "run")
    assert found.records + found.dropped == 40
    assert found.blocked_ns == 0


def test_waiting_for_buffers_is_counted(tmp_path: Path) -> None:
    recording = Recording(chip_swimlane=1, buffer_records=1, buffers=1)
    found = measure_threads(GRAPH, MACHINE, recording, directory=tmp_path / "run")
    assert found.records == 40
    assert found.stalls > 0
    assert found.blocked_ns > 0


def _closed(tmp_path: Path, *, recorded: int, arrived: int, tasks: int) -> None:
    region = create_region(
        tmp_path / "region", region_config(GRAPH, MACHINE, Recording(chip_swimlane=1))
    )
    region.lanes["recorded"][0] = recorded
    require_closed(region.head, region.lanes, arrived=np.array([arrived]), tasks_per_core=(tasks,))


def test_a_lane_that_misses_records_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanescopeError, match="core 0: 5 core_task records were written and 0"):
        _closed(tmp_path, recorded=5, arrived=4, tasks=5)


def test_a_lane_with_fewer_records_than_tasks_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanescopeError, match="core 0 ran 6 tasks, but 5 records were written"):
        _closed(tmp_path, recorded=5, arrived=5, tasks=6)


def test_waits_of_all_lanes_are_added_up_and_one_without_an_end_takes_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At 2 MHz a cycle takes 500 ns."""
    columns = {
        "start_cycles": np.array([10, 20, 30], np.int64),
        "end_cycles": np.array([13, MISSING, 34], np.int64),
    }
    monkeypatch.setattr(sample, "stall_columns", lambda *given: columns)
    head: Any = SimpleNamespace(header={"clock_hz": 2_000_000})
    gathered: Any = None
    assert _stalls(gathered, head, np.zeros(1)) == (3, 3500)


def test_a_damaged_spool_is_refused_and_a_whole_one_gives_its_buffers(tmp_path: Path) -> None:
    place = tmp_path / "spool"
    writer = SpoolWriter(place)
    for kind, text in ((FrameKind.HEAD, b"head"), (FrameKind.BUFFERS, b"records!")):
        writer.append(kind, text)
    writer.close()
    assert [bytes(one) for one in _payloads(place)] == [b"records!"]
    place.write_bytes(place.read_bytes() + b"torn    ")
    with pytest.raises(LanescopeError) as refused:
        _payloads(place)
    assert str(refused.value) == f"{place}: the file ends inside a frame's header"


def test_a_session_that_failed_gives_no_figures(tmp_path: Path) -> None:
    failed: Any = SimpleNamespace(error=LanescopeError("the disk is full"))
    with pytest.raises(LanescopeError, match=r"^the disk is full$"):
        sample_of(failed, 1, (1,))


def test_a_run_that_fails_leaves_no_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*given: object, **named: object) -> None:
        raise LanescopeError("it stopped")

    monkeypatch.setattr(sample, "run_graph", fail)
    with pytest.raises(LanescopeError, match="it stopped"):
        measure_threads(GRAPH, MACHINE, Recording(chip_swimlane=1), directory=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def _lanes(tmp_path: Path, *counts: tuple[int, int], **given: Any) -> None:
    """The ledger of two cores with these counts of records and of dropped ones."""
    machine = ThreadMachine(cores=("aiv", "aiv"))
    config = region_config(GRAPH, machine, Recording(chip_swimlane=given.pop("level", 1)))
    region = create_region(tmp_path / "region", config)
    for lane, (recorded, dropped) in enumerate(counts):
        region.lanes["recorded"][lane], region.lanes["dropped"][lane] = recorded, dropped
    require_closed(region.head, region.lanes, **given)


def test_a_ledger_that_closes_is_accepted(tmp_path: Path) -> None:
    _lanes(tmp_path, (5, 2), (0, 0), arrived=np.array([5, 0]), tasks_per_core=(7, 0))


def test_the_lane_whose_ledger_does_not_close_is_told_with_its_counts(tmp_path: Path) -> None:
    refusals = {
        "core 1: 3 core_task records were written and 2 dropped, but 4 arrived": (4, 5),
        "core 1 ran 4 tasks, but 3 records were written and 2 dropped": (3, 4),
        "core 1 ran 6 tasks, but 3 records were written and 2 dropped": (3, 6),
    }
    for number, (refusal, (arrived, tasks)) in enumerate(refusals.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(LanescopeError) as refused:
            _lanes(
                folder, (5, 0), (3, 2), arrived=np.array([5, arrived]), tasks_per_core=(5, tasks)
            )
        assert str(refused.value) == f"the ledger does not close: {refusal}"


def test_other_lanes_have_no_record_per_task(tmp_path: Path) -> None:
    """At level 2 a controller's tasks have a lane, too, which is checked for what arrived."""
    counts = [(5, 0), (3, 0), (4, 0), (2, 0)]
    arrived = np.array([5, 3, 4, 2])
    _lanes(tmp_path, *counts, level=2, arrived=arrived, tasks_per_core=(5, 3))
