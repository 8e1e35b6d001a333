"""What every device did with its time, and what every stream did.

Time of a device goes to compute first: kernels that do not communicate, on any stream. Then comes
communication that no compute hides, then copies and fills that neither hides, then idle time. The
four add up to the span, from the first start to the last end of anything on the device.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.groups import exact_sum
from lanescope.analyze.columns.union import covered_ns
from lanescope.analyze.streams.gaps import idle_gaps, overlapping
from lanescope.analyze.streams.work import (
    COMMUNICATION,
    COMPUTE,
    MEMORY,
    DeviceName,
    DeviceWork,
)
from lanescope.render.cells import percent_text, time_text
from lanescope.results import Result
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class DeviceTime(Result):
    """Where the time of one device went."""

    rank: int | None
    device: int | None
    """Its number, where the source tells it."""
    streams: int
    """Streams on it that ran something."""
    span_ns: int
    """From the first start to the last end."""
    compute_ns: int
    exposed_communication_ns: int
    """Communication while no kernel computed."""
    exposed_memory_ns: int
    """Copies and fills while no kernel computed or communicated."""
    idle_ns: int
    communication_ns: int
    """All communication, hidden or not."""
    overlap_ns: int
    """Communication that compute hides."""

    @property
    def busy_ns(self) -> int:
        """Time in which anything ran."""
        return self.span_ns - self.idle_ns

    @property
    def label(self) -> str:
        """What to call it in a sentence."""
        return str(DeviceName(self.rank, self.device))

    def share(self, ns: int) -> float | None:
        """A part of the span, from 0 to 1; None where the span has no length."""
        return ns / self.span_ns if self.span_ns else None

    def __repr__(self) -> str:
        busy = percent_text(self.share(self.busy_ns))
        return f"<DeviceTime of {self.label}: {busy} of {time_text(self.span_ns)} busy>"


@dataclass(frozen=True, slots=True)
class StreamTime(Result):
    """What one stream did."""

    core: int
    """Its number in the trace."""
    name: str
    rank: int | None
    device: int | None
    rows: int
    """Kernels, copies and fills that ran on it."""
    kernels: int
    """Those of them that compute or communicate."""
    sum_ns: int
    """Their lengths, added up."""
    busy_ns: int
    """Time in which any of them ran."""
    span_ns: int
    """From its own first start to its own last end."""
    idle_ns: int
    """span_ns - busy_ns"""
    gaps: int
    """Times that it was idle in its span."""
    overlapping: int
    """Rows that start before an earlier one has ended."""


@dataclass(frozen=True, slots=True)
class Breakdown(Result):
    """Where the time of all devices went."""

    devices: tuple[DeviceTime, ...]
    streams: tuple[StreamTime, ...]


def breakdown(work: DeviceWork) -> Breakdown:
    """Where the time of devices and streams went."""
    return Breakdown(_devices(work), _streams(work))


def _devices(work: DeviceWork) -> tuple[DeviceTime, ...]:
    if not work.devices:
        return ()
    compute = _covered(work, work.work == COMPUTE)
    communication = _covered(work, work.work == COMMUNICATION)
    kernels = _covered(work, work.work <= COMMUNICATION)
    busy = _covered(work, work.work <= MEMORY)
    devices = []
    for place, device in enumerate(work.devices):
        mine = work.busy & (work.device == place)
        if not mine.any():
            continue
        span = int(work.end[mine].max()) - int(work.start[mine].min())
        devices.append(
            DeviceTime(
                rank=device.rank,
                device=device.device,
                streams=len(np.unique(work.lane[mine])),
                span_ns=span,
                compute_ns=compute[place],
                exposed_communication_ns=kernels[place] - compute[place],
                exposed_memory_ns=busy[place] - kernels[place],
                idle_ns=span - busy[place],
                communication_ns=communication[place],
                overlap_ns=compute[place] + communication[place] - kernels[place],
            )
        )
    return tuple(devices)


def _covered(work: DeviceWork, mask: Array) -> list[int]:
    """By device: time that the rows of a mask cover."""
    columns = (work.device[mask], work.start[mask], work.end[mask])
    covered: list[int] = covered_ns(*columns, groups=len(work.devices)).tolist()
    return covered


def _streams(work: DeviceWork) -> tuple[StreamTime, ...]:
    streams = []
    for lane, rows in work.slices():
        real = work.busy[rows]
        start, end = work.start[rows][real], work.end[rows][real]
        if not len(start):
            continue
        window = int(start.min()), int(end.max())
        gaps = idle_gaps(start, end, window)
        idle, device = int(gaps.length.sum()), work.devices[lane.device]
        streams.append(
            StreamTime(
                core=lane.core,
                name=lane.name,
                rank=device.rank,
                device=device.device,
                rows=len(start),
                kernels=int(np.count_nonzero(work.work[rows] <= COMMUNICATION)),
                sum_ns=exact_sum(end - start),
                busy_ns=window[1] - window[0] - idle,
                span_ns=window[1] - window[0],
                idle_ns=idle,
                gaps=len(gaps.start),
                overlapping=overlapping(start, end),
            )
        )
    return tuple(streams)
