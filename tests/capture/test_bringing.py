"""What is copied from a device's memory in one round, with a transport that notes the copies."""

from __future__ import annotations

import numpy as np
from tests.capture.buffers import head_of

from lanescope.capture.bringing import Bringer
from lanescope.device.flags import level_features
from lanescope.device.head import Core, Head
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig

FOUR_LANES = RegionConfig(
    flags=level_features(1),
    cores=(Core("aic"),) * 4,
    clock_hz=1_000_000_000,
    buffers=4,
    buffer_records=8,
)


class Noted:
    """A transport to memory that is there; it notes what it is asked to copy."""

    copies = True
    name = note = "test"
    pointer = 0

    def __init__(self, head: Head) -> None:
        self.image = np.zeros(int(head.header["region_bytes"]), np.uint8)
        at = int(head.header["lanes"])
        self.lanes = self.image[at : at + head.lane_bytes].view(layout("ls_lane"))
        self.steps: list[object] = []

    def read(self, *ranges: tuple[int, int]) -> None:
        self.steps.append(ranges)

    def fence(self) -> None:
        self.steps.append("fence")


def test_the_counters_come_first_and_the_buffers_that_they_count_after_a_fence() -> None:
    head = head_of(FOUR_LANES)
    device = Noted(head)
    device.lanes["published"] = [9, 0, 5, 7]
    bringer = Bringer(device, head, range(2, 4), 1 << 20)  # type: ignore[arg-type]
    bringer.bring(np.array([0, 0, 3, 7], np.uint64), np.zeros(4))
    size = layout("ls_lane").itemsize
    lane = head.lanes[2]
    stride = int(lane["buffer_stride"])
    places = [int(lane["buffers"]) + slot * stride for slot in (3, 0)]
    assert device.steps == [
        ((int(head.header["lanes"]) + 2 * size, 2 * size),),
        "fence",
        tuple((place, stride) for place in places),
    ]
    assert bringer.lanes["published"].tolist() == [0, 0, 5, 7]
    assert bringer.fullest == 50


def test_lanes_take_turns_where_not_all_has_room() -> None:
    head = head_of(FOUR_LANES)
    device = Noted(head)
    device.lanes["published"] = [4, 0, 4, 4]
    room = 3 * int(head.lanes["buffer_stride"][0])
    bringer = Bringer(device, head, range(4), room)  # type: ignore[arg-type]
    taken, rounds = np.zeros(4, np.uint64), []
    for _ in range(4):
        bringer.bring(taken, np.zeros(4))
        rounds.append((bringer.lanes["published"] - taken).tolist())
        taken = bringer.lanes["published"].copy()
    assert rounds == [[3, 0, 0, 0], [0, 0, 3, 0], [0, 0, 0, 3], [1, 0, 1, 1]]


def test_a_lane_that_was_refused_or_counts_wildly_is_not_copied() -> None:
    """The wild counter goes on to the drain, which refuses the lane."""
    head = head_of(FOUR_LANES)
    device = Noted(head)
    device.lanes["published"] = [4, 5, 2, 1]
    bringer = Bringer(device, head, range(4), 1 << 20)  # type: ignore[arg-type]
    bringer.bring(np.zeros(4, np.uint64), np.array([1, 0, 0, 0]))
    [*_, copied] = device.steps
    assert isinstance(copied, tuple)
    assert len(copied) == 3
    assert bringer.lanes["published"].tolist() == [0, 5, 2, 1]
    assert bringer.fullest == 50


def test_where_nothing_is_published_no_buffer_is_copied() -> None:
    head = head_of(FOUR_LANES)
    device = Noted(head)
    bringer = Bringer(device, head, range(4), 1 << 20)  # type: ignore[arg-type]
    bringer.bring(np.zeros(4, np.uint64), np.zeros(4))
    assert len(device.steps) == 2
    assert bringer.fullest == 0
