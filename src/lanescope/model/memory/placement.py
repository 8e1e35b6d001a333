"""Cuts an access into bytes that stay in memory and bytes of units that a policy may move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lanescope.model.manifest.manifest import Manifest, ManifestRegion
from lanescope.model.memory.access import Pieces, rows_of

Array = npt.NDArray[Any]

_LAST = np.iinfo(np.int64).max
_STAYS = -1


class Parts(NamedTuple):
    """An access, cut at the borders of regions; pieces are rows with address and size."""

    kept: Array
    """Pieces that always stay in memory."""
    movable: Array
    """Pieces of units that may move."""
    unit: Array
    """Per movable piece: its unit."""
    start: Array
    """Per movable piece: how many bytes of its unit come before it."""
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
        self.sizes: dict[int, int] = {}
        units, starts = [], []
        for number, region in enumerate(manifest.regions):
            unit = unit_of(region, number) if region.kind in kinds else _STAYS
            units.append(unit)
            starts.append(0)
            if region.kind in kinds:
                starts[-1] = self.sizes.get(unit, 0)
                self.sizes[unit] = starts[-1] + region.size_bytes
        # One more, behind the last: what index -1 means, an address before the first region.
        self._offsets = np.array([region.offset for region in manifest.regions], np.int64)
        self._ends = np.array([*(region.end for region in manifest.regions), -1], np.int64)
        self._movable = np.array(
            [*(region.kind in kinds for region in manifest.regions), False], bool
        )
        self._units = np.array([*units, _STAYS], np.int64)
        self._starts = np.array([*starts, 0], np.int64)

    def split(self, pieces: Pieces) -> Parts:
        """Cut the pieces of one access at the borders of regions."""
        rows = rows_of(pieces)
        region, inside, stop = self._where(rows[:, 0])
        if (rows[:, 0] + rows[:, 1] > stop).any():
            rows = self._cut(rows)
            region, inside, stop = self._where(rows[:, 0])
        moves = inside & self._movable[region]
        mine = region[moves]
        return Parts(
            kept=rows[~moves],
            movable=rows[moves],
            unit=self._units[mine],
            start=self._starts[mine] + rows[moves, 0] - self._offsets[mine],
            unlisted_bytes=int(rows[~inside, 1].sum()),
        )

    def _where(self, address: Array) -> tuple[Array, Array, Array]:
        """The region at or before each address, whether it holds it, and where that changes."""
        region = np.searchsorted(self._offsets, address, "right") - 1
        inside = address < self._ends[region]
        behind = np.append(self._offsets, _LAST)[region + 1]
        return region, inside, np.where(inside, self._ends[region], behind)

    def _cut(self, rows: Array) -> Array:
        """The same pieces, cut wherever a region begins or ends."""
        cut = []
        for address, size in rows.tolist():
            end = address + size
            while address < end:
                _, _, stop = self._where(np.array([address]))
                cut.append((address, min(end, int(stop[0])) - address))
                address += cut[-1][1]
        return rows_of(np.array(cut, np.int64))

    def units(self, pieces: Pieces) -> list[int]:
        """The units that one access touches, once each, in order."""
        return list(dict.fromkeys(self.split(pieces).unit.tolist()))
