"""Which recorded times can be right: those of the run, from when its region was made to its end.

A record with another time stays in the trace, flagged or without times. It never moves the time
axis, and never costs another record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.device.head import Array, Head
from lanescope.device.layouts import constant
from lanescope.trace.clock import cycles_to_ns
from lanescope.trace.schema import MISSING
from lanescope.trace.task_rows import precedes

_S = 1_000_000_000
_MOST = (1 << 63) - 1
_SLACK_S = 3600
"""How far a time may be outside the run, in seconds: the host's clock may be set meanwhile."""
_LONGEST_S = 366 * 24 * 3600
"""How long a run may be whose end is not known, in seconds."""
_FARTHEST_S = 1 << 32
"""How far times may be apart where no clock of the host is known, in seconds: 136 years."""


@dataclass(frozen=True, slots=True)
class StampWindow:
    """The times that can be right, in cycles of the device's counter."""

    first: int
    last: int
    has_zero: bool
    """Whether 0 is a time. It is not where the counter ran before the region was made."""

    def wild(self, cycles: Array) -> Array:
        """Mask of the times that are known and cannot be right."""
        outside = (cycles < self.first) | (cycles > self.last)
        if not self.has_zero:
            outside |= cycles == 0
        return np.asarray(outside & (cycles != MISSING))

    def unusable(self, start: Array, end: Array) -> Array:
        """Mask of the intervals with a time that cannot be right, or that end before they start."""
        return np.asarray(self.wild(start) | self.wild(end) | precedes(end, start))


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """How cycles become nanoseconds: `base` cycles are 0 ns."""

    window: StampWindow
    clock_hz: int
    base: int

    def ns(self, cycles: Array) -> Array:
        """Return times in ns; MISSING replaces those that cannot be right."""
        usable = np.where(self.window.wild(cycles), MISSING, cycles)
        return cycles_to_ns(usable, self.clock_hz, self.base)

    def timed(self, columns: dict[str, Array]) -> dict[str, Array]:
        """Add `start_ns` and `end_ns` to columns with `start_cycles` and `end_cycles`.

        Both are MISSING in rows whose times cannot be right.
        """
        if "start_cycles" not in columns:
            return columns
        start, end = columns["start_cycles"], columns["end_cycles"]
        bad = self.window.unusable(start, end)
        return {
            **columns,
            "start_ns": self.ns(np.where(bad, MISSING, start)),
            "end_ns": self.ns(np.where(bad, MISSING, end)),
        }


def stamp_window(head: Head) -> StampWindow:
    """Return which times can be right in a region.

    A region that was made on a machine whose clock it knows has a moment on both clocks. The host's
    clock also tells how long the run took, unless it was killed.
    """
    header = head.header
    hz, made_ns = int(header["clock_hz"]), int(header["clock_unix_ns"])
    if not made_ns:
        return StampWindow(0, min(_FARTHEST_S * hz, 1 << 62), has_zero=True)
    made = min(int(header["clock_cycles"]), _MOST)
    end = made + _LONGEST_S * hz
    if int(header["state"]) == constant("LS_STOPPED"):
        # Each may be wrong: the host's clock may be set meanwhile, and the device may have another
        # counter than the host, which wrote `stop_cycles`.
        by_host = made + (int(header["stop_unix_ns"]) - made_ns) * hz // _S
        end = min(max(made, by_host, int(header["stop_cycles"])), end)
    slack = _SLACK_S * hz
    return StampWindow(max(made - slack, 0), min(end + slack, _MOST), has_zero=False)
