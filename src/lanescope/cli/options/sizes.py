"""Options whose value is a number of bytes or a length of time: 2GB, 10min."""

from __future__ import annotations

import argparse
import re

_BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_BYTES |= {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_VALUE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)")


def size(text: str) -> int:
    """A number of bytes with its unit, for argparse."""
    found = _number(text, _BYTES)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a size like 2GB or 500MB, found {text!r}")
    return int(found)


def seconds(text: str) -> float:
    """A length of time in seconds, for argparse."""
    found = _number(text, _SECONDS)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a time like 90s or 10min, found {text!r}")
    return found


def seconds_or_size(text: str) -> tuple[float | None, int | None]:
    """A length of time in seconds, or a number of bytes, for argparse; the other one is None."""
    seconds, found = _number(text, _SECONDS), _number(text, _BYTES)
    if seconds is None and found is None:
        raise argparse.ArgumentTypeError(
            f"expected a time like 10min or a size like 2GB, found {text!r}"
        )
    return seconds, None if found is None else int(found)


def _number(text: str, units: dict[str, int]) -> float | None:
    """The value in the smallest unit; None where the unit is another one, or the value is 0."""
    match = _VALUE.fullmatch(text.strip())
    if match is None or match[2] not in units:
        return None
    return float(match[1]) * units[match[2]] or None
