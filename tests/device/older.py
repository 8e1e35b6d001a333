"""Regions of version 2, as GPUs recorded them before version 3, with every word where it is now.

Version 3 gave producers a line of their own in the header, and moved two words of a lane.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np

from lanescope.device.head import Array
from lanescope.device.layouts import constant, layout

_LINE = 64
_HOST_LINE = 4 * _LINE
"""Where version 2 has the host's line of the header; the producers' line comes before it now."""


def read_fixture(path: Path) -> Array:
    """The bytes of a packed region of version 2 as one of version 3."""
    old = np.frombuffer(lzma.decompress(path.read_bytes()), np.uint8)
    memory = np.concatenate([old[:_HOST_LINE], np.zeros(_LINE, np.uint8), old[_HOST_LINE:]])
    header = memory[: layout("ls_header").itemsize].view(layout("ls_header"))[0]
    assert int(header["version"]) == 2
    header["version"] = constant("LS_REGION_VERSION")
    for name in ("header_bytes", "region_bytes", "prefix_bytes", "cores", "names", "lanes"):
        header[name] += _LINE
    words = memory[3 * _LINE : 5 * _LINE].view(np.uint64)
    words[8:10], words[3:5] = words[3:5].copy(), 0  # host_missed and strays
    lane, at = layout("ls_lane"), int(header["lanes"])
    table = memory[at : at + int(header["lane_count"]) * lane.itemsize]
    table.view(lane)["buffers"] += np.uint64(_LINE)
    table.view(lane)["staging"][table.view(lane)["staging"] != 0] += np.uint64(_LINE)
    by_lane = table.view(np.uint64).reshape(-1, lane.itemsize // 8)
    handles, mismatched = by_lane[:, 7].copy(), by_lane[:, 14].copy()
    by_lane[:, 7], by_lane[:, 14], by_lane[:, 23] = 0, handles, mismatched
    return memory
