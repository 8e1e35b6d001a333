"""A model's shape: what its weights, its KV cache and its arithmetic follow from.

Counted: projections, embedding, head, norms. Not counted: biases, position tables, vision parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from lanescope.errors import LanescopeError
from lanescope.model.manifest.config_keys import find_count, need_count
from lanescope.model.manifest.layer_kinds import Caches, Experts, read_caches, read_experts
from lanescope.model.manifest.quantization import quantized_bits

DTYPE_BITS: dict[str, Fraction] = {
    **dict.fromkeys(("float64", "f64"), Fraction(64)),
    **dict.fromkeys(("float32", "fp32", "f32"), Fraction(32)),
    **dict.fromkeys(("float16", "fp16", "f16", "bfloat16", "bf16"), Fraction(16)),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "fp8", "int8"), Fraction(8)),
    "mxfp8": Fraction(9),
    **dict.fromkeys(("int4", "fp4"), Fraction(4)),
    "mxfp4": Fraction(17, 4),
    "q8_0": Fraction(17, 2),
    "q4_0": Fraction(9, 2),
    "q4_k": Fraction(9, 2),
}
"""Bits per element with its scales: mxfp8 as PLENA stores it (a scale byte per 8), mxfp4 a scale
byte per 32, q8_0 and q4_0 two scale bytes per 32, q4_k 144 bytes per 256; int4 without scales."""

_TIED = (
    *("opt", "gpt2", "bloom", "gpt_bigcode", "mpt", "falcon"),
    *("gemma", "gemma2", "gemma3", "gemma3_text"),
)
"""Models whose head is their embedding where their config does not say it."""
_UNGATED = ("opt", "gpt2", "gpt_neox", "gptj", "bloom", "falcon", "gpt_bigcode", "mpt", "phi")


@dataclass(frozen=True)
class Shape:
    """Sizes of a transformer in elements, and the bits of an element."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocabulary: int
    weight_bits: Fraction
    kv_bits: Fraction
    mlp_matrices: int = 3
    """Gate, up and down; 2 without a gate."""
    tied_embedding: bool = False
    experts: int = 1
    active_experts: int = 1
    """Experts that one token uses in a layer of experts."""
    dense_layers: int = 0
    """Layers without experts in a mixture of experts; they come first."""
    dense_intermediate: int = 0
    """Width of the MLP in those layers."""
    shared_intermediate: int = 0
    """Width of the experts that every token uses, all together."""
    mla_elements: int | None = None
    """Elements of a layer's attention, where keys and values are compressed (MLA)."""
    kv_row_elements: int | None = None
    """KV elements per token and layer, where they are compressed (MLA)."""
    kv_layers: int | None = None
    """Layers whose cache grows with the context; None: all."""
    window_layers: int = 0
    """Layers whose cache holds the last `window` tokens only."""
    window: int = 0

    @property
    def attention_elements(self) -> int:
        """Elements per layer of the Q, K, V and output projections."""
        query = self.heads * self.head_dim
        plain = self.hidden * (2 * query + 2 * self.kv_heads * self.head_dim)
        return plain if self.mla_elements is None else self.mla_elements

    @property
    def mlp_elements(self) -> int:
        """Elements per layer of one expert's MLP."""
        return self.mlp_matrices * self.hidden * self.intermediate

    @property
    def expert_layers(self) -> int:
        """Layers that have several experts."""
        return self.layers - self.dense_layers if self.experts > 1 else 0

    @property
    def expert_elements(self) -> int:
        """Elements of all experts that a token may or may not use, in all layers."""
        return self.expert_layers * self.experts * self.mlp_elements

    @property
    def kv_elements_per_token(self) -> int:
        """Elements that one token adds to the KV cache of one layer."""
        return self.kv_row_elements or 2 * self.kv_heads * self.head_dim

    def cached_tokens(self, context: float) -> float:
        """Tokens that the caches of all layers hold together, for one sequence."""
        growing = self.layers - self.window_layers if self.kv_layers is None else self.kv_layers
        return growing * context + self.window_layers * min(context, self.window)

    def fixed_elements(self, layer: int) -> int:
        """Elements of one layer that every token uses: all but the choice of experts."""
        norms = 2 * self.hidden
        if self.experts == 1:
            return self.attention_elements + self.mlp_elements + norms
        if layer < self.dense_layers:
            wide = self.mlp_matrices * self.hidden * self.dense_intermediate
            return self.attention_elements + wide + norms
        shared = self.mlp_matrices * self.hidden * self.shared_intermediate
        return self.attention_elements + shared + self.hidden * self.experts + norms

    def layer_elements(self, layer: int) -> int:
        """Elements of one layer, with all its experts."""
        chosen = self.experts > 1 and layer >= self.dense_layers
        return self.fixed_elements(layer) + (self.experts * self.mlp_elements if chosen else 0)

    def used_elements(self, experts: float) -> float:
        """Elements of all layers that a step reads which uses so many experts per layer."""
        last = self.layers - 1
        fixed = (self.layers - self.dense_layers) * self.fixed_elements(last)
        fixed += self.dense_layers * self.fixed_elements(0)
        return fixed + self.expert_layers * experts * self.mlp_elements

    @property
    def outside_elements(self) -> int:
        """Elements of the embedding, the head and the last norm."""
        tables = 1 if self.tied_embedding else 2
        return tables * self.vocabulary * self.hidden + self.hidden

    @cached_property
    def elements(self) -> int:
        """Elements of the whole model."""
        return int(self.used_elements(self.experts)) + self.outside_elements


