"""Decodes the bursts of the cores' trace engines, and adds them to a trace as marks.

The bursts of a core are its chunk stream. A sentinel ends a stream. What follows it is another
stream: the engine lost chunks there, so no time carries over.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lanescope.capture.gather import Gathered
from lanescope.chunks import Clocks, decode
from lanescope.chunks.parts import attach_parts, split_parts
from lanescope.device.head import Array, Head
from lanescope.device.kinds import KINDS
from lanescope.trace import Trace

NO_CLOCKS = (
    "The clocks of the cores are not known, so what their trace engines wrote was not decoded."
)


def with_bursts(trace: Trace, gathered: Gathered, head: Head, core_hz: Mapping[str, int]) -> Trace:
    """Return the trace with the marks of every core that has bursts.

    `core_hz` is the clock of each kind of core in Hz, for cores of which the region does not tell
    it. Where one of them is not known, nothing is decoded, and a note says so.
    """
    streams = core_streams(gathered, head)
    if not streams:
        return trace
    own = {core: head.cores[core] for core in streams}
    hz = {core: one.clock_hz or core_hz.get(one.kind, 0) for core, one in own.items()}
    if not all(hz.values()):
        return trace.with_meta(notes=(*trace.meta.notes, NO_CLOCKS))
    counter_hz = int(head.header["clock_hz"])
    decoded = {
        core: [decode(part, Clocks(hz[core], counter_hz)) for part in parts]
        for core, parts in streams.items()
    }
    return attach_parts(trace, decoded)


def core_streams(gathered: Gathered, head: Head) -> dict[int, list[Array]]:
    """Return the streams of each core in recorded order, without the cores that wrote nothing."""
    streams = {}
    for lane in np.flatnonzero(head.lanes["kind"] == KINDS.index("burst")).tolist():
        chunks = gathered.records[lane]["chunks"]
        if len(chunks):
            streams[int(head.lanes["owner"][lane])] = split_parts(chunks.tobytes())
    return streams
