"""What a decode step and a prefill ask for, from a model's sizes and what of it is resident."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.model.fit.step import Work
from lanescope.model.manifest.manifest import Footprint
from lanescope.model.manifest.shape import Shape
from lanescope.model.memory.regime import choose_regime

OPERATIONS_PER_LAYER = 8
"""Norm, QKV, attention, output, norm, up and gate, activation, down. Assumed."""


@dataclass(frozen=True)
class Load:
    """A model in use: its footprint, its shape if known, and how it is used."""

    footprint: Footprint
    shape: Shape | None
    context: int
    """Tokens per sequence."""
    batch: int
    """Sequences at once."""


@dataclass(frozen=True)
class Residency:
    """The bytes of a footprint that stay in a memory, and those that every step streams."""

    regime: str
    weight_bytes: int
    kv_bytes: int
    streamed_weight_bytes: int
    streamed_kv_bytes: int

    @property
    def streamed_bytes(self) -> int:
        """Bytes that come over the link in every step."""
        return self.streamed_weight_bytes + self.streamed_kv_bytes


def place(footprint: Footprint, capacity_bytes: int) -> Residency:
    """Divide a memory: activations first; then weights before KV if all weights fit, else KV first.

    Either way the streamed bytes are the footprint less the capacity: no cliff at the border.
    """
    regime = choose_regime(footprint, capacity_bytes)
    free = max(0, capacity_bytes - footprint.activation)
    if regime == "weight-stream":
        kv = min(footprint.kv, free)
        weight = min(footprint.weight, free - kv)
    else:
        weight = min(footprint.weight, free)
        kv = min(footprint.kv, free - weight)
    return Residency(regime, weight, kv, footprint.weight - weight, footprint.kv - kv)


def touched_share(shape: Shape | None, tokens: int) -> float:
    """Share of the weights that a step of so many tokens reads, if experts are chosen evenly."""
    if shape is None:
        return 1.0
    unused = (1 - shape.active_experts / shape.experts) ** tokens if shape.experts > 1 else 0.0
    experts = shape.experts * (1 - unused)
    layer = shape.attention_elements + experts * shape.mlp_elements
    head = shape.vocabulary * shape.hidden
    return min(1.0, (shape.layers * layer + head) / shape.elements)


def flop_per_token(shape: Shape, context: float) -> float:
    """Arithmetic of one token: two per weight, and attention (scores and values, two each)."""
    weights = shape.layers * shape.active_layer_elements + shape.vocabulary * shape.hidden
    attention = 4.0 * shape.layers * shape.heads * shape.head_dim * context
    return 2.0 * weights + attention


def decode_work(load: Load, resident: Residency) -> Work:
    """The work of one decode step: one token for every sequence of the batch."""
    share = touched_share(load.shape, load.batch)
    written_kv = load.footprint.kv / max(1, load.context)
    streams_kv = resident.streamed_kv_bytes > 0
    shape = load.shape
    return Work(
        link_bytes=share * resident.streamed_weight_bytes
        + resident.streamed_kv_bytes
        + (written_kv if streams_kv else 0.0),
        memory_bytes=share * resident.weight_bytes
        + resident.kv_bytes
        + (0.0 if streams_kv else written_kv),
        flop=0.0 if shape is None else load.batch * flop_per_token(shape, load.context),
        operations=0 if shape is None else OPERATIONS_PER_LAYER * shape.layers,
        layers=0 if shape is None else shape.layers,
        resident_share=_resident_share(load, resident),
    )


def prefill_work(load: Load, resident: Residency) -> Work:
    """The work up to the first token: the whole context at once for every sequence."""
    tokens = load.context * load.batch
    share = touched_share(load.shape, tokens)
    shape = load.shape
    return Work(
        link_bytes=share * resident.streamed_weight_bytes + resident.streamed_kv_bytes,
        memory_bytes=share * resident.weight_bytes + resident.kv_bytes,
        flop=0.0 if shape is None else tokens * flop_per_token(shape, load.context / 2),
        operations=0 if shape is None else OPERATIONS_PER_LAYER * shape.layers,
        layers=0 if shape is None else shape.layers,
        resident_share=_resident_share(load, resident),
    )


def _resident_share(load: Load, resident: Residency) -> float:
    """Share of the bytes that each step reads which are resident."""
    total = load.footprint.weight + load.footprint.kv
    return 1 - resident.streamed_bytes / total if total else 1.0
