"""Opens what describes a model: a file or folder in one of six forms, told apart by content.

PLENA build, safetensors (file, index, folder), GGUF, ONNX, a config in JSON, a manifest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lanescope.errors import InputError, LanescopeError, UsageError
from lanescope.model.manifest import gguf, onnx, plena_build, safetensors
from lanescope.model.manifest.from_shape import add_cache, shape_weights
from lanescope.model.manifest.json_manifest import load_manifest
from lanescope.model.manifest.manifest import Manifest, ManifestRegion
from lanescope.model.manifest.shape import Shape, shape_from_config
from lanescope.model.manifest.tensors import FileTensors, weight_regions

_MOST_CONFIG = 16 << 20
_BUILD, _GGUF, _CONFIG = "a PLENA build", "GGUF", "a config"
_WITH_SHAPE = (_BUILD, _GGUF, _CONFIG)
"""Forms that a config beside them says nothing about."""


@dataclass(frozen=True)
class Dtypes:
    """Number formats that the user names; they replace those of the files."""

    weight: str | None = None
    kv: str | None = None


@dataclass(frozen=True)
class ModelDescription:
    """What a file tells of a model: its regions, and its shape where it tells that."""

    name: str
    form: str
    """What was opened, in words, like `a config` or `GGUF`."""
    regions: tuple[ManifestRegion, ...]
    shape: Shape | None
    notes: tuple[str, ...]
    complete: bool = False
    """Whether KV cache and activations are among the regions already."""

    def manifest(self, *, context: int | None, batch: int, capacity_bytes: int | None) -> Manifest:
        """The manifest; a context adds KV cache and activations behind the weights."""
        regions, notes = self.regions, self.notes
        if not self.complete and context is not None:
            if self.shape is None:
                raise LanescopeError(
                    f"{self.name}: expected the model's shape for its KV cache, found none in "
                    f"{self.form}; put its config.json beside it, or give --config FILE"
                )
            regions = add_cache(regions, self.shape, context=context, batch=batch)
        elif not self.complete:
            notes = (*notes, "no --context: KV cache and activations are not in the manifest")
        return Manifest(regions, capacity_bytes, notes)


def open_model(
    path: str | Path, *, config: str | Path | None = None, dtypes: Dtypes | None = None
) -> ModelDescription:
    """Open the model at a path; `config` gives the shape where the file tells none."""
    described = _opened(Path(path), None if config is None else Path(config), dtypes or Dtypes())
    if config is not None and described.form in _WITH_SHAPE:
        raise UsageError(
            f"{path} is {described.form}, which says what it is made of by itself; leave out "
            "--config"
        )
    return described


def _opened(place: Path, config: Path | None, dtypes: Dtypes) -> ModelDescription:
    if not place.exists():
        raise InputError(
            place, "expected a model file, a folder or a config in JSON, found nothing there"
        )
    if plena_build.is_build(place):
        manifest = plena_build.read_build(place, capacity_bytes=None)
        return ModelDescription(place.name, _BUILD, manifest.regions, None, manifest.notes, True)
    file = _inside(place) if place.is_dir() else place
    head = _head(file)
    if head.startswith(gguf.MAGIC):
        return _from_gguf(file, dtypes)
    if head.lstrip().startswith(b"{"):
        return _from_json(file, config=config, dtypes=dtypes)
    if safetensors.is_safetensors(head):
        contents = safetensors.read_safetensors(file)
        return _from_tensors(file, "safetensors", contents, config=config, dtypes=dtypes)
    return _from_tensors(file, "ONNX", _read_onnx(file), config=config, dtypes=dtypes)


def _read_onnx(path: Path) -> FileTensors:
    """Read the file as ONNX, which has no magic number: nothing else claimed the file."""
    try:
        return onnx.read_onnx(path)
    except InputError as error:
        if path.suffix == ".onnx":
            raise
        raise InputError(
            path,
            "expected safetensors, GGUF, ONNX, or JSON (a config, an index or a manifest), found "
            f"none of them (as ONNX: {error.problem})",
        ) from error


def _inside(folder: Path) -> Path:
    """The file in a folder that describes the whole model."""
    for pattern in ("*.safetensors.index.json", "*.safetensors", "*.gguf", "*.onnx", "config.json"):
        files = sorted(folder.glob(pattern))
        if len(files) > 1:
            names = ", ".join(file.name for file in files[:3])
            raise InputError(folder, f"expected one {pattern}, found {names}; name the file")
        if files:
            return files[0]
    raise InputError(
        folder, "expected safetensors, GGUF, ONNX, config.json or hbm_addrs.json in it, found none"
    )


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(16)


def _from_json(path: Path, *, config: Path | None, dtypes: Dtypes) -> ModelDescription:
    document = _object(path)
    if "weight_map" in document:
        contents = safetensors.read_index(path)
        return _from_tensors(path, "a safetensors index", contents, config=config, dtypes=dtypes)
    if "regions" in document:
        manifest = load_manifest(path)
        kinds = {region.kind for region in manifest.regions}
        shape = None if config is None else _shape(config, dtypes)[0]
        return ModelDescription(
            path.name, "a manifest", manifest.regions, shape, manifest.notes, kinds != {"weight"}
        )
    shape, notes = _shape(path, dtypes)
    return ModelDescription(path.name, _CONFIG, shape_weights(shape), shape, notes)


def _from_tensors(
    path: Path, form: str, contents: FileTensors, *, config: Path | None, dtypes: Dtypes
) -> ModelDescription:
    beside = path.with_name("config.json")
    file = config or (beside if beside.is_file() else None)
    shape, notes = (None, ()) if file is None else _shape(file, dtypes)
    regions = weight_regions(contents.tensors)
    if not regions:
        raise InputError(path, f"expected tensors in {form}, found none")
    return ModelDescription(path.name, form, regions, shape, (*contents.notes, *notes))


def _from_gguf(path: Path, dtypes: Dtypes) -> ModelDescription:
    header = gguf.read_gguf(path)
    regions = weight_regions(header.contents.tensors)
    if not regions:
        raise InputError(path, "expected tensors in GGUF, found none")
    config = _gguf_config(header.keys)
    try:
        shape, _ = shape_from_config(config, weight_dtype=dtypes.weight, kv_dtype=dtypes.kv)
    except LanescopeError as error:
        note = f"its keys do not tell the model's shape ({error})"
        return ModelDescription(path.name, _GGUF, regions, None, (*header.contents.notes, note))
    return ModelDescription(path.name, _GGUF, regions, shape, header.contents.notes)


def _gguf_config(keys: dict[str, Any]) -> dict[str, Any]:
    """The keys of a GGUF header, in the words of a config."""
    arch = keys.get("general.architecture", "")
    words = {
        "layers": "block_count",
        "hidden": "embedding_length",
        "heads": "attention.head_count",
        "kv_heads": "attention.head_count_kv",
        "head_dim": "attention.key_length",
        "intermediate": "feed_forward_length",
        "vocabulary": "vocab_size",
        "experts": "expert_count",
        "active_experts": "expert_used_count",
        "expert_intermediate": "expert_feed_forward_length",
        "n_shared_experts": "expert_shared_count",
        "shared_intermediate_size": "expert_shared_feed_forward_length",
        "first_k_dense_replace": "leading_dense_block_count",
        "full_attention_interval": "full_attention_interval",
        "kv_lora_rank": "attention.kv_lora_rank",
        "qk_rope_head_dim": "rope.dimension_count",
    }
    values = {word: keys.get(f"{arch}.{key}") for word, key in words.items()}
    config = {word: value for word, value in values.items() if isinstance(value, int) and value > 0}
    tokens = keys.get("tokenizer.ggml.tokens")
    if "vocabulary" not in config and isinstance(tokens, range):
        config["vocabulary"] = len(tokens)
    return {**config, "dtype": "16"}


def _shape(path: Path, dtypes: Dtypes) -> tuple[Shape, tuple[str, ...]]:
    try:
        return shape_from_config(_object(path), weight_dtype=dtypes.weight, kv_dtype=dtypes.kv)
    except InputError:
        raise
    except LanescopeError as error:
        raise InputError(path, str(error)) from error


def _object(path: Path) -> dict[str, Any]:
    size = path.stat().st_size
    if size > 256 << 20 or (size > _MOST_CONFIG and path.name == "config.json"):
        raise InputError(path, f"expected a config or a manifest in JSON, found {size:,} bytes")
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(path, f"expected JSON, found: {error}") from error
