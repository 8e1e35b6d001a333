"""What a decode step and a prefill ask for, from a model in use and what of it is resident."""

from __future__ import annotations

from typing import NamedTuple

from lanescope.model.fit.load import Load, Residency, body_of
from lanescope.model.fit.step import Work
from lanescope.model.manifest.shape import Shape


def decode_work(load: Load, resident: Residency) -> Work:
    """The work of one decode step: one token for every sequence of the batch."""
    written = load.footprint.kv / max(1, load.context)
    streams_kv = resident.streamed_kv_bytes > 0
    over_link = resident.streamed_kv_bytes + (written if streams_kv else 0.0)
    return _work(
        load,
        resident,
        tokens=load.batch,
        context=load.context,
        link_kv=over_link,
        memory_kv=resident.kv_bytes + (0.0 if streams_kv else written),
    )


def prefill_work(load: Load, resident: Residency) -> Work:
    """The work up to the first token: every sequence's prompt at once; its KV is written once."""
    tokens = load.prefill_tokens
    share = tokens / max(1, load.batch * load.context)
    return _work(
        load,
        resident,
        tokens=tokens,
        context=tokens / load.batch / 2,
        link_kv=share * resident.streamed_kv_bytes,
        memory_kv=share * resident.kv_bytes,
    )


def _work(
    load: Load,
    resident: Residency,
    *,
    tokens: int,
    context: float,
    link_kv: float,
    memory_kv: float,
) -> Work:
    body = load.body
    weights = _weights(load, resident, tokens)
    flop = 0.0
    if body is not None:
        flop = tokens * (2.0 * body.elements + attention_flop(load.shape, context))
    return Work(
        link_bytes=weights.link + link_kv,
        memory_bytes=weights.memory + memory_kv,
        flop=flop,
        storage_bytes=weights.link * load.from_storage + (link_kv if load.kv_from_storage else 0.0),
        asked_bytes=weights.asked,
        asked_from_storage=load.from_storage,
        activation_bytes=0.0 if body is None else tokens * body.activation_bytes,
        operations=0.0 if body is None else body.operations,
        layers=0 if body is None else body.layers,
        resident_share=_resident_share(load, resident),
    )


class _Weights(NamedTuple):
    """Bytes of weights that a step reads, by where they come from."""

    link: float
    memory: float
    asked: float = 0.0
    """Experts over the link."""


def _weights(load: Load, resident: Residency, tokens: int) -> _Weights:
    missing, kept = float(resident.streamed_weight_bytes), float(resident.weight_bytes)
    if load.evicts and missing > 0:
        missing, kept = missing + kept, 0.0
    shape = load.shape
    if shape is not None and shape.experts > 1:
        return _mixture(load, shape, tokens, missing=missing)
    if shape is not None:
        share = used_weights(shape, tokens) / shape.elements
        return _Weights(share * missing, share * kept)
    if load.active_share == 1:
        return _Weights(missing, kept)
    asked, read = _experts(load, missing + kept, load.active_share, tokens, kept=kept)
    return _Weights(0.0, read, asked)


def _mixture(load: Load, shape: Shape, tokens: int, *, missing: float) -> _Weights:
    """A mixture of experts keeps what every token uses first, then the experts used most."""
    per_element = load.footprint.weight / shape.elements
    experts = shape.expert_elements * per_element
    fixed = load.footprint.weight - experts
    kept = load.footprint.weight - missing
    streamed = max(0.0, fixed - kept)
    chosen = used_share(shape, tokens) * shape.expert_elements
    always = (used_weights(shape, tokens) - chosen) * per_element
    active = shape.active_experts / shape.experts
    asked, read = _experts(load, experts, active, tokens, kept=max(0.0, kept - fixed))
    return _Weights(streamed, max(0.0, always - streamed) + read, asked)


def _experts(
    load: Load, size: float, active: float, tokens: int, *, kept: float
) -> tuple[float, float]:
    """Bytes of experts that a step asks for, and that it finds in the memory.

    Those that are kept are used more often than the others; each token chooses by itself.
    """
    share = min(1.0, kept / size)
    if load.expert_hits is not None:
        misses, share = 1 - load.expert_hits, 0.0
    else:
        misses = float((1 - share) ** load.expert_skew)
    asked = size * _used(1 - share, active * misses, tokens)
    if load.expert_hits is not None:
        return asked, size * _used(1.0, active * load.expert_hits, tokens)
    return asked, size * _used(share, active * (1 - misses), tokens)


def _used(part: float, per_token: float, tokens: int) -> float:
    """Share of all experts that some token uses, of a part which takes that share per token."""
    return 0.0 if part == 0 else part * (1 - (1 - min(1.0, per_token / part)) ** tokens)


def used_share(shape: Shape, tokens: int) -> float:
    """Share of the experts that a step of so many tokens uses, if they are chosen evenly."""
    return float(1 - (1 - shape.active_experts / shape.experts) ** tokens)


def used_weights(shape: Shape, tokens: int) -> float:
    """Elements that a step of so many tokens reads: of an embedding of its own, next to nothing."""
    chosen = shape.experts * used_share(shape, tokens) if shape.experts > 1 else 0.0
    head = shape.vocabulary * shape.hidden + shape.hidden
    return min(float(shape.elements), shape.used_elements(chosen) + head)


def flop_per_token(shape: Shape, context: float) -> float:
    """Arithmetic of one token: two operations per weight, and attention."""
    return 2.0 * body_of(shape).elements + attention_flop(shape, context)


def attention_flop(shape: Shape | None, context: float) -> float:
    """Arithmetic of one token over the cache: scores and values, two operations each."""
    if shape is None:
        return 0.0
    return 4.0 * shape.heads * shape.head_dim * shape.cached_tokens(context)


def _resident_share(load: Load, resident: Residency) -> float:
    """Share of the bytes that each step reads which are resident."""
    total = load.footprint.weight + load.footprint.kv
    if load.evicts and resident.streamed_weight_bytes > 0:
        return 0.0
    return 1 - resident.streamed_bytes / total if total else 1.0
