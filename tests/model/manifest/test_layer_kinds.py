"""Configs whose layers differ: experts, windows, states of fixed size."""

from __future__ import annotations

from typing import Any

import pytest

from lanescope.errors import LanescopeError
from lanescope.model.manifest.from_shape import kv_bytes, weight_parts
from lanescope.model.manifest.shape import Shape, shape_from_config

BASE = {
    "num_hidden_layers": 8,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 256,
    "vocab_size": 100,
}


def shape(**keys: Any) -> Shape:
    return shape_from_config({**BASE, **keys})[0]


@pytest.mark.parametrize(
    ("keys", "experts", "active", "width"),
    [
        ({"num_local_experts": 8, "num_experts_per_tok": 2}, 8, 2, 256),
        ({"num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 88}, 60, 4, 88),
        ({"num_local_experts": 32, "experts_per_token": 4}, 32, 4, 256),
        ({"ffn_config": {"moe_num_experts": 16, "moe_top_k": 4}}, 16, 4, 256),
        (
            {
                "moe_num_primary_experts": 32,
                "moe_num_active_primary_experts": 4,
                "moe_ffn_hidden_size": 96,
            },
            32,
            4,
            96,
        ),
        ({"num_experts": 0, "num_experts_per_tok": 0}, 1, 1, 256),
    ],
    ids=["mixtral", "qwen", "gpt-oss", "dbrx", "smallthinker", "dense"],
)
def test_experts_in_the_words_of_each_family(
    keys: dict[str, Any], experts: int, active: int, width: int
) -> None:
    found = shape(**keys)
    assert (found.experts, found.active_experts, found.intermediate) == (experts, active, width)


def test_shared_experts_and_dense_layers_are_counted() -> None:
    found = shape(
        n_routed_experts=16,
        num_experts_per_tok=2,
        n_shared_experts=1,
        moe_intermediate_size=32,
        first_k_dense_replace=3,
    )
    attention, norms = 64 * (2 * 64 + 2 * 32), 2 * 64
    assert found.layer_elements(0) == attention + 3 * 64 * 256 + norms
    expert = 3 * 64 * 32
    assert found.layer_elements(3) == attention + 17 * expert + 64 * 16 + norms
    assert found.elements == sum(elements for _, _, elements in weight_parts(found))
    # Two experts of 16 in five layers: the rest is used by every token.
    assert found.used_elements(16) - found.used_elements(2) == 5 * 14 * expert


def test_compressed_keys_and_values_have_projections_of_their_own() -> None:
    found = shape(
        kv_lora_rank=16, q_lora_rank=24, qk_nope_head_dim=8, qk_rope_head_dim=4, v_head_dim=8
    )
    query = 24 * (64 + 4 * 12)
    assert found.attention_elements == query + 64 * 20 + 16 * 4 * 16 + 4 * 8 * 64
    assert found.kv_elements_per_token == 20


@pytest.mark.parametrize(
    ("keys", "growing", "windowed"),
    [
        ({}, 8, 0),
        ({"full_attention_interval": 4}, 2, 0),
        ({"layer_types": ["linear_attention", "full_attention"] * 4}, 4, 0),
        (
            {
                "layer_types": ["sliding_attention", "full_attention"] * 4,
                "sliding_window": 10,
            },
            4,
            4,
        ),
        ({"sliding_window": 10, "sliding_window_pattern": 4}, 2, 6),
        ({"sliding_window": 10, "model_type": "mistral"}, 0, 8),
        ({"sliding_window": 10, "use_sliding_window": False}, 8, 0),
        ({"sliding_window_size": 10, "sliding_window_layout": [1, 0, 1] + [0] * 5}, 6, 2),
        ({"sliding_window_size": 10, "sliding_window_layout": [0] * 8}, 8, 0),
        ({"sliding_window_layout": [1] * 8}, 8, 0),
        ({"sliding_window": 10, "full_attention_interval": 4}, 2, 0),
        ({"sliding_window": 10, "sliding_window_pattern": 1}, 8, 0),
    ],
)
def test_only_some_caches_grow(keys: dict[str, Any], growing: int, windowed: int) -> None:
    tokens = growing * 1000 + windowed * 10
    # Keys and values of 2 heads, 16 wide, 2 bytes.
    assert kv_bytes(shape(**keys), context=1000, batch=3) == tokens * 3 * 2 * 32 * 2


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"num_local_experts": 8}, "expected the experts per token of 8 experts"),
        ({"num_local_experts": 8, "num_experts_per_tok": 9}, "expected at most 8 experts"),
        ({"expert_count_total": 8}, "found only 'expert_count_total'"),
        ({"num_experts": -1}, "expected a whole number from 0"),
    ],
)
def test_a_mixture_is_never_read_as_dense(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(LanescopeError, match=sentence):
        shape(**keys)


@pytest.mark.parametrize(
    ("keys", "growing"),
    [
        ({"attn_layer_period": 4, "attn_layer_offset": 2, "mamba_d_state": 16}, 2),
        ({"attn_layer_period": 3, "attn_layer_offset": 1}, 3),
        ({"attn_layer_indices": [1, 5], "mamba_d_state": 16}, 2),
        ({"layers_block_type": ["mamba", "hybrid", "mamba", "attention"] * 2}, 4),
        ({"attn_type_list": [0, 0, 0, 1] * 2}, 2),
        ({"hybrid_override_pattern": "M-M*-M-M", "ssm_state_size": 128}, 1),
    ],
)
def test_a_hybrid_has_caches_where_it_has_attention(keys: dict[str, Any], growing: int) -> None:
    found, notes = shape_from_config({**BASE, **keys})
    assert found.kv_layers == growing
    assert found.cached_tokens(100) == 100 * growing
    assert f"{growing} of 8 layers have a cache that grows" in notes[0]


def test_a_state_is_never_read_as_a_cache() -> None:
    with pytest.raises(LanescopeError, match="found only 'mamba_d_state': a state of fixed"):
        shape(mamba_d_state=16)
    assert shape(layer_types=["attention"] * 8, mamba_d_state=16).kv_layers is None


@pytest.mark.parametrize(("family", "windowed"), [("gemma2", 4), ("gemma3_text", 7), ("llama", 0)])
def test_windows_of_families_that_do_not_say_their_pattern(family: str, windowed: int) -> None:
    assert shape(model_type=family, sliding_window=16).window_layers == windowed


@pytest.mark.parametrize(
    ("keys", "dense"),
    [
        ({"moe_layer_freq": [0, 1, 1, 0, 1, 1, 1, 1]}, 2),
        ({"moe_layer_freq": [0] * 9}, 8),
        ({"moe_layer_freq": 2}, 4),
        ({"mlp_only_layers": [0, 3, 5]}, 3),
        ({"mlp_only_layers": "none"}, 0),
        ({"first_k_dense_replace": 1, "mlp_only_layers": [2]}, 2),
        ({"first_k_dense_replace": 2, "decoder_sparse_step": 4}, 7),
        ({"first_k_dense_replace": 9}, 8),
        ({"decoder_sparse_step": 3}, 6),
    ],
)
def test_layers_without_experts_are_counted_as_each_family_names_them(
    keys: dict[str, Any], dense: int
) -> None:
    assert shape(num_experts=16, num_experts_per_tok=2, **keys).dense_layers == dense
