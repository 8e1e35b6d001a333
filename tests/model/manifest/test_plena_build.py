"""Manifests of PLENA builds: equal to the recorded ones, and each size's source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.model.manifest import load_manifest
from lanescope.model.manifest.plena_build import kind_of, layer_id, read_build
from lanescope.model.memory import choose_regime

DATA = Path(__file__).parents[4] / "shared" / "data" / "plena" / "manifests"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here")
RECORDED = sorted(DATA.glob("*.manifest.json"))


@needs_data
@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.name)
def test_a_builds_manifest_equals_the_recorded_one(recorded: Path) -> None:
    expected = json.loads(recorded.read_text())
    build = DATA / f"{recorded.name.split('.')[0]}.hbm_addrs.json"
    found = read_build(build, capacity_bytes=expected["ddr_capacity_bytes"]).to_dict()
    for region in found["regions"]:
        assert region.pop("size_source") == "hbm_sizes.json"
        assert region.pop("name")
    assert found == expected


@needs_data
@pytest.mark.parametrize(
    ("capacity", "regime"),
    # From report.txt: "regime @ … (this build)".
    [
        ("custom_a7", "resident"),
        ("custom_a7_8M", "resident"),
        ("custom_a7_3M", "weight-stream"),
        ("custom_a7_1M", "weight-stream"),
        ("nexys_video", "resident"),
    ],
)
def test_the_regime_is_the_recorded_one(capacity: str, regime: str) -> None:
    manifest = load_manifest(DATA / f"clm60m_1L_m256_b64_s256.{capacity}.manifest.json")
    assert manifest.capacity_bytes is not None
    assert choose_regime(manifest.footprint(), manifest.capacity_bytes) == regime


@needs_data
def test_layouts_give_the_same_sizes_where_they_tell_them(tmp_path: Path) -> None:
    # Without hbm_sizes.json; K_stored and V_stored have no layout, the last of them no neighbour.
    name = "clm60m_1L_m256_b64_s256"
    sizes = json.loads((DATA / f"{name}.hbm_sizes.json").read_text())
    addresses = json.loads((DATA / f"{name}.hbm_addrs.json").read_text())
    layouts = json.loads((DATA / f"{name}.tensor_layouts.json").read_text())
    (tmp_path / "hbm_addrs.json").write_text(json.dumps({n: addresses[n] for n in layouts}))
    (tmp_path / "tensor_layouts.json").write_text(json.dumps(layouts))
    for region in read_build(tmp_path, capacity_bytes=None).regions:
        assert region.size_bytes == sizes[region.name]
        assert region.size_source == "tensor_layouts.json"


def build(folder: Path, **documents: object) -> Path:
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return folder


def test_sizes_go_before_layouts_and_layouts_before_the_next_address(tmp_path: Path) -> None:
    folder = build(
        tmp_path,
        hbm_addrs={"W_q_0": 0, "W_k_0": 100, "X": 200, "W_v_1": 300},
        hbm_sizes={"W_q_0": 90, "W_v_1": 7},
        tensor_layouts={"W_q_0": {"storage_shape": [1]}, "W_k_0": {"storage_shape": [8, 10]}},
    )
    found = read_build(folder, capacity_bytes=None).regions
    assert [(r.size_bytes, r.size_source, r.kind, r.layer) for r in found] == [
        (90, "hbm_sizes.json", "weight", 0),
        (90, "tensor_layouts.json", "weight", 0),
        (100, "the next tensor's address", "activation", 0),
        (7, "hbm_sizes.json", "weight", 1),
    ]


def test_an_estimated_size_is_cut_at_the_next_tensor_and_a_stated_one_refused(
    tmp_path: Path,
) -> None:
    folder = build(
        tmp_path,
        hbm_addrs={"A": 0, "B": 64},
        hbm_sizes={"B": 8},
        tensor_layouts={"A": {"storage_shape": [64]}},
    )
    first = read_build(folder, capacity_bytes=None).regions[0]
    assert (first.size_bytes, first.size_source) == (
        64,
        "tensor_layouts.json, cut at the next tensor",
    )
    build(tmp_path, hbm_sizes={"A": 72, "B": 8})
    with pytest.raises(InputError, match="expected regions that do not overlap"):
        read_build(folder, capacity_bytes=None)


def test_a_last_tensor_without_size_is_refused(tmp_path: Path) -> None:
    folder = build(tmp_path, hbm_addrs={"W_q_0": 0})
    with pytest.raises(InputError, match=r"expected a size of 'W_q_0' in hbm_sizes\.json"):
        read_build(folder, capacity_bytes=None)


@pytest.mark.parametrize(
    ("name", "kind", "layer"),
    [
        ("W_q_3", "weight", 3),
        ("K_stored_2_h1", "kv", 2),
        ("V_stored_0_h11", "kv", 0),
        ("V_W_fc1_4", "weight", 4),
        ("V_LN2_5", "weight", 5),
        ("V_PATCH_W", "weight", 0),
        ("COS", "activation", 0),
        ("W_k_0_h1", "weight", 0),
    ],
)
def test_kinds_and_layers_follow_the_names(name: str, kind: str, layer: int) -> None:
    assert (kind_of(name), layer_id(name)) == (kind, layer)
