"""What recording itself takes in a recorded run: its buffers, what changing one costs, and how long
the host takes to give one back.

The host's time shows only where a producer waited for a buffer. It is at least the time from the
publishing of the oldest buffer that the producer waited for to the end of the wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lanescope.analyze.columns.quantiles import median, quantile
from lanescope.native.replay import LANES
from lanescope.replay.readings.served import in_ps, tick_ns
from lanescope.trace.meta import BufferSize, RecordingFacts
from lanescope.trace.numbering import different
from lanescope.trace.schema import MISSING, MISSING32
from lanescope.trace.table import Array, Table
from lanescope.trace.trace import Trace

_NEVER = (1 << 31) - 1
"""So many buffers that a producer never waits for one."""


class HostTimes(NamedTuple):
    """After which time the host gives a buffer back, in ps. All 0: nobody waited for a buffer."""

    low: int = 0
    usual: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Buffers:
    """The recording buffers of a run. Arrays have one entry per kind of record, as in LANES."""

    count: Array
    """Buffers of each producer."""
    records: Array
    """Records that one buffer holds; 0 where it is not known, or where no buffer is filled."""
    rotate_ps: int
    """How much longer a record takes that fills its buffer."""
    host_ps: HostTimes

    @property
    def known(self) -> bool:
        """Whether the trace tells of any buffers."""
        return bool(self.records.any())


def buffers_of(trace: Trace) -> Buffers:
    """The buffers that the trace's run recorded into."""
    facts = trace.meta.recording or RecordingFacts()
    sizes = [facts.buffers.get(name, BufferSize(0, 0)) for name in LANES]
    count = np.array([size.count for size in sizes], np.int32)
    records = np.array([size.records for size in sizes], np.int32)
    if facts.protocol != "producer-rotated":
        records[LANES.index("core_task")] = 0
    if facts.on_full != "block":
        count[:] = _NEVER
    return Buffers(
        count=count,
        records=records,
        rotate_ps=in_ps(_rotate_ns(trace, records)),
        host_ps=_host_ps(trace, count, records),
    )


# ---- changing a buffer ---------------------------------------------------------------------------


def _rotate_ns(trace: Trace, records: Array) -> float:
    """How much longer it is from a record to what comes next when the record fills a buffer."""
    longer: list[Array] = []
    for lane in ("scheduler", "orchestrator"):
        size = int(records[LANES.index(f"{lane}_phase")])
        mine = np.flatnonzero(trace.phases["lane"] == trace.code(lane))
        for number in different(trace.phases["controller"][mine]).tolist() if size else []:
            own = trace.phases.rows(mine[trace.phases["controller"][mine] == number])
            gaps = _gaps(own, trace.code("resolve"))
            full = (gaps.place + 1) % size == 0
            # Gaps of schedulers and of the orchestrator are not alike; their differences are.
            usual = _usual_ns(gaps.gap_ns[~full], tick_ns(trace))
            longer.append(gaps.gap_ns[full] - usual)
    return max(_usual_ns(np.concatenate(longer), tick_ns(trace)), 0.0) if longer else 0.0


def _usual_ns(values_ns: Array, tick_ns: float) -> float:
    """Mean of the values within two ticks of the median. Others have waits in them."""
    if not len(values_ns):
        return 0.0
    middle = median(values_ns)
    near = values_ns[np.abs(values_ns - middle) <= 2 * tick_ns]
    return float(near.mean()) if len(near) else middle


class _Gaps(NamedTuple):
    """Times between records: the number of the earlier record, and how long it is."""

    place: Array
    gap_ns: Array


