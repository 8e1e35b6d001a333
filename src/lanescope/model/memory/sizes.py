"""Reads sizes, rates and counts as people write them; the unit decides, never a guess.

Sizes: K, M, G, T and KiB … are powers of 1024, KB, MB … powers of 1000.
Rates: bytes/s; k, M, G are powers of 1000; `bit/s` and `bps` mean bits.
"""

from __future__ import annotations

import re
from fractions import Fraction

from lanescope.errors import UsageError

_AMOUNT = re.compile(r"(-?\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([A-Za-z/]*)")
_LETTERS = "KMGT"
_MOST = 10**18
_MOST_COUNT = 10**9


def read_size(size: str | float) -> int:
    """Bytes of a size like `512M`, `36KiB`, `1.5GB`, or of plain bytes; above 0."""
    text = str(size)
    number, unit = _parts(text, "a size like 512M, 36KiB or 1.5GB")
    if unit in ("", "B", "b"):
        factor = 1
    elif unit[0].upper() in _LETTERS and unit[1:] in ("", "i", "iB", "ib"):
        factor = 1 << 10 * (_LETTERS.index(unit[0].upper()) + 1)
    elif unit[0].upper() in _LETTERS and unit[1:] in ("B", "b"):
        factor = 1000 ** (_LETTERS.index(unit[0].upper()) + 1)
    else:
        raise UsageError(f"expected a size like 512M, 36KiB or 1.5GB, found {text!r}")
    return _whole(number * factor, text, "a size above 0")


def read_rate(rate_per_s: str | float) -> int:
    """Bytes/s of a rate like `38M`, `38MB/s`, `480Mbit/s`, or of plain bytes/s; above 0."""
    text = str(rate_per_s)
    form = "a rate like 38MB/s, 1.5G or 480Mbit/s"
    number, unit = _parts(text, form)
    bits = re.fullmatch(r"([kKMGT]?)(?:bit/s|bps)", unit)
    plain = re.fullmatch(r"([kKMGT]?)(i?)(?:B/s|B|Bps)?", unit)
    match = bits or plain
    if match is None:
        raise UsageError(f"expected {form}, found {text!r}")
    power = _LETTERS.index(match[1].upper()) + 1 if match[1] else 0
    base = 1024 if plain is not None and plain[2] else 1000
    rate = number * Fraction(base) ** power / (8 if bits else 1)
    return _whole(rate, text, "a rate above 0")


def _parts(text: str, form: str) -> tuple[Fraction, str]:
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or len(text) > 40:
        raise UsageError(f"expected {form}, found {text[:40]!r}")
    exponent = re.search(r"[eE]([+-]?\d+)$", match[1])
    if exponent and abs(int(exponent[1])) > 18:
        raise UsageError(f"expected {form}, found {text!r}")
    return Fraction(match[1].replace("_", "")), match[2]


def _whole(value: Fraction, text: str, expected: str) -> int:
    whole = int(value)
    if not 0 < whole <= _MOST:
        raise UsageError(f"expected {expected} and at most {_MOST:,} bytes, found {text!r}")
    return whole


def check_count(count: int | None, option: str) -> int | None:
    """The count itself; a UsageError names the option where it is not from 1 to 1,000,000,000."""
    if count is not None and not 0 < count <= _MOST_COUNT:
        raise UsageError(f"{option}: expected a number from 1 to {_MOST_COUNT:,}, found {count}")
    return count
