"""One measured run: what it gives, and that a ledger that does not close is seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lanescope.device.head import PROTOCOLS
from lanescope.device.region import create_region
from lanescope.errors import LanescopeError
from lanescope.overhead.sample import measure_threads, require_closed
from lanescope.platforms.recording import Recording
from lanescope.platforms.threads.machine import ThreadMachine
from lanescope.platforms.threads.recorded import region_config
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
