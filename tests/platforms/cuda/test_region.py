"""The region of a graph on a GPU: other records beside the slices of warp roles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from lanescope.capture.slices import are_beside, in_their_tasks
from lanescope.cuda.handle import handle_block
from lanescope.device.head import Head
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.device.region import create_region
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.recorded import region_config
from lanescope.platforms.recording import Recording
from lanescope.trace.join import TaskKey
from lanescope.trace.schema import MISSING
from lanescope.trace.task_rows import TaskRows
from lanescope.workloads import build_workload

GRAPH = build_workload("fan", {"width": "4"})


def head_of(folder: Path, **recording: object) -> Head:
    machine = GpuMachine(workers=3, schedulers=2)
    config = region_config(GRAPH, machine, Recording(**recording))  # type: ignore[arg-type]
    return create_region(folder / "region", config).head


def lanes(head: Head) -> dict[str, int]:
    return dict(Counter(KINDS[kind] for kind in head.lanes["kind"].tolist()))


def test_each_level_has_its_lanes_and_roles_have_theirs_beside(tmp_path: Path) -> None:
    every = {"core_task": 3, "controller_task": 3, "scheduler_phase": 2, "orchestrator_phase": 1}
    whole = head_of(tmp_path, core_swimlane=True)
    assert lanes(whole) == {**every, "slice": 9}
    assert are_beside(whole)
    (tmp_path / "region").unlink()
    assert lanes(head_of(tmp_path)) == every
    (tmp_path / "region").unlink()
    assert lanes(head_of(tmp_path, chip_swimlane=1, core_swimlane=True)) == {
        "core_task": 3,
        "slice": 9,
    }


def test_a_handle_finds_the_buffers_of_lanes_behind_others(tmp_path: Path) -> None:
    head = head_of(tmp_path, core_swimlane=True, buffer_records=8, buffers=2)
    block = np.frombuffer(handle_block(head, 1 << 40, 77), np.uint8)
    kind = layout("ls_handle")
    handle = block[: kind.itemsize].view(kind)[0]
    states = block[kind.itemsize :].view(layout("ls_handle_lane"))
    assert len(states) == 9
    lanes = head.lanes[states["next.lane"]]
    assert {KINDS[kind] for kind in lanes["kind"].tolist()} == {"slice"}
    assert states["ring"].tolist() == [(1 << 40) + at for at in lanes["buffers"].tolist()]
    table = (1 << 40) + int(head.header["lanes"])
    assert states["lane"].tolist() == [table + 256 * int(each) for each in states["next.lane"]]
    assert int(handle["buffer_stride"]) == int(lanes["buffer_stride"][0])


def test_marks_get_their_tasks_token_and_are_cut_where_clocks_differ_a_little() -> None:
    times = {"start": np.array([100, 500]), "end": np.array([200, 700])}
    rows = TaskRows(
        key=TaskKey(core=np.array([0, 1]), token=np.array([8, 9])),
        task=np.array([41, 42]),
        func=np.zeros(2, np.int32),
        flags=np.zeros(2, np.int32),
        times=times,
        whole={},
    )
    marks = {
        "core": np.array([0, 1, 1, 0, 1], np.int32),
        "task": np.array([41, 42, 42, 42, 42]),
        "token": np.full(5, MISSING),
        "start_cycles": np.array([90, 510, 300, 510, 480]),
        "end_cycles": np.array([190, 705, 690, 600, 721]),
    }
    found = in_their_tasks(marks, rows, 20)
    assert found["token"].tolist() == [8, 9, 9, MISSING, 9]  # the fourth is not of core 0
    assert found["start_cycles"].tolist() == [
        100,
        510,
        300,
        510,
        500,
    ]  # 200 ns early stays as it is
    assert found["end_cycles"].tolist() == [190, 700, 690, 600, 721]  # so does 21 ns late
