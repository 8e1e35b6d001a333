"""Sizes that configs say in the words of their families: heads, tied tables, quantised weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from lanescope.errors import LanescopeError
from lanescope.model.manifest.shape import (
    DTYPE_BITS,
    Shape,
    bits_of,
    bytes_of,
    shape_from_config,
)

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


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [
        *((name, Fraction(64)) for name in ("float64", "F64", "torch.float64", "64")),
        *((name, Fraction(32)) for name in ("float32", "fp32", "f32")),
        *((name, Fraction(16)) for name in ("float16", "fp16", "f16", "bfloat16", "bf16")),
        *((name, Fraction(8)) for name in ("float8_e4m3fn", "float8_e5m2", "fp8", "int8")),
        *((name, Fraction(4)) for name in ("int4", "fp4")),
        ("mxfp8", 8 + Fraction(8, 8)),
        ("mxfp4", 4 + Fraction(8, 32)),
        ("q8_0", 8 + Fraction(16, 32)),
        ("q4_0", 4 + Fraction(16, 32)),
        ("q4_k", Fraction(144 * 8, 256)),
        ("3.5", Fraction(7, 2)),
        ("1/2", Fraction(1, 2)),
    ],
)
def test_a_dtype_has_its_bits_and_those_of_its_scales(dtype: str, bits: Fraction) -> None:
    assert bits_of(dtype) == bits


@pytest.mark.parametrize("dtype", ["0", "-1", "64.1", "1/0", "float7", "x" * 41])
def test_what_is_no_dtype_is_refused_with_those_that_are(dtype: str) -> None:
    with pytest.raises(LanescopeError) as refused:
        bits_of(dtype)
    known = ", ".join(DTYPE_BITS)
    assert str(refused.value) == (
        f"expected a dtype ({known}) or bits per element, found {dtype[:40]!r}"
    )


@pytest.mark.parametrize(
    ("elements", "bits", "size"),
    [(3, Fraction(16), 6), (2, Fraction(4), 1), (3, Fraction(4), 2), (0, Fraction(9), 0)],
)
def test_bytes_are_rounded_up(elements: int, bits: Fraction, size: int) -> None:
    assert bytes_of(elements, bits) == size


def test_what_a_config_leaves_out_is_assumed_and_said() -> None:
    bare = {key: value for key, value in BASE.items() if key != "intermediate_size"}
    found, notes = shape_from_config(bare)
    assert (found.intermediate, found.head_dim, found.weight_bits, found.kv_bits) == (
        *(4 * 64, 64 // 4),
        *(Fraction(16), Fraction(16)),
    )
    assert notes == (
        "no intermediate size is given: 4 × hidden is assumed",
        "no dtype is given: 16 bits per weight are assumed",
    )
    assert (found.tied_embedding, found.mlp_matrices, found.experts) == (False, 3, 1)


def test_the_text_part_of_a_config_is_what_counts() -> None:
    found, notes = shape_from_config(
        {"text_config": {**BASE, "dtype": "int8"}, "hidden_size": 1, "dtype": "fp32"}
    )
    assert (found.hidden, found.weight_bits) == (64, 8)
    assert notes == ("only the text part of the model is counted (text_config)",)


def test_of_two_names_of_a_dtype_the_first_goes_before() -> None:
    assert shape(torch_dtype="fp32", dtype="int8").weight_bits == 32
    assert shape(torch_dtype=7, dtype="int8").weight_bits == 8
    assert shape(torch_dtype="fp32", quantization_config={}).weight_bits == 32
    assert shape_from_config({**BASE, "dtype": "fp32"}, kv_dtype="fp8")[0].kv_bits == 8


def test_a_width_of_a_head_goes_before_the_share_of_the_hidden_size() -> None:
    assert shape(head_dim=7).head_dim == 7
    assert shape(hidden_size=3, num_key_value_heads=4).head_dim == 1


@pytest.mark.parametrize(
    "family", ["opt", "gpt2", "gpt_neox", "gptj", "bloom", "falcon", "gpt_bigcode", "mpt", "phi"]
)
def test_families_without_a_gate_have_two_matrices(family: str) -> None:
    assert shape(model_type=family).mlp_matrices == 2
    assert shape(model_type=f"{family}x").mlp_matrices == 3


@pytest.mark.parametrize(
    "family",
    [
        *("opt", "gpt2", "bloom", "gpt_bigcode", "mpt", "falcon"),
        *("gemma", "gemma2", "gemma3", "gemma3_text"),
    ],
)
def test_families_that_tie_their_head_do_so_without_saying_it(family: str) -> None:
    assert shape(model_type=family).tied_embedding is True


def test_compressed_keys_and_values_without_all_their_sizes_have_no_projections_of_their_own() -> (
    None
):
    found = shape(kv_lora_rank=16, qk_nope_head_dim=8)
    assert (found.mla_elements, found.kv_row_elements) == (None, 16)
    whole = shape(kv_lora_rank=16, qk_nope_head_dim=8, v_head_dim=2, qk_rope_head_dim=4)
    assert whole.mla_elements == 64 * 4 * 12 + 64 * 20 + 16 * 4 * 10 + 4 * 2 * 64
    assert (shape().mla_elements, shape().kv_row_elements) == (None, None)
