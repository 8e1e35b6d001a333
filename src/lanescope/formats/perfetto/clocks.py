"""Clocks of a Perfetto trace: every packet's time on the trace's own clock, and that one in UTC.

A packet may name a clock. Snapshots say what several clocks showed at one moment. The numbers
64 to 127 are clocks of one sequence, whose times may be counted from the packet before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lanescope.formats.perfetto import fields as f
from lanescope.formats.proto_rows import ProtoFile, number
from lanescope.trace import MISSING
from lanescope.trace.table import Array

_FAR_NS = 1 << 61


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one clock showed in a snapshot, in its own unit, beside the trace's clock in ns."""

    packet: int
    sequence: int
    clock: int
    value: int
    trace_ns: int | None
    incremental: bool
    unit_ns: int


@dataclass(frozen=True, slots=True)
class TraceClocks:
    """The readings of all snapshots, in the order of the file."""

    primary: int
    """Number of the trace's clock."""
    readings: tuple[_Reading, ...]

    @classmethod
    def read(cls, file: ProtoFile, snapshots: Array, sequence: Array) -> TraceClocks:
        """The clocks of a file; `snapshots` has a span per packet, which begins at -1 for most."""
        at = np.flatnonzero(snapshots[:, 0] >= 0)
        [asked] = file.columns(snapshots[at], number(f.SNAPSHOT_PRIMARY))
        named = asked[asked > 0]
        primary = int(named[0]) if len(named) else f.CLOCK_BOOTTIME
        readings = tuple(_readings(file, snapshots, at, sequence, primary))
        return cls(primary, readings)

    @property
    def utc_ns(self) -> int | None:
        """UTC at 0 ns of the trace's clock; None where no snapshot has both."""
        if self.primary == f.CLOCK_REALTIME:
            return 0
        for one in self.readings:
            if one.clock == f.CLOCK_REALTIME and one.trace_ns is not None:
                return one.value * one.unit_ns - one.trace_ns
        return None

    def trace_times(self, time: Array, clock: Array, sequence: Array) -> tuple[Array, int]:
        """The packets' times on the trace's clock, and how many are of a clock nobody explains.

        `time` is MISSING for packets without one; `clock` is 0 for the trace's own.
        """
        found = time.copy()
        foreign = (time != MISSING) & (clock != 0) & (clock != self.primary)
        unknown = 0
        for which in np.unique(clock[foreign]).tolist():
            own = f.FIRST_SEQUENCE_CLOCK <= which <= f.LAST_SEQUENCE_CLOCK
            of_clock = foreign & (clock == which)
            for scope in np.unique(sequence[of_clock]).tolist() if own else [None]:
                rows = np.flatnonzero(of_clock & (sequence == scope) if own else of_clock)
                known = [
                    one
                    for one in self.readings
                    if one.clock == which and (scope is None or one.sequence == scope)
                ]
                if any(one.trace_ns is not None for one in known):
                    found[rows] = _translated(time[rows], rows, known)
                else:
                    unknown += len(rows)
        return found, unknown


def _readings(
    file: ProtoFile, snapshots: Array, at: Array, sequence: Array, primary: int
) -> Iterator[_Reading]:
    owner, spans = file.repeated(snapshots[at], f.SNAPSHOT_CLOCKS)
    columns = file.columns(
        spans,
        number(f.CLOCK_ID),
        number(f.CLOCK_TIMESTAMP),
        number(f.CLOCK_INCREMENTAL),
        number(f.CLOCK_UNIT, missing=1),
    )
    clock, value, incremental, told = (column.tolist() for column in columns)
    unit = [max(one, 1) for one in told]
    packets = at[owner].tolist()
    # A reading of more than 73 years is damage; it relates no clocks.
    sound = [abs(v * u) < _FAR_NS for v, u in zip(value, unit, strict=True)]
    trace_ns = {
        packet: value[row] * unit[row]
        for row, packet in enumerate(packets)
        if clock[row] == primary and sound[row]
    }
    for row, packet in enumerate(packets):
        if not sound[row]:
            continue
        yield _Reading(
            packet=packet,
            sequence=int(sequence[packet]),
            clock=clock[row],
            value=value[row],
            trace_ns=trace_ns.get(packet),
            incremental=bool(incremental[row]),
            unit_ns=unit[row],
        )


def _translated(time: Array, rows: Array, known: list[_Reading]) -> Array:
    """Times of one clock, each by the last snapshot before its packet, or by the first one."""
    result = time.copy()
    usable = [one for one in known if one.trace_ns is not None]
    place = np.searchsorted([one.packet for one in usable], rows, side="right") - 1
    for k, one in enumerate(usable):
        mine = np.maximum(place, 0) == k
        values = time[mine]
        if one.incremental:
            values = one.value + np.cumsum(values)
        assert one.trace_ns is not None
        result[mine] = one.trace_ns + (values - one.value) * one.unit_ns
    return result
