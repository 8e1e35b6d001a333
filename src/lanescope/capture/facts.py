"""What the trace of a capture says about itself: level, clock, buffers, and notes on its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from lanescope import __version__
from lanescope.capture.slices import UnitClocks
from lanescope.device.head import ON_FULL, PROTOCOLS, Head
from lanescope.device.kinds import KINDS
from lanescope.trace import HostClock, Meta, Trace
from lanescope.trace.flags import Feature, flags_level, level_flags
from lanescope.trace.meta import BufferSize, RecordingFacts

if TYPE_CHECKING:
    from lanescope.capture.assemble import CaptureContents
    from lanescope.capture.totals import RowTotals

_MOST_NAMED = 8
"""How many lanes a note names."""


def capture_meta(
    capture: CaptureContents, totals: RowTotals, base: int, *, clocks: UnitClocks | None
) -> Meta:
    """Return what is known of the recording; `base` is 0 ns, in cycles. The ledger is not in it."""
    header = capture.head.header
    flags = Feature(int(header["flags"]))
    level = flags_level(flags)
    return Meta(
        name=capture.name,
        tool=f"lanescope {__version__}",
        origin="measured",
        chip=capture.note.chip,
        clock_hz=int(header["clock_hz"]),
        base_cycles=base,
        level=level,
        flags=int(flags),
        queues=capture.plan.meta.queues if capture.plan is not None else (),
        host_clock=_host_clock(header, base),
        notes=_row_notes(totals),
        recording=_recording(capture, clocks),
        work=capture.plan.meta.work if capture.plan is not None else None,
    )


def of_cores_alone(meta: Meta) -> Meta:
    """Return the facts of a program without controllers, whatever level was asked for."""
    note = f"Level {meta.level} was asked for, but the program recorded no controllers."
    level = flags_level(Feature(meta.flags) & level_flags(1))
    return msgspec.structs.replace(meta, level=level, notes=(*meta.notes, note))


def _recording(capture: CaptureContents, clocks: UnitClocks | None) -> RecordingFacts:
    """Return what the plan, the header of the region and the cores' clocks say of the recording."""
    header = capture.head.header
    facts = msgspec.structs.replace(
        planned_recording(capture.plan),
        protocol=PROTOCOLS[header["protocol"]],
        on_full=ON_FULL[header["on_full"]],
        pre_dispatch=int(header["pre_dispatch"]),
        region_bytes=int(header["region_bytes"]),
        buffers=_buffers(capture.head),
    )
    told = {core.kind: core.clock_hz for core in capture.head.cores if core.clock_hz}
    facts = msgspec.structs.replace(facts, core_hz={**facts.core_hz, **told})
    return msgspec.structs.replace(facts, **clocks._asdict()) if clocks is not None else facts


def planned_recording(plan: Trace | None) -> RecordingFacts:
    """Return what was known of the recording before the run began."""
    planned = plan.meta.recording if plan is not None else None
    return planned or RecordingFacts()


def _buffers(head: Head) -> dict[str, BufferSize]:
    """Return by kind of record how many buffers a lane has, and how many records a buffer holds."""
    return {
        KINDS[int(lane["kind"])]: BufferSize(
            count=int(lane["buffer_count"]), records=int(lane["buffer_records"])
        )
        for lane in head.lanes
    }


def _row_notes(totals: RowTotals) -> tuple[str, ...]:
    if not totals.twice:
        return ()
    return (
        f"{totals.twice} task rows share their (core, token) with another one and were not joined.",
    )


def time_notes(totals: RowTotals, wrong: Mapping[int, int], head: Head) -> tuple[str, ...]:
    """Say which tasks and phases have times that cannot be right, and where they are."""
    cores = ", ".join(f"core {core}" for core in sorted(totals.bad_cores)[:_MOST_NAMED])
    lanes = ", ".join(head.lane_name(lane) for lane in list(wrong)[:_MOST_NAMED])
    ending = (
        "have times that cannot be right (zero, far outside the run, or backwards), which are "
        "left out:"
    )
    notes = []
    if totals.bad:
        notes.append(f"{totals.bad} task rows {ending} {cores}.")
    if wrong:
        notes.append(f"{sum(wrong.values())} phases {ending} {lanes}.")
    return tuple(notes)


def _host_clock(header: np.void, base: int) -> HostClock | None:
    """Return the host's clock at `base` cycles; None where the region does not tell it."""
    if int(header["clock_unix_ns"]) == 0:
        return None
    ahead = base - int(header["clock_cycles"])
    ns = ahead * 1_000_000_000 // int(header["clock_hz"])
    return HostClock(
        host_ns=int(header["clock_unix_ns"]) + ns,
        drift_ppb=0,
        error_ns=int(header["clock_error_ns"]),
        status="calibrated",
    )
