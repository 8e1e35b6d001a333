"""Reads Perfetto's protobuf traces of any tool: tracks, slices, moments, flows, counters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.drawn import drawn_trace
from lanescope.formats.look import FileLook
from lanescope.formats.packed import plain_name
from lanescope.formats.perfetto import fields as f
from lanescope.formats.perfetto import own
from lanescope.formats.perfetto.packets import Packets, read_packets
from lanescope.formats.perfetto.read_events import (
    COMPLETE,
    COUNTER,
    INSTANT,
    PairedSlices,
    TrackEvents,
    arrows,
    pair_slices,
    read_track_events,
)
from lanescope.formats.perfetto.read_tracks import Descriptions, read_descriptions
from lanescope.formats.proto_rows import ProtoFile
from lanescope.formats.tracks import CounterRows, SliceRows, TrackRecording, track_trace
from lanescope.render.cells import many_text
from lanescope.trace import Trace
from lanescope.trace.table import Array

_ENDINGS = (".perfetto-trace", ".pftrace")
_WHAT = "a Perfetto trace"
_HEAD_PACKETS = 8
_MANY_TRACKS = 100_000


def recognises(look: FileLook) -> str | None:
    """The file begins with packets that have fields which only Perfetto's packets have.

    Raises InputError where only the name says that it is one.
    """
    if look.head[:1] == bytes([f.TRACE_PACKET << 3 | 2]) and _has_packets(look):
        return "perfetto"
    if plain_name(look.path.name).endswith(_ENDINGS):
        raise InputError(look.path, f"is not {_WHAT}, as its name says: it has no packets")
    return None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace."""
    packets = read_packets(ProtoFile.open(bundle.main.path, _WHAT))
    about = own.told(packets)
    if about is not None:
        yield drawn_trace(about, own.drawn_rows(packets, about), bundle)
    else:
        yield track_trace(_recording(packets), bundle)


def _has_packets(look: FileLook) -> bool:
    """Whether one of the first packets has a field that XSpace's planes do not have."""
    head = np.frombuffer(look.head, np.uint8)
    at, seen = 0, 0
    while at < len(head) and seen < _HEAD_PACKETS:
        tag, at = _varint(head, at)
        length, at = _varint(head, at)
        if tag != f.TRACE_PACKET << 3 | 2:
            return False
        if _greatest_field(head, at, min(at + length, len(head))) > f.PACKET_CLOCK_SNAPSHOT:
            return True
        at, seen = at + length, seen + 1
    return False


def _greatest_field(data: Array, at: int, end: int) -> int:
    """The greatest field number of the fields that begin before `end`; 0 for none."""
    most = 0
    while at < end:
        tag, at = _varint(data, at)
        if tag >> 3 == 0 or tag & 7 not in (0, 1, 2, 5):
            return 0
        most = max(most, tag >> 3)
        if tag & 7 == 0:
            _, at = _varint(data, at)
        elif tag & 7 == 2:
            length, at = _varint(data, at)
            at += length
        else:
            at += 8 if tag & 7 == 1 else 4
    return most


def _varint(data: Array, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(data) and shift < 70:
        byte = int(data[at])
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            break
    return value, at


def _recording(packets: Packets) -> TrackRecording:
    events = read_track_events(packets)
    slices = pair_slices(events)
    about = read_descriptions(packets)
    lanes = _Lanes(packets, events, slices, about)
    begin, end = slices.begin, slices.end
    complete = events.type[begin] == COMPLETE
    until = np.where(complete, events.time[begin] + events.duration[begin], events.time[end])
    moments = np.flatnonzero(events.type == INSTANT)
    return TrackRecording(
        tracks=[about.track(uuid) for uuid in lanes.uuids],
        slices=SliceRows(
            track=lanes.of(events.track[begin]),
            start=events.time[begin],
            end=until,
            name=events.name[begin],
            names=events.names,
        ),
        moments=SliceRows(
            track=lanes.of(events.track[moments]),
            start=events.time[moments],
            end=events.time[moments],
            name=events.name[moments],
            names=events.names,
        ),
        counters=_counters(events, about),
        arrows=arrows(packets, events, slices),
        unmatched=slices.unmatched,
        utc_ns=packets.clocks.utc_ns,
        facts={"notes": _notes(packets, events)},
    )


class _Lanes:
    """Tracks as lanes: described ones in the order of the file, then the others by number."""

    def __init__(
        self, packets: Packets, events: TrackEvents, slices: PairedSlices, about: Descriptions
    ) -> None:
        shown = np.concatenate([events.track[slices.begin], events.track[events.type == INSTANT]])
        self._used = np.unique(shown)
        if len(self._used) > _MANY_TRACKS:
            problem = f"has {len(self._used):,} tracks, at most {_MANY_TRACKS:,} are taken"
            raise InputError(packets.file.path, problem)
        used = set(self._used.tolist())
        order = [uuid for uuid in about.tracks if uuid in used]
        order += sorted(used.difference(about.tracks))
        numbers: dict[object, int] = {}
        self.uuids: list[int] = []
        lane_of = {}
        for uuid in order:
            key = about.lane_key(uuid)
            if key not in numbers:
                numbers[key] = len(self.uuids)
                self.uuids.append(uuid)
            lane_of[uuid] = numbers[key]
        self._lane = np.array([lane_of[uuid] for uuid in self._used.tolist()], np.int64)

    def of(self, track: Array) -> Array:
        """The lane of each track."""
        if not len(track):
            return np.empty(0, np.int64)
        found: Array = self._lane[np.searchsorted(self._used, track)]
        return found


def _counters(events: TrackEvents, about: Descriptions) -> CounterRows:
    """The values of counter tracks; those that are told as differences are summed up."""
    rows = np.flatnonzero(events.type == COUNTER)
    uuids, which = np.unique(events.track[rows], return_inverse=True)
    which = which.reshape(-1)
    value = events.value[rows].copy()
    names = []
    for place, uuid in enumerate(uuids.tolist()):
        one = about.tracks.get(uuid)
        names.append(about.track(uuid).name)
        mine = which == place
        if one is not None and one.incremental:
            value[mine] = np.cumsum(value[mine])
        if one is not None and one.multiplier != 1:
            value[mine] *= one.multiplier
    kept = np.isfinite(value)
    return CounterRows(
        time=events.time[rows][kept], value=value[kept], name=which[kept], names=names
    )


def _notes(packets: Packets, events: TrackEvents) -> list[str]:
    notes = []
    other = int((events.type == 0).sum())
    if other:
        notes.append(f"Not read: {many_text(other, 'track event')} of unknown type.")
    if events.untimed:
        notes.append(f"Not read: {many_text(events.untimed, 'track event')} without a time.")
    rest = int((packets.event[:, 0] < 0).sum() - (packets.descriptor[:, 0] >= 0).sum())
    if rest > 0 and not len(events.time):
        other_data = "with other data than track events, such as ftrace records"
        notes.append(f"Not read: {many_text(rest, 'packet')} {other_data}.")
    if packets.unknown_clock:
        notes.append(
            f"Times of {many_text(packets.unknown_clock, 'packet')} were taken as they are: the "
            "file does not relate their clock to its own."
        )
    return notes
