"""The end of a region in a device's memory: what is copied, in which order, and what is marked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.capture.test_bringing import Noted

from lanescope.capture.ending import read_end
from lanescope.capture.gather import gather
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core, Head
from lanescope.device.layouts import layout
from lanescope.device.region import Region, RegionConfig, create_region

TWO_LANES = RegionConfig(
    flags=level_features(1),
    cores=(Core("aic"), Core("aiv")),
    clock_hz=1_000_000_000,
    buffers=4,
    buffer_records=8,
)


class Far(Noted):
    """A device's memory; the image has of it what was copied."""

    def __init__(self, head: Head, device: Array) -> None:
        super().__init__(head)
        self.device = device

    def read(self, *ranges: tuple[int, int]) -> None:
        super().read(*ranges)
        for at, size in ranges:
            self.image[at : at + size] = self.device[at : at + size]


def region(folder: Path) -> Region:
    """A region whose first lane has opened buffers 3 to 5, of which two are published."""
    own = create_region(folder / "region", TWO_LANES)
    lane = own.lanes[0]
    lane["published"], lane["opened"], lane["recorded"], lane["released"] = 5, 6, 43, 3
    for sequence in (3, 4, 5):
        at = int(lane["buffers"]) + sequence % 4 * int(lane["buffer_stride"])
        header = own.memory[at:][: layout("ls_buffer").itemsize].view(layout("ls_buffer"))[0]
        header["sequence"], header["count"] = sequence, 8 if sequence < 5 else 0
        header["first"] = 8 * sequence
    return own


def test_the_head_comes_first_then_what_was_opened_and_then_the_buffers(tmp_path: Path) -> None:
    own = region(tmp_path)
    far = Far(own.head, own.memory)
    end = read_end(far, own.head, np.array([3, 0], np.uint64))  # type: ignore[arg-type]
    lane, header = own.head.lanes[0], own.head.header
    stride = int(lane["buffer_stride"])
    places = [int(lane["buffers"]) + slot * stride for slot in (3, 0, 1)]
    assert far.steps == [
        "fence",
        ((0, int(header["prefix_bytes"])),),
        "fence",
        ((int(header["lanes"]), own.head.lane_bytes),),
        "fence",
        tuple((place, stride) for place in places),
        "fence",
    ]
    assert end.problems == ()
    assert gather([end.payload], own.head).buffers["count"].tolist() == [8, 8, 3]
    assert end.prefix == own.memory[: int(header["prefix_bytes"])].tobytes()


def test_a_whole_ring_that_is_left_is_copied(tmp_path: Path) -> None:
    own = region(tmp_path)
    far = Far(own.head, own.memory)
    read_end(far, own.head, np.array([2, 0], np.uint64))  # type: ignore[arg-type]
    lane = own.head.lanes[0]
    places = [int(lane["buffers"]) + slot * int(lane["buffer_stride"]) for slot in (2, 3, 0, 1)]
    assert far.steps[-2] == tuple((place, int(lane["buffer_stride"])) for place in places)


def test_where_nothing_is_left_no_buffer_is_copied(tmp_path: Path) -> None:
    own = region(tmp_path)
    far = Far(own.head, own.memory)
    end = read_end(far, own.head, np.array([6, 0], np.uint64))  # type: ignore[arg-type]
    assert len([step for step in far.steps if step != "fence"]) == 2
    assert (len(end.payload), len(end.problems)) == (0, 1), "more was taken than was published"


@pytest.mark.parametrize("taken", [0, 3])
def test_a_lane_that_cannot_be_believed_is_marked_and_nothing_of_it_is_copied(
    tmp_path: Path, taken: int
) -> None:
    """A lane with more buffers opened than its ring has beyond those that were taken."""
    own = region(tmp_path)
    own.lanes["opened"][0] = 8
    far = Far(own.head, own.memory)
    end = read_end(far, own.head, np.array([taken, 0], np.uint64))  # type: ignore[arg-type]
    assert len([step for step in far.steps if step != "fence"]) == 2
    at = int(own.head.header["lanes"])
    lanes = np.frombuffer(end.prefix, np.uint8)[at : at + own.head.lane_bytes]
    assert lanes.view(layout("ls_lane"))["refused"].tolist() == [1, 0]
    assert len(end.payload) == 0
    assert len(end.problems) == 1
