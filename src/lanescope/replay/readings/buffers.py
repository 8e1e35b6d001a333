"""What recording itself takes in a recorded run: its buffers, what changing one costs, and how long
the host takes to give one back.

The host's time is only seen where a producer waited for it. It is not shorter than from the
publishing of the oldest buffer that the producer waited for until the wait's end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lanescope.native.replay import LANES, Costs
from lanescope.replay.readings.served import in_ps, tick_ns
from lanescope.trace.meta import BufferSize, RecordingFacts
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_NEVER = (1 << 31) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Buffers:
    """By kind of record (LANES): buffers of a producer, and records in one; 0 where not known."""

    count: Array
    records: Array
    host_ps: tuple[int, int] = (0, 0)
    """The host gives a buffer back after a time between these; 0: nobody waited for it."""

    @property
    def known(self) -> bool:
        return bool(self.records.any())


def recording_of(trace: Trace, costs: Costs) -> tuple[Buffers, Costs]:
    """The buffers, and the costs with those of recording."""
    facts = trace.meta.recording or RecordingFacts()
    sizes = [facts.buffers.get(name, BufferSize(0, 0)) for name in LANES]
    count = np.array([size.count for size in sizes], np.int32)
    records = np.array([size.records for size in sizes], np.int32)
    if facts.protocol != "producer-rotated":
        records[LANES.index("core_task")] = 0
    if facts.on_full != "block":
        count[:] = _NEVER
    low, usual, high = _host_ps(trace, count, records)
    rotate = _rotate_ns(trace, records)
    costs = replace(costs, rotate=in_ps(rotate), host=usual)
    return Buffers(count, records, (low, high)), costs


def _rotate_ns(trace: Trace, records: Array) -> float:
    """How much longer it is from one record to what comes next when the record fills a buffer."""
    fills: list[Array] = []
    for lane in ("scheduler", "orchestrator"):
        size = int(records[LANES.index(f"{lane}_phase")])
        mine = np.flatnonzero(trace.phases["lane"] == trace.code(lane))
        for number in np.unique(trace.phases["controller"][mine]).tolist() if size else []:
            own = trace.phases.rows(mine[trace.phases["controller"][mine] == number])
            place, gap = _gaps(own, trace.code("resolve"))
            full = (place + 1) % size == 0
            # Gaps of schedulers and of the orchestrator are not alike; their differences are.
            fills.append(gap[full] - _usual(gap[~full], tick_ns(trace)))
    return max(_usual(np.concatenate(fills), tick_ns(trace)), 0.0) if fills else 0.0


def _usual(values: Array, tick: float) -> float:
    """The mean of those near the median: some gaps have waits in them."""
    if not len(values):
        return 0.0
    middle = float(np.median(values))
    near = values[np.abs(values - middle) <= 2 * tick]
    return float(near.mean()) if len(near) else middle


def _gaps(own: Table, inner: int) -> tuple[Array, Array]:
    """Of records in the order of writing: from one's end to the next one's start where both are of
    one round, or to the end of the one around it."""
    start, end, loop, kind = (own[n] for n in ("start_ns", "end_ns", "loop", "kind"))
    is_inner = kind == inner
    to_outer = is_inner[:-1] & ~is_inner[1:]
    one_round = (loop[1:] == loop[:-1]) & ~is_inner[:-1] & ~is_inner[1:]
    gap = np.where(to_outer, end[1:], start[1:]) - end[:-1]
    place = np.flatnonzero((to_outer | one_round) & (gap >= 0))
    return place, gap[place]


def _host_ps(trace: Trace, count: Array, records: Array) -> tuple[int, int, int]:
    """Every wait tells of a time that the host did not take less than: what half of them, nine in
    ten and all of them say."""
    stalls, found = trace.stalls, []
    known = (stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING)
    for name, column in (("core", "core"), ("scheduler", "core"), ("scheduler", "controller"),
                         ("orchestrator", "controller")):  # fmt: skip
        mine = known & (stalls["lane"] == trace.code(name)) & (stalls[column] != MISSING32)
        if column == "controller":
            mine &= stalls["core"] == MISSING32
        kind = {"core": 0, "orchestrator": 3}.get(name, 1 if column == "core" else 2)
        for owner in np.unique(stalls[column][mine]).tolist() if records[kind] else []:
            rows = np.flatnonzero(mine & (stalls[column] == owner))
            times = _record_times(trace, kind, owner)
            found.append(_since_oldest(times, stalls["start_ns"][rows], stalls["end_ns"][rows],
                                       (int(count[kind]), int(records[kind]))))  # fmt: skip
    waits = np.concatenate(found) if found else np.zeros(0)
    if not len(waits):
        return 0, 0, 0
    low, usual, high = np.quantile(waits, [0.5, 0.9, 1.0]).tolist()
    return in_ps(low), in_ps(usual), in_ps(high)


def _record_times(trace: Trace, kind: int, owner: int) -> Array:
    """When a producer's records were written."""
    if kind < 2:
        tasks = trace.tasks
        rows = np.flatnonzero(trace.ran() & (tasks["core"] == owner))
        return np.sort(tasks["end_ns" if kind == 0 else "finish_ns"][rows])
    phases, lane = trace.phases, ("scheduler", "orchestrator")[kind - 2]
    mine = (phases["lane"] == trace.code(lane)) & (phases["controller"] == owner)
    return np.sort(phases["end_ns"][mine])


def _since_oldest(times: Array, start: Array, end: Array, size: tuple[int, int]) -> Array:
    """From the publishing of the oldest buffer that each wait waited for to the wait's end."""
    count, records = size
    published = times[records - 1 :: records]
    last = np.searchsorted(published, start + 1, side="right") - 1
    oldest = last - count + 1
    usable = (oldest >= 0) & (last >= 0)
    return np.asarray(end[usable] - published[oldest[usable]]) if usable.any() else np.zeros(0)


def without_stalls(trace: Trace, time_ns: Array) -> Array:
    """Moments of the orchestrator, less what it waited for buffers before them."""
    stalls = trace.stalls
    mine = (stalls["lane"] == trace.code("orchestrator")) & (stalls["end_ns"] != MISSING)
    order = np.argsort(stalls["end_ns"][mine], kind="stable")
    end = stalls["end_ns"][mine][order]
    total = np.append(0, np.cumsum(end - stalls["start_ns"][mine][order]))
    return np.asarray(time_ns - total[np.searchsorted(end, time_ns, side="right")])