def _gaps(own: Table, inner: int) -> _Gaps:
    """Gaps between the records of one controller, in the order of writing.

    A gap leads from one record's end to the start of the next one of the same round. Behind an
    inner phase, it leads to the end of the phase around it.
    """
    start, end, loop, kind = (own[n] for n in ("start_ns", "end_ns", "loop", "kind"))
    is_inner = kind == inner
    to_outer = is_inner[:-1] & ~is_inner[1:]
    one_round = (loop[1:] == loop[:-1]) & ~is_inner[:-1] & ~is_inner[1:]
    gap = np.where(to_outer, end[1:], start[1:]) - end[:-1]
    place = np.flatnonzero((to_outer | one_round) & (gap >= 0))
    return _Gaps(place, gap[place])


# ---- waiting for the host ------------------------------------------------------------------------


class _Producer(NamedTuple):
    """Who writes a kind of record, and which rows of `stalls` are its waits."""

    kind: str
    """As in LANES."""
    lane: str
    owner: str
    """The column of `stalls` that has the producer's number."""


_PRODUCERS = (
    _Producer("core_task", "core", "core"),
    _Producer("controller_task", "scheduler", "core"),
    _Producer("scheduler_phase", "scheduler", "controller"),
    _Producer("orchestrator_phase", "orchestrator", "controller"),
)


def _host_ps(trace: Trace, count: Array, records: Array) -> HostTimes:
    """Each wait gives a time that the host took at least. Low: half of the waits say no more;
    usual: nine in ten; high: all."""
    stalls = trace.stalls
    known = (stalls["start_ns"] != MISSING) & (stalls["end_ns"] != MISSING)
    waits = [np.zeros(0)]
    for producer in _PRODUCERS:
        place = LANES.index(producer.kind)
        size = BufferSize(int(count[place]), int(records[place]))
        mine = known & (stalls["lane"] == trace.code(producer.lane))
        mine &= stalls[producer.owner] != MISSING32
        if producer.owner == "controller":
            mine &= stalls["core"] == MISSING32
        for number in different(stalls[producer.owner][mine]).tolist() if size.records else []:
            own = stalls.rows(np.flatnonzero(mine & (stalls[producer.owner] == number)))
            waits.append(_since_oldest(_record_times(trace, producer, number), own, size))
    every = np.concatenate(waits)
    if not len(every):
        return HostTimes()
    low, usual, high = (quantile(every, share) for share in (0.5, 0.9, 1.0))
    return HostTimes(in_ps(low), in_ps(usual), in_ps(high))


def _record_times(trace: Trace, producer: _Producer, number: int) -> Array:
    """When the producer with this number wrote its records, ns in rising order."""
    if producer.owner == "core":
        tasks = trace.tasks
        rows = np.flatnonzero(trace.ran() & (tasks["core"] == number))
        return np.sort(tasks["end_ns" if producer.lane == "core" else "finish_ns"][rows])
    phases = trace.phases
    mine = (phases["lane"] == trace.code(producer.lane)) & (phases["controller"] == number)
    return np.sort(phases["end_ns"][mine])


def _since_oldest(times_ns: Array, stalls: Table, size: BufferSize) -> Array:
    """By stall: ns from the publishing of the oldest buffer that it waited for to its end."""
    published = times_ns[size.records - 1 :: size.records]
    last = np.searchsorted(published, stalls["start_ns"] + 1, side="right") - 1
    oldest = last - size.count + 1
    usable = (oldest >= 0) & (last >= 0)
    if not usable.any():
        return np.zeros(0)
    return np.asarray(stalls["end_ns"][usable] - published[oldest[usable]])


def without_stalls(trace: Trace, time_ns: Array) -> Array:
    """Moments of the orchestrator in ns, less all that it had waited for buffers until then."""
    stalls = trace.stalls
    mine = (stalls["lane"] == trace.code("orchestrator")) & (stalls["end_ns"] != MISSING)
    order = np.argsort(stalls["end_ns"][mine], kind="stable")
    end = stalls["end_ns"][mine][order]
    total = np.append(0, np.cumsum(end - stalls["start_ns"][mine][order]))
    return np.asarray(time_ns - total[np.searchsorted(end, time_ns, side="right")])
