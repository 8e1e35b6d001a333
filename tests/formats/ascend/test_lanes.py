"""Lanes of a device, numbered as they are asked for."""

from __future__ import annotations

import numpy as np

from lanescope.formats.ascend.lanes import LaneNumbers
from lanescope.formats.streams import DeviceLane
from lanescope.trace import MISSING


def test_streams_are_lanes_by_device_and_number() -> None:
    lanes = LaneNumbers()
    device, stream = np.array([1, 0, 1, 0, 0]), np.array([5, 9, 5, 5, MISSING])
    assert lanes.streams(device, stream).tolist() == [3, 2, 3, 1, 0]
    assert lanes.lanes == [
        DeviceLane(name="no stream", lane="track", device=0),
        DeviceLane(name="stream 5", lane="stream", device=0, queue=5),
        DeviceLane(name="stream 9", lane="stream", device=0, queue=9),
        DeviceLane(name="stream 5", lane="stream", device=1, queue=5),
    ]
    more = lanes.streams(np.array([MISSING, 0]), np.array([9, 9]))
    assert more.tolist() == [4, 2]
    assert lanes.lanes[4] == DeviceLane(name="stream 9", lane="stream", queue=9)
    assert lanes.streams(device[:0], stream[:0]).tolist() == []


def test_groups_are_lanes_by_device_and_name() -> None:
    lanes = LaneNumbers()
    asked = [(0, "a"), (1, "a"), (0, ""), (0, "a"), (MISSING, "")]
    assert [lanes.group(*one) for one in asked] == [0, 1, 2, 0, 3]
    assert lanes.lanes == [
        DeviceLane(name="group a", lane="communicator", device=0),
        DeviceLane(name="group a", lane="communicator", device=1),
        DeviceLane(name="communication", lane="communicator", device=0),
        DeviceLane(name="communication", lane="communicator"),
    ]
