"""Recording with a stand-in for NVIDIA's driver: every call, the clocks, names, and the end."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.capture.test_slices import buffer, clock_block
from tests.cuda.stand_in import BEHIND_NS, StandIn

import lanescope
from lanescope.cuda import clock, driver
from lanescope.cuda.budget import KernelBudget, kernel_budget
from lanescope.cuda.clock import ROUNDS, ClockAnchor, fit_clock
from lanescope.cuda.host import host_clock
from lanescope.cuda.names import NAME_ROOM, Names
from lanescope.cuda.watchdog import movement
from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout, now_place
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import LanescopeError, UsageError
from lanescope.trace import HostClock, Meta
from lanescope.trace.flags import Feature


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    own = StandIn()
    lanescope.native.library()  # lanescope's own, loaded the same way
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: own)
    yield own
    driver._library.cache_clear()


def test_a_thread_without_a_context_gets_the_first_gpus_primary_one(gpu: StandIn) -> None:
    assert driver.use_context() == driver.Gpu("Stand-in", 116)
    assert gpu.given("cuInit") == [(0,)]
    assert "cuDevicePrimaryCtxRetain" not in gpu.names()
    gpu._context = None
    driver.use_context()
    assert gpu.given("cuDeviceGet") == [(0,)]
    assert gpu.given("cuCtxSetCurrent") == [(78,)]
    assert gpu.given("cuDeviceGetName")[0][-2:] == (128, 0)


def test_a_driver_that_finds_no_gpu_is_one_sentence(gpu: StandIn) -> None:
    gpu.fails["cuInit"] = 100
    with pytest.raises(UsageError, match=r"found no GPU that it can use \(error 100\); nvidia-smi"):
        driver.use_context()


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
    monkeypatch.setattr(clock, "_GIVE_UP_S", 0.0)
    gpu._ping = lambda mailbox, rounds: None  # type: ignore[method-assign]
    with pytest.raises(LanescopeError, match="the GPU did not answer within 2 s"):
        fit_clock()
    assert gpu.names()[-2:] == ["cuModuleUnload", "cuMemHostUnregister"]


def test_an_answer_lies_between_two_readings_of_the_hosts_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readings = iter([1000, 1007])
    monkeypatch.setattr(clock.time, "time_ns", lambda: next(readings))
    words = np.array([0, 555, ROUNDS], np.uint64)
    assert clock._ask(words, 3) == ClockAnchor(555, 1003, 4)
    assert words[0] == 3


def test_two_moments_make_a_line() -> None:
    """The host's clock runs 1 % faster; the trace begins half a second after the first moment."""
    told = HostClock(host_ns=7, drift_ppb=0, error_ns=1, status="calibrated")
    base = {"tool": "t", "origin": "measured", "host_clock": told}
    meta = Meta(name="a", base_cycles=1_500_000_000, **base)  # type: ignore[arg-type]
    first = ClockAnchor(1_000_000_000, 50_000_000_000, 30)
    last = ClockAnchor(2_000_000_000, 51_010_000_000, 20)
    assert host_clock(meta, first, last) == HostClock(
        host_ns=50_505_000_000, drift_ppb=10_000_000, error_ns=30, status="calibrated"
    )
    for other in (None, first, ClockAnchor(999_999_999, 1, 1)):
        assert host_clock(meta, first, other) == told
    bare = Meta(name="a", tool="t", origin="measured")
    assert host_clock(bare, first, last) is None


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
    for number in range(NAME_ROOM - 5):
        names.number(f"f{number}", 0)
    assert names.number("f0", 0) == 2
    with pytest.raises(UsageError, match=f"there is room for {NAME_ROOM} names"):
        names.number("one more", 0)


def written(recorder: lanescope.cuda.Recorder) -> None:
    """One buffer of the first lane with a task and a mark, as a kernel leaves it."""
    region = recorder._region
    now = recorder._first.device_ns
    block = clock_block(start_ns=now, open_ns=now, close_ns=now + 1_000_000)
    data = buffer((300, 100, 9, (1 << 15)), (400, 300, 9, 0), clock=block)
    at = int(region.lanes["buffers"][0])
    region.memory[at : at + len(data)] = data
    region.lanes["recorded"][0], region.lanes["opened"][0] = 6, 1
    region.lanes["published"][0] = 1


def test_a_recording_from_its_begin_to_its_trace(gpu: StandIn, tmp_path: Path) -> None:
    recorder = lanescope.cuda.record(cores=2, buffer_records=16, name="run", core_swimlane=True)
    folder = recorder._session.directory.parent
    assert (recorder.function("gemm"), recorder.mark("load")) == (0, 0)
    assert recorder.handle in gpu.memory
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
