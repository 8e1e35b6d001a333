"""Regions that follow from a model's shape: weights per layer, KV cache, activations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lanescope.model.manifest.manifest import ManifestRegion
from lanescope.model.manifest.shape import Shape, bytes_of

_ACTIVATION_BYTES = 2


def weight_parts(shape: Shape) -> Iterator[tuple[int, str, int]]:
    """Layer, name and number of elements of each weight; weights outside the layers come last."""
    for layer in range(shape.layers):
        whole, attention = shape.layer_elements(layer), shape.attention_elements
        small = 2 * shape.hidden
        if shape.experts > 1 and layer >= shape.dense_layers:
            small += shape.hidden * shape.experts
        yield layer, f"layer {layer} attention", attention
        yield layer, f"layer {layer} mlp", whole - attention - small
        yield layer, f"layer {layer} norms and router", small
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
    """Bytes of the KV cache of all layers, every sequence filled up to the context.

    The cache of a layer with a window holds no more than the window.
    """
    tokens = int(shape.cached_tokens(context)) * batch
    return bytes_of(shape.kv_elements_per_token * tokens, shape.kv_bits)


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
    parts = _shared_out(kv_bytes(shape, context=context, batch=batch), shape.layers)
    cache = _packed(
        ((layer, size, "kv", f"layer {layer} kv", source) for layer, size in enumerate(parts)),
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


def _shared_out(size: int, layers: int) -> list[int]:
    """So many bytes over so many layers, as even as whole bytes allow."""
    return [size * (layer + 1) // layers - size * layer // layers for layer in range(layers)]
