"""Counters of chips as times. Every chip has a counter of its own, and no two are in step.

So each chip's earliest moment is 0 ns: within a chip times are right, between chips they say
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace.table import Array

NOT_IN_STEP = (
    "Counters of two chips are not in step: each chip begins at 0 ns here, and no order between "
    "chips is known."
)


@dataclass(frozen=True, slots=True)
class ChipClocks:
    """The chips of a file, the first counter value of each, and the rate of all."""

    chips: Array
    base: Array
    hz: int

    @classmethod
    def of(cls, chip: Array, cycles: Array, hz: int) -> ChipClocks:
        """Clocks of the chips that these rows are of; the least value of a chip is its base."""
        chips, place = np.unique(chip, return_inverse=True)
        base = np.full(len(chips), np.iinfo(np.int64).max)
        np.minimum.at(base, place.reshape(-1), cycles)
        return cls(chips, base, hz)

    def times(self, chip: Array, cycles: Array) -> Array:
        """Counter values in ns from the chip's base, rounded, halves to even."""
        since = cycles - self.base[np.searchsorted(self.chips, chip)]
        seconds, rest = np.divmod(since, self.hz)
        whole, part = np.divmod(rest * 1_000_000, self.hz)
        # Twice in steps of 10^6 and 10^3, because rest * 10^9 may not fit in 64 bits.
        more, part = np.divmod(part * 1000, self.hz)
        whole = seconds * 1_000_000_000 + whole * 1000 + more
        up = (2 * part > self.hz) | ((2 * part == self.hz) & (whole % 2 == 1))
        return np.asarray(whole + up, np.int64)

    def facts(self) -> dict[str, object]:
        """Fields of Meta: the rate, and where 0 ns lies on the counter."""
        single = len(self.chips) == 1
        bases = {str(chip): int(base) for chip, base in zip(self.chips, self.base, strict=True)}
        return {
            "clock_hz": self.hz,
            "base_cycles": int(self.base[0]) if single else None,
            "device": int(self.chips[0]) if single else None,
            "notes": () if len(self.chips) < 2 else (NOT_IN_STEP,),
            "extra": {} if single or not bases else {"base_cycles_of_chips": bases},
        }
