"""Lanes of a device: its streams, and a communicator per group of ranks."""

from __future__ import annotations

import numpy as np

from lanescope.formats.streams import DeviceLane
from lanescope.trace import MISSING
from lanescope.trace.numbering import numbered
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
        devices, of_device = numbered(device)
        streams, of_stream = numbered(stream)
        pairs, place = numbered(of_device * max(len(streams), 1) + of_stream)
        numbers = [
            self._stream(int(devices[pair // len(streams)]), int(streams[pair % len(streams)]))
            for pair in pairs.tolist()
        ]
        return np.array(numbers, np.int64)[place]

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
