"""The engine that is a GPU, with a stand-in for NVIDIA's driver: what it asks of it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cuda.stand_in import StandIn

import lanescope.native
from lanescope.cuda import driver
from lanescope.cuda.kernel import Properties
from lanescope.device.layouts import constant
from lanescope.device.region import create_region
from lanescope.platforms.cuda import engine as engines
from lanescope.platforms.cuda.engine import GpuEngine
from lanescope.platforms.cuda.machine import GpuMachine
from lanescope.platforms.cuda.recorded import region_config
from lanescope.platforms.recording import Recording
from lanescope.workloads import build_workload

GPU = Properties("Test GPU", 3, 9, 0, 200_000, 200_000, True)
MACHINE = GpuMachine(workers=2, schedulers=1)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    own = StandIn()
    lanescope.native.library()  # lanescope's own, loaded the same way
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: own)
    monkeypatch.setattr(engines, "find_gpu", lambda: GPU)
    monkeypatch.setattr(engines, "kernel_code", _code)
    yield own
    driver._library.cache_clear()


def _code(arch: str, *, slice_records: int | None) -> bytes:
    return f"{arch} {slice_records}".encode()


def test_a_job_runs_on_all_ctas_of_the_machine(calls: StandIn) -> None:
    engine = GpuEngine(MACHINE, slice_records=64)
    assert engine.name == "Test GPU"
    assert calls.given("cuModuleLoadData") == [(b"sm_90 64",)]
    assert calls.given("cuModuleGetFunction")[0][-1] == b"megakernel"
    engine.run(1 << 40)
    threads, shared = constant("LS_MEGA_THREADS"), max(MACHINE.shared_bytes(), 100_000)
    assert calls.given("cuLaunchCooperativeKernel")[0][:7] == (3, 1, 1, threads, 1, 1, shared)
    engine.close()
    assert calls.names()[-1] == "cuModuleUnload"


@pytest.mark.parametrize("core_swimlane", [False, True])
def test_a_region_is_reached_and_only_one_with_pipes_has_a_handle(
    core_swimlane: bool, calls: StandIn, tmp_path: Path
) -> None:
    recording = Recording(core_swimlane=core_swimlane)
    config = region_config(build_workload("fan", {"width": "4"}), MACHINE, recording)
    region = create_region(tmp_path / "region", config)
    engine = GpuEngine(MACHINE)
    assert engine.reach(region) == region.address
    [registered] = calls.given("cuMemHostRegister_v2")
    assert registered[:2] == (region.address, len(region.memory))
    handle = engine.handle(region, region.address)
    assert (handle is not None) is core_swimlane
    assert len(calls.memory) == int(core_swimlane)
    if handle is not None:
        assert handle.refused() == 0
        handle.close()
    engine.leave(region)
    assert calls.given("cuMemHostUnregister") == [(region.address,)]


def test_a_kernel_runs_in_the_context_of_whoever_calls(
    calls: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    monkeypatch.setattr(driver, "use_context", lambda: used.append(threading.current_thread().name))
    engine = GpuEngine(MACHINE)
    thread = threading.Thread(target=engine.run, args=(1 << 40,), name="another")
    thread.start()
    thread.join()
    assert used == [threading.current_thread().name, "another"]


def test_the_gpus_clock_is_fitted(calls: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "fit_clock", lambda: "fitted")
    found: object = GpuEngine(MACHINE).fit()
    assert found == "fitted"
