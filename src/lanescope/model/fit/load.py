"""A model in use: its sizes, its arithmetic, and what of it lies in a board's memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lanescope.model.manifest.manifest import Footprint
from lanescope.model.manifest.shape import Shape
from lanescope.model.memory.regime import choose_regime

OPERATIONS_PER_LAYER = 20
"""Norm, Q, K, V, two rotations, two cache writes, scores, softmax, values, output, add, norm, gate,
up, activation, product, down, add: an engine that fuses nothing. Counted, not measured."""
EXPERT_SKEW = 3.0
"""Where a share c of the experts is kept, those that are used most, (1 - c) ** 3 of the uses
miss. Fitted on two models on three machines (2.9 to 3.0 with each left out); 1: used evenly."""


@dataclass(frozen=True)
class Body:
    """What the layers of a model ask for, per token."""

    layers: int
    elements: float
    """Weights that one token is multiplied with."""
    operations: float
    """Operations of one pass, all layers together."""
    activation_bytes: float
    """Bytes per token that the operations between the products read and write."""


def body_of(shape: Shape) -> Body:
    """The body of a transformer of that shape; activations have 16 bits."""
    used = shape.used_elements(shape.active_experts) + shape.vocabulary * shape.hidden
    wide = shape.intermediate * shape.active_experts + shape.shared_intermediate
    row = 10 * shape.hidden + 2 * (shape.heads + shape.kv_heads) * shape.head_dim + 5 * wide
    operations = OPERATIONS_PER_LAYER * shape.layers
    return Body(shape.layers, used, operations, 2.0 * shape.layers * row)


@dataclass(frozen=True)
class Load:
    """A model in use. Everything behind `batch` says how the software uses it."""

    footprint: Footprint
    shape: Shape | None
    context: int
    """Tokens per sequence in the cache while it decodes."""
    batch: int
    """Sequences at once."""
    prompt: int | None = None
    """Tokens per sequence of the prefill; None: the whole context."""
    layer_body: Body | None = None
    """The layers' body where there is no shape."""
    active_share: float = 1.0
    """Share of the weights that one token uses, where there is no shape to tell."""
    kept_weight_bytes: int | None = None
    """Weights that the software keeps in the memory; None: as many as fit."""
    kv_host_share: float = 0.0
    """Share of the KV cache that stays in the host's memory, whatever would fit."""
    evicts: bool = False
    """Whether what was used last stays (LRU): a pass through all layers then hits nothing."""
    expert_hits: float | None = None
    """Share of the experts' uses that find them in the memory; None: it follows from the sizes."""
    expert_skew: float = EXPERT_SKEW
    from_storage: float = 0.0
    """Share of the streamed weights that the host reads from its storage."""
    kv_from_storage: bool = False

    @cached_property
    def body(self) -> Body | None:
        """The layers' body: given, or that of the shape."""
        if self.layer_body is not None or self.shape is None:
            return self.layer_body
        return body_of(self.shape)

    @property
    def prefill_tokens(self) -> int:
        """Tokens of all sequences that a prefill works on."""
        return self.batch * (self.context if self.prompt is None else self.prompt)


@dataclass(frozen=True)
class Residency:
    """The bytes of a footprint that stay in a memory, and those that do not."""

    regime: str
    weight_bytes: int
    kv_bytes: int
    streamed_weight_bytes: int
    streamed_kv_bytes: int

    @property
    def streamed_bytes(self) -> int:
        """Bytes that do not stay in the memory."""
        return self.streamed_weight_bytes + self.streamed_kv_bytes


def residency_of(load: Load, capacity_bytes: int) -> Residency:
    """What of a model in use stays: as much as fits, unless its software decides."""
    if load.kept_weight_bytes is None and load.kv_host_share == 0:
        return place(load.footprint, capacity_bytes)
    sizes = load.footprint
    free = max(0, capacity_bytes - sizes.activation)
    kv = min(int(sizes.kv * (1 - load.kv_host_share)), free)
    kept = sizes.weight if load.kept_weight_bytes is None else load.kept_weight_bytes
    weight = min(sizes.weight, kept, free - kv)
    regime = "weight-stream" if weight < sizes.weight else "kv-swap" if kv < sizes.kv else ""
    return Residency(regime or "resident", weight, kv, sizes.weight - weight, sizes.kv - kv)


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
