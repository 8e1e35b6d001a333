"""Sizes and rates as people write them."""

from __future__ import annotations

import pytest

from lanescope.errors import UsageError
from lanescope.model.memory.sizes import check_count, read_rate, read_size


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


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *((f"1{letter}", 1024**power) for power, letter in enumerate("KMGT", 1)),
        *((f"1{letter}B", 1000**power) for power, letter in enumerate("KMGT", 1)),
        *((f"1{letter.lower()}iB", 1024**power) for power, letter in enumerate("KMGT", 1)),
        ("1Mi", 1 << 20),
        ("1Mib", 1 << 20),
        ("1Mb", 10**6),
        ("7B", 7),
        ("7b", 7),
        (" 1_000 ", 1000),
        ("1.9", 1),
        ("1e18", 10**18),
        (2.5e9, 2_500_000_000),
        ("0." + "1" * 35 + "M", 1048576 // 9),
    ],
)
def test_a_size_has_its_unit(text: str | float, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        *((f"8{letter}", 8 * 1000**power) for power, letter in enumerate("KMGT", 1)),
        *((f"8{letter}iB/s", 8 * 1024**power) for power, letter in enumerate("KMGT", 1)),
        *((f"8{letter}bit/s", 1000**power) for power, letter in enumerate("KMGT", 1)),
        ("8k", 8000),
        ("8Ki", 8192),
        ("8B", 8),
        ("8Bps", 8),
        ("8bps", 1),
        ("15bit/s", 1),
        (38e6, 38_000_000),
    ],
)
def test_a_rate_has_its_unit(text: str | float, rate: int) -> None:
    assert read_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1P", "expected a size like 512M, 36KiB or 1.5GB, found '1P'"),
        ("1Bi", "expected a size like 512M, 36KiB or 1.5GB, found '1Bi'"),
        ("x" * 41, f"expected a size like 512M, 36KiB or 1.5GB, found '{'x' * 40}'"),
        ("1" + " " * 40, f"expected a size like 512M, 36KiB or 1.5GB, found '1{' ' * 39}'"),
        ("1e19", "expected a size like 512M, 36KiB or 1.5GB, found '1e19'"),
        ("1e-19", "expected a size like 512M, 36KiB or 1.5GB, found '1e-19'"),
        (
            "1000000000000000001",
            "expected a size above 0 and at most 1,000,000,000,000,000,000 bytes, found "
            "'1000000000000000001'",
        ),
        (
            "0.9",
            "expected a size above 0 and at most 1,000,000,000,000,000,000 bytes, found '0.9'",
        ),
    ],
)
def test_a_wrong_size_is_refused_in_full(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_size(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1P", "expected a rate like 38MB/s, 1.5G or 480Mbit/s, found '1P'"),
        ("M", "expected a rate like 38MB/s, 1.5G or 480Mbit/s, found 'M'"),
        (
            "7bps",
            "expected a rate above 0 and at most 1,000,000,000,000,000,000 bytes, found '7bps'",
        ),
    ],
)
def test_a_wrong_rate_is_refused_in_full(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_rate(text)
    assert str(refused.value) == sentence


def test_a_count_is_from_1_to_a_billion() -> None:
    assert [check_count(count, "--n") for count in (None, 1, 10**9)] == [None, 1, 10**9]
    for count in (0, -1, 10**9 + 1):
        with pytest.raises(UsageError) as refused:
            check_count(count, "--n")
        assert (
            str(refused.value) == f"--n: expected a number from 1 to 1,000,000,000, found {count}"
        )
