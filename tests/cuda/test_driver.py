"""What is asked of the driver, with a stand-in for it: flags, sizes, the device that is meant."""

from __future__ import annotations

from typing import Any

import pytest
from tests.cuda.stand_in import StandIn
from tests.cuda.test_stand_in import gpu

from lanescope.cuda import driver
from lanescope.cuda.budget import KernelBudget, kernel_budget
from lanescope.cuda.kernel import find_gpu
from lanescope.errors import LanescopeError, UsageError

__all__ = ["gpu"]


def test_a_code_without_a_text_is_an_unknown_error(gpu: StandIn) -> None:
    gpu.fails |= {"cuGetErrorString": 1, "cuCtxSynchronize": 999}
    with pytest.raises(LanescopeError) as found:
        driver.synchronize()
    assert str(found.value) == "the GPU's driver refused cuCtxSynchronize: unknown error"


def test_a_driver_without_a_gpu_says_what_shows_them(gpu: StandIn) -> None:
    gpu.fails["cuInit"] = 100
    with pytest.raises(UsageError) as found:
        driver.use_context()
    assert str(found.value) == (
        "NVIDIA's driver found no GPU that it can use (error 100); nvidia-smi shows which there are"
    )


def test_the_gpu_is_that_of_the_threads_context(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def third(own: StandIn, device: Any) -> None:
        device._obj.value = 3

    monkeypatch.setattr(StandIn, "_cuCtxGetDevice", third, raising=False)
    assert driver.use_context() == driver.Gpu("Stand-in", 116)
    assert gpu.given("cuDeviceGetName")[-1][-2:] == (128, 3)
    assert gpu.given("cuDeviceGetAttribute") == [(16, 3)]
    assert gpu.given("cuInit") == [(0,)]
    assert "cuDeviceGet" not in gpu.names()


def test_a_thread_without_a_context_retains_that_of_the_device_it_gets(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def second(own: StandIn, device: Any, number: int) -> None:
        device._obj.value = 2 + number

    monkeypatch.setattr(StandIn, "_cuDeviceGet", second, raising=False)
    gpu._context = None
    driver.use_context()
    assert gpu.given("cuDevicePrimaryCtxRetain") == [(2,)]
    assert gpu.given("cuCtxSetCurrent") == [(78,)]
    assert gpu._context == 78


@pytest.mark.parametrize("ask", [driver.use_context, find_gpu])
def test_a_name_has_as_much_room_as_is_told(
    ask: Any, gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms: list[tuple[int, int]] = []

    def named(own: StandIn, name: Any, size: int, device: Any) -> None:
        rooms.append((len(name), size))
        name.value = b"\xffStand-in"

    monkeypatch.setattr(StandIn, "_cuDeviceGetName", named)
    assert ask().name == "�Stand-in"
    assert rooms == [(128, 128)]


def test_mapped_memory_has_the_address_that_the_gpu_has_for_it(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(own: StandIn, mapped: Any, address: Any, flags: int) -> None:
        mapped._obj.value = address.value + 0x1000 + flags

    monkeypatch.setattr(StandIn, "_cuMemHostGetDevicePointer", elsewhere)
    assert driver.map_host(1 << 40, 8192) == (1 << 40) + 0x1000


def test_a_launch_has_one_thread_on_a_stream_of_its_own(
    gpu: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[tuple[Any, ...]] = []

    def created(own: StandIn, stream: Any, flags: int) -> None:
        stream._obj.value = 70 + flags

    def noted(own: StandIn, function: Any, *given: Any) -> None:
        launched.append((function.value, *(one.value for one in given[:8]), len(given[8])))

    monkeypatch.setattr(StandIn, "_cuStreamCreate", created, raising=False)
    monkeypatch.setattr(StandIn, "_cuLaunchKernel", noted)
    stream = driver.Stream()
    stream.launch(driver.c_void_p(5), driver.c_uint64(1), driver.c_uint64(2), driver.c_uint64(3))
    assert launched == [(5, 1, 1, 1, 1, 1, 1, 0, 71, 3)]
    stream.close()
    assert gpu.names()[-2:] == ["cuStreamSynchronize", "cuStreamDestroy_v2"]
    assert gpu.given("cuStreamDestroy_v2") == gpu.given("cuStreamSynchronize") == [(71,)]


def test_a_budget_is_of_a_launch_without_more_memory_in_the_threads_context(gpu: StandIn) -> None:
    assert kernel_budget(b"image", "kernel", 128) == KernelBudget(1004, 1003, 1001, 16)
    assert gpu.given("cuOccupancyMaxActiveBlocksPerMultiprocessor")[0][-2:] == (128, 0)
    names = gpu.names()
    assert names.index("cuCtxGetCurrent") < names.index("cuModuleLoadData")


def test_a_kernel_that_cannot_be_asked_is_unloaded(gpu: StandIn) -> None:
    gpu.fails["cuFuncGetAttribute"] = 1
    with pytest.raises(LanescopeError, match=r"refused cuFuncGetAttribute: error 1$"):
        kernel_budget(b"image", "kernel", 128)
    assert gpu.names()[-1] == "cuModuleUnload"
