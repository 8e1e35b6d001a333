"""Where an access falls: regions that stay in memory, and units that a policy may move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lanescope.model.manifest.manifest import Manifest, Region
from lanescope.model.memory.access import Piece


class Span(NamedTuple):
    """A piece inside a unit, `start` bytes from the unit's beginning."""

    unit: int
    start: int
    piece: Piece


class Parts(NamedTuple):
    """An access, taken apart."""

    kept: list[Piece]
    movable: list[Span]
    unlisted_bytes: int


def layer_unit(region: Region, number: int) -> int:
    """Whole layers move."""
    return region.layer


def region_unit(region: Region, number: int) -> int:
    """Regions move by themselves."""
    return number


class Placement:
    """Cuts accesses at region borders; regions of `kinds` belong to units that may move.

    `unit_of` says which unit: it is given a region and its number.
    """

    def __init__(
        self, manifest: Manifest, *, kinds: frozenset[str], unit_of: Callable[[Region, int], int]
    ) -> None:
        self._manifest = manifest
        self.sizes: dict[int, int] = {}
        self._places: list[tuple[int, int] | None] = []
        for number, region in enumerate(manifest.regions):
            moves = region.kind in kinds
            self._places.append(self._place(region, unit_of(region, number)) if moves else None)

    def _place(self, region: Region, unit: int) -> tuple[int, int]:
        """The unit, and where in it the region begins."""
        start = self.sizes.get(unit, 0)
        self.sizes[unit] = start + region.size_bytes
        return unit, start

    def split(self, pieces: Sequence[Piece]) -> Parts:
        kept: list[Piece] = []
        movable: list[Span] = []
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
                    movable.append(Span(unit, start + offset, part))
                address = stop
        return Parts(kept, movable, unlisted)

    def _stop(self, address: int, end: int, index: int | None) -> int:
        """Where the part that begins at the address must end."""
        if index is not None:
            return min(end, self._manifest.regions[index].end)
        following = self._manifest.next_offset(address)
        return end if following is None else min(end, following)

    def units(self, pieces: Sequence[Piece]) -> list[int]:
        """The units that one access touches, once each, in order."""
        return list(dict.fromkeys(span.unit for span in self.split(pieces).movable))
