"""Which file describes a model, and where its shape comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.model.manifest import files

from lanescope.errors import InputError, UsageError
from lanescope.model.manifest.source import open_model

CONFIG = {
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "vocab_size": 100,
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "other.json").write_text(json.dumps(CONFIG))
    return tmp_path / "other.json"


def regions(folder: Path, *kinds: str) -> Path:
    rows = [
        {"layer_id": 0, "offset": 8 * place, "size": 8, "kind": kind}
        for place, kind in enumerate(kinds)
    ]
    (folder / "manifest.json").write_text(json.dumps({"regions": rows}))
    return folder / "manifest.json"


def test_a_manifest_has_the_shape_of_the_config_that_is_given(tmp_path: Path, config: Path) -> None:
    file = regions(tmp_path, "weight")
    without, beside = open_model(file), open_model(file, config=config)
    assert (without.shape, without.form, without.complete) == (None, "a manifest", False)
    assert beside.shape == open_model(config).shape is not None
    assert beside.regions == without.regions


@pytest.mark.parametrize(
    ("kinds", "complete"), [(("weight", "kv"), True), (("kv",), True), (("weight",) * 2, False)]
)
def test_a_manifest_with_more_than_weights_is_complete(
    kinds: tuple[str, ...], complete: bool, tmp_path: Path
) -> None:
    assert open_model(regions(tmp_path, *kinds)).complete == complete


def test_a_config_that_is_given_goes_before_the_one_beside_the_tensors(
    tmp_path: Path, config: Path
) -> None:
    file = files.safetensors(tmp_path / "m.safetensors", {"layers.0.w": ("F16", [4], 8)})
    assert open_model(file).shape is None
    (tmp_path / "config.json").write_text(json.dumps({**CONFIG, "vocab_size": 7}))
    found = [open_model(file).shape, open_model(file, config=config).shape]
    assert [shape.vocabulary for shape in found if shape is not None] == [7, 100]


def test_a_config_has_none_beside_it(config: Path) -> None:
    with pytest.raises(UsageError) as caught:
        open_model(config, config=config)
    assert str(caught.value) == (
        f"{config} is a config, which says what it is made of by itself; leave out --config"
    )


def test_in_a_folder_an_index_goes_before_its_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        files.safetensors(tmp_path / f"{name}.safetensors", {name: ("F16", [4], 8)})
    with pytest.raises(InputError) as caught:
        open_model(tmp_path)
    assert caught.value.problem == (
        "expected one *.safetensors, found a.safetensors, b.safetensors; name the file"
    )
    index = {"weight_map": {"b": "b.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert [region.name for region in open_model(tmp_path).regions] == ["b"]


def test_where_nothing_is_known_the_forms_are_named(tmp_path: Path) -> None:
    problems = []
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError) as caught:
            open_model(place)
        problems.append(caught.value.problem)
    assert problems == [
        "expected safetensors, GGUF, ONNX, config.json or hbm_addrs.json in it, found none",
        "expected a model file, a folder or a config in JSON, found nothing there",
    ]
