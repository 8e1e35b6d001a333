"""Payloads of buffers, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lanescope.device.layouts import layout

Array = npt.NDArray[Any]


def payload_of(lanes: Sequence[Array], size: int | None = None) -> Array:
    """The records of each lane in buffers of `size` records, or in one buffer.

    The buffers of the lanes take turns, as those of a device do.
    """
    turns: list[tuple[int, bytes]] = []
    for lane, records in enumerate(lanes):
        step = size or max(len(records), 1)
        for sequence, first in enumerate(range(0, len(records), step)):
            part = records[first : first + step]
            header = np.zeros(1, layout("ls_buffer"))
            header["lane"], header["sequence"] = lane, sequence
            header["first"], header["count"] = first, len(part)
            turns.append((sequence, header.tobytes() + part.tobytes()))
    ordered = [data for _, data in sorted(turns, key=lambda turn: turn[0])]
    return np.frombuffer(b"".join(ordered), np.uint8)
