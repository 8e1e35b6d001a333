"""No interval is narrower than the clock and the last permille allow."""

from __future__ import annotations

import pytest

from lanescope.replay.correction.figure import widened


def test_an_interval_is_widened_by_a_permille_and_by_what_is_given() -> None:
    assert widened(1000.0, 2000.0, 20.0) == pytest.approx((1000 - 1 - 20, 2000 + 2 + 20))


def test_no_time_is_negative() -> None:
    assert widened(10.0, 10.0, 20.0) == pytest.approx((0.0, 30.01))
