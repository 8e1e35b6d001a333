"""Regions of a model that only its shape describes: without gaps, and bytes shared out evenly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from lanescope.model.manifest import ManifestRegion
from lanescope.model.manifest.from_shape import (
    _packed,
    _shared_out,
    activation_bytes,
    add_cache,
    kv_bytes,
    shape_weights,
    weight_parts,
)
from lanescope.model.manifest.shape import Shape

SHAPE = Shape(
    layers=2,
    hidden=8,
    heads=4,
    kv_heads=2,
    head_dim=2,
    intermediate=10,
    vocabulary=5,
    weight_bits=Fraction(9, 2),
    kv_bits=Fraction(16),
)
ATTENTION, EXPERT = 8 * (2 * 8 + 2 * 4), 3 * 8 * 10


def test_parts_lie_behind_each_other_and_empty_ones_have_no_region() -> None:
    parts = [(0, 5, "weight", "a", "s"), (1, 0, "kv", "b", "s"), (2, 7, "kv", "c", "s")]
    found = [(one.layer, one.offset, one.size_bytes, one.name) for one in _packed(iter(parts), 10)]
    assert found == [(0, 10, 5, "a"), (2, 15, 7, "c")]


@pytest.mark.parametrize(
    ("size", "layers", "shares"), [(7, 3, [2, 2, 3]), (6, 3, [2, 2, 2]), (1, 2, [0, 1])]
)
def test_bytes_are_shared_out_as_evenly_as_whole_bytes_allow(
    size: int, layers: int, shares: list[int]
) -> None:
    assert _shared_out(size, layers) == shares


def parts(shape: Shape) -> list[tuple[int, str, int]]:
    return list(weight_parts(shape))


def test_a_dense_layer_has_attention_mlp_and_two_norms() -> None:
    assert parts(SHAPE) == [
        (0, "layer 0 attention", ATTENTION),
        (0, "layer 0 mlp", EXPERT),
        (0, "layer 0 norms and router", 16),
        (1, "layer 1 attention", ATTENTION),
        (1, "layer 1 mlp", EXPERT),
        (1, "layer 1 norms and router", 16),
        (2, "embedding, head and last norm", 2 * 40 + 8),
    ]


def test_a_layer_of_two_experts_has_a_router_and_one_before_it_has_none() -> None:
    moe = replace(SHAPE, experts=2, dense_layers=1, dense_intermediate=3, shared_intermediate=4)
    assert [elements for _, _, elements in parts(moe)] == [
        *(ATTENTION, 3 * 8 * 3, 16),
        *(ATTENTION, 2 * EXPERT + 3 * 8 * 4, 16 + 8 * 2),
        88,
    ]
    assert (moe.expert_layers, moe.expert_elements) == (1, 2 * EXPERT)


def test_weights_lie_behind_each_other_from_0_and_say_their_bits() -> None:
    """4.5 bits: 192 elements are 108 bytes, 240 are 135, 16 are 9, and 88 are 49.5."""
    found = shape_weights(SHAPE)
    assert [one.size_bytes for one in found] == [108, 135, 9, 108, 135, 9, 50]
    assert [one.offset for one in found] == [0, 108, 243, 252, 360, 495, 504]
    assert {(one.kind, one.size_source) for one in found} == {("weight", "shape × 4.5 bits")}


def test_the_cache_of_a_window_holds_no_more_than_the_window() -> None:
    """One layer grows, one holds 3 tokens; keys and values of 2 heads, 2 wide, are 16 bytes."""
    windowed = replace(SHAPE, window_layers=1, window=3)
    found = [kv_bytes(windowed, context=context, batch=2) for context in (2, 3, 4)]
    assert found == [(2 + 2) * 2 * 16, (3 + 3) * 2 * 16, (4 + 3) * 2 * 16]


def test_a_step_works_in_two_hidden_vectors_those_of_the_mlp_and_the_logits() -> None:
    assert activation_bytes(SHAPE, batch=3) == 2 * 3 * (2 * 8 + 2 * 10 + 5)
    two = replace(SHAPE, experts=4, active_experts=2)
    assert activation_bytes(two, batch=1) == 2 * (2 * 8 + 2 * 10 * 2 + 5)


def test_cache_and_activations_lie_behind_the_weights() -> None:
    weights = (ManifestRegion(5, 10, 30, "weight"),)
    source = "1,000 tokens × 1,200 sequences × 16 bits"
    each = 1000 * 1200 * 16
    assert add_cache(weights, SHAPE, context=1000, batch=1200) == (
        *weights,
        ManifestRegion(0, 40, each, "kv", "layer 0 kv", source),
        ManifestRegion(1, 40 + each, each, "kv", "layer 1 kv", source),
        ManifestRegion(
            *(0, 40 + 2 * each, 2 * 1200 * 41, "activation"),
            *("working set of one step", "1,200 sequences × 16 bits"),
        ),
    )


def test_without_a_cache_activations_lie_behind_the_weights() -> None:
    stateless = replace(SHAPE, kv_layers=0)
    found = add_cache((ManifestRegion(0, 0, 7, "weight"),), stateless, context=9, batch=1)
    assert [(one.kind, one.offset) for one in found] == [("weight", 0), ("activation", 7)]
    assert [one.offset for one in add_cache((), stateless, context=9, batch=1)] == [0]
