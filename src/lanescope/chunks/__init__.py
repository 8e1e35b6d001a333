"""The 4-byte chunk stream that a core's trace engine writes: layout, encoder, decoder.

encode_task(Stamp(counter=…, block=…), merge(busy_events(…), mark_events(…)))  → uint32 chunks
decode(data, Clocks(core_hz=…, counter_hz=…))                                  → Decoded
"""

from lanescope.chunks.clocks import Clocks
from lanescope.chunks.decode import decode
from lanescope.chunks.encode import (
    Events,
    Stamp,
    busy_events,
    encode_task,
    mark_events,
    merge,
    stamp_chunks,
)
from lanescope.chunks.layout import FILLER, SENTINEL
from lanescope.chunks.result import Account, Decoded, Reason

__all__ = [
    "FILLER",
    "SENTINEL",
    "Account",
    "Clocks",
    "Decoded",
    "Events",
    "Reason",
    "Stamp",
    "busy_events",
    "decode",
    "encode_task",
    "mark_events",
    "merge",
    "stamp_chunks",
]
