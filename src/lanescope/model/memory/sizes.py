"""Reads sizes and rates as people write them; the unit decides, never a guess.

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


def read_size(text: str) -> int:
    """`512M`, `36KiB`, `1.5GB` or plain bytes as bytes; above 0."""
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


def read_rate(text: str) -> int:
    """`38M`, `38MB/s`, `1.5GB/s`, `480Mbit/s` or plain bytes/s as bytes/s; above 0."""
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


def shown_bytes(size_bytes: float) -> str:
    """A size for people, in powers of 1000: the unit that bandwidths use."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(size_bytes) >= factor:
            return f"{size_bytes / factor:,.2f} {unit}"
    return f"{size_bytes:,.0f} B"
