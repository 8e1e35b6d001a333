"""A region recorded on an NVIDIA H200 (make_fixture.py), taken apart without one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.device.older import read_fixture

from lanescope.analyze.cores.gaps import lost_intervals
from lanescope.analyze.cores.makespan import Span
from lanescope.capture.directory import REGION, SessionNote, make_directory
from lanescope.capture.rebuild import recover
from lanescope.device.head import Array
from lanescope.device.kinds import KINDS
from lanescope.device.layouts import layout
from lanescope.trace import MISSING, Trace

FIXTURE = Path(__file__).with_name("h200.region.xz")
CORES, TASKS, PIPES = 3, 20, 2


def region() -> Array:
    """Its bytes; kinds are numbered in the order in which they were added to the header."""
    memory = read_fixture(FIXTURE)
    lanes_of(memory)["kind"] = KINDS.index("slice")
    return memory


def lanes_of(memory: Array) -> Array:
    header = memory[: layout("ls_header").itemsize].view(layout("ls_header"))[0]
    lane, at = layout("ls_lane"), int(header["lanes"])
    return memory[at : at + int(header["lane_count"]) * lane.itemsize].view(lane)


def recovered(directory: Path, memory: Array) -> Trace:
    make_directory(directory, SessionNote("fixture", "NVIDIA H200"))
    (directory / REGION).write_bytes(memory.tobytes())
    return recover(directory).trace


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recovered(tmp_path_factory.mktemp("gpu") / "h200.capture", region())


def test_the_file_is_small() -> None:
    assert FIXTURE.stat().st_size < 100_000


def test_every_slice_is_there(trace: Trace) -> None:
    assert len(trace.tasks) == CORES * PIPES * TASKS
    assert len(trace.marks) == 2 * CORES * PIPES * TASKS
    assert [(entry.total, entry.delivered) for entry in trace.meta.ledger] == [
        (3 * TASKS, 3 * TASKS)
    ] * (CORES * PIPES)
    assert np.all(trace.tasks["flags"] == 0)


def test_functions_marks_and_pipes_have_their_names(trace: Trace) -> None:
    assert [trace.word(code) for code in trace.functions["name"].tolist()] == ["even", "odd"]
    assert {trace.word(code) for code in trace.marks["name"].tolist()} == {"outer", "inner"}
    assert {trace.word(code) for code in trace.marks["pipe"].tolist()} == {"left", "right"}
    assert np.array_equal(trace.tasks["func"], trace.tasks["task"] // CORES % 2)


def test_marks_lie_in_their_tasks_and_in_each_other(trace: Trace) -> None:
    key = trace.tasks["core"].astype(np.int64) << 32 | trace.tasks["token"]
    order = np.argsort(key)
    of_mark = trace.marks["core"].astype(np.int64) << 32 | trace.marks["token"]
    row = order[np.searchsorted(key, of_mark, sorter=order)]
    assert np.array_equal(key[row], of_mark)
    assert np.array_equal(trace.tasks["task"][row], trace.marks["task"])
    assert np.all(trace.tasks["start_ns"][row] <= trace.marks["start_ns"])
    assert np.all(trace.marks["end_ns"] <= trace.tasks["end_ns"][row])


def test_no_time_is_called_lost_where_everything_arrived(trace: Trace) -> None:
    """Tasks and marks share tokens, so the tasks' tokens jump."""
    found = lost_intervals(trace, Span(0, int(trace.tasks["end_ns"].max())))
    assert len(found.core) == 0


def test_time_is_that_of_the_gpu(trace: Trace) -> None:
    """20 dependent multiply-adds, twice, take 160 cycles at least: 80 ns at 1.98 GHz."""
    length = trace.tasks["end_ns"] - trace.tasks["start_ns"]
    assert np.all(trace.tasks["start_ns"] != MISSING)
    assert 80 <= int(length.min()) < 2000
    facts = trace.meta.recording
    assert facts is not None and facts.unit_clock_hz is not None
    assert facts.clock_step_ns == 32
    assert 1.7e9 < facts.unit_clock_hz < 2.1e9
    for core in range(CORES):
        for pipe in range(PIPES):
            rows = (trace.tasks["core"] == core) & (trace.tasks["token"] % PIPES == pipe)
            start, end = trace.tasks["start_ns"][rows], trace.tasks["end_ns"][rows]
            assert len(start) == TASKS
            assert np.all(start[1:] >= end[:-1])


def test_each_core_was_on_a_multiprocessor_of_its_own(trace: Trace) -> None:
    assert len(np.unique(trace.cores["cluster"])) == CORES


def test_a_kernel_that_never_closed_its_lanes_loses_nothing(tmp_path: Path) -> None:
    """The last buffer of each lane as it is while a kernel writes it."""
    memory = region()
    for lane in lanes_of(memory):
        lane["published"] -= 1
        slot = int(lane["published"]) % int(lane["buffer_count"])
        at = int(lane["buffers"]) + slot * int(lane["buffer_stride"])
        kind = layout("ls_buffer")
        header = memory[at : at + kind.itemsize].view(kind)[0]
        lane["recorded"] = header["first"]
        header["count"] = 0
        clock = layout("ls_slice_clock")
        block = memory[at + kind.itemsize :][: clock.itemsize].view(clock)
        block["close_ns"] = block["close_cycles"] = 0
    trace = recovered(tmp_path / "open.capture", memory)
    assert len(trace.tasks) == CORES * PIPES * TASKS
    assert len(trace.marks) == 2 * CORES * PIPES * TASKS
    assert all(entry.closes for entry in trace.meta.ledger)
