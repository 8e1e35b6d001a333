"""Lanes of a device: its streams, and a communicator per group of ranks."""

from __future__ import annotations

import numpy as np

from lanescope.formats.streams import DeviceLane
from lanescope.trace import MISSING
from lanescope.trace.table import Array

NO_STREAM = MISSING


class LaneNumbers:
    """Numbers lanes in the order in which they are asked for."""

    def __init__(self) -> None:
        self.lanes: list[DeviceLane] = []
        self._streams: dict[tuple[int, int], int] = {}
        self._groups: dict[tuple[int, str], int] = {}

    def streams(self, device: Array, stream: Array) -> Array:
        """The lane of each row, by device and stream; lanes of these rows are made in order."""
        lane = np.empty(len(stream), np.int64)
        if not len(stream):
            return lane
        pairs, place = np.unique(np.stack([device, stream], 1), axis=0, return_inverse=True)
        numbers = [self._stream(int(d), int(s)) for d, s in pairs]
        return np.array(numbers, np.int64)[place.reshape(-1)]

    def _stream(self, device: int, stream: int) -> int:
        if (device, stream) not in self._streams:
            self._streams[device, stream] = len(self.lanes)
            known = stream != NO_STREAM
            self.lanes.append(
                DeviceLane(
                    name=f"stream {stream}" if known else "no stream",
                    lane="stream" if known else "track",
                    device=None if device == MISSING else device,
                    queue=stream if known else None,
                )
            )
        return self._streams[device, stream]

    def group(self, device: int, group: str) -> int:
        """The lane of a group of ranks; an empty name stands for all whose group is not known."""
        if (device, group) not in self._groups:
            self._groups[device, group] = len(self.lanes)
            self.lanes.append(
                DeviceLane(
                    name=f"group {group}" if group else "communication",
                    lane="communicator",
                    device=None if device == MISSING else device,
                )
            )
        return self._groups[device, group]
