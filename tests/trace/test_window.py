"""How a person names times, cores and functions."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lanescope.errors import UsageError
from lanescope.trace.window import core_numbers, function_names, time_ns


@pytest.mark.parametrize(
    ("time", "ns"),
    [
        ("1.5ms", 1_500_000),
        ("200us", 200_000),
        ("200 µs", 200_000),
        ("7", 7),
        (" 7 ns ", 7),
        ("-0.5us", -500),
        ("0.123456789s", 123_456_789),
        ("0.999999999s", 999_999_999),
        ("2s", 2_000_000_000),
        ("1.9ns", 1),
        (7, 7),
        (-7, -7),
        (np.int64(7), 7),
    ],
)
def test_a_time_is_whole_nanoseconds(time: int | str, ns: int) -> None:
    assert time_ns(time) == ns
    assert type(time_ns(time)) is int


@pytest.mark.parametrize("time", ["soon", "", "5 minutes", 1.5, True, None])
def test_what_is_no_time_is_refused(time: object) -> None:
    message = re.escape(f"expected a time like 1.5ms or 200us, found {time!r}")
    with pytest.raises(UsageError, match=f"^{message}$"):
        time_ns(time)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cores", "numbers"),
    [
        ("0,4-7", [0, 4, 5, 6, 7]),
        (" 3 , 1", [3, 1]),
        ("2-2", [2]),
        ("5-4", []),
        (3, [3]),
        ([2, 0], [2, 0]),
        (range(2), [0, 1]),
        (np.array([1, 5]), [1, 5]),
        (["0-1", 9], [0, 1, 9]),
        ([], []),
    ],
)
def test_cores_are_one_number_a_text_or_several(cores: object, numbers: list[int]) -> None:
    assert core_numbers(cores) == numbers  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cores", "message"),
    [
        ("x", "expected core numbers like 0,4-7, found 'x'"),
        ("", "expected core numbers like 0,4-7, found ''"),
        ("0,-3", "expected core numbers like 0,4-7, found '0,-3'"),
        ("²", "expected core numbers like 0,4-7, found '²'"),
        (1.5, "expected core numbers like 0,4-7, found 1.5"),
        ([0, None], "expected core numbers like 0,4-7, found None"),
        ("0-99999999", "'0-99999999' is more core numbers than there can be"),
    ],
)
def test_what_is_no_core_is_refused(cores: object, message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        core_numbers(cores)  # type: ignore[arg-type]


def test_a_range_may_have_a_million_numbers_and_no_more() -> None:
    assert core_numbers("5-1048581")[-1] == 1_048_581
    with pytest.raises(UsageError, match="is more core numbers than there can be"):
        core_numbers("5-1048582")


@pytest.mark.parametrize(
    ("functions", "names"),
    [("QK", ["QK"]), (1, ["1"]), (["QK", 2], ["QK", "2"]), (("QK",), ["QK"]), ([], [])],
)
def test_functions_are_one_or_several_by_name_or_id(functions: object, names: list[str]) -> None:
    assert function_names(functions) == names  # type: ignore[arg-type]


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^expected a function by name or id, found 1\.5$"):
        function_names(1.5)  # type: ignore[arg-type]
