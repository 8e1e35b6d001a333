"""A kernel whose CTAs are all resident, with a stand-in for NVIDIA's driver: room and launches."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from tests.cuda.stand_in import StandIn

import lanescope.native
from lanescope.cuda import driver
from lanescope.cuda.kernel import DeviceMemory, Properties, ResidentKernel, find_gpu
from lanescope.errors import LanescopeError, UsageError

GPU = Properties("Test GPU", 3, 9, 0, 100_000, 61_024, True)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    own = StandIn()
    lanescope.native.library()  # lanescope's own, loaded the same way
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: own)
    yield own
    driver._library.cache_clear()


def resident(shared_bytes: int, gpu: Properties = GPU) -> ResidentKernel:
    return ResidentKernel(b"code", "work", gpu=gpu, shared_bytes=shared_bytes)


def test_the_properties_of_the_first_gpu_are_asked_by_attribute(calls: StandIn) -> None:
    """The stand-in answers attribute n with 100 + n; the numbers are those of cuda.h."""
    assert find_gpu() == Properties("Stand-in", 116, 175, 176, 181, 197, True)
    assert calls.given("cuDeviceGet") == [(0,)]
    assert GPU.arch == "sm_90"


def test_an_array_goes_to_the_gpu_and_comes_back(calls: StandIn) -> None:
    memory, sent, back = DeviceMemory(), np.arange(5, dtype=np.int32), np.zeros(5, np.int32)
    address = memory.allocate(20)
    memory.write(address, sent)
    memory.read(address, back)
    assert back.tolist() == [0, 1, 2, 3, 4]
    assert [one[-1] for one in calls.given("cuMemcpyDtoH_v2")] == [20]
    memory.free(address)
    assert calls.memory == {}


@pytest.mark.parametrize(
    ("asked", "has"), [(0, 50_000), (49_999, 50_000), (50_001, 50_001), (60_000, 60_000)]
)
def test_a_cta_has_half_of_an_sms_shared_memory_or_more(
    calls: StandIn, asked: int, has: int
) -> None:
    kernel = resident(asked)
    assert kernel.shared_bytes == has
    assert calls.given("cuFuncSetAttribute")[0][-2:] == (8, has)
    assert calls.given("cuModuleLoadData") == [(b"code",)]
    assert calls.given("cuModuleGetFunction")[0][-1] == b"work"
    kernel.close()
    assert calls.names()[-1] == "cuModuleUnload"


def test_a_kernel_that_finds_no_room_is_refused(calls: StandIn) -> None:
    """Of 61,024 bytes the system keeps 1024."""
    with pytest.raises(UsageError) as found:
        resident(60_001)
    assert str(found.value) == (
        "the kernel needs 60,001 bytes of shared memory per CTA and cooperative launches; "
        "Test GPU has 60,000 bytes and has such launches"
    )
    with pytest.raises(UsageError, match="Test GPU has 60,000 bytes and lacks such launches"):
        resident(0, replace(GPU, cooperative=False))


def test_a_launch_waits_for_its_end(calls: StandIn) -> None:
    """The stand-in holds 2048 threads per SM, and the GPU has 3 SMs."""
    seen: list[int] = []

    def launched(own: StandIn, *arguments: object) -> None:
        pointers = arguments[-1]
        seen.append(ctypes.c_uint64.from_address(pointers[0]).value)  # type: ignore[index]

    kernel = resident(0)
    assert kernel.resident_ctas(1024) == 6
    assert calls.given("cuOccupancyMaxActiveBlocksPerMultiprocessor")[0][-2:] == (1024, 50_000)
    StandIn._cuLaunchCooperativeKernel = launched  # type: ignore[attr-defined]
    try:
        kernel.run(1 << 40, ctas=6, threads=1024)
    finally:
        del StandIn._cuLaunchCooperativeKernel  # type: ignore[attr-defined]
    assert seen == [1 << 40]
    assert calls.given("cuStreamCreate") == [(1,)]
    shape = next(one for one in calls.calls if one[0] == "cuLaunchCooperativeKernel")[1][1:8]
    assert shape == (6, 1, 1, 1024, 1, 1, 50_000)
    assert calls.names()[-3:] == [
        "cuLaunchCooperativeKernel",
        "cuStreamSynchronize",
        "cuStreamDestroy_v2",
    ]


def test_more_ctas_than_the_gpu_holds_are_refused(calls: StandIn) -> None:
    with pytest.raises(UsageError, match=r"^Test GPU holds 6 CTAs of this kernel at once, not 7$"):
        resident(0).run(1, ctas=7, threads=1024)
    assert "cuStreamCreate" not in calls.names()


def test_a_launch_that_fails_removes_its_stream(calls: StandIn) -> None:
    calls.fails["cuLaunchCooperativeKernel"] = 720
    with pytest.raises(LanescopeError, match="refused cuLaunchCooperativeKernel: error 720"):
        resident(0).run(1, ctas=1, threads=32)
    assert calls.names()[-2:] == ["cuGetErrorString", "cuStreamDestroy_v2"]
