"""Tensors of a model file: name and size, and the region each of them becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lanescope.model.manifest.manifest import Region

_LAYER = re.compile(r"(?:^|[./_])(?:layers?|h|blocks?|blk|block)[./_](\d{1,6})(?=[./_]|$)")
_MOST_NAME = 200


class Tensor(NamedTuple):
    """What a model file says about one tensor."""

    name: str
    size_bytes: int
    size_source: str


class Reader(NamedTuple):
    """What a reader found in a file: weights in the file's order, and what people should know."""

    tensors: tuple[Tensor, ...]
    notes: tuple[str, ...] = ()


def layer_of(name: str) -> int | None:
    """The layer that a tensor's name tells; None for those outside the layers."""
    match = _LAYER.search(name)
    return int(match[1]) if match else None


def weight_regions(tensors: Sequence[Tensor]) -> tuple[Region, ...]:
    """Weights one after the other in the file's order.

    Tensors outside the layers (embedding, head, last norm) form a layer of their own, the last.
    """
    layers = [layer_of(tensor.name) for tensor in tensors]
    outside = max((layer for layer in layers if layer is not None), default=-1) + 1
    regions = []
    offset = 0
    for tensor, layer in zip(tensors, layers, strict=True):
        if tensor.size_bytes == 0:
            continue
        place = outside if layer is None else layer
        name = tensor.name[:_MOST_NAME]
        regions.append(Region(place, offset, tensor.size_bytes, "weight", name, tensor.size_source))
        offset += tensor.size_bytes
    return tuple(regions)
