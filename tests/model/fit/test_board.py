"""What a fit takes from a board, and what goes before it."""

from __future__ import annotations

from tests.model.fit.small import board

from lanescope.model.boards import load_board
from lanescope.model.fit.board import FLOP_EFFICIENCY, BoardValue, fit_board

H200 = load_board("h200")


def test_a_board_gives_values_with_their_ranges() -> None:
    h200 = fit_board(H200, weight_bits=16)
    assert h200.values["link_bytes_per_s"].has_range
    assert h200.values["flop_efficiency"] == BoardValue("flop_efficiency", 0.5, 0.3, 0.7, "assumed")
    assert h200.rates().flop_per_s == 989e12 * FLOP_EFFICIENCY


def test_narrow_weights_are_multiplied_at_the_rate_of_fp8() -> None:
    wide, narrow = (fit_board(H200, weight_bits=bits).values for bits in (16, 9))
    assert narrow["flop_per_s"].value == 2 * wide["flop_per_s"].value


def test_a_given_figure_goes_before_the_boards_and_has_no_range() -> None:
    given = fit_board(H200, weight_bits=16, capacity_bytes=3, link_bytes_per_s=7, flop_per_s=5)
    assert given.capacity_bytes == 3
    assert (given.rates().link_bytes_per_s, given.rates().flop_per_s) == (7, 5)
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
