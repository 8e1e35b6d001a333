"""What several questions about streams need of a trace; it is computed once and shared."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.analyze.streams.host_time import HostTime, host_time
from lanescope.analyze.streams.work import DeviceWork, device_work
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class StreamBasis:
    """A trace, what ran on its devices, and what its host did."""

    trace: Trace
    work: DeviceWork
    host: HostTime


def stream_basis(trace: Trace) -> StreamBasis:
    """Collect what the questions about streams share."""
    return StreamBasis(trace, device_work(trace), host_time(trace))
