"""The stream of 4-byte chunks that a core's trace engine writes: layout, encoder, decoder, join.

encode_task(Stamp(counter=…, block=…), merge(busy_events(…), mark_events(…)))  → uint32 chunks
decode(data, Clocks(core_hz=…, counter_hz=…))                                  → Decoded
attach(trace, {core: decoded, …})                                              → Trace
join_marks(trace)                                                              → Trace with regions
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
from lanescope.chunks.regions import MarkNames, join_marks
from lanescope.chunks.result import ByteAccount, Decoded, Reason
from lanescope.chunks.task_join import attach

__all__ = [
    "FILLER",
    "SENTINEL",
    "ByteAccount",
    "ChunkEvents",
    "Clocks",
    "Decoded",
    "MarkNames",
    "Reason",
    "StartStamp",
    "attach",
    "busy_events",
    "decode",
    "encode_task",
    "join_marks",
    "mark_events",
    "merge",
    "stamp_chunks",
]
