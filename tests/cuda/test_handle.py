"""Handles of kernels that run at once: which lanes each has, and how much memory it takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cuda.stand_in import StandIn
from tests.cuda.test_stand_in import ADDRESS, gpu

import lanescope
from lanescope.cuda import driver, host
from lanescope.cuda.handle import Handles, grid_sizes
from lanescope.device.flags import level_features
from lanescope.device.head import Core, Head
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import LanescopeError, UsageError

__all__ = ["gpu"]

HANDLE, LANE = layout("ls_handle"), layout("ls_handle_lane")


def head_of(folder: Path, *, pipes: int = 2, on_full: str = "block") -> Head:
    config = RegionConfig(
        flags=level_features(1),
        cores=(Core("sm"),) * 5,
        pipes=pipes,
        buffer_records=20,
        clock_hz=1_000_000_000,
        on_full=on_full,
    )
    return create_region(folder / "region", config).head


def lanes_of(gpu: StandIn, address: int, count: int) -> list[int]:
    """The lanes that a handle in device memory names."""
    block = np.frombuffer(gpu.memory[address], np.uint8)
    lanes = block[HANDLE.itemsize : HANDLE.itemsize + count * LANE.itemsize].view(LANE)
    found: list[int] = lanes["next.lane"].tolist()
    return found


def test_each_kernel_has_lanes_of_its_own_in_a_row(gpu: StandIn, tmp_path: Path) -> None:
    handles = Handles(head_of(tmp_path), 1 << 40, (2, 1, 2))
    assert len(handles) == 3
    found = [lanes_of(gpu, handles[grid].address, 2 * n) for grid, n in enumerate((2, 1, 2))]
    assert found == [[0, 1, 2, 3], [4, 5], [6, 7, 8, 9]]
    handles.close()
    assert gpu.memory == {}


@pytest.mark.parametrize("grid", [-1, 3, 4])
def test_a_grid_that_was_not_asked_for_is_refused(grid: int, gpu: StandIn, tmp_path: Path) -> None:
    handles = Handles(head_of(tmp_path), 1 << 40, (2, 1, 2))
    with pytest.raises(UsageError) as found:
        handles[grid]
    assert str(found.value) == (
        f"expected a grid from 0 to 2, found {grid}; record(cores=(…)) has a number for each"
    )


def test_what_all_kernels_were_refused_is_added_up(gpu: StandIn, tmp_path: Path) -> None:
    handles = Handles(head_of(tmp_path), 1 << 40, (2, 3))
    assert HANDLE.fields is not None
    at = HANDLE.fields["refused"][1]
    for grid, count in enumerate((5, 7)):
        gpu.memory[handles[grid].address][at] = count
    assert [handles[grid].refused() for grid in range(2)] == [5, 7]
    assert handles.refused() == 12


def test_a_handle_has_room_for_its_lanes_and_one_buffer(gpu: StandIn, tmp_path: Path) -> None:
    """A slice that finds no lane goes into that buffer."""
    head = head_of(tmp_path)
    records = int(head.lanes["buffer_records"][0])
    Handles(head, 1 << 40, (2, 3))
    rest = records * layout("ls_slice").itemsize
    sizes = [HANDLE.itemsize + count * LANE.itemsize + rest for count in (4, 6)]
    assert [one[-1] for one in gpu.given("cuMemAlloc_v2")] == sizes
    assert [len(block) for block in gpu.memory.values()] == sizes


@pytest.mark.parametrize(("on_full", "code"), [("block", 0), ("drop", 1)])
def test_a_handle_says_what_a_full_lane_does(
    on_full: str, code: int, gpu: StandIn, tmp_path: Path
) -> None:
    address = Handles(head_of(tmp_path, on_full=on_full), 0, (5,))[0].address
    block = np.frombuffer(gpu.memory[address], np.uint8)[: HANDLE.itemsize].view(HANDLE)
    assert int(block["on_full"][0]) == code


@pytest.mark.parametrize(
    ("cores", "grids"),
    [(5, (5,)), ([1], (1,)), ((1, 1), (1, 1)), ([2, 3, 1], (2, 3, 1))],
)
def test_a_number_of_ctas_is_one_grid_and_several_are_several(
    cores: int | list[int], grids: tuple[int, ...]
) -> None:
    assert grid_sizes(cores) == grids


@pytest.mark.parametrize("cores", [0, -1, (), (0,), (2, 0), (0, 2), (1, -1, 4)])
def test_every_grid_has_a_cta(cores: int | tuple[int, ...], gpu: StandIn) -> None:
    with pytest.raises(UsageError) as found:
        lanescope.cuda.record(cores=cores)
    assert str(found.value) == f"expected numbers of CTAs from 1 on for cores, found {cores}"


def test_a_recording_of_several_kernels_has_a_handle_for_each(gpu: StandIn) -> None:
    with lanescope.cuda.record(cores=(2, 1), buffer_records=16) as recorder:
        first, second = recorder.handles
        assert [handle >> 48 for handle in (first, second)] == [1, 2]
        assert lanes_of(gpu, first & ADDRESS, 2) == [0, 1]
        assert lanes_of(gpu, second & ADDRESS, 1) == [2]
        assert recorder.launch(grid=1) == (3 << 48) + (second & ADDRESS)
        assert recorder.launch("gemm") == (4 << 48) + (first & ADDRESS)
        with pytest.raises(UsageError, match="expected a grid from 0 to 1, found 2;"):
            recorder.launch(grid=2)
    with pytest.raises(UsageError, match="the recording has ended"):
        _ = recorder.handles
    assert gpu.memory == {}


@pytest.mark.parametrize(
    "name",
    [
        *("cuMemHostGetDevicePointer_v2", "cuModuleLoadData", "cuModuleGetFunction"),
        *("cuStreamCreate", "cuLaunchKernel", "cuMemAlloc_v2", "cuMemcpyHtoD_v2"),
    ],
)
def test_a_recording_that_cannot_begin_leaves_nothing_behind(
    name: str, gpu: StandIn, tmp_path: Path
) -> None:
    gpu.fails[name] = 700
    with pytest.raises(LanescopeError, match=f"refused {name}: error 700"):
        lanescope.cuda.record(cores=1, directory=tmp_path / "here")
    assert not (tmp_path / "here").exists()
    assert gpu.memory == {}
    mapped = [one[0] for one in gpu.given("cuMemHostRegister_v2")]
    assert sorted(one[0] for one in gpu.given("cuMemHostUnregister")) == sorted(mapped)
    for made, gone in (
        ("cuModuleLoadData", "cuModuleUnload"),
        ("cuStreamCreate", "cuStreamDestroy_v2"),
    ):
        assert gpu.names().count(gone) == gpu.names().count(made) - (made == name)


def test_the_handles_before_one_that_cannot_be_made_are_freed(
    gpu: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocate, rooms = driver.allocate, iter([True])

    def once(size: int) -> int:
        if not next(rooms, False):
            raise LanescopeError("no memory")
        return allocate(size)

    monkeypatch.setattr(driver, "allocate", once)
    with pytest.raises(LanescopeError, match="no memory"):
        Handles(head_of(tmp_path), 1 << 40, (2, 1))
    assert gpu.names().count("cuMemFree_v2") == 1
    assert gpu.memory == {}


@pytest.mark.parametrize("cores", [65_537, (65_536, 1)])
def test_a_region_that_cannot_be_made_leaves_no_folder(
    cores: int, gpu: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "MEMORY_FOLDER", tmp_path)
    with pytest.raises(UsageError, match="65536"):
        lanescope.cuda.record(cores=cores)
    assert list(tmp_path.iterdir()) == []
