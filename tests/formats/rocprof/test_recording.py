"""Dispatches, copies and calls as every profiler of streams gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lanescope.formats.rocprof.recording import roc_recording
from lanescope.formats.rocprof.rows import Calls, Copies, Dispatches, RocAgent, RocRows, kernel_name
from lanescope.formats.streams import DeviceLane, HostThread
from lanescope.formats.streams.recording import CATEGORIES, WORK
from lanescope.trace import MISSING

AGENTS = {
    1: RocAgent(None, "CPU"),
    5: RocAgent(0, "MI300X"),
    6: RocAgent(2, "MI250"),
    7: RocAgent(3, ""),
}


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def dispatches(*rows: tuple[int, int, int], **changes: Any) -> Dispatches:
    """Dispatches of process, agent and queue."""
    count = len(rows)
    process, agent, queue = (array(*(row[k] for row in rows)) for k in range(3))
    columns: dict[str, Any] = {
        "process": process,
        "agent": agent,
        "queue": queue,
        "stream": np.full(count, MISSING),
        "name": np.zeros(count, np.int64),
        "names": ["gemm"],
        "start": np.arange(count),
        "end": np.arange(count) + 5,
        "correlation": np.full(count, MISSING),
        "workgroup": np.full((count, 3), MISSING),
        "grid": np.full((count, 3), MISSING),
        "shared": np.full(count, MISSING),
        "registers": np.full(count, MISSING),
    }
    return Dispatches(**{**columns, **changes})


def copies(*rows: tuple[int, int, int], bytes: tuple[int, ...] = ()) -> Copies:
    """Copies of process, source and target."""
    process, source, target = (array(*(row[k] for row in rows)) for k in range(3))
    return Copies(
        process=process,
        source=source,
        target=target,
        name=np.zeros(len(rows), np.int64),
        names=["copy"],
        start=np.arange(len(rows)),
        end=np.arange(len(rows)) + 5,
        correlation=np.arange(len(rows)) + 1,
        bytes=array(*bytes) if bytes else np.full(len(rows), MISSING),
    )


def test_queues_of_one_device_are_called_by_their_number_alone() -> None:
    rows = RocRows(agents=AGENTS, dispatches=dispatches((4, 5, 9), (4, 5, 3), (4, 5, MISSING)))
    found = roc_recording(rows)
    assert found.lanes == [
        DeviceLane(name="queue", lane="queue", device=0, process=4),
        DeviceLane(name="queue 3", lane="queue", device=0, queue=3, process=4),
        DeviceLane(name="queue 9", lane="queue", device=0, queue=9, process=4),
    ]
    assert found.work.lane.tolist() == [2, 1, 0]


def test_devices_and_processes_tell_lanes_apart() -> None:
    """The copy is on the engine of the device that it comes from or goes to."""
    rows = RocRows(
        agents=AGENTS,
        dispatches=dispatches((4, 5, 3), (8, 5, 3), (4, 6, 3), (MISSING, 99, 1)),
        copies=copies((4, 1, 5), (4, 5, 1), (4, 5, 6), (4, 1, 1)),
    )
    found = roc_recording(rows)
    lanes = [(lane.name, lane.lane, lane.device, lane.queue) for lane in found.lanes]
    assert [lanes[k] for k in found.work.lane.tolist()] == [
        ("process 4 device 0 queue 3", "queue", 0, 3),
        ("process 8 device 0 queue 3", "queue", 0, 3),
        ("device 2 queue 3", "queue", 2, 3),
        ("agent 99 queue 1", "queue", None, 1),
        ("device 0 copies", "engine", 0, None),
        ("device 0 copies", "engine", 0, None),
        ("device 2 copies", "engine", 2, None),
        ("agent 1 copies", "engine", None, None),
    ]
    assert found.lanes[0].process is None


def test_a_launch_is_a_process_and_a_correlation_above_0_that_fits() -> None:
    rows = RocRows(agents=AGENTS, dispatches=dispatches(*[(4, 5, 3)] * 5, (8, 5, 3)))
    rows.dispatches.correlation = array(1, (1 << 44) - 1, 1 << 44, 0, -1, 1)
    rows.copies = copies((8, 1, 5))
    launch = roc_recording(rows).work.launch
    assert launch is not None
    second = (1 << 44) + 1
    assert launch.tolist() == [1, (1 << 44) - 1, MISSING, MISSING, MISSING, second, second]


def values(given: RocRows) -> dict[str, list[float | None]]:
    found = roc_recording(given).work.values
    return {
        name: [None if np.isnan(one) else float(one) for one in column]
        for name, column in found.items()
    }


def test_numbers_of_dispatches_and_copies_are_counters() -> None:
    grid = np.array([[1000, 2, 1], [1, 1, 1], [8, 0, 1], [8, 1, 1], [257, 1, 1]])
    workgroup = np.array([[256, 1, 1], [256, 2, 1], [8, 1, 1], [8, 0, 1], [256, 1, 1]])
    some = dispatches(*[(4, 5, 3)] * 5, grid=grid, workgroup=workgroup)
    some.registers, some.shared = array(0, 1, 2, MISSING, -1), array(9, MISSING, 0, 1, 2)
    some.stream = array(MISSING, 0, 1, 2, 3)
    rows = RocRows(agents=AGENTS, dispatches=some, copies=copies((4, 1, 5), bytes=(64,)))
    assert values(rows) == {
        "blocks": [8, 1, None, None, 2, None],
        "threads": [256, 512, None, None, 256, None],
        "registers": [0, 1, 2, None, None, None],
        "shared memory": [9, None, 0, 1, 2, None],
        "stream": [None, 0, 1, 2, 3, None],
        "bytes": [None, None, None, None, None, 64],
    }
    assert values(RocRows(agents=AGENTS, dispatches=dispatches((4, 5, 3)))) == {}


def test_kernels_that_communicate_are_collectives() -> None:
    names = ["gemm", "ncclDevKernel_AllReduce(x)", "rcclKernel"]
    given = dispatches(*[(4, 5, 3)] * 3, name=array(1, 0, 2), names=names)
    rows = RocRows(agents=AGENTS, dispatches=given, copies=copies((4, 1, 5)))
    found = roc_recording(rows)
    assert found.work.work is not None
    assert [WORK[code] for code in found.work.work.tolist()] == [
        *("communication", "compute", "communication", "copy"),
    ]
    assert found.work.names == [*names, "copy"]
    assert found.work.name.tolist() == [1, 0, 2, 3]
    assert found.collectives.row.tolist() == [0, 2]
    assert (found.collectives.kind, found.collectives.group) == (["all_reduce", ""], ["", ""])


def calls(*rows: tuple[int, int, int, bool]) -> Calls:
    """Calls of process, thread and correlation; whether each is a range."""
    process, thread, correlation = (array(*(row[k] for row in rows)) for k in range(3))
    return Calls(
        process=process,
        thread=thread,
        name=np.zeros(len(rows), np.int64),
        names=["call"],
        start=np.arange(len(rows)),
        end=np.arange(len(rows)) + 1,
        correlation=correlation,
        is_range=np.array([row[3] for row in rows], bool),
    )


def test_calls_lie_on_their_thread_and_ranges_launch_nothing() -> None:
    given = calls((4, 9, 1, False), (4, 7, 2, True), (4, 9, 0, False))
    found = roc_recording(RocRows(calls=given, threads={(4, 7): "main 7", (4, 9): ""}))
    assert found.threads == [HostThread(name="main 7"), HostThread(name="thread 9")]
    assert found.host.thread.tolist() == [1, 0, 1]
    assert [CATEGORIES[code] for code in found.host.category.tolist()] == [
        *("call", "annotation", "call"),
    ]
    assert found.host.launch is not None
    assert found.host.launch.tolist() == [1, MISSING, MISSING]


def test_threads_of_several_processes_say_which() -> None:
    given = calls((4, 7, 1, False), (8, 7, 1, False))
    found = roc_recording(RocRows(calls=given, threads={(8, 7): "main 7"}))
    assert [one.name for one in found.threads] == ["process 4 thread 7", "process 8 main 7"]


def test_one_process_and_device_are_those_of_the_trace() -> None:
    rows = RocRows(agents=AGENTS, dispatches=dispatches((4, 5, 3)), facts={"host": "n1"})
    rows.left_out = {"scratch": 2, "none": 0}
    assert roc_recording(rows).facts == {
        "chip": "MI300X",
        "device": 0,
        "process": 4,
        "host": "n1",
        "notes": ("Not read: 2 records of kind scratch.",),
    }
    rows = RocRows(agents=AGENTS, dispatches=dispatches((4, 5, 3), (8, 6, 3), (8, 7, 3)))
    facts = roc_recording(rows).facts
    assert (facts["chip"], facts["device"], facts["process"]) == ("MI300X and MI250", None, None)
    unknown = roc_recording(RocRows(dispatches=dispatches((MISSING, 99, 3)))).facts
    assert (unknown["chip"], unknown["device"], unknown["process"]) == ("", None, None)
    long = {5: RocAgent(0, "x" * 257)}
    rows = RocRows(agents=long, dispatches=dispatches((4, 5, 3)))
    assert roc_recording(rows).facts["chip"] == "x" * 256


def test_a_kernel_without_a_symbol_is_called_by_its_number() -> None:
    assert (kernel_name(0), kernel_name(MISSING)) == ("kernel 0", "(no name)")
