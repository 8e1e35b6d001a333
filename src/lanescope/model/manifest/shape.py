"""A model's shape: what its weights, its KV cache and its arithmetic follow from.

Counted: projections, embedding, head, norms. Not counted: biases, position tables, vision parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lanescope.errors import LanescopeError

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

_UNGATED = ("opt", "gpt2", "gpt_neox", "gptj", "bloom", "falcon", "gpt_bigcode", "mpt", "phi")
_KEYS = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "layers"),
    "hidden": ("hidden_size", "n_embd", "d_model", "hidden"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_heads"),
    "head_dim": ("head_dim",),
    "intermediate": ("intermediate_size", "ffn_dim", "n_inner", "ffn", "intermediate"),
    "vocabulary": ("vocab_size", "vocabulary"),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts", "experts"),
    "active_experts": ("num_experts_per_tok", "num_experts_per_token", "active_experts"),
    "expert_intermediate": ("moe_intermediate_size",),
    "kv_rank": ("kv_lora_rank",),
    "rope_dim": ("qk_rope_head_dim",),
}
_MOST = 10**9


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
    kv_row_elements: int | None = None
    """KV elements per token and layer, where they are compressed (MLA)."""

    @property
    def attention_elements(self) -> int:
        """Elements per layer of the Q, K, V and output projections."""
        query = self.heads * self.head_dim
        return self.hidden * (2 * query + 2 * self.kv_heads * self.head_dim)

    @property
    def mlp_elements(self) -> int:
        """Elements per layer of one expert's MLP."""
        return self.mlp_matrices * self.hidden * self.intermediate

    @property
    def kv_elements_per_token(self) -> int:
        """Elements per layer that one token adds to the KV cache."""
        return self.kv_row_elements or 2 * self.kv_heads * self.head_dim

    @property
    def layer_elements(self) -> int:
        """Elements per layer of all weights, with all experts."""
        router = self.hidden * self.experts if self.experts > 1 else 0
        norms = 2 * self.hidden
        return self.attention_elements + self.experts * self.mlp_elements + router + norms

    @property
    def active_layer_elements(self) -> int:
        """Elements per layer that one token multiplies with."""
        return self.attention_elements + self.active_experts * self.mlp_elements

    @property
    def outside_elements(self) -> int:
        """Elements of the embedding, the head and the last norm."""
        tables = 1 if self.tied_embedding else 2
        return tables * self.vocabulary * self.hidden + self.hidden

    @property
    def elements(self) -> int:
        """Elements of the whole model."""
        return self.layers * self.layer_elements + self.outside_elements


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
    inner = config.get("text_config")
    notes = []
    if isinstance(inner, dict):
        config = {**config, **inner}
        notes.append("only the text part of the model is counted (text_config)")
    hidden, heads = _need(config, "hidden"), _need(config, "heads")
    experts = _find(config, "experts") or 1
    intermediate = _intermediate(config, experts)
    if intermediate is None:
        intermediate = 4 * hidden
        notes.append("no intermediate size is given: 4 × hidden is assumed")
    weights, named = _weight_bits(config, weight_dtype)
    notes += named
    rank = _find(config, "kv_rank")
    shape = Shape(
        layers=_need(config, "layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=_find(config, "kv_heads") or heads,
        head_dim=_find(config, "head_dim") or max(1, hidden // heads),
        intermediate=intermediate,
        vocabulary=_need(config, "vocabulary"),
        weight_bits=weights,
        kv_bits=bits_of(kv_dtype) if kv_dtype else Fraction(16),
        mlp_matrices=2 if config.get("model_type") in _UNGATED else 3,
        tied_embedding=bool(config.get("tie_word_embeddings", config.get("model_type") == "opt")),
        experts=experts,
        active_experts=min(experts, _find(config, "active_experts") or 1),
        kv_row_elements=None if rank is None else rank + (_find(config, "rope_dim") or 0),
    )
    return shape, tuple(notes)


def _intermediate(config: dict[str, Any], experts: int) -> int | None:
    own = _find(config, "expert_intermediate") if experts > 1 else None
    return own or _find(config, "intermediate")


def _weight_bits(config: dict[str, Any], dtype: str | None) -> tuple[Fraction, list[str]]:
    if dtype:
        return bits_of(dtype), []
    quantization = config.get("quantization_config")
    if isinstance(quantization, dict) and isinstance(quantization.get("bits"), int):
        return Fraction(quantization["bits"]), ["quantised weights are counted without scales"]
    for key in ("torch_dtype", "dtype"):
        if isinstance(config.get(key), str):
            return bits_of(config[key]), []
    return Fraction(16), ["no dtype is given: 16 bits per weight are assumed"]


def _find(config: dict[str, Any], name: str) -> int | None:
    for key in _KEYS[name]:
        value = config.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _MOST:
            raise LanescopeError(
                f"{key}: expected a whole number from 1 to {_MOST:,}, found {str(value)[:40]!r}"
            )
        return value
    return None


def _need(config: dict[str, Any], name: str) -> int:
    value = _find(config, name)
    if value is None:
        raise LanescopeError(
            f"expected the model's {name} ({' or '.join(_KEYS[name])}) in its config, found none"
        )
    return value
