"""Tensors of a model file: name and size, and the region each of them becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lanescope.model.manifest.manifest import ManifestRegion

_LAYER = re.compile(r"(?:^|[./_])(?:layers?|h|blocks?|blk|block)[./_](\d{1,6})(?=[./_]|$)")
_MOST_NAME = 200


class FileTensor(NamedTuple):
    """One tensor of a model file."""

    name: str
    size_bytes: int
    size_source: str
    """Where the size was read, in words."""


class FileTensors(NamedTuple):
    """The tensors of a model file in the file's order, and notes for people."""

    tensors: tuple[FileTensor, ...]
    notes: tuple[str, ...] = ()


def layer_of(name: str) -> int | None:
    """Number of the layer that a tensor's name tells; None for a tensor outside the layers."""
    match = _LAYER.search(name)
    return int(match[1]) if match else None


def weight_regions(tensors: Sequence[FileTensor]) -> tuple[ManifestRegion, ...]:
    """Regions of the tensors, one after the other in the file's order.

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
        regions.append(
            ManifestRegion(place, offset, tensor.size_bytes, "weight", name, tensor.size_source)
        )
        offset += tensor.size_bytes
    return tuple(regions)
