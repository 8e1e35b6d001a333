"""Weight manifests: what lies where in a board's memory, and where each size came from."""

from lanescope.model.manifest.json_manifest import as_document, load_manifest
from lanescope.model.manifest.manifest import (
    KINDS,
    Footprint,
    Manifest,
    ManifestError,
    Region,
    check_inside,
    footprint_of,
)

__all__ = [
    "KINDS",
    "Footprint",
    "Manifest",
    "ManifestError",
    "Region",
    "as_document",
    "check_inside",
    "footprint_of",
    "load_manifest",
]
