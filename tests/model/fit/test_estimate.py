"""Rates of a model on a board, with and without prefetch, and where it cannot run."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.model.fit.small import LOAD, SHAPE, board

from lanescope.model.boards import load_board
from lanescope.model.fit.board import BoardValue, FitBoard, fit_board
from lanescope.model.fit.estimate import (
    _decode,
    _prefill,
    best,
    estimate,
    tokens_per_s,
    worst,
)
from lanescope.model.fit.interval import ErrorSpread
from lanescope.model.fit.load import Body, Load, residency_of
from lanescope.model.fit.step import Rates
from lanescope.model.fit.work import decode_work
from lanescope.model.manifest.from_shape import kv_bytes
from lanescope.model.manifest.manifest import Footprint


def test_one_byte_of_memory_changes_a_rate_by_less_than_a_percent_but_at_two_borders() -> None:
    """From 210 bytes on the whole cache stays, and from 1000 on the weights come before it: there
    the 10 bytes of a new token's cache go over the link no more, and once more."""
    rates = [tokens_per_s(LOAD, board(capacity)) for capacity in range(11, 1401)]
    changes = {11 + n: more / less - 1 for n, (less, more) in enumerate(pairwise(rates))}
    jumps = {place: change for place, change in changes.items() if abs(change) >= 0.01}
    assert jumps == pytest.approx({209: 101.1 / 100.0 - 1, 999: 21.1 / 22.0 - 1})


@given(st.integers(11, 1150), st.floats(1, 40))
def test_more_link_is_never_slower(capacity: int, link: float) -> None:
    slow = tokens_per_s(LOAD, board(capacity, link))
    assert tokens_per_s(LOAD, board(capacity, link * 1.5)) >= slow


def with_compute(capacity: int, link: float | None = 10.0) -> FitBoard:
    return board(capacity, link).with_value("flop_per_s", 1e6)


BODY = replace(LOAD, layer_body=Body(0, 50, 0, 0.0))


def test_rates_with_and_without_prefetch_by_hand() -> None:
    decode = estimate(BODY, with_compute(500)).decode
    assert decode.step.prefetched_s == pytest.approx(71.0)
    assert decode.step.serial_s == pytest.approx(71.0 + 5.0)
    assert decode.tokens_per_s is not None
    assert decode.tokens_per_s.estimate == pytest.approx(1 / 71.0)
    assert decode.serial_tokens_per_s == pytest.approx(1 / 76.0)
    assert decode.tokens_per_s.low <= 1 / 76.0


def test_an_interval_holds_the_rate_without_prefetch_however_narrow_it_is() -> None:
    narrow = ErrorSpread(1.0, 1.0, "by hand", 0, 0)
    decode = _decode(BODY, with_compute(500), None, spread=narrow)
    assert decode.tokens_per_s is not None
    assert decode.tokens_per_s.low == pytest.approx(1 / 76.0)
    prefill = _prefill(BODY, with_compute(500), None, spread=narrow)
    assert prefill.first_token_s is not None and prefill.serial_first_token_s is not None
    assert prefill.first_token_s.high == pytest.approx(prefill.serial_first_token_s)


def test_without_an_arithmetic_rate_there_is_a_bound_and_no_first_token() -> None:
    found = estimate(BODY, board(500))
    assert (found.decode.tokens_per_s, found.decode.serial_tokens_per_s) == (None, None)
    assert found.decode.most_tokens_per_s == pytest.approx(1 / 71.0)
    assert (found.prefill.first_token_s, found.prefill.step) == (None, None)
    assert found.prefill.reason == found.decode.reason
    assert "--compute RATE" in (found.prefill.reason or "")


def test_without_a_link_nothing_that_does_not_fit_runs() -> None:
    stuck = estimate(BODY, with_compute(500, link=None))
    assert stuck.decode.tokens_per_s is None
    assert stuck.prefill.first_token_s is None
    assert stuck.decode.reason == stuck.prefill.reason
    resident = estimate(BODY, with_compute(1210, link=None)).decode.tokens_per_s
    assert resident is not None
    assert resident.estimate == pytest.approx(100 / 1210, rel=0.01)


