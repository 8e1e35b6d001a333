"""Recording with a stand-in for NVIDIA's driver: every call, the clocks, names, and the end."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.capture.test_slices import buffer, clock_block
from tests.cuda.stand_in import BEHIND_NS, StandIn

import lanescope
from lanescope.cuda import clock, driver
from lanescope.cuda.budget import KernelBudget, kernel_budget
from lanescope.cuda.clock import fit_clock
from lanescope.cuda.names import NAME_ROOM, Names
from lanescope.cuda.watchdog import movement
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.layouts import constant, layout, now_place
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import LanescopeError, UsageError
from lanescope.trace.flags import Feature

ADDRESS = (1 << 48) - 1
"""The bits of a handle that are an address."""


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    own = StandIn()
    lanescope.native.library()  # lanescope's own, loaded the same way
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: own)
    yield own
    driver._library.cache_clear()


def test_a_call_that_is_refused_names_the_call_and_the_reason(gpu: StandIn) -> None:
    gpu.fails["cuCtxSynchronize"] = 719
    with pytest.raises(LanescopeError, match=r"^the GPU's driver refused cuCtxSynchronize: error"):
        driver.synchronize()


def test_memory_is_mapped_copied_and_freed(gpu: StandIn) -> None:
    assert driver.map_host(4096, 8192) == 4096
    assert gpu.given("cuMemHostRegister_v2") == [(4096, 8192, 3)]
    driver.unmap_host(4096)
    assert gpu.given("cuMemHostUnregister") == [(4096,)]
    address = driver.allocate(64)
    driver.write_device(address + 8, b"twelve bytes")
    assert driver.read_device(address + 8, 12) == b"twelve bytes"
    driver.free(address)
    assert gpu.memory == {}


def test_what_a_kernel_needs_is_asked_by_attribute(gpu: StandIn) -> None:
    """Attributes 4, 3 and 1 are registers, local and shared bytes (cuda.h)."""
    found = kernel_budget(b"image", "kernel", 256, dynamic_bytes=99)
    assert found == KernelBudget(1004, 1003, 1001, 8)
    assert gpu.names()[-1] == "cuModuleUnload"
    assert gpu.given("cuModuleGetFunction")[0][-1] == b"kernel"
    assert gpu.given("cuOccupancyMaxActiveBlocksPerMultiprocessor")[0][-2:] == (256, 99)


def test_the_clock_is_the_answer_with_the_smallest_error(gpu: StandIn) -> None:
    fit = fit_clock()
    assert abs(fit.unix_ns - BEHIND_NS - fit.device_ns) <= fit.error_ns + 1
    assert abs(fit.unix_ns - time.time_ns()) < 60_000_000_000
    grid = next(one for one in gpu.calls if one[0] == "cuLaunchKernel")[1][1:8]
    assert grid == (1, 1, 1, 1, 1, 1, 0)
    assert gpu.given("cuStreamCreate") == [(1,)]
    order = [name for name in gpu.names() if name in ("cuLaunchKernel", "cuStreamDestroy_v2")]
    assert order == ["cuLaunchKernel", "cuStreamDestroy_v2"]
    assert gpu.names()[-2:] == ["cuModuleUnload", "cuMemHostUnregister"]


def test_a_gpu_that_does_not_answer_is_given_up(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel is told to end: it sees the number of the last question."""
    asked: list[int] = []
    boxes: list[int] = []

    def ended(own: StandIn, stream: object) -> None:
        asked.append(ctypes.c_uint64.from_address(boxes[0]).value)

    monkeypatch.setattr(clock, "_GIVE_UP_S", 0.0)
    monkeypatch.setattr(StandIn, "_cuStreamSynchronize", ended)
    monkeypatch.setattr(
        StandIn,
        "_cuLaunchKernel",
        lambda own, function, *rest: boxes.append(ctypes.c_uint64.from_address(rest[-2][0]).value),
    )
    with pytest.raises(LanescopeError, match="the GPU did not answer within 2 s"):
        fit_clock()
    assert asked == [64]
    assert gpu.names()[-2:] == ["cuModuleUnload", "cuMemHostUnregister"]


