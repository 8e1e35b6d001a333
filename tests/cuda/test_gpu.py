"""On a real GPU: what kernels record arrives, is accounted for, and is in the right order."""

from __future__ import annotations

import argparse
import importlib
import time
from typing import Any

import numpy as np
import pytest
from tests.cuda.gpu import cupy, kernel, wait

import lanescope.cuda
from lanescope import Trace
from lanescope.errors import UsageError

pytestmark = pytest.mark.gpu


def closes(trace: Trace) -> bool:
    return all(entry.closes for entry in trace.meta.ledger)


def nested(cores: int, tasks: int, **options: Any) -> Trace:
    sink = cupy().zeros(cores * 64, np.float32)
    run = kernel("nested", options.get("buffer_records", 1024))
    options = {"pipes": ("left", "right"), "core_swimlane": True} | options
    with lanescope.cuda.record(cores=cores, **options) as rec:
        ids = [np.uint32(rec.function("even")), np.uint32(rec.mark("outer"))]
        rec.function("odd")
        ids.append(np.uint32(rec.mark("inner")))
        run((cores,), (64,), (np.uint32(tasks), *ids, sink, np.uint64(rec.handle)))
        wait()
    return rec.trace


@pytest.mark.parametrize("buffer_records", [1, 2, 1024])
def test_every_task_and_mark_arrives_whatever_the_size_of_a_buffer(buffer_records: int) -> None:
    trace = nested(5, 300, buffer_records=buffer_records)
    assert closes(trace)
    assert sum(entry.delivered for entry in trace.meta.ledger) == 5 * 2 * 300 * 3
    assert len(trace.tasks) == 5 * 2 * 300
    assert np.array_equal(np.unique(trace.tasks["task"]), np.arange(1500))
    assert {trace.word(code) for code in trace.marks["name"].tolist()} == {"outer", "inner"}
    assert {trace.word(code) for code in trace.marks["pipe"].tolist()} == {"left", "right"}
    assert np.all(trace.tasks["flags"] == 0)
    assert np.all(trace.marks["token"] >= 0)  # every mark lies in a task


def test_slices_of_a_lane_do_not_overlap() -> None:
    trace = nested(3, 2000, buffer_records=64, pipes=("only",), core_swimlane=False)
    for core in range(3):
        rows = trace.tasks["core"] == core
        start, end = trace.tasks["start_ns"][rows], trace.tasks["end_ns"][rows]
        assert np.all(start[1:] >= end[:-1])
        assert np.all(end >= start)


def test_full_rings_are_counted_when_nobody_waits() -> None:
    with lanescope.cuda.record(cores=4, buffer_records=8, buffers=2, on_full="drop") as rec:
        kernel("flood", 8)((4,), (32,), (np.uint32(200_000), np.uint64(rec.handle)))
        wait()
    ledger = rec.trace.meta.ledger
    assert closes(rec.trace)
    assert [entry.total for entry in ledger] == [200_000] * 4
    assert sum(entry.dropped for entry in ledger) > 0
    assert len(rec.trace.tasks) == sum(entry.delivered for entry in ledger)
    assert np.array_equal(rec.trace.tasks["token"], rec.trace.tasks["task"])  # gaps and all


def test_waits_for_the_host_are_recorded() -> None:
    with lanescope.cuda.record(cores=4, buffer_records=8, buffers=2) as rec:
        kernel("flood", 8)((4,), (32,), (np.uint32(20_000), np.uint64(rec.handle)))
        wait()
    trace = rec.trace
    assert closes(trace)
    assert len(trace.tasks) == 80_000
    assert len(trace.stalls) > 0
    assert np.all(trace.stalls["end_ns"] >= trace.stalls["start_ns"])


def test_events_ordered_by_a_flag_are_shown_in_order() -> None:
    """200,000 hops over all SMs: none goes back in time, and no two SMs' clocks are further apart
    than what the trace states."""
    cupy()
    clock = importlib.import_module("benchmarks.cuda_record").clock
    found = clock(argparse.Namespace())
    assert found["multiprocessors"] > 1
    assert 0 < found["stated_error_ns"] <= 200
    assert found["shortest_hop_ns"] >= -found["stated_error_ns"]
    assert found["apart_ns_worst"] <= found["stated_error_ns"]


def test_what_the_recorder_takes_of_an_sm_is_known() -> None:
    cupy()
    budget = importlib.import_module("benchmarks.cuda_record").budget
    for name, found in budget(argparse.Namespace()).items():
        off, on = found["registers"]
        assert 0 < off <= on <= off + 16, name
        assert found["shared_bytes"][0] == found["shared_bytes"][1], name
        assert found["blocks_per_unit"][0] == found["blocks_per_unit"][1], name


