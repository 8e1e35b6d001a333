"""One trace of all processes that one `collect` recorded: each is a rank, on the clock of all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lanescope.trace import HostClock, Meta, Trace
from lanescope.trace.merge import Part, merge
from lanescope.trace.run_parts import recorded_span

NANO = 1_000_000_000
_NAMED = 8


def one_trace(name: str, traces: Sequence[Trace]) -> Trace:
    """Put the traces of processes into one; `cores.process` says whose a core is.

    The processes ran on one machine. Where their counters have one rate and agree with its clock
    they are the same counter, and times of two processes are as exact as those of one. Otherwise
    each is placed by the machine's clock, which every process reads once, and counts on at the rate
    that it measured; or it begins at 0 ns where its region does not tell that moment.
    """
    if len(traces) == 1:
        return traces[0]
    known = [t.meta for t in traces if t.meta.host_clock is not None]
    origin = min(known, key=_host_ns, default=None)
    parts = [_part(_owned(trace), rank, origin) for rank, trace in enumerate(traces)]
    found = merge(name, parts)
    numbers = [trace.meta.process for trace in traces]
    return found.with_meta(
        process=None,
        host_clock=None if origin is None else _host_clock(origin, known),
        notes=(*found.meta.notes, *_notes(parts, numbers, known)),
    )


def _host_ns(meta: Meta) -> int:
    assert meta.host_clock is not None
    return meta.host_clock.host_ns


def _owned(trace: Trace) -> Trace:
    """The trace whose cores know their process."""
    if trace.meta.process is None:
        return trace
    process = np.full(len(trace.cores), trace.meta.process, np.int64)
    return replace(trace, cores=trace.cores.replace(process=process))


def _part(trace: Trace, rank: int, origin: Meta | None) -> Part:
    meta = trace.meta
    if origin is None or origin.host_clock is None or meta.host_clock is None:
        return Part(trace=trace, rank=rank, clock="unknown", slack_ns=None)
    shift = meta.host_clock.host_ns - origin.host_clock.host_ns
    counted = _counted_ns(meta, origin)
    if counted is not None and abs(counted - shift) <= _error_ns(meta) + _error_ns(origin):
        return Part(trace=trace, rank=rank, shift_ns=counted, clock="device")
    return Part(trace=trace, rank=rank, shift_ns=shift, clock="anchors")


def _counted_ns(meta: Meta, origin: Meta) -> int | None:
    """From one 0 ns to the other by the counter; None where they cannot be the same counter."""
    if meta.clock_hz is None or meta.clock_hz != origin.clock_hz:
        return None
    if meta.base_cycles is None or origin.base_cycles is None:
        return None
    passed = (meta.base_cycles - origin.base_cycles) * NANO // meta.clock_hz
    return passed + meta.base_shift_ns - origin.base_shift_ns


def _error_ns(meta: Meta) -> int:
    return 0 if meta.host_clock is None else meta.host_clock.error_ns + meta.host_clock.slack_ns


def _host_clock(origin: Meta, known: Sequence[Meta]) -> HostClock:
    return HostClock(
        host_ns=_host_ns(origin),
        drift_ppb=0,
        error_ns=max(_error_ns(meta) for meta in known),
        status="calibrated",
    )


def _apart_ns(parts: Sequence[Part], known: Sequence[Meta]) -> int:
    """How far two processes may be apart: the readings of both, and what their rates differ by."""
    ends = [span[1] for part in parts if (span := recorded_span(part.trace)) is not None]
    rates = [meta.clock_hz for meta in known if meta.clock_hz]
    wander = (max(rates) - min(rates)) / min(rates) * max(ends, default=0) if rates else 0.0
    return 2 * max(_error_ns(meta) for meta in known) + math.ceil(wander)


def _notes(
    parts: Sequence[Part], numbers: Sequence[int | None], known: Sequence[Meta]
) -> list[str]:
    """Which rank is which process, and how well they are placed beside each other."""
    named = [f"rank {rank} is process {n}" for rank, n in enumerate(numbers) if n is not None]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    notes = [f"Ranks are processes of one run: {', '.join(named[:_NAMED])}{more}."] if named else []
    if any(part.clock == "anchors" for part in parts):
        notes.append(
            "The processes count on clocks of their own, which the machine's clock joins; the "
            f"order between two of them is not known within {_apart_ns(parts, known):,} ns."
        )
    lost = [str(part.rank) for part in parts if part.clock == "unknown"]
    if lost:
        notes.append(
            f"Nothing tells when rank {', '.join(lost)} ran beside the others; it is drawn from "
            "0 ns."
        )
    return notes
