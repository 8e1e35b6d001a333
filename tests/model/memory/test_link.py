"""The host's link: exact time, however the bytes are cut up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.errors import UsageError
from lanescope.model.memory.link import ExactLink


@given(st.lists(st.integers(0, 1 << 40), max_size=30), st.integers(1, 10**12))
def test_the_sum_over_any_cutting_is_the_exact_time_rounded_down_once(
    sizes: list[int], bytes_per_s: int
) -> None:
    link = ExactLink(bytes_per_s)
    assert sum(link.charge_ps(size) for size in sizes) == sum(sizes) * 10**12 // bytes_per_s


def test_64_bytes_at_1500_mb_per_s_are_42_and_two_thirds_ns() -> None:
    link = ExactLink(1_500_000_000)
    assert sum(link.charge_ps(64) for _ in range(3)) == 128_000


def test_no_link_is_free() -> None:
    assert ExactLink(128_000_000_000).charge_ps(64) == 500


def test_a_layer_of_many_gigabytes_does_not_overflow() -> None:
    assert ExactLink(60_000_000).charge_ps(400 * 10**9) == 400 * 10**9 * 10**12 // 60_000_000


@pytest.mark.parametrize("rate", [0, -1])
def test_zero_and_negative_bandwidth_are_refused(rate: int) -> None:
    with pytest.raises(UsageError, match=r"host bandwidth \(bytes/s\): expected more than 0"):
        ExactLink(rate)
