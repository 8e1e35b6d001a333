"""Why streams and devices were idle, with the host's rows that kept them waiting.

`reasons.py` has the rule. A stream is looked at over the span of its device. A device is idle while
none of its streams runs; the row that ends such a time is asked for the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lanescope.analyze.columns.accumulated import Accumulated
from lanescope.analyze.streams.basis import StreamBasis
from lanescope.analyze.streams.gaps import idle_gaps
from lanescope.analyze.streams.reasons import IDLE_LABELS, GapReasons, Reasoning
from lanescope.analyze.streams.work import DeviceName
from lanescope.render.cells import percent_text, time_text
from lanescope.render.names import clean
from lanescope.results import Result
from lanescope.trace.table import Array

_MOST_CAUSES = 20
"""At most so many rows of the host are named per stream."""
UNKNOWN_STREAM = "a stream that is not known"


@dataclass(frozen=True, slots=True)
class IdleReason(Result):
    """One reason, and the time that it takes."""

    what: str
    """A key of `reasons.IDLE_LABELS`."""
    label: str
    ns: int
    share: float | None
    """ns / idle time; None where there is none."""


@dataclass(frozen=True, slots=True)
class NamedTime(Result):
    """A name and the time that belongs to it."""

    name: str
    ns: int


@dataclass(frozen=True, slots=True)
class IdleTime(Result):
    """Why one stream, or one device, was idle."""

    core: int | None
    """Number of the stream in the trace; None of a device."""
    name: str
    rank: int | None
    device: int | None
    window_ns: int
    """Length of the span of the device."""
    idle_ns: int
    reasons: tuple[IdleReason, ...]
    """In the order of `reasons.IDLE_LABELS`; they add up to idle_ns."""
    events: tuple[NamedTime, ...]
    """Streams whose events were waited for, the longest first; they add up to `event`. Those that
    the source does not name, but the times tell, end in "(by the times)"."""
    host_rows: tuple[NamedTime, ...]
    """Rows of the host that were the innermost ones in the time of `host_busy` and
    `host_waiting`, by name, the longest first; at most 20."""

    def ns(self, what: str) -> int:
        """Nanoseconds of one reason."""
        return next((one.ns for one in self.reasons if one.what == what), 0)

    def __repr__(self) -> str:
        largest = sorted(self.reasons, key=lambda one: -one.ns)
        words = ", ".join(f"{one.what} {percent_text(one.share)}" for one in largest if one.ns)
        return f"<IdleTime of {clean(self.name)}: {time_text(self.idle_ns)}, {words}>"


@dataclass(frozen=True, slots=True)
class Idle(Result):
    """Why devices and streams were idle."""

    devices: tuple[IdleTime, ...]
    streams: tuple[IdleTime, ...]
    early: int
    """Rows that start before their call does: the clocks of host and device differ."""


def idle(basis: StreamBasis) -> Idle:
    """Give every idle nanosecond of every stream and device a reason."""
    work = basis.work
    rule = _Idleness(basis)
    devices, streams = [], []
    for place, name in enumerate(work.devices):
        mine = np.flatnonzero(work.device == place)
        busy = mine[work.busy[mine]]
        if not len(busy):
            continue
        window = int(work.start[busy].min()), int(work.end[busy].max())
        by_start = mine[np.argsort(work.start[mine], kind="stable")]
        devices.append(rule.of_rows(by_start, window, place, None, str(name)))
        for lane in work.lanes:
            if lane.device == place:
                rows = np.arange(lane.first, lane.last)
                streams.append(rule.of_rows(rows, window, place, lane.core, lane.name))
    early = work.launched & (work.start < work.call_start)
    return Idle(tuple(devices), tuple(streams), int(np.count_nonzero(early)))


class _Idleness:
    """The rule, with what it needs to name names."""

    def __init__(self, basis: StreamBasis) -> None:
        self._trace, self._work = basis.trace, basis.work
        self._rule = Reasoning(basis.trace, basis.work, basis.host)

    def of_rows(
        self, rows: Array, window: tuple[int, int], device: int, core: int | None, name: str
    ) -> IdleTime:
        """Why a lane with these rows of the work, sorted by start, was idle in a window."""
        work = self._work
        start = np.clip(work.start[rows], *window)
        end = np.clip(work.end[rows], *window)
        found = self._rule.of_gaps(idle_gaps(start, end, window), rows, device)
        busy = work.busy[rows]
        waited = self._waited(start, end, busy)
        total = {what: int(found.by[what].sum()) for what in IDLE_LABELS}
        total["event"] += waited
        whole = sum(total.values())
        place: DeviceName = work.devices[device]
        return IdleTime(
            core=core,
            name=name,
            rank=place.rank,
            device=place.device,
            window_ns=window[1] - window[0],
            idle_ns=whole,
            reasons=tuple(
                IdleReason(what, IDLE_LABELS[what], ns, ns / whole if whole else None)
                for what, ns in total.items()
            ),
            events=self._events(found, rows, waited),
            host_rows=_longest((self._trace.word(code), ns) for code, ns in found.names.items())[
                :_MOST_CAUSES
            ],
        )

    @staticmethod
    def _waited(start: Array, end: Array, busy: Array) -> int:
        """Time of rows that say that the stream waited, where no work ran beside them."""
        if busy.all():
            return 0
        worked = Accumulated.of_union(start[busy], end[busy]).total
        return Accumulated.of_union(start, end).total - worked

    def _events(self, found: GapReasons, rows: Array, waited: int) -> tuple[NamedTime, ...]:
        """Whose events were waited for."""
        ns = found.by["event"]
        after = np.append(rows, -1)[found.gaps.after]
        on = np.where(after >= 0, self._rule.events.on[after], -1)
        lane = np.where(on >= 0, self._work.lane[on], -1)
        times = {UNKNOWN_STREAM: waited} if waited else {}
        inferred = (on >= 0) & self._rule.events.inferred[after]
        for place in np.unique(lane[ns > 0]).tolist():
            name = self._work.lanes[place].name if place >= 0 else UNKNOWN_STREAM
            for by_times in (False, True):
                some = int(ns[(lane == place) & (inferred == by_times)].sum())
                if some:
                    told = f"{name} (by the times)" if by_times else name
                    times[told] = times.get(told, 0) + some
        return _longest(times.items())


def _longest(times: Iterable[tuple[str, int]]) -> tuple[NamedTime, ...]:
    ordered = sorted(times, key=lambda pair: (-pair[1], pair[0]))
    return tuple(NamedTime(name, ns) for name, ns in ordered)