def test_a_mark_handed_to_another_warp_ends_there_and_a_flow_is_an_edge() -> None:
    rounds = 50
    with lanescope.cuda.record(cores=1, pipes=("give", "take"), core_swimlane=True) as rec:
        ids = (rec.function("give"), rec.function("take"), rec.mark("handed"))
        arguments = (np.uint32(rounds), *map(np.uint32, ids), np.uint64(rec.handle))
        kernel("handed")((1,), (64,), arguments)
        wait()
    trace = rec.trace
    assert closes(trace)
    assert len(trace.marks) == rounds
    assert {trace.word(code) for code in trace.marks["pipe"].tolist()} == {"take"}
    assert trace.edges["pred"].tolist() == list(range(0, 2 * rounds, 2))
    assert trace.edges["succ"].tolist() == list(range(1, 2 * rounds, 2))
    start = dict(zip(trace.tasks["task"].tolist(), trace.tasks["start_ns"].tolist(), strict=True))
    assert all(start[2 * each + 1] >= start[2 * each] for each in range(rounds))


def test_kernels_one_after_the_other_share_a_recording() -> None:
    with lanescope.cuda.record(cores=8) as rec:
        for _ in range(20):
            kernel("flood")((8,), (32,), (np.uint32(100), np.uint64(rec.handle)))
        wait()
    assert closes(rec.trace)
    assert len(rec.trace.tasks) == 20 * 8 * 100
    assert np.all(rec.trace.tasks["end_ns"] >= rec.trace.tasks["start_ns"])


def test_without_a_handle_nothing_is_recorded() -> None:
    kernel("flood")((8,), (32,), (np.uint32(100), np.uint64(0)))
    wait()


def test_ctas_beyond_the_last_core_are_refused_and_said() -> None:
    with lanescope.cuda.record(cores=2) as rec:
        kernel("flood")((5,), (32,), (np.uint32(10), np.uint64(rec.handle)))
        wait()
    assert len(rec.trace.tasks) == 20
    assert any("asked 3 times for a lane" in note for note in rec.trace.meta.notes)


def test_a_kernel_with_buffers_of_another_size_is_refused_and_said() -> None:
    with lanescope.cuda.record(cores=1) as rec:
        kernel("flood", 8)((1,), (32,), (np.uint32(10), np.uint64(rec.handle)))
        wait()
    assert len(rec.trace.tasks) == 0
    assert any("LS_SLICE_RECORDS" in note for note in rec.trace.meta.notes)


def test_a_thread_can_record_alone() -> None:
    with lanescope.cuda.record(cores=2) as rec:
        kernel("alone")((2,), (64,), (np.uint32(3000), np.uint64(rec.handle)))
        wait()
    assert len(rec.trace.tasks) == 6000
    assert closes(rec.trace)


def test_a_lane_may_wander_over_the_multiprocessors_and_come_back() -> None:
    """Each finds the lane as the one before left it, not as it was when it had it itself."""
    units = int(cupy().cuda.Device().attributes["MultiProcessorCount"])
    turn = cupy().zeros(1, np.uint32)
    with lanescope.cuda.record(cores=1) as rec:
        kernel("wandering")((units,), (1,), (np.uint32(20), turn, np.uint64(rec.handle)))
        wait()
    assert closes(rec.trace)
    assert np.array_equal(rec.trace.tasks["task"], np.arange(20 * units))
    assert np.all(np.diff(rec.trace.tasks["start_ns"]) >= 0)


def test_a_mark_can_be_carried_into_the_next_iteration() -> None:
    with lanescope.cuda.record(cores=1, core_swimlane=True) as rec:
        arguments = (np.uint32(10), np.uint32(rec.mark("carried")), np.uint64(rec.handle))
        kernel("carried")((1,), (32,), arguments)
        wait()
    assert len(rec.trace.marks) == 11
    assert closes(rec.trace)


def test_a_task_longer_than_the_counters_low_word_keeps_its_length() -> None:
    with lanescope.cuda.record(cores=1) as rec:
        kernel("patient")((1,), (1,), (np.uint64(5 << 30), np.uint64(rec.handle)))
        wait()
    length = rec.trace.tasks["end_ns"] - rec.trace.tasks["start_ns"]
    hz = rec.trace.meta.recording.unit_clock_hz
    assert len(length) == 3
    assert abs(int(length[1]) / 1e9 - (5 << 30) / hz) < 0.001
    assert int(length[0]) < 100_000
    assert int(length[2]) < 100_000


def test_a_never_ending_kernel_is_drained_and_stops_at_once() -> None:
    module = cupy()
    stop, done = module.zeros(1, np.uint32), module.zeros(64, np.uint64)
    beside = module.cuda.Stream(non_blocking=True)
    seen = []
    with lanescope.cuda.record(cores=64) as rec:
        kernel("endless")((64,), (32,), (stop, np.uint32(2000), done, np.uint64(rec.handle)))
        for _ in range(5):
            time.sleep(0.1)
            seen.append(rec.live().records)
        before = time.perf_counter()
        stop.data.memset_async(1, 4, beside)
        wait()
        stopping = time.perf_counter() - before
    assert seen == sorted(seen)
    assert seen[0] > 0
    assert stopping < 0.1
    assert len(rec.trace.tasks) == int(done.sum())
    assert closes(rec.trace)


