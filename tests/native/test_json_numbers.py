"""Numbers in JSON at the limits of what 64 bits, 18 and 19 digits and a double hold."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.formats.json_cells import identity, integer, micros, number
from lanescope.formats.json_rows import TextSpan, read_array_rows

MOST = 2**63 - 1


def read(source: str, cell: Any) -> Any:
    """The value of one cell; None where it is refused."""
    data = np.frombuffer(f"[[{source}]]".encode(), np.uint8)
    try:
        rows = read_array_rows(TextSpan(Path("rows.json"), data, data), [cell], what="rows")
    except InputError:
        return None
    return rows["a"][0]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("00012", 12),
        ("0" * 30 + "7", 7),
        ("123456789012345678", 123456789012345678),
        ("1234567890123456789", 1234567890123456789),
        ("9223372036854775807", MOST),
        ("-9223372036854775807", -MOST),
        ("9223372036854775808", None),
        ("18446744073709551615", None),
        ("12345678901234567890", None),
        ("12345678901234567890123", None),
        ("1e18", 10**18),
        ("9e18", 9 * 10**18),
        ("1e19", None),
        ("922337203685477580e1", 9223372036854775800),
        ("922337203685477581e1", None),
        ("0e999999999999", 0),
        ("12.5e1", 125),
        ("12.50e2", 1250),
        ("12.50e1", None),  # one digit is left behind the point
        ("12.5", None),
        ("1.0", None),
        ("10e-1", None),
        ("1e+2", 100),
        ("1E2", 100),
        ("1e", None),
        ("1e+", None),
        ("1.", None),
        (".1", None),
        ("-", None),
        ("--1", None),
        ("+1", None),
    ],
)
def test_a_whole_number_is_read_exactly_or_refused(source: str, value: int | None) -> None:
    assert read(source, integer("a", low=-MOST)) == value


@pytest.mark.parametrize(
    "source",
    [
        *("0", "-0", "0.0", "1.5", "-2.25", "0.1", "100", "00012.50"),
        *("9007199254740992", "9007199254740993", "9007199254740991e22", "9007199254740992e22"),
        *("1e22", "1e23", "1e-22", "1e-23", "3e22", "3e-22", "7e23", "7e-23", "0e30", "0e-30"),
        *("1234567890123456789", "12345678901234567890", "1234567890123456789012e-3"),
        *("0.00000000000000000000123", "123456789.123456789123456789", "1.7976931348623157e308"),
        *("5e-324", "2e-324", "2.2250738585072014e-308", "1e-400", "100000000e300"),
    ],
)
def test_a_number_is_the_double_that_is_nearest(source: str) -> None:
    found = read(source, number("a"))
    assert struct.pack("<d", found) == struct.pack("<d", float(source))


@pytest.mark.parametrize("source", ["1e309", "-1e309", "1.8e308", "1e400", "1e99999999999"])
def test_a_number_beyond_a_double_is_refused(source: str) -> None:
    assert read(source, number("a")) is None


@pytest.mark.parametrize(
    ("source", "ns"),
    [
        ("0.0005", 0),
        ("0.0015", 2),
        ("0.00050", 0),
        ("0.0005000000000000001", 1),
        ("0.00050000000000000000000000000001", 1),
        ("0.0014999999999999999999999999999", 1),
        ("0.002500", 2),
        ("-0.0015", -2),
        ("-0.0005", 0),
        ("1.2345e3", 1234500),
        ("1234567.8e-6", 1235),
        ("123456789012345678901e-20", 1235),
        ("0.000000000000000000001e21", 1000),
        ("9223372036854775.807", MOST),
        ("-9223372036854775.807", -MOST),
        ("9223372036854775.8074", MOST),
        ("9223372036854775.8075", None),
        ("9223372036854775.808", None),
        ("9223372036854775807e-3", MOST),
        ("92233720368547758070000e-7", MOST),
        ("18446744073709551.615", None),
        ("1e16", None),
        ("0e400", 0),
        ("0.000e-400", 0),
        ("1e-400", 0),
    ],
)
def test_microseconds_become_the_nearest_nanosecond(source: str, ns: int | None) -> None:
    assert read(source, micros("a", low=-MOST)) == ns
    assert read(f'"{source}"', micros("a", low=-MOST)) == ns
    assert read(f'"{source}', micros("a", low=-MOST)) is None


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("0", 0),
        ("9223372036854775807", MOST),
        ("9223372036854775808", -1),  # the first of the second space
        ("9223372036854775809", -2),
        (str(2**63 + 2**62 - 1), -(2**62)),
        (str(2**63 + 2**62), None),
        ("18446744073709551614", None),
        ("18446744073709551616", None),
        ("99999999999999999999", None),
        ("-1", None),
        ("1.0", None),
        ("1e3", None),
        ("12a", None),
        ("", None),
    ],
)
def test_an_id_of_64_bits_is_read_exactly_or_refused(source: str, value: int | None) -> None:
    assert read(source, identity("a")) == value
    assert read(f'"{source}"', identity("a")) == value
    assert read(f'"{source}', identity("a")) is None
