"""A weight manifest: which bytes of the board's memory are weights, KV cache and activations."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from lanescope.errors import LanescopeError
from lanescope.render.cells import bytes_text
from lanescope.results import Result

KINDS = ("weight", "kv", "activation")


class ManifestError(LanescopeError):
    """A manifest that describes no possible memory."""


class ManifestRegion(NamedTuple):
    """A run of bytes of one kind that belongs to one layer."""

    layer: int
    offset: int
    """Address of its first byte in the board's memory."""
    size_bytes: int
    kind: str
    """`weight`, `kv` or `activation`."""
    name: str = ""
    size_source: str = ""
    """Where the size was read, in words."""

    @property
    def end(self) -> int:
        """Address behind its last byte."""
        return self.offset + self.size_bytes


@dataclass(frozen=True)
class Footprint(Result):
    """Bytes that a model needs, by kind."""

    DERIVED = ("total",)

    weight: int
    kv: int
    activation: int

    @property
    def total(self) -> int:
        """Bytes of all kinds together."""
        return self.weight + self.kv + self.activation

    def text(self) -> str:
        """The sizes on one line, like `weight 269.01 MB, kv 94.37 MB, …`."""
        return ", ".join(f"{kind} {bytes_text(size)}" for kind, size in self.to_dict().items())


@dataclass(frozen=True)
class Manifest(Result):
    """What lies where in a board's memory. Regions are sorted by offset and do not overlap."""

    regions: tuple[ManifestRegion, ...]
    capacity_bytes: int | None = None
    """Bytes of the memory, where they are known."""
    notes: tuple[str, ...] = ()
    """What a reader should know of the sizes, a sentence each."""
    _offsets: list[int] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.regions, key=lambda region: region.offset))
        _check(ordered)
        object.__setattr__(self, "regions", ordered)
        object.__setattr__(self, "_offsets", [region.offset for region in ordered])

    def find(self, address: int) -> int | None:
        """Index of the region that holds the address; None where no region does."""
        index = bisect_right(self._offsets, address) - 1
        if index >= 0 and address < self.regions[index].end:
            return index
        return None

    def next_offset(self, address: int) -> int | None:
        """Address of the first region that begins after the address; None where there is none."""
        index = bisect_right(self._offsets, address)
        return self._offsets[index] if index < len(self._offsets) else None

    @property
    def activation_ceiling(self) -> int:
        """Offset of the first weight; 0 without weights."""
        return next((region.offset for region in self.regions if region.kind == "weight"), 0)

    @property
    def layers(self) -> tuple[int, ...]:
        """Numbers of the layers that have a region, rising."""
        return tuple(sorted({region.layer for region in self.regions}))

    def footprint(self) -> Footprint:
        """Bytes of the regions, by kind."""
        return footprint_of(self.regions)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object that `load_manifest` and the PLENA emulator read."""
        return {
            "activation_ceiling": self.activation_ceiling,
            "regions": [
                {
                    "layer_id": region.layer,
                    "offset": region.offset,
                    "size": region.size_bytes,
                    "kind": region.kind,
                    "name": region.name,
                    "size_source": region.size_source,
                }
                for region in self.regions
            ],
            "ddr_capacity_bytes": self.capacity_bytes,
        }


def footprint_of(regions: Iterable[ManifestRegion]) -> Footprint:
    """Bytes of the regions, by kind."""
    sums = dict.fromkeys(KINDS, 0)
    for region in regions:
        sums[region.kind] += region.size_bytes
    return Footprint(**sums)


def check_inside(manifest: Manifest, memory_bytes: int) -> None:
    """Refuse a manifest with a region beyond the memory that programs can address."""
    last = max(manifest.regions, key=lambda region: region.end)
    if last.end > memory_bytes:
        raise ManifestError(
            f"manifest: expected every region within the memory of {memory_bytes:,} bytes, found "
            f"{_shown(last)}, which ends at {last.end:,}; name the memory that the build was for"
        )


def _check(ordered: Sequence[ManifestRegion]) -> None:
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


def _shown(region: ManifestRegion) -> str:
    name = f" {region.name}" if region.name else ""
    return (
        f"region{name} (layer {region.layer}, offset {region.offset:,}, "
        f"{region.size_bytes:,} bytes)"
    )
