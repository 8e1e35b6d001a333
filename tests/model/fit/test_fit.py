"""Fits: where a model lies, what a step moves, how rates follow, and what would help."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.model.boards import load_board
from lanescope.model.fit.estimate import best, estimate, tokens_per_s, worst
from lanescope.model.fit.interval import published_ratios, published_spread, spread
from lanescope.model.fit.load import (
    Load,
    decode_work,
    flop_per_token,
    place,
    prefill_work,
    touched_share,
)
from lanescope.model.fit.machine import Machine, Value, machine_of
from lanescope.model.fit.plane import MEANING, make_plane
from lanescope.model.fit.svg import plane_svg
from lanescope.model.fit.whatif import policy_bytes, tornado, ways_out
from lanescope.model.manifest import Footprint, Region
from lanescope.model.manifest.shape import Shape

FOOTPRINT = Footprint(weight=1000, kv=200, activation=10)
SHAPE = Shape(
    layers=2,
    hidden=8,
    heads=4,
    kv_heads=2,
    head_dim=2,
    intermediate=32,
    vocabulary=100,
    weight_bits=Fraction(16),
    kv_bits=Fraction(16),
)


def machine(capacity: int = 500, link: float | None = 10.0, memory: float = 100.0) -> Machine:
    values = {"capacity_bytes": float(capacity), "memory_bytes_per_s": memory}
    if link is not None:
        values["link_bytes_per_s"] = link
    return Machine("test", {n: Value(n, v, v, v, "given") for n, v in values.items()})


LOAD = Load(FOOTPRINT, None, context=20, batch=1)


@given(st.integers(11, 1400))
def test_what_streams_is_what_does_not_fit_in_every_regime(capacity: int) -> None:
    found = place(FOOTPRINT, capacity)
    assert found.streamed_bytes == max(0, FOOTPRINT.total - capacity)
    assert found.weight_bytes + found.streamed_weight_bytes == 1000
    assert found.kv_bytes + found.streamed_kv_bytes == 200


def test_regimes_and_who_gets_the_memory() -> None:
    # Weight-stream: KV stays, weights get the rest. kv-swap: weights stay. The border is at 1000.
    assert place(FOOTPRINT, 500).regime == "weight-stream"
    assert (place(FOOTPRINT, 500).kv_bytes, place(FOOTPRINT, 500).weight_bytes) == (200, 290)
    assert (place(FOOTPRINT, 1050).regime, place(FOOTPRINT, 1050).kv_bytes) == ("kv-swap", 40)
    assert place(FOOTPRINT, 1210).regime == "resident"


@given(st.integers(11, 1400))
def test_one_byte_of_memory_changes_a_rate_by_less_than_a_percent(capacity: int) -> None:
    less = tokens_per_s(LOAD, machine(capacity))
    more = tokens_per_s(LOAD, machine(capacity + 1))
    assert abs(more / less - 1) < 0.2 * 200 / 1000 + 0.011 or capacity >= 1199


@given(st.integers(11, 1150), st.floats(1, 40))
def test_more_link_is_never_slower(capacity: int, link: float) -> None:
    slow = tokens_per_s(LOAD, machine(capacity, link))
    assert tokens_per_s(LOAD, machine(capacity, link * 1.5)) >= slow


def test_a_decode_step_by_hand() -> None:
    # 500: 290 of 1000 weights and all KV resident; KV of one of 20 tokens is written.
    work = decode_work(LOAD, place(FOOTPRINT, 500))
    assert (work.link_bytes, work.memory_bytes) == (710, 290 + 200 + 10)
    # 1050: 40 of 200 KV resident, the rest and the new token cross the link.
    work = decode_work(LOAD, place(FOOTPRINT, 1050))
    assert (work.link_bytes, work.memory_bytes) == (160 + 10, 1000 + 40)


def test_rates_with_and_without_prefetch_by_hand() -> None:
    found = estimate(LOAD, machine(500))
    assert found.decode.overlapped_s == pytest.approx(71.0)
    assert found.decode.serial_s == pytest.approx(71.0 + 5.0)
    assert found.tokens_per_s is not None
    assert found.tokens_per_s.estimate == pytest.approx(1 / 71.0)
    assert found.serial_tokens_per_s == pytest.approx(1 / 76.0)
    assert found.tokens_per_s.low <= 1 / 76.0


def test_without_a_link_nothing_that_does_not_fit_runs() -> None:
    assert estimate(LOAD, machine(500, link=None)).tokens_per_s is None
    resident = estimate(LOAD, machine(1210, link=None)).tokens_per_s
    assert resident is not None
    assert resident.estimate == pytest.approx(100 / 1210, rel=0.01)


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


def test_ways_out_name_memory_and_link() -> None:
    ways = {(way.what, way.effect): way for way in ways_out(LOAD, machine(500))}
    assert ways["memory", "kv-swap"].more == 500
    assert ways["memory", "resident"].more == 710
    assert ways["memory", "resident"].tokens_per_s == pytest.approx(100 / 1210, rel=0.01)
    # 710 bytes in the 5 s that the memory takes: 142 bytes/s, 132 more than 10.
    assert ways["link", "link no longer the bound"].more == pytest.approx(132)
    assert ways_out(LOAD, machine(1210)) == []


def test_the_tornado_ranks_the_bound_first() -> None:
    rows = tornado(LOAD, machine(500))
    assert rows[0].name == "link_bytes_per_s"
    assert rows[0].at_high == pytest.approx(1.1 / 71.0)
    assert rows[-1].name == "memory_bytes_per_s"
    assert rows[-1].swing == 0


def test_policies_per_pass() -> None:
    regions = tuple(Region(layer, layer * 100, 100, "weight") for layer in range(10))
    assert policy_bytes(regions, 750) == {"fifo": 1000, "lru": 1000, "pinned": 250, "belady": 250}
    assert set(policy_bytes(regions, 1000).values()) == {0}


def test_the_plane_marks_the_board_and_knows_the_borders() -> None:
    plane = make_plane(LOAD, machine(500))
    assert plane.mark is not None
    column, row = plane.mark
    assert plane.links[row] == pytest.approx(10.0)
    assert plane.letters[row][column] == "s"
    assert set("".join(plane.letters)) <= set(MEANING)
    for line in plane.letters:
        # Left to right: stream, then kv-swap, then resident.
        assert line == "".join(sorted(line, key=lambda letter: "sSkKR".index(letter)))
        for letter, capacity in zip(line, plane.capacities, strict=True):
            assert (letter == "R") == (capacity >= 1210)


def test_the_picture_is_well_formed_and_escapes_names() -> None:
    from xml.etree import ElementTree

    picture = plane_svg(make_plane(LOAD, machine(500)), title="<model> & board")
    root = ElementTree.fromstring(picture)
    kinds = [element.tag.split("}")[1] for element in root.iter()]
    assert kinds.count("circle") == 1
    assert "&lt;model&gt; &amp; board" in picture


def test_intervals_leave_out_one_in_fifteen_on_both_sides() -> None:
    # Of 29 values, the second smallest and the second largest.
    low, high = spread([float(n) for n in range(29)])
    assert (low, high) == (pytest.approx(2.718281828**1), pytest.approx(2.718281828**27))
    # Of few values none can be left out.
    assert spread([0.0, 1.0]) == (1.0, pytest.approx(2.718281828))


def test_published_ratios_are_there_for_both_pools() -> None:
    for pool in ("streaming", "resident"):
        low, high, count = published_spread(pool)
        assert 0 < low < 1 < high
        assert count == len(published_ratios(pool)) >= 5


def test_a_board_gives_values_with_their_ranges() -> None:
    h200 = machine_of(load_board("h200"), weight_bits=16)
    assert h200.values["link_bytes_per_s"].has_range
    rates, slow, fast = h200.rates(), worst(h200).rates(), best(h200).rates()
    assert rates.flop_per_s == 989e12 * 0.5
    assert slow.flop_per_s is not None
    assert slow.flop_per_s < 989e12 * 0.5
    assert fast.link_bytes_per_s == 55.28e9
    given = machine_of(load_board("h200"), weight_bits=16, link_bytes_per_s=7, flop_per_s=5)
    assert (given.rates().link_bytes_per_s, given.rates().flop_per_s) == (7, 5)
