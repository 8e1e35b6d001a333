"""`lanescope.manifest`: what of a model lies where in a board's memory, and whether it fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lanescope.errors import OutputError, UsageError
from lanescope.model.boards import load_board
from lanescope.model.manifest.manifest import Footprint, Manifest
from lanescope.model.manifest.source import Dtypes, ModelDescription, open_model
from lanescope.model.memory.regime import choose_regime
from lanescope.model.memory.sizes import check_count, read_size
from lanescope.render.names import printable
from lanescope.results import Result


@dataclass(frozen=True)
class WholeModel(Result):
    """What all layers of a model would need, estimated from a build of some of them."""

    layers: int
    layers_in_build: int
    footprint_bytes: Footprint
    regime: str | None


@dataclass(frozen=True, kw_only=True)
class ModelManifest(Result):
    """A model's manifest with its sums."""

    model: str
    form: str
    """What described the model, like `a config` or `GGUF`."""
    layers: int
    footprint_bytes: Footprint
    regions: dict[str, int]
    """Number of regions of each kind."""
    size_sources: dict[str, int]
    """Number of regions whose size came from each source."""
    capacity_bytes: int | None
    regime: str | None
    """`resident`, `kv-swap` or `weight-stream`; None where no capacity is known."""
    notes: tuple[str, ...]
    """What a reader should know of the sizes, a sentence each."""
    manifest: Manifest = field(repr=False)
    whole_model: WholeModel | None = None

    def to_dict(self) -> dict[str, Any]:
        """Every figure; `whole_model` only where it was asked for."""
        figures = super().to_dict()
        if self.whole_model is None:
            del figures["whole_model"]
        return figures

    def text(self) -> str:
        """The sums as plain text; it ends in a newline."""
        return "\n".join(_lines(self)) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the manifest as JSON; the file is replaced when all of it is written.

        Args:
            path: The file to write.

        Raises:
            OutputError: The file cannot be written.
        """
        document = msgspec.json.encode(self.manifest.to_dict())
        path = Path(path)
        temporary = path.with_name(path.name + ".part")
        try:
            temporary.write_bytes(msgspec.json.format(document, indent=1) + b"\n")
            temporary.replace(path)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written ({error.strerror})") from error


def manifest(
    model: str | Path,
    *,
    config: str | Path | None = None,
    weight_dtype: str | None = None,
    kv_dtype: str | None = None,
    board: str | Path | None = None,
    capacity: str | float | None = None,
    context: int | None = None,
    batch: int | None = None,
    total_layers: int | None = None,
) -> ModelManifest:
    """Lists the regions of a model: which bytes are weights, KV cache and activations.

    Args:
        model: A PLENA build, safetensors, GGUF or ONNX file, a config in JSON, or a manifest.
        config: The model's config.json, where it does not lie beside the file.
        weight_dtype: Number format of a config's weights, like `int4` or `mxfp8`.
        kv_dtype: Number format of the KV cache; 16 bits without it.
        board: Name or file of a board, whose capacity is taken.
        capacity: Bytes of memory, or a text like `512M` or `1.5GB`, before the board's.
        context: Tokens per sequence; it adds KV cache and activations.
        batch: Sequences at once; 1 without it.
        total_layers: Layers of the whole model, where a build holds only some of them.

    Returns:
        The manifest with its sums; `.save(path)` writes it for `predict` and `fit`.

    Raises:
        InputError: The model, its config or the board cannot be read.
        UsageError: An option has no meaning, or there is no such board.

    Examples:
        >>> sizes = lanescope.manifest("examples/model_135m.json", context=2048, board="v80")
        >>> sizes.regime, sizes.footprint_bytes.total == sizes.manifest.footprint().total
        ('resident', True)
    """
    tokens, sequences = check_count(context, "--context"), check_count(batch, "--batch")
    if tokens is None and (sequences is not None or kv_dtype is not None):
        raise UsageError(
            "--batch and --kv-dtype are about the KV cache, which --context adds; add --context N"
        )
    described = open_model(model, config=config, dtypes=Dtypes(weight_dtype, kv_dtype))
    regions = described.manifest(
        context=tokens,
        batch=sequences or 1,
        capacity_bytes=_capacity_bytes(capacity, board),
    )
    return _summed(described, regions, check_count(total_layers, "--total-layers"))


def _capacity_bytes(capacity: str | float | None, board: str | Path | None) -> int | None:
    if capacity is None and board is not None:
        return load_board(board).memory.capacity_bytes.value
    return None if capacity is None else read_size(capacity)


def _summed(
    described: ModelDescription, regions: Manifest, total_layers: int | None
) -> ModelManifest:
    footprint, capacity = regions.footprint(), regions.capacity_bytes
    return ModelManifest(
        model=described.name,
        form=described.form,
        layers=len(regions.layers),
        footprint_bytes=footprint,
        regions=dict(Counter(region.kind for region in regions.regions)),
        size_sources=dict(Counter(region.size_source for region in regions.regions)),
        capacity_bytes=capacity,
        regime=None if capacity is None else choose_regime(footprint, capacity),
        notes=regions.notes,
        manifest=regions,
        whole_model=None if total_layers is None else _whole_model(regions, total_layers),
    )


def _whole_model(regions: Manifest, total_layers: int) -> WholeModel:
    """Weights and KV of a build, scaled from its layers to all layers of the model."""
    built, capacity = regions.footprint(), regions.capacity_bytes
    held = len({region.layer for region in regions.regions if region.kind != "activation"})
    weight, kv = (size * total_layers // max(1, held) for size in (built.weight, built.kv))
    whole = Footprint(weight, kv, built.activation)
    regime = None if capacity is None else choose_regime(whole, capacity)
    return WholeModel(total_layers, held, whole, regime)


def _lines(sums: ModelManifest) -> Iterator[str]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sums.regions.items())
    yield (
        f"{printable(sums.model)} ({sums.form}): {sum(sums.regions.values()):,} regions ({kinds}) "
        f"in {sums.layers:,} layers"
    )
    yield f"footprint: {sums.footprint_bytes.text()}"
    yield from _regime_line(sums.regime, sums.capacity_bytes)
    if sums.whole_model is not None:
        whole = sums.whole_model
        yield (
            f"estimate for {whole.layers} layers (the build holds {whole.layers_in_build}): "
            f"{whole.footprint_bytes.text()}"
        )
        yield from _regime_line(whole.regime, sums.capacity_bytes)
    yield "sizes come from:"
    for source, count in sums.size_sources.items():
        yield f"  {count:>6,} × {printable(source) or 'the manifest'}"
    for note in sums.notes:
        yield f"note: {printable(note)}"


def _regime_line(regime: str | None, capacity_bytes: int | None) -> Iterator[str]:
    if regime is not None:
        yield f"  regime with {capacity_bytes:,} bytes of memory: {regime}"
