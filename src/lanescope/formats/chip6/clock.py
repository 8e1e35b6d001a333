"""Clocks as people write them: megahertz, which may have decimals."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from lanescope.errors import UsageError

_MOST_HZ = 10**12


def hertz(text: str) -> int:
    """Make Hz of MHz; the result must be a whole number."""
    try:
        hz = Decimal(text) * 1_000_000
    except InvalidOperation:
        hz = Decimal(0)
    if not hz.is_finite() or hz <= 0 or hz != hz.to_integral_value() or hz > _MOST_HZ:
        raise UsageError(f"expected a clock like 1650 or 1850.5, found {text!r}")
    return int(hz)
