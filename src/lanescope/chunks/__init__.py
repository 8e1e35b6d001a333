"""The stream of 4-byte chunks that a core's trace engine writes: layout, encoder, decoder, join.

encode_task(Stamp(counter=…, block=…), merge(busy_events(…), mark_events(…)))  → uint32 chunks
decode(data, Clocks(core_hz=…, counter_hz=…))                                  → Decoded
    attach(trace, {core: decoded, …})                                              → Trace
"""

from lanescope.chunks.clocks import Clocks
from lanescope.chunks.decoder import decode
from lanescope.chunks.encoder import (
    ChunkEvents,
    StartStamp,
    busy_events,
    encode_task,
    mark_events,
    merge,
    stamp_chunks,
)
from lanescope.chunks.layout import FILLER, SENTINEL
from lanescope.chunks.result import ByteAccount, Decoded, Reason
from lanescope.chunks.task_join import attach

__all__ = [
    "FILLER",
    "SENTINEL",
    "ByteAccount",
    "ChunkEvents",
    "Clocks",
    "Decoded",
    "Reason",
    "StartStamp",
    "attach",
    "busy_events",
    "decode",
    "encode_task",
    "mark_events",
    "merge",
    "stamp_chunks",
]
