"""What a view is made of: slices with arguments, lanes, arrows, counters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lanescope.trace import MISSING
from lanescope.trace.table import Array


@dataclass(frozen=True, slots=True)
class Argument:
    """One value per slice. Unknown is MISSING in int64 values, NaN in float64 values."""

    name: str
    values: Array

    @property
    def known(self) -> Array:
        """Mask of the values that are known."""
        whole = self.values.dtype != np.float64
        return np.asarray(self.values != MISSING if whole else np.isfinite(self.values))


@dataclass(frozen=True, slots=True)
class Slices:
    """Slices of one table; `lane` is a lane of the view, `name` an index into `names`."""

    lane: Array
    start_ns: Array
    end_ns: Array
    name: Array
    names: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrows:
    """Arrow i goes from slice `source[i]` to slice `target[i]`; sorted by source, then target."""

    source: Array
    target: Array
    not_drawn: int


@dataclass(frozen=True, slots=True)
class View:
    """Slices laid on lanes, sorted by lane, then start, then the longest first.

    Slice i is row `row[i]` of `parts[part[i]]`. On each lane any two slices are disjoint or
    nested: those that overlap otherwise are on a sub-lane, named "LANE (2)" and so on.
    """

    name: str
    lanes: tuple[str, ...]
    under: tuple[int, ...]
    """Per lane the lane it is a part of, such as the core of a pipe; -1 for most."""
    parts: tuple[Slices, ...]
    part: Array
    row: Array
    lane: Array
    start_ns: Array
    end_ns: Array
    order: Array
    """How begins (2i) and ends (2i+1) are written; begins come in the order of the slices."""
    arrows: Arrows


@dataclass(frozen=True, slots=True)
class Counter:
    """A value over time, sorted by time; each value holds until the next one."""

    name: str
    time_ns: Array
    value: Array
