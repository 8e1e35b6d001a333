"""A shadow copy on its own: what it is called, what it pulls and pushes, and in which parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core
from lanescope.device.region import RegionConfig, create_region
from lanescope.device.shadow import ShadowCopy
from lanescope.errors import InputError

Calls = list[tuple[str, int, int]]


@pytest.fixture
def region(tmp_path: Path) -> Array:
    config = RegionConfig(flags=level_features(1), cores=(Core("aic"),), buffer_records=4)
    return create_region(tmp_path / "region", config).memory


class Noted(ShadowCopy):
    """Notes what is pulled, pushed and fenced."""

    def __init__(self, device: Array, **options: int | str) -> None:
        self.calls: Calls = []
        self.device = device
        super().__init__(self.pulled, self.pushed, size=len(device), **options)  # type: ignore[arg-type]

    def pulled(self, offset: int, target: memoryview) -> None:
        self.calls.append(("pull", offset, len(target)))
        target[:] = self.device[offset : offset + len(target)].tobytes()

    def pushed(self, offset: int, data: memoryview) -> None:
        self.calls.append(("push", offset, len(data)))
        self.device[offset : offset + len(data)] = np.frombuffer(data, np.uint8)

    def fence(self) -> None:
        self.calls.append(("fence", 0, 0))


def test_before_it_is_placed_it_has_a_name_and_no_image() -> None:
    plain = Noted(np.zeros(1_234_567, np.uint8))
    named = Noted(np.zeros(10, np.uint8), name="card 3", pointer=77)
    assert (plain.name, plain.pointer, plain.size) == (
        "copied memory of 1,234,567 bytes",
        0,
        1_234_567,
    )
    assert (named.name, named.pointer, named.size) == ("card 3", 77, 10)
    assert (plain.note, plain.copies, len(plain.image), plain.calls) == ("", True, 0, [])


def test_memory_is_cleared_in_parts() -> None:
    own = Noted(np.full(5 << 19, 0xAA, np.uint8))
    own.clear((5 << 19) - 3)
    assert own.calls == [
        ("push", 0, 1 << 20),
        ("push", 1 << 20, 1 << 20),
        ("push", 2 << 20, (1 << 19) - 3),
    ]
    assert not own.device[:-3].any()
    assert own.device[-3:].tolist() == [0xAA] * 3


def test_a_region_is_placed_with_a_fence_before_and_after_its_magic(region: Array) -> None:
    prefix = region[:1000].copy()
    own = Noted(np.zeros(len(region), np.uint8))
    own.place(prefix, len(region))
    size = int(own._header["prefix_bytes"])
    assert own.calls == [
        *(("push", 0, len(region)), ("push", 8, 992), ("fence", 0, 0), ("push", 0, 8)),
        *(("fence", 0, 0), ("pull", 0, 384), ("pull", 0, size)),
    ]


def test_opening_copies_the_head_and_nothing_behind_it(region: Array) -> None:
    device = region.copy()
    own = Noted(device)
    own.open()
    size = int(own._header["prefix_bytes"])
    device[size:] = 0xAA
    own.open()
    assert own.image[:size].tolist() == region[:size].tolist()
    assert (len(own.image), own.image[size:].any()) == (len(region), False)


@pytest.mark.parametrize(("size", "calls"), [(383, []), (384, [("pull", 0, 384)])])
def test_memory_without_room_for_a_header_is_not_read(size: int, calls: Calls) -> None:
    own = Noted(np.zeros(size, np.uint8))
    with pytest.raises(InputError, match="the first 8 bytes are not L_REGION"):
        own.open()
    assert own.calls == calls


def test_ranges_are_pulled_into_their_places(region: Array) -> None:
    own = Noted(region.copy())
    own.open()
    own.device[:] = 7
    own.calls.clear()
    own.image[:] = 1
    own.read((8, 4), (100, 0), (20, 8))
    assert own.calls == [("pull", 8, 4), ("pull", 100, 0), ("pull", 20, 8)]
    assert np.flatnonzero(own.image == 7).tolist() == [*range(8, 12), *range(20, 28)]


def test_a_word_is_pushed_alone_and_whole(region: Array) -> None:
    own = Noted(region.copy())
    own.open()
    own.calls.clear()
    own.image[320:336] = np.arange(1, 17)
    own.write(328, 320)
    assert own.calls == [("push", 328, 8), ("push", 320, 8)]
    assert own.device[320:336].tolist() == list(range(1, 17))
    own.close()
    assert len(own.image) == len(region)
