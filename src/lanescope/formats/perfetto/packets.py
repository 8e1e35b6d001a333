"""The packets of a Perfetto trace as columns, with the state that they inherit from earlier ones.

A sequence is what one writer wrote, in order. Names are told once and then meant by number, until
the writer clears that state: packets of a sequence between two clearings are of one generation.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from lanescope.errors import InputError
from lanescope.formats.packed import MOST
from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.clocks import TraceClocks
from lanescope.formats.proto_rows import ProtoFile, content, number, optional
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class Packets:
    """One row per packet, in the order of the file."""

    file: ProtoFile
    time: Array
    """On the trace's clock, in ns; MISSING where the packet has none."""
    sequence: Array
    generation: Array
    """Number that packets of one sequence share whose interned names are the same."""
    default_track: Array
    """Track of the events that name none; 0 where the sequence has no default."""
    event: Array
    """Span of the track event; it begins at -1 where the packet has none."""
    interned: Array
    descriptor: Array
    thread: Array
    clocks: TraceClocks
    unknown_clock: int
    """How many packets have a time of a clock that no snapshot explains."""


def read_packets(file: ProtoFile) -> Packets:
    """Read all packets of a file; packets that are packed inside others are unpacked."""
    _, spans = file.repeated(file.whole, f.TRACE_PACKET)
    packed, zstd = file.columns(
        spans, content(f.PACKET_COMPRESSED), content(f.PACKET_COMPRESSED_ZSTD)
    )
    if (packed[:, 0] >= 0).any() or (zstd[:, 0] >= 0).any():
        file = _unpacked(file, spans, packed, zstd)
        _, spans = file.repeated(file.whole, f.TRACE_PACKET)
    time, clock, sequence, flags, cleared, snapshot, defaults, event, interned, track, thread = (
        file.columns(
            spans,
            optional(f.PACKET_TIMESTAMP),
            number(f.PACKET_CLOCK_ID),
            number(f.PACKET_SEQUENCE),
            number(f.PACKET_SEQUENCE_FLAGS),
            number(f.PACKET_STATE_CLEARED),
            content(f.PACKET_CLOCK_SNAPSHOT),
            content(f.PACKET_DEFAULTS),
            content(f.PACKET_TRACK_EVENT),
            content(f.PACKET_INTERNED_DATA),
            content(f.PACKET_TRACK_DESCRIPTOR),
            content(f.PACKET_THREAD),
        )
    )
    clears = (flags & f.SEQUENCE_STATE_CLEARED != 0) | (cleared != 0)
    generation = _generations(sequence, clears)
    of_clock, of_track = _defaults(file, defaults, sequence, generation)
    clocks = TraceClocks.read(file, snapshot, sequence)
    clock = np.where(clock == 0, of_clock, clock)
    time, unknown = clocks.trace_times(time, clock, sequence)
    return Packets(
        file=file,
        time=time,
        sequence=sequence,
        generation=generation,
        default_track=of_track,
        event=event,
        interned=interned,
        descriptor=track,
        thread=thread,
        clocks=clocks,
        unknown_clock=unknown,
    )


class InternedNames:
    """Interned texts of one kind, by generation and number."""

    def __init__(self, packets: Packets, field: int) -> None:
        file = packets.file
        at = np.flatnonzero(packets.interned[:, 0] >= 0)
        owner, entries = file.repeated(packets.interned[at], field)
        iid, spans = file.columns(entries, number(f.NAME_IID), content(f.NAME_TEXT))
        code, self.texts = file.texts(spans)
        self._iids = np.unique(iid)
        keys = self._keys(packets.generation[at[owner]], iid)
        order = np.argsort(keys, kind="stable")
        self._known, self._codes = keys[order], code[order]

    def find(self, generation: Array, iid: Array) -> Array:
        """Place of each text in `texts`, -1 where the number stands for none."""
        if not len(self._known):
            return np.full(len(iid), -1, np.int64)
        keys = self._keys(generation, iid)
        place = np.searchsorted(self._known, keys, side="right") - 1
        hit = (place >= 0) & (self._known[place] == keys) & np.isin(iid, self._iids)
        return np.where(hit, self._codes[place], -1)

    def _keys(self, generation: Array, iid: Array) -> Array:
        return generation * (len(self._iids) + 1) + np.searchsorted(self._iids, iid)


def _generations(sequence: Array, clears: Array) -> Array:
    order = np.argsort(sequence, kind="stable")
    sorted_ = sequence[order]
    begins = np.r_[True, sorted_[1:] != sorted_[:-1]][: len(order)] | clears[order]
    generation = np.empty(len(order), np.int64)
    generation[order] = np.cumsum(begins)
    return generation


def _defaults(
    file: ProtoFile, defaults: Array, sequence: Array, generation: Array
) -> tuple[Array, Array]:
    """Clock and track that the last defaults of its generation give to each packet, 0 for none."""
    clock, events = file.columns(
        defaults, number(f.DEFAULTS_CLOCK_ID), content(f.DEFAULTS_TRACK_EVENT)
    )
    [track] = file.columns(events, number(f.EVENT_TRACK_UUID))
    order = np.lexsort((np.arange(len(generation)), generation))
    has = np.where(defaults[order, 0] >= 0, np.arange(len(order)), -1)
    last = np.maximum.accumulate(has) if len(has) else has
    source = order[np.maximum(last, 0)] if len(order) else order
    known = (last >= 0) & (generation[source] == generation[order])
    found = []
    for values in (clock, track):
        column = np.zeros(len(order), np.int64)
        column[order] = np.where(known, values[source], 0)
        found.append(column)
    return found[0], found[1]


def _unpacked(file: ProtoFile, spans: Array, packed: Array, zstd: Array) -> ProtoFile:
    """The file with the packets that were packed inside packets in their place."""
    ends = spans.sum(axis=1)
    pieces: list[bytes] = []
    size, limit, done = 0, MOST * len(file.data) + (1 << 20), 0
    for row in np.flatnonzero((packed[:, 0] >= 0) | (zstd[:, 0] >= 0)).tolist():
        pieces.append(bytes(file.data[done : int(ends[row - 1]) if row else 0]))
        done = int(ends[row])
        pieces.append(_inflated(file, packed[row].tolist(), zstd[row].tolist(), limit - size))
        size += len(pieces[-2]) + len(pieces[-1])
    pieces.append(bytes(file.data[done:]))
    return replace(file, data=np.frombuffer(b"".join(pieces), np.uint8))


def _inflated(file: ProtoFile, packed: list[int], zstd: list[int], limit: int) -> bytes:
    begin, length = packed if packed[0] >= 0 else zstd
    raw = bytes(file.data[begin : begin + length])
    try:
        if packed[0] >= 0:
            unpacked = zlib.decompressobj().decompress(raw, max(limit, 1) + 1)
        else:
            with pa.CompressedInputStream(pa.BufferReader(raw), "zstd") as stream:
                unpacked = stream.read(max(limit, 1) + 1)
    except (zlib.error, OSError) as error:
        problem = f"byte {begin:,}: packets inside a packet cannot be unpacked ({error})"
        raise InputError(file.path, f"{problem}; the file is damaged") from error
    if len(unpacked) > limit:
        problem = f"unpacks to more than {MOST} times its size, so it was refused"
        raise InputError(file.path, problem)
    return unpacked
