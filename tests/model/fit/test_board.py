"""What a fit takes from a board, and what goes before it."""

from __future__ import annotations

import msgspec
import pytest
from tests.model.fit.small import board

from lanescope.model.boards import load_board
from lanescope.model.fit.board import BoardValue, fit_board
from lanescope.model.fit.compute import ComputeRate

H200 = load_board("h200")


def test_a_board_gives_values_with_their_ranges() -> None:
    h200 = fit_board(H200, weight_bits=16)
    assert h200.values["link_bytes_per_s"].has_range
    share = BoardValue("flop_efficiency", 0.8, 0.66, 0.81, "measured")
    assert h200.values["flop_efficiency"] == share
    assert h200.prefill_rates().flop_per_s == 989e12 * 0.8
    assert h200.decode_rates() == h200.prefill_rates()


def test_a_board_without_a_stated_rate_reaches_a_share_of_its_peak() -> None:
    u55c = fit_board(load_board("u55c"), weight_bits=16)
    share = u55c.values["memory_efficiency"]
    assert (share.basis, share.has_range) == ("assumed", True)
    assert u55c.decode_rates().memory_bytes_per_s == 460e9 * share.value
    assert not u55c.knows_compute


def test_a_core_gives_prefill_and_decode_rates_of_their_own() -> None:
    core = ComputeRate(100, 7, 90, 120, 6, 9, 1.0, 1.0, "M_MV", "a schedule")
    given = fit_board(load_board("u55c"), weight_bits=16, core=core)
    assert (given.prefill_rates().flop_per_s, given.decode_rates().flop_per_s) == (100, 7)
    assert given.values["decode_flop_per_s"].basis == "predicted"
    assert given.compute_source == "a schedule"
    # A core keeps its activations; what is given goes before it.
    assert given.prefill_rates().activation_bytes_per_s is None
    assert fit_board(H200, weight_bits=16, flop_per_s=5, core=core).compute_source == "given"


def test_narrow_weights_are_multiplied_at_the_rate_of_fp8() -> None:
    wide, narrow = (fit_board(H200, weight_bits=bits).values for bits in (16, 9))
    assert narrow["flop_per_s"].value == 2 * wide["flop_per_s"].value


def test_a_given_figure_goes_before_the_boards_and_has_no_range() -> None:
    given = fit_board(H200, weight_bits=16, capacity_bytes=3, link_bytes_per_s=7, flop_per_s=5)
    assert given.capacity_bytes == 3
    assert (given.decode_rates().link_bytes_per_s, given.decode_rates().flop_per_s) == (7, 5)
    assert not given.values["link_bytes_per_s"].has_range


def test_one_value_changes_and_the_others_stay() -> None:
    before = board(500)
    after = before.with_value("capacity_bytes", 900)
    assert (before.capacity_bytes, after.capacity_bytes) == (500, 900)
    assert after.values["link_bytes_per_s"] == before.values["link_bytes_per_s"]


def test_every_value_moves_to_an_end_of_its_range() -> None:
    h200 = fit_board(H200, weight_bits=16)
    low = {name: value.value for name, value in h200.at("low").values.items()}
    assert low == {name: value.low for name, value in h200.values.items()}


def test_a_board_with_a_peak_alone_reaches_a_part_of_it_and_takes_3_us_per_operation() -> None:
    assert H200.compute is not None
    peak = msgspec.structs.replace(H200.compute, efficiency=None, operation_overhead_ns=None)
    given = fit_board(msgspec.structs.replace(H200, compute=peak), weight_bits=16)
    assert given.values["flop_efficiency"] == ("flop_efficiency", 0.6, 0.33, 0.8, "assumed")
    overhead = ("operation_overhead_ns", 3000, 0, 6000, "assumed")
    assert given.values["operation_overhead_ns"] == overhead
    assert given.compute_source == "60% (assumed) of the board's peak (published)"
    assert given.decode_rates().operation_s == pytest.approx(3e-6)


def test_weights_of_up_to_nine_bits_are_narrow() -> None:
    assert H200.compute is not None
    bits = {9: 1978e12, 9.5: 989e12, None: 989e12}
    for weight_bits, peak in bits.items():
        values = fit_board(H200, weight_bits=weight_bits).values
        assert values["flop_per_s"].value == peak
    fp16 = msgspec.structs.replace(
        H200.compute, bf16_flop_per_s=None, fp16_flop_per_s=H200.compute.bf16_flop_per_s
    )
    board = msgspec.structs.replace(H200, compute=fp16)
    assert fit_board(board, weight_bits=16).values["flop_per_s"].value == 989e12
