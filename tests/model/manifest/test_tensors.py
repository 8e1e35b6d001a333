"""Tensors of a file as regions: their layers, their places, and tensors without bytes."""

from __future__ import annotations

import pytest

from lanescope.model.manifest import Manifest, ManifestRegion
from lanescope.model.manifest.tensors import FileTensor, layer_of, weight_regions


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("model.layers.0.mlp.up_proj.weight", 0),
        ("blk.17.attn_q.weight", 17),
        ("transformer.h.3.ln_1.bias", 3),
        ("model.embed_tokens.weight", None),
        ("lm_head.weight", None),
    ],
)
def test_a_name_tells_its_layer(name: str, layer: int | None) -> None:
    assert layer_of(name) == layer


def test_regions_follow_each_other_and_those_of_no_layer_are_the_last() -> None:
    tensors = [
        FileTensor("embed", 1, "a"),
        FileTensor("layers.1.empty", 0, "a"),
        FileTensor("layers.1.w", 3, "b"),
        FileTensor("layers.0." + "n" * 300, 5, "b"),
    ]
    regions = weight_regions(tensors)
    assert [region.name for region in regions[:2]] == ["embed", "layers.1.w"]
    assert regions[0] == ManifestRegion(2, 0, 1, "weight", "embed", "a")
    assert regions[1] == ManifestRegion(1, 1, 3, "weight", "layers.1.w", "b")
    assert (regions[2].layer, regions[2].offset, regions[2].size_bytes) == (0, 4, 5)
    assert regions[2].name == tensors[3].name[: len(regions[2].name)] != tensors[3].name
    assert weight_regions([]) == weight_regions([FileTensor("a", 0, "a")]) == ()
    assert [one.layer for one in weight_regions(tensors[:1])] == [0]


def test_an_address_is_in_a_region_before_one_or_behind_the_last() -> None:
    """Regions from 10 to 30 and from 40 to 45."""
    manifest = Manifest((ManifestRegion(0, 40, 5, "weight"), ManifestRegion(0, 10, 20, "kv")))
    found = {one: (manifest.find(one), manifest.next_offset(one)) for one in (9, 10, 29, 30, 39)}
    assert found == {9: (None, 10), 10: (0, 40), 29: (0, 40), 30: (None, 40), 39: (None, 40)}
    assert [manifest.find(one) for one in (40, 44, 45)] == [1, 1, None]
    assert [manifest.next_offset(one) for one in (40, 99)] == [None, None]
