"""Track events of a Perfetto trace as columns, begins paired with their ends, flows as arrows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto.packets import InternedNames, Packets
from lanescope.formats.proto_rows import (
    FIXED64,
    VARINT,
    as_doubles,
    content,
    double,
    number,
    optional,
)
from lanescope.formats.tracks.pairing import pair_ends
from lanescope.trace import MISSING
from lanescope.trace.table import Array

BEGIN, END, INSTANT, COUNTER, COMPLETE = 1, 2, 3, 4, 5
"""Types of event; COMPLETE is a begin that knows its duration, of older writers."""
_LEGACY_PHASES = {
    **dict.fromkeys("BbS", BEGIN),
    **dict.fromkeys("EeF", END),
    **dict.fromkeys("IinR", INSTANT),
    "X": COMPLETE,
}
_ASYNC = tuple(map(ord, "beSFn"))
_ASYNC_BIT = np.int64(1) << 62


@dataclass(frozen=True, slots=True)
class TrackEvents:
    """One row per event that has a time, in the order of time, then of the file."""

    packet: Array
    spans: Array
    type: Array
    """One of the types above; 0 where the event has none that is known."""
    time: Array
    duration: Array
    """Of COMPLETE, in ns."""
    track: Array
    """uuid of the track, or a number made of the id of an asynchronous event."""
    name: Array
    """Index into `names`."""
    names: list[str]
    value: Array
    """Of COUNTER."""
    untimed: int
    """How many events have no time."""


def read_track_events(packets: Packets) -> TrackEvents:
    """Read the events of all packets."""
    file = packets.file
    at = np.flatnonzero(packets.event[:, 0] >= 0)
    spans = packets.event[at]
    kind, name_iid, name_text, track, whole, real, absolute, legacy = file.columns(
        spans,
        number(f.EVENT_TYPE),
        number(f.EVENT_NAME_IID),
        content(f.EVENT_NAME),
        optional(f.EVENT_TRACK_UUID),
        number(f.EVENT_COUNTER),
        double(f.EVENT_DOUBLE_COUNTER),
        optional(f.EVENT_ABSOLUTE_US),
        content(f.EVENT_LEGACY),
    )
    old = _Legacy(packets, legacy)
    kind = np.where(kind == 0, old.type, kind)
    time = packets.time[at]
    time = np.where((time == MISSING) & (absolute != MISSING), absolute * 1000, time)
    name_iid = np.where(name_iid == 0, old.name_iid, name_iid)
    name, names = _names(packets, at, name_iid, name_text)
    track = np.where(track == MISSING, packets.default_track[at], track)
    real = as_doubles(real)
    timed = np.flatnonzero(time != MISSING)
    order = timed[np.argsort(time[timed], kind="stable")]
    return TrackEvents(
        packet=at[order],
        spans=spans[order],
        type=kind[order],
        time=time[order],
        duration=old.duration[order],
        track=np.where(old.track != 0, old.track, track)[order],
        name=name[order],
        names=names,
        value=np.where(np.isnan(real), whole.astype(np.float64), real)[order],
        untimed=len(time) - len(timed),
    )


class _Legacy:
    """What events carry over from the JSON format: phase, duration, ids."""

    def __init__(self, packets: Packets, spans: Array) -> None:
        phase, self.name_iid, duration, unscoped, local, global_, scope = packets.file.columns(
            spans,
            number(f.LEGACY_PHASE),
            number(f.LEGACY_NAME_IID),
            number(f.LEGACY_DURATION_US),
            optional(f.LEGACY_UNSCOPED_ID),
            optional(f.LEGACY_LOCAL_ID),
            optional(f.LEGACY_GLOBAL_ID),
            content(f.LEGACY_ID_SCOPE),
        )
        codes = np.zeros(256, np.int64)
        for letter, code in _LEGACY_PHASES.items():
            codes[ord(letter)] = code
        self.type = codes[np.clip(phase, 0, 255)]
        self.duration = np.clip(duration, 0, 1 << 50) * 1000
        rows = np.flatnonzero(np.isin(phase, _ASYNC))
        scope_code, _ = packets.file.texts(scope[rows])
        ids = np.stack([unscoped[rows], local[rows], global_[rows], scope_code], axis=1)
        _, which = np.unique(ids, axis=0, return_inverse=True)
        self.track = np.zeros(len(phase), np.int64)
        """A track per id of asynchronous events; 0 for other events."""
        self.track[rows] = which.reshape(-1) + _ASYNC_BIT


def _names(packets: Packets, at: Array, iid: Array, spans: Array) -> tuple[Array, list[str]]:
    """Names of events, told by number or by text; the last name is for those that have none."""
    interned = InternedNames(packets, f.INTERNED_EVENT_NAME)
    by_number = interned.find(packets.generation[at], iid)
    by_text, texts = packets.file.texts(spans)
    names = [*interned.texts, *texts, "(no name)"]
    inline = np.where(by_text >= 0, by_text + len(interned.texts), len(names) - 1)
    return np.where(by_number >= 0, by_number, inline), names


@dataclass(frozen=True, slots=True)
class PairedSlices:
    """Rows of the events that begin and end each slice; those of a COMPLETE event are the same."""

    begin: Array
    end: Array
    unmatched: int

    def of_event(self, events: int) -> Array:
        """The slice that each event begins or ends, -1 for none."""
        found = np.full(events, -1, np.int64)
        found[self.end] = np.arange(len(self.end))
        found[self.begin] = np.arange(len(self.begin))
        return found


def pair_slices(events: TrackEvents) -> PairedSlices:
    """Pair begins with ends per track."""
    rows = np.flatnonzero((events.type == BEGIN) | (events.type == END))
    first, second = pair_ends(events.track[rows], events.type[rows] == BEGIN)
    complete = np.flatnonzero(events.type == COMPLETE)
    return PairedSlices(
        begin=np.concatenate([rows[first], complete]),
        end=np.concatenate([rows[second], complete]),
        unmatched=len(rows) - 2 * len(first),
    )


def arrows(packets: Packets, events: TrackEvents, slices: PairedSlices) -> tuple[Array, Array]:
    """Flows as arrows from slice to slice: each flow goes through its events in order of time."""
    file = packets.file
    parts = []
    for field, wire, last in (
        (f.EVENT_FLOW, FIXED64, False),
        (f.EVENT_FLOW_OLD, VARINT, False),
        (f.EVENT_TERMINATING_FLOW, FIXED64, True),
        (f.EVENT_TERMINATING_FLOW_OLD, VARINT, True),
    ):
        row, flow = file.numbers(events.spans, field, wire=wire)
        parts.append((row, flow, np.full(len(row), last)))
    row, flow, ends = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    bind = file.columns(
        file.columns(events.spans, content(f.EVENT_LEGACY))[0], number(f.LEGACY_BIND_ID)
    )[0]
    old = np.flatnonzero(bind)
    row, flow = np.concatenate([row, old]), np.concatenate([flow, bind[old]])
    ends = np.concatenate([ends, np.zeros(len(old), bool)])
    slice_ = slices.of_event(len(events.time))[row]
    known = slice_ >= 0
    row, flow, ends, slice_ = row[known], flow[known], ends[known], slice_[known]
    order = np.lexsort((row, flow))
    flow, ends, slice_ = flow[order], ends[order], slice_[order]
    joined = (flow[1:] == flow[:-1]) & ~ends[:-1] & (slice_[1:] != slice_[:-1])
    return slice_[:-1][joined], slice_[1:][joined]
