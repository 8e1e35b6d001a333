"""The words that configs use for the sizes of a model, and how a size is read from them."""

from __future__ import annotations

from typing import Any

from lanescope.errors import LanescopeError

KEYS = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "layers"),
    "hidden": ("hidden_size", "n_embd", "d_model", "hidden"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads", "kv_heads"),
    "head_dim": ("head_dim",),
    "intermediate": (
        *("intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "ffn"),
        "intermediate",
    ),
    "vocabulary": ("vocab_size", "vocabulary"),
    "kv_rank": ("kv_lora_rank",),
    "query_rank": ("q_lora_rank",),
    "rope_dim": ("qk_rope_head_dim",),
    "nope_dim": ("qk_nope_head_dim",),
    "value_dim": ("v_head_dim",),
    "experts": (
        *("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"),
        *("moe_num_primary_experts", "num_moe_experts", "n_experts", "experts"),
    ),
    "active_experts": (
        *("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_top_k"),
        *("moe_topk", "moe_k", "num_selected_experts", "moe_router_topk", "top_k_experts"),
        *("moe_num_active_primary_experts", "active_experts"),
    ),
    "expert_intermediate": (
        *("moe_intermediate_size", "moe_ffn_hidden_size", "expert_ffn_hidden_size"),
        "expert_intermediate",
    ),
    "shared_experts": ("n_shared_experts", "num_shared_experts", "num_shared_expert"),
    "shared_intermediate": ("shared_expert_intermediate_size", "shared_intermediate_size"),
    "dense_first": ("first_k_dense_replace", "num_dense_layers"),
    "expert_every": (
        *("moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"),
        "expert_layer_period",
    ),
    "dense_intermediate": ("intermediate_size_mlp",),
    "window": ("sliding_window", "sliding_window_size"),
    "attends_every": ("attn_layer_period",),
    "attends_first": ("attn_layer_offset",),
    "full_every": ("full_attention_interval", "sliding_window_pattern"),
}
"""What a size is, to the keys that name it."""
_MOST = 10**9
_MOST_OF = {"layers": 10_000}
"""Most of what has a row of its own each."""


def find_count(config: dict[str, Any], name: str, *, least: int = 1) -> int | None:
    """The size of that name, or None; anything but a whole number from `least` on is refused."""
    most = _MOST_OF.get(name, _MOST)
    for key in KEYS[name]:
        value = config.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise LanescopeError(
                f"{key}: expected a whole number from {least} to {most:,}, "
                f"found {str(value)[:40]!r}"
            )
        return value
    return None


def need_count(config: dict[str, Any], name: str) -> int:
    """The size of that name; a config without it is refused."""
    value = find_count(config, name)
    if value is None:
        raise LanescopeError(
            f"expected the model's {name} ({' or '.join(KEYS[name])}) in its config, found none"
        )
    return value
