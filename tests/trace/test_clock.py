"""Cycles to nanoseconds, exact also where 64 bits would not do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.trace import MISSING
from lanescope.trace.clock import cycles_to_ns


def test_fifty_megahertz_is_twenty_nanoseconds_a_cycle() -> None:
    cycles = np.array([89_736_344_647_184_172, 89_736_344_647_184_173, MISSING])
    assert cycles_to_ns(cycles, 50_000_000, 89_736_344_647_184_172).tolist() == [0, 20, MISSING]


def test_a_day_of_cycles_does_not_overflow() -> None:
    day = 86_400 * 50_000_000
    assert cycles_to_ns(np.array([day]), 50_000_000, 0).tolist() == [86_400 * 10**9]


@given(st.integers(0, 2**62), st.integers(-(2**40), 2**40), st.integers(1, 5_000_000_000))
def test_any_clock_is_exact_to_the_nanosecond(base: int, delta: int, clock_hz: int) -> None:
    if abs(delta) // clock_hz >= 9_000_000_000 or base + delta < 0:
        return
    ns = cycles_to_ns(np.array([base + delta]), clock_hz, base).tolist()
    assert ns == [delta * 10**9 // clock_hz]


def test_times_beyond_64_bits_are_refused() -> None:
    with pytest.raises(OverflowError, match="exceed 64 bits of nanoseconds"):
        cycles_to_ns(np.array([2**62]), 1, 0)
