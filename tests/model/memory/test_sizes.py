"""Sizes and rates as people write them."""

from __future__ import annotations

import pytest

from lanescope.errors import UsageError
from lanescope.model.memory.sizes import read_rate, read_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 536_870_912),
        ("3M", 3_145_728),
        ("36KiB", 36_864),
        ("1.5GB", 1_500_000_000),
        ("2.2 MiB", 2_306_867),
        ("1G", 1 << 30),
        ("4096", 4096),
        ("1k", 1024),
        ("1e6", 1_000_000),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("38000000", 38_000_000),
        ("38M", 38_000_000),
        ("38MB/s", 38_000_000),
        # The unit slip of the peer's board file: Mb and MB differ by 8.
        ("38Mbit/s", 4_750_000),
        ("480Mbps", 60_000_000),
        ("1.5GB/s", 1_500_000_000),
        ("1.5e9", 1_500_000_000),
    ],
)
def test_rates(text: str, rate: int) -> None:
    assert read_rate(text) == rate


@pytest.mark.parametrize("text", ["", "M", "0", "-1M", "12X", "1e99", "0.5", "nan", "9" * 50])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a size"):
        read_size(text)


@pytest.mark.parametrize("text", ["", "0", "-38M", "fast", "1e300", "38Mx/s"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a rate"):
        read_rate(text)