def test_the_host_clock_is_fitted() -> None:
    before = time.time_ns()
    with lanescope.cuda.record(cores=1) as rec:
        kernel("flood")((1,), (32,), (np.uint32(10), np.uint64(rec.handle)))
        wait()
    after = time.time_ns()
    clock = rec.trace.meta.host_clock
    assert clock is not None
    assert clock.status == "calibrated"
    assert before - clock.error_ns <= clock.host_ns <= after + clock.error_ns
    assert clock.error_ns < 100_000


def test_the_trace_is_not_there_before_the_end() -> None:
    with lanescope.cuda.record(cores=1) as rec, pytest.raises(UsageError, match="after the end"):
        _ = rec.trace


def test_launches_of_a_step_have_names_tasks_and_ctas() -> None:
    """Two kernels of 8 CTAs per step; ranges of the host lie around their calls."""
    with lanescope.cuda.record(cores=8, buffer_records=8) as rec:
        for _ in range(3):
            with rec.range("step"):
                for name in ("forward", "backward"):
                    with rec.range(name):
                        arguments = (np.uint32(20), np.uint64(rec.launch(name)))
                        kernel("flood", 8)((8,), (32,), arguments)
                wait()
    trace = rec.trace
    assert closes(trace)
    launches, tasks = trace.launches, trace.tasks
    assert trace.text("launches", "name") == ["forward", "backward"] * 3
    assert launches["launch"].tolist() == [1, 2, 3, 4, 5, 6]
    assert launches["blocks"].tolist() == [8] * 6
    assert np.bincount(tasks["launch"]).tolist() == [0, *[160] * 6]
    assert np.all(launches["start_ns"][1:] >= launches["end_ns"][:-1])
    of = tasks["launch"] - 1
    assert np.all(tasks["start_ns"] >= launches["start_ns"][of])
    assert np.all(tasks["end_ns"] <= launches["end_ns"][of])
    phases, kinds = trace.phases, trace.text("phases", "kind")
    steps = np.flatnonzero(np.array(kinds) == "step")
    assert (len(steps), kinds.count("launch")) == (3, 6)
    clock, facts = trace.meta.host_clock, trace.meta.recording
    assert clock is not None and facts is not None and facts.clock_error_ns is not None
    error = clock.error_ns + facts.clock_error_ns
    for step in steps.tolist():  # `wait` is in it, so its launches are, too
        inside = launches["start_ns"] >= phases["start_ns"][step] - error
        inside &= launches["end_ns"] <= phases["end_ns"][step] + error
        assert int(inside.sum()) == 2


def test_launches_of_one_handle_are_told_apart() -> None:
    with lanescope.cuda.record(cores=16) as rec:
        handle = np.uint64(rec.launch("again"))
        for cores in (16, 4, 16):
            kernel("flood")((cores,), (32,), (np.uint32(50), handle))
        wait()
    assert rec.trace.text("launches", "name") == ["again"] * 3
    assert rec.trace.launches["call"].tolist() == [1, 1, 1]
    assert rec.trace.launches["blocks"].tolist() == [16, 4, 16]


def test_every_replay_of_a_graph_is_a_launch() -> None:
    module = cupy()
    run = kernel("flood")
    run((8,), (32,), (np.uint32(1), np.uint64(0)))  # it is loaded before the capture
    stream = module.cuda.Stream(non_blocking=True)
    with lanescope.cuda.record(cores=8) as rec:
        first, second = np.uint64(rec.launch("first")), np.uint64(rec.launch("second"))
        with stream:
            stream.begin_capture()
            run((8,), (32,), (np.uint32(50), first))
            run((8,), (32,), (np.uint32(50), second))
            graph = stream.end_capture()
        for _ in range(5):
            graph.launch(stream)
        stream.synchronize()
    trace = rec.trace
    assert trace.text("launches", "name") == ["first", "second"] * 5
    assert trace.launches["blocks"].tolist() == [8] * 10
    assert np.unique(trace.tasks["launch"], return_counts=True)[1].tolist() == [400] * 10
    assert closes(trace)


def test_handles_of_all_numbers_work_and_begin_again() -> None:
    """More launches than there are numbers, each of one CTA with one task."""
    count = 33_000
    with lanescope.cuda.record(cores=1, buffer_records=8) as rec:
        run = kernel("flood", 8)
        for number in range(count):
            run((1,), (32,), (np.uint32(1), np.uint64(rec.launch(f"n{number % 10}"))))
        wait()
    trace = rec.trace
    assert closes(trace)
    assert trace.launches["launch"].tolist() == list(range(1, count + 1))
    assert trace.text("launches", "name") == [f"n{number % 10}" for number in range(count)]
    assert len(trace.tasks) == count
