"""Weight manifests: what lies where in a board's memory, and where each size came from."""

from lanescope.model.manifest.json_manifest import load_manifest
from lanescope.model.manifest.manifest import (
    KINDS,
    Footprint,
    Manifest,
    ManifestError,
    ManifestRegion,
    check_inside,
    footprint_of,
)

__all__ = [
    "KINDS",
    "Footprint",
    "Manifest",
    "ManifestError",
    "ManifestRegion",
    "check_inside",
    "footprint_of",
    "load_manifest",
]
