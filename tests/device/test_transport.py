"""Transports: a shadow copy moves what it is told, and never writes what the device owns."""

from __future__ import annotations

import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from tests.device.copies import shadow_of

from lanescope.device import shadow, transport
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core
from lanescope.device.layouts import layout
from lanescope.device.region import Region, RegionConfig, create_region
from lanescope.device.shadow import ShadowCopy
from lanescope.device.transport import SharedMapping, require_host_word, require_room, word_offset
from lanescope.errors import UsageError

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


def lines(size: int, *, behind: int = 0) -> Array:
    """Memory that begins so many bytes behind a multiple of 64."""
    whole = np.full(size + 128, 0xAA, np.uint8)
    first = -int(whole.ctypes.data) % 64 + behind
    return whole[first : first + size]


def test_shared_memory_may_have_another_address_for_the_device() -> None:
    memory = lines(1234)
    plain, given, zero = (SharedMapping(memory, pointer=pointer) for pointer in (None, 77, 0))
    assert (plain.pointer, given.pointer, zero.pointer) == (memory.ctypes.data, 77, 0)
    assert (plain.name, plain.note, plain.copies) == ("shared memory of 1,234 bytes", "", False)


def test_memory_that_cannot_be_written_is_refused() -> None:
    memory = lines(64)
    memory.flags.writeable = False
    with pytest.raises(UsageError) as found:
        SharedMapping(memory)
    assert str(found.value) == (
        "expected memory that can be written, found shared memory of 64 bytes, read-only"
    )


@pytest.mark.parametrize("behind", [1, 32, 63])
def test_memory_off_a_line_is_refused(behind: int) -> None:
    with pytest.raises(UsageError) as found:
        SharedMapping(lines(64, behind=behind))
    assert str(found.value) == (
        f"expected shared memory of 64 bytes at a multiple of 64, found it {behind} bytes behind "
        "one; a line of a region must be one line of the cache"
    )


def test_a_region_may_fill_the_memory_and_no_more() -> None:
    require_room(1000, 1000, "it")
    with pytest.raises(UsageError) as found:
        require_room(1001, 1000, "it")
    assert str(found.value) == (
        "the region takes 1,001 bytes, and it has room for 1,000; take more memory, or fewer or "
        "smaller buffers"
    )
    for own in (SharedMapping(lines(1000)), ShadowCopy(print, print, size=1000)):
        with pytest.raises(UsageError, match=r"memory of 1,000 bytes has room for 1,000;"):
            own.place(np.zeros(64, np.uint8), 1001)


class Fenced(SharedMapping):
    """Notes the magic number at every fence."""

    def __init__(self, memory: Array) -> None:
        super().__init__(memory)
        self.seen: list[list[int]] = []

    def fence(self) -> None:
        self.seen.append(self.image[:8].tolist())


def test_shared_memory_is_valid_only_when_all_of_it_is_there() -> None:
    memory, head = lines(200), np.arange(1, 31, dtype=np.uint8)
    own = Fenced(memory)
    own.place(head, 150)
    assert own.seen == [[0] * 8]
    assert memory[:30].tolist() == list(range(1, 31))
    assert set(memory[30:150].tolist()) == {0}
    assert set(memory[150:].tolist()) == {0xAA}, "what is behind the region is not its own"


@pytest.mark.parametrize("module", [transport, shadow])
def test_a_fence_is_one_of_the_machine(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    fences: list[int] = []
    own = SimpleNamespace(ls_native_fence=lambda: fences.append(1))
    monkeypatch.setattr(module, "library", lambda: own)
    plain, copied = SharedMapping(lines(64)), ShadowCopy(print, print, size=64)
    (plain if module is transport else copied).fence()
    assert fences == [1]


def test_the_words_of_the_host_are_two_of_the_header_and_two_of_each_lane(region: Region) -> None:
    header, size = region.head.header, int(region.head.header["prefix_bytes"])
    first = int(header["lanes"])
    allowed = []
    for offset in range(size + 2 * LANE.itemsize):
        try:
            require_host_word(offset, header)
        except ValueError as error:
            assert str(error) == (
                f"byte {offset} of the region belongs to the device; the host may write only "
                "host_beat, host_gone, and released, refused of a lane"
            )
        else:
            allowed.append(offset)
    lanes = [first + LANE.itemsize * lane for lane in range(4)]
    assert allowed == [320, 328, *(at + word for at in lanes for word in (192, 200))]
    assert word_offset("ls_header", "host_beat") == 320


def test_one_word_of_the_device_keeps_all_from_being_written(region: Region) -> None:
    pushed: list[int] = []
    copied = shadow_of(region.memory)
    copied._push = lambda offset, data: pushed.append(offset)
    good = offset_of(region, 0, "released")
    with pytest.raises(ValueError, match="belongs to the device"):
        copied.write(good, offset_of(region, 0, "published"))
    assert pushed == []
    copied.write(good, offset_of(region, 3, "refused"))
    assert pushed == [good, offset_of(region, 3, "refused")]
