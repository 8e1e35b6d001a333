"""Where a model lies, and what a step of it moves and computes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.model.fit.small import FOOTPRINT, LOAD, SHAPE

from lanescope.model.fit.load import Load, body_of, place, residency_of
from lanescope.model.fit.work import attention_flop, decode_work, prefill_work, used_weights


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
    # Attention weights 8 × 24, MLP 3 × 8 × 32, norms 16, in 2 layers; head 100 × 8.
    assert body_of(SHAPE).elements == 2 * (192 + 768 + 16) + 800
    # Scores and values, 4 × 2 layers × 8 × context.
    assert attention_flop(SHAPE, 10) == 4 * 2 * 8 * 10
    load = Load(FOOTPRINT, SHAPE, context=20, batch=3)
    flop = decode_work(load, place(FOOTPRINT, 1210)).flop
    assert flop == 3 * (2 * body_of(SHAPE).elements + attention_flop(SHAPE, 20))


def test_a_prefill_reads_weights_once_for_all_tokens() -> None:
    load = Load(FOOTPRINT, SHAPE, context=20, batch=3)
    decode, prefill = (work(load, place(FOOTPRINT, 500)) for work in (decode_work, prefill_work))
    assert prefill.link_bytes == decode.link_bytes
    assert prefill.flop == pytest.approx(
        60 * (2 * body_of(SHAPE).elements + attention_flop(SHAPE, 10))
    )
    assert prefill.activation_bytes == 60 * body_of(SHAPE).activation_bytes


def test_an_embedding_of_its_own_is_not_read() -> None:
    assert used_weights(SHAPE, 1) == SHAPE.elements - 800
    tied = replace(SHAPE, tied_embedding=True)
    assert used_weights(tied, 1) == tied.elements


def test_few_tokens_touch_few_experts() -> None:
    moe = replace(SHAPE, experts=8, active_experts=2, tied_embedding=True)
    # Attention 192, router 64, norms 16 and 2 of 8 experts of 768, in 2 layers, head, last norm.
    assert used_weights(moe, 1) == 2 * (192 + 64 + 16 + 2 * 768) + 808
    assert used_weights(moe, 1) < used_weights(moe, 4) < used_weights(moe, 1000) <= moe.elements


def test_experts_that_miss_are_asked_for() -> None:
    moe = replace(SHAPE, experts=8, active_experts=2, tied_embedding=True)
    sizes = replace(FOOTPRINT, weight=moe.elements)
    half = Load(sizes, moe, 20, 1, kept_weight_bytes=moe.elements - moe.expert_elements // 2)
    work = decode_work(half, residency_of(half, 10**9))
    used = moe.expert_elements * 2 / 8
    assert work.asked_bytes == pytest.approx(used * 0.5**3)
    assert work.link_bytes == 0
    even = replace(half, expert_skew=1.0)
    assert decode_work(even, residency_of(even, 10**9)).asked_bytes == pytest.approx(used / 2)
    told = replace(half, expert_hits=0.9)
    assert decode_work(told, residency_of(told, 10**9)).asked_bytes == pytest.approx(used / 10)


def test_a_long_prompt_asks_for_every_expert_that_is_not_kept() -> None:
    moe = replace(SHAPE, experts=8, active_experts=2, tied_embedding=True)
    sizes = replace(FOOTPRINT, weight=moe.elements)
    kept = moe.elements - moe.expert_elements // 4
    load = Load(sizes, moe, 20_000, 1, kept_weight_bytes=kept)
    work = prefill_work(load, residency_of(load, 10**9))
    assert work.asked_bytes == pytest.approx(moe.expert_elements / 4)
    assert work.memory_bytes - 200 == pytest.approx(kept)


def test_a_name_alone_may_tell_the_share_of_the_experts() -> None:
    load = Load(FOOTPRINT, None, 20, 1, active_share=0.1)
    resident = decode_work(load, residency_of(load, 5000))
    assert (resident.asked_bytes, resident.memory_bytes) == (0, pytest.approx(100 + 200 + 10))


def test_software_may_keep_less_than_fits() -> None:
    kept = Load(FOOTPRINT, None, 20, 1, kept_weight_bytes=300)
    assert residency_of(kept, 10**9).streamed_weight_bytes == 700
    host = Load(FOOTPRINT, None, 20, 1, kv_host_share=1.0)
    found = residency_of(host, 10**9)
    assert (found.regime, found.streamed_kv_bytes, found.weight_bytes) == ("kv-swap", 200, 1000)


def test_what_was_used_last_stays_means_that_nothing_hits() -> None:
    load = Load(FOOTPRINT, None, 20, 1, kept_weight_bytes=990, evicts=True)
    assert decode_work(load, residency_of(load, 10**9)).link_bytes == 1000


def test_weights_may_come_from_storage() -> None:
    load = Load(FOOTPRINT, None, 20, 1, from_storage=0.5)
    work = decode_work(load, place(FOOTPRINT, 500))
    assert (work.link_bytes, work.storage_bytes) == (710, 355)
