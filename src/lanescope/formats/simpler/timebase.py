"""Finds where 0 ns is, and lays every raw time of a run on that axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.simpler.host import UNALIGNED, ClockFit, clock_by_order, fit_clock
from lanescope.formats.simpler.records import Array, PhaseList, Records
from lanescope.trace import MISSING, HostClock
from lanescope.trace.clock import cycles_to_ns
from lanescope.trace.task_rows import TaskRows

_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class TimeBase:
    """The axis: `base_cycles` and `shift_ns` place the device's counter, `fit` the host's clock."""

    records: Records | None
    base_cycles: int | None
    shift_ns: int
    fit: ClockFit | None
    host_zero: int | None
    """host time at 0 ns where there is no device clock to fit to"""
    has_host: bool = False
    """whether there are host times to lay on the axis"""

    def device(self, raw: Array) -> Array:
        """Raw device times to nanoseconds."""
        if self.records is None or self.records.clock_hz is None:
            return raw
        assert self.base_cycles is not None
        try:
            _require_near(raw, self.base_cycles)
            ns = cycles_to_ns(raw, self.records.clock_hz, self.base_cycles)
        except OverflowError as error:
            raise InputError(self.records.path, f"the times span too far: {error}") from error
        return np.where(ns == MISSING, MISSING, ns - self.shift_ns) if self.shift_ns else ns

    def host(self, raw: Array) -> Array:
        """Host nanoseconds to ns, rounded; MISSING where the clocks could not be aligned."""
        known = raw != MISSING
        if self.host_zero is not None:
            return np.where(known, raw - self.host_zero, MISSING)
        if self.fit is None or self.base_cycles is None:
            return np.full(len(raw), MISSING)
        ns = np.where(known, _host_to_device(self.fit, np.where(known, raw, 0)), MISSING)
        base = self._base_from_anchor()
        _require_near(ns, base)
        return np.where(known, ns - base, MISSING)

    def clock(self) -> HostClock | None:
        """How the host's clock lies over the device's; None where there is no such pair."""
        if self.host_zero is not None:
            return None
        if self.fit is None:
            return UNALIGNED if self.has_host else None
        return self.fit.clock(self._base_from_anchor())

    def _base_from_anchor(self) -> int:
        assert self.fit is not None and self.base_cycles is not None and self.records is not None
        assert self.records.clock_hz is not None
        cycles = self.base_cycles - self.fit.cycles
        return cycles * _NS // self.records.clock_hz + self.shift_ns


def find_base(
    records: Records | None,
    tasks: TaskRows | None,
    loose: list[PhaseList],
    placed: ClockFit | None = None,
) -> TimeBase:
    """Choose 0 ns: the earliest captured moment of the records file or of its host phases.

    Loose host phases before it get negative times. `placed` is how the host's clock lies over the
    device's where something beside the records file tells it.
    """
    if records is None or tasks is None:
        starts = [int(phases.start.min()) for phases in loose if len(phases.start)]
        return TimeBase(None, None, 0, None, min(starts, default=0))
    has_host = bool(records.host or loose)
    if records.clock_hz is None:
        return TimeBase(records, None, 0, None, None, has_host)
    base = _first_cycle(records, tasks)
    fit = placed
    if fit is None and records.host:
        fit = fit_clock(records.host.anchors, records.clock_hz)
        fit = fit or clock_by_order(records.host, base)
    if fit is None:
        return TimeBase(records, base if base is not None else 0, 0, None, None, has_host)
    return _with_host(records, base, fit)


def _first_cycle(records: Records, tasks: TaskRows) -> int | None:
    """The earliest captured cycle.

    Task rows that are damaged or have no partner count only where there are no others.
    """
    whole = tasks.flags == 0
    rows = whole if whole.any() else tasks.usable
    parts = [(times, rows) for times in tasks.times.values()]
    parts += [(phases.start, ~phases.backward) for phases in records.phases]
    lows = [_least(times if chosen.all() else times[chosen]) for times, chosen in parts]
    return min((low for low in lows if low is not None), default=None)


def _least(times: Array) -> int | None:
    """The earliest time that is known."""
    low = int(times.min(initial=np.iinfo(np.int64).max))
    if low == MISSING:
        times = times[times != MISSING]
        low = int(times.min(initial=np.iinfo(np.int64).max))
    return low if len(times) else None


def _with_host(records: Records, base: int | None, fit: ClockFit) -> TimeBase:
    assert records.clock_hz is not None
    host = records.host.phases if records.host else []
    starts = [_host_to_device(fit, p.start[~p.backward]) for p in host]
    low = min((int(ns.min()) for ns in starts if len(ns)), default=None)
    if base is None and low is None:
        return TimeBase(records, 0, 0, fit, None)
    device = None if base is None else (base - fit.cycles) * _NS // records.clock_hz
    if low is None or (device is not None and device <= low):
        return TimeBase(records, base, 0, fit, None)
    cycles = fit.cycles + low * records.clock_hz // _NS
    shift = low - (cycles - fit.cycles) * _NS // records.clock_hz
    return TimeBase(records, cycles, shift, fit, None)


def _require_near(times: Array, base: int) -> None:
    """Raise OverflowError where a time is further from the base than 64 bits hold."""
    low = _least(times)
    if low is not None:
        furthest = max(abs(low - base), abs(int(times.max()) - base))
        if furthest >= 1 << 63:
            raise OverflowError(f"{furthest} is too far from the first moment")


def _host_to_device(fit: ClockFit, host_ns: Array) -> Array:
    """Host ns to ns after the first anchor: whole numbers exactly, the drift as a small float."""
    zero = math.floor(fit.host)
    delta = host_ns - zero
    drift = float(fit.slope - 1)
    part = float((fit.host - zero) * fit.slope)
    return delta + np.rint(delta * drift - part).astype(np.int64)
