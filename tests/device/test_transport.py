"""Transports: a shadow copy moves what it is told, and never writes what the device owns."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from tests.device.copies import shadow_of

from lanescope.device.flags import level_features
from lanescope.device.head import Core
from lanescope.device.layouts import layout
from lanescope.device.region import Region, RegionConfig, create_region
from lanescope.device.shadow import ShadowCopy
from lanescope.device.transport import SharedMapping

LANE = layout("ls_lane")


@pytest.fixture
def region(tmp_path: Path) -> Region:
    config = RegionConfig(flags=level_features(2), cores=(Core("aic"),) * 2, buffer_records=4)
    return create_region(tmp_path / "region", config)


def offset_of(region: Region, lane: int, field: str) -> int:
    inside = LANE.fields[field][1]  # type: ignore[index]
    return int(region.head.header["lanes"]) + lane * LANE.itemsize + int(inside)


def test_a_shared_mapping_is_the_region_itself(region: Region) -> None:
    transport = SharedMapping(region.memory)
    assert transport.image.ctypes.data == region.address == transport.pointer
    assert not transport.copies


def test_a_shadow_sees_the_device_only_where_it_reads(region: Region) -> None:
    shadow = shadow_of(region.memory)
    at = offset_of(region, 1, "published")
    region.lanes["published"][1] = 5
    assert shadow.image[at] == 0
    shadow.read((at, 8))
    assert shadow.image[at] == 5


def test_only_released_words_are_written_back(region: Region) -> None:
    shadow = shadow_of(region.memory)
    shadow.image[:] = 0xAA
    shadow.write(offset_of(region, 2, "released"))
    assert int(region.lanes["released"][2]) == 0xAAAAAAAAAAAAAAAA
    assert region.lanes["released"][[0, 1, 3]].tolist() == [0, 0, 0]
    for field in ("recorded", "dropped", "opened", "published", "segment", "kind"):
        with pytest.raises(ValueError, match="belongs to the device"):
            shadow.write(offset_of(region, 2, field))


@pytest.mark.parametrize(("lane", "shift"), [(0, -8), (0, 4), (0, 16), (4, 0), (-1, 0)])
def test_no_word_but_those_of_the_host_passes(region: Region, lane: int, shift: int) -> None:
    with pytest.raises(ValueError, match="belongs to the device"):
        shadow_of(region.memory).write(offset_of(region, lane, "released") + shift)


def test_the_devices_counters_are_never_rolled_back(region: Region) -> None:
    """While the device counts up, the host reads the lanes and writes what it owns."""
    shadow = shadow_of(region.memory)
    start, size = int(region.head.header["lanes"]), region.head.lane_bytes
    stop = threading.Event()
    seen: list[bool] = []

    def device() -> None:
        for count in range(1, 20_001):
            region.lanes["published"][0] = count
            seen.append(int(region.lanes["published"][0]) == count)
        stop.set()

    thread = threading.Thread(target=device)
    thread.start()
    while not stop.is_set():
        shadow.read((start, size))
        lanes = shadow.image[start : start + size].view(LANE)
        lanes["released"] = lanes["published"]
        for lane in range(len(lanes)):
            shadow.write(offset_of(region, lane, "released"))
    thread.join()
    assert all(seen)
    assert int(region.lanes["published"][0]) == 20_000
    assert not np.any(region.lanes["published"][1:])


def test_a_region_is_valid_only_when_all_of_it_is_there(region: Region) -> None:
    """The memory is cleared, then comes all but the magic number, and then the magic number."""
    size, prefix = len(region.memory), int(region.head.header["prefix_bytes"])
    device = np.full(size + 10, 0xAA, np.uint8)
    pushed: list[tuple[int, int]] = []

    def pull(offset: int, target: memoryview) -> None:
        target[:] = device[offset : offset + len(target)].tobytes()

    def push(offset: int, data: memoryview) -> None:
        pushed.append((offset, len(data)))
        device[offset : offset + len(data)] = np.frombuffer(data, np.uint8)

    shadow = ShadowCopy(pull, push, size=len(device))
    shadow.place(region.memory[:prefix], size)
    assert pushed[-2:] == [(8, prefix - 8), (0, 8)]
    assert sum(count for _, count in pushed[:-2]) == size
    assert device[:prefix].tolist() == region.memory[:prefix].tolist()
    assert not device[prefix:size].any()
    assert (device[size:] == 0xAA).all(), "what is behind the region is not its own"
    assert len(shadow.image) == size