def test_a_slow_core_rules_the_first_token() -> None:
    slow = estimate(BODY, board(1210).with_value("flop_per_s", 10.0)).prefill
    # 20 tokens, two operations for each of 50 weights, 10 per second.
    assert slow.first_token_s is not None
    assert slow.first_token_s.estimate == pytest.approx(20 * 2 * 50 / 10)
    assert slow.first_token_s.low <= 200 <= slow.first_token_s.high


def test_the_interval_names_the_group_it_comes_from() -> None:
    assert estimate(LOAD, board(500)).interval_from.group == "weights over the link"
    assert estimate(LOAD, board(1210)).interval_from.group == "resident"


@given(st.integers(11, 2000), st.floats(1, 400), st.floats(1, 400))
def test_no_interval_is_beyond_the_peaks(capacity: int, link: float, memory: float) -> None:
    values = {**board(capacity, link, memory).values}
    peaks = {"memory_bytes_per_s": memory * 1.1, "link_bytes_per_s": link * 1.05}
    given = FitBoard("test", values, peaks).with_value("flop_per_s", 1e9)
    rate = estimate(BODY, given).decode.tokens_per_s
    assert rate is not None
    assert rate.low <= rate.estimate <= rate.high
    residency = residency_of(BODY, capacity)
    work = decode_work(BODY, residency)
    assert rate.high * work.link_bytes <= link * 1.05 * (1 + 1e-9)
    assert rate.high * work.memory_bytes <= memory * 1.1 * (1 + 1e-9)


def test_the_slow_end_uses_experts_evenly() -> None:
    moe = replace(SHAPE, experts=8, active_experts=2)
    load = Load(Footprint(moe.elements, 0, 0), moe, 20, 1)
    half = with_compute(moe.elements - moe.expert_elements // 2).with_value("flop_per_s", 1e9)
    rate = estimate(load, half).decode.tokens_per_s
    assert rate is not None
    assert rate.low <= tokens_per_s(replace(load, expert_skew=1.0), half) < rate.estimate


def test_a_longer_context_is_slower() -> None:
    h200 = fit_board(load_board("h200"), weight_bits=16)
    rates = []
    for context in (16_384, 131_072):
        kv = kv_bytes(SHAPE, context=context, batch=1)
        load = Load(Footprint(2 * SHAPE.elements, kv, 0), SHAPE, context, 1)
        rate = estimate(load, h200.with_value("operation_overhead_ns", 0)).decode.tokens_per_s
        assert rate is not None
        rates.append(rate.estimate)
    assert rates[1] < rates[0] / 4


def test_the_worst_board_has_low_rates_and_long_starts() -> None:
    values = {
        "link_bytes_per_s": BoardValue("link_bytes_per_s", 5, 4, 6, "measured"),
        "operation_overhead_ns": BoardValue("operation_overhead_ns", 200, 100, 300, "measured"),
    }
    given = FitBoard("test", values)
    assert worst(given).decode_rates() == Rates(4, None, operation_s=300 * 1e-9)
    assert best(given).prefill_rates() == Rates(6, None, operation_s=100 * 1e-9)


def test_an_interval_holds_its_estimate_where_the_link_is_faster_than_the_memory() -> None:
    """Experts that miss then are the faster ones: using them evenly is not the slow end."""
    shape = replace(SHAPE, experts=16, active_experts=2)
    load = Load(Footprint(shape.elements * 2, 200, 10), shape, context=20, batch=1)
    made = board(shape.elements, link=10_000.0, memory=10.0).with_value("flop_per_s", 1e6)
    found = estimate(load, made)
    for interval in (found.decode.tokens_per_s, found.prefill.first_token_s):
        assert interval is not None
        assert interval.low <= interval.estimate <= interval.high


def test_the_first_token_is_as_uncertain_as_published_figures_are() -> None:
    """200 s of arithmetic; no peak is faster than the board, and half the rate takes twice."""
    slow = board(1210).with_value("flop_per_s", 10.0)
    first = _prefill(BODY, slow, None, spread=ErrorSpread(0.5, 2.0, "by hand", 0, 0)).first_token_s
    assert first == pytest.approx((200, 200, 400))


def test_what_is_not_known_of_the_arithmetic_is_the_reason() -> None:
    assert estimate(LOAD, with_compute(500)).decode.reason == (
        "the model's arithmetic is not known: put its config.json beside it, or --config"
    )
    assert estimate(BODY, board(500)).decode.reason == (
        "no arithmetic rate is known: give --compute RATE, what the board reaches, like 8.9G"
    )
