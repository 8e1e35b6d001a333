"""Reads a manifest from JSON: the form that the PLENA emulator reads.

{activation_ceiling, regions: [{layer_id, offset, size, kind}], ddr_capacity_bytes}, where a region
may also have `name` and `size_source`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from lanescope.errors import InputError
from lanescope.model.manifest.manifest import Manifest, ManifestError, ManifestRegion

_MOST_BYTES = 256 << 20
_MOST_NUMBER = 1 << 63


class _RegionEntry(msgspec.Struct):
    layer_id: int
    offset: int
    size: int
    kind: str = "weight"
    name: str = ""
    size_source: str = ""


class _Document(msgspec.Struct):
    regions: list[_RegionEntry]
    activation_ceiling: int = 0
    ddr_capacity_bytes: int | None = None


def load_manifest(path: str | Path) -> Manifest:
    """Read the manifest in a JSON file; an InputError says what is wrong in it."""
    document = _decode(Path(path))
    if document.ddr_capacity_bytes is not None and document.ddr_capacity_bytes <= 0:
        raise InputError(
            path, f"expected ddr_capacity_bytes above 0, found {document.ddr_capacity_bytes}"
        )
    try:
        return Manifest(
            tuple(
                ManifestRegion(r.layer_id, r.offset, r.size, r.kind, r.name, r.size_source)
                for r in document.regions
            ),
            document.ddr_capacity_bytes,
        )
    except ManifestError as error:
        raise InputError(path, str(error).removeprefix("manifest: ")) from error


def _decode(path: Path) -> _Document:
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise InputError(
            path, f"expected a manifest of at most {_MOST_BYTES:,} bytes, found {size:,}"
        )
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(path, f"expected a weight manifest in JSON, found: {error}") from error
    for region in document.regions:
        if max(region.offset, region.size, region.layer_id) >= _MOST_NUMBER:
            raise InputError(path, "expected offsets and sizes below 2^63, found a larger one")
    return document
