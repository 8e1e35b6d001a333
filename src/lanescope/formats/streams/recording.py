"""What a profiler of streams recorded, as columns: the form that every such importer fills.

All times are whole nanoseconds on one clock of the source's choice. A column may be left None
where the source has nothing of the kind; MISSING stands for one value that is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanescope.trace.table import Array

WORK = ("compute", "communication", "copy", "fill", "wait")
"""What a row of a device does; `DeviceRows.work` holds the index, -1 where it is not known."""
CATEGORIES = ("operator", "call", "annotation", "function", "wait", "overhead")
"""The sorts of a host thread's rows; `HostRows.category` holds the index."""
STREAM_WAITS, HOST_EVENT, HOST_STREAM, HOST_DEVICE = WAIT_KINDS = (
    "stream waits event",
    "host waits event",
    "host waits stream",
    "host waits device",
)


def _none() -> Array:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLane:
    """A stream, queue or engine of a device; its place in the list is its number."""

    name: str
    lane: str = "stream"
    """Kind of lane, as in `cores.lane`."""
    kind: str = ""
    """What the report calls lanes of this sort; empty stands for the kind of lane."""
    device: int | None = None
    queue: int | None = None
    """The source's own number of it."""
    process: int | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostThread:
    """A thread of a program on the host; its place in the list is its number."""

    name: str
    rank: int | None = None


@dataclass(slots=True, kw_only=True)
class DeviceRows:
    """What ran on the lanes of devices, in any order."""

    lane: Array = field(default_factory=_none)
    """Place of the lane in `StreamRecording.lanes`."""
    name: Array = field(default_factory=_none)
    """Index into `names`."""
    names: list[str] = field(default_factory=list)
    work: Array | None = None
    """Index into WORK, -1 where it is not known."""
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)
    launch: Array | None = None
    """Any number that the row shares with the call that launched it."""
    op: Array | None = None
    """Any number that the row shares with the operator it belongs to."""
    values: Mapping[str, Array] = field(default_factory=dict)
    """Counter → its value per row; NaN where the row has none."""


@dataclass(slots=True, kw_only=True)
class HostRows:
    """What the host's threads did, in any order; rows of a thread nest."""

    thread: Array = field(default_factory=_none)
    name: Array = field(default_factory=_none)
    names: list[str] = field(default_factory=list)
    category: Array = field(default_factory=_none)
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)
    launch: Array | None = None
    op: Array | None = None
    flow: Array | None = None
    """Number of the arrow that begins or ends here."""
    bytes: Array | None = None


@dataclass(slots=True, kw_only=True)
class AnnotationRows:
    """Ranges that the user named, as they lie on the lanes of devices."""

    lane: Array = field(default_factory=_none)
    name: Array = field(default_factory=_none)
    names: list[str] = field(default_factory=list)
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)


@dataclass(slots=True, kw_only=True)
class WaitRows:
    """Waits that the source recorded; `kind` is an index into WAIT_KINDS."""

    kind: Array = field(default_factory=_none)
    lane: Array = field(default_factory=_none)
    """Lane that waits, or that a host thread waits for; -1 where it is not known."""
    on_lane: Array = field(default_factory=_none)
    """Lane whose event is waited for; -1 where it is not known."""
    launch: Array = field(default_factory=_none)
    on_launch: Array = field(default_factory=_none)
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)


@dataclass(slots=True, kw_only=True)
class CollectiveRows:
    """Operations among ranks. `row` is the place of the device row that did it."""

    row: Array = field(default_factory=_none)
    group: list[str] = field(default_factory=list)
    """Empty where the source does not tell it."""
    sequence: Array | None = None
    """The source's own number, MISSING where it has none."""
    kind: list[str] = field(default_factory=list)
    bytes: Array | None = None
    bytes_out: Array | None = None
    type: list[str] | None = None
    peers: list[str] | None = None
    size: Array | None = None
    source: Array | None = None
    target: Array | None = None
    matched: str = ""
    """`name` where `sequence` is part of the operation's name; else left empty."""


@dataclass(slots=True, kw_only=True)
class StepRows:
    """Steps of the program, as its host thread marks them."""

    step: Array = field(default_factory=_none)
    name: list[str] = field(default_factory=list)
    thread: Array = field(default_factory=_none)
    """Place of the host thread, -1 where it is not known."""
    start: Array = field(default_factory=_none)
    end: Array = field(default_factory=_none)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRows:
    """A value over time, such as the memory in use."""

    name: str
    time: Array
    value: Array


@dataclass(slots=True, kw_only=True)
class StreamRecording:
    """Everything that one file, or one process, tells about devices and the host."""

    lanes: list[DeviceLane] = field(default_factory=list)
    threads: list[HostThread] = field(default_factory=list)
    work: DeviceRows = field(default_factory=DeviceRows)
    host: HostRows = field(default_factory=HostRows)
    annotations: AnnotationRows = field(default_factory=AnnotationRows)
    waits: WaitRows = field(default_factory=WaitRows)
    collectives: CollectiveRows = field(default_factory=CollectiveRows)
    steps: StepRows = field(default_factory=StepRows)
    series: list[SeriesRows] = field(default_factory=list)
    edges: tuple[Array, Array, str] | None = None
    """Places of device rows, from and to, and the kind of edge."""
    utc_ns: int | None = None
    """UTC at 0 ns of the source's clock; None where it is not known."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Fields of Meta that the importer knows: rank, world, chip, notes, extra, …"""
    ledger: tuple[tuple[str, int, int, str], ...] = ()
    """Rows that were left out: (kind, total, left out, why)."""
