"""An XSpace as columns: all planes, all lines and all events, each with the one that it is in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.proto_rows import ProtoFile, content, number, optional
from lanescope.formats.xplane import fields as f
from lanescope.formats.xplane.stats import StatNames, XStats, pair_places
from lanescope.trace import MISSING
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class PlaneMetadata:
    """Kinds of events: what events of one plane and one number have in common."""

    file: ProtoFile
    keys: Array
    """Sorted keys of plane and number."""
    spans: Array
    """Their messages, in the same order."""
    names: list[str]
    name: Array
    """Index into `names`; -1 where the kind has no name."""
    plane: Array

    @classmethod
    def read(cls, file: ProtoFile, planes: Array) -> PlaneMetadata:
        """Read the kinds of events of all planes."""
        plane, entries = file.repeated(planes, f.PLANE_EVENT_METADATA)
        key, spans = file.columns(entries, number(f.MAP_KEY), content(f.MAP_VALUE))
        order = np.lexsort((key, plane))
        spans, plane = spans[order], plane[order]
        full, display = file.columns(
            spans, content(f.METADATA_NAME), content(f.METADATA_DISPLAY_NAME)
        )
        shown = np.where(display[:, :1] >= 0, display, full)
        shown = np.where(shown[:, 1:] == 0, full, shown)
        name, names = file.texts(shown)
        keys = np.stack([plane, key[order]], axis=1)
        return cls(file, keys, spans, names, name, plane)

    def find(self, plane: Array, key: Array) -> Array:
        """Place of each kind, -1 where the plane does not have it."""
        return pair_places(self.keys, plane, key)


@dataclass(frozen=True, slots=True)
class Space:
    """Everything of one file. Times are ns, start and end each rounded half to even."""

    file: ProtoFile
    plane_id: Array
    plane_name: list[str]
    plane_stats: XStats
    line_plane: Array
    line_id: Array
    line_name: list[str]
    line_timestamp: Array
    """ns"""
    line_events: Array
    """How many events with a time the line has."""
    untimed: int
    """How many events are sums over many and have no time."""
    event_line: Array
    kind: Array
    """Index into `kinds`; -1 where the plane does not tell."""
    kinds: PlaneMetadata
    start: Array
    end: Array
    stats: XStats
    kind_stats: XStats
    hostnames: list[str]
    errors: list[str]
    warnings: list[str]

    @property
    def event_plane(self) -> Array:
        """The plane of each event."""
        found: Array = self.line_plane[self.event_line]
        return found

    def whole(self, name: str) -> Array:
        """A stat of the events, or of their kinds, as whole numbers; MISSING where not known."""
        own = self.stats.whole(name)
        return np.where(own != MISSING, own, self._of_kind(self.kind_stats.whole(name), MISSING))

    def real(self, name: str) -> Array:
        """A stat of the events, or of their kinds, as numbers; NaN where not known."""
        own = self.stats.real(name)
        return np.where(np.isnan(own), self._of_kind(self.kind_stats.real(name), np.nan), own)

    def text(self, name: str) -> tuple[Array, list[str]]:
        """A stat of the events, or of their kinds, as index into texts; -1 where not known."""
        own, texts = self.stats.text(name)
        kind, more = self.kind_stats.text(name)
        kind = np.where(kind >= 0, kind + len(texts), -1)
        return np.where(own >= 0, own, self._of_kind(kind, -1)), [*texts, *more]

    def _of_kind(self, values: Array, missing: float) -> Array:
        if not len(values):
            return np.full(len(self.kind), missing)
        found: Array = np.where(self.kind >= 0, values[self.kind], missing)
        return found


def read_space(file: ProtoFile) -> Space:
    """Read a whole file."""
    _, planes = file.repeated(file.whole, f.SPACE_PLANES)
    plane_id, plane_name = file.columns(planes, number(f.PLANE_ID), content(f.PLANE_NAME))
    line_plane, lines = file.repeated(planes, f.PLANE_LINES)
    line_id, timestamp, name, display = file.columns(
        lines,
        number(f.LINE_ID),
        number(f.LINE_TIMESTAMP_NS),
        content(f.LINE_NAME),
        content(f.LINE_DISPLAY_NAME),
    )
    event_line, events = file.repeated(lines, f.LINE_EVENTS)
    occurrences, offset = file.columns(
        events, optional(f.EVENT_OCCURRENCES), optional(f.EVENT_OFFSET_PS)
    )
    summed = (occurrences != MISSING) & (offset == MISSING)
    event_line, events = event_line[~summed], events[~summed]
    which, offset, duration = file.columns(
        events, number(f.EVENT_METADATA_ID), number(f.EVENT_OFFSET_PS), number(f.EVENT_DURATION_PS)
    )
    stat_names = StatNames.read(file, planes)
    kinds = PlaneMetadata.read(file, planes)
    event_plane = line_plane[event_line]
    return Space(
        file=file,
        plane_id=plane_id,
        plane_name=[file.text(span) for span in plane_name.tolist()],
        plane_stats=XStats.read(file, planes, f.PLANE_STATS, np.arange(len(planes)), stat_names),
        line_plane=line_plane,
        line_id=line_id,
        line_name=[
            file.text(one) or file.text(other)
            for one, other in zip(name.tolist(), display.tolist(), strict=True)
        ],
        line_timestamp=timestamp,
        line_events=np.bincount(event_line, minlength=len(lines)),
        untimed=int(summed.sum()),
        event_line=event_line,
        kind=kinds.find(event_plane, which),
        kinds=kinds,
        start=_nanoseconds(timestamp[event_line], offset),
        end=_nanoseconds(timestamp[event_line], offset + duration),
        stats=XStats.read(file, events, f.EVENT_STATS, event_plane, stat_names),
        kind_stats=XStats.read(file, kinds.spans, f.METADATA_STATS, kinds.plane, stat_names),
        **{
            key: [file.text(span) for span in file.repeated(file.whole, field)[1].tolist()]
            for key, field in (
                ("hostnames", f.SPACE_HOSTNAMES),
                ("errors", f.SPACE_ERRORS),
                ("warnings", f.SPACE_WARNINGS),
            )
        },
    )


def _nanoseconds(timestamp_ns: Array, offset_ps: Array) -> Array:
    """ns + ps as whole ns, halves rounded to even."""
    whole, rest = np.divmod(offset_ps, 1000)
    ns = timestamp_ns + whole
    rounded: Array = ns + ((rest > 500) | ((rest == 500) & (ns % 2 != 0)))
    return rounded
