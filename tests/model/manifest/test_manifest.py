"""Regions in memory: which one holds an address, and what cannot be."""

from __future__ import annotations

import pytest

from lanescope.model.manifest import Footprint, Manifest, ManifestError, ManifestRegion
from lanescope.model.manifest.manifest import check_inside

WEIGHT = ManifestRegion(1, 100, 50, "weight", "w")
CACHE = ManifestRegion(0, 0, 60, "kv")
BOTH = Manifest((WEIGHT, CACHE))


def test_an_address_is_in_the_region_around_it() -> None:
    addresses = (-1, 0, 59, 60, 99, 100, 149, 150)
    assert [BOTH.find(one) for one in addresses] == [None, 0, 0, None, None, 1, 1, None]
    assert [BOTH.next_offset(one) for one in (-1, 0, 99, 100)] == [0, 100, 100, None]


def test_figures_of_all_regions() -> None:
    assert BOTH.regions == (CACHE, WEIGHT)
    assert (BOTH.layers, BOTH.activation_ceiling) == ((0, 1), 100)
    assert Manifest((CACHE,)).activation_ceiling == 0
    assert BOTH.footprint() == Footprint(weight=50, kv=60, activation=0)
    assert BOTH.footprint().text() == "weight 50 B, kv 60 B, activation 0 B, total 110 B"


@pytest.mark.parametrize(
    ("regions", "problem"),
    [
        ((), "expected at least one region, found none; nothing to place"),
        (
            (WEIGHT._replace(kind="cache"),),
            "expected a kind (weight, kv, activation), found 'cache' in region w (layer 1, offset "
            "100, 50 bytes)",
        ),
        (
            (CACHE._replace(size_bytes=0),),
            "expected a size above 0 and no negative offset or layer, found region (layer 0, "
            "offset 0, 0 bytes)",
        ),
        (
            (CACHE._replace(offset=-1),),
            "expected a size above 0 and no negative offset or layer, found region (layer 0, "
            "offset -1, 60 bytes)",
        ),
        (
            (CACHE._replace(layer=-1),),
            "expected a size above 0 and no negative offset or layer, found region (layer -1, "
            "offset 0, 60 bytes)",
        ),
        (
            (WEIGHT, CACHE._replace(size_bytes=101)),
            "expected regions that do not overlap, found region (layer 0, offset 0, 101 bytes) "
            "ending at 101 inside region w (layer 1, offset 100, 50 bytes)",
        ),
    ],
)
def test_regions_that_cannot_be_are_refused(
    regions: tuple[ManifestRegion, ...], problem: str
) -> None:
    with pytest.raises(ManifestError) as caught:
        Manifest(regions)
    assert str(caught.value) == f"manifest: {problem}"


def test_a_region_may_be_one_byte() -> None:
    assert Manifest((CACHE._replace(size_bytes=1),)).footprint() == Footprint(0, 1, 0)


def test_regions_may_touch_and_fill_the_memory() -> None:
    touching = Manifest((WEIGHT, CACHE._replace(size_bytes=100)))
    check_inside(touching, 150)
    with pytest.raises(ManifestError) as caught:
        check_inside(touching, 149)
    assert str(caught.value) == (
        "manifest: expected every region within the memory of 149 bytes, found region w (layer 1, "
        "offset 100, 50 bytes), which ends at 150; name the memory that the build was for"
    )
