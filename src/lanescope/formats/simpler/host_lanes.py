"""Spans of the host's logs, lane by lane: a lane per thread of the host, one per device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.formats.simpler.host_log import HostSpan
from lanescope.formats.simpler.hosting import HostLogs, Placed
from lanescope.formats.simpler.invocations import LAUNCH, RUNNER, WALL, Invocation
from lanescope.formats.simpler.records import Array

DEVICE = "device, by the host's log"


@dataclass(frozen=True, slots=True)
class LaneSpans:
    """Spans of the host's log for one lane, in host ns; `run` is the part they belong to."""

    lane: str
    name: str
    kind: str
    rank: int | None
    run: int | None
    names: list[str]
    start_ns: Array
    end_ns: Array


def host_lanes(
    logs: HostLogs, placed: Sequence[Placed | None], ranks: Sequence[int | None]
) -> list[LaneSpans]:
    """All spans that have a place on the host's clock, lane by lane.

    A span on the host's clock needs none. One on the device's clock lies where its run was placed,
    or, of a run that nobody recorded, as early as its invocation allows.
    """
    owner = {
        (one.invocation.pid, one.invocation.inv): part
        for part, one in enumerate(placed)
        if one is not None
    }
    zeros = _device_zeros(logs, placed)
    lanes: dict[tuple[str, int, int, int | None], list[tuple[HostSpan, int]]] = {}
    threads: dict[int, set[int]] = {}
    for span in logs.spans():
        key = span.pid, span.inv
        zero = zeros.get(key) if span.on_device else 0
        if zero is None:
            continue
        threads.setdefault(span.pid, set()).add(span.tid)
        lane = "device" if span.on_device else "host"
        lanes.setdefault((lane, span.pid, span.tid, owner.get(key)), []).append((span, zero))
    return [
        _lane(*key, spans, several=len(threads[key[1]]) > 1, ranks=ranks)
        for key, spans in lanes.items()
    ]


def _lane(
    lane: str,
    pid: int,
    tid: int,
    part: int | None,
    spans: list[tuple[HostSpan, int]],
    *,
    several: bool,
    ranks: Sequence[int | None],
) -> LaneSpans:
    name = f"host {pid} thread {tid}" if several else f"host {pid}"
    if lane == "device":
        name = DEVICE if part is not None else f"{DEVICE} {pid}"
    start = np.array([span.ts_ns + zero for span, zero in spans], np.int64)
    return LaneSpans(
        lane=lane,
        name=name,
        kind="device" if lane == "device" else "host thread",
        rank=None if part is None else ranks[part],
        run=part,
        names=[span.name for span, _ in spans],
        start_ns=start,
        end_ns=start + np.array([span.dur_ns for span, _ in spans], np.int64),
    )


def _device_zeros(logs: HostLogs, placed: Sequence[Placed | None]) -> dict[tuple[int, int], int]:
    """Host time of the device's zero, by process and invocation."""
    zeros = {}
    for invocation in logs.invocations:
        zero = earliest_zero(invocation)
        if zero is not None:
            zeros[invocation.pid, invocation.inv] = zero
    for one in placed:
        if one is not None:
            origin = int(one.placement.join.origin_cycles)
            zeros[one.invocation.pid, one.invocation.inv] = one.placement.host_ns(origin)
    return zeros


def earliest_zero(invocation: Invocation) -> int | None:
    """The earliest host time at which the device of an invocation can have begun.

    None where its spans do not say it, or contradict each other.
    """
    runner, wall, launch = (invocation.only(name) for name in (RUNNER, WALL, LAUNCH))
    if runner is None or wall is None or runner.on_device or not wall.on_device:
        return None
    first = runner.ts_ns if launch is None else max(runner.ts_ns, launch.ts_ns)
    latest = runner.ts_ns + runner.dur_ns - wall.dur_ns
    return first if first <= latest else None
