"""The measures of a run on streams: time of devices and of the critical path, rows of the host."""

from __future__ import annotations

from lanescope.analyze.streams.basis import stream_basis
from lanescope.analyze.streams.breakdown import breakdown
from lanescope.analyze.streams.host import host
from lanescope.analyze.streams.idle import idle
from lanescope.analyze.streams.path_time import critical_time
from lanescope.trace.trace import Trace


def stream_values(trace: Trace) -> dict[tuple[str, str], float]:
    """Nanoseconds by (group, name); of several devices the mean.

    Of communication and memory (copies, fills) it is the time that nothing hides.
    """
    basis = stream_basis(trace)
    devices = breakdown(basis.work).devices
    values: dict[tuple[str, str], float] = {}
    for device in devices:
        work = {
            "compute": device.compute_ns,
            "communication": device.exposed_communication_ns,
            "memory": device.exposed_memory_ns,
        }
        for name, ns in work.items():
            _add(values, "device time", name, ns / len(devices))
    for one in idle(basis).devices:
        for reason in one.reasons:
            _add(values, "device time", reason.what, reason.ns / len(devices))
    path = critical_time(basis)
    for part in path.parts if path is not None else ():
        _add(values, "critical path", part.what, part.ns)
    for thread in host(basis):
        for row in thread.work:
            _add(values, "host row", row.name, row.own_ns)
    return values


def _add(values: dict[tuple[str, str], float], group: str, name: str, ns: float) -> None:
    values[group, name] = values.get((group, name), 0.0) + ns
