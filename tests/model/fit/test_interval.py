"""Intervals from the errors on published runs."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.model.fit.interval import published_ratios, published_spread, spread
from lanescope.model.fit.scope import GROUPS


def test_nine_in_ten_are_within_the_reach() -> None:
    # Of 19 distances, the eighteenth smallest: ⌈20 · 0.9⌉.
    found = spread("a", {"a": [n / 10 * (-1) ** n for n in range(19)], "b": [9.0] * 30})
    assert (found.low, found.high) == (pytest.approx(exp(-1.7)), pytest.approx(exp(1.7)))
    assert (found.points, found.borrowed) == (19, 0)


def test_a_small_group_borrows_from_the_others_and_holds_its_own() -> None:
    ratios = {"a": [0.1, -0.5], "b": [n / 100 for n in range(40)]}
    found = spread("a", ratios)
    assert (found.points, found.borrowed) == (2, 40)
    assert found.high == pytest.approx(exp(0.5))
    assert spread("a", {**ratios, "a": [0.1]}).high == pytest.approx(exp(0.36))
    assert spread("a", {**ratios, "a": [-0.7]}).high == pytest.approx(exp(0.7))
    assert spread("nobody", {}).high == 1.0


@given(st.lists(st.floats(-1, 1), min_size=12, max_size=60))
def test_left_out_one_by_one_at_least_nine_in_ten_are_held(ratios: list[float]) -> None:
    held = 0
    for number, ratio in enumerate(ratios):
        others = ratios[:number] + ratios[number + 1 :]
        found = spread("a", {"a": others})
        held += found.low * (1 - 1e-9) <= exp(ratio) <= found.high * (1 + 1e-9)
    assert held >= 0.9 * len(ratios) - 1


def test_every_stored_ratio_belongs_to_a_group_that_a_fit_can_be_in() -> None:
    assert tuple(published_ratios()) == GROUPS
    for group in GROUPS:
        found = published_spread(group)
        assert 0 < found.low < 1 < found.high
        assert found.points == len(published_ratios()[group]) >= 5
