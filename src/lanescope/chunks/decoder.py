"""Decodes chunks to what the core did, in whole columns; the bits are CHUNK LAYOUT in layout.py.

Damaged bytes raise nothing. They are counted, with their offset and a reason.
"""

from __future__ import annotations

import numpy as np

from lanescope.chunks.classify import Chunks, Tail, split
from lanescope.chunks.clocks import Clocks
from lanescope.chunks.intervals import pair
from lanescope.chunks.layout import BUSY_MASK, CHUNK_BYTES, EVENTS_MASK, MARK_CODES, STAMP_CHUNKS
from lanescope.chunks.result import ByteAccount, Damaged, Decoded, Marks, Reason, Stamps
from lanescope.chunks.stamps import SortedStamps, find_stamps
from lanescope.chunks.times import Times, chunk_times
from lanescope.trace.table import Array

_PIPE_OF = np.zeros(16, np.int8)
_PIPE_OF[list(MARK_CODES)] = list(MARK_CODES.values())


def decode(data: bytes | bytearray | memoryview | Array, clocks: Clocks) -> Decoded:
    """Decode the whole stream of one core. Join pieces that were read separately before."""
    octets = np.frombuffer(data, np.uint8)
    whole = len(octets) // CHUNK_BYTES * CHUNK_BYTES
    chunks, tail = split(octets[:whole].view("<u4"))
    stamps = find_stamps(chunks.words, chunks.stamp, clocks)
    times = chunk_times(chunks, stamps, clocks)
    state, mark = _timed(chunks.state, times), _timed(chunks.mark, times)
    busy, unpaired = pair(
        (chunks.high[chunks.state] & BUSY_MASK).astype(np.uint8),
        times.time[chunks.state],
        None if times.known is None else times.known[chunks.state],
    )
    damaged = _damaged((chunks, tail, stamps), times, len(octets))
    decoded = len(state) + len(mark) + STAMP_CHUNKS * len(stamps.trusted)
    return Decoded(
        clocks=clocks,
        base_ticks=times.base_ticks,
        stamps=Stamps(times.stamps, stamps.block),
        busy=busy,
        marks=_marks(chunks, mark, times),
        unpaired=unpaired,
        damaged=damaged,
        account=ByteAccount(
            total=len(octets),
            decoded=CHUNK_BYTES * decoded,
            filler=CHUNK_BYTES * (len(chunks.filler) + tail.filler),
            sentinel=CHUNK_BYTES * tail.sentinel,
            stub=CHUNK_BYTES * tail.stub,
            damaged=int(damaged.bytes.sum()),
        ),
    )


def _timed(at: Array, times: Times) -> Array:
    """Return those of the positions whose chunk has a known time."""
    return at if times.known is None else at[times.known[at]]


def _marks(chunks: Chunks, at: Array, times: Times) -> Marks:
    high = chunks.high[at]
    ctrl = (high >> 12).astype(np.int8)
    return Marks(_PIPE_OF[ctrl], ctrl, (high & EVENTS_MASK).astype(np.int16), times.time[at])


def _damaged(parts: tuple[Chunks, Tail, SortedStamps], times: Times, total: int) -> Damaged:
    """List every chunk that could not be used, once, sorted by offset."""
    chunks, tail, stamps = parts
    no_time, late = _without_time(chunks, times)
    places = {
        Reason.UNKNOWN_CODE: chunks.unknown,
        Reason.BROKEN_STAMP: stamps.broken,
        Reason.STAMP_OUT_OF_ORDER: (stamps.doubtful[:, None] + np.arange(STAMP_CHUNKS)).ravel(),
        Reason.NO_TIME: no_time,
        Reason.PAST_NEXT_STAMP: late,
        Reason.AFTER_THE_END: tail.after,
    }
    cut = total % CHUNK_BYTES
    at = np.concatenate(list(places.values()))
    reason = np.repeat(np.array(list(places), np.int8), [len(p) for p in places.values()])
    order = np.argsort(at, kind="stable")
    sizes = np.full(len(at), CHUNK_BYTES, np.int64)
    if not cut:
        return Damaged(at[order] * CHUNK_BYTES, sizes, reason[order])
    return Damaged(
        np.append(at[order] * CHUNK_BYTES, total - cut),
        np.append(sizes, cut),
        np.append(reason[order], np.int8(Reason.CUT_OFF)),
    )


def _without_time(chunks: Chunks, times: Times) -> tuple[Array, Array]:
    """Return the states and marks without a good stamp before them, and those past the next one."""
    if times.known is None:
        return chunks.state[:0], chunks.state[:0]
    content = np.concatenate([chunks.state, chunks.mark])
    content = content[~times.known[content]]
    late = np.isin(content, times.late)
    return content[~late], content[late]