def test_names_keep_their_numbers_and_have_a_room(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),),
        pipes=1,
        clock_hz=1_000_000_000,
        functions={2 << 16: "block"},
        name_room=NAME_ROOM,
    )
    region = create_region(tmp_path / "region", config)
    names = Names(region)
    assert [names.number(name, 0) for name in ("gemm", "norm", "gemm")] == [0, 1, 0]
    assert [names.number(name, 1 << 16) for name in ("gemm", "load")] == [0, 1]
    assert names.number("block", 2 << 16) == 0
    assert region.fresh_head().functions == {
        0: "gemm",
        1: "norm",
        1 << 16: "gemm",
        (1 << 16) + 1: "load",
        2 << 16: "block",
    }
    long = "x" * 58 + "é"
    assert names.number(long, 0) == 2
    assert region.fresh_head().functions[2] == "x" * 58
    for number in range(NAME_ROOM - 6):
        names.number(f"f{number}", 0)
    assert names.number("f0", 0) == 3
    with pytest.raises(UsageError, match=f"there is room for {NAME_ROOM} names"):
        names.number("one more", 0)


def written(recorder: lanescope.cuda.Recorder, launch: int = 0) -> None:
    """One buffer of the first lane with a task and a mark, as a kernel leaves it."""
    region = recorder._region
    now = recorder._first.device_ns
    times = {"start_ns": now, "open_ns": now, "close_ns": now + 1_000_000}
    block = clock_block(**times, launch=launch)
    data = buffer((300, 100, 9, (1 << 15)), (400, 300, 9, 0), clock=block)
    at = int(region.lanes["buffers"][0])
    region.memory[at : at + len(data)] = data
    region.lanes["recorded"][0], region.lanes["opened"][0] = 6, 1
    region.lanes["published"][0] = 1


def test_a_recording_from_its_begin_to_its_trace(gpu: StandIn, tmp_path: Path) -> None:
    recorder = lanescope.cuda.record(cores=2, buffer_records=16, name="run", core_swimlane=True)
    folder = recorder._session.directory.parent
    assert (recorder.function("gemm"), recorder.mark("load")) == (0, 0)
    assert recorder.handle & ADDRESS in gpu.memory
    header = recorder._region.fresh_head().header
    assert int(header["clock_cycles"]) == recorder._first.device_ns
    assert int(header["clock_unix_ns"]) == recorder._first.unix_ns
    assert int(header["flags"]) & Feature.CORE_SWIMLANE
    with recorder:
        with pytest.raises(UsageError, match="the trace is there after the end"):
            _ = recorder.trace
        written(recorder)
        while not recorder.live().records:
            time.sleep(0.001)
        live = recorder.live()
        assert (live.records, live.dropped, live.waiting) == (2, 0, 0)
        assert live.spool_bytes > 0
        assert recorder.flight().running
    assert not recorder.flight().running
    trace = recorder.trace
    assert recorder.trace is trace
    assert (trace.meta.name, trace.text("functions", "name")) == ("run", ["gemm"])
    assert trace.text("marks", "name") == ["load"]
    assert trace.meta.host_clock is not None
    assert trace.meta.notes == ()
    assert gpu.memory == {}
    assert not folder.exists() or not (folder / "cuda.capture").exists()


def test_a_recording_has_one_core_per_sm_and_lanes_of_slices_alone(gpu: StandIn) -> None:
    """The stand-in has 116 SMs; a buffer holds the records and the clock block of 4."""
    recorder = lanescope.cuda.record()
    head = recorder._region.fresh_head()
    wanted = {
        "flags": int(level_features(1)),
        "core_count": 116,
        "pipe_count": 1,
        "scheduler_count": 0,
        "orchestrator_count": 0,
        "clock_hz": 1_000_000_000,
        "host_lost_cycles": 30_000_000_000,
        "func_shift": constant("LS_FUNC_SHIFT"),
        "on_full": 0,
    }
    assert {name: int(head.header[name]) for name in wanted} == wanted
    assert head.functions == {2 << 16: "block"}
    assert set(head.lanes["buffer_count"].tolist()) == {8}
    records = constant("LS_SLICE_RECORDS") + 4
    assert set(head.lanes["buffer_records"].tolist()) == {records}
    assert (len(recorder._session._threads), recorder._watchdog) == (1, None)
    recorder.discard()


