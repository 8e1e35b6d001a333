"""Sizes that configs say in the words of their families: heads, tied tables, quantised weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from lanescope.errors import LanescopeError
from lanescope.model.manifest.shape import Shape, shape_from_config

BASE = {
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "vocab_size": 100,
}


def shape(**keys: Any) -> Shape:
    return shape_from_config({**BASE, **keys})[0]


@pytest.mark.parametrize(
    ("keys", "kv_heads"),
    [
        ({}, 4),
        ({"num_key_value_heads": None}, 4),
        ({"multi_query": True}, 1),
        ({"multi_query": True, "new_decoder_architecture": True, "num_kv_heads": 2}, 2),
        ({"multi_query": False}, 4),
    ],
)
def test_heads_of_keys_and_values(keys: dict[str, Any], kv_heads: int) -> None:
    assert shape(**keys).kv_heads == kv_heads


@pytest.mark.parametrize("kv_heads", [3, 8])
def test_heads_that_cannot_be_shared_are_refused(kv_heads: int) -> None:
    with pytest.raises(LanescopeError, match=f"expected 4 heads to share the {kv_heads} heads"):
        shape(num_key_value_heads=kv_heads)


@pytest.mark.parametrize(
    ("keys", "tied"),
    [
        ({"model_type": "gpt2"}, True),
        ({"model_type": "bloom"}, True),
        ({"model_type": "gemma2", "tie_word_embeddings": False}, False),
        ({"model_type": "llama"}, False),
        ({"model_type": "llama", "tie_word_embeddings": True}, True),
    ],
)
def test_a_head_that_is_the_embedding_is_counted_once(keys: dict[str, Any], tied: bool) -> None:
    assert shape(**keys).outside_elements == (1 if tied else 2) * 6400 + 64


def test_gpt2_has_124_million_weights_but_for_its_positions() -> None:
    found, _ = shape_from_config(
        {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257}
    )
    assert found.elements == pytest.approx(123.6e6, rel=0.002)


@pytest.mark.parametrize(
    ("quantization", "bits"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, Fraction(4)),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, Fraction(8)),
        ({"quant_method": "mxfp4"}, Fraction(17, 4)),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, Fraction(4)),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, Fraction(8)),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 8}}},
            },
            Fraction(8),
        ),
        ({}, Fraction(32)),
    ],
)
def test_bits_of_quantised_weights(quantization: dict[str, Any], bits: Fraction) -> None:
    assert shape(torch_dtype="float32", quantization_config=quantization).weight_bits == bits


def test_a_method_without_bits_is_refused_unless_they_are_given() -> None:
    keys = {"quantization_config": {"quant_method": "secret"}}
    with pytest.raises(LanescopeError, match="found the method 'secret' without them; give --wei"):
        shape(**keys)
    assert shape_from_config({**BASE, **keys}, weight_dtype="int4")[0].weight_bits == 4
