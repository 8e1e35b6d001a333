"""Two clocks on one axis of whole numbers: core cycles in chunks, system counter in stamps."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, lcm

import numpy as np

from lanescope.errors import UsageError
from lanescope.trace.table import Array

_NS = 1_000_000_000
_LIMIT = 1 << 61
"""Times stay below this, so that the sum or the difference of two fits in 64 bits."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """Rates of one kind of core and of the system counter.

    A unit is 1 / lcm(core_hz, counter_hz) seconds: a core cycle and a tick of the counter are both
    whole multiples of it. So a time in units is exact.
    """

    core_hz: int
    counter_hz: int

    def __post_init__(self) -> None:
        for name, hz in (("core", self.core_hz), ("counter", self.counter_hz)):
            if hz <= 0:
                raise UsageError(f"the {name} clock must be positive, found {hz} Hz")
        fine = max(self.units_per_tick, self.units_per_cycle)
        numerator, denominator = self._ns_per_unit
        if fine > 1 << 24 or numerator * denominator > 1 << 62:
            raise UsageError(
                f"core clock {self.core_hz} Hz and counter clock {self.counter_hz} Hz have no "
                "common unit that 64 bits can count; round both to whole kHz"
            )

    @property
    def units_per_s(self) -> int:
        """Units in a second."""
        return lcm(self.core_hz, self.counter_hz)

    @property
    def units_per_tick(self) -> int:
        """Units in a tick of the system counter."""
        return self.units_per_s // self.counter_hz

    @property
    def units_per_cycle(self) -> int:
        """Units in a core cycle."""
        return self.units_per_s // self.core_hz

    @property
    def limit(self) -> int:
        """The longest time in units; it also fits in 64 bits as nanoseconds."""
        numerator, denominator = self._ns_per_unit
        return min(_LIMIT, _LIMIT * denominator // numerator)

    def ticks(self, units: Array) -> Array:
        """Convert units to whole ticks of the system counter, rounded down."""
        ticks: Array = units // self.units_per_tick
        return ticks

    def ns(self, units: Array) -> Array:
        """Convert units to nanoseconds, rounded down."""
        numerator, denominator = self._ns_per_unit
        if denominator == 1:
            return np.asarray(units * numerator)
        whole, rest = np.divmod(units, denominator)
        return np.asarray(whole * numerator + rest * numerator // denominator)

    @property
    def _ns_per_unit(self) -> tuple[int, int]:
        shared = gcd(_NS, self.units_per_s)
        return _NS // shared, self.units_per_s // shared
