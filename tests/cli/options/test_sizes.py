"""Sizes, times and limits of growth as people write them."""

from __future__ import annotations

import argparse

import pytest

from lanescope.cli.options.growth import growth_limit
from lanescope.cli.options.sizes import seconds, seconds_or_size, size
from lanescope.errors import UsageError


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1B", 1),
        ("2kB", 2000),
        ("3MB", 3_000_000),
        ("4GB", 4_000_000_000),
        ("5TB", 5_000_000_000_000),
        ("1KiB", 1 << 10),
        ("1MiB", 1 << 20),
        ("1GiB", 1 << 30),
        ("1TiB", 1 << 40),
        (" 1.5 kB ", 1500),
        ("0.0015kB", 1),
    ],
)
def test_a_size_is_a_number_of_bytes(text: str, count: int) -> None:
    assert size(text) == count
    assert seconds_or_size(text) == (None, count)


@pytest.mark.parametrize(
    ("text", "number"), [("2s", 2.0), ("1.5min", 90.0), ("3h", 10_800.0), ("1d", 86_400.0)]
)
def test_a_time_is_a_number_of_seconds(text: str, number: float) -> None:
    assert seconds(text) == number
    assert seconds_or_size(text) == (number, None)


@pytest.mark.parametrize("text", ["", "2", "0s", "0MB", "-1s", "2 weeks", "2K", "1e3s", "s", "1.s"])
def test_nothing_else_is_either(text: str) -> None:
    for read, sentence in (
        (size, "expected a size like 2GB or 500MB"),
        (seconds, "expected a time like 90s or 10min"),
        (seconds_or_size, "expected a time like 10min or a size like 2GB"),
    ):
        with pytest.raises(argparse.ArgumentTypeError) as found:
            read(text)
        assert str(found.value) == f"{sentence}, found {text!r}"


@pytest.mark.parametrize(("read", "text"), [(size, "2s"), (seconds, "2MB")])
def test_a_size_is_no_time(read: object, text: str) -> None:
    assert callable(read)
    with pytest.raises(argparse.ArgumentTypeError):
        read(text)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("makespan>+2%", ("makespan", 0.02)),
        ("  a > b >  12.5 % ", ("a > b", 0.125)),
        ("x>0%", ("x", 0.0)),
    ],
)
def test_a_limit_of_growth_is_a_share(text: str, limit: tuple[str, float]) -> None:
    assert growth_limit(text) == limit


@pytest.mark.parametrize("text", ["", "x", "x>", ">2%", "x>2", "x>-2%", "x<2%", "x>2.%"])
def test_no_limit_of_growth(text: str) -> None:
    with pytest.raises(UsageError) as found:
        growth_limit(text)
    assert str(found.value) == f'expected --fail-if "NAME>+X%", found {text!r}'
