"""Manifests as JSON: what is written is read again, and nonsense is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.model.manifest import Manifest, ManifestRegion, load_manifest


def test_a_manifest_survives_writing_and_reading(tmp_path: Path) -> None:
    manifest = Manifest(
        (ManifestRegion(1, 64, 10, "kv", "k", "stated"), ManifestRegion(0, 0, 64, "weight")),
        capacity_bytes=1000,
    )
    file = tmp_path / "m.json"
    file.write_text(json.dumps(manifest.to_dict()))
    assert load_manifest(file) == manifest


def test_a_region_without_kind_is_a_weight(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text('{"regions": [{"layer_id": 0, "offset": 0, "size": 5}]}')
    assert load_manifest(file).regions[0].kind == "weight"


REGION = {"layer_id": 0, "offset": 0, "size": 5, "kind": "weight"}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({}, "expected a weight manifest in JSON"),
        ({"regions": []}, "expected at least one region"),
        ({"regions": [{**REGION, "kind": "cache"}]}, "expected a kind"),
        ({"regions": [REGION, REGION]}, "regions that do not overlap"),
        ({"regions": [{**REGION, "size": 0}]}, "expected a size above 0"),
        ({"regions": [{**REGION, "size": 1 << 63}]}, r"below 2\^63|weight manifest"),
        ({"regions": [REGION], "ddr_capacity_bytes": 0}, "ddr_capacity_bytes above 0"),
    ],
)
def test_manifests_that_cannot_be_are_refused_with_the_file(
    tmp_path: Path, document: object, sentence: str
) -> None:
    file = tmp_path / "m.json"
    file.write_text(json.dumps(document))
    with pytest.raises(InputError, match=f"m.json: .*{sentence}"):
        load_manifest(file)
