"""Cuts an access into bytes that stay in memory and bytes of units that a policy may move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from lanescope.model.manifest.manifest import Manifest, ManifestRegion
from lanescope.model.memory.access import Piece

_KEPT = 4096
"""Different accesses whose parts are kept: a loop asks for the same ones again."""


class UnitSpan(NamedTuple):
    """A piece of an access inside a unit, `start` bytes behind the unit's beginning."""

    unit: int
    start: int
    piece: Piece


class Parts(NamedTuple):
    """An access, cut at the borders of regions."""

    kept: list[Piece]
    """Pieces that always stay in memory."""
    movable: list[UnitSpan]
    unlisted_bytes: int
    """Bytes outside every region; they are among `kept`."""


def layer_unit(region: ManifestRegion, number: int) -> int:
    """The layer of the region: whole layers move."""
    return region.layer


def region_unit(region: ManifestRegion, number: int) -> int:
    """The number of the region: each region moves by itself."""
    return number


class Placement:
    """Knows which unit every region belongs to; only regions of `kinds` may move.

    `unit_of` gives the unit of a region from the region and its number.
    """

    def __init__(
        self,
        manifest: Manifest,
        *,
        kinds: frozenset[str],
        unit_of: Callable[[ManifestRegion, int], int],
    ) -> None:
        self._manifest = manifest
        self._split = lru_cache(_KEPT)(self._cut)
        self.sizes: dict[int, int] = {}
        self._places: list[tuple[int, int] | None] = []
        for number, region in enumerate(manifest.regions):
            moves = region.kind in kinds
            self._places.append(self._place(region, unit_of(region, number)) if moves else None)

    def _place(self, region: ManifestRegion, unit: int) -> tuple[int, int]:
        """The unit, and the byte of it where the region begins."""
        start = self.sizes.get(unit, 0)
        self.sizes[unit] = start + region.size_bytes
        return unit, start

    def split(self, pieces: Sequence[Piece]) -> Parts:
        """Cut the pieces of one access at the borders of regions; nobody may change the parts."""
        return self._split(tuple(pieces))

    def _cut(self, pieces: tuple[Piece, ...]) -> Parts:
        kept: list[Piece] = []
        movable: list[UnitSpan] = []
        unlisted = 0
        for address, size in pieces:
            end = address + size
            while address < end:
                index = self._manifest.find(address)
                stop = self._stop(address, end, index)
                part = Piece(address, stop - address)
                place = None if index is None else self._places[index]
                unlisted += part.size_bytes if index is None else 0
                if index is None or place is None:
                    kept.append(part)
                else:
                    unit, start = place
                    offset = address - self._manifest.regions[index].offset
                    movable.append(UnitSpan(unit, start + offset, part))
                address = stop
        return Parts(kept, movable, unlisted)

    def _stop(self, address: int, end: int, index: int | None) -> int:
        """Address at which the part that begins at `address` ends."""
        if index is not None:
            return min(end, self._manifest.regions[index].end)
        following = self._manifest.next_offset(address)
        return end if following is None else min(end, following)

    def units(self, pieces: Sequence[Piece]) -> list[int]:
        """The units that one access touches, once each, in order."""
        return list(dict.fromkeys(span.unit for span in self.split(pieces).movable))