def bytes_of(elements: int, bits: Fraction) -> int:
    """Bytes of so many elements of so many bits, rounded up."""
    return -(-elements * bits.numerator // (8 * bits.denominator))


def bits_of(dtype: str) -> Fraction:
    """Bits per element of a dtype, given by its name or as a number of bits."""
    name = dtype.lower().removeprefix("torch.")
    if name in DTYPE_BITS:
        return DTYPE_BITS[name]
    try:
        bits = Fraction(name)
    except (ValueError, ZeroDivisionError):
        bits = Fraction(0)
    if not 0 < bits <= 64:
        known = ", ".join(DTYPE_BITS)
        raise LanescopeError(
            f"expected a dtype ({known}) or bits per element, found {dtype[:40]!r}"
        )
    return bits


def shape_from_config(
    config: dict[str, Any], *, weight_dtype: str | None = None, kv_dtype: str | None = None
) -> tuple[Shape, tuple[str, ...]]:
    """The shape that a config describes, and a sentence for each thing that was assumed.

    The config has Hugging Face's words or ours.
    """
    notes = []
    for part in ("text_config", "ffn_config", "attn_config"):
        inner = config.get(part)
        if isinstance(inner, dict):
            config = {**config, **inner}
            if part == "text_config":
                notes.append("only the text part of the model is counted (text_config)")
    hidden, heads = need_count(config, "hidden"), need_count(config, "heads")
    layers = need_count(config, "layers")
    mixture = read_experts(config, layers=layers)
    caches, said = read_caches(config, layers=layers)
    notes += said
    intermediate = mixture.intermediate or find_count(config, "intermediate")
    if intermediate is None:
        intermediate = 4 * hidden
        notes.append("no intermediate size is given: 4 × hidden is assumed")
    weights, named = _weight_bits(config, weight_dtype)
    notes += named
    shape = Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=_kv_heads(config, heads),
        head_dim=find_count(config, "head_dim") or max(1, hidden // heads),
        intermediate=intermediate,
        vocabulary=need_count(config, "vocabulary"),
        weight_bits=weights,
        kv_bits=bits_of(kv_dtype) if kv_dtype else Fraction(16),
        mlp_matrices=2 if config.get("model_type") in _UNGATED else 3,
        tied_embedding=bool(config.get("tie_word_embeddings", config.get("model_type") in _TIED)),
        **_mixture(mixture),
        **_caches(config, caches, hidden=hidden, heads=heads),
    )
    return shape, tuple(notes)


def _mixture(experts: Experts) -> dict[str, int]:
    return {
        "experts": experts.experts,
        "active_experts": experts.active,
        "dense_layers": experts.dense_layers,
        "dense_intermediate": experts.dense_intermediate,
        "shared_intermediate": experts.shared_intermediate,
    }


def _caches(config: dict[str, Any], caches: Caches, *, hidden: int, heads: int) -> dict[str, Any]:
    """What the cache of a layer holds, and how its keys and values are projected."""
    rank = find_count(config, "kv_rank")
    rope = find_count(config, "rope_dim") or 0
    mla = None
    if rank is not None:
        nope, value = find_count(config, "nope_dim"), find_count(config, "value_dim")
        if nope is not None and value is not None:
            query = find_count(config, "query_rank")
            wide = heads * (nope + rope)
            asked = hidden * wide if query is None else query * (hidden + wide)
            kept = hidden * (rank + rope) + rank * heads * (nope + value)
            mla = asked + kept + heads * value * hidden
    return {
        "mla_elements": mla,
        "kv_row_elements": None if rank is None else rank + rope,
        "kv_layers": caches.growing,
        "window_layers": caches.windowed,
        "window": caches.window,
    }


def _kv_heads(config: dict[str, Any], heads: int) -> int:
    """Heads of keys and values: named, one for all, or as many as there are heads."""
    kv_heads = find_count(config, "kv_heads")
    if config.get("multi_query") is True and not config.get("new_decoder_architecture"):
        kv_heads = 1
    if kv_heads is None:
        return heads
    if heads % kv_heads:
        raise LanescopeError(
            f"expected {heads} heads to share the {kv_heads} heads of keys and values evenly"
        )
    return kv_heads


def _weight_bits(config: dict[str, Any], dtype: str | None) -> tuple[Fraction, list[str]]:
    if dtype:
        return bits_of(dtype), []
    quantization = config.get("quantization_config")
    if isinstance(quantization, dict) and quantization:
        return quantized_bits(quantization)
    for key in ("torch_dtype", "dtype"):
        if isinstance(config.get(key), str):
            return bits_of(config[key]), []
    return Fraction(16), ["no dtype is given: 16 bits per weight are assumed"]
