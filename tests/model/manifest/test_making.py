"""`lanescope.manifest`: sums of a model's regions, the regime, and the file it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.errors import OutputError, UsageError
from lanescope.model.manifest import Footprint, load_manifest
from lanescope.model.manifest.making import WholeModel, manifest

MODEL = Path(__file__).parents[3] / "examples" / "model_135m.json"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "hbm_addrs.json").write_text('{"W_q_0": 0, "X": 100}')
    (tmp_path / "hbm_sizes.json").write_text('{"W_q_0": 100, "X": 7}')
    return tmp_path


def test_the_sums_of_a_build(build: Path) -> None:
    sums = manifest(build, capacity="1K")
    assert sums.to_dict() == {
        "model": build.name,
        "form": "a PLENA build",
        "layers": 1,
        "footprint_bytes": {"weight": 100, "kv": 0, "activation": 7, "total": 107},
        "regions": {"weight": 1, "activation": 1},
        "size_sources": {"hbm_sizes.json": 2},
        "capacity_bytes": 1024,
        "regime": "resident",
        "notes": [],
        "manifest": sums.manifest.to_dict(),
    }


def test_the_layers_that_a_build_lacks_are_estimated(build: Path) -> None:
    sums = manifest(build, capacity=1024, total_layers=30)
    assert sums.whole_model == WholeModel(30, 1, Footprint(3000, 0, 7), "weight-stream")
    assert "estimate for 30 layers (the build holds 1): weight 3.00 kB" in sums.text()
    assert sums.to_dict()["whole_model"]["layers"] == 30


def test_its_text_says_where_sizes_come_from(build: Path) -> None:
    assert manifest(build).text() == (
        f"{build.name} (a PLENA build): 2 regions (1 weight, 1 activation) in 1 layers\n"
        "footprint: weight 100 B, kv 0 B, activation 7 B, total 107 B\n"
        "sizes come from:\n"
        "       2 × hbm_sizes.json\n"
    )


def test_a_context_adds_the_cache_and_a_board_the_capacity() -> None:
    without = manifest(MODEL)
    assert (without.footprint_bytes.kv, without.capacity_bytes, without.regime) == (0, None, None)
    within = manifest(MODEL, context=100, batch=2, kv_dtype="fp8", board="nexys_video")
    assert within.footprint_bytes.kv == 30 * 2 * 3 * 64 * 100 * 2
    assert (within.capacity_bytes, within.regime) == (512 << 20, "resident")


def test_a_given_capacity_goes_before_the_boards() -> None:
    assert manifest(MODEL, capacity="64M", board="nexys_video").capacity_bytes == 64 << 20


def test_what_it_saves_is_read_again(build: Path, tmp_path: Path) -> None:
    sums = manifest(build)
    sums.save(tmp_path / "m.json")
    assert load_manifest(tmp_path / "m.json") == sums.manifest
    assert json.loads((tmp_path / "m.json").read_text()) == sums.manifest.to_dict()
    with pytest.raises(OutputError, match=r"none/m\.json: cannot be written \(No such file"):
        sums.save(tmp_path / "none" / "m.json")


@pytest.mark.parametrize("option", ["context", "batch", "total_layers"])
def test_a_count_of_0_is_refused_by_its_name(option: str) -> None:
    with pytest.raises(UsageError, match=f"^--{option.replace('_', '-')}: expected a number from"):
        manifest(MODEL, **{option: 0})  # type: ignore[arg-type]


def test_it_prints_itself_without_the_regions(build: Path) -> None:
    text = repr(manifest(build))
    assert "form='a PLENA build'" in text and "manifest=" not in text


def test_a_build_of_two_layers_is_scaled_by_half_of_what_it_holds(tmp_path: Path) -> None:
    """An activation is no layer of the model, and is as large for all layers."""
    (tmp_path / "hbm_addrs.json").write_text('{"W_q_0": 0, "W_q_1": 100, "X": 201}')
    (tmp_path / "hbm_sizes.json").write_text('{"W_q_0": 100, "W_q_1": 101, "X": 7}')
    whole = manifest(tmp_path, total_layers=31).whole_model
    assert whole == WholeModel(31, 2, Footprint(201 * 31 // 2, 0, 7), None)
