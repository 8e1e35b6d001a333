"""The counter of a chip as time. Every chip has a counter of its own, and no two are in step.

So a file of several chips gives a trace per chip: in one trace an order between chips would show
that nobody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanescope.errors import UsageError
from lanescope.formats.bundle import Bundle
from lanescope.trace.table import Array

FASTEST_MHZ = 100_000
"""Rate above which no counter is believed; times in ns then fit in 64 bits."""


@dataclass(frozen=True, slots=True)
class ChipClock:
    """A chip, the first value of its counter, and the counter's rate."""

    chip: int
    base: int
    hz: int

    def times(self, cycles: Array) -> Array:
        """Counter values in ns from the base, rounded, halves to even."""
        seconds, rest = np.divmod(cycles - self.base, self.hz)
        micros, part = np.divmod(rest * 1_000_000, self.hz)
        # In two steps, because rest * 10^9 may not fit in 64 bits.
        more, part = np.divmod(part * 1000, self.hz)
        whole = seconds * 1_000_000_000 + micros * 1000 + more
        up = (2 * part > self.hz) | ((2 * part == self.hz) & (whole % 2 == 1))
        return np.asarray(whole + up, np.int64)

    def facts(self) -> dict[str, int]:
        """Fields of Meta."""
        return {"clock_hz": self.hz, "base_cycles": self.base, "device": self.chip}


def chip_bundle(bundle: Bundle, chip: int, chips: Sequence[int]) -> Bundle:
    """The same run for one of its chips: the trace's name and a note say which it is."""
    if len(chips) < 2:
        return bundle
    listed = ", ".join(map(str, chips))
    note = (
        f"Chip {chip} of the file's chips {listed}; each is a trace of its own, because counters "
        "of chips are not in step."
    )
    return replace(bundle, name=f"{bundle.name}-chip{chip}", notes=(*bundle.notes, note))


def chosen_chips(bundle: Bundle, chips: Sequence[int]) -> Sequence[int]:
    """The chips to make traces of: all, or the one that the user asked for.

    Raises:
        UsageError: The file has no such chip.
    """
    asked = bundle.options.get("chip")
    if asked is None:
        return chips
    if asked not in chips:
        found = ", ".join(map(str, chips))
        raise UsageError(f"--chip {asked}: {bundle.main.path} has the chips {found}")
    return [asked]
