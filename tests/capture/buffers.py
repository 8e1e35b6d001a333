"""Heads of regions, and payloads of buffers, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lanescope.device.head import Array, Head, read_head
from lanescope.device.layouts import layout
from lanescope.device.region import RegionConfig
from lanescope.native import library


def head_of(config: RegionConfig) -> Head:
    """The head of a new region; no clock of the host is known."""
    packed = config.packed()
    memory = np.zeros(config.region_bytes(), np.uint8)
    library().ls_native_region_init(memory.ctypes.data, packed.ctypes.data)
    head = read_head(memory, source="test")
    return replace(head, cores=config.cores, functions=config.functions)


def buffer_of(records: Array, **header: int) -> Array:
    """One buffer with these records, and what its header says beside their number."""
    own = np.zeros(1, layout("ls_buffer"))
    own["count"] = len(records)
    for name, value in header.items():
        own[name] = value
    return np.concatenate([own.view(np.uint8), records.view(np.uint8)])


def payload_of(lanes: Sequence[Array], size: int | None = None) -> Array:
    """The records of each lane in buffers of `size` records, or in one buffer.

    The buffers of the lanes take turns, as those of a device do.
    """
    turns: list[tuple[int, Array]] = []
    for lane, records in enumerate(lanes):
        step = size or max(len(records), 1)
        for sequence, first in enumerate(range(0, len(records), step)):
            part = records[first : first + step]
            turns.append((sequence, buffer_of(part, lane=lane, sequence=sequence, first=first)))
    ordered = [data for _, data in sorted(turns, key=lambda turn: turn[0])]
    return np.concatenate([np.empty(0, np.uint8), *ordered])
