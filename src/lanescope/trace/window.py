"""How a person names a part of a trace: times, cores and functions, as text or as numbers.

The command line's --since, --until, --core and --function and the arguments of `select` share
this grammar. What cannot be read is a UsageError.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, TypeAlias

import numpy as np

from lanescope.errors import UsageError

Time: TypeAlias = int | str
"""Whole nanoseconds, or text with a unit: `"1.5ms"`."""
Cores: TypeAlias = int | str | Collection[int | str]
"""One core number, text like `"0,4-7"`, or several of either."""
Numbers: TypeAlias = int | str | Collection[int | str]
"""Runs or ranks by number, in the same form as cores."""
Functions: TypeAlias = int | str | Collection[int | str]
"""One function by name or id, or several."""

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_TIME = re.compile(r"(-?\d+)(?:\.(\d{1,9}))?\s*(ns|us|µs|ms|s)?")
_MOST_NUMBERS = 1 << 20
"""A range of more numbers than this is a typing error."""


def time_ns(time: Time) -> int:
    """Whole nanoseconds of a time like `"1.5ms"`; a number without a unit is nanoseconds.

    Args:
        time: a whole number, or text: a number and one of ns, us, µs, ms and s.

    Raises:
        UsageError: it is neither; a float is not accepted, because it is not exact.
    """
    if _is_whole(time):
        return int(time)
    match = _TIME.fullmatch(time.strip()) if isinstance(time, str) else None
    if match is None:
        raise UsageError(f"expected a time like 1.5ms or 200us, found {time!r}")
    whole, part, unit = match.groups()
    scale = _UNITS[unit or "ns"]
    fraction = int((part or "0").ljust(9, "0")) * scale // 1_000_000_000
    value = abs(int(whole)) * scale + fraction
    return -value if whole.startswith("-") else value


def core_numbers(cores: Cores) -> list[int]:
    """Core numbers in the order in which they are named: `"0,4-7"` is 0, 4, 5, 6, 7.

    Args:
        cores: one number, text with numbers and ranges, or a collection of either.

    Raises:
        UsageError: something in it is no core number, or a range has more than a million numbers.
    """
    return numbers_of(cores, "core")


def numbers_of(values: Numbers, what: str) -> list[int]:
    """Numbers in the order in which they are named; `what` they are of stands in the error."""
    numbers: list[int] = []
    for value in _several(values):
        if isinstance(value, str):
            numbers += _ranges(value, what)
        elif _is_whole(value):
            numbers.append(int(value))
        else:
            raise UsageError(f"expected {what} numbers like 0,4-7, found {value!r}")
    return numbers


def function_names(functions: Functions) -> list[str]:
    """Functions by name or id as a list of texts; an id is its decimal digits.

    Args:
        functions: one name or id, or a collection of them.

    Raises:
        UsageError: one of them is neither text nor a whole number.
    """
    names = []
    for value in _several(functions):
        if not isinstance(value, str) and not _is_whole(value):
            raise UsageError(f"expected a function by name or id, found {value!r}")
        names.append(str(value))
    return names


def _several(values: Any) -> Collection[Any]:
    """A single value becomes a collection of one."""
    if isinstance(values, str) or not isinstance(values, Collection):
        return (values,)
    return values


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _ranges(text: str, what: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UsageError(f"expected {what} numbers like 0,4-7, found {text!r}")
        low, high = int(first), int(last or first)
        if high - low > _MOST_NUMBERS:
            raise UsageError(f"{part!r} is more {what} numbers than there can be")
        numbers += range(low, high + 1)
    return numbers
