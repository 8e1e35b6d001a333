"""Opens whatever describes a model: a file or folder in one of six forms, told by content.

PLENA build, safetensors (file, index, folder), GGUF, ONNX, a config in JSON, a manifest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lanescope.errors import InputError, LanescopeError
from lanescope.model.manifest import gguf, onnx, plena_build, safetensors
from lanescope.model.manifest.from_shape import add_cache, shape_weights
from lanescope.model.manifest.json_manifest import load_manifest
from lanescope.model.manifest.manifest import Manifest, Region
from lanescope.model.manifest.shape import Shape, shape_from_config
from lanescope.model.manifest.tensors import Reader, weight_regions

_MOST_CONFIG = 16 << 20


@dataclass(frozen=True)
class Dtypes:
    """Names of number formats given on the command line, in place of the files'."""

    weight: str | None = None
    kv: str | None = None


@dataclass(frozen=True)
class Model:
    """What is known of a model: its regions, and its shape where a file tells it."""

    name: str
    form: str
    regions: tuple[Region, ...]
    shape: Shape | None
    notes: tuple[str, ...]
    complete: bool = False
    """Whether KV cache and activations are among the regions already."""

    def manifest(self, *, context: int | None, batch: int, capacity_bytes: int | None) -> Manifest:
        """The regions with the cache of that context behind them, where the shape is known."""
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
    path: str | Path, *, config: Path | None = None, dtypes: Dtypes | None = None
) -> Model:
    """The model at the path; `config` gives the shape where the file tells none."""
    found = Path(path)
    dtypes = dtypes or Dtypes()
    if not found.exists():
        raise InputError(
            found, "expected a model file, a folder or a config in JSON, found nothing there"
        )
    if plena_build.is_build(found):
        manifest = plena_build.read_build(found, capacity_bytes=None)
        return Model(found.name, "a PLENA build", manifest.regions, None, manifest.notes, True)
    if found.is_dir():
        found = _inside(found)
    head = _head(found)
    if head.startswith(gguf.MAGIC):
        return _from_gguf(found, dtypes)
    if head.lstrip().startswith(b"{"):
        return _from_json(found, config=config, dtypes=dtypes)
    if safetensors.is_safetensors(head):
        reader = safetensors.read_safetensors(found)
        return _from_tensors(found, "safetensors", reader, config=config, dtypes=dtypes)
    return _from_tensors(found, "ONNX", _read_onnx(found), config=config, dtypes=dtypes)


def _read_onnx(path: Path) -> Reader:
    """ONNX has no magic number: what nothing else claims is tried as such."""
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
    """The file of a folder that describes all of the model."""
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


def _from_json(path: Path, *, config: Path | None, dtypes: Dtypes) -> Model:
    document = _object(path)
    if "weight_map" in document:
        reader = safetensors.read_index(path)
        return _from_tensors(path, "a safetensors index", reader, config=config, dtypes=dtypes)
    if "regions" in document:
        manifest = load_manifest(path)
        kinds = {region.kind for region in manifest.regions}
        shape = None if config is None else _shape(config, dtypes)[0]
        return Model(
            path.name, "a manifest", manifest.regions, shape, manifest.notes, kinds != {"weight"}
        )
    shape, notes = _shape(path, dtypes)
    return Model(path.name, "a config", shape_weights(shape), shape, notes)


def _from_tensors(
    path: Path, form: str, reader: Reader, *, config: Path | None, dtypes: Dtypes
) -> Model:
    beside = path.with_name("config.json")
    file = config or (beside if beside.is_file() else None)
    shape, notes = (None, ()) if file is None else _shape(file, dtypes)
    regions = weight_regions(reader.tensors)
    if not regions:
        raise InputError(path, f"expected tensors in {form}, found none")
    return Model(path.name, form, regions, shape, (*reader.notes, *notes))


def _from_gguf(path: Path, dtypes: Dtypes) -> Model:
    header = gguf.read_gguf(path)
    regions = weight_regions(header.reader.tensors)
    if not regions:
        raise InputError(path, "expected tensors in GGUF, found none")
    config = _gguf_config(header.keys)
    try:
        shape, _ = shape_from_config(config, weight_dtype=dtypes.weight, kv_dtype=dtypes.kv)
    except LanescopeError as error:
        note = f"its keys do not tell the model's shape ({error})"
        return Model(path.name, "GGUF", regions, None, (note,))
    return Model(path.name, "GGUF", regions, shape, header.reader.notes)


def _gguf_config(keys: dict[str, Any]) -> dict[str, Any]:
    """GGUF's keys in a config's words."""
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
    }
    found = {word: keys.get(f"{arch}.{key}") for word, key in words.items()}
    config = {word: value for word, value in found.items() if isinstance(value, int) and value > 0}
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
