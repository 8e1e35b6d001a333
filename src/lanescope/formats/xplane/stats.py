"""Stats of an XSpace: named values of planes, events and kinds of events.

The names stand in each plane by number. A text may be a number, too: that of a name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.formats.proto_rows import ProtoFile, as_doubles, content, double, number, optional
from lanescope.formats.xplane import fields as f
from lanescope.trace import MISSING
from lanescope.trace.table import Array


def pair_places(keys: Array, first: Array, second: Array) -> Array:
    """Place of each pair among sorted pairs, -1 where it is not there; of several the last."""
    if not len(keys):
        return np.full(len(first), -1, np.int64)
    values = np.unique(np.concatenate([keys[:, 1], second]))
    width = len(values) + 1
    known = keys[:, 0] * width + np.searchsorted(values, keys[:, 1])
    wanted = first * width + np.searchsorted(values, second)
    place = np.searchsorted(known, wanted, side="right") - 1
    return np.where((place >= 0) & (known[place] == wanted), place, -1)


@dataclass(frozen=True, slots=True)
class StatNames:
    """The names of stats in all planes: per plane and number an index into `names`."""

    keys: Array
    name: Array
    names: list[str]

    @classmethod
    def read(cls, file: ProtoFile, planes: Array) -> StatNames:
        """Read the names that the planes declare."""
        plane, entries = file.repeated(planes, f.PLANE_STAT_METADATA)
        key, spans = file.columns(entries, number(f.MAP_KEY), content(f.MAP_VALUE))
        [text] = file.columns(spans, content(f.METADATA_NAME))
        name, names = file.texts(text)
        order = np.lexsort((key, plane))
        return cls(np.stack([plane, key], axis=1)[order], name[order], names)

    def find(self, plane: Array, key: Array) -> Array:
        """Index of each name, -1 where the plane does not have it."""
        place = pair_places(self.keys, plane, key)
        if not len(self.name):
            return place
        return np.where(place >= 0, self.name[place], -1)


@dataclass(frozen=True, slots=True)
class XStats:
    """All stats of messages of one kind; `owner` is the message that each is in."""

    file: ProtoFile
    count: int
    owner: Array
    name: Array
    names: list[str]
    spans: Array
    plane: Array
    declared: StatNames

    @classmethod
    def read(
        cls, file: ProtoFile, spans: Array, field: int, plane: Array, declared: StatNames
    ) -> XStats:
        """Read the stats in these messages; `plane` is the plane of each message."""
        owner, stats = file.repeated(spans, field)
        [which] = file.columns(stats, number(f.STAT_METADATA_ID))
        name = declared.find(plane[owner], which)
        return cls(file, len(spans), owner, name, declared.names, stats, plane, declared)

    def named(self) -> list[str]:
        """The names of stats that occur."""
        return [self.names[code] for code in np.unique(self.name[self.name >= 0]).tolist()]

    def whole(self, name: str) -> Array:
        """The stat of each message as a whole number; MISSING where it has none."""
        rows = self._rows(name)
        unsigned, signed = self.file.columns(
            self.spans[rows], optional(f.STAT_UINT), optional(f.STAT_INT)
        )
        found = np.full(self.count, MISSING)
        found[self.owner[rows]] = np.where(unsigned != MISSING, unsigned, signed)
        return found

    def real(self, name: str) -> Array:
        """The stat of each message as a number; NaN where it has none."""
        rows = self._rows(name)
        real, unsigned, signed = self.file.columns(
            self.spans[rows], double(f.STAT_DOUBLE), optional(f.STAT_UINT), optional(f.STAT_INT)
        )
        values = as_doubles(real)
        for whole in (signed, unsigned):
            values = np.where(whole != MISSING, whole.astype(np.float64), values)
        found = np.full(self.count, np.nan)
        found[self.owner[rows]] = values
        return found

    def text(self, name: str) -> tuple[Array, list[str]]:
        """The stat of each message as an index into texts; -1 where it has none."""
        rows = self._rows(name)
        spans, ref = self.file.columns(self.spans[rows], content(f.STAT_TEXT), optional(f.STAT_REF))
        own, texts = self.file.texts(spans)
        owner = self.owner[rows]
        meant = self.declared.find(self.plane[owner], ref)
        code = np.where((meant >= 0) & (ref != MISSING), meant, -1)
        found = np.full(self.count, -1, np.int64)
        found[owner] = np.where(own >= 0, own + len(self.names), code)
        return found, [*self.names, *texts]

    def _rows(self, name: str) -> Array:
        if name not in self.names:
            return np.empty(0, np.int64)
        return np.flatnonzero(self.name == self.names.index(name))