def test_a_recording_is_made_as_it_was_asked_for(gpu: StandIn, tmp_path: Path) -> None:
    recorder = lanescope.cuda.record(
        cores=3,
        pipes=("load", "math"),
        buffer_records=20,
        buffers=2,
        on_full="drop",
        host_lost_s=2.0,
        collectors=2,
        directory=tmp_path / "kept",
        watchdog_s=5.0,
    )
    head = recorder._region.fresh_head()
    assert head.functions == {2 << 16: "load", (2 << 16) + 1: "math"}
    assert int(head.header["on_full"]) == 1
    assert int(head.header["host_lost_cycles"]) == 2_000_000_000
    assert [set(head.lanes[name].tolist()) for name in ("buffer_count", "buffer_records")] == [
        {2},
        {24},
    ]
    assert (len(head.lanes), len(recorder._session._threads)) == (6, 2)
    with recorder:
        assert recorder._watchdog is not None and recorder._watchdog._thread.is_alive()
    assert not recorder._watchdog._thread.is_alive()
    _ = recorder.trace
    del recorder
    gc.collect()
    assert (tmp_path / "kept").is_dir()


def test_a_folder_of_its_own_is_gone_with_the_recording(gpu: StandIn) -> None:
    recorder = lanescope.cuda.record(cores=1, buffer_records=16)
    folder = recorder._session.directory.parent
    assert folder.is_dir() and folder.name.startswith("lanescope-")
    del recorder
    gc.collect()
    assert not folder.exists()


def test_a_recording_that_has_ended_gives_no_handle(gpu: StandIn) -> None:
    recorder = lanescope.cuda.record(cores=1, buffer_records=16)
    with recorder:
        block = gpu.memory[recorder.handle & ADDRESS]
        block[:] = bytes(len(block))
        block[layout("ls_handle").fields["refused"][1]] = 7  # type: ignore[index]
    with pytest.raises(UsageError, match="the recording has ended; launch kernels inside"):
        _ = recorder.handle
    [note] = recorder.trace.meta.notes
    assert note.startswith("Kernels asked 7 times for a lane that did not exist, was in use or")


def test_lanes_that_wait_and_drop_are_seen_while_kernels_run(gpu: StandIn) -> None:
    recorder = lanescope.cuda.record(cores=3, buffer_records=16, buffers=2)
    lanes = recorder._region.lanes
    lanes["opened"][:], lanes["released"][:], lanes["dropped"][:] = [1, 2, 3], [0, 0, 2], [0, 4, 5]
    live = recorder.live()
    assert (live.records, live.dropped, live.waiting) == (0, 9, 1)
    recorder.discard()


def test_a_watchdog_keeps_and_prints_what_every_lane_does(
    gpu: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder = lanescope.cuda.record(cores=1, buffer_records=16)
    assert recorder.hung is None
    recorder._bark(1.26)
    assert recorder.hung is not None and recorder.hung.running
    first, *_ = capsys.readouterr().err.splitlines()
    assert first == "lanescope: no lane has moved for 1.3 s."
    recorder.discard()


def test_a_kernel_that_failed_leaves_its_records_and_what_every_lane_did(gpu: StandIn) -> None:
    recorder = lanescope.cuda.record(cores=1, buffer_records=16)
    with recorder:
        written(recorder)
        gpu.fails["cuCtxSynchronize"] = 700
    notes = recorder.trace.meta.notes
    said = "The kernel did not end well: the GPU's driver refused cuCtxSynchronize: error 700."
    assert said in notes
    assert len(recorder.trace.tasks) == 1
    assert any(note.startswith("1 lanes, ") or "1 of 1" in note for note in notes)


def test_memory_that_the_gpu_cannot_reach_leaves_nothing_behind(
    gpu: StandIn, tmp_path: Path
) -> None:
    gpu.fails["cuMemHostRegister_v2"] = 801
    with pytest.raises(LanescopeError, match=r"the GPU cannot write there .*choose a directory"):
        lanescope.cuda.record(cores=1, directory=tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_a_lane_moves_with_every_record(tmp_path: Path) -> None:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),) * 2,
        pipes=1,
        buffers=2,
        buffer_records=16,
        clock_hz=1_000_000_000,
    )
    region = create_region(tmp_path / "region", config)
    assert movement(region) == 0
    now = layout("ls_slice_now")
    at = int(region.head.header["lanes"]) + layout("ls_lane").itemsize + now_place()
    region.memory[at : at + now.itemsize].view(now)["held_cycles"] = 5
    region.lanes["opened"][1] = 3
    begun = movement(region)
    assert begun == movement(region) != 0
    lane = region.lanes[1]
    first = int(lane["buffers"])
    region.memory[first + int(lane["buffer_stride"])] ^= 1
    assert movement(region) == begun, "the newest buffer is in the first place of the ring"
    region.memory[first + int(lane["buffer_stride"]) - 1] ^= 1
    assert movement(region) != begun
