"""A weight manifest: which bytes of the board's memory are weights, KV cache and activations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from lanescope.errors import LanescopeError

KINDS = ("weight", "kv", "activation")


class ManifestError(LanescopeError):
    """A manifest that describes no possible memory."""


class Region(NamedTuple):
    """Bytes of one kind that belong to one layer."""

    layer: int
    offset: int
    size_bytes: int
    kind: str
    name: str = ""
    size_source: str = ""

    @property
    def end(self) -> int:
        return self.offset + self.size_bytes


class Footprint(NamedTuple):
    """Bytes by kind."""

    weight: int
    kv: int
    activation: int

    @property
    def total(self) -> int:
        return self.weight + self.kv + self.activation


@dataclass(frozen=True)
class Manifest:
    """Regions in the order of their offsets, none of them overlapping."""

    regions: tuple[Region, ...]
    capacity_bytes: int | None = None
    notes: tuple[str, ...] = ()
    _offsets: list[int] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.regions, key=lambda region: region.offset))
        _check(ordered)
        object.__setattr__(self, "regions", ordered)
        object.__setattr__(self, "_offsets", [region.offset for region in ordered])

    def find(self, address: int) -> int | None:
        """Index of the region that holds the address, by bisection."""
        index = bisect_right(self._offsets, address) - 1
        if index >= 0 and address < self.regions[index].end:
            return index
        return None

    def next_offset(self, address: int) -> int | None:
        """Where the next region after the address begins."""
        index = bisect_right(self._offsets, address)
        return self._offsets[index] if index < len(self._offsets) else None

    @property
    def activation_ceiling(self) -> int:
        """Lowest offset of a weight; 0 without weights."""
        return next((region.offset for region in self.regions if region.kind == "weight"), 0)

    @property
    def layers(self) -> tuple[int, ...]:
        return tuple(sorted({region.layer for region in self.regions}))

    def footprint(self) -> Footprint:
        return footprint_of(self.regions)


def footprint_of(regions: Iterable[Region]) -> Footprint:
    sums = dict.fromkeys(KINDS, 0)
    for region in regions:
        sums[region.kind] += region.size_bytes
    return Footprint(**sums)


def check_inside(manifest: Manifest, memory_bytes: int) -> None:
    """Refuses a region beyond the end of the memory that programs can address."""
    last = max(manifest.regions, key=lambda region: region.end)
    if last.end > memory_bytes:
        raise ManifestError(
            f"manifest: expected every region within the memory of {memory_bytes:,} bytes, found "
            f"{_shown(last)}, which ends at {last.end:,}; name the memory that the build was for"
        )


def _check(ordered: Sequence[Region]) -> None:
    if not ordered:
        raise ManifestError("manifest: expected at least one region, found none; nothing to place")
    for region in ordered:
        if region.kind not in KINDS:
            raise ManifestError(
                f"manifest: expected a kind ({', '.join(KINDS)}), found {region.kind!r} in "
                f"{_shown(region)}"
            )
        if region.size_bytes <= 0 or region.offset < 0 or region.layer < 0:
            raise ManifestError(
                f"manifest: expected a size above 0 and no negative offset or layer, found "
                f"{_shown(region)}"
            )
    for before, after in pairwise(ordered):
        if before.end > after.offset:
            raise ManifestError(
                f"manifest: expected regions that do not overlap, found {_shown(before)} ending "
                f"at {before.end:,} inside {_shown(after)}"
            )


def _shown(region: Region) -> str:
    name = f" {region.name}" if region.name else ""
    return (
        f"region{name} (layer {region.layer}, offset {region.offset:,}, "
        f"{region.size_bytes:,} bytes)"
    )
