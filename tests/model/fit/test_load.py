"""Where a model lies, and what a step of it moves and computes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.model.fit.small import FOOTPRINT, LOAD, SHAPE

from lanescope.model.fit.load import (
    Load,
    decode_work,
    flop_per_token,
    place,
    prefill_work,
    touched_share,
)


@given(st.integers(11, 1400))
def test_what_streams_is_what_does_not_fit_in_every_regime(capacity: int) -> None:
    residency = place(FOOTPRINT, capacity)
    assert residency.streamed_bytes == max(0, FOOTPRINT.total - capacity)
    assert residency.weight_bytes + residency.streamed_weight_bytes == 1000
    assert residency.kv_bytes + residency.streamed_kv_bytes == 200


def test_regimes_and_who_gets_the_memory() -> None:
    # Weight-stream: KV stays, weights get the rest. kv-swap: weights stay. The border is at 1000.
    assert place(FOOTPRINT, 500).regime == "weight-stream"
    assert (place(FOOTPRINT, 500).kv_bytes, place(FOOTPRINT, 500).weight_bytes) == (200, 290)
    assert (place(FOOTPRINT, 1050).regime, place(FOOTPRINT, 1050).kv_bytes) == ("kv-swap", 40)
    assert place(FOOTPRINT, 1210).regime == "resident"


def test_a_decode_step_by_hand() -> None:
    # 500: 290 of 1000 weights and all KV resident; KV of one of 20 tokens is written.
    work = decode_work(LOAD, place(FOOTPRINT, 500))
    assert (work.link_bytes, work.memory_bytes) == (710, 290 + 200 + 10)
    # 1050: 40 of 200 KV resident, the rest and the new token cross the link.
    work = decode_work(LOAD, place(FOOTPRINT, 1050))
    assert (work.link_bytes, work.memory_bytes) == (160 + 10, 1000 + 40)


def test_arithmetic_counts_weights_twice_and_attention_over_the_context() -> None:
    # Attention weights 8 × 24, MLP 3 × 8 × 32, head 100 × 8; scores and values 4 × 2 × 8 × context.
    assert flop_per_token(SHAPE, 10) == 2 * (2 * (192 + 768) + 800) + 4 * 2 * 8 * 10


def test_a_prefill_reads_weights_once_for_all_tokens() -> None:
    load = Load(FOOTPRINT, SHAPE, context=20, batch=3)
    decode, prefill = (work(load, place(FOOTPRINT, 500)) for work in (decode_work, prefill_work))
    assert prefill.link_bytes == decode.link_bytes
    assert prefill.flop == pytest.approx(60 * flop_per_token(SHAPE, 10))


def test_few_tokens_touch_few_experts() -> None:
    moe = replace(SHAPE, experts=8, active_experts=2, tied_embedding=True)
    one = touched_share(moe, 1)
    # Attention 192 and 2 of 8 experts of 768, in 2 layers, and the head, of all elements.
    assert one == pytest.approx((2 * (192 + 2 * 768) + 800) / moe.elements)
    assert one < touched_share(moe, 4) < touched_share(moe, 1000) <= 1
