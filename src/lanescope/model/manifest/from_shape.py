"""Regions that follow from a model's shape: weights per layer, KV cache, activations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lanescope.model.manifest.manifest import ManifestRegion
from lanescope.model.manifest.shape import Shape, bytes_of

_ACTIVATION_BYTES = 2


def weight_parts(shape: Shape) -> Iterator[tuple[int, str, int]]:
    """Layer, name and number of elements of each weight; weights outside the layers come last."""
    for layer in range(shape.layers):
        yield layer, f"layer {layer} attention", shape.attention_elements
        yield layer, f"layer {layer} mlp", shape.experts * shape.mlp_elements
        rest = shape.layer_elements - shape.attention_elements - shape.experts * shape.mlp_elements
        yield layer, f"layer {layer} norms and router", rest
    yield shape.layers, "embedding, head and last norm", shape.outside_elements


def shape_weights(shape: Shape) -> tuple[ManifestRegion, ...]:
    """Regions of the weights, one after the other from offset 0."""
    source = f"shape × {float(shape.weight_bits):g} bits"
    parts = (
        (layer, bytes_of(elements, shape.weight_bits), "weight", name, source)
        for layer, name, elements in weight_parts(shape)
    )
    return _packed(parts, 0)


def kv_bytes(shape: Shape, *, context: int, batch: int) -> int:
    """Bytes of the KV cache of all layers, every sequence filled up to the context."""
    per_layer = bytes_of(shape.kv_elements_per_token * context * batch, shape.kv_bits)
    return shape.layers * per_layer


def activation_bytes(shape: Shape, *, batch: int) -> int:
    """Bytes that one decode step works in: two hidden vectors, the MLP's, and the logits.

    Each value has 16 bits.
    """
    width = 2 * shape.hidden + 2 * shape.intermediate * shape.active_experts + shape.vocabulary
    return _ACTIVATION_BYTES * batch * width


def add_cache(
    weights: Sequence[ManifestRegion], shape: Shape, *, context: int, batch: int
) -> tuple[ManifestRegion, ...]:
    """The weights, and behind them the KV cache and the activations."""
    end = max((region.end for region in weights), default=0)
    source = f"{context:,} tokens × {batch:,} sequences × {float(shape.kv_bits):g} bits"
    per_layer = kv_bytes(shape, context=context, batch=batch) // shape.layers
    cache = _packed(
        ((layer, per_layer, "kv", f"layer {layer} kv", source) for layer in range(shape.layers)),
        end,
    )
    working = ManifestRegion(
        0,
        cache[-1].end if cache else end,
        activation_bytes(shape, batch=batch),
        "activation",
        "working set of one step",
        f"{batch:,} sequences × 16 bits",
    )
    return (*weights, *cache, working)


def _packed(
    parts: Iterator[tuple[int, int, str, str, str]], offset: int
) -> tuple[ManifestRegion, ...]:
    """Regions without gaps from the offset on; a part is layer, bytes, kind, name and source."""
    regions = []
    for layer, size, kind, name, source in parts:
        if size == 0:
            continue
        regions.append(ManifestRegion(layer, offset, size, kind, name, source))
        offset += size
    return tuple(regions)
